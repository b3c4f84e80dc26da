// Calls of several kernels on the command line: --sequence aclnn, and the column `sequence`.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "formats/npy.h"
#include "tests/cli/program.h"
#include "tests/support/json_text.h"

namespace tilesim {
namespace {

std::vector<nlohmann::json> RowsOf(const ProgramEnd& end) {
  std::vector<nlohmann::json> rows;
  for (const std::string& line : Lines(end.out)) {
    rows.push_back(ParseJson(line));
  }
  return rows;
}

TEST(SequenceCommand, GivesEachKernelARowAndTheirSumTheLast) {
  const ProgramEnd end =
      RunProgram("compare --sequence aclnn --measured_us 20 --format json --id layer " + kTiny);
  EXPECT_EQ(end.code, 0) << end.out << end.err;
  const std::vector<nlohmann::json> rows = RowsOf(end);
  ASSERT_EQ(rows.size(), 6U);
  const char* const kernels[] = {"TransData x",          "TransData dy", "MemSet dw",
                                 "Conv3DBackpropFilter", "TransData dw", "sum of 5"};
  double time_us = 0;
  int64_t cycles = 0;
  int64_t read_bytes = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i]["id"], "layer");
    EXPECT_EQ(rows[i]["kernel"], kernels[i]);
    EXPECT_EQ(rows[i]["verdict"], "ok");
    if (i + 1 < rows.size()) {
      EXPECT_GT(rows[i]["cores"], 0);
      EXPECT_TRUE(rows[i]["error_us_percent"].is_null());
      time_us += rows[i]["time_us"].get<double>();
      cycles += rows[i]["cycles"].get<int64_t>();
      read_bytes += rows[i]["gm_read_bytes"].get<int64_t>();
    }
  }
  const nlohmann::json& sum = rows.back();
  EXPECT_NEAR(sum["time_us"].get<double>(), time_us, 1e-9);
  EXPECT_EQ(sum["cycles"], cycles);
  EXPECT_EQ(sum["gm_read_bytes"], read_bytes);
  EXPECT_NEAR(sum["error_us_percent"].get<double>(), (time_us / 20 - 1) * 100, 1e-9);
  EXPECT_LT(sum["lower_bound_us"].get<double>(), time_us);
  EXPECT_LE(sum["max_error_over_bound"].get<double>(), 1) << "the last result is what is compared";
}

TEST(SequenceCommand, HasTheColumnOfKernelsOnlyWhereThereAreCalls) {
  const std::string with = Lines(RunProgram("run --format csv --sequence aclnn " + kTiny).out).at(0);
  EXPECT_NE(with.find(",error_us_percent,kernel,planner,message"), std::string::npos) << with;
  const std::string without = Lines(RunProgram("run --format csv --sequence op " + kTiny).out).at(0);
  EXPECT_NE(without.find(",error_us_percent,planner,message"), std::string::npos) << without;
}

TEST(SequenceCommand, TimingModeHasTheClockOfTheFullOne) {
  const std::vector<nlohmann::json> full = RowsOf(RunProgram("run --sequence aclnn --format json " + kTiny));
  const std::vector<nlohmann::json> timing =
      RowsOf(RunProgram("run --sequence aclnn --mode timing --format json " + kTiny));
  ASSERT_EQ(full.size(), timing.size());
  for (size_t i = 0; i < full.size(); ++i) {
    EXPECT_EQ(full[i]["cycles"], timing[i]["cycles"]) << full[i]["kernel"];
  }
  EXPECT_TRUE(RowsOf(RunProgram("run --sequence aclnn --mode functional --format json " + kTiny))
                  .back()["cycles"]
                  .is_null());
}

TEST(SequenceCommand, WritesTheLastResult) {
  const ScratchFolder folder;
  const std::string out = " --output " + folder.path().string() + " " + kTiny;
  ASSERT_EQ(RunProgram("run --id alone" + out).code, 0);
  ASSERT_EQ(RunProgram("run --id call --sequence aclnn" + out).code, 0);
  EXPECT_EQ(ReadFile(folder / "alone.dw.npy"), ReadFile(folder / "call.dw.npy"));
}

TEST(SequenceCommand, PlansEachKernelAndWritesTheOwnOnesBytes) {
  const ScratchFolder folder;
  const ProgramEnd end = RunProgram("plan --sequence aclnn --output " + folder.path().string() +
                                    " --binary " + folder / "own.bin" + " " + kTiny);
  EXPECT_EQ(end.code, 0) << end.out << end.err;
  const std::vector<nlohmann::json> rows = RowsOf(end);
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[2]["kernel"], "MemSet dw");
  EXPECT_EQ(rows[2]["tiling"]["data"]["rows"], 1);
  EXPECT_EQ(rows[3]["kernel"], "Conv3DBackpropFilter");
  EXPECT_EQ(ReadFile(folder / "own.bin").size(), 240U);
  EXPECT_NE(ReadFile(folder / "case.TransData_dw.tiling.json"), "");
  EXPECT_EQ(RunProgram("run --sequence aclnn --tiling " + folder / "case.tiling.json" + " " + kTiny).code, 0);
}

TEST(SequenceCommand, NamesTheKernelsOfAPlan) {
  const std::vector<std::string> csv = Lines(RunProgram("plan --format csv --sequence aclnn " + kTiny).out);
  ASSERT_GE(csv.size(), 6U);
  EXPECT_EQ(csv[0].find("id,kernel,legal,planner,"), 0U) << csv[0];
  EXPECT_EQ(csv[1].find("case,TransData x,true,op,"), 0U) << csv[1];
  EXPECT_EQ(csv[4].find("case,Conv3DBackpropFilter,true,op,"), 0U) << csv[4];
  const std::string table = RunProgram("plan --format table --sequence aclnn " + kTiny).out;
  EXPECT_NE(table.find("case  MemSet dw             legal"), std::string::npos) << table;
  EXPECT_EQ(Lines(RunProgram("plan --format csv " + kTiny).out).at(0).find("id,legal,"), 0U);
}

TEST(SequenceCommand, TellsInWordsThatVectorCoresAreMissing) {
  for (const std::string command : {"run", "plan"}) {
    const ProgramEnd end = RunProgram(command + " --sequence aclnn --set chip.aiv_per_aic=0 " + kTiny);
    EXPECT_EQ(end.code, 2);
    EXPECT_NE((end.out + end.err)
                  .find("TransData x runs on vector cores, ascend910b2 has none here (chip.aiv_per_aic = 0)"),
              std::string::npos)
        << end.out << end.err;
  }
}

TEST(SequenceCommand, FindsASynchronisingCallOfAnyKernel) {
  const ProgramEnd end = RunProgram("run --sequence aclnn --drop-sync mem_set_kernel.h:1 " + kTiny);
  EXPECT_EQ(end.code, 2);
  EXPECT_NE((end.out + end.err).find("mem_set_kernel.h:"), std::string::npos) << end.out << end.err;
  EXPECT_NE((end.out + end.err).find("rearrange_kernel.h:"), std::string::npos) << end.out << end.err;
}

class CallFile : public ::testing::Test {
 protected:
  ProgramEnd Run(const std::string& rows, const std::string& options = "") {
    folder_.Write("call.csv", "id,op,input,perm,sequence,measured_us\n" + rows);
    return RunProgram("run --format json " + options + " --cases " + folder_ / "call.csv");
  }
  ScratchFolder folder_;
};

TEST_F(CallFile, SumsTheRowsOfACall) {
  const ProgramEnd end = Run("turn,transpose,64x64,1x0,call,\nsum,add,64x64,,call,12\nlast,copy,4096,,,9\n");
  EXPECT_EQ(end.code, 0) << end.out << end.err;
  const std::vector<nlohmann::json> rows = RowsOf(end);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[2]["id"], "call");
  EXPECT_EQ(rows[2]["op"], "sequence");
  EXPECT_EQ(rows[2]["kernel"], "sum of 2");
  const double time_us = rows[0]["time_us"].get<double>() + rows[1]["time_us"].get<double>();
  EXPECT_NEAR(rows[2]["time_us"].get<double>(), time_us, 1e-9);
  EXPECT_NEAR(rows[2]["error_us_percent"].get<double>(), (time_us / 12 - 1) * 100, 1e-9);
  EXPECT_EQ(rows[3]["id"], "last");
  EXPECT_TRUE(rows[3]["error_us_percent"].is_null()) << "one kernel's time is not the call's";
}

TEST_F(CallFile, SumsNothingWhereARowIsRefused) {
  const ProgramEnd end = Run("turn,transpose,64x64,0x0,call,\nsum,add,64x64,,call,12\n");
  EXPECT_EQ(end.code, 2);
  const std::vector<nlohmann::json> rows = RowsOf(end);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0]["verdict"], "refused");
  EXPECT_EQ(rows[2]["kernel"], "sum of 2");
  EXPECT_EQ(rows[2]["message"], "not summed: some of its rows have no time");
  EXPECT_TRUE(rows[2]["time_us"].is_null());
  EXPECT_TRUE(rows[2]["error_us_percent"].is_null());
}

TEST_F(CallFile, SumsNothingWhereItIsCutById) {
  const ProgramEnd end = Run("turn,transpose,64x64,1x0,call,\nsum,add,64x64,,call,12\n", "--id sum");
  EXPECT_EQ(end.code, 0) << end.err;
  const std::vector<nlohmann::json> rows = RowsOf(end);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1]["message"],
            "not summed: 1 of its 2 rows is here; its rows stand one behind the other, and --id takes all of "
            "them or none");
  EXPECT_TRUE(rows[1]["time_us"].is_null());
  EXPECT_TRUE(rows[1]["error_us_percent"].is_null());
}

// The sum is a row, too, and rows have ids of their own.
TEST_F(CallFile, HasNoRowsName) {
  const ProgramEnd end = Run("call,transpose,64x64,1x0,,\nsum,add,64x64,,call,12\nown,add,64x64,,own,\n");
  EXPECT_EQ(end.code, 2);
  const std::vector<nlohmann::json> rows = RowsOf(end);
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[1]["verdict"], "refused");
  EXPECT_NE(
      rows[1].dump().find("sequence = 'call': must differ from the ids of all rows; rename one of them"),
      std::string::npos)
      << rows[1];
  EXPECT_EQ(rows[3]["verdict"], "refused");
  EXPECT_NE(rows[3].dump().find("id = 'own': must differ from the sequences of all rows; rename one of them"),
            std::string::npos)
      << rows[3];
}

TEST_F(CallFile, IsRefusedWhereItsRowsContradictEachOther) {
  const ProgramEnd twice = Run("turn,transpose,64x64,1x0,call,5\nsum,add,64x64,,call,12\n");
  EXPECT_EQ(twice.code, 2);
  EXPECT_NE(twice.out.find("measured_us = '12': must be that of the rows above, 5"), std::string::npos)
      << twice.out;
  const ProgramEnd split = Run("a,copy,64,,c1,\nb,copy,64,,c2,\nc,copy,64,,c1,\n");
  EXPECT_EQ(split.code, 2);
  EXPECT_NE(split.out.find("sequence = 'c1': its rows must follow each other"), std::string::npos)
      << split.out;
  EXPECT_TRUE(RowsOf(split).back()["time_us"].is_null()) << "nothing is summed of a call with a refused row";
}

TEST_F(CallFile, StaysInItsOrder) {
  const ProgramEnd end = Run("turn,transpose,64x64,1x0,call,\n", "--order size");
  EXPECT_EQ(end.code, 2);
  EXPECT_NE(end.err.find("has rows of one call (column sequence), which stay together; leave --order out"),
            std::string::npos)
      << end.err;
}

}  // namespace
}  // namespace tilesim
