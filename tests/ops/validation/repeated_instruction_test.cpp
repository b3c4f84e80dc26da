#include "ops/validation/repeated_instruction.h"

#include <gtest/gtest.h>

#include <map>

#include "formats/error.h"
#include "ops/validation/calibration.h"
#include "ops/validation/validation.h"
#include "sim/core/launch.h"

namespace tilesim {
namespace {

MeasuredInstruction Row(std::string instruction, std::vector<int64_t> size, int64_t repeats = 0) {
  const MeasuredUnit unit = size.size() == 3        ? MeasuredUnit::kMxkxn
                            : instruction[0] == 'V' ? MeasuredUnit::kElements
                                                    : MeasuredUnit::kBytes;
  return {.id = "row",
          .instruction = std::move(instruction),
          .part = "ascend910b1",
          .unit = unit,
          .size = std::move(size),
          .repeats = repeats,
          .cycles = 1,
          .clock_mhz = 1850};
}

// Counts the instructions of each name.
class Counter : public Observer {
 public:
  void OnInstruction(int /*core*/, const Issued& issued, const Operands& operands) override {
    ++counts[issued.name];
    for (const Region& region : operands) {
      bytes = std::max(bytes, static_cast<int64_t>(region.total_bytes()));
    }
  }
  std::map<std::string, int64_t> counts;
  int64_t bytes = 0;
};

Counter Counted(const RepeatedInstruction& instruction, int64_t repetitions) {
  Counter counter;
  const LaunchOptions options{.type = instruction.type,
                              .mode = {.values = false, .time = true, .hazards = false, .strict_sync = true},
                              .threads = 1,
                              .gm = instruction.gm,
                              .observer = &counter};
  const LaunchResult result = Launch(LoadSoc("ascend910b1"), options, [&] {
    for (int64_t i = 0; i < repetitions; ++i) {
      instruction.issue(CurrentCore(), i);
    }
  });
  EXPECT_TRUE(result.completed && result.faults.empty());
  return counter;
}

struct Known {
  std::string instruction;
  std::vector<int64_t> size;
  int64_t repeats;
  std::string name;  // of ours
  int64_t bytes;     // of its largest operand
};

TEST(RepeatedInstruction, IssuesTheInstructionOfItsRow) {
  const std::vector<Known> all = {
      {"MMAD_FP16_FP16_FP32", {32, 16, 64}, 0, "Mmad", 32 * 64 * 4},
      {"L1_TO_L0A", {4096}, 0, "LoadData", 4096},
      {"GM_TO_L0B", {4096}, 0, "LoadData", 4096},
      {"GM_TO_L1", {524288}, 0, "DataCopy", 524288},
      {"GM_TO_UB", {196608}, 0, "DataCopy", 196608},
      {"GM_TO_L1_TRANS", {65536}, 0, "DataCopy", 65536},
      {"L1_TO_BT", {1024}, 0, "DataCopy", 1024},
      {"L1_TO_FB", {1024}, 0, "DataCopy", 1024},
      {"UB_TO_GM", {3072}, 0, "DataCopy", 3072},
      {"UB_TO_UB", {3072}, 0, "DataCopy", 3072},
      {"L0C_TO_GM", {8192}, 0, "Fixpipe", 8192},
      {"L0C_TO_GM_TRANS", {8192}, 0, "Fixpipe", 8192},
      {"VADD_FP32_FP32_FP32", {256}, 4, "Add", 1024},
      {"VOR_INT16_INT16_INT16", {256}, 2, "Or", 512},
      {"VMULS_FP16_FP16_FP16", {256}, 2, "Muls", 512},
      {"VNOT_UINT16_UINT16", {256}, 2, "Not", 512},
      {"VCONV_FP16_FP32", {256}, 2, "Cast", 512},
      {"VCONV_FP16_INT4", {256}, 2, "Cast", 512},
      {"VCOPY_INT32_INT32", {256}, 4, "Copy", 1024},
      {"VECTORDUP_FP16_FP16", {256}, 2, "Duplicate", 512},
      {"VBRCB_UINT32_UINT32", {256}, 4, "Brcb", 1024},
      {"VSEL_FP32_FP32_FP32", {256}, 4, "Select", 1024},
      {"VCMP_FP32_FP32", {256}, 4, "Compare", 1024},
      {"VCMPV_FP32_FP32_FP32", {256}, 4, "Compare", 1024},
      {"VCMPVS_FP32_FP32_FP32", {256}, 4, "Compares", 1024},
      {"VGATHER_UINT16_UINT16", {256}, 2, "Gather", 1024},  // its offsets
      {"VGATHERB_UINT32_UINT32", {256}, 4, "Gatherb", 1024},
      {"VREDUCEV2_UINT16_UINT16_UINT16", {256}, 2, "GatherMask", 512},
      {"VCADD_FP32_FP32", {256}, 4, "WholeReduceSum", 1024},
      {"VCMIN_FP16_FP16", {256}, 2, "WholeReduceMin", 512},
      {"VCGMAX_FP16_FP16", {256}, 2, "BlockReduceMax", 512},
      {"VCPADD_FP16_FP16", {256}, 2, "PairReduceSum", 512},
  };
  const SocConfig soc = LoadSoc("ascend910b1");
  for (const Known& known : all) {
    const auto made = RepeatedOf(Row(known.instruction, known.size, known.repeats), soc);
    ASSERT_TRUE(std::holds_alternative<RepeatedInstruction>(made)) << known.instruction;
    const Counter counter = Counted(std::get<RepeatedInstruction>(made), 7);
    EXPECT_EQ(counter.counts, (std::map<std::string, int64_t>{{known.name, 7}})) << known.instruction;
    EXPECT_EQ(counter.bytes, known.bytes) << known.instruction;
  }
}

TEST(RepeatedInstruction, SaysWhyARowIsNotRun) {
  const SocConfig soc = LoadSoc("ascend910b1");
  const auto why = [&](const MeasuredInstruction& row) {
    return std::get<std::string>(RepeatedOf(row, soc));
  };
  EXPECT_EQ(why(Row("VREDUCE_UINT16_UINT16_UINT16", {128}, 1)),
            "this version has no such instruction (`tilesim list instructions`)");
  EXPECT_EQ(why(Row("GM_TO_UB", {204800})), "204800 bytes are more than the 196608 of UB");
  EXPECT_EQ(why(Row("VADD_FP8_FP8_FP8", {100}, 1)),
            "'VADD_FP8_FP8_FP8' names no element type that this version knows");
  EXPECT_EQ(why(Row("VCONV_INT8_FP32", {100}, 1)),
            "'VCONV_INT8_FP32': this version has no Cast of these types");
}

TEST(RepeatedInstruction, RefusesWhatARowSaysThatItsInstructionHasNot) {
  const SocConfig soc = LoadSoc("ascend910b1");
  const auto refusal = [&](const MeasuredInstruction& row) {
    try {
      (void)RepeatedOf(row, soc);
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_EQ(refusal(Row("L1_TO_L0A", {100})),
            "size = '100': must be a multiple of the 512 bytes that one move of it has");
  EXPECT_EQ(refusal(Row("VADD_FP32_FP32_FP32", {64}, 0)),
            "repeats: must be there, VADD_FP32_FP32_FP32 is a vector instruction");
  EXPECT_EQ(refusal(Row("VADD_FP32_FP32_FP32", {4096}, 8)),
            "size = '4096': 8 repeats of VADD_FP32_FP32_FP32 hold 449 to 512 elements");
  EXPECT_EQ(refusal(Row("VCONV_FP32_FP16", {1024}, 8)), "nothing");  // of either type's width
  EXPECT_EQ(refusal(Row("GM_TO_UB", {64, 64, 64})), "unit = 'mxkxn': the size of GM_TO_UB is given in bytes");
  MeasuredInstruction elements = Row("GM_TO_UB", {4096});
  elements.unit = MeasuredUnit::kElements;
  EXPECT_EQ(refusal(elements), "unit = 'elements': the size of GM_TO_UB is given in bytes");
  EXPECT_EQ(refusal(Row("GM_TO_UB", {4096}, 8)),
            "repeats: GM_TO_UB has none, vector instructions have; leave it empty");
  MeasuredInstruction banks = Row("VMULS_FP16_FP16_FP16", {256}, 2);
  banks.banks = MeasuredBanks::kApart;
  EXPECT_EQ(refusal(banks),
            "banks: VMULS_FP16_FP16_FP16 has no two sources whose banks could meet; leave it empty");
  MeasuredInstruction data = Row("UB_TO_GM", {4096});
  data.in_hbm = false;
  EXPECT_EQ(refusal(data), "data: UB_TO_GM reads nothing from GM; leave it empty");
}

// unit.cfg: each cost is 1, each rate 32 bytes a cycle.
TEST(RepeatedInstruction, CountsCyclesBackToBackOrWaited) {
  const SocConfig soc = LoadSoc("unit");
  MeasuredInstruction row = Row("GM_TO_L1", {3200});
  EXPECT_EQ(CyclesEach(std::get<RepeatedInstruction>(RepeatedOf(row, soc)), soc), 100);
  row.waited = true;  // and the latency of 1, and the barrier's cycle
  EXPECT_EQ(CyclesEach(std::get<RepeatedInstruction>(RepeatedOf(row, soc)), soc), 102);
}

TEST(RepeatedInstruction, MeetsBanksAsTheRowSays) {
  const SocConfig soc = LoadSoc("ascend910b1");
  MeasuredInstruction row = Row("VADD_FP32_FP32_FP32", {4096}, 64);
  const auto each = [&](MeasuredBanks banks) {
    row.banks = banks;
    return CyclesEach(std::get<RepeatedInstruction>(RepeatedOf(row, soc)), soc);
  };
  EXPECT_EQ(each(MeasuredBanks::kApart), 64);
  EXPECT_EQ(each(MeasuredBanks::kShared), 128);
  EXPECT_EQ(each(MeasuredBanks::kWithDst), 64 + 51);
}

TEST(Validation, CountsInTheClockOfTheRow) {
  MeasuredInstruction row = Row("L1_TO_L0A", {65536});  // 257 cycles
  row.clock_mhz = 925;
  const ValidatedRow found = Validate(row, LoadSoc("ascend910b1"));
  EXPECT_NEAR(found.pair.value().predicted, 128.5, 1e-9);
  EXPECT_EQ(found.family, "l1_to_l0");
}

TEST(Validation, AKernelWithoutItsOperatorIsLeftOutWithTheReason) {
  MeasuredKernel row{
      .id = "x", .group = "other", .part = "unit", .cells = {{"op", "no_such_op"}}, .time_us = 1};
  const ValidatedRow found = Validate(row, LoadSoc("unit"), 1);
  EXPECT_FALSE(found.pair.has_value());
  EXPECT_NE(found.left_out.find("no operator 'no_such_op'"), std::string::npos) << found.left_out;
  EXPECT_EQ(found.failed, "");
}

// Only what the file leaves out and what is not modelled may be left out; the rest has to run.
TEST(Validation, ARowThatIsRefusedOrFaultsHasFailed) {
  const auto failed = [](CaseCells cells) {
    const MeasuredKernel row{
        .id = "x", .group = "other", .part = "unit", .cells = std::move(cells), .time_us = 1};
    const ValidatedRow found = Validate(row, LoadSoc("unit"), 1);
    EXPECT_FALSE(found.pair.has_value());
    EXPECT_EQ(found.left_out, "");
    return found.failed;
  };
  EXPECT_NE(failed({{"op", "max_pool2d"}, {"input", "1x8"}}).find("input"), std::string::npos);
  EXPECT_NE(failed({{"input", "1x8"}}).find("op"), std::string::npos);
  EXPECT_NE(failed({{"op", "copy"}, {"input", "8x8"}, {"cores", "999"}}).find("cores"), std::string::npos);
  EXPECT_NE(failed({{"op", "read_only"}, {"matrix", "8x8"}}).find("tile"), std::string::npos);
  const ValidatedRow instruction = Validate(Row("MMAD_FP16_FP16_FP32", {4096, 4096, 4096}), LoadSoc("unit"));
  EXPECT_FALSE(instruction.pair.has_value());
  EXPECT_NE(instruction.failed, "");
  EXPECT_EQ(instruction.left_out, "");
}

TEST(Validation, TimesAKernelWithItsLaunchOrTheCoresAlone) {
  MeasuredKernel row{
      .id = "x",
      .group = "other",
      .part = "unit",
      .cells = {{"op", "max_pool2d"}, {"input", "1x8x16x16"}, {"filter", "2x2"}, {"stride", "2"}},
      .time_us = 1};
  const SocConfig soc = LoadSoc("unit", std::vector<std::string>{"launch.us=5", "launch.us_per_core=0"});
  const double task = Validate(row, soc, 1).pair.value().predicted;
  row.with_launch = false;
  EXPECT_NEAR(task - Validate(row, soc, 1).pair.value().predicted, 5, 1e-9);
}

// Rows that a part's own figures explain, and figures that are far off: what is left out does not see them.
std::optional<double> LeftOut(const std::vector<MeasuredInstruction>& rows, const SocConfig& soc) {
  std::vector<const MeasuredInstruction*> all;
  for (const MeasuredInstruction& row : rows) {
    all.push_back(&row);
  }
  return LeaveOneOut(all, "l1_to_l0", [&](const std::string&) -> const SocConfig& { return soc; });
}

std::vector<MeasuredInstruction> LoadsOf(const SocConfig& soc) {
  std::vector<MeasuredInstruction> rows;
  for (const int64_t fractals : {1, 2, 4, 8, 16, 24, 32, 48, 64, 96}) {
    rows.push_back(Row("L1_TO_L0B", {512 * fractals}));
    rows.back().cycles = CyclesEach(std::get<RepeatedInstruction>(RepeatedOf(rows.back(), soc)), soc) *
                         rows.back().clock_mhz / soc.clock_mhz;
  }
  return rows;
}

TEST(Calibration, FitsAnewWithoutTheFiguresOfThePart) {
  const std::vector<MeasuredInstruction> rows = LoadsOf(LoadSoc("ascend910b1"));
  const std::vector<std::string> far_off = {"mte1.load_issue_cycles=500", "mte1.load_min_l0b_cycles=900"};
  const double right = LeftOut(rows, LoadSoc("ascend910b1")).value();
  EXPECT_LT(right, 3);
  EXPECT_EQ(LeftOut(rows, LoadSoc("ascend910b1", far_off)).value(), right);
}

TEST(Calibration, ARowThatFollowsNoOtherCostsMoreLeftOutThanFitted) {
  const SocConfig soc = LoadSoc("ascend910b1");
  std::vector<MeasuredInstruction> rows = LoadsOf(soc);
  rows.front().cycles *= 3;
  EXPECT_GT(LeftOut(rows, soc).value(), 5);
}

TEST(Calibration, SaysNothingWhereNothingWasFitted) {
  const SocConfig soc = LoadSoc("ascend910b1");
  const std::vector<MeasuredInstruction> rows = LoadsOf(soc);
  EXPECT_FALSE(LeftOut({rows.begin(), rows.begin() + 4}, soc).has_value());
  const MeasuredInstruction* const one[] = {&rows[0]};
  EXPECT_FALSE(
      LeaveOneOut(one, "ub_to_ub", [&](const std::string&) -> const SocConfig& { return soc; }).has_value());
}

}  // namespace
}  // namespace tilesim
