// Commands on a user's own file: rows, exit codes and refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "formats/npy.h"
#include "tests/cli/kernel_samples.h"
#include "tests/cli/program.h"
#include "tests/support/json_text.h"

namespace tilesim {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// `tilesim <arguments>` in a folder of its own, with one cache for all tests of a run.
ProgramEnd OnFile(const ScratchFolder& folder, const std::string& arguments) {
  static const ScratchFolder cache;
  return RunShell("cd '" + folder.path().string() + "' && XDG_CACHE_HOME='" + cache.path().string() +
                  "' '" TILESIM_PROGRAM "' " + arguments);
}

TEST(KernelFile, GivesARowALaunchBehindWhatTheProgramPrints) {
  const ScratchFolder folder;
  const ProgramEnd end = OnFile(folder, "run " + kSamples + "add.asc --format json --output out");
  EXPECT_EQ(end.code, 0) << end.err;
  const std::vector<std::string> lines = Lines(end.out);
  ASSERT_EQ(lines.size(), 2U) << end.out;
  EXPECT_EQ(lines[0], "test pass!");
  const nlohmann::json row = ParseJson(lines[1]);
  EXPECT_EQ(row["id"], "add_custom#1");
  EXPECT_EQ(row["verdict"], "ok");
  EXPECT_GT(row["cycles"], 0);
  EXPECT_EQ(ParseJson(ReadFile(folder / "out/faults.json"))[0]["faults"].size(), 0U);
  EXPECT_THAT(ReadFile(folder / "out/results.csv"), HasSubstr("add_custom#1"));
}

TEST(KernelFile, IsStartedOnTheCoresOnWhichItsFirstCallFaults) {
  const ScratchFolder folder;
  folder.Write("n.asc", R"(#include "acl/acl.h"
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void k(GM_ADDR x) {
  GlobalTensor<half> in;
  in.SetGlobalBuffer((__gm__ half*)x, 4096);
  TPipe pipe;
  TQue<TPosition::A1, 1> a;
  pipe.InitBuffer(a, 1, 8192);
  LocalTensor<half> tile = a.AllocTensor<half>();
  DataCopy(tile, in, 4096);
}
int main() {
  aclrtStream stream;
  aclInit(nullptr);
  aclrtSetDevice(0);
  aclrtCreateStream(&stream);
  k<<<1, nullptr, stream>>>(nullptr);
  return aclrtSynchronizeStream(stream) == 507015 ? 0 : 1;
}
)");
  const ProgramEnd end = OnFile(folder, "run n.asc");
  EXPECT_EQ(end.err.find("scalar code only"), std::string::npos) << end.err;
  EXPECT_THAT(end.out + end.err, AllOf(HasSubstr("AIC 0, DataCopy"), HasSubstr("is a null pointer")));
}

TEST(KernelFile, NamesTheInstanceThatATemplateLaunches) {
  const ScratchFolder folder;
  folder.Write("t.asc", R"(#include "acl/acl.h"
#include "kernel_operator.h"
template <class T, int n> __global__ __vector__ void fill(GM_ADDR) { AscendC::PRINTF("%d\n", n); }
template <class T, int n> void Run() { fill<T, n><<<1, nullptr, nullptr>>>(nullptr); }
int main() {
  Run<half, 3>();
  Run<float, 4>();
  fill<half, 5><<<1, nullptr, nullptr>>>(nullptr);
  aclrtSynchronizeStream(nullptr);
}
)");
  const ProgramEnd end = OnFile(folder, "run t.asc --launch 'fill<float, 4>' --quiet");
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_THAT(end.out, HasSubstr("fill<float, 4>#2"));
  EXPECT_THAT(
      OnFile(folder, "run t.asc --quiet").out,
      AllOf(HasSubstr("fill<half, 3>#1"), HasSubstr("fill<float, 4>#2"), HasSubstr("fill<half, 5>#3")));
  EXPECT_THAT(OnFile(folder, "run t.asc --launch fill --quiet").out,
              AllOf(HasSubstr("fill<half, 3>#1"), HasSubstr("fill<half, 5>#3")));
  EXPECT_EQ(OnFile(folder, "run t.asc --launch fil --quiet").code, 2);

  const ProgramEnd no_template = OnFile(folder, "run t.asc --kernel file");
  EXPECT_EQ(no_template.code, 2);
  EXPECT_THAT(no_template.err, HasSubstr("--kernel file: there is none; kernels of t.asc:\n"
                                         "  template <class T, int n> fill\n"));
  const ProgramEnd spoilt = OnFile(folder, "cc -fsyntax-only -DT=3 t.asc");
  EXPECT_EQ(spoilt.code, 2);
  EXPECT_THAT(spoilt.err, StartsWith("tilesim: macro T replaces a name in the simulator's headers"));
  EXPECT_THAT(OnFile(folder, "cc -fsyntax-only -DS=256 t.asc").err,
              StartsWith("tilesim: macro S replaces a name in the simulator's headers"));
}

TEST(KernelFile, IsExplainedTracedAndReportedWithTheCyclesOfItsRow) {
  const ScratchFolder folder;
  const std::string file = kSamples + "add.asc";
  const ProgramEnd run = OnFile(folder, "run " + file + " --format json --quiet");
  const auto cycles = ParseJson(Lines(run.out).at(1))["cycles"].get<int64_t>();
  const ProgramEnd explained = OnFile(folder, "explain " + file + " --format json");
  EXPECT_EQ(ParseJson(Lines(explained.out).at(1))["cycles"].get<int64_t>(), cycles);
  const ProgramEnd traced = OnFile(folder, "trace " + file);
  EXPECT_EQ(traced.code, 0);
  const nlohmann::json trace = ParseJson(traced.out);
  EXPECT_EQ(trace["otherData"]["events_left_out"], 0);
  EXPECT_GT(trace["otherData"]["events"], 0);
  EXPECT_THAT(traced.err, HasSubstr("test pass!"));
  EXPECT_EQ(OnFile(folder, "report " + file + " --output out").code, 0);
  EXPECT_THAT(ReadFile(folder / "out/add.html"), HasSubstr("add_custom#1"));
}

TEST(KernelFile, EndsAsItsKernelOrItsProgramDoes) {
  const ScratchFolder folder;
  const ProgramEnd fault = OnFile(folder, "run " + kSamples + "planted_bug.asc -DFORGET_THE_FLAG");
  EXPECT_EQ(fault.code, 3);
  EXPECT_THAT(fault.out, HasSubstr("needs SetFlag/WaitFlag<MTE2_V> between them"));
  const ProgramEnd wrong = OnFile(folder, "run " + kSamples + "wrong_result.asc");
  EXPECT_EQ(wrong.code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("wrong_result.asc ended with 1, its own exit code\n"));
  folder.Write("ends.asc", R"(#include <csignal>
#include "acl/acl.h"
#include "kernel_operator.h"
__global__ __vector__ void hang() {
  for (volatile int more = 1; more != 0;) { printf(""); }
}
int main(int, char** words) {
  if (words[1][0] == 's') raise(SIGKILL);
  hang<<<1, nullptr, nullptr>>>();
  return aclrtSynchronizeStream(nullptr);
}
)");
  const ProgramEnd hang = OnFile(folder, "run ends.asc --watchdog 1000 -- hang");
  EXPECT_EQ(hang.code, 3);
  EXPECT_THAT(hang.err,
              HasSubstr("ends.asc ended with 155: its main returned 507035, which acl calls return after "
                        "a launch with a fault, and 155 is the last byte of that\n"));
  EXPECT_THAT(OnFile(folder, "run ends.asc -- signal").err,
              HasSubstr("tilesim: ends.asc was ended by signal 9 (Killed)\n"));
}

// A kernel that adds 1 to the first half of x.
const std::string kAddOne = R"(#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __vector__ void add_one(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<float> from, to;
  from.SetGlobalBuffer((__gm__ float*)x, 128);
  to.SetGlobalBuffer((__gm__ float*)y, 128);
  LocalTensor<float> a(TPosition::VECCALC, 0, 64);
  DataCopy(a, from, 64);
  PipeBarrier<PIPE_ALL>();
  Adds(a, a, 1.0f, 64);
  PipeBarrier<PIPE_ALL>();
  DataCopy(to, a, 64);
  PipeBarrier<PIPE_ALL>();
}
)";

TEST(KernelFile, SaysWhereNothingWasCompared) {
  const ScratchFolder folder;
  folder.Write("add_one.asc", kAddOne);
  const std::string run =
      "run add_one.asc --kernel add_one --blocks 1 --arg x=zeros:fp32:64 --arg y=out:fp32:64 ";
  const ProgramEnd ran = OnFile(folder, run + "--output out");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("\n  no output was compared; --expect NAME=FILE does\n"));
  const ProgramEnd fault = OnFile(folder,
                                  "run add_one.asc --kernel add_one --blocks 1 --arg x=zeros:fp32:8 "
                                  "--arg y=out:fp32:64");
  EXPECT_EQ(fault.code, 3) << fault.out;
  EXPECT_THAT(fault.out, testing::Not(HasSubstr("compared")));
  const ProgramEnd compared = OnFile(folder, run + "--expect y=out/y.npy");
  EXPECT_EQ(compared.code, 0) << compared.err;
  EXPECT_THAT(compared.out, testing::Not(HasSubstr("compared")));
}
TEST(KernelFile, TellsOnceOfBytesThatNoCoreHasWritten) {
  const ScratchFolder folder;
  folder.Write("add_one.asc", kAddOne);
  const ProgramEnd alone = OnFile(
      folder, "run add_one.asc --kernel add_one --blocks 1 --arg x=zeros:fp32:128 --arg y=out:fp32:128");
  EXPECT_EQ(alone.err, "tilesim: y: the kernel has not written bytes [256, 512) of 512\n");
  folder.Write("host.asc", "#include \"acl/acl.h\"\n" + kAddOne + R"(
int main() {
  static float host[128];
  void *x, *y;
  aclInit(nullptr);
  aclrtSetDevice(0);
  aclrtMalloc(&x, 512, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc(&y, 512, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemcpy(x, 512, host, 512, ACL_MEMCPY_HOST_TO_DEVICE);
  add_one<<<1, nullptr, nullptr>>>((uint8_t*)x, (uint8_t*)y);
  aclrtSynchronizeStream(nullptr);
  aclrtMemcpy(host, 512, y, 512, ACL_MEMCPY_DEVICE_TO_HOST);
}
)");
  EXPECT_EQ(OnFile(folder, "run host.asc").err,
            "tilesim: add_one#1: GM buffer y: no core has written 256 of its 512 bytes, first [256, 512)\n");
}

// Copies with the types of its two macros.
const std::string kCopyAs = R"(#include "kernel_operator.h"
using namespace AscendC;
__global__ __vector__ void copy(GM_ADDR x, GM_ADDR z, uint32_t count) {
  GlobalTensor<X> xGm;
  GlobalTensor<Z> zGm;
  xGm.SetGlobalBuffer((__gm__ X*)x, count);
  zGm.SetGlobalBuffer((__gm__ Z*)z, count);
  for (uint32_t i = 0; i < count; ++i) zGm.SetValue(i, (Z)xGm.GetValue(i));
  DataCacheCleanAndInvalid<Z, CacheLine::ENTIRE_DATA_CACHE>(zGm);
}
)";

TEST(KernelFile, SaysOnceAnArgumentOfAnotherTypeThanTheKernelTakes) {
  const ScratchFolder folder;
  folder.Write("copy.asc", kCopyAs);
  const auto told = [&](const std::string& types, const std::string& x, const std::string& z) {
    const ProgramEnd end = OnFile(folder, "run copy.asc " + types + " --kernel copy --blocks 1 --arg x=" + x +
                                              ":8 --arg z=out:" + z + ":8 --arg count=int32:8");
    EXPECT_EQ(end.code, 0) << end.err;
    return end.err;
  };
  EXPECT_EQ(
      told("-DX=half -DZ=float", "ones:fp32", "fp32"),
      "tilesim: --arg x: the array is of fp32, the kernel takes its bytes for half, and nothing converts "
      "them; give an array of that type\n");
  EXPECT_EQ(told("-DX=half -DZ=float", "ones:fp16", "int32"),
            "tilesim: --arg z: the array is of int32, the kernel takes its bytes for float, and nothing "
            "converts them; give an array of that type\n");
  EXPECT_EQ(told("-DX=half -DZ=float", "ones:fp16", "fp32"), "");
  EXPECT_EQ(told("-DX=int32_t -DZ=uint32_t", "ones:uint32", "int32"), "");
  EXPECT_EQ(told("-DX=uint8_t -DZ=uint8_t", "ones:fp32", "uint8"), "");  // a copy of bytes
}

// A buffer that nobody writes is told, unless the kernel makes it the workspace of the library or takes its
// own from it.
TEST(KernelFile, TellsNoWorkspaceThatNobodyHasWritten) {
  const ScratchFolder folder;
  folder.Write("fill.asc", R"(#include "acl/acl.h"
#include "kernel_operator.h"
using namespace AscendC;
__global__ __vector__ void fill(GM_ADDR z, GM_ADDR other) {
#ifdef IS_WORKSPACE
  SetSysWorkspace(other + 32);
#endif
#ifdef IS_OF_USER
  GlobalTensor<int32_t> room;
  room.SetGlobalBuffer((__gm__ int32_t*)GetUserWorkspace(other), 16);
#endif
  GlobalTensor<int32_t> zGm;
  zGm.SetGlobalBuffer((__gm__ int32_t*)z, 32);
  zGm.SetValue(GetBlockIdx() * 16, 1);
}
int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  void *z, *other;
  aclrtMalloc(&z, 128, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemset(z, 128, 0, 128);
  aclrtMalloc(&other, 256, ACL_MEM_MALLOC_HUGE_FIRST);
  fill<<<2, nullptr, nullptr>>>((uint8_t*)z, (uint8_t*)other);
  aclrtSynchronizeDevice();
}
)");
  const std::string run = "run fill.asc";
  EXPECT_THAT(OnFile(folder, run).err,
              HasSubstr("GM buffer other: no core has written 256 of its 256 bytes"));
  for (const char* option : {" -DIS_WORKSPACE", " -DIS_OF_USER"}) {
    const ProgramEnd end = OnFile(folder, run + option);
    EXPECT_EQ(end.code, 0) << end.err;
    EXPECT_THAT(end.err, testing::Not(HasSubstr("no core has written"))) << option;
  }
}

TEST(KernelFile, SaysAMissingArgumentAndNothingBeside) {
  const ScratchFolder folder;
  folder.Write("copy.asc", kCopyAs);
  const ProgramEnd end = OnFile(folder,
                                "run copy.asc -DX=half -DZ=float --kernel copy --arg x=ones:fp16:8 "
                                "--arg z=out:fp32:8");
  EXPECT_EQ(end.code, 2);
  EXPECT_EQ(end.err,
            "tilesim: --arg count is missing; the kernel is copy(GM_ADDR x, GM_ADDR z, uint32_t count)\n");
}

// Streams a and b; `argv[1]` says what stands between the two launches that share `y`.
const std::string kTwoStreams = R"(#include <cstring>
#include "acl/acl.h"
#include "kernel_operator.h"
using namespace AscendC;
__global__ __vector__ void copy(GM_ADDR x, GM_ADDR z) {
  GlobalTensor<float> xGm, zGm;
  xGm.SetGlobalBuffer((__gm__ float*)x, 8);
  zGm.SetGlobalBuffer((__gm__ float*)z, 8);
  for (uint32_t i = 0; i < 8; ++i) zGm.SetValue(i, xGm.GetValue(i));
}
int main(int, char** argv) {
  aclInit(nullptr);
  aclrtSetDevice(0);
  void *x, *y, *z;
  for (void** gm : {&x, &y, &z}) {
    aclrtMalloc(gm, 32, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemset(*gm, 32, 0, 32);
  }
  aclrtStream a, b;
  aclrtCreateStream(&a);
  aclrtCreateStream(&b);
  aclrtEvent event;
  aclrtCreateEvent(&event);
  const auto is = [&](const char* what) { return strcmp(argv[1], what) == 0; };
  if (is("late")) aclrtRecordEvent(event, a);
  copy<<<1, nullptr, a>>>((GM_ADDR)x, (GM_ADDR)y);
  if (is("event")) aclrtRecordEvent(event, a);
  if (is("event") || is("late")) aclrtStreamWaitEvent(b, event);
  if (is("stream")) aclrtSynchronizeStream(a);
  if (is("other")) aclrtSynchronizeStream(b);
  if (is("device")) aclrtSynchronizeDevice();
  copy<<<1, nullptr, is("same") ? a : b>>>((GM_ADDR)(is("apart") ? x : y), (GM_ADDR)z);
  return aclrtSynchronizeDevice() == 0 ? 0 : 7;
}
)";

TEST(KernelFile, TellsLaunchesOfTwoStreamsThatMeetAndNothingOrders) {
  const ScratchFolder folder;
  folder.Write("streams.asc", kTwoStreams);
  for (const std::string how : {"nothing", "late", "other"}) {  // the event before the launch orders nothing
    const ProgramEnd end = OnFile(folder, "run streams.asc --output out -- " + how);
    EXPECT_EQ(end.code, 3) << how;
    EXPECT_THAT(end.out,
                HasSubstr("copy, streams.asc:32: [hazard] GM: reads x bytes [0, 32) that launch 1, copy "
                          "(streams.asc:26), writes on another stream, and nothing orders the two: needs "
                          "aclrtRecordEvent behind that one and aclrtStreamWaitEvent before this one, or "
                          "aclrtSynchronizeStream between them"))
        << how;
    const nlohmann::json launches = ParseJson(ReadFile(folder / "out/faults.json"));
    EXPECT_EQ(launches[0]["faults"].size(), 0U);
    EXPECT_EQ(launches[1]["faults"].size(), 1U);
  }
  for (const std::string how : {"event", "stream", "device", "same", "apart"}) {
    const ProgramEnd end = OnFile(folder, "run streams.asc -- " + how);
    EXPECT_EQ(end.code, 0) << how << end.out;
  }
}

// The first of the two is launched where there is no other stream yet, or on the default one, or behind it.
TEST(KernelFile, TellsLaunchesThatMeetWhicheverOfTheirStreamsIsMadeFirst) {
  const ScratchFolder folder;
  const std::string text = kTwoStreams;
  const auto changed = [&](std::string from, const std::string& to, std::string program) {
    const size_t at = program.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return program.replace(at, from.size(), to);
  };
  const std::string first = "copy<<<1, nullptr, a>>>((GM_ADDR)x, (GM_ADDR)y);";
  const std::string make_b = "aclrtCreateStream(&b);";
  const std::string later = changed(first, first + make_b, changed(make_b, "", text));
  const std::string no_a = changed("aclrtCreateStream(&a);", "a = nullptr;", text);
  const std::string no_b = changed(make_b, "b = nullptr;", text);
  const std::string default_first = changed("aclrtCreateStream(&a);", "a = nullptr;", later);
  for (const std::string& program : {later, no_a, no_b, default_first}) {
    folder.Write("streams.asc", program);
    const ProgramEnd met = OnFile(folder, "run streams.asc -- nothing");
    EXPECT_EQ(met.code, 3) << program;
    EXPECT_THAT(met.out, HasSubstr("writes on another stream, and nothing orders the two"));
    const ProgramEnd ordered = OnFile(folder, "run streams.asc -- stream");
    EXPECT_EQ(ordered.code, 0) << program << ordered.out;
  }
}

TEST(KernelFile, ThatCrashesHasARowAndTheFaultInItsFile) {
  const ScratchFolder folder;
  folder.Write("crash.asc",
               "#include \"kernel_operator.h\"\n"
               "__global__ __vector__ void wild(GM_ADDR x) {\n"
               "  if (AscendC::GetBlockIdx() == 1) *(volatile int*)16 = 0;\n"
               "}\n"
               "int main() {\n"
               "  wild<<<2, nullptr, nullptr>>>(nullptr);\n"
               "}\n");
  const ProgramEnd end = OnFile(folder, "run crash.asc --format json --output out");
  EXPECT_EQ(end.code, 3);
  EXPECT_EQ(end.err, "tilesim: crash.asc ended with 3: a launch had a fault\n");
  const nlohmann::json row = ParseJson(end.out);
  EXPECT_EQ(row["id"], "wild#1");
  EXPECT_EQ(row["verdict"], "fault");
  EXPECT_THAT(row["message"],
              HasSubstr("AIV 1, wild, crash.asc:2: [crash] a segmentation fault at address 0x10"));
  const nlohmann::json fault = ParseJson(ReadFile(folder / "out/faults.json"))[0]["faults"][0];
  EXPECT_EQ(fault["kind"], "crash");
  EXPECT_EQ(fault["core"], "AIV 1");
  EXPECT_EQ(fault["text"], row["message"]);
  for (const char* const command : {"explain", "report", "trace"}) {
    const ProgramEnd other = OnFile(folder, std::string(command) + " crash.asc");
    EXPECT_EQ(other.code, 3) << command;
    EXPECT_THAT(other.out + other.err, HasSubstr("a segmentation fault at address 0x10")) << command;
  }
}

TEST(KernelFile, ThatCrashesEndsTheLineThatItsCoreHasBegun) {
  const ScratchFolder folder;
  folder.Write("crash.asc",
               "#include \"kernel_operator.h\"\n"
               "__global__ __vector__ void wild(GM_ADDR x) {\n"
               "  AscendC::printf(\"a line\\nno end\");\n"
               "  if (AscendC::GetBlockIdx() == 1) *(volatile int*)16 = 0;\n"
               "}\n"
               "int main() { wild<<<2, nullptr, nullptr>>>(nullptr); }\n");
  ASSERT_EQ(OnFile(folder, "cc crash.asc -o crash").code, 0);
  // On one thread the cores run in their order.
  const ProgramEnd end = RunShell("TILESIM_OPTIONS='--threads 1' " + (folder / "crash"));
  EXPECT_EQ(end.code, 3);
  EXPECT_EQ(end.out,
            "[AIV Block 0/2] a line\n[AIV Block 0/2] no end\n"
            "[AIV Block 1/2] a line\n[AIV Block 1/2] no end\n");
  EXPECT_THAT(end.err, StartsWith("tilesim: wild on AIV 1: a segmentation fault at address 0x10"));
}

TEST(KernelFile, IsNamedByItsFunctionWhereTheNameOfALaunchIsThatOfAnother) {
  const ScratchFolder folder;
  folder.Write("names.asc",
               "#include \"kernel_operator.h\"\n"
               "__global__ __vector__ void kb(int x) {}\n"
               "namespace ns {\n__global__ __vector__ void kb(int x) {}\n}\n"
               "int main() {\n"
               "  kb<<<1>>>(3);\n"
               "  { auto kb = ns::kb; kb<<<1>>>(3); }\n"
               "}\n");
  const ProgramEnd end = OnFile(folder, "run names.asc");
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_THAT(end.out, AllOf(HasSubstr("\nkb#1 "), HasSubstr("\nns::kb#2 ")));
}

TEST(KernelFile, AProgramWithAMainOfItsOwnTakesNoKernelFromTheCommandLine) {
  const ScratchFolder folder;
  ASSERT_EQ(OnFile(folder, "cc " + kSamples + "tiled_sum.asc -o sum").code, 0);
  const ProgramEnd end = OnFile(folder, "run ./sum --kernel sum --blocks 4");
  EXPECT_EQ(end.code, 2);
  EXPECT_THAT(end.err,
              testing::HasSubstr("tilesim: --kernel: the program has a main of its own, which launches its "
                                 "kernels; leave out --kernel, --arg and --blocks"));
  EXPECT_EQ(OnFile(folder, "run ./sum").code, 0);
  const ProgramEnd waves = OnFile(folder, "run ./sum --cores 1 --format json");
  EXPECT_EQ(ParseJson(Lines(waves.out).back())["cores"], 2)
      << waves.out;  // vector cores, for blocks in waves
  const ProgramEnd option = OnFile(folder, "run ./sum --threads 0");
  EXPECT_EQ(option.code, 2);
  EXPECT_THAT(option.err,
              testing::StartsWith("tilesim: --threads = '0': must be a whole number of 1 to 1024"));
}

TEST(KernelFile, WithoutMainIsLaunchedFromTheCommandLine) {
  const ScratchFolder folder;
  const std::string axpy = "run " + kSamples +
                           "axpy.cpp --kernel axpy --blocks 4 --arg x=arange:fp32:4096 --arg "
                           "y=ones:fp32:4096 --arg z=out:fp32:4096 "
                           "--arg workspace=workspace:64 --output out ";
  const ProgramEnd end = OnFile(
      folder, axpy +
                  "--arg 'tiling=struct:{\"count\":4096,\"tile\":{\"length\":256,\"buffers\":2},\"a\":3,"
                  "\"spare\":[7,8]}'");
  EXPECT_EQ(end.code, 0) << end.err;
  const std::vector<double> z = ReadNpyDoubles(folder / "out/z.npy", std::vector<int64_t>{4096});
  for (size_t i = 0; i < z.size(); ++i) {
    ASSERT_EQ(z[i], 3.0 * static_cast<double>(i) + 1) << i;
  }
  const std::string in_place =
      "run " + kSamples +
      "axpy.cpp --kernel axpy --blocks 4 --arg x=arange:fp32:4096 --arg z=same:y --arg y=inout:out/z.npy "
      "--arg workspace=workspace:64 --output in_place --arg "
      "'tiling=struct:{\"count\":4096,\"tile\":{\"length\":256,\"buffers\":2},\"a\":3,\"spare\":[7,8]}' ";
  ASSERT_EQ(OnFile(folder, in_place).code, 0);
  const std::vector<double> y = ReadNpyDoubles(folder / "in_place/y.npy", std::vector<int64_t>{4096});
  for (size_t i = 0; i < y.size(); ++i) {
    ASSERT_EQ(y[i], 6.0 * static_cast<double>(i) + 1) << i;
  }
  const ProgramEnd none = OnFile(folder, axpy + "--arg tiling=same:q");
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("--arg tiling: there is no parameter 'q'; the kernel is axpy("));
  EXPECT_THAT(OnFile(folder, axpy + "--arg tiling=same:tiling").err,
              HasSubstr("'tiling' is given another parameter's memory itself; name that one"));
  const ProgramEnd missing = OnFile(folder, axpy + "--arg 'tiling=struct:{\"count\":4096}'");
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.err,
              HasSubstr("fields tile, a, spare have no value, or not all of their elements have one"));
}

TEST(KernelFile, SeesStoresThroughPlainPointers) {
  const ScratchFolder folder;
  folder.Write("count.cpp",
               "#include \"kernel_operator.h\"\n"
               "extern \"C\" __global__ __vector__ void count(__gm__ int32_t* y, int32_t n) {\n"
               "  for (int32_t i = 0; i < n; ++i) { y[i] = i; }\n}\n");
  const std::string run =
      "run count.cpp --kernel count --blocks 1 --arg y=out:int32:100 --output out --arg n=int32:";
  EXPECT_EQ(OnFile(folder, run + "100").err, "");
  EXPECT_EQ(ReadNpyDoubles(folder / "out/y.npy", std::vector<int64_t>{100})[99], 99);
  EXPECT_THAT(OnFile(folder, run + "90").err,
              HasSubstr("y: the kernel has not written bytes [360, 400) of 400"));
}

TEST(KernelFile, GivesOthersTheirTurnWhereACoreWaitsInALoop) {
  const ScratchFolder folder;
  folder.Write("poll.cpp",
               "#include \"kernel_operator.h\"\nusing namespace AscendC;\n"
               "extern \"C\" __global__ __aicore__ void poll(GM_ADDR f, GM_ADDR y) {\n"
               "  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);\n"
               "  TPipe pipe; TBuf<> b; pipe.InitBuffer(b, 64); auto l = b.Get<int32_t>();\n"
               "  GlobalTensor<int32_t> fg; fg.SetGlobalBuffer((__gm__ int32_t*)f);\n"
               "  GlobalTensor<int32_t> yg; yg.SetGlobalBuffer((__gm__ int32_t*)y);\n"
               "  if (GetBlockIdx() == 1) {\n"
               "    Duplicate(l, 7, 8); PipeBarrier<PIPE_ALL>(); DataCopy(fg, l, 8);\n"
               "  } else {\n"
               "    do { DataCopy(l, fg, 8); PipeBarrier<PIPE_ALL>(); } while (l.GetValue(0) != 7);\n"
               "    DataCopy(yg, l, 8);\n  }\n}\n");
  for (const std::string threads : {"1", "2"}) {
    const ProgramEnd end =
        OnFile(folder,
               "run poll.cpp --kernel poll --blocks 2 --arg f=zeros:int32:8 --arg y=out:int32:8 --output out "
               "--format json --threads " +
                   threads);
    EXPECT_THAT(end.out, testing::Not(HasSubstr("deadlock"))) << threads;
    EXPECT_LT(ParseJson(Lines(end.out).back())["cycles"], 100'000) << threads;
    EXPECT_EQ(ReadNpyDoubles(folder / "out/y.npy", std::vector<int64_t>{8})[0], 7) << threads;
  }
}

TEST(KernelFile, LaunchesAKernelInPlaceOfTheMainOfTheFile) {
  const ScratchFolder folder;
  std::vector<float> x(64);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i) - 32;
  }
  folder.Write("x.bin", std::string(reinterpret_cast<const char*>(x.data()), x.size() * sizeof(float)));
  const ProgramEnd end =
      OnFile(folder, "run " + kSamples +
                         "planted_bug.asc --kernel absolute --blocks 1 --arg x=x.bin:fp32:64 "
                         "--arg y=out:fp32:64 --arg count=int32:64 --output out");
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_THAT(end.out, testing::Not(HasSubstr("test pass!")));
  const std::vector<double> y = ReadNpyDoubles(folder / "out/y.npy", std::vector<int64_t>{64});
  for (size_t i = 0; i < y.size(); ++i) {
    EXPECT_EQ(y[i], std::abs(x[i])) << i;
  }
}

TEST(KernelFile, ListsTheKernelsOfAFile) {
  const ScratchFolder folder;
  const ProgramEnd end = OnFile(folder, "list kernels " + kSamples + "axpy.cpp --format json");
  EXPECT_EQ(end.code, 0) << end.err;
  const nlohmann::json row = ParseJson(end.out);
  EXPECT_EQ(row["kernel"], "axpy");
  EXPECT_EQ(row["parameters"], "x,y,z,workspace,tiling");
  EXPECT_THAT(row["signature"].get<std::string>(), HasSubstr("axpy(GM_ADDR x, "));
  EXPECT_THAT(row["where"].get<std::string>(), HasSubstr("axpy.cpp:19"));
  for (const auto& [arguments, words] : {std::pair("list kernels", "name the source"),
                                         std::pair("list kernels none.asc", "none.asc: no such source"),
                                         std::pair("list kernels a.asc -- 1", "runs no program"),
                                         std::pair("list socs -DTILE=1", "unexpected argument '-DTILE=1'")}) {
    const ProgramEnd refused = OnFile(folder, arguments);
    EXPECT_EQ(refused.code, 2) << arguments;
    EXPECT_THAT(refused.err, HasSubstr(words)) << arguments;
  }
}

TEST(KernelFile, OfWhichThereIsNothingToSayIsTold) {
  const ScratchFolder folder;
  folder.Write("none.cpp", "int main() { return 4; }\n");
  folder.Write("idle.asc", R"(#include "acl/acl.h"
#include "kernel_operator.h"
__global__ __vector__ void idle(int) {}
int main() { idle<<<1, nullptr, nullptr>>>(1); return aclrtSynchronizeStream(nullptr); }
)");
  for (const std::string command : {"run", "explain", "trace", "report --output out"}) {
    const ProgramEnd end = OnFile(folder, command + " none.cpp");
    EXPECT_EQ(end.code, 4) << command;
    EXPECT_THAT(end.err,
                HasSubstr("none.cpp launched no kernel\ntilesim: none.cpp ended with 4, its own exit code\n"))
        << command;
    EXPECT_EQ(OnFile(folder, command + " none.cpp --quiet").err, "") << command;
  }
  folder.Write("done.cpp", "int main() { return 0; }\n");
  const ProgramEnd traced = OnFile(folder, "trace done.cpp --quiet");
  EXPECT_EQ(traced.code, 2);
  EXPECT_THAT(traced.err, HasSubstr("trace: 0 launches, of which standard output takes one"));
  const ProgramEnd idle = OnFile(folder, "explain idle.asc");
  EXPECT_EQ(idle.code, 0);
  EXPECT_THAT(idle.err, HasSubstr("idle#1: no instruction takes time, so there is nothing to explain"));
}

TEST(KernelFile, RefusesWhatItCannotRun) {
  const ScratchFolder folder;
  folder.Write("notes.txt", "no kernel");
  const std::pair<const char*, const char*> kRefused[] = {
      {"run none.asc", "none.asc: no such file"},
      {"run notes.txt", "is neither a source with kernels"},
      {"run --kernel add", "--kernel: is for a kernel file; name it: tilesim run add.asc --kernel"},
      {"run -DTILE=1", "is for a kernel file; name it"},
      {"run a.asc --pad 1", "--pad: is for cases of operators"},
      {"run a.asc --planner op", "--planner: is for cases of operators"},
      {"run a.asc --mode slow", "--mode = 'slow'"},  // before it is looked for
      {"explain a.asc --threads 0", "--threads = '0': must be a whole number of 1 to 1024"},
      {"run a.asc --watchdog -1",
       "--watchdog = '-1': must be a whole number, at least 0; the default is 4000000"},
      {"run a.asc --kernel k --arg x", "--arg = 'x': must be NAME=VALUE"},
      {"run a.asc --kernel k -- word",
       "'word' behind --: is for the file's main, which --kernel does not call"},
      {"run a.asc --arg x=int32:1", "--arg: is for a kernel that this command line launches"},
      {"run a.asc --kernel k --arg 't=struct:{'", "is no JSON"},
      {"run a.asc --kernel k --arg 't=struct:{\"a\":\"b\"}'", "field a is \"b\""},
  };
  for (const auto& [arguments, words] : kRefused) {
    const ProgramEnd end = OnFile(folder, arguments);
    EXPECT_EQ(end.code, 2) << arguments;
    EXPECT_THAT(end.err, HasSubstr(words)) << arguments;
  }
  const ProgramEnd launch = OnFile(folder, "run " + kSamples + "add.asc --launch 7");
  EXPECT_EQ(launch.code, 2);
  EXPECT_THAT(launch.err, HasSubstr("its launches: add_custom#1"));
}

}  // namespace
}  // namespace tilesim
