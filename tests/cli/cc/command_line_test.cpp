// How `tilesim cc` takes a compiler's words apart, and what it says above the compiler's messages.
#include "cli/cc/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "cli/cc/compiler_messages.h"
#include "cli/cc/pass_macros.h"
#include "cli/cc/process.h"
#include "cli/cc/unit_text.h"
#include "formats/error.h"

namespace tilesim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

CompilerLine Read(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return ReadCompilerLine(words);
}

std::string Refusal(const std::string& text) {
  try {
    (void)Read(text);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

std::vector<std::string> Linked(const CompilerLine& line) {
  std::vector<std::string> words;
  for (const CompilerLine::Linked& linked : line.linked) {
    words.push_back(linked.source >= 0 ? "source " + std::to_string(linked.source) : linked.word);
  }
  return words;
}

TEST(CompilerLine, GivesEachStepItsWords) {
  const CompilerLine line =
      Read("-Iinclude -I include2 -DA=1 -O2 -g -Wall a.asc -lm b.o -L lib c.cpp libd.a -Wl,-z,now -o prog");
  EXPECT_THAT(line.preprocessing, ElementsAre("-Iinclude", "-I", "include2", "-DA=1"));
  EXPECT_THAT(line.options, ElementsAre("-O2", "-g", "-Wall"));
  EXPECT_THAT(Linked(line),
              ElementsAre("source 0", "-lm", "b.o", "-L", "lib", "source 1", "libd.a", "-Wl,-z,now"));
  EXPECT_EQ(line.step, CompilerStep::kLink);
  EXPECT_EQ(line.output, "prog");
  EXPECT_TRUE(line.has_optimisation);
  EXPECT_TRUE(line.sources.at(0).is_kernel_source);
}

TEST(CompilerLine, TellsWhichOptionsHaveTheirValueInTheNextWord) {
  for (const char* const option :
       {"-I", "-D", "-isystem", "-L", "-l", "-x", "-MF", "--param", "-mllvm", "--npu-arch"}) {
    EXPECT_TRUE(TakesNextWord(option)) << option;
  }
  for (const char* const option :
       {"-Iinclude", "-DA=1", "-lm", "-O2", "-c", "-shared", "--npu-arch=dav-2201", "a.cpp"}) {
    EXPECT_FALSE(TakesNextWord(option)) << option;
  }
}

TEST(CompilerLine, GoesAsFarAsTheFirstStepThatEndsIt) {
  EXPECT_EQ(Read("-c a.cpp").step, CompilerStep::kObject);
  EXPECT_EQ(Read("-c -S a.cpp").step, CompilerStep::kAssembly);
  EXPECT_EQ(Read("-c -E a.cpp").step, CompilerStep::kPreprocess);
  EXPECT_EQ(Read("-fsyntax-only a.cpp").step, CompilerStep::kCheck);
}

TEST(CompilerLine, TakesTheDeviceCompilersWords) {
  const CompilerLine line = Read(
      "-fPIC -shared -xcce -O2 -std=c++17 --npu-arch=dav-2201 --cce-aicore-lang -mllvm -cce-x=1 "
      "--cce-aicore-arch=dav-c220-vec "
      "kernel.cpp -lascendcl -lm -o k.so");
  EXPECT_THAT(line.options, ElementsAre("-fPIC", "-O2"));
  EXPECT_THAT(Linked(line), ElementsAre("source 0", "-lm"));
  EXPECT_TRUE(line.is_shared);
  EXPECT_TRUE(line.has_pic);
  EXPECT_TRUE(Read("-x asc kernel.txt").sources.at(0).is_kernel_source);
  EXPECT_THAT(Linked(Read("-xcce a.cpp b.o")), ElementsAre("source 0", "b.o"));
}

TEST(CompilerLine, CompilesOlderSourcesAsCpp20) {
  EXPECT_EQ(Read("a.cpp").language, "-std=gnu++20");
  EXPECT_EQ(Read("-std=c++17 a.cpp").language, "-std=c++20");
  EXPECT_EQ(Read("-std=gnu++14 a.cpp").language, "-std=gnu++20");
  EXPECT_TRUE(Read("-std=c++17 a.cpp").old_language);
  EXPECT_EQ(Read("-std=c++20 a.cpp").language, "-std=c++20");
  EXPECT_EQ(Read("-std=c++2b a.cpp").language, "-std=c++2b");
  EXPECT_FALSE(Read("-std=c++2b a.cpp").old_language);
  EXPECT_EQ(Read("-std=gnu++14 a.cpp").other_language, "-std=gnu++14");
  EXPECT_EQ(Read("-std=c++20 a.cpp").other_language, "");
  EXPECT_EQ(Read("a.cpp").other_language, "");
}

TEST(CompilerLine, PassesOtherLanguagesToTheCompiler) {
  const CompilerLine line = Read("a.c -x c b.h -x none c.cc");
  EXPECT_FALSE(line.sources.at(0).is_kernel_source);
  EXPECT_EQ(line.sources.at(1).language, "c");
  EXPECT_TRUE(line.sources.at(2).is_kernel_source);
}

TEST(CompilerLine, RefusesByName) {
  EXPECT_THAT(Refusal("--npu-arch=dav-3510 a.asc"),
              HasSubstr("--npu-arch dav-3510: this is a simulator of arch dav-2201"));
  EXPECT_THAT(Refusal("--npu-arch dav-3510 a.asc"), HasSubstr("--npu-arch dav-3510"));
  EXPECT_THAT(Refusal("--cce-aicore-arch=dav-c310-vec a.asc"), HasSubstr("--cce-aicore-arch dav-c310-vec"));
  EXPECT_THAT(Refusal("-O2"), HasSubstr("no file to compile"));
  EXPECT_THAT(Refusal("a.asc -o"), HasSubstr("-o has no value"));
  EXPECT_THAT(Refusal("-c a.asc b.asc -o x.o"), HasSubstr("-o x.o with several files"));
}

TEST(CompilerLine, HasInstancesOfTemplates) {
  EXPECT_THAT(Read("--kernel k<half> a.asc --kernel=k<int>").instances, ElementsAre("k<half>", "k<int>"));
}

// With a header of acl/ that declares aclInit.
std::string Explained(const std::string& messages) {
  return Explanation(messages, "aclError aclInit(const char* config);\n");
}

TEST(CompilerMessages, AreExplainedWhereTheyNameWhatIsMissing) {
  EXPECT_EQ(Explained("a.asc:3:5: error: \u2018Frob\u2019 is not a member of \u2018AscendC\u2019; did you "
                      "mean \u2018Prod\u2019?\n"),
            "tilesim: AscendC::Frob is not among the calls that tilesim has\n");
  EXPECT_EQ(Explained("a.asc:3:5: \x1b[31merror: \x1b[0m\u2018\x1b[1mFrob\x1b[0m\u2019 is not a member of "
                      "\u2018AscendC\u2019\n"),
            "tilesim: AscendC::Frob is not among the calls that tilesim has\n");
  EXPECT_EQ(Explained("a.asc:3:5: error: no member named 'Frob' in namespace 'AscendC'\n"),
            "tilesim: AscendC::Frob is not among the calls that tilesim has\n");
  for (const std::string text : {"a.cpp:3:5: error: \u2018aclnnAdd\u2019 was not declared in this scope\n",
                                 "a.cpp:3:5: error: use of undeclared identifier 'aclnnAdd'\n",
                                 "/usr/bin/ld: a.o: undefined reference to `aclnnAdd'\n"}) {
    EXPECT_THAT(Explained(text),
                HasSubstr("tilesim: aclnnAdd belongs to the interface of whole operators (aclnn)"))
        << text;
  }
  EXPECT_EQ(Explained("a.cpp:3:5: error: 'aclInit' was not declared in this scope\n"),
            "tilesim: aclInit is declared in acl/acl.h, which the source does not include\n");
  EXPECT_EQ(Explained("a.cpp:3:5: error: \u2018__aicore__\u2019 does not name a type\n"
                      "a.cpp:4:5: error: unknown type name 'GM_ADDR'\n"
                      "a.cpp:5:5: error: \u2018AscendC\u2019 has not been declared\n"),
            "tilesim: the source uses words of kernel_operator.h, which it does not include: #include "
            "\"kernel_operator.h\"\n");
  EXPECT_EQ(Explained("a.cpp:3:5: error: \u2018Frob\u2019 does not name a type\n"), "");
  EXPECT_EQ(Explained("a.cpp:3:5: error: 'aclIni' was not declared in this scope\n"),
            "tilesim: aclIni is not among the calls of acl/ that tilesim has\n");
  EXPECT_EQ(Explained("a.cpp:1:10: fatal error: lib/math/frob.h: No such file or directory\n"
                      "a.cpp:2:10: fatal error: 'kernel_frob.h' file not found\n"),
            "tilesim: lib/math/frob.h is not among the headers that tilesim has; all calls that kernels have "
            "come with \"kernel_operator.h\": include that in its place\n"
            "tilesim: kernel_frob.h is not among the headers that tilesim has; all calls that kernels have "
            "come with \"kernel_operator.h\": include that in its place\n");
  EXPECT_EQ(Explained("a.cpp:1:10: fatal error: lib/matmul/frob.h: No such file or directory\n"),
            "tilesim: lib/matmul/frob.h is not among the headers that tilesim has; the Matmul object comes "
            "with \"lib/matmul_intf.h\"\n");
  EXPECT_EQ(Explained("a.cpp:1:10: fatal error: 'frob.h' file not found\n"), "");
  EXPECT_THAT(Explained("a.cpp:1:10: fatal error: aclnnop/aclnn_add.h: No such file or directory\n"),
              HasSubstr("tilesim: aclnnop/aclnn_add.h"));
  EXPECT_THAT(Explained("a.cpp:3:5: error: \u2018aclrtcCreateProg\u2019 was not declared in this scope\n"),
              HasSubstr("aclrtcCreateProg compiles at run time"));
  EXPECT_EQ(Explained("a.cpp:3:5: error: \u2018fp8_e5m2_t\u2019 was not declared in this scope\n"),
            "tilesim: Ascend C has fp8_e5m2_t, this part (arch 2201) does not\n");
  EXPECT_THAT(Explained("a.cpp:3:5: error: \u2018DTYPE_X\u2019 was not declared in this scope\n"),
              HasSubstr("DTYPE_X: an operator project's build says it, as -DDTYPE_X=half here"));
  EXPECT_THAT(
      Explained("a.cpp:1:10: fatal error: aclrtlaunch_k.h: No such file or directory\n"),
      HasSubstr("aclrtlaunch_k.h: made for each kernel of the command line that is extern \"C\" __global__, "
                "and none of its files defines k so"));
}

const std::vector<std::string> kHeaders = {"/w/", "/x/"};
const std::vector<std::string> kOtherHeaders = {"/y/"};

// Both compilers' forms, and two launches of a line.
TEST(CompilerMessages, OfALaunchNameItsPlaceAndItsText) {
  const std::vector<WrittenLaunch> launches = {
      {.file = "a.asc", .line = 9, .first_column = 5, .last_column = 15, .text = "a<<<1>>>"},
      {.file = "a.asc", .line = 9, .first_column = 20, .last_column = 40, .text = "b<<<\"x\">>>"}};
  const std::string sentence = "a launch is kernel<<<blocks>>>: blocks is no number";
  const std::string line = "tilesim: a.asc:9: b<<<\"x\">>>: " + sentence + "\n";
  const std::string gcc =
      "a.asc:9:22:   required from here\n/x/kernel_launch.h:158:17: error: static assertion failed: " +
      sentence + "\n";
  EXPECT_EQ(AssertionExplanation(gcc + gcc, kHeaders, launches), line);
  EXPECT_EQ(
      AssertionExplanation(
          "/x/kernel_launch.h:158:3: error: static_assert failed due to requirement 'kBlocks' \"" + sentence +
              "\"\n/x/kernel_launch.h:1:19: note: in instantiation of x requested here\n"
              "a.asc:9:22: note: in instantiation of y requested here\n",
          kHeaders, launches),
      line);
  EXPECT_EQ(AssertionExplanation(gcc, kHeaders, {}), "tilesim: a.asc:9: " + sentence + "\n");
  EXPECT_THAT(AssertionExplanation("a.asc:3:5: error: static assertion failed: " + sentence + "\n", kHeaders,
                                   launches),
              IsEmpty());
}

TEST(CompilerMessages, OfACallThatIsNotThereNameItsPlaceAndWhatItsAssertionSays) {
  const std::vector<WrittenLaunch> launches = {
      {.file = "a.asc", .line = 9, .first_column = 30, .last_column = 40, .text = "k<<<1>>>"}};
  const std::string sentence = "Ascend C has Neg, this part (arch 2201) does not";
  const std::string line = "tilesim: a.asc:9: " + sentence + "\n";
  const std::string before = "a.asc:9:15:   required from here\n/x/absent.h:52:1: error: ";
  EXPECT_EQ(AssertionExplanation(before + "static assertion failed: " + sentence + "\n", kHeaders, launches),
            line);
  const std::string behind = "\na.asc:9:12: note: in instantiation of z requested here\n";
  EXPECT_EQ(AssertionExplanation(
                "/x/absent.h:52:78: error: static_assert failed due to requirement 'kHere<int>' \"" +
                    sentence + "\"" + behind,
                kHeaders, launches),
            line);
  EXPECT_EQ(AssertionExplanation(
                "/x/absent.h:52:78: error: static assertion failed due to requirement 'kHere<int>': " +
                    sentence + behind,
                kHeaders, launches),
            line);
  EXPECT_THAT(AssertionExplanation(before + "static assertion failed\n", kHeaders, launches), IsEmpty());
  EXPECT_THAT(
      AssertionExplanation(before + "static assertion failed: " + sentence + "\n", kOtherHeaders, launches),
      IsEmpty());
}

// A call in a class template or in a header of the user's; what instantiates it is no line to mend.
TEST(CompilerMessages, OfACallThatIsNotThereNameTheInnermostPlaceOutsideOfTheHeaders) {
  const std::string sentence = "Ascend C has Neg, this part (arch 2201) does not";
  const std::string gcc =
      "/x/absent.h: In instantiation of 'void Neg(T) [with T = int]':\n"
      "/x/between.h:7:3:   required from 'void Between(T) [with T = int]'\n"
      "n.h:2:12:   required from 'void Op<T>::Process() [with T = int]'\n"
      "    2 |     Neg(1);\n"
      "a.asc:18:13:   required from here\n"
      "   18 |   op.Process();\n"
      "/x/absent.h:52:1: error: static assertion failed: " +
      sentence + "\n";
  EXPECT_EQ(AssertionExplanation(gcc, kHeaders, {}), "tilesim: n.h:2: " + sentence + "\n");
  const std::string clang =
      "/x/absent.h:52:78: error: static assertion failed due to requirement 'kHere<int>': " + sentence +
      "\n/x/between.h:7:3: note: in instantiation of x requested here\n"
      "n.h:2:12: note: in instantiation of y requested here\n"
      "a.asc:18:13: note: in instantiation of z requested here\n"
      "1 error generated.\n";
  EXPECT_EQ(AssertionExplanation(clang, kHeaders, {}), "tilesim: n.h:2: " + sentence + "\n");
}

TEST(CompilerMessages, OfSeveralAssertionsOfAnInstantiationHaveItsPlaceEach) {
  const auto failed = [](const std::string& what) {
    return "/x/kernel_launch.h:158:17: error: static assertion failed: " + what + "\n";
  };
  const std::string scope = "/x/kernel_launch.h: In instantiation of 'bool Register()':\n";
  const std::string expected = "tilesim: a.asc:3: first\ntilesim: a.asc:3: second\ntilesim: a.asc:4: third\n";
  EXPECT_EQ(AssertionExplanation(scope + "a.asc:3:5:   required from here\n" + failed("first") +
                                     failed("second") + scope + "a.asc:4:5:   required from here\n" +
                                     failed("third") + "a.asc: In function 'void f()':\n" + failed("fourth"),
                                 kHeaders, {}),
            expected);
  EXPECT_EQ(AssertionExplanation(failed("first") + "a.asc:3:5: note: in instantiation of x requested here\n" +
                                     failed("second") + failed("third") +
                                     "a.asc:4:5: note: in instantiation of y requested here\n" +
                                     "a.asc:6:5: error: expected ';'\n" + failed("fourth"),
                                 kHeaders, {}),
            expected);
}

TEST(PassMacros, AreKeptUnlessTheSourceDefinesThemItself) {
  const auto keeps = [](std::string_view source, const std::string& name) {
    const std::vector<std::string> options = OptionsThatKeepMacros(source);
    return std::ranges::find(options, "-D" + name + "=" + name) != options.end();
  };
  EXPECT_TRUE(keeps("GET_TILING_DATA(t, gm);\n", "GET_TILING_DATA"));
  EXPECT_FALSE(keeps("#define GET_TILING_DATA(t, gm) int t\n", "GET_TILING_DATA"));
  EXPECT_FALSE(keeps("#  define \t GET_TILING_DATA(t, gm) int t\n", "GET_TILING_DATA"));
  EXPECT_TRUE(keeps("#define GET_TILING_DATA_WITH_STRUCT(s, t, gm) s t\n", "GET_TILING_DATA"));
  EXPECT_FALSE(keeps("#define GET_TILING_DATA_WITH_STRUCT(s, t, gm) s t\n", "GET_TILING_DATA_WITH_STRUCT"));
}

TEST(CompilerMessages, NameTheMacroThatReplacesANameOfTheHeaders) {
  const std::string spoilt =
      "<command-line>: error: expected \u2018>\u2019 before numeric constant\n"
      "/x/sim/a.h:146:22: note: in expansion of macro \u2018A\u2019\n"
      "/x/sim/a.h:148:22: note: in expansion of macro \u2018A\u2019\n";
  EXPECT_EQ(
      MacroExplanation(spoilt, kHeaders),
      "tilesim: macro A replaces a name in the simulator's headers: give it another name, or define it in "
      "the source behind #include \"kernel_operator.h\"\n");
  EXPECT_THAT(MacroExplanation(spoilt, kOtherHeaders), IsEmpty());
  const std::string of_ours =
      "/x/sim/a.h:146:22: error: expected \u2018>\u2019 before numeric constant\n"
      "/x/sim/a.h:148:22: note: in expansion of macro \u2018OURS\u2019\n";
  EXPECT_THAT(MacroExplanation(of_ours, kHeaders), IsEmpty());
}

TEST(CompilerMessages, NameTheLettersOfTheCommandLineWhereTheyDoNotNameTheMacro) {
  const std::string unnamed =
      "<command-line>: error: expected identifier before numeric constant\n"
      "In file included from /x/a.h:1:\n"
      "/x/sim/a.h:53:57: error: \u2018D\u2019 was not declared in this scope\n";
  const std::string told =
      " replaces a name in the simulator's headers: give it another name, or define it in the source behind "
      "#include \"kernel_operator.h\"\n";
  const std::vector<std::string> words = {"-DS=256", "-I.", "-D", "TILE=8", "-DM"};
  const std::vector<std::string> given = NamesDefinedBy(words);
  EXPECT_THAT(given, ElementsAre("S", "TILE", "M"));
  EXPECT_EQ(MacroExplanation(unnamed, kHeaders, given), "tilesim: one of the macros S, M" + told);
  EXPECT_EQ(MacroExplanation(unnamed, kHeaders, std::vector<std::string>{"S"}), "tilesim: macro S" + told);
  EXPECT_THAT(MacroExplanation(unnamed, kHeaders, std::vector<std::string>{"TILE"}), IsEmpty());
  EXPECT_THAT(MacroExplanation("<command-line>: error: expected ';'\n"
                               "a.asc:3:5: note: in expansion of macro 'TILE'\n",
                               kHeaders, given),
              IsEmpty());
  EXPECT_THAT(MacroExplanation("a.asc:3:5: error: expected ';'\n", kHeaders, given), IsEmpty());
}

TEST(CompilerMessages, NameTheKernelThatHasTheNameOfFunctionsOfTheHeaders) {
  const std::vector<KernelDeclaration> kernels = {
      {.name = "Add", .parameters = {}, .file = "a.asc", .line = 3},
      {.name = "fine", .parameters = {}, .file = "a.asc", .line = 9}};
  const std::string of_gcc =
      "a.asc:3:100: error: no matching function for call to \u2018MakeKernelEntry(const char [4], "
      "<unresolved overloaded function type>)\u2019\n"
      "    3 | __global__ void Add(GM_ADDR x) {\n"
      "a.asc:12:7: error: no matching function for call to \u2018Launch(tilesim::host::LaunchSite, "
      "<unresolved overloaded function type>)\u2019\n";
  const std::string of_clang =
      "a.asc:3:100: error: no matching function for call to 'MakeKernelEntry'\n"
      "/x/sim/a.h:293:13: note: candidate template ignored: couldn't infer template argument 'R'\n";
  for (const std::string& text : {of_gcc, of_clang}) {
    const KernelNames names = KernelNameExplanation(text, kernels);
    EXPECT_EQ(
        names.text,
        "tilesim: a.asc:3: kernel Add has the name of functions of kernel_operator.h, so that a launch of "
        "it may mean any of them; give the kernel another name\n");
    EXPECT_TRUE(names.is_all);
    EXPECT_FALSE(KernelNameExplanation(text + "a.asc:4:1: error: expected ';'\n", kernels).is_all);
  }
  EXPECT_FALSE(KernelNameExplanation("a.asc:4:1: error: expected ';'\n", kernels).is_all);
  EXPECT_FALSE(KernelNameExplanation("ld: cannot find -lx\n", kernels).is_all);
}

TEST(CompilerMessages, AreExplainedOnceForEachName) {
  const std::string line = "a.asc:3:5: error: \u2018Frob\u2019 is not a member of \u2018AscendC\u2019\n";
  EXPECT_EQ(Explained(line + line), "tilesim: AscendC::Frob is not among the calls that tilesim has\n");
}

TEST(CompilerMessages, OfTheUsersOwnNamesStandAlone) {
  EXPECT_THAT(Explained("a.asc:3:5: error: \u2018bad\u2019 was not declared in this scope\n"), IsEmpty());
}

TEST(Process, KeepsWhatIsSaidAndHowItEnds) {
  const ProcessEnd end =
      RunProcess({"sh", "-c", "echo out; echo err >&2; exit 3"}, {.keep = Keep::kOutAndErr});
  EXPECT_EQ(end.code, 3);
  EXPECT_EQ(end.out, "out\n");
  EXPECT_EQ(end.err, "err\n");
  EXPECT_EQ(RunProcess({"sh", "-c", "kill -9 $$"}, {.keep = Keep::kErr}).code, 128 + 9);
  EXPECT_THROW(RunProcess({"/no/such/program"}, {.keep = Keep::kErr}), UserError);
}

}  // namespace
}  // namespace tilesim
