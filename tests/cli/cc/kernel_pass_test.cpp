// What the pass on tokens makes of a unit: launches, kernels, main, and all the text that it must leave
// alone.
#include "cli/cc/kernel_pass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "cli/cc/tokens.h"
#include "tests/support/test_seed.h"

namespace tilesim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::string Rewritten(const std::string& text) { return RewriteKernels(text).text; }

// Without the blanks and line markers that keep columns: one line.
std::string Plain(const std::string& text) {
  std::string plain;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    plain += line.starts_with("# ") ? "" : line + " ";
    at = end + 1;
  }
  std::string joined;
  for (const char letter : plain) {
    if (letter != ' ' || !joined.ends_with(' ')) {
      joined += letter;
    }
  }
  return joined;
}

constexpr const char* kSite = "::tilesim::SourceLine{__FILE__, __LINE__}";

std::string Launch(const std::string& name, const std::string& qualifiers, const std::string& values,
                   const std::string& call) {
  return "::tilesim::host::Launch(::tilesim::host::LaunchSite{\"" + name + "\", ::tilesim::host::Qualifiers" +
         qualifiers + ", " + kSite +
         (name.find('<') == std::string::npos ? "" : ", nullptr, __PRETTY_FUNCTION__") + "}, " + name +
         ").With( " + values + ")" + call;
}

KernelDeclaration OnlyKernel(const std::string& text) {
  const KernelPassResult result = RewriteKernels(text);
  EXPECT_EQ(result.kernels.size(), 1U) << text;
  return result.kernels.empty() ? KernelDeclaration{} : result.kernels.front();
}

std::vector<std::string> Names(const std::string& text) {
  std::vector<std::string> names;
  for (const KernelDeclaration& kernel : RewriteKernels(text).kernels) {
    names.push_back(kernel.name);
  }
  return names;
}

std::vector<std::string> Parameters(const std::string& list) {
  std::vector<std::string> parameters;
  for (const KernelParameter& parameter : OnlyKernel("__global__ void k(" + list + ") {}").parameters) {
    parameters.push_back(parameter.type + "|" + parameter.name);
  }
  return parameters;
}

// --- launches ---

TEST(LaunchText, BecomesACall) {
  EXPECT_THAT(Plain(Rewritten("void f() { k<<<8, 0, s>>>(x, y); }")),
              HasSubstr("{ " + Launch("k", "{}", "8, 0, s", " (x, y); }")));
}

TEST(LaunchText, LeavesTheCountOfItsValuesToTheCompiler) {  // a macro may be several
  for (const std::string values : {"", "8", "8, nullptr", "CFG", "1, 0, s, 4"}) {
    EXPECT_THAT(Plain(Rewritten("void f() { k<<<" + values + ">>>(x); }")),
                HasSubstr(".With( " + values + ") (x)"));
  }
}

TEST(LaunchText, TakesAnyExpressionThatMayBeAKernel) {
  for (const std::string kernel : {"(k)", "fs[1]", "table.at[i][j]", "this->f", "p->q.r", "pick(2)",
                                   "pick<int>(2)", "(fs)[1]", "(*f)", "((k))", "::ns::pick(a, b)"}) {
    EXPECT_THAT(Plain(Rewritten("void f() { g(); " + kernel + "<<<1, 0, s>>>(x); }")),
                HasSubstr("g(); ::tilesim::host::Launch("))
        << kernel;
    EXPECT_THAT(Plain(Rewritten("void f() { g(); " + kernel + "<<<1, 0, s>>>(x); }")),
                HasSubstr("}, " + kernel + ").With( 1, 0, s) (x)"))
        << kernel;
  }
  EXPECT_THAT(Plain(Rewritten("void f() { if (x) (k)<<<1, 0, s>>>(x); }")),
              HasSubstr("if (x) ::tilesim::host::Launch("));
}

TEST(LaunchText, IsKeptWithItsPlaceForMessages) {
  const KernelPassResult result =
      RewriteKernels("# 7 \"a.asc\"\nvoid f() {\n  k<<<\"a\", 0>>>(x); }\n#define RUN k<<<1>>>(x)\n");
  ASSERT_THAT(result.launches, SizeIs(1));
  EXPECT_EQ(result.launches[0].text, "k<<<\"a\", 0>>>");
  EXPECT_EQ(result.launches[0].file, "a.asc");
  EXPECT_EQ(result.launches[0].line, 8);
  EXPECT_EQ(result.launches[0].first_column, 3);
}

TEST(LaunchText, TakesTemplatesAndNamespacesInTheName) {
  EXPECT_THAT(Plain(Rewritten("void f() { ns::k<A<B<int>>, 3><<<1, 0, s>>>(x); }")),
              HasSubstr(Launch("ns::k<A<B<int>>, 3>", "{}", "1, 0, s", " (x)")));
  EXPECT_THAT(Plain(Rewritten("void f() { ::k<(2 > 1)><<<1, 0, s>>>(x); }")),
              HasSubstr("LaunchSite{\"k<(2>1)>\", ::tilesim::host::Qualifiers{}, "));
}

TEST(LaunchText, NamesTheParametersOfATemplate) {
  const std::string k = "template <class T> __global__ void k(T* x, int n) {}\n";
  EXPECT_THAT(Plain(Rewritten(k + "void f() { k<int><<<1, 0, s>>>(p, 3); }")),
              HasSubstr("__PRETTY_FUNCTION__, \"x, n\"}, "));
  EXPECT_THAT(Plain(Rewritten(k + "void f() { k<<<1, 0, s>>>(p, 3); }")),
              HasSubstr(", nullptr, \"\", \"x, n\"}, "));
  EXPECT_THAT(Plain(Rewritten("__global__ void k(int* x) {}\nvoid f() { k<<<1, 0, s>>>(p); }")),
              Not(HasSubstr("\"x\"}")));
  const std::string other = "template <class T> __global__ void k(T* x, T* m) {}\n";
  EXPECT_THAT(Plain(Rewritten(k + other + "void f() { k<int><<<1, 0, s>>>(p, 3); }")),
              Not(HasSubstr("\"x, ")));
}

TEST(LaunchText, FindsItsEndBehindShiftsTemplatesAndComparisons) {
  for (const std::string values :
       {"n >> 1, 0, s", "(n >> 2), 0, p->s", "f<A<B<int>>>(x), 0, s", "n < 3 ? 1 : 2, 0, s",
        "f<int>(3), 0, g<A, B>", "1 << 3, 0, s", "f(a, b), 0, [&] { return x > 1; }()", "A<B<1>>::n, 0, s",
        "sizeof(T) / 2, 0, s"}) {
    EXPECT_THAT(Plain(Rewritten("void f() { k<<<" + values + ">>>(x); }")),
                HasSubstr(".With( " + values + ") (x); }"))
        << values;
  }
}

TEST(LaunchText, KeepsEachLine) {
  const std::string source = "void f() {\n  k<<<8,\n      0,\n      s>>>(x,\n           y);\n  int z;\n}\n";
  const std::string text = "# 1 \"a.asc\"\n" + source;
  const std::string rewritten = Rewritten(text);
  const TokenText tokens = SplitIntoTokens(rewritten);
  const auto line_of = [&](const std::string& word) {
    return PlaceOf(tokens, static_cast<uint32_t>(rewritten.find(word))).line;
  };
  EXPECT_EQ(line_of("8,"), 2);
  EXPECT_EQ(line_of("0,\n"), 3);
  EXPECT_EQ(line_of("(x,"), 4);
  EXPECT_EQ(line_of("y);"), 5);
  EXPECT_EQ(line_of("int z"), 6);
  EXPECT_EQ(PlaceOf(tokens, static_cast<uint32_t>(rewritten.find("int z"))).file, "a.asc");
}

TEST(LaunchText, KeepsEachColumn) {
  const std::string rewritten = Rewritten("# 7 \"a.asc\"\nvoid f() { int a; k<T><<<8, 0, s>>>(x); g(); }\n");
  const auto column_of = [&](const std::string& word) {
    const size_t at = rewritten.find(word);
    return at - (rewritten.rfind('\n', at) + 1);
  };
  EXPECT_EQ(column_of("8, 0"), std::string("void f() { int a; k<T><<<").size());
  EXPECT_EQ(column_of("(x)"), std::string("void f() { int a; k<T><<<8, 0, s>>>").size());
  EXPECT_EQ(column_of("k<T>)"), std::string("void f() { int a; ").size());
}

TEST(LaunchText, KeepsLinesInsideOfOtherCalls) {  // which may be macros: no line can be marked there
  const std::string rewritten = Rewritten("CHECK(\n k<<<8,\n 0, s>>>(x));\nint z;\n");
  EXPECT_EQ(std::ranges::count(rewritten.substr(0, rewritten.find("int z")), '\n'), 3);
  EXPECT_THAT(rewritten, Not(HasSubstr("# ")));
}

TEST(LaunchText, IsFoundInMacros) {
  EXPECT_THAT(Rewritten("#define RUN(k, ...) k<<<8, 0, s>>>(__VA_ARGS__)\n"), HasSubstr("LaunchSite{#k"));
  EXPECT_THAT(Rewritten("#define RUN k<<<8, 0, s>>>(x)\n"), HasSubstr("LaunchSite{\"k\", "));
  EXPECT_THAT(Rewritten("#define RUN(T) k_##T<T, 2><<<8, 0, s>>>\n"),
              HasSubstr("{\"k_\" #T \"<\" #T \", 2>\", "));
  const std::string lines = Rewritten("#define RUN(k) \\\n k<<<8, \\\n 0, s>>>(x)\nint z;\n");
  EXPECT_EQ(std::ranges::count(lines.substr(0, lines.find("int z")), '\n'), 3);
}

TEST(LaunchText, OfAMacroChoosesTheQualifiersByTheKernelsName) {
  const std::string text = Rewritten(
      "__global__ __vector__ void a() {}\n__global__ __cube__ void b() {}\n#define RUN(k) k<<<8, 0, "
      "s>>>()\n");
  EXPECT_THAT(
      text,
      HasSubstr(
          "if (tilesim_name == \"a\") { return ::tilesim::host::Qualifiers::Vector(); } if (tilesim_name == "
          "\"b\") { return ::tilesim::host::Qualifiers::Cube(); }"));
}

class LeftAlone : public ::testing::TestWithParam<const char*> {};

TEST_P(LeftAlone, IsTheSameText) {
  const std::string text = std::string(GetParam()) + "\n";
  const KernelPassResult result = RewriteKernels(text);
  EXPECT_EQ(result.text, text);
  EXPECT_FALSE(result.has_launches);
  EXPECT_THAT(result.kernels, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Text, LeftAlone,
    ::testing::Values(
        "const char* s = \"k<<<1, 0, s>>>(x)\";", "const char* s = R\"(k<<<1, 0, s>>>(x)\n)\";",
        "const char* s = u8R\"ab()\"k<<<1>>>(x))ab\";", "// k<<<1, 0, s>>>(x)", "/* k<<<1,\n 0, s>>>(x) */",
        "// joined \\\nk<<<1, 0, s>>>(x)", "int i = x << (y >> 2);", "int i = a << b << c >> d;",
        "A<B<C<D>>> v(x);", "std::vector<std::vector<std::vector<int>>> v(3);",
        "auto c = '<'; auto d = '\\''; auto e = \"\\\"<<<\";", "int n = 1'000'000; bool b = n < 3;",
        "std::cout << operator<<<char>(a, b);", "#include <k<<<1>>>(x)>", "#error don't k<<<1, 0, s>>>(x)",
        "#pragma x k<<<1, 0, s>>>(x)", "const char* s = \"__global__ void k() {}\";",
        "// __global__ void k() {}", "#define A __global__ void", "<<<<<<< HEAD\nint a;\n=======\n>>>>>>> x",
        "void f() { return <<<1>>>(x); }", "int a = b <<<<< c;", "auto x = L'\"'; auto y = 0x1p-3;"),
    [](const auto& test) { return "Number" + std::to_string(test.index); });

TEST(LaunchText, WithoutAnEndIsNotedAndLeft) {
  const std::string text = "# 4 \"a.asc\"\nvoid f() {\n  k<<<1, 0, s(x);\n}\n";
  const KernelPassResult result = RewriteKernels(text);
  EXPECT_EQ(result.text, text);
  ASSERT_THAT(result.notes, SizeIs(1));
  EXPECT_EQ(result.notes[0].file, "a.asc");
  EXPECT_EQ(result.notes[0].line, 5);
  EXPECT_EQ(result.notes[0].text, "no `>>>(` closes the `<<<` after `k`");
}

TEST(LaunchText, OfSystemHeadersIsLeft) {
  const std::string text =
      "# 1 \"/usr/include/x.h\" 1 3\nvoid f() { k<<<1, 0, s>>>(x); }\n# 2 \"a.asc\" 2\nint a;\n";
  EXPECT_EQ(Rewritten(text), text);
}

// --- the kernel of a launch ---

TEST(LaunchQualifiers, AreThoseOfAllDeclarations) {
  const std::string head =
      "__global__ __mix__(1, 2) void k(int x);\n__global__ __aicore__ void k(int x) {}\n";
  EXPECT_THAT(Plain(Rewritten(head + "void f() { k<<<1, 0, s>>>(x); }")),
              HasSubstr("\"k\", ::tilesim::host::Qualifiers::Mix(1, 2), "));
  EXPECT_THAT(Rewritten(head), HasSubstr("MakeKernelEntry(\"k\", ::tilesim::host::Qualifiers::Mix(1, 2), "));
}

TEST(LaunchQualifiers, AreThoseOfTheNamespaceThatTheLaunchNames) {
  const std::string text = Plain(Rewritten(
      "namespace a { __global__ __vector__ void k() {} }\nnamespace b { __global__ __cube__ void k() {} }\n"
      "void f() { b::k<<<1, 0, s>>>(); a::k<<<1, 0, s>>>(); k<<<1, 0, s>>>(); }"));
  EXPECT_THAT(text, HasSubstr("\"b::k\", ::tilesim::host::Qualifiers::Cube(), "));
  EXPECT_THAT(text, HasSubstr("\"a::k\", ::tilesim::host::Qualifiers::Vector(), "));
  EXPECT_THAT(text, HasSubstr("\"k\", ::tilesim::host::Qualifiers{}, "));
}

TEST(LaunchQualifiers, AreThoseOfATemplateWhateverItsArguments) {
  for (const std::string arguments : {"float, 3", "float, (3 > 2) ? 1 : 2", "float, sizeof(int) == 4 ? 1 : 2",
                                      "A<B<int>>, (1 < 2)", "float, (8 >> 1)"}) {
    EXPECT_THAT(Plain(Rewritten("template <class T, int n> __global__ __cube__ void k() {}\n"
                                "void f() { k<" +
                                arguments + "><<<1, 0, s>>>(); }")),
                HasSubstr(", ::tilesim::host::Qualifiers::Cube(), " + std::string(kSite)))
        << arguments;
  }
}

TEST(LaunchQualifiers, HoldTheScheduleModeAndTheWorkspace) {
  EXPECT_THAT(
      Rewritten("__global__ __cube__ __schedmode__(1) void k(int n, __kfc_workspace__ __gm__ uint8_t* w) {}"),
      HasSubstr("::tilesim::host::Qualifiers::Cube().Scheduled(1).WithWorkspace(1), "));
}

TEST(LaunchQualifiers, HaveTheWorkspaceThatAProjectDefines) {
  const std::string kernel = "__global__ __aicore__ void k(GM_ADDR x, GM_ADDR w, GM_ADDR t) {}\n";
  const auto text = [&](bool has_workspace, bool has_tiling) {
    return RewriteKernels(
               kernel,
               {.instances = {}, .extra = {}, .has_workspace = has_workspace, .has_tiling = has_tiling})
        .text;
  };
  EXPECT_THAT(text(true, true), HasSubstr(".WithWorkspace(1), "));
  EXPECT_THAT(text(true, false), HasSubstr(".WithWorkspace(2), "));
  EXPECT_THAT(text(false, true), ::testing::Not(HasSubstr(".WithWorkspace(")));
}

TEST(LaunchedFunction, IsALambdaWhereArgumentsOfATemplateAreDeduced) {
  const std::string lambda = "[](auto... tilesim_arguments) { k";
  const auto text = [](const std::string& head, const std::string& name) {
    return Plain(Rewritten(head + " __global__ void k(T* x) {}\nvoid f() { " + name + "<<<1, 0, s>>>(x); }"));
  };
  EXPECT_THAT(text("template <class T>", "k"), HasSubstr(lambda + "(tilesim_arguments...); })"));
  EXPECT_THAT(text("template <int n, class T>", "k<3>"), HasSubstr(lambda + "<3>(tilesim_arguments...); })"));
  EXPECT_THAT(text("template <int n, class T = half>", "k<3>"), Not(HasSubstr(lambda)));
  EXPECT_THAT(text("template <class T>", "k<half>"), Not(HasSubstr(lambda)));
}

TEST(LaunchedFunction, IsALambdaWhereSeveralHaveItsName) {
  EXPECT_THAT(
      Plain(Rewritten(
          "__global__ void k(int* x) {}\n__global__ void k(half* x) {}\nvoid f() { k<<<1, 0, s>>>(x); }")),
      HasSubstr("[](auto... tilesim_arguments) { k(tilesim_arguments...); })"));
}

TEST(LaunchedFunction, IsALambdaWhereDefaultsOfParametersAreMeant) {
  const std::string head = "__global__ void k(int* x, int n = 3) {}\nvoid f() { k<<<1, 0, s>>>";
  EXPECT_THAT(Plain(Rewritten(head + "(x); }")), HasSubstr("[](auto... tilesim_arguments) { k("));
  EXPECT_THAT(Plain(Rewritten(head + "(x, 4); }")), Not(HasSubstr("[](auto...")));
  EXPECT_THAT(Plain(Rewritten("__global__ void k(int* x, int n) {}\nvoid f() { k<<<1>>>(x); }")),
              Not(HasSubstr("[](auto...")));
  const std::string macro = "#define RUN(kernel, ...) kernel<<<1>>>(__VA_ARGS__)\n";
  EXPECT_THAT(Rewritten(macro + "__global__ void k(int* x, int n = 3) {}\n"),
              HasSubstr("[](auto... tilesim_arguments) { kernel("));
  EXPECT_THAT(Rewritten(macro + "__global__ void k(int* x, int n) {}\n"), Not(HasSubstr("[](auto...")));
}

// --- kernels ---

TEST(Kernel, IsFoundWhateverTheOrderOfItsQualifiers) {
  using enum KernelQualifiers::Kind;
  struct Row {
    std::string text;
    KernelQualifiers::Kind kind;
    bool is_extern_c;
  };
  for (const Row& row :
       {Row{"extern \"C\" __global__ __aicore__ void k() {}", kUnknown, true},
        Row{"__aicore__ __vector__ __global__ void k() {}", kVector, false},
        Row{"__global__ void __cube__ k() {}", kCube, false},
        Row{"void __global__ __mix__(1, 2) k() {}", kMix, false},
        Row{"extern \"C\" { __global__ __vector__ void k() {} }", kVector, true},
        Row{"inline __global__ __vector__ __attribute__((noinline)) void k() {}", kVector, false},
        Row{"[[maybe_unused]] static __global__ __vector__ void k() noexcept {}", kVector, false}}) {
    const KernelDeclaration kernel = OnlyKernel(row.text);
    EXPECT_EQ(kernel.name, "k") << row.text;
    EXPECT_EQ(kernel.qualifiers.kind, row.kind) << row.text;
    EXPECT_EQ(kernel.is_extern_c, row.is_extern_c) << row.text;
    EXPECT_TRUE(kernel.is_definition) << row.text;
  }
  const KernelDeclaration mix = OnlyKernel("__global__ __mix__(1, kRatio) void k() {}");
  EXPECT_EQ(mix.qualifiers.aic, "1");
  EXPECT_EQ(mix.qualifiers.aiv, "kRatio");
}

TEST(Kernel, HasTheNameOfItsNamespaces) {
  EXPECT_THAT(Names("namespace a::b { namespace { __global__ void k() {} } }\n__global__ void l() {}"),
              ElementsAre("a::b::k", "l"));
  EXPECT_THAT(Names("inline namespace a { __global__ void k() {} }"), ElementsAre("a::k"));
  EXPECT_THAT(Names("namespace a { __global__ void k(); }\n__global__ void a::k() {}"),
              ElementsAre("a::k", "a::k"));
}

TEST(Kernel, IsRegisteredInItsNamespace) {
  EXPECT_THAT(
      Rewritten("# 3 \"a.asc\"\nnamespace a { namespace { __global__ __cube__ void k(half* x, int) {} } }\n"),
      HasSubstr("# 3 \"a.asc\" 3\nnamespace a { namespace { static const ::tilesim::host::KernelEntry "
                "tilesim_kernel_entry_0 "
                "= ::tilesim::host::MakeKernelEntry(\"a::k\", ::tilesim::host::Qualifiers::Cube(), {{\"x\", "
                "\"half*\"}, {\"arg1\", "
                "\"int\"}}, ::tilesim::SourceLine{\"a.asc\", 3}, &k); } }\n"));
}

TEST(Kernel, ThatIsOnlyDeclaredIsNotRegistered) {
  const std::string text = "__global__ void k(int x);\n";
  EXPECT_EQ(Rewritten(text), text);
  EXPECT_FALSE(OnlyKernel(text).is_definition);
}

TEST(Kernel, IsNoMemberOfAClassWhereverThatStands) {
  const auto lines = [](const std::string& text) {
    std::vector<int> numbers;
    for (const KernelPassNote& note : RewriteKernels(text).notes) {
      EXPECT_THAT(note.text, HasSubstr("is no member of a class"));
      numbers.push_back(note.line);
    }
    return numbers;
  };
  EXPECT_THAT(
      lines("struct A {\n static __global__ void k(int x) {}\n void f() {}\n __global__ void l();\n};\n"),
      ElementsAre(2, 4));
  EXPECT_THAT(lines("typedef struct {\n static __global__ void k(int x) {}\n} T;\n"), ElementsAre(2));
  EXPECT_THAT(
      lines("template <class T> requires (sizeof(T) == 4)\nstruct R {\n __global__ void k(T x) {}\n};\n"),
      ElementsAre(3));
  EXPECT_THAT(lines("void f() {\n struct L {\n  static __global__ void k(int x) {}\n };\n}\n"),
              ElementsAre(3));
  EXPECT_THAT(lines("struct A {\n struct B {\n  __global__ void k(int x) {}\n };\n};\n"), ElementsAre(3));
  EXPECT_THAT(lines("struct K {\n friend __global__ void inner(K* k, int x) {}\n};\n"), ElementsAre(2));
}

TEST(Kernel, MayBeDeclaredAsAFriendOrInAFunction) {
  for (const std::string text : {"struct A {\n friend __global__ void k(int x);\n void f() {}\n};\n",
                                 "template <class T> void f() {\n __global__ void k(int x);\n}\n",
                                 "struct A {\n void f() {\n  __global__ void k(int x);\n }\n};\n",
                                 "struct A {\n int x{1};\n};\n__global__ void k(int x) {}\n"}) {
    EXPECT_THAT(RewriteKernels(text).notes, IsEmpty()) << text;
  }
}

TEST(Kernel, OfSeveralWithOneNameIsRegisteredByItsTypes) {
  EXPECT_THAT(Rewritten("__global__ void k(int* x) {}\n__global__ void k(half* x) {}\n"),
              HasSubstr("static_cast<void (*)(half*)>(&k)"));
}

TEST(Kernel, AfterOtherDeclarationsIsFound) {
  EXPECT_THAT(Names("struct S { int a; void f() { g(); } };\nint a[] = {1, 2};\nauto l = [] { return 1; };\n"
                    "template <class T> requires requires(T x) { x + 1; } __global__ void t(T x) {}\n"
                    "class C : public B { public: C() : b{1} {} };\nenum class E { kA };\nvoid f() { if (x) "
                    "{ y(); } }\n"
                    "__global__ void k() {}\n"),
              ElementsAre("t", "k"));
}

TEST(Kernel, OfAMacroIsFound) {
  EXPECT_EQ(OnlyKernel("#define KERNEL __global__ __aicore__\n#define VEC KERNEL __vector__\nVEC void k() {}")
                .qualifiers.kind,
            KernelQualifiers::Kind::kVector);
  EXPECT_THAT(Names("#define DEFINE(name, T) extern \"C\" __global__ void name##_k(T* x) {}\nDEFINE(add, "
                    "half)\nDEFINE(mul, float)\n"),
              ElementsAre("add_k", "mul_k"));
  EXPECT_THAT(Names("#define OPEN namespace a {\n#define CLOSE }\nOPEN __global__ void k() {} "
                    "CLOSE\n__global__ void l() {}"),
              ElementsAre("a::k", "l"));
  EXPECT_THAT(Names("#define K __global__\n#undef K\nK void k() {}"), IsEmpty());
}

// Its body ends with the macro, whatever the next one says of itself.
TEST(Kernel, WhoseBodyIsAMacroLeavesTheNextOneItsOwn) {
  for (const std::string body : {"BODY", "NESTED", "ARGUMENT({ int a; })", "FUNCTION(1)"}) {
    const KernelPassResult result = RewriteKernels(
        "#define BODY { int a; }\n#define NESTED BODY\n#define ARGUMENT(x) x\n"
        "#define FUNCTION(x) { int a = x; }\n__global__ __vector__ void a() " +
        body + "\n__global__ __cube__ void b() {}\nint main() {}\n");
    ASSERT_THAT(result.kernels, SizeIs(2)) << body;
    EXPECT_TRUE(result.kernels[0].is_definition) << body;
    EXPECT_EQ(result.kernels[1].name, "b") << body;
    EXPECT_EQ(result.kernels[1].qualifiers.kind, KernelQualifiers::Kind::kCube) << body;
    EXPECT_TRUE(result.defines_main) << body;
  }
}

TEST(Kernel, MayHaveItsTypeBehindItsParameters) {
  const KernelDeclaration kernel = OnlyKernel("__global__ __cube__ auto h(int n) -> void {}");
  EXPECT_EQ(kernel.name, "h");
  EXPECT_EQ(kernel.qualifiers.kind, KernelQualifiers::Kind::kCube);
  ASSERT_THAT(kernel.parameters, SizeIs(1));
  EXPECT_EQ(kernel.parameters[0].name, "n");
}

// As C++17 and the device's compiler take them; C++20 does not.
TEST(ConstructorAndDestructor, MayHaveTheArgumentsOfTheirTemplate) {
  const std::string source =
      "template <typename T, int N> struct B : A<T> {\n  B<T, N>() : A<T>() {}\n public:\n"
      "  ~B<T, N>() { B<T, N> b; B<T, N>(b); }\n  B<T, N> Copy() const { return B<T, N>(); }\n};\n";
  EXPECT_EQ(RewriteKernels(source).text,
            "template <typename T, int N> struct B : A<T> {\n  B      () : A<T>() {}\n public:\n"
            "  ~B      () { B<T, N> b; B<T, N>(b); }\n  B<T, N> Copy() const { return B<T, N>(); }\n};\n");
}

// An aggregate in C++17, none in C++20.
TEST(DefaultedConstructor, GoesWhereItIsTheOnlyOne) {
  const auto text_of = [](const std::string& source) { return RewriteKernels(source + "\n").text; };
  EXPECT_EQ(text_of("struct A { __aicore__ inline A() = default; int x, y; };"),
            "struct A {                                  int x, y; };\n");
  for (const std::string source :
       {"struct A { A() = default; A(int); int x; };", "struct A { A() {} int x; };",
        "struct A { A() = default; A(const A&) = default; };", "struct A { ~A() = default; int x; };"}) {
    EXPECT_EQ(text_of(source), source + "\n");
  }
}

TEST(Concept, IsANameWhereNoneIsDefined) {
  EXPECT_EQ(RewriteKernels("int f(int concept) { return concept + 1; }\n").text,
            "int f(int concepT) { return concepT + 1; }\n");
  const std::string defined = "template <class T> concept Any = true;\n";
  EXPECT_EQ(RewriteKernels(defined).text, defined);
}

TEST(Conditions, OnTheKindOfCoreAreTold) {
  EXPECT_THAT(
      RewriteKernels("#ifdef __DAV_C220_VEC__\n#elif defined(__DAV_C220_CUBE__)\n#endif\n").core_kind_macros,
      ElementsAre("__DAV_C220_CUBE__", "__DAV_C220_VEC__"));
  EXPECT_THAT(RewriteKernels("#ifdef OTHER\n#endif\n").core_kind_macros, SizeIs(0));
}

TEST(DefaultedConstructor, OfAClassWithAttributesAndBasesGoes) {
  for (const std::string head :
       {"struct __attribute__((packed)) A", "struct alignas(8) A", "struct [[nodiscard]] A",
        "class A final : B<sizeof(int)>", "template <class T> struct A<T*>"}) {
    EXPECT_EQ(RewriteKernels(head + " { A() = default; };\n").text, head + " {                };\n");
  }
  for (const std::string text :
       {"struct A { REG(q) A() = default; };\n", "template <class A> void f(A a) { A(); }\n",
        "struct A f() { A<int>(3); }\n"}) {
    EXPECT_EQ(RewriteKernels(text).text, text);
  }
}

TEST(ConstructorAndDestructor, MayHaveWordsBeforeThem) {
  EXPECT_EQ(
      RewriteKernels("template <class T> struct B { __aicore__ B<T>() {} template <class U> B<T>(U*) {} };\n")
          .text,
      "template <class T> struct B { __aicore__ B   () {} template <class U> B   (U*) {} };\n");
}

TEST(TilingClass, OfNestedNamespacesHasThePathOfBoth) {
  const std::string in =
      "namespace a {\nnamespace b::c {\nBEGIN_TILING_DATA_DEF(T)\nEND_TILING_DATA_DEF;\n}\n}";
  EXPECT_EQ(RewriteKernels(in + "\n").text, in + " using a::b::c::T;\n");
  const std::string other = "\nnamespace d { BEGIN_TILING_DATA_DEF(T) END_TILING_DATA_DEF; }\n";
  EXPECT_EQ(RewriteKernels(in + other).text, in + other);  // which one would it be?
  const std::string inside =
      "void f() { namespace g = h; { BEGIN_TILING_DATA_DEF(T) END_TILING_DATA_DEF; } }\n";
  EXPECT_EQ(RewriteKernels(inside).text, inside);
}

TEST(TilingClass, OfANamespaceIsTheKernelsToo) {
  const std::string in = "namespace optiling {\nBEGIN_TILING_DATA_DEF(T)\nEND_TILING_DATA_DEF;\n}";
  EXPECT_EQ(RewriteKernels(in + "  // end\n").text, in + " using optiling::T;  // end\n");
  EXPECT_EQ(RewriteKernels(in + "\nstruct T { int x; };\n").text, in + "\nstruct T { int x; };\n");
}

TEST(Kernel, OfAnIncludedHeaderIsFound) {
  const KernelDeclaration kernel =
      OnlyKernel("# 1 \"a.asc\"\n# 1 \"k.h\" 1\n\n__global__ void k() {}\n# 2 \"a.asc\" 2\n");
  EXPECT_EQ(kernel.file, "k.h");
  EXPECT_EQ(kernel.line, 2);
}

TEST(KernelParameters, HaveNamesAndTypesAsWritten) {
  EXPECT_THAT(Parameters(""), IsEmpty());
  EXPECT_THAT(Parameters("void"), IsEmpty());
  EXPECT_THAT(Parameters("GM_ADDR x, __gm__ uint8_t *y, const __gm__ half* __restrict__ z"),
              ElementsAre("GM_ADDR|x", "__gm__ uint8_t*|y", "const __gm__ half* __restrict__|z"));
  EXPECT_THAT(Parameters("GM_ADDR, __gm__ float*, unsigned int, const Tiling, ns::Tiling"),
              ElementsAre("GM_ADDR|arg0", "__gm__ float*|arg1", "unsigned int|arg2", "const Tiling|arg3",
                          "ns::Tiling|arg4"));
  EXPECT_THAT(Parameters("Pair<int, half> p, Tiling t = {1, 2}, bool b = (1 < 2)"),
              ElementsAre("Pair<int, half>|p", "Tiling|t", "bool|b"));
  EXPECT_THAT(Parameters("[[maybe_unused]] int a, int b [[maybe_unused]], const ns::Tiling t, struct S s"),
              ElementsAre("int|a", "int|b", "const ns::Tiling|t", "struct S|s"));
  EXPECT_THAT(Parameters("__kfc_workspace__ __gm__ uint8_t* w"),
              ElementsAre("__kfc_workspace__ __gm__ uint8_t*|w"));
}

// As g++ writes what a macro of a system header stands for.
TEST(KernelParameters, MayBeMacrosOfSystemHeaders) {
  const std::string text =
      "# 1 \"k.cpp\"\n# 1 \"/x/types.h\" 1 3\n__global__ void other(Hidden n) {}\n# 2 \"k.cpp\" 2\n"
      "__global__ void k(\n# 2 \"k.cpp\" 3 4\n uint8_t*\n# 2 \"k.cpp\"\n tiling) {}\n";
  const KernelPassResult unit = RewriteKernels(text);
  ASSERT_EQ(unit.kernels.size(), 1U);
  ASSERT_EQ(unit.kernels[0].parameters.size(), 1U);
  EXPECT_EQ(unit.kernels[0].parameters[0].type, "uint8_t*");
  EXPECT_EQ(unit.kernels[0].parameters[0].name, "tiling");
}

TEST(KernelTemplate, IsRegisteredForTheInstancesThatAreAskedFor) {
  const std::string text =
      "namespace a { template <class T, int n> __global__ __vector__ void k(__gm__ T* x, int m) {} }\n";
  const KernelPassResult result = RewriteKernels(text, {.instances = {"k<half, 2>", "l<int>"}, .extra = {}});
  EXPECT_THAT(result.instances_found, ElementsAre("k<half, 2>"));
  EXPECT_THAT(
      result.text,
      HasSubstr("MakeKernelEntry(\"k<half, 2>\", ::tilesim::host::Qualifiers::Vector(), {{\"x\", \"__gm__ "
                "half*\"}, {\"m\", \"int\"}}, ::tilesim::SourceLine{\"\", 1}, &k<half, 2>); }"));
  EXPECT_EQ(Rewritten(text), text);
}

TEST(KernelTemplate, IsRegisteredWhereTheSourceInstantiatesOrSpecialisesIt) {
  const std::string head = "template <class T> __global__ __cube__ void k(T* x) {}\n";
  for (const std::string more :
       {"template __global__ void k<half>(half* x);", "template <> __global__ void k<half>(half* x) {}"}) {
    EXPECT_THAT(Rewritten(head + more), HasSubstr("MakeKernelEntry(\"k<half>\", ")) << more;
    EXPECT_THAT(RewriteKernels(head + more, {.instances = {"k< half >"}, .extra = {}}).instances_found,
                SizeIs(1))
        << more;
  }
  EXPECT_THAT(Rewritten(head + "extern template __global__ void k<half>(half* x);"),
              Not(HasSubstr("MakeKernelEntry")));
}

TEST(KernelWithCLinkage, HasTheLaunchFunctionOfOlderProjects) {
  EXPECT_THAT(Rewritten("extern \"C\" __global__ void k(GM_ADDR x, uint32_t n) {}"),
              HasSubstr("extern \"C\" __attribute__((weak)) uint32_t aclrtlaunch_k(uint32_t tilesim_blocks, "
                        "void* tilesim_stream, void* "
                        "tilesim_0, uint32_t tilesim_1) { "));
}

TEST(ExtraSource, StandsAtTheEndOfTheUnitThatDefinesTheKernel) {
  const KernelPassOptions options{.instances = {}, .extra = {{.kernel = "k", .text = "int extra;"}}};
  EXPECT_THAT(RewriteKernels("__global__ void k() {}", options).text, HasSubstr("\nint extra;\n"));
  EXPECT_THAT(RewriteKernels("__global__ void k();", options).text, Not(HasSubstr("extra")));
}

TEST(Main, IsFoundHoweverItIsWritten) {
  for (const std::string text :
       {"int main() {}", "int main(int argc, char** argv) try { } catch (...) {}", "auto main() -> int {}",
        "extern \"C\" { int main() {} }", "#define MAIN int main\nMAIN(void) {}"}) {
    EXPECT_TRUE(RewriteKernels(text).defines_main) << text;
  }
  for (const std::string text :
       {"int main();", "namespace a { int main() {} }", "struct S { int main() { return 1; } };",
        "int f() { return main(); }", "const char* s = \"int main() {}\";"}) {
    EXPECT_FALSE(RewriteKernels(text).defines_main) << text;
  }
}

// --- any text at all ---

constexpr const char* kSource = R"source(# 1 "a.asc"
#define KERNEL __global__ __aicore__
#define RUN(k, n, ...) do { k<<<n, 0, stream>>>(__VA_ARGS__); } while (0)
#define DEFINE(name, T) extern "C" KERNEL void name##_k(__gm__ T* x) { *x = T(1); }
DEFINE(foo, float)
namespace ops { namespace {
template <class T, int n = 2> __global__ __vector__ void add(__gm__ T* x, uint32_t m) { (void)x; }
} }
struct Tiling { int a[3] = {1, 2, 3}; const char* s = R"(<<<)"; };
extern "C" __global__ __mix__(1, 2) void k(GM_ADDR x, Tiling t = {}, unsigned = 1'000) {}
int main(int argc, char** argv) {
  std::vector<std::vector<std::vector<int>>> v; // k<<<1>>>(x)
  ops::add<half, 3><<<argc < 3 ? 1 : 2, nullptr, stream>>>(x, "a\"b<<<");
  if (1 << (2 >> 1)) { k<<<f<A<B<int>>>(1), 0>>>(x, Tiling{}); }
  RUN(k, 8, x, '\'');
  CHECK(ops::add<float><<<1, 0, g<A, B>()>>>(x, /* >>>( */ 2));
}
)source";

TEST(KernelPass, TakesAnyMutationOfASource) {
  std::mt19937_64 random(testing::TestSeed());
  const std::string source = kSource;
  const TokenText split = SplitIntoTokens(source);
  std::vector<std::string> pieces;  // the tokens with what stands before them
  uint32_t done = 0;
  for (const Token& token : split.tokens) {
    pieces.push_back(source.substr(done, token.begin - done));
    pieces.emplace_back(split.Of(token));
    done = token.end;
  }
  ASSERT_GT(pieces.size(), 300U);
  const std::vector<std::string> others = {
      "<<<", ">>>", "(",  ")",        "{",  "}",          "\"", "'", "R\"(", "/*", "\\\n",   "#define X(",
      "##",  "<",   ">>", "template", "\n", "__global__", "::", ";", ",",    "#",  "# 5 \"b"};
  const auto some = [&](size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random); };
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> changed = pieces;
    for (size_t i = 0, count = 1 + some(4); i < count; ++i) {
      std::string& piece = changed[some(changed.size())];
      switch (some(4)) {
        case 0:
          piece.clear();
          break;
        case 1:
          piece = others[some(others.size())];
          break;
        case 2:
          piece += " " + others[some(others.size())];
          break;
        default:
          std::swap(piece, changed[some(changed.size())]);
      }
    }
    std::string text;
    for (const std::string& piece : changed) {
      text += piece;
    }
    text.resize(text.size() - some(8) * some(40));  // now and then without its end
    const KernelPassResult result = RewriteKernels(text, {.instances = {"add<half, 3>"}, .extra = {}});
    EXPECT_GE(result.text.size() + 64, text.size() / 2) << text;
    for (const KernelPassNote& note : result.notes) {
      EXPECT_GT(note.line, 0) << text;
      EXPECT_FALSE(note.text.empty()) << text;
    }
  }
}

TEST(KernelPass, SaysWhereTextEndsTooSoon) {
  const auto first_note = [](const std::string& text) {
    const KernelPassResult result = RewriteKernels("# 1 \"a.asc\"\n" + text);
    return result.notes.empty() ? std::string()
                                : result.notes[0].file + ":" + std::to_string(result.notes[0].line) + ": " +
                                      result.notes[0].text;
  };
  EXPECT_EQ(first_note("int a;\n/* never"), "a.asc:2: a comment that no */ ends");
  EXPECT_EQ(first_note("\n\nauto s = R\"(x"), "a.asc:3: a raw string that never ends");
  EXPECT_EQ(first_note("void f() {\n  g(1;\n}"), "a.asc:2: `(` has no partner");
  EXPECT_EQ(first_note("void f() { g(1); }"), "");
}

}  // namespace
}  // namespace tilesim
