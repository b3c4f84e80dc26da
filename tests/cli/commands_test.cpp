// What `trace`, `convert`, `list` and the help print and write.
#include "cli/commands.h"

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "formats/npy.h"
#include "tests/cli/program.h"
#include "tests/support/json_text.h"
#include "tests/support/repetitions.h"

namespace tilesim {
namespace {

TEST(Help, ExamplesWorkAsTheyStand) {
  int index = 0;
  for (const Command& command : Commands()) {
    if (command.run == nullptr || !IsOfThisPart(index++)) {
      continue;
    }
    const ScratchFolder folder;
    const std::string name(command.name);
    const ProgramEnd help = RunProgram(name + " --help");
    EXPECT_EQ(help.code, 0);
    for (const std::string& line : Lines(std::string(command.example))) {
      EXPECT_NE(help.out.find(line), std::string::npos) << line;
      ASSERT_EQ(line.find("tilesim "), 0U) << line;
      const ProgramEnd end = RunProgram(line.substr(std::strlen("tilesim ")), folder.path().string());
      EXPECT_EQ(end.code, 0) << line << "\n" << end.err;
      EXPECT_TRUE(!end.out.empty() || command.name == "convert") << line;
    }
  }
}

TEST(Help, NamesEveryCommand) {
  const ProgramEnd end = RunProgram("--help");
  EXPECT_EQ(end.code, 0);
  for (const Command& command : Commands()) {
    EXPECT_NE(end.out.find("\n  " + std::string(command.name) + " "), std::string::npos) << command.name;
  }
  EXPECT_EQ(RunProgram("--version").out.find("tilesim 0."), 0U);
}

TEST(Trace, IsJsonAndKeepsToItsWindow) {
  const auto events = [](const std::string& window) {
    const ProgramEnd end = RunProgram("trace " + kTiny + window);
    EXPECT_EQ(end.code, 0) << end.err;
    return ParseJson(end.out)["traceEvents"].size();
  };
  EXPECT_LT(events("--window 0:200"), events(""));
  const ScratchFolder folder;
  const ProgramEnd end =
      RunProgram("trace --id t --format json --output " + folder.path().string() + " " + kTiny);
  ASSERT_EQ(end.code, 0) << end.err;
  EXPECT_EQ(ParseJson(end.out)["file"], folder / "t.trace.json");
  EXPECT_EQ(ReadFile(folder / "t.trace.json"), RunProgram("trace --id t --threads 1 " + kTiny).out);
}

TEST(Convert, GoesThereAndBack) {
  const ScratchFolder folder;
  const std::string x = "tests/data/oracle/dw3-t-011-groups3-odd/x.npy";
  const NpyHeader header = ReadNpyHeader(x);
  std::string shape;
  for (const int64_t extent : header.shape) {
    shape += (shape.empty() ? "" : "x") + std::to_string(extent);
  }
  ASSERT_EQ(
      RunProgram("convert " + x + " " + folder / "blocked.npy" + " --from NCDHW --to NDC1HWC0 --dtype bf16")
          .code,
      0);
  const NpyHeader blocked = ReadNpyHeader(folder / "blocked.npy");
  ASSERT_EQ(blocked.shape.size(), 6U);
  EXPECT_EQ(blocked.shape.back(), 16);
  ASSERT_EQ(RunProgram("convert " + folder / "blocked.npy" + " " + folder / "x.npy" +
                       " --from NDC1HWC0 --to NCDHW --dtype bf16 --shape " + shape)
                .code,
            0);
  const Layout layout = PlainLayout(Format::kNCDHW, header.shape);
  const Tensor before = ReadNpy(x, DType::kFp32, layout);
  const Tensor after = ReadNpy(folder / "x.npy", DType::kFp32, layout);
  EXPECT_EQ(std::memcmp(before.data(), after.data(), before.size_bytes()), 0);
}

TEST(Convert, NamesTheC0ThatFitsTheFile) {
  const ScratchFolder folder;
  const std::string blocked = folder / "fz.npy";
  ASSERT_EQ(RunProgram("run --quiet --id w --output " + folder.path().string() + " " + kTiny).code, 0);
  ASSERT_EQ(
      RunProgram("convert " + folder / "w.dw.npy" + " " + blocked + " --from OIDHW --to FRACTAL_Z_3D --c0 16")
          .code,
      0);
  const std::string back = "convert " + blocked + " " + folder / "back.npy" +
                           " --from FRACTAL_Z_3D --to OIDHW --shape 16x16x3x3x3";
  const ProgramEnd end = RunProgram(back);
  EXPECT_EQ(end.code, 2);
  const std::string shape = "tilesim: " + blocked + ": shape (27, 1, 16, 16) is that of C0 16, ";
  EXPECT_EQ(end.err, shape + "the default here is 8; give --c0 16\n");
  EXPECT_EQ(RunProgram(back + " --c0 4").err, shape + "not of --c0 4; give --c0 16\n");
  EXPECT_EQ(RunProgram(back + " --c0 16").code, 0);
}

TEST(Convert, KnowsGroupsAndC0OfFilters) {
  const ScratchFolder folder;
  ASSERT_EQ(
      RunProgram(
          "run --op conv3d_backprop_filter --input 1x6x1x4x4 --filter 9x2x1x3x3 --groups 3 --mode functional "
          "--id g --output " +
          folder.path().string())
          .code,
      0);
  const std::string dw = folder / "g.dw.npy";
  ASSERT_EQ(RunProgram("convert " + dw + " " + folder / "fz.npy" +
                       " --from OIDHW --to FRACTAL_Z_3D --c0 16 --groups 3")
                .code,
            0);
  ASSERT_EQ(RunProgram("convert " + folder / "fz.npy" + " " + folder / "back.npy" +
                       " --from FRACTAL_Z_3D --to OIDHW --c0 16 --groups 3 --shape 9x2x1x3x3")
                .code,
            0);
  EXPECT_EQ(ReadFile(folder / "back.npy"), ReadFile(dw));
  EXPECT_NE(ReadFile(folder / "fz.npy").size(), ReadFile(dw).size());
}

TEST(List, KnowsEachKind) {
  for (const std::string kind : {"operators", "socs", "formats", "instructions"}) {
    const ProgramEnd end = RunProgram("list " + kind + " --format csv");
    EXPECT_EQ(end.code, 0);
    EXPECT_GT(Lines(end.out).size(), 2U) << kind;
  }
  EXPECT_NE(RunProgram("list").out.find("FRACTAL_Z_3D"), std::string::npos);
  const std::string operators = RunProgram("list operators").out;
  for (const std::string name : {"conv2d_backprop_filter", "conv2d_backprop_input", "conv3d_transpose",
                                 "max_pool2d", "max_pool3d_grad"}) {
    EXPECT_NE(operators.find(name + " "), std::string::npos) << name;
  }
  const std::string parameters = RunProgram("list parameters").out;
  EXPECT_NE(parameters.find("memory.l1_bytes "), std::string::npos);
  EXPECT_NE(parameters.find("[1 to 1024 cores] = 24\n"), std::string::npos) << parameters;
  for (const std::string& line : Lines(parameters)) {
    EXPECT_EQ(line.find(" = \n"), std::string::npos) << line;
  }
  std::set<std::string> names;
  for (const std::string& line : Lines(RunProgram("list instructions --format csv").out)) {
    EXPECT_TRUE(names.insert(line.substr(0, line.find(',', line.find(',') + 1))).second) << line;
  }
}

TEST(List, SaysOfEachInstructionWhatItTakesAndHowItsCostIsKnown) {
  const std::string csv = RunProgram("list instructions --format csv").out;
  EXPECT_EQ(csv.find("family,name,pipe,types,forms,cost,provenance,source\n"), 0U) << csv;
  EXPECT_NE(csv.find("\nelementwise,Add,V,\"fp16, fp32, int16, int32\","), std::string::npos) << csv;
  EXPECT_NE(csv.find(",1 a repeat,measured,\"KPP 910B1, VADD\"\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\ncube,Mmad,M,"), std::string::npos) << csv;
  EXPECT_NE(csv.find("documented,\"cube.mmad_issue_cycles, "), std::string::npos) << csv;
  const ProgramEnd unit = RunProgram("list instructions --soc unit --format csv");
  EXPECT_EQ(unit.code, 0) << unit.err;
  EXPECT_NE(unit.out, csv);
  EXPECT_NE(RunProgram("list instructions --format json").out.find("\"provenance\":\"measured\""),
            std::string::npos);
}

TEST(List, HasParametersAsDataWithValueUnitAndProvenance) {
  const ProgramEnd csv = RunProgram("list parameters --format csv");
  EXPECT_EQ(csv.code, 0) << csv.err;
  const std::vector<std::string> lines = Lines(csv.out);
  EXPECT_EQ(lines.at(0), "key,value,unit,least,most,says,provenance");
  EXPECT_EQ(lines.at(1), "chip.aic_cores,24,cores,1,1024,cube cores,\"documented: INI, public report\"");
  EXPECT_EQ(lines.size(), Lines(RunProgram("list parameters").out).size());
  for (const std::string soc : {"ascend910b2", "unit"}) {
    for (const std::string& line : Lines(RunProgram("list parameters --format json --soc " + soc).out)) {
      const nlohmann::json row = ParseJson(line);
      EXPECT_TRUE(row["value"].is_number()) << line;
      EXPECT_LE(row["least"], row["value"]) << line;
      EXPECT_GE(row["most"], row["value"]) << line;
      EXPECT_TRUE(soc == "unit" || !row["provenance"].get<std::string>().empty()) << line;
    }
  }
}

TEST(List, ReadsAPartsFileAsEveryOtherCommandDoes) {
  const std::string given = ReadFile("configs/unit.cfg");
  std::string blanks = given;
  blanks.replace(blanks.find("[memory]"), std::strlen("[memory]"), "  [ memory\t]  # of a core");
  const ScratchFolder folder;
  folder.Write("given.cfg", given);
  folder.Write("blanks.cfg", blanks);
  for (const std::string format : {"", " --format csv", " --format json"}) {
    const ProgramEnd expected =
        RunProgram("list parameters --soc ./given.cfg" + format, folder.path().string());
    const ProgramEnd end = RunProgram("list parameters --soc ./blanks.cfg" + format, folder.path().string());
    EXPECT_EQ(end.code, 0) << end.err;
    const std::vector<std::string> lines = Lines(end.out);
    const std::vector<std::string> expected_lines = Lines(expected.out);
    ASSERT_EQ(lines.size(), expected_lines.size()) << end.out;
    for (size_t i = format.empty() ? 1 : 0; i < lines.size(); ++i) {  // the text's first line names the file
      EXPECT_EQ(lines[i], expected_lines[i]);
    }
  }
}

}  // namespace
}  // namespace tilesim
