// Poolings on the command line: what each command prints and writes of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "formats/npy.h"
#include "tests/cli/program.h"
#include "tests/support/json_text.h"

namespace tilesim {
namespace {

const std::string kOptions = " --input 2x70x15x16 --filter 3x3 --stride 2 --pad 1 ";
const std::string kPool = " --op max_pool2d" + kOptions;
const std::string kGrad = " --op max_pool2d_grad" + kOptions;

nlohmann::json Row(const std::string& arguments) {
  const ProgramEnd end = RunProgram(arguments + " --format json");
  EXPECT_EQ(end.code, 0) << end.out << end.err;
  return ParseJson(end.out);
}

TEST(PoolPlan, PrintsTheVendorsStructAndOurSplit) {
  const auto forward = Row("plan" + kPool);
  EXPECT_EQ(forward["legal"], true);
  EXPECT_EQ(forward["planner"], "op");
  EXPECT_EQ(forward["tiling"].size(), 2U);
  EXPECT_EQ(forward["tiling"]["data"]["nc"], 140);
  EXPECT_EQ(forward["tiling"]["data"].size(), 46U);
  EXPECT_EQ(forward["tiling"]["split"]["strategy"], "no_expand_indices");
  EXPECT_FALSE(forward["why"].empty());
  const auto gradient = Row("plan" + kGrad);
  EXPECT_EQ(gradient["tiling"]["data"]["hoDim"], 8);
  EXPECT_EQ(gradient["tiling"]["data"].size(), 42U);
  EXPECT_EQ(gradient["tiling"]["split"]["argmaxFrom"], "x");
}

TEST(PoolPlan, WritesTheBytesOfTheVendorsStruct) {
  const ScratchFolder folder;
  ASSERT_EQ(RunProgram("plan --binary " + folder / "y.bin" + kPool).code, 0);
  EXPECT_EQ(ReadFile(folder / "y.bin").size(), 46U * 8);
  ASSERT_EQ(RunProgram("plan --binary " + folder / "dx.bin" + kGrad).code, 0);
  const std::string bytes = ReadFile(folder / "dx.bin");
  ASSERT_EQ(bytes.size(), 42U * 8);
  EXPECT_EQ(static_cast<unsigned char>(bytes[0]), 140);  // ncDim
}

TEST(PoolPlan, SaysOneOfAThingWhereThereIsOne) {
  const std::string one = " --op max_pool2d --input 1x1x2x2 --filter 2";
  const std::string why = Row("plan" + one)["why"][0];
  EXPECT_EQ(why.find("no_expand_indices: 1 block of 1 lane x 1 x 1 x 1 outputs (D x H x W) on 1 core, "), 0U)
      << why;
}

TEST(PoolPlan, HasATableWithoutColumnsOfProducts) {
  const ProgramEnd end = RunProgram("plan --format table" + kPool);
  EXPECT_EQ(end.code, 0);
  const std::vector<std::string> lines = Lines(end.out);
  ASSERT_GE(lines.size(), 2U);
  EXPECT_EQ(lines[0], "id    verdict    planner  cores  strategy           task");
  EXPECT_EQ(lines[1].find("case  legal      op "), 0U) << lines[1];
  EXPECT_NE(lines[1].find("no_expand_indices  "), std::string::npos) << lines[1];
  const std::string gradient = Lines(RunProgram("plan --format table" + kGrad).out).at(1);
  EXPECT_NE(gradient.find("  resident "), std::string::npos) << gradient;
  EXPECT_NE(gradient.find('x', gradient.find("resident")), std::string::npos) << gradient;  // its task
}

TEST(PoolPlan, GivesTilingsThatRunTakes) {
  for (const std::string& pooling : {kPool, kGrad}) {
    const ScratchFolder folder;
    ASSERT_EQ(RunProgram("plan --cores 3 --id p --output " + folder.path().string() + pooling).code, 0);
    const auto planned = Row("run --cores 3" + pooling);
    const auto given = Row("compare --tiling " + folder / "p.tiling.json" + pooling);
    EXPECT_EQ(given["cores"], 3);
    EXPECT_EQ(given["cycles"], planned["cycles"]);
    EXPECT_EQ(Row("plan --tiling " + folder / "p.tiling.json" + pooling)["planner"], "given");
  }
}

TEST(PoolPlan, RefusesGivenTilingsThatDoNotFit) {
  const ScratchFolder folder;
  const auto refused = [&](nlohmann::json plan, const std::string& pooling, const std::string& says) {
    folder.Write("bad.json", Dump(plan));
    for (const std::string command : {"run", "plan", "trace"}) {
      const ProgramEnd end = RunProgram(command + " --tiling " + folder / "bad.json" + pooling);
      EXPECT_EQ(end.code, 2) << command;
      EXPECT_NE((end.out + end.err).find(says), std::string::npos) << command << end.out << end.err;
    }
  };
  const auto forward = Row("plan" + kPool);
  auto bad = forward;
  bad["tiling"]["data"]["ncFactor"] = 65;
  refused(bad, kPool, "data.ncFactor: lanes of the vector unit: found 65, must be");
  bad = forward;
  bad["tiling"]["data"]["hx"] = 16;  // another problem's
  refused(bad, kPool, "data.hx: repeats the problem: found 16, must be 15");
  // one for another shape: first what that has otherwise, and nothing that follows from it
  const std::string smaller = " --op max_pool2d --input 2x70x9x16 --filter 3x3 --stride 2 --pad 1 ";
  refused(forward, smaller,
          "bad.json does not fit the case: data.hx: repeats the problem: found 15, must be 9");
  refused(forward, smaller, "data.hy: repeats the problem: found 8, must be 5");
  EXPECT_EQ(RunProgram("plan --tiling " + folder / "bad.json" + smaller).out.find("data.hyFactor"),
            std::string::npos);
  bad = forward;
  bad["tiling"]["data"].erase("partH");
  refused(bad, kPool, "data.partH is missing");
  refused(forward, kGrad,
          "is the tiling of a max pooling (max_pool3d, max_pool2d)");  // of the other operator
  bad = Row("plan" + kGrad);
  bad["tiling"]["split"]["argmaxFrom"] = "given";
  refused(bad, kGrad,
          "split.argmaxFrom: is that of a given argmax, and there is none: add the section 'pooling'");
}

TEST(PoolPlan, RefusesPlannerApiByName) {
  for (const std::string& pooling : {kPool, kGrad}) {
    for (const std::string command : {"plan", "run", "compare", "trace", "explain", "report"}) {
      const ProgramEnd end = RunProgram(command + " --planner api" + pooling);
      EXPECT_EQ(end.code, 1) << end.err;
      EXPECT_NE((end.out + end.err).find("planner: api: the vendor ships no tiling class for pooling"),
                std::string::npos)
          << command << end.out << end.err;
    }
  }
}

TEST(PoolRun, RefusesValuesInPlaceOfAnArgmax) {
  const ScratchFolder folder;
  ASSERT_EQ(RunProgram("run --id f --output " + folder.path().string() + kPool).code, 0);
  const ProgramEnd end = RunProgram("run --argmax_file " + folder / "f.y.npy" + kGrad);
  EXPECT_EQ(end.code, 2);
  EXPECT_NE(
      (end.out + end.err).find("is it y? `run` of the pooling writes <id>.argmax.npy beside <id>.y.npy"),
      std::string::npos)
      << end.out << end.err;
}

TEST(PoolRun, WritesEachOutputUnderItsName) {
  const ScratchFolder one;
  const ScratchFolder two;
  for (const std::string& pooling : {kPool, kGrad}) {
    const std::string id = pooling == kPool ? "f" : "g";
    const auto rows = [&](const std::string& options, const ScratchFolder& folder) {
      auto row = Row("compare --id " + id + " --output " + folder.path().string() + " " + options + pooling);
      row.erase("host_ms");
      return row;
    };
    EXPECT_EQ(rows("--threads 1", one), rows("--threads 2", two));
  }
  for (const std::string name : {"f.y.npy", "f.argmax.npy", "g.dx.npy"}) {
    ASSERT_TRUE(std::filesystem::exists(one / name)) << name;
    EXPECT_EQ(ReadFile(one / name), ReadFile(two / name)) << name;
  }
  EXPECT_EQ(ReadNpyHeader(one / "f.y.npy").shape, (std::vector<int64_t>{2, 70, 8, 8}));
  EXPECT_EQ(ReadNpyHeader(one / "g.dx.npy").shape, (std::vector<int64_t>{2, 70, 15, 16}));
  EXPECT_FALSE(std::filesystem::exists(one / "f.dx.npy"));
  // the gradient of the argmax that was written
  const auto given = Row("compare --argmax_file " + one / "f.argmax.npy" + " --id g --output " +
                         two.path().string() + kGrad);
  EXPECT_EQ(given["verdict"], "ok");
  EXPECT_EQ(ReadFile(one / "g.dx.npy"), ReadFile(two / "g.dx.npy"));
}

TEST(PoolRun, WritesAndTakesEmptyResults) {
  const ScratchFolder folder;
  const std::string empty = " --op max_pool2d --input 0x3x4x4 --filter 2x2 --id e ";
  EXPECT_EQ(Row("compare --output " + folder.path().string() + empty)["verdict"], "ok");
  EXPECT_EQ(ReadNpyHeader(folder / "e.y.npy").shape, (std::vector<int64_t>{0, 3, 2, 2}));
  EXPECT_EQ(Row("compare --expected_file " + folder / "e.y.npy" + " --expected_argmax_file " +
                folder / "e.argmax.npy" + empty)["verdict"],
            "ok");
}

// What a mistyped option refuses does not cost the results of an earlier run.
TEST(PoolRun, LeavesAnEarlierRunsFilesWhereNothingRan) {
  const ScratchFolder folder;
  const std::string output = " --id p --output " + folder.path().string() + kPool;
  ASSERT_EQ(RunProgram("run" + output).code, 0);
  const std::string y = ReadFile(folder / "p.y.npy");
  WriteNpy(folder / "small.npy", Tensor(DType::kFp16, Layout(Format::kNCHW, {1, 1, 2, 2})));
  EXPECT_EQ(RunProgram("run --x_file " + folder / "small.npy" + output).code, 2);
  EXPECT_EQ(RunProgram("run --set memory.ub_bytes=9216" + output).code, 1);
  EXPECT_EQ(ReadFile(folder / "p.y.npy"), y);
  EXPECT_TRUE(std::filesystem::exists(folder / "p.argmax.npy"));
  EXPECT_EQ(RunProgram("run --mode timing" + output).code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder / "p.y.npy"));  // it ran, and has none
}

TEST(PoolRun, ShowsTheVectorUnitInTables) {
  const ScratchFolder folder;
  folder.Write(
      "mixed.csv",
      "id,op,input,filter\na,conv3d_backprop_filter,1x2x3x3x3,2x2x1x1x1\nb,max_pool3d,1x2x3x3x3,2x1x1\n");
  const std::vector<std::string> pooling = Lines(RunProgram("compare" + kPool).out);
  ASSERT_EQ(pooling.size(), 3U);
  EXPECT_EQ(pooling[0], "max_pool2d on ascend910b2");
  EXPECT_EQ(pooling[1],
            "id    dtype  cores  cycles     time_us   effic   bound_by  vec     hazards  verdict    "
            "err/bound  host_ms");
  const ProgramEnd mixed = RunProgram("run --cases " + folder / "mixed.csv");
  EXPECT_NE(mixed.out.find("  mac     vec     hazards"), std::string::npos) << mixed.out;
  const auto row = Row("run" + kPool);
  EXPECT_EQ(row["mac_ratio"], 0);
  EXPECT_GT(row["vec_ratio"].get<double>(), 0.1);
}

TEST(PoolRun, EndsWith3WhereASynchronisingCallIsLeftOut) {
  const std::vector<std::string> lines = Lines(ReadFile("ops/lib/max_pool/point_storer.h"));
  const auto call = std::ranges::find_if(
      lines, [](const std::string& line) { return line.find(".EnQue(") != std::string::npos; });
  ASSERT_NE(call, lines.end());
  const ProgramEnd end =
      RunProgram("run --drop-sync point_storer.h:" + std::to_string(call - lines.begin() + 1) + kPool);
  EXPECT_EQ(end.code, 3) << end.out;
  EXPECT_NE(end.out.find("AIV "), std::string::npos) << end.out;
  EXPECT_NE(end.out.find("point_storer.h:"), std::string::npos) << end.out;
}

TEST(PoolRun, NeedsTheCompilersBarriersOfTheVectorUnit) {
  const ProgramEnd end = RunProgram("run --strict-sync --cores 2" + kPool);
  EXPECT_EQ(end.code, 3);
  EXPECT_NE(end.out.find("needs a PipeBarrier<PIPE_V> between them"), std::string::npos) << end.out;
}

TEST(PoolTrace, HasVectorCores) {
  const ProgramEnd end = RunProgram("trace --cores 2" + kGrad);
  ASSERT_EQ(end.code, 0) << end.err;
  const auto trace = ParseJson(end.out);
  size_t cores = 0;
  size_t vector = 0;
  for (const auto& event : trace["traceEvents"]) {
    cores += event["name"] == "process_name" && event["args"]["name"] == "AIV 1" ? 1 : 0;
    vector += event["name"] == "Select" ? 1 : 0;
  }
  EXPECT_EQ(cores, 1U);
  EXPECT_GT(vector, 9U);
}

TEST(TunedPooling, IsFoundAgainInAKnowledgeBase) {
  const ScratchFolder folder;
  for (const std::string& problem : {kPool, kGrad}) {
    const std::string kb = folder / (problem == kPool ? "y.jsonl" : "dx.jsonl");
    const auto tuned = Row("tune --budget 5runs --kb-out " + kb + problem);
    EXPECT_LE(tuned["tuned_us"], tuned["op_us"]);
    EXPECT_LE(tuned["bound_us"], tuned["tuned_us"]);
    EXPECT_GT(tuned["l1_bytes"], 0);  // of UB
    const auto run = Row("compare --kb " + kb + problem);
    EXPECT_EQ(run["time_us"], tuned["tuned_us"]);
    EXPECT_EQ(run["verdict"], "ok");
    const auto record = ParseJson(ReadFile(kb));
    EXPECT_EQ(record["op"], problem == kPool ? "max_pool" : "max_pool_grad");
    EXPECT_EQ(record["info_dict"]["hk"], 3);
    EXPECT_EQ(record["knowledge"]["data"]["kh"], 3);
  }
}

}  // namespace
}  // namespace tilesim
