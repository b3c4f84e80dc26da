// `tilesim tune FILE`: what is varied, what wins, what is kept, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/cc/process.h"
#include "cli/tune_file/macro_names.h"
#include "cli/tune_file/search_order.h"
#include "tests/cli/child.h"
#include "tests/cli/kernel_samples.h"
#include "tests/cli/program.h"
#include "tests/support/json_text.h"

namespace tilesim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::string kSum = "tune " + kSamples + "tiled_sum.asc --format json ";

// y = 2 x on one core, COUNT elements at a time as the struct says or, without, 64; `extra` more elements are
// computed. Without main.
const char* const kScale = R"(
#include "kernel_operator.h"
#include "folder/more.h"
struct ScaleTiling {
  uint32_t total;
  struct { uint32_t length; } tile;
  uint32_t spare[2];
};
__global__ __vector__ void scale(GM_ADDR x, GM_ADDR y, uint32_t extra, ScaleTiling tiling) {
  AscendC::GlobalTensor<float> from, to;
  from.SetGlobalBuffer((__gm__ float*)x, tiling.total);
  to.SetGlobalBuffer((__gm__ float*)y, tiling.total);
  AscendC::TPipe pipe;
  AscendC::TQue<AscendC::TPosition::VECIN, 1> in;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out;
  pipe.InitBuffer(in, NUM_BUFFERS, tiling.tile.length * sizeof(float));
  pipe.InitBuffer(out, NUM_BUFFERS, tiling.tile.length * sizeof(float));
  for (uint32_t at = 0; at < tiling.total + extra; at += tiling.tile.length) {
    auto a = in.AllocTensor<float>();
    AscendC::DataCopy(a, from[at], tiling.tile.length);
    in.EnQue(a);
    a = in.DeQue<float>();
    auto b = out.AllocTensor<float>();
    AscendC::Muls(b, a, 2.0f, tiling.tile.length);
    in.FreeTensor(a);
    out.EnQue(b);
    b = out.DeQue<float>();
    AscendC::DataCopy(to[at], b, tiling.tile.length);
    out.FreeTensor(b);
  }
}
)";
const std::string kScaleCall =
    "tune scale.asc --kernel scale --blocks 1 --arg x=ones:fp32:1024 --arg y=out:fp32:1024 --arg "
    "extra=uint32:0 --arg 'tiling=struct:{\"total\":1024,\"tile\":{\"length\":64},\"spare\":[0,0]}' --format "
    "json ";

class TuneFile : public testing::Test {
 protected:
  TuneFile() {
    static const ScratchFolder cache;  // one for all tests of a process
    setenv("XDG_CACHE_HOME", cache.path().c_str(), 1);
    folder_.Write("scale.asc", kScale);
    std::filesystem::create_directory(folder_ / "folder");
    folder_.Write("folder/more.h",
                  "#ifndef MORE_H\n#define MORE_H\n#define NUM_BUFFERS STAGES\n"
                  "#ifndef STAGES\n#define STAGES 1\n#endif\n#define FIXED 3\n"
                  "// a comment names COMMENTED\n#endif\n");
  }
  [[nodiscard]] ProgramEnd Run(const std::string& arguments) const {
    return RunProgram(arguments, folder_.path().string());
  }
  // The rows of a run in JSON.
  static std::vector<nlohmann::json> Rows(const ProgramEnd& end) {
    std::vector<nlohmann::json> rows;
    for (const std::string& line : Lines(end.out)) {
      rows.push_back(ParseJson(line));
    }
    return rows;
  }
  static std::map<std::string, std::string> Verdicts(const ProgramEnd& end, const std::string& name) {
    std::map<std::string, std::string> verdicts;
    for (const nlohmann::json& row : Rows(end)) {
      verdicts[Dump(row[name])] = row["verdict"];
    }
    return verdicts;
  }
  // tiled_sum.asc with each text replaced by another.
  static std::string SumWith(const std::vector<std::pair<std::string, std::string>>& changes) {
    std::string text = "#include <unistd.h>\n#include <csignal>\n" + ReadFile(kSamples + "tiled_sum.asc");
    for (const auto& [from, to] : changes) {
      text.replace(text.find(from), from.size(), to);
    }
    return text;
  }
  ScratchFolder folder_;
};

TEST_F(TuneFile, PrintsARowACombinationBestFirst) {
  const ProgramEnd end = Run(kSum + "--vary TILE=64,512 --vary BUFFERS=1,2 --output out");
  EXPECT_EQ(end.code, 0) << end.err;
  const std::vector<nlohmann::json> rows = Rows(end);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_TRUE(std::ranges::is_sorted(rows, {},
                                     [](const auto& row) { return row["time_us"].template get<double>(); }));
  EXPECT_EQ(rows[0]["TILE"], 512);
  EXPECT_EQ(rows[0]["BUFFERS"], 2);
  EXPECT_EQ(rows[0]["role"], "best");
  EXPECT_EQ(rows[0]["verdict"], "ok");
  EXPECT_EQ(rows[0]["hazards"], 0);
  EXPECT_EQ(rows[3]["role"], "first values");
  EXPECT_GT(rows[0]["lower_bound_us"], 0);
  EXPECT_LT(rows[0]["lower_bound_us"], rows[0]["time_us"]);
  // of the others the best three were run in full, the first values before them
  EXPECT_EQ(rows[2]["verdict"], "ok");
  EXPECT_THAT(end.err, HasSubstr("TILE is -DTILE\n"));
  EXPECT_THAT(end.err, HasSubstr("the search times the kernel without computing its results"));
  EXPECT_THAT(end.err, HasSubstr("4 of 4 combinations were tried; the best is TILE=512 BUFFERS=2"));
  EXPECT_THAT(
      end.err,
      HasSubstr(
          "us at least. Compared were the 4 that were tried, by their simulated time; values that --vary "
          "does not name may be faster\n"));
  EXPECT_EQ(Lines(ReadFile(folder_ / "out/tuned.csv")).size(), 5U);
  // the same as the run of the one combination
  const ProgramEnd run = Run("run " + kSamples + "tiled_sum.asc -DTILE=512 -DBUFFERS=2 --format json");
  const nlohmann::json alone = ParseJson(Lines(run.out).back());
  EXPECT_EQ(alone["cycles"], rows[0]["cycles"]);
  EXPECT_EQ(alone["gm_read_bytes"].get<int64_t>() + alone["gm_write_bytes"].get<int64_t>(),
            rows[0]["gm_bytes"]);
}

TEST_F(TuneFile, VariesWhatANameStandsForFirst) {
  // a macro that #ifndef asks for in an included file; FIXED stands for nothing else
  const ProgramEnd macro = Run(kScaleCall + "--vary STAGES=1,2");
  EXPECT_THAT(macro.err, HasSubstr("STAGES is -DSTAGES\n"));
  EXPECT_NE(Rows(macro)[0]["cycles"], Rows(macro)[1]["cycles"]) << macro.err;
  // a scalar: 64 elements more than there are are a fault
  const ProgramEnd scalar = Run(kScaleCall + "--vary extra=0,64");
  EXPECT_THAT(scalar.err, HasSubstr("extra is --arg extra\n"));
  EXPECT_EQ(Verdicts(scalar, "extra"), (std::map<std::string, std::string>{{"0", "ok"}, {"64", "fault"}}));
  // fields by their end and by their whole name, an element of an array
  for (const std::string name : {"length", "tile.length", "tiling.tile.length"}) {
    const ProgramEnd field = Run(kScaleCall + "--vary " + name + "=64,256");
    EXPECT_THAT(field.err, HasSubstr(name + " is field tile.length of --arg tiling\n"));
    EXPECT_EQ(Rows(field)[0][name], 256) << field.err;
  }
  EXPECT_THAT(Run(kScaleCall + "--vary 'spare[1]=0,8'").err,
              HasSubstr("spare[1] is field spare[1] of --arg tiling\n"));
  // a word
  const ProgramEnd word = Run(kSum + "--vary BLOCKS=4,8 -- '{BLOCKS}'");
  EXPECT_THAT(word.err, HasSubstr("BLOCKS is {BLOCKS} behind --\n"));
  EXPECT_EQ(Rows(word)[0]["BLOCKS"], 8);
  // -D comes before an argument, and an argument before a field
  EXPECT_THAT(Run(kScaleCall + "-Dextra=extra --vary extra=extra,total").err,
              HasSubstr("extra is -Dextra\n"));
  EXPECT_THAT(Run(kSum + "--vary TILE=64,128 -- '{TILE}'").err, HasSubstr("TILE is -DTILE\n"));
}

TEST_F(TuneFile, AValueOfTheCommandLineGivesWay) {
  const ProgramEnd end = Run(kSum + "-DTILE=4 -D BUFFERS=2 --vary TILE=512 --vary BUFFERS=1");
  ASSERT_EQ(end.code, 0) << end.err;
  const ProgramEnd run = Run("run " + kSamples + "tiled_sum.asc -DTILE=512 --format json");
  EXPECT_EQ(Rows(end)[0]["cycles"], ParseJson(Lines(run.out).back())["cycles"]);
}

TEST_F(TuneFile, WhatIsWrongNeverWins) {
  // 2560 leaves a rest of a block's 4096 elements: quicker than 64 by what it does not do, the program finds
  // it wrong; 40000 are 160000 bytes of each of two buffers, which do not fit; `no` does not compile
  const ProgramEnd end = Run(kSum + "--budget 20runs --vary TILE=64,2560,40000,no");
  EXPECT_EQ(end.code, 0) << end.err;
  const std::vector<nlohmann::json> rows = Rows(end);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0]["TILE"], 64);
  EXPECT_EQ(rows[0]["role"], "best, first values");
  EXPECT_EQ(rows[1]["verdict"], "mismatch");
  EXPECT_LT(rows[1]["time_us"], rows[0]["time_us"]);
  EXPECT_THAT(rows[1]["message"].get<std::string>(),
              HasSubstr("ended with 1; element 2560 is -2.6712e+07, expected 128"));
  EXPECT_EQ(rows[2]["verdict"], "fault");
  EXPECT_THAT(rows[2]["message"].get<std::string>(), HasSubstr("over capacity"));
  EXPECT_EQ(rows[3]["verdict"], "not_compiled");
  EXPECT_THAT(rows[3]["message"].get<std::string>(), HasSubstr("was not declared in this scope"));
  EXPECT_TRUE(rows[3]["cycles"].is_null());
}

TEST(ProcessEnd, TellsASignalFromAnExitCode) {
  const ProcessEnd exited = RunProcess({"sh", "-c", "exit 143"}, {.keep = Keep::kErr});
  EXPECT_EQ(exited.code, 143);
  EXPECT_EQ(exited.signal, std::nullopt);
  const ProcessEnd killed = RunProcess({"sh", "-c", "kill -15 $$"}, {.keep = Keep::kErr});
  EXPECT_EQ(killed.code, 143);
  EXPECT_EQ(killed.signal, 15);
}

TEST_F(TuneFile, ASignalIsNoExitCode) {
  folder_.Write("minus.asc", SumWith({{"  return 1;", "  return -1;"},
                                      {"  aclInit(nullptr);",
                                       "  std::atexit([] { if (TILE == 1024) std::raise(15); });"
                                       "\n  aclInit(nullptr);"}}));
  const ProgramEnd end = Run("tune minus.asc --budget 20runs --format json --vary TILE=64,512,2560,1024");
  EXPECT_EQ(end.code, 0) << end.err;
  // without values the host returns -1, whatever TILE is; in full it does where the result is wrong
  EXPECT_THAT(end.err, HasSubstr("the search times the kernel without computing its results"));
  EXPECT_EQ(Verdicts(end, "TILE"),
            (std::map<std::string, std::string>{
                {"64", "ok"}, {"512", "ok"}, {"2560", "mismatch"}, {"1024", "fault"}}));
  EXPECT_EQ(Rows(end)[0]["TILE"], 512);
  EXPECT_THAT(end.out, HasSubstr("ended with 255; element 2560 is -2.6712e+07, expected 128"));
  EXPECT_THAT(end.out, HasSubstr("signal 15 ended the program"));
}

TEST_F(TuneFile, AnotherNumberOfLaunchesIsNotTakenOnTrust) {
  // the second launch does again what the first one did, crashes, or is left out: with a right result, or not
  const std::string launch = "  tiled_sum<<<blocks, nullptr, nullptr>>>(from, to);\n";
  folder_.Write("twice.asc",
                SumWith({{"  const uint32_t share",
                          "  if (AscendC::GetBlockNum() == 1) { *(volatile int*)16 = 0; }\n"
                          "  const uint32_t share"},
                         {launch, launch +
                                      "  aclrtSynchronizeDevice();\n#if KIND == 1\n"
                                      "  tiled_sum<<<1, nullptr, nullptr>>>(from, to);\n"
                                      "#elif KIND == 2\n  return 0;\n#elif KIND == 3\n  return 7;\n#else\n" +
                                      launch + "#endif\n"}}));
  const ProgramEnd end = Run("tune twice.asc -DTILE=512 --budget 20runs --format json --vary KIND=0,1,2,3");
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_THAT(end.err, HasSubstr("the search times the kernel without computing its results"));
  EXPECT_EQ(Verdicts(end, "KIND"), (std::map<std::string, std::string>{
                                       {"0", "ok"}, {"1", "fault"}, {"2", "ok"}, {"3", "mismatch"}}));
  std::map<std::string, std::string> messages;
  for (const nlohmann::json& row : Rows(end)) {
    messages[Dump(row["KIND"])] = row["message"];
  }
  EXPECT_EQ(messages["0"], "");
  EXPECT_THAT(messages["1"],
              ::testing::AllOf(
                  HasSubstr("AIV 0, tiled_sum, twice.asc:23: [crash] a segmentation fault at address 0x10"),
                  HasSubstr("before its first API call")));
  EXPECT_EQ(messages["2"], "1 launch without computing results, the first values have 2: run in full");
  EXPECT_EQ(messages["3"],
            "ended with 7 (1 launch without computing results, the first values have 2: run in full)");
}

TEST_F(TuneFile, ACombinationThatBranchesOnAComputedValueShowsThatValuesMatter) {
  // Tiles of 512 do more where what was loaded is not 0: without values they look better than those of 256.
  folder_.Write("branches.asc", SumWith({{"    in.EnQue(numbers);\n",
                                          "    if (TILE == 512) {\n"
                                          "      AscendC::SetFlag<AscendC::HardEvent::MTE2_S>(0);\n"
                                          "      AscendC::WaitFlag<AscendC::HardEvent::MTE2_S>(0);\n"
                                          "      for (int i = 0; numbers.GetValue(1) != 0 && i < 64; ++i) {\n"
                                          "        AscendC::DataCopy(numbers, from[at], TILE + 8);\n"
                                          "        AscendC::PipeBarrier<PIPE_ALL>();\n"
                                          "      }\n"
                                          "    }\n"
                                          "    in.EnQue(numbers);\n"}}));
  const std::string tune =
      "tune branches.asc --format json --kb-out tried --budget 100runs --vary TILE=64,256,512,128,1024,2048";
  const ProgramEnd end = Run(tune);
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_THAT(end.err, HasSubstr("the search times the kernel without computing its results"));
  EXPECT_THAT(end.err, HasSubstr("the computed results change the time: TILE=512 takes "));
  EXPECT_THAT(end.err, HasSubstr("; all that were tried are run in full now\n"));
  const std::map<std::string, std::string> verdicts = Verdicts(end, "TILE");
  EXPECT_EQ(std::ranges::count(verdicts, "ok", [](const auto& one) { return one.second; }), 6) << end.out;
  EXPECT_NE(Rows(end)[0]["TILE"], 512);
  const ProgramEnd again = Run(tune);  // what was found out is kept, too
  EXPECT_THAT(again.err, Not(HasSubstr("without computing its results")));
  EXPECT_EQ(again.out, end.out);
}

TEST_F(TuneFile, AProgramThatIsGoneFromTheCacheIsMadeAgain) {
  folder_.Write("gone.asc", SumWith({{"  aclInit(nullptr);",
                                      "  char self[4096] = {};\n"
                                      "  if (blocks == 4 && std::remove(\"once\") == 0 &&\n"
                                      "      readlink(\"/proc/self/exe\", self, sizeof(self) - 1) > 0) {\n"
                                      "    std::remove(self);\n"
                                      "  }\n"
                                      "  aclInit(nullptr);"}}));
  folder_.Write("once", "");
  const ProgramEnd end = Run("tune gone.asc -DTILE=512 --format json --vary N=8,4 -- '{N}'");
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "once"));
  EXPECT_EQ(Verdicts(end, "N"), (std::map<std::string, std::string>{{"8", "ok"}, {"4", "ok"}})) << end.out;
}

TEST_F(TuneFile, AHazardNeverWins) {
  folder_.Write("bug.asc", ReadFile(kSamples + "planted_bug.asc") + "\n#if defined(KIND)\n#endif\n");
  std::string text = ReadFile(folder_ / "bug.asc");
  text.replace(text.find("#ifndef FORGET_THE_FLAG"), 23, "#if !defined(KIND) || KIND == 0");
  folder_.Write("bug.asc", text);
  const ProgramEnd end = Run("tune bug.asc --format json --vary KIND=0,1");
  EXPECT_EQ(end.code, 0) << end.err;
  const std::vector<nlohmann::json> rows = Rows(end);
  EXPECT_EQ(rows[0]["role"], "best, first values");
  EXPECT_EQ(rows[1]["verdict"], "hazard");
  EXPECT_GT(rows[1]["hazards"], 0);
}

TEST_F(TuneFile, AWrongDefaultIsSaidAndARightOneFound) {
  const ProgramEnd wrong = Run("tune " + kSamples + "wrong_result.asc --format json --vary TILE=8,16");
  EXPECT_EQ(wrong.code, 0) << wrong.err;
  EXPECT_EQ(Rows(wrong)[0]["TILE"], 16);
  EXPECT_EQ(Rows(wrong)[1]["role"], "first values");
  EXPECT_THAT(wrong.err, HasSubstr("(the first values, TILE=8, are no answer: mismatch)"));
  const ProgramEnd fault = Run(kScaleCall + "--vary extra=64,0");
  EXPECT_EQ(fault.code, 0) << fault.err;
  EXPECT_EQ(Rows(fault)[0]["extra"], 0);
  EXPECT_THAT(fault.err, HasSubstr("the first values, extra=64, do not show whether it may be timed without "
                                   "computing results; their own "
                                   "verdict is fault\n"));
  const ProgramEnd none = Run(kScaleCall + "--vary extra=64,128");
  EXPECT_EQ(none.code, 1) << none.err;
  EXPECT_THAT(none.err, HasSubstr("2 of 2 combinations were tried; none gave a right result"));
}

TEST_F(TuneFile, WhatExpectSaysIsAResult) {
  ASSERT_EQ(
      Run("run scale.asc --kernel scale --blocks 1 --arg x=ones:fp32:1024 --arg y=out:fp32:1024 --arg "
          "extra=uint32:0 --arg 'tiling=struct:{\"total\":1024,\"tile\":{\"length\":64},\"spare\":[0,0]}' "
          "--output right")
          .code,
      0);
  // half of the elements take half the time, and are wrong
  const ProgramEnd end = Run(kScaleCall + "--vary total=1024,512 --expect y=right/y.npy");
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_EQ(Verdicts(end, "total"),
            (std::map<std::string, std::string>{{"1024", "ok"}, {"512", "mismatch"}}));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "y.npy"));
}

TEST_F(TuneFile, ValuesStayOnWhereTheHostReadsThem) {
  std::string text = ReadFile(kSamples + "tiled_sum.asc");
  const std::string launch = "tiled_sum<<<blocks, nullptr, nullptr>>>(from, to);";
  text.replace(text.find(launch), launch.size(),
               launch +
                   "aclrtSynchronizeDevice(); aclrtMemcpy(y.data(), 4, to, 4, ACL_MEMCPY_DEVICE_TO_HOST);"
                   "if (y[0] > 0) { " +
                   launch + " }");
  folder_.Write("reads.asc", text);
  const ProgramEnd end = Run("tune reads.asc --format json --vary TILE=512,1024");
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_THAT(end.err, HasSubstr("every combination is run in full: the first values, TILE=512, take other "
                                 "cycles where results are not "
                                 "computed"));
  EXPECT_EQ(Verdicts(end, "TILE"), (std::map<std::string, std::string>{{"512", "ok"}, {"1024", "ok"}}));
  // two launches, one chosen
  const ProgramEnd first = Run("tune reads.asc --format json --launch 1 --vary TILE=512");
  EXPECT_EQ(Rows(first)[0]["gm_bytes"].get<int64_t>() * 2, [&] {
    for (const nlohmann::json& row : Rows(end)) {
      if (row["TILE"] == 512) {
        return row["gm_bytes"].get<int64_t>();
      }
    }
    return int64_t{0};
  }());
}

TEST_F(TuneFile, OnlyCombinationsForWhichAllConditionsHold) {
  const ProgramEnd end = Run(kSum +
                             "--vary TILE=512:2048:512 --vary N=8,4 --where 'TILE*N<=8192' --where "
                             "'TILE!=1536' -- '{N}'");
  EXPECT_EQ(end.code, 0) << end.err;
  std::set<std::string> tried;
  for (const nlohmann::json& row : Rows(end)) {
    tried.insert(Dump(row["TILE"]) + "," + Dump(row["N"]));
  }
  EXPECT_EQ(tried, (std::set<std::string>{"512,8", "512,4", "1024,8", "1024,4", "2048,4"}));
}

TEST_F(TuneFile, IsTheSameForAnyNumberOfThreads) {
  const std::string options = kSum + "--vary TILE=512,1024,4096 --vary N=8,4,2 ";
  const std::string one = Run(options + "--threads 1 -- '{N}'").out;
  EXPECT_EQ(Lines(one).size(), 9U);
  EXPECT_EQ(Run(options + "--threads 3 -- '{N}'").out, one);
  const std::string cut = Run(options + "--threads 1 --budget 3runs -- '{N}'").out;
  EXPECT_EQ(Lines(cut).size(), 4U);
  EXPECT_EQ(Run(options + "--threads 4 --budget 3runs -- '{N}'").out, cut);
}

TEST_F(TuneFile, ABudgetOfNothingIsTheDefault) {
  const ProgramEnd end = Run(kSum + "--vary TILE=512,1024 --budget 0");
  EXPECT_EQ(end.code, 0) << end.err;
  ASSERT_EQ(Rows(end).size(), 1U);
  EXPECT_EQ(Rows(end)[0]["role"], "best, first values");
  EXPECT_THAT(end.err, HasSubstr("1 of 2 combinations were tried; the first values, TILE=512, are the best"));
}

TEST_F(TuneFile, ObjectivesWeighTimeAndTraffic) {
  // one block with all elements in a tile loads least, eight blocks with small tiles are fastest
  const std::string options =
      kSum + "--vary N=8,4 --vary TILE=4096,8192 --where 'TILE*N==32768' --objective ";
  const ProgramEnd time = Run(options + "cycles -- '{N}'");
  EXPECT_EQ(Rows(time)[0]["N"], 8) << time.err;
  const ProgramEnd traffic = Run(options + "traffic -- '{N}'");
  EXPECT_EQ(Rows(traffic)[0]["N"], 4) << traffic.err;
  EXPECT_EQ(Rows(traffic)[0]["role"], "best");
  EXPECT_LT(Rows(traffic)[0]["gm_bytes"], Rows(traffic)[1]["gm_bytes"]);
  EXPECT_GT(Rows(traffic)[0]["time_us"], Rows(traffic)[1]["time_us"]);
  const ProgramEnd both = Run(
      kSum + "--vary N=8,4 --vary TILE=4096,512,8192 --where 'TILE*N<=32768' --objective pareto -- '{N}'");
  std::map<std::string, std::string> roles;
  for (const nlohmann::json& row : Rows(both)) {
    roles[Dump(row["N"]) + "," + Dump(row["TILE"])] = row["role"];
    if (row["role"] != "") {
      EXPECT_EQ(row["verdict"], "ok");  // all of the front are run in full
    }
  }
  EXPECT_EQ(roles, (std::map<std::string, std::string>{{"8,4096", "best, first values"},
                                                       {"4,8192", "front"},
                                                       {"8,512", ""},
                                                       {"4,512", ""},
                                                       {"4,4096", ""}}));
}

TEST_F(TuneFile, GoesOnFromWhatIsKept) {
  const std::string options = kSum + "--vary TILE=512,1024,4096 --kb-out kb.json ";
  ASSERT_EQ(Run(options + "--budget 1runs").code, 0);
  const std::string kept = ReadFile(folder_ / "kb.json");
  ASSERT_GE(Lines(kept).size(), 3U);  // what they are of, the default, one more
  // the marks show that what is there is not run again; half a line is as if it were not there
  std::string marked = kept;
  const size_t at = marked.find("\"cycles\":", marked.find('\n')) + 9;
  marked.replace(at, marked.find(',', at) - at, "123456");
  folder_.Write("kb.json", marked + "{\"values\":[\"4096\"],\"verd");
  const ProgramEnd end = Run(options);
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_THAT(end.err, HasSubstr("goes on from 2 of 3 combinations; the search times the kernel without"));
  EXPECT_THAT(end.out, HasSubstr("\"cycles\":123456"));
  EXPECT_EQ(Rows(end).size(), 3U);
  const std::string whole = ReadFile(folder_ / "kb.json");
  EXPECT_THAT(whole, testing::StartsWith(marked));
  for (const std::string& line : Lines(whole)) {
    EXPECT_NO_THROW((void)ParseJson(line)) << line;
  }
  // all is done: nothing is added, the same rows
  EXPECT_EQ(Run(options).out, end.out);
  EXPECT_EQ(ReadFile(folder_ / "kb.json"), whole);
}

TEST_F(TuneFile, RefusesWhatIsKeptOfAnother) {
  ASSERT_EQ(Run(kSum + "--vary TILE=512,1024 --kb-out kb.json --budget 0").code, 0);
  const std::string kept = ReadFile(folder_ / "kb.json");
  for (const auto& [arguments, words] : std::vector<std::pair<std::string, std::string>>{
           {kSum + "--vary TILE=1024,512",
            "kb.json: its default is 'TILE=512', that of this run 'TILE=1024'"},
           {kSum + "--vary TILE=512 --soc ascend910b1", "of this run"},
           {kSum + "--vary TILE=512 --set gm.read_latency_cycles=300", "kb.json: its model is '"},
           {kSum + "--vary TILE=512 --strict-sync", "kb.json: its options is '"},
           {kSum + "-DBUFFERS=2 --vary TILE=512", "kb.json: its program is '"},
           {"tune " + kSamples + "wrong_result.asc --vary TILE=512", "kb.json: its file is '"}}) {
    const ProgramEnd end = Run(arguments + " --kb-out kb.json");
    EXPECT_EQ(end.code, 2) << arguments;
    EXPECT_THAT(end.err, HasSubstr(words)) << arguments;
  }
  EXPECT_EQ(ReadFile(folder_ / "kb.json"), kept);
  const std::string cycles = "\"cycles\":";
  const size_t number = kept.find(cycles) + cycles.size();
  for (const std::string wrong : {"1e30", "1.5"}) {
    folder_.Write("kb.json", kept.substr(0, number) + wrong + kept.substr(kept.find(',', number)));
    EXPECT_THAT(Run(kSum + "--vary TILE=512 --kb-out kb.json").err,
                HasSubstr("cycles: found " + wrong.substr(0, 2)));
  }
  folder_.Write("kb.json", "{\"op\":\"matmul\"}\n");
  EXPECT_THAT(Run(kSum + "--vary TILE=512 --kb-out kb.json").err,
              HasSubstr("kb.json: '{\"op\":\"matmul\"}' is no combination of a kernel file"));
}

TEST_F(TuneFile, SharesCoverAllAndAreMerged) {
  const std::string options = kSum + "--vary TILE=512,1024,4096 --vary N=8,4 --kb-out kb.json ";
  std::multiset<std::string> tried;
  for (int i = 1; i <= 3; ++i) {
    const ProgramEnd end = Run(options + "--shard " + std::to_string(i) + "/3 --output out -- '{N}'");
    EXPECT_EQ(end.code, 0) << end.err;
    for (const nlohmann::json& row : Rows(end)) {
      const std::string values = Dump(row["TILE"]) + "," + Dump(row["N"]);
      if (values != "512,8" || i == 1) {  // the default is run by each
        tried.insert(values);
      }
    }
    EXPECT_TRUE(std::filesystem::exists(folder_ / ("out/tuned." + std::to_string(i) + "-of-3.csv")));
  }
  EXPECT_EQ(tried, (std::multiset<std::string>{"512,8", "512,4", "1024,8", "1024,4", "4096,8", "4096,4"}));
  const std::string merge = "--merge kb.1-of-3.json,kb.2-of-3.json";
  EXPECT_THAT(Run(options + merge + " -- '{N}'").err, HasSubstr("share 3 (kb.3-of-3.json) is missing"));
  const ProgramEnd merged = Run(options + merge + ",kb.3-of-3.json --budget 0 -- '{N}'");
  EXPECT_EQ(merged.code, 0) << merged.err;
  EXPECT_THAT(merged.err, HasSubstr("goes on from 6 of 6 combinations"));
  const ProgramEnd whole = Run(kSum + "--vary TILE=512,1024,4096 --vary N=8,4 -- '{N}'");
  EXPECT_EQ(Rows(merged)[0], Rows(whole)[0]);
  EXPECT_THAT(Run(kSum + "--vary TILE=512 --merge none.json").err,
              HasSubstr("--merge: none.json is not there, or empty"));
}

TEST_F(TuneFile, AnInterruptEndsTheSearchAndPrintsWhatWasFound) {
  ASSERT_EQ(Run(kSum + "--vary TILE=512 --budget 0").code, 0);  // the program is in the cache
  const std::string kb = folder_ / "kb.json";
  std::vector<std::string> words = {"tune",     kSamples + "tiled_sum.asc",
                                    "--vary",   "N=8:4000",
                                    "--budget", "600s",
                                    "--kb-out", kb,
                                    "--format", "json",
                                    "--",       "{N}"};
  Child child(words, folder_ / "err");
  for (int tries = 0; Lines(ReadFile(kb)).size() < 4; ++tries, usleep(10'000)) {
    ASSERT_LT(tries, 6'000);
  }
  kill(child.pid(), SIGINT);
  const std::string best = child.ReadLine();
  std::string rest;
  for (std::string line = child.ReadLine(); !line.empty(); line = child.ReadLine()) {
    rest = line;
  }
  EXPECT_EQ(child.End(0), 130);
  const auto role = ParseJson(best)["role"].get<std::string>();
  EXPECT_THAT(role, HasSubstr("best"));
  EXPECT_EQ(ParseJson(best)["verdict"], "ok");
  const std::string err = ReadFile(folder_ / "err");
  EXPECT_THAT(err, HasSubstr("ends the search; the best found are run in full; once more ends the program"));
  EXPECT_THAT(err, HasSubstr(std::string("of 3993 combinations were tried; ") +
                             (role == "best" ? "the best is N=" : "the first values, N=8, are the best: ")));
  EXPECT_THAT(err, HasSubstr("kb.json holds them; the same command goes on from there"));
}

TEST_F(TuneFile, RefusesInWords) {
  folder_.Write("mine.asc",
                "#include \"kernel_operator.h\"\n#define TILE 8\n"
                "__global__ __vector__ void none() { const int tile = TILE + BARE; }\n"
                "using Whole = const WHOLE;\nint main() {}\n");
  for (const auto& [arguments, words] : std::vector<std::pair<std::string, std::string>>{
           {"tune --vary TILE=1", "--vary: is for a kernel file; name it: tilesim tune add.asc --vary"},
           {"tune --where 'A<1'", "--where: is for a kernel file"},
           {"tune --strict-sync --op matmul", "--strict-sync: is for a kernel file"},
           {"tune -DTILE=1", "'-DTILE=1' is for a kernel file"},
           {kSum,
            "needs --vary NAME=a,b,c; NAME is a macro in #if or #ifndef (BUFFERS, TILE), a scalar --arg "
            "(none is there), a field of a struct --arg (none is there), or {NAME} behind --"},
           {kSum + "--vary TILE", "--vary = 'TILE': must be NAME=a,b,c"},
           {kSum + "--vary =1", "--vary = '=1': must be NAME=a,b,c"},
           {kSum + "--vary TILE=", "--vary TILE: an empty value"},
           {kSum + "--vary TILE=1,,2", "--vary TILE: an empty value"},
           {kSum + "--vary TILE=8,16,8", "--vary TILE: '8' is given twice"},
           {kSum + "--vary TILE=8 --vary TILE=16", "--vary TILE: is given twice; give all its values in one"},
           {kSum + "--vary TILE=64:8", "--vary TILE: '64:8' must be from:to:step, upwards"},
           {kSum + "--vary TILE=8:64:0", "with a step of 1 or more"},
           {kSum + "--vary TILE=1:9999999", "has more than 1000000 values"},
           {kSum + "--vary TILE=1:2000 --vary BUFFERS=1:2000", "--vary: has more than 1000000 combinations"},
           {kSum + "--vary TILES=8", "--vary TILES: stands for nothing; did you mean TILE?"},
           {kSum + "--vary cycles=8 -- '{cycles}'", "a column of the answer has that name"},
           {kSum + "--vary TILE=8,16 --where 'TILE>8'", "does not hold for the first values, TILE=8"},
           {kSum + "--vary TILE=8,16 --where 'TILE>16'", "--where: holds for none of the 2 combinations"},
           {kSum + "--vary TILE=8,half --where 'TILE>1'", "TILE may be 'half', which is no whole number"},
           {kSum + "--vary TILE=8 --where 'TILE=8'", "--where 'TILE=8': column 5"},
           {kSum + "--vary TILE=8 --objective l1", "must be one of time, cycles, traffic, pareto"},
           {kSum + "--vary TILE=8 --kb kb.json", "--kb: is for cases of operators"},
           {kSum + "--vary TILE=8 --pad 1", "--pad: is for cases of operators"},
           {kSum + "--vary TILE=8 --budget 3x", "--budget = '3x': must be a time"},
           {kSum + "--vary TILE=8 --shard 3/2", "--shard = '3/2'"},
           {kScaleCall + "--vary FIXED=1,2",
            "folder/more.h:7 defines it whatever -DFIXED says; write #ifndef FIXED"},
           {kScaleCall + "--vary COMMENTED=1,2", "--vary COMMENTED: stands for nothing"},
           {kScaleCall + "--vary x=1,2", "--vary x: stands for nothing"},
           {"tune mine.asc --vary TILE=8", "mine.asc:2 defines it whatever -DTILE says"},
           {"tune mine.asc --vary WHOLE=int --where 'WHOLE>1'",
            "which is no whole number"},  // it may be varied
           {"tune mine.asc --vary tile=8", "mine.asc:3 declares it, where a -Dtile would spoil it"},
           {"tune none.asc --vary TILE=8", "none.asc: no such file"}}) {
    const ProgramEnd end = Run(arguments);
    EXPECT_EQ(end.code, 2) << arguments << "\n" << end.err << end.out;
    EXPECT_THAT(end.err, HasSubstr(words)) << arguments;
  }
  // a name that code mentions, and nothing but -D can give
  EXPECT_THAT(Run("tune mine.asc --vary BARE=8").err, HasSubstr("BARE is -DBARE\n"));
}

TEST_F(TuneFile, AProgramIsStartedWithOtherWords) {
  ASSERT_EQ(Run("cc -O1 -DTILE=512 " + kSamples + "tiled_sum.asc -o sum").code, 0);
  const ProgramEnd end = Run("tune sum --vary N=8,4 --kb-out kb.json --format json -- '{N}'");
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_EQ(Verdicts(end, "N"), (std::map<std::string, std::string>{{"8", "ok"}, {"4", "ok"}}));
  EXPECT_THAT(Run("tune sum --vary TILE=8,4").err, HasSubstr("--vary TILE: stands for nothing"));
  std::filesystem::copy(kSamples + "wrong_result.asc", folder_ / "other.asc");
  ASSERT_EQ(Run("cc other.asc -o sum").code, 0);
  EXPECT_THAT(Run("tune sum --vary N=8,4 --kb-out kb.json -- '{N}'").err,
              HasSubstr("kb.json: its program is"));
}

TEST(MacroNames, AreThoseOfTheUsersFiles) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder / "lib");
  folder.Write("k.asc",
               "#include \"beside.h\"\n#include <on_path.h>\n#include <vector>\n/*\n#if IN_COMMENT\n*/\n"
               "#if defined(A) && \\\n  B > 2\n#endif\nint x = C; // D\nconst char* s = \"E\";\n");
  folder.Write("beside.h", "#ifdef BESIDE\n#endif\n#include \"k.asc\"\n");
  folder.Write("lib/on_path.h", "\n#define PLAIN 3\n#ifndef ON_PATH\n#define ON_PATH\n#endif\n");
  folder.Write("first.h", "#if 0\n#elif FIRST\n#endif\n");
  const std::vector<std::string> options = {"-I", folder / "lib", "-include", folder / "first.h"};
  const MacroNames names = MacroNamesOf(folder / "k.asc", options);
  EXPECT_THAT(names.tested, ElementsAre("A", "B", "BESIDE", "FIRST", "ON_PATH"));
  EXPECT_EQ(names.defined.at("PLAIN"), (folder / "lib/on_path.h") + ":2");
  EXPECT_THAT(names.guards, ElementsAre("ON_PATH"));
  EXPECT_TRUE(names.mentioned.contains("C"));
  EXPECT_FALSE(names.mentioned.contains("D"));
  EXPECT_FALSE(names.mentioned.contains("E"));
  EXPECT_FALSE(MacroNamesOf(folder / "k.asc", std::vector<std::string>{"-I" + (folder / "li")})
                   .tested.contains("ON_PATH"));
}

std::vector<Varied> TwoNames(int64_t a, int64_t b) {
  std::vector<Varied> varied = {{.name = "A", .values = {}}, {.name = "B", .values = {}}};
  for (int64_t i = 0; i < a; ++i) {
    varied[0].values.push_back(std::to_string(i));
  }
  for (int64_t i = 0; i < b; ++i) {
    varied[1].values.push_back(std::to_string(i));
  }
  return varied;
}

TEST(SearchOrder, TriesAllOnceInTheEnd) {
  const CombinationSpace space(TwoNames(20, 13));
  std::vector<size_t> candidates;
  for (size_t number = 0; number < space.size(); number += 3) {
    candidates.push_back(number);
  }
  SearchOrder order(space, candidates);
  std::set<size_t> tried = {0};
  const std::vector<size_t> best = {0};
  const auto was_tried = [&](size_t number) { return tried.contains(number); };
  for (std::vector<size_t> batch = order.Next(was_tried, best); !batch.empty();
       batch = order.Next(was_tried, best)) {
    for (const size_t number : batch) {
      EXPECT_TRUE(tried.insert(number).second) << number;
    }
  }
  EXPECT_EQ(tried, std::set<size_t>(candidates.begin(), candidates.end()));
}

// Downhill on |a - 70| + |b - 60| of 10000 combinations: random ones alone would need thousands.
TEST(SearchOrder, GoesWhereItGetsBetter) {
  const CombinationSpace space(TwoNames(100, 100));
  std::vector<size_t> candidates(space.size());
  for (size_t i = 0; i < candidates.size(); ++i) {
    candidates[i] = i;
  }
  SearchOrder order(space, candidates);
  const auto cost = [](size_t number) {
    return std::abs(static_cast<int>(number / 100) - 70) + std::abs(static_cast<int>(number % 100) - 60);
  };
  std::vector<size_t> best_first = {0};
  std::set<size_t> tried = {0};
  while (best_first.front() != 7060 && tried.size() < 2000) {
    for (const size_t number : order.Next([&](size_t one) { return tried.contains(one); }, best_first)) {
      tried.insert(number);
      best_first.push_back(number);
    }
    std::ranges::stable_sort(best_first, {}, cost);
  }
  EXPECT_EQ(best_first.front(), 7060U);
  EXPECT_LT(tried.size(), 1000U);
}

}  // namespace
}  // namespace tilesim
