// Matrix products on the command line: what each command prints and writes of them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "formats/npy.h"
#include "tests/cli/program.h"
#include "tests/support/json_text.h"

namespace tilesim {
namespace {

const std::string kOptions = " --op matmul --m 100 --n 70 --k 90 --transpose_b 1 --out_dtype fp32 ";

nlohmann::json Row(const std::string& arguments) {
  const ProgramEnd end = RunProgram(arguments + kOptions + " --format json");
  EXPECT_EQ(end.code, 0) << end.out << end.err;
  return ParseJson(end.out);
}

TEST(MatmulCommand, PlansAndRunsThePlan) {
  const ScratchFolder folder;
  const auto plan = Row("plan --output " + folder.path().string());
  EXPECT_EQ(plan["legal"], true);
  EXPECT_EQ(plan["tiling"].size(), 2U);
  EXPECT_EQ(plan["tiling"]["matmulTiling"]["M"], 100);
  EXPECT_EQ(plan["tiling"]["matmulTiling"].size(), 21U);
  EXPECT_EQ(plan["tiling"]["split"].size(), 7U);
  const auto planned = Row("compare");
  const auto given = Row("compare --tiling " + folder / "case.tiling.json");
  EXPECT_EQ(given["verdict"], "ok");
  EXPECT_EQ(given["cycles"], planned["cycles"]);
  EXPECT_EQ(given["cores"], plan["tiling"]["matmulTiling"]["usedCoreNum"]);
}

TEST(MatmulCommand, WritesTheBytesOfTheFieldsAndTheResult) {
  const ScratchFolder folder;
  ASSERT_EQ(RunProgram("plan --binary " + folder / "c.bin" + kOptions).code, 0);
  EXPECT_EQ(ReadFile(folder / "c.bin").size(), 21U * 4);
  ASSERT_EQ(RunProgram("run --id product --output " + folder.path().string() + kOptions).code, 0);
  const Tensor c = ReadNpy(folder / "product.c.npy", DType::kFp32, Layout(Format::kND, {100, 70}));
  EXPECT_NE(c.Get(std::vector<int64_t>{99, 69}), 0);
}

TEST(MatmulCommand, PlansAsTheTilingClassesDo) {
  const ProgramEnd api = RunProgram("plan --planner api" + kOptions);
  EXPECT_EQ(api.code, 0) << api.err;
  EXPECT_NE(api.out.find("\"planner\":\"api\""), std::string::npos) << api.out;
  EXPECT_EQ(RunProgram("compare --planner api" + kOptions).code, 0);
}

TEST(MatmulCommand, RefusesWhatIsOfOthers) {
  const ScratchFolder folder;
  ASSERT_EQ(
      RunProgram("plan --op max_pool2d --input 1x16x8x8 --filter 2 --output " + folder.path().string()).code,
      0);
  const ProgramEnd other = RunProgram("run --tiling " + folder / "case.tiling.json" + kOptions);
  EXPECT_EQ(other.code, 2);
  EXPECT_NE((other.out + other.err).find("is the tiling of a max pooling"), std::string::npos)
      << other.out << other.err;
  const ProgramEnd foreign = RunProgram("run --pad 1" + kOptions);
  EXPECT_EQ(foreign.code, 2);
  EXPECT_NE((foreign.out + foreign.err)
                .find("--pad = '1': belongs to convolutions and pooling, matmul has no such column"),
            std::string::npos)
      << foreign.out << foreign.err;
}

}  // namespace
}  // namespace tilesim
