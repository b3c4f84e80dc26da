// `run` and `compare`: rows, files, verdicts.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "formats/npy.h"
#include "tests/cli/program.h"
#include "tests/formats/npy_fixture.h"
#include "tests/support/json_text.h"

namespace tilesim {
namespace {

constexpr const char* kCases = "tests/data/oracle/conv3d_backprop_filter.csv";

// The rows without host_ms, which differs from run to run.
std::vector<nlohmann::json> Rows(const std::string& json_lines) {
  std::vector<nlohmann::json> rows;
  for (const std::string& line : Lines(json_lines)) {
    rows.push_back(ParseJson(line));
    rows.back().erase("host_ms");
  }
  return rows;
}

TEST(Run, HasTheseColumns) {
  const ProgramEnd end = RunProgram("run --format csv " + kTiny);
  EXPECT_EQ(end.code, 0);
  EXPECT_EQ(end.err, "");
  const std::vector<std::string> lines = Lines(end.out);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(
      lines[0],
      "id,op,dtype,soc,cores,cycles,time_us,lower_bound_us,efficiency,bound_by,"
      "launch_bound_us,cube_bound_us,gm_read_bound_us,gm_write_bound_us,mac_ratio,mte1_ratio,mte2_ratio,"
      "mte3_ratio,fixpipe_ratio,vec_ratio,scalar_ratio,gm_read_bytes,gm_write_bytes,l2_hit_ratio,"
      "hazards,verdict,"
      "mere,mare,max_error_over_bound,host_ms,error_us_percent,planner,message");
}

TEST(Run, FillsCellsByMode) {
  const auto row = [](const std::string& options) {
    return ParseJson(RunProgram("run --format json " + options + " " + kTiny).out);
  };
  const nlohmann::json full = row("");
  EXPECT_GT(full["cycles"], 0);
  EXPECT_GE(full["time_us"].get<double>(), full["lower_bound_us"].get<double>());
  double largest = 0;
  for (const std::string of : {"cube", "gm_read", "gm_write"}) {
    EXPECT_GT(full[of + "_bound_us"].get<double>(), 0) << of;
    largest = std::max(largest, full[of + "_bound_us"].get<double>());
  }
  EXPECT_NEAR(full["launch_bound_us"].get<double>() + largest, full["lower_bound_us"].get<double>(), 1e-9);
  EXPECT_EQ(full["verdict"], "ok");
  EXPECT_TRUE(full["mere"].is_null());
  EXPECT_EQ(row("--mode timing")["cycles"], full["cycles"]);
  EXPECT_TRUE(row("--mode functional")["cycles"].is_null());
  EXPECT_EQ(row("--soc unit")["soc"], "unit");
  EXPECT_EQ(row("--cores 2")["cores"], 2);
}

TEST(Run, DoesNotDependOnThreads) {
  const ScratchFolder one;
  const ScratchFolder two;
  const std::string all = std::string("compare --format json --cases ") + kCases + " --output ";
  const ProgramEnd first = RunProgram(all + one.path().string() + " --threads 1");
  const ProgramEnd second = RunProgram(all + two.path().string() + " --threads 2");
  EXPECT_EQ(first.code, 0) << first.out;
  EXPECT_EQ(Rows(first.out), Rows(second.out));
  size_t tensors = 0;
  for (const auto& entry : std::filesystem::directory_iterator(one.path())) {
    if (entry.path().extension() == ".npy") {
      ++tensors;
      EXPECT_EQ(ReadFile(entry.path().string()), ReadFile(two / entry.path().filename().string()))
          << entry.path();
    }
  }
  EXPECT_EQ(tensors, Rows(first.out).size());
}

TEST(Run, WritesResultsOnlyWhereAsked) {
  const ScratchFolder folder;
  const ProgramEnd end =
      RunProgram("run --id mine --output results --format csv " + kTiny, folder.path().string());
  ASSERT_EQ(end.code, 0) << end.err;
  const Layout layout(Format::kOIDHW, {16, 16, 3, 3, 3});
  EXPECT_EQ(ReadNpyHeader(folder / "results/mine.dw.npy").shape, layout.StorageShape());
  EXPECT_EQ(ReadFile(folder / "results/results.csv"), end.out);
  size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder / "results")) {
    ++files;
  }
  EXPECT_EQ(files, 2U);
}

TEST(Run, OrdersBySize) {
  const ScratchFolder folder;
  folder.Write("cases.csv",
               "id,op,input,filter\nlarge,conv3d_backprop_filter,1x16x4x9x9,16x16x3x3x3\n"
               "bad,conv3d_backprop_filter,1x16x4x9x9,16x16x5x5x5\nsmall,conv3d_backprop_filter,1x2x3x3x3,"
               "2x2x1x1x1\n");
  const auto ids = [&](const std::string& options) {
    std::string joined;
    for (const nlohmann::json& row :
         Rows(RunProgram("run --format json " + options + "--cases " + folder / "cases.csv").out)) {
      joined += row["id"].get<std::string>() + " ";
    }
    return joined;
  };
  EXPECT_EQ(ids(""), "large bad small ");
  EXPECT_EQ(ids("--order size "), "bad small large ");
  EXPECT_EQ(ids("--id 'small, large' "), "large small ");
}

TEST(Run, KeepsARowsOwnSoc) {
  const ScratchFolder folder;
  folder.Write("cases.csv",
               "op,input,filter,soc\nconv3d_backprop_filter,1x2x3x3x3,2x2x1x1x1,unit\n"
               "conv3d_backprop_filter,1x2x3x3x3,2x2x1x1x1,\n");
  const auto rows =
      Rows(RunProgram("run --format json --soc ascend910b3 --cases " + folder / "cases.csv").out);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["soc"], "unit");
  EXPECT_EQ(rows[1]["soc"], "ascend910b3");
  EXPECT_EQ(rows[1]["id"], "2");
}

TEST(Compare, AgreesWithOtherPrograms) {
  const ProgramEnd end = RunProgram(std::string("compare --format json --cases ") + kCases);
  EXPECT_EQ(end.code, 0) << end.out << end.err;
  for (const nlohmann::json& row : Rows(end.out)) {
    EXPECT_EQ(row["verdict"], "ok") << row;
    EXPECT_LE(row["max_error_over_bound"].get<double>(), 1) << row;
  }
}

// A file of that shape and element size, its array put into Fortran order.
std::string TurnedFile(const std::string& path, size_t element_bytes, const std::vector<int64_t>& shape) {
  std::string file = ReadFile(path);
  const size_t data = 10 + static_cast<uint8_t>(file.at(8)) + 256 * static_cast<uint8_t>(file.at(9));
  file.replace(file.find("False"), 5, "True ");
  return file.substr(0, data) + InFortranOrder(file.substr(data), element_bytes, shape);
}

TEST(Compare, TakesFilesInFortranOrder) {
  const std::string oracle = "tests/data/oracle/dw3-t-001-basic/";
  const ScratchFolder folder;
  folder.Write("x.npy", TurnedFile(oracle + "x.npy", 2, {1, 16, 4, 6, 8}));
  folder.Write("dy.npy", TurnedFile(oracle + "dy.npy", 2, {1, 16, 4, 6, 8}));
  folder.Write("expected.npy", TurnedFile(oracle + "expected.npy", 4, {16, 16, 3, 3, 3}));
  folder.Write("absdot.npy", TurnedFile(oracle + "absdot.npy", 4, {16, 16, 3, 3, 3}));
  const auto compare = [&](const std::string& id, const std::string& files) {
    std::string options = "--products 192 --output " + folder.path().string() + " --id " + id;
    for (const std::string file : {"x", "dy", "expected", "absdot"}) {
      options += " --" + file + "_file " + files + file + ".npy";
    }
    const ProgramEnd end = RunProgram("compare --format json --dtype fp16 " + kTiny + options);
    EXPECT_EQ(end.code, 0) << end.out << end.err;
    nlohmann::json row = Rows(end.out).at(0);
    row.erase("id");
    return row;
  };
  EXPECT_EQ(compare("turned", folder / ""), compare("straight", oracle));
  EXPECT_EQ(ReadFile(folder / "turned.dw.npy"), ReadFile(folder / "straight.dw.npy"));
}

TEST(Compare, TellsWhereAndWhoWrote) {
  const ScratchFolder folder;
  ASSERT_EQ(RunProgram("run --quiet --output " + folder.path().string() + " " + kTiny).code, 0);
  const std::string path = folder / "case.dw.npy";
  const Layout layout(Format::kOIDHW, {16, 16, 3, 3, 3});
  Tensor dw = ReadNpy(path, DType::kFp32, layout);
  dw.Set({3, 5, 1, 2, 0}, dw.Get({3, 5, 1, 2, 0}) + 1);
  dw.Set({4, 0, 0, 0, 0}, dw.Get({4, 0, 0, 0, 0}) + 2);
  WriteNpy(path, dw);
  const ProgramEnd end = RunProgram("compare --format json --expected_file " + path + " " + kTiny);
  EXPECT_EQ(end.code, 1) << end.err;
  const nlohmann::json row = ParseJson(end.out);
  EXPECT_EQ(row["verdict"], "mismatch");
  const std::string message = row["message"];
  EXPECT_NE(message.find("2 of 6912 elements differ"), std::string::npos) << message;
  EXPECT_NE(message.find("\nfirst (o=3, i=5, d=1, h=2, w=0): found "), std::string::npos) << message;
  EXPECT_NE(message.find("\nworst (o=4, i=0, d=0, h=0, w=0): found "), std::string::npos) << message;
  const size_t found = message.find("found ") + 6;
  EXPECT_LE(message.find(',', found) - found, std::string("-0.123456").size() + 4) << message;  // six digits
  EXPECT_NE(message.find("written by AIC "), std::string::npos) << message;
  EXPECT_NE(message.find("Fixpipe on FIX, tile m 0"), std::string::npos) << message;
}

TEST(Run, SaysThatItComparesNothing) {
  const ProgramEnd end = RunProgram("run --format csv --products 192 " + kTiny);
  EXPECT_EQ(end.code, 0);
  EXPECT_EQ(end.err, "tilesim: run compares nothing; for `tilesim compare`: products (of 1 of 1 case)\n");
  const ScratchFolder folder;
  const std::string pooling = " --op max_pool2d --input 1x1x4x4 --filter 2 ";
  ASSERT_EQ(RunProgram("run --id p --output " + folder.path().string() + pooling).code, 0);
  EXPECT_EQ(RunProgram("run --format csv --expected_argmax_file " + folder / "p.argmax.npy" + pooling).err,
            "tilesim: run compares nothing; for `tilesim compare`: expected_argmax_file (of 1 of 1 case)\n");
  const std::string gradient = " --op max_pool2d_grad --input 1x1x4x4 --filter 2 ";
  EXPECT_EQ(
      RunProgram("run --format csv --absdot_file " + folder / "p.y.npy" + " --products 4" + gradient).err,
      "tilesim: run compares nothing; for `tilesim compare`: absdot_file (of 1 of 1 case), products (of 1 "
      "of 1 case)\n");
  EXPECT_EQ(RunProgram("run --format csv --expected_file " + folder / "p.y.npy" + pooling).err,
            "tilesim: run compares nothing; for `tilesim compare`: expected_file (of 1 of 1 case)\n");
  EXPECT_EQ(RunProgram("compare --format csv --products 192 " + kTiny).err, "");
}

TEST(Run, PrintsATableThatFitsALine) {
  const ScratchFolder folder;
  const std::string row = ",conv3d_backprop_filter,1x2x3x3x3,2x2x1x1x1,";
  folder.Write("alike.csv", "id,op,input,filter,soc\nbench_01" + row + "\nbench_02" + row + "\n");
  folder.Write("mixed.csv", "id,op,input,filter,soc\na" + row + "unit\nb" + row + "\n");
  const std::vector<std::string> alike = Lines(RunProgram("compare --cases " + folder / "alike.csv").out);
  ASSERT_EQ(alike.size(), 4U);
  EXPECT_EQ(alike[0], "conv3d_backprop_filter on ascend910b2");
  EXPECT_EQ(
      alike[1],
      "id        dtype  cores  cycles     time_us   effic   bound_by  mac     hazards  verdict    err/bound  "
      "host_ms");
  for (const std::string& line : alike) {
    EXPECT_LE(line.size(), 110U) << line;
  }
  const std::vector<std::string> mixed = Lines(RunProgram("run --cases " + folder / "mixed.csv").out);
  EXPECT_EQ(mixed[0], "conv3d_backprop_filter");
  EXPECT_EQ(mixed[1].find("id    dtype  soc          cores"), 0U) << mixed[1];
  EXPECT_EQ(mixed[1].find("err/bound"), std::string::npos);
}

TEST(Compare, CountsTheHighestExitCode) {
  const ScratchFolder folder;
  folder.Write("cases.csv",
               "id,op,dtype,input,filter\nno,conv3d_backprop_filter,fp32,1x2x3x3x3,2x2x1x1x1\n"
               "bad,conv3d_backprop_filter,fp16,1x2x3x3x3,2x2x9x1x1\n");
  EXPECT_EQ(RunProgram("run --planner api --id no --cases " + folder / "cases.csv").code, 1);
  EXPECT_EQ(RunProgram("run --planner api --cases " + folder / "cases.csv").code, 2);
}

}  // namespace
}  // namespace tilesim
