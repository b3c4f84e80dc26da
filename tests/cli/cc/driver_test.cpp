// `tilesim cc` from outside: sources in, programs out. Most sources name no kernel API, which takes long to
// compile.
#include "cli/cc/driver.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/cc/own_names.h"
#include "cli/cc/program_file.h"
#include "cli/cc/toolkit.h"
#include "tests/cli/program.h"

namespace tilesim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Qualifiers without the kernel API, and what they are asked for.
constexpr const char* kWords =
    "#include <cstdint>\n#include <cstdio>\n#ifndef __global__\n#define __global__\n#define "
    "__vector__\n#endif\n";

// A kernel that says what it was given, once.
std::string Says(const std::string& name, const std::string& words) {
  return "extern \"C\" __global__ __vector__ void " + name + "(int n) { std::printf(\"" + words +
         " %d\\n\", n); }\n";
}

TEST(Cc, MakesAProgramOfAKernelFile) {
  const ScratchFolder folder;
  folder.Write("add.asc", R"(#include "acl/acl.h"
#include "kernel_operator.h"
#include <cstdio>

__global__ __vector__ void add(__gm__ float* x, __gm__ float* z) {
  AscendC::TPipe pipe;
  AscendC::GlobalTensor<float> in, out;
  in.SetGlobalBuffer(x + AscendC::GetBlockIdx() * 64, 64);
  out.SetGlobalBuffer(z + AscendC::GetBlockIdx() * 64, 64);
  AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> queue;
  pipe.InitBuffer(queue, 1, 256);
  auto a = queue.AllocTensor<float>();
  AscendC::DataCopy(a, in, 64);
  queue.EnQue(a);
  a = queue.DeQue<float>();
  AscendC::DataCopy(out, a, 64);
  queue.FreeTensor(a);
}

int main() {
  float host[128];
  for (int i = 0; i < 128; ++i) { host[i] = i; }
  float *x, *z;
  aclrtSetDevice(0);
  aclrtMalloc((void**)&x, sizeof host, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc((void**)&z, sizeof host, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemcpy(x, sizeof host, host, sizeof host, ACL_MEMCPY_HOST_TO_DEVICE);
  add<<<2, 0, nullptr>>>(x, z);
  aclrtSynchronizeStream(nullptr);
  host[100] = 0;
  aclrtMemcpy(host, sizeof host, z, sizeof host, ACL_MEMCPY_DEVICE_TO_HOST);
  std::printf("%g\n", host[100]);
  add<<<4, 0, nullptr>>>(x, z);
  return aclrtSynchronizeStream(nullptr) == 507035 ? 0 : 1;
}
)");
  const ProgramEnd compiled = RunProgram("cc -O0 add.asc -o add", folder.path().string());
  ASSERT_EQ(compiled.code, 0) << compiled.err;
  EXPECT_EQ(compiled.err, "");
  const ProgramEnd end = RunShell("cd " + folder.path().string() + " && ./add");
  EXPECT_EQ(end.out, "100\n");
  EXPECT_EQ(end.code, 3) << end.err;  // blocks 2 and 3 copy from beyond the buffer
  EXPECT_THAT(end.err, HasSubstr("add.asc:13"));
  EXPECT_TRUE(IsProgramOfCc(folder / "add"));
  EXPECT_THAT(RunShell("ldd " + folder / "add").out, Not(HasSubstr("libhwy")));
  // It becomes a command that has rows and files.
  const ProgramEnd rows = RunShell("cd " + folder.path().string() +
                                   " && TILESIM_OPTIONS='--cores 8 --format csv --output out' ./add");
  EXPECT_EQ(rows.code, 3) << rows.err;
  EXPECT_THAT(rows.out, StartsWith("100\nid,op,"));
  EXPECT_THAT(rows.out, HasSubstr("\nadd#1,,,ascend910b2,2,"));
  EXPECT_THAT(rows.out, HasSubstr("\nadd#2,,,ascend910b2,4,"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "out/results.csv"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "out/faults.json"));
  // which itself is none of those programs
  EXPECT_EQ(RunShell("TILESIM_OPTIONS='--format csv' " TILESIM_PROGRAM " --version").code, 0);
}

TEST(Cc, NamesTheUsersOwnLineAndColumn) {
  const ScratchFolder folder;
  folder.Write("a.asc",
               std::string(kWords) + Says("k", "k") + "int main() {\n  k<<<1, 0, nullptr>>>(bad);\n}\n");
  const ProgramEnd end = RunProgram("cc a.asc", folder.path().string());
  EXPECT_EQ(end.code, 2);
  EXPECT_THAT(end.err, HasSubstr("a.asc:9:24: error: "));
  EXPECT_THAT(end.err, HasSubstr("  k<<<1, 0, nullptr>>>(bad);\n"));
  EXPECT_THAT(end.err, Not(HasSubstr("/tmp")));
}

TEST(Cc, SaysWhatThePassSawOfTextThatDoesNotCompile) {
  const ScratchFolder folder;
  folder.Write("a.asc", "void k(int);\nint main() {\n  k<<<1, 0, nullptr(3);\n}\n");
  const ProgramEnd end = RunProgram("cc a.asc", folder.path().string());
  EXPECT_EQ(end.code, 2);
  EXPECT_THAT(end.err, StartsWith("tilesim: a.asc:3: no `>>>(` closes the `<<<` after `k`\na.asc"));
  EXPECT_THAT(RunProgram("cc -std=c++17 a.asc", folder.path().string()).err,
              StartsWith("tilesim: -std=c++17: the simulator's headers need C++20; compiled as c++20\n"
                         "tilesim: a.asc:3: no"));
}

TEST(Cc, LinksSeveralFilesAndTheLaunchFunctionsOfTheirKernels) {
  const ScratchFolder folder;
  folder.Write("main.cpp",
               "#include \"aclrtlaunch_one.h\"\n#include \"two.h\"\n"
               "int main() {\n  if (ACLRT_LAUNCH_KERNEL(one)(1, nullptr, 5) != 0) { return 1; }\n"
               "  two<<<1, 0, nullptr>>>(6);\n  return other();\n}\n");
  folder.Write("two.h", std::string("#pragma once\n") + kWords +
                            "int other();\nextern \"C\" __global__ __vector__ void two(int n);\n");
  folder.Write("one.cpp", std::string(kWords) + Says("one", "one"));
  folder.Write("two.asc", std::string(kWords) + Says("two", "two"));
  folder.Write("other.cc",
               "int other() { const char* text = u8\"as before C++20\"; return text[0] - 'a'; }\n");
  ASSERT_EQ(RunProgram("cc -std=c++17 -c other.cc", folder.path().string()).err, "");
  EXPECT_FALSE(IsProgramOfCc(folder / "other.o"));
  const ProgramEnd compiled =
      RunProgram("cc main.cpp one.cpp two.asc other.o -o all", folder.path().string());
  ASSERT_EQ(compiled.code, 0) << compiled.err;
  const ProgramEnd end = RunShell(folder / "all");
  EXPECT_EQ(end.out, "one 5\ntwo 6\n");
  EXPECT_EQ(end.code, 0) << end.err;
}

TEST(Cc, KnowsTheQualifiersOfAKernelFromItsOwnFile) {
  const ScratchFolder folder;
  folder.Write("main.cpp", "extern \"C\" void k(int n);\nint main() { k<<<1, 0, nullptr>>>(7); }\n");
  folder.Write("k.asc", std::string(kWords) + Says("k", "k"));
  const ProgramEnd compiled = RunProgram("cc main.cpp k.asc -o k", folder.path().string());
  ASSERT_EQ(compiled.code, 0) << compiled.err;
  EXPECT_EQ(RunShell(folder / "k").out, "k 7\n");  // without them it is run on both kinds of cores to see
}

TEST(Cc, MakesALibraryFromADeviceCompilersLine) {
  const ScratchFolder folder;
  folder.Write("k.cpp", std::string(kWords) + Says("k", "k") +
                            "extern \"C\" void run(int n) { k<<<1, 0, nullptr>>>(n); }\n");
  const ProgramEnd compiled = RunProgram(
      "cc -fPIC -shared -xcce -O1 -std=c++17 --npu-arch=dav-2201 --cce-aicore-lang -mllvm -cce-x k.cpp "
      "-lascendcl -o k.so",
      folder.path().string());
  ASSERT_EQ(compiled.code, 0) << compiled.err;
  EXPECT_TRUE(IsProgramOfCc(folder / "k.so"));
  void* const library = dlopen((folder / "k.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  for (const char* const name : {"run", "k", "aclrtlaunch_k", "tilesim_register"}) {
    EXPECT_NE(dlsym(library, name), nullptr) << name;
  }
}

TEST(Cc, RunsAKernelOfAFileWithoutMain) {
  const ScratchFolder folder;
  folder.Write("k.asc", std::string(kWords) +
                            "template <class T, int m> __global__ __vector__ void t(T n) { std::printf(\"t "
                            "%d\\n\", int(n) * m); }\n");
  const ProgramEnd compiled = RunProgram("cc k.asc -o k --kernel 't<int, 3>'", folder.path().string());
  ASSERT_EQ(compiled.code, 0) << compiled.err;
  const ProgramEnd end = RunShell(folder / "k" + " --kernel 't<int, 3>' --blocks 1 --arg n=int32:5");
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_EQ(end.out, "t 15\n");
}

TEST(Cc, MakesTypesNumbersWhereTheBuildOfAnOperatorGivesThem) {
  const ScratchFolder folder;
  folder.Write("operator.asc",
               "#if ORIG_DTYPE_X == DT_FLOAT16 && ORIG_DTYPE_X != DT_BF16 && FORMAT_X == FORMAT_ND\n"
               "int main() {}\n#else\n#error \"other types\"\n#endif\n");
  folder.Write("host.asc", "enum class DataType { DT_FLOAT16, FORMAT_ND };\nint main() {}\n");
  const std::string types = " -DORIG_DTYPE_X=DT_FLOAT16 -DFORMAT_X=FORMAT_ND";
  EXPECT_EQ(RunProgram("cc -fsyntax-only operator.asc" + types, folder.path().string()).code, 0);
  EXPECT_THAT(RunProgram("cc -fsyntax-only operator.asc -DORIG_DTYPE_X=DT_BF16", folder.path().string()).err,
              HasSubstr("other types"));
  EXPECT_EQ(RunProgram("cc -fsyntax-only host.asc", folder.path().string()).code, 0);
  folder.Write("tiling.h", "#include \"tiling/tiling_api.h\"\n");  // enumerators of the same names
  EXPECT_EQ(
      RunProgram("cc -fsyntax-only operator.asc -include tiling.h" + types, folder.path().string()).code, 0);
  folder.Write("itself.asc",
               "#define ORIG_DTYPE_X DT_BF16\n"
               "#if ORIG_DTYPE_X == DT_FLOAT16 || ORIG_DTYPE_X != DT_BF16\n#error \"other types\"\n#endif\n"
               "int main() {}\n");
  EXPECT_EQ(RunProgram("cc -fsyntax-only itself.asc", folder.path().string()).code, 0);
}

TEST(Cc, WritesTheDependenciesOfASource) {
  const ScratchFolder folder;
  folder.Write("a.h", "int a();\n");
  folder.Write("a.cpp", "#include \"a.h\"\nint a() { return 1; }\n");
  ASSERT_EQ(RunProgram("cc -MD -c a.cpp", folder.path().string()).err, "");
  EXPECT_THAT(ReadFile(folder / "a.d"), StartsWith("a.o: a.cpp"));
  EXPECT_THAT(ReadFile(folder / "a.d"), HasSubstr("a.h"));
}

TEST(Cc, WorksWithClang) {
  if (RunShell("clang++ --version").code != 0) {
    GTEST_SKIP() << "no clang++ here";
  }
  const ScratchFolder folder;
  folder.Write("a.asc", std::string(kWords) + "#define DEFINE(name) " + Says("name", "#name") +
                            "DEFINE(k)\n#ifdef NEVER\nint main() { nothing<<<1>>>(1); }\n#else\nint main() { "
                            "k<<<1, 0, nullptr>>>(4); }\n#endif\n");
  const ProgramEnd compiled =
      RunShell("cd " + folder.path().string() + " && CXX=clang++ " TILESIM_PROGRAM " cc -Wall a.asc -o a");
  ASSERT_EQ(compiled.code, 0) << compiled.err;
  EXPECT_EQ(compiled.err, "");
  EXPECT_EQ(RunShell(folder / "a").out, "#name 4\n");
  folder.Write("b.asc", std::string(kWords) + Says("k", "k") + "int main() { k<<<1>>>(\"four\"); }\n");
  const ProgramEnd other =
      RunShell("cd " + folder.path().string() + " && CXX=clang++ " TILESIM_PROGRAM " cc b.asc -o b");
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(
      other.err,
      StartsWith("tilesim: a launch gives its kernel other arguments than the kernel's parameters\n"));
}

// It preprocesses what it is given, and must not do so with text that still has its directives.
TEST(Cc, WorksWithACompilerThatCcacheStarts) {
  if (RunShell("ccache --version").code != 0) {
    GTEST_SKIP() << "no ccache here";
  }
  const ScratchFolder folder;
  folder.Write("a.asc", std::string(kWords) + Says("k", "k") + "int main() { k<<<1, 0, nullptr>>>(4); }\n");
  const ProgramEnd compiled =
      RunShell("cd " + folder.path().string() + " && CCACHE_DIR=" + folder.path().string() +
               "/cache CXX='ccache g++' " TILESIM_PROGRAM " cc a.asc -o a");
  ASSERT_EQ(compiled.code, 0) << compiled.err;
  EXPECT_EQ(RunShell(folder / "a").out, "k 4\n");
}

TEST(Cc, TakesTextWithAnApostropheThatTheCompilerSkips) {
  const ScratchFolder folder;
  folder.Write("skipped.h", "#ifdef NEVER\nThe host side isn't here, nor \"this\n#endif\n");
  folder.Write("a.asc", std::string(kWords) +
                            "#include \"skipped.h\"\n#if 0\nit doesn't matter\n#endif\n#define N 4\n" +
                            Says("k", "k") + "int main() { k<<<1, 0, nullptr>>>(N); }\n");
  const ProgramEnd compiled = RunProgram("cc a.asc -o a", folder.path().string());
  ASSERT_EQ(compiled.code, 0) << compiled.err;
  EXPECT_EQ(RunShell(folder / "a").out, "k 4\n");
  folder.Write("b.asc", "#if 0\nisn't\n#endif\n#error \"this one\"\n");
  const ProgramEnd refused = RunProgram("cc b.asc -o b", folder.path().string());
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("b.asc:4:2: error: #error \"this one\""));
  EXPECT_THAT(refused.err, Not(HasSubstr("unterminated literal")));
}

// A kernel without a name at its launch has the qualifiers of the function that is launched: on a cube core
// the code is told to be one.
TEST(Cc, LaunchesAFunctionAsTheKernelThatItIs) {
  const ScratchFolder folder;
  folder.Write("a.asc", R"(#include "acl/acl.h"
#include "kernel_operator.h"
#include <cstdio>
__global__ __cube__ void cube(int n = 5) { std::printf("%d %s\n", n, g_coreType == AscendC::AIC ? "cube" : "vector"); }
__global__ __vector__ void vector(int n) { std::printf("%d %s\n", n, g_coreType == AscendC::AIC ? "cube" : "vector"); }
#define CFG 1, nullptr, nullptr
template <auto kernel> void ByTemplate() { kernel<<<CFG>>>(2); }
template <class F> void ByArgument(F kernel) { kernel<<<1, nullptr, 0>>>(3); }
int main() {
  void (*list[])(int) = {vector, cube};
  auto f = cube;
  f<<<1, nullptr, nullptr>>>(1);
  ByTemplate<cube>();
  ByArgument(cube);
  list[1]<<<1>>>(4);
  (cube)<<<1>>>();
  list[0]<<<CFG>>>(6);
  return aclrtSynchronizeDevice();
}
)");
  const ProgramEnd compiled = RunProgram("cc -O0 a.asc -o a", folder.path().string());
  ASSERT_EQ(compiled.code, 0) << compiled.err;
  const ProgramEnd rows = RunProgram("run a", folder.path().string());
  EXPECT_THAT(rows.out, AllOf(HasSubstr("\ncube#1 "), HasSubstr("\ncube#4 "), HasSubstr("\nvector#6 ")));
  const ProgramEnd end = RunShell(folder / "a");
  EXPECT_EQ(end.out,
            "[AIC Block 0/1] 1 cube\n[AIC Block 0/1] 2 cube\n[AIC Block 0/1] 3 cube\n"
            "[AIC Block 0/1] 4 cube\n[AIC Block 0/1] 5 cube\n[AIV Block 0/1] 6 vector\n")
      << end.err;
}

TEST(Cc, TellsWhatIsWrongBetweenTheAnglesOfALaunch) {
  const ScratchFolder folder;
  const auto told = [&](const std::string& launch) {
    folder.Write("a.asc", std::string(kWords) + Says("k", "k") +
                              "__global__ __vector__ void by_reference(int& n) {}\nint main() {\n  " +
                              launch + "(3);\n}\n");
    const ProgramEnd end = RunProgram("cc a.asc", folder.path().string());
    EXPECT_EQ(end.code, 2);
    return Lines(end.err).at(0);
  };
  const std::string form = ": a launch is kernel<<<blocks, ub_bytes or nullptr, stream>>>: ";
  EXPECT_EQ(told("k<<<>>>"), "tilesim: a.asc:10: k<<<>>>" + form + "there is no value");
  EXPECT_EQ(told("k<<<1, 0, nullptr, 4, 5>>>"),
            "tilesim: a.asc:10: k<<<1, 0, nullptr, 4, 5>>>" + form + "there are more than three values");
  EXPECT_EQ(told("k<<<\"a\", 0, nullptr>>>"),
            "tilesim: a.asc:10: k<<<\"a\", 0, nullptr>>>" + form + "blocks is no number");
  EXPECT_EQ(told("k<<<1, 2.5f, nullptr>>>"), "tilesim: a.asc:10: k<<<1, 2.5f, nullptr>>>" + form +
                                                 "the second value is no number and no nullptr");
  EXPECT_EQ(told("k<<<1, 0, \"s\">>>"),
            "tilesim: a.asc:10: k<<<1, 0, \"s\">>>" + form + "the third value is no stream");
  EXPECT_EQ(told("by_reference<<<1>>>"),
            "tilesim: a.asc:10: by_reference<<<1>>>: a kernel takes its parameters by value, none by "
            "reference");
}

TEST(Cc, TellsWhyAFunctionIsNoKernel) {
  const ScratchFolder folder;
  const auto told = [&](const std::string& kernel) {
    folder.Write("a.cpp", "#include \"kernel_operator.h\"\n\n" + kernel);
    return RunProgram("cc -c a.cpp -o a.o", folder.path().string());
  };
  const ProgramEnd returns = told("__global__ __vector__ int k(GM_ADDR x) { return 0; }\n");
  EXPECT_EQ(returns.code, 2);
  EXPECT_THAT(returns.err, StartsWith("tilesim: a.cpp:3: a kernel returns void; hand it memory of the device "
                                      "for its result\n"));
  const ProgramEnd launched = told(
      "template <class T> __global__ __vector__ T k(T x) { return x; }\nvoid f() { k<int><<<1>>>(2); }\n");
  EXPECT_THAT(launched.err, StartsWith("tilesim: a.cpp:4: k<int><<<1>>>: a kernel returns void"));
  const ProgramEnd by_reference = told("__global__ __vector__ void k(const int& x) {}\n");
  EXPECT_EQ(by_reference.code, 2);
  EXPECT_THAT(by_reference.err,
              StartsWith("tilesim: a.cpp:3: a kernel takes its parameters by value, none by reference\n"));
  const ProgramEnd both = told("__global__ __vector__ int k(const int& x, int* y) { return 0; }\n");
  EXPECT_THAT(both.err, AllOf(HasSubstr("tilesim: a.cpp:3: a kernel returns void"),
                              HasSubstr("tilesim: a.cpp:3: a kernel takes its parameters by value")));
  const ProgramEnd member =
      told("template <class T>\nclass A {\n public:\n  __global__ __vector__ static void k(T x) {}\n};\n");
  EXPECT_EQ(member.code, 2);
  EXPECT_THAT(member.err,
              AllOf(HasSubstr("a.cpp:6:2: error: #error"),
                    StartsWith("tilesim: a.cpp:6: a kernel (__global__) is no member of a class; ")));
  const ProgramEnd befriended = told(
      "struct A {\n  friend __global__ void k(int x);\n  __aicore__ void g() {}\n};\n"
      "__global__ __vector__ void k(int x) {}\n");
  EXPECT_EQ(befriended.code, 0) << befriended.err;
}

TEST(Cc, TellsTheLineOfACallThatIsNotThereWhereverItIsInstantiated) {
  const ScratchFolder folder;
  folder.Write("n.h", "template <class T>\nvoid Inner(T& x) { AscendC::Neg(x, x, 8L); }\n");
  folder.Write("a.cpp", R"(#include "kernel_operator.h"
#include "n.h"
template <class T>
class Op {
 public:
  __aicore__ void Process() {
    AscendC::LocalTensor<T> x;
    AscendC::Neg(x, x, 8);
    Inner(x);
  }
};
__global__ __vector__ void k(GM_ADDR x) {
  Op<half> op;
  op.Process();
}
)");
  for (const std::string compiler : {"", "CXX=clang++ "}) {
    if (!compiler.empty() && RunShell("clang++ --version").code != 0) {
      continue;
    }
    const ProgramEnd end =
        RunShell("cd " + folder.path().string() + " && " + compiler + TILESIM_PROGRAM " cc -c a.cpp -o a.o");
    EXPECT_EQ(end.code, 2);
    EXPECT_THAT(end.err, HasSubstr("tilesim: a.cpp:8: ")) << compiler;
    EXPECT_THAT(end.err, HasSubstr("n.h:2: Ascend C has Neg")) << compiler;
    EXPECT_THAT(end.err, Not(HasSubstr("tilesim: a.cpp:14: "))) << compiler;
  }
}

TEST(Cc, TakesNamesOfTheSourcesOwnThatThisPartDoesNotHave) {
  const ScratchFolder folder;
  folder.Write("where.h", "inline float Where(bool c, float a, float b) { return c ? a : b; }\n");
  folder.Write("own.cpp", R"(#include "kernel_operator.h"
using namespace AscendC;
#include "where.h"
struct Clamp { float high = 10; };
__global__ __vector__ void k(__gm__ float* x) {
  Clamp clamp;
  *x = Where(*x > 1, clamp.high, 1);
#ifdef OTHER
  LocalTensor<float> a;
  Neg(a, a, 8);
#endif
}
)");
  for (const std::string compiler : {"", "CXX=clang++ "}) {
    if (!compiler.empty() && RunShell("clang++ --version").code != 0) {
      continue;
    }
    const std::string compile =
        "cd " + folder.path().string() + " && " + compiler + TILESIM_PROGRAM " cc -c own.cpp";
    const ProgramEnd own = RunShell(compile);
    EXPECT_EQ(own.code, 0) << compiler << own.err;
    EXPECT_EQ(own.err, "") << compiler;
    const ProgramEnd other = RunShell(compile + " -DOTHER");
    EXPECT_EQ(other.code, 2) << compiler;
    EXPECT_THAT(other.err,
                StartsWith("tilesim: own.cpp:10: Ascend C has Neg, this part (arch 2201) does not\n"))
        << compiler;
    EXPECT_THAT(other.err, Not(HasSubstr("Clamp"))) << compiler;
  }
}

TEST(Cc, RefusesAMatmulOfTransposedNibblesWithOneSentence) {
  const ScratchFolder folder;
  folder.Write("a.cpp", R"(#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using A = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, AscendC::int4b_t, true>;
using C = matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, int32_t>;
__global__ __cube__ void k(GM_ADDR x) { matmul::Matmul<A, A, C> mm; }
)");
  const ProgramEnd end = RunProgram("cc -c a.cpp -o a.o", folder.path().string());
  EXPECT_EQ(end.code, 2);
  EXPECT_THAT(end.err, AllOf(StartsWith("tilesim: a.cpp:5: Matmul: A of int4b_t is not transposed\n"),
                             Not(HasSubstr("Matmul: C is")), Not(HasSubstr("Matmul: A and B are"))));
}

TEST(Cc, MakesTheLaunchFunctionOfAKernelForItsOwnFile) {
  const ScratchFolder folder;
  folder.Write("a.cpp", "#include \"aclrtlaunch_k.h\"\n" + std::string(kWords) + Says("k", "k") +
                            "int main() { return ACLRT_LAUNCH_KERNEL(k)(1, nullptr, 5); }\n");
  const ProgramEnd compiled = RunProgram("cc a.cpp -o a", folder.path().string());
  ASSERT_EQ(compiled.code, 0) << compiled.err;
  EXPECT_EQ(RunShell(folder / "a").out, "k 5\n");
  folder.Write("b.cpp", "#include \"aclrtlaunch_other.h\"\nint main() {}\n");
  EXPECT_THAT(RunProgram("cc b.cpp", folder.path().string()).err,
              HasSubstr("none of its files defines other so"));
}

TEST(Cc, RefusesAFolderForItsFilesThatIsNotThere) {
  const ScratchFolder folder;
  folder.Write("a.asc", "int main() {}\n");
  const ProgramEnd end =
      RunShell("cd " + folder.path().string() + " && TMPDIR=/nonexistent " TILESIM_PROGRAM " cc a.asc");
  EXPECT_EQ(end.code, 2);
  EXPECT_EQ(end.err,
            "tilesim: TMPDIR = '/nonexistent': there is no such folder; make it, or let TMPDIR name one that "
            "can be "
            "written\n");
}

TEST(Cc, TellsALibraryFromAProgram) {
  const ScratchFolder folder;
  folder.Write("k.cpp", std::string(kWords) + Says("k", "k"));
  ASSERT_EQ(RunProgram("cc -shared k.cpp -o k.so", folder.path().string()).code, 0);
  EXPECT_TRUE(IsLibrary(folder / "k.so"));
  EXPECT_FALSE(IsLibrary(TILESIM_PROGRAM));
  EXPECT_FALSE(IsLibrary(folder / "k.cpp"));
  const ProgramEnd end = RunProgram("run k.so", folder.path().string());
  EXPECT_EQ(end.code, 2);
  EXPECT_THAT(end.err, HasSubstr("k.so: is a shared library, which has no main to run"));
}

TEST(Cc, SaysWhichCompilerIsMissing) {
  const ScratchFolder folder;
  folder.Write("a.asc", "int main() {}\n");
  const std::string in_folder = "cd " + folder.path().string() + " && ";
  const ProgramEnd given = RunShell(in_folder + "CXX=no-such-g++ " TILESIM_PROGRAM " cc a.asc");
  EXPECT_EQ(given.code, 2);
  EXPECT_THAT(given.err, HasSubstr("CXX = 'no-such-g++': there is no program 'no-such-g++'"));
  const ProgramEnd none = RunShell(in_folder + "PATH=/nowhere CXX= " TILESIM_PROGRAM " cc a.asc");
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("no C++ compiler is there"));
  EXPECT_THAT(none.err, HasSubstr("apt-get install g++"));
}

TEST(Cc, RefusesWhatItCannotCompile) {
  const ScratchFolder folder;
  EXPECT_THAT(RunProgram("cc none.asc", folder.path().string()).err, HasSubstr("none.asc: no such file"));
  const ProgramEnd arch = RunProgram("cc --npu-arch=dav-3510 none.asc", folder.path().string());
  EXPECT_EQ(arch.code, 2);
  EXPECT_THAT(arch.err, HasSubstr("dav-3510"));
}

TEST(OwnNames, AreThoseThatTheUnitDeclares) {
  const std::string absent = "TILESIM_ABSENT(Clamp)\nTILESIM_ABSENT(Where)\nTILESIM_ABSENT_TYPE(Params)\n";
  EXPECT_THAT(OwnNamesAmongAbsent("struct Clamp {}; float Where(int a);", absent),
              ElementsAre("Clamp", "Where"));
  EXPECT_THAT(OwnNamesAmongAbsent("using Params = int; auto p = Params();", absent), ElementsAre("Params"));
  for (const std::string unit :
       {"float* Clamp(float*);", "const int& Clamp = a;", "std::vector<int> Clamp(int);",
        "namespace a::b { int f() { return 1; } struct alignas(8) Clamp {}; }",
        "extern \"C\" { int Clamp(int); }", "template <class T = int> T Clamp(T);"}) {
    EXPECT_THAT(OwnNamesAmongAbsent(unit, absent), ElementsAre("Clamp")) << unit;
  }
  for (const std::string unit :
       {"int f() { Where(1); g = Clamp(2); return Clamp(3); } int Other;", "int a = b * Clamp(3);",
        "void f() { switch (n) { case Clamp(3): if (not Where(1)) {} } float Clamp = 1; }",
        "void f(int Clamp, float* Where);", "extern \"C\" void f() { int Clamp = 1; }",
        "using AscendC::Clamp;"}) {
    EXPECT_THAT(OwnNamesAmongAbsent(unit, absent), ElementsAre()) << unit;
  }
  EXPECT_THAT(OwnNamesAmongAbsent(
                  "# 1 \"/usr/include/where.h\" 1 3\nstruct Where;\n# 1 \"a.cpp\" 2\nWhere w;", absent),
              ElementsAre());
}

TEST(Cc, KnowsItsProgramsFromOthers) {
  EXPECT_FALSE(IsProgramOfCc("/bin/sh"));
  EXPECT_FALSE(IsProgramOfCc(TILESIM_PROGRAM));
  EXPECT_FALSE(IsProgramOfCc("README.md"));
  EXPECT_FALSE(IsProgramOfCc("no/such/file"));
}

TEST(Toolkit, HasLibrariesThatAreThere) {
  for (const std::filesystem::path& library : FindToolkit().libraries) {
    EXPECT_TRUE(std::filesystem::exists(library)) << library;
  }
}

}  // namespace
}  // namespace tilesim
