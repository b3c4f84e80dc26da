// Copies, fills, sums, transposes and layout conversions on the command line.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "formats/npy.h"
#include "tests/cli/program.h"
#include "tests/support/json_text.h"

namespace tilesim {
namespace {

nlohmann::json Row(const std::string& arguments) {
  const ProgramEnd end = RunProgram(arguments + " --format json");
  EXPECT_EQ(end.code, 0) << end.out << end.err;
  return ParseJson(end.out);
}

TEST(VectorKernelsCommand, ComparesThePublishedCases) {
  const ProgramEnd end = RunProgram("compare --cases vector_kernels --mode full --format json --quiet");
  EXPECT_EQ(end.code, 0) << end.out << end.err;
  const std::vector<std::string> lines = Lines(end.out);
  EXPECT_GE(lines.size(), 30U);
  for (const std::string& line : lines) {
    const nlohmann::json row = ParseJson(line);
    EXPECT_EQ(row["verdict"], "ok") << line;
    EXPECT_EQ(row["max_error_over_bound"], 0) << line;
    EXPECT_LE(row["efficiency"].get<double>(), 1) << "faster than its bytes can be moved: " << line;
    EXPECT_GT(row["efficiency"].get<double>(), 0.2) << line;
  }
}

TEST(VectorKernelsCommand, ReadsAndWritesTensors) {
  const ScratchFolder folder;
  const std::string out = " --output " + folder.path().string();
  ASSERT_EQ(RunProgram("run --op copy --dtype int64 --input 3x4x5 --range 0:1000 --id there" + out).code, 0);
  ASSERT_EQ(RunProgram("run --op transpose --dtype int64 --input 3x4x5 --perm 2x0x1 --id turned --x_file " +
                       folder / "there.y.npy" + out)
                .code,
            0);
  const Tensor x = ReadNpy(folder / "there.y.npy", DType::kInt64, Layout(Format::kND, {3, 4, 5}));
  const Tensor y = ReadNpy(folder / "turned.y.npy", DType::kInt64, Layout(Format::kND, {5, 3, 4}));
  for (int64_t a = 0; a < 3; ++a) {
    for (int64_t b = 0; b < 4; ++b) {
      for (int64_t c = 0; c < 5; ++c) {
        EXPECT_EQ(x.Get(std::vector<int64_t>{a, b, c}), y.Get(std::vector<int64_t>{c, a, b}));
      }
    }
  }
  ASSERT_EQ(
      RunProgram("run --op add --dtype int32 --input 7 --id sum --x_file " + folder / "one.npy" + out).code,
      2);
}

TEST(VectorKernelsCommand, PlansWritesBytesAndTakesThePlanBack) {
  for (const auto& [options, bytes] : {std::pair("--op add --dtype fp32 --input 1000x100 ", 56U),
                                       std::pair("--op transpose --input 100x200 --perm 1x0 ", 168U)}) {
    const ScratchFolder folder;
    ASSERT_EQ(RunProgram("plan --output " + folder.path().string() + " --binary " + folder / "t.bin" + " " +
                         options)
                  .code,
              0);
    EXPECT_EQ(ReadFile(folder / "t.bin").size(), bytes);
    const nlohmann::json planned = Row("compare --planner op " + std::string(options));
    const nlohmann::json given = Row("compare --tiling " + folder / "case.tiling.json" + " " + options);
    EXPECT_EQ(given["verdict"], "ok");
    EXPECT_EQ(given["cycles"], planned["cycles"]);
  }
}

TEST(VectorKernelsCommand, KeepsTheTablesOfTheOthers) {
  const std::string head =
      Lines(RunProgram("plan --format table --op matmul --m 64 --n 64 --k 64").out).at(0);
  EXPECT_NE(head.find("base MxNxK"), std::string::npos) << head;
  const std::vector<std::string> copy = Lines(RunProgram("plan --format table --op copy --input 9999").out);
  EXPECT_EQ(copy.at(0).find("base MxNxK"), std::string::npos) << copy.at(0);
  EXPECT_NE(copy.at(1).find("tiles_by_core"), std::string::npos) << copy.at(1);
}

TEST(VectorKernelsCommand, RefusesInWords) {
  struct Refused {
    const char* arguments;
    int code;
    const char* says;
  };
  for (const auto& [arguments, code, says] : {
           Refused{"plan --op copy --input 9 --planner api", 1, "the vendor ships no tiling class for copy"},
           Refused{"plan --op trans_data --layout NCDHW --to_layout NDC1HWC0 --input 1x1x1x1x1 --planner api",
                   1, "the vendor ships no tiling class for transpose and trans_data"},
           Refused{"run --op aclnnPermute --input 9x9 --perm 1x0", 2, "that is transpose here"},
           Refused{"run --op torch.zeros --input 9", 2, "that is mem_set here"},
           Refused{"run --op copy --input 9 --perm 0", 2, "--perm = '0': belongs to transpose"},
           Refused{"run --op transpose --input 9x9 --perm 1x0 --groups 2", 2,
                   "--groups = '2': belongs to convolutions and trans_data"},
           Refused{"run --op add --input 9 --dtype uint8", 2, "must be one of fp16, bf16, fp32, int32"},
           Refused{"run --op trans_data --layout NCDHW --to_layout NHWC --input 1x1x1x1x1", 2,
                   "NCDHW goes to NDC1HWC0"},
           Refused{"run --op mem_set --input 9 --x_file a.npy", 2, "--x_file = 'a.npy': belongs to"},
       }) {
    const ProgramEnd end = RunProgram(arguments);
    EXPECT_EQ(end.code, code) << arguments;
    EXPECT_NE((end.out + end.err).find(says), std::string::npos) << arguments << ": " << end.out << end.err;
  }
}

}  // namespace
}  // namespace tilesim
