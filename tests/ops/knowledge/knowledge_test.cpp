// Records of a knowledge base: their keys are the schema's, a tiling comes back from them as it went in, and
// what is not what it says it is is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

#include "formats/error.h"
#include "ops/knowledge/model_version.h"
#include "tests/ops/knowledge/knowledge_fixture.h"
#include "tests/support/json_text.h"

namespace tilesim::testing {
namespace {

using nlohmann::ordered_json;
using ::testing::HasSubstr;

// The names and their order as the specification of the schema lists them.
void ExpectNames(const std::vector<std::string>& found, const std::string& names) {
  std::istringstream words(names);
  std::vector<std::string> expected;
  for (std::string word; words >> word;) {
    expected.push_back(word);
  }
  EXPECT_EQ(found, expected);
}
void ExpectKeys(const KnowledgeRows& rows, const std::string& names) {
  std::vector<std::string> found;
  for (const KnowledgeRow& row : rows) {
    found.push_back(row.name);
  }
  ExpectNames(found, names);
}
void ExpectKeys(const std::string& knowledge, const std::string& names) {
  std::vector<std::string> found;
  const ordered_json object = ParseOrderedJson(knowledge);
  for (const auto& [name, value] : object.items()) {
    found.push_back(name);
  }
  ExpectNames(found, names);
}

// A number of the problem.
int64_t Number(const KnowledgeRecord& record, std::string_view name) {
  const auto found = std::ranges::find(record.key.info, name, &KnowledgeRow::name);
  return std::get<int64_t>(found->value);
}

constexpr std::string_view kReserved =
    " reservedParam1 reservedParam2 reservedParam3 reservedParam4 reservedParam5 reservedParam6 "
    "reservedParam7 reservedParam8";

TEST_F(Knowledge, OfAFilterGradientHasTheKeysOfTheSchema) {
  const KnowledgeRecord record = Tuned(kFilter).Record();
  EXPECT_EQ(record.key.op, "Conv3DBackpropFilterV2");
  ExpectKeys(
      record.key.info,
      "batch groups co ci dout wo ho wi hi di kw kh kd stride_w stride_h stride_d pad_l pad_r pad_u "
      "pad_d pad_f pad_b dilation_w dilation_h dilation_d hf32Flag a_dtype b_dtype c_dtype a_dtype_bytes "
      "b_dtype_bytes c_dtype_bytes fmapFormat dedyFormat filterFormat");
  ExpectKeys(
      record.tiling.knowledge,
      "cin1G cout1G realGroup channelSize al0Pbuffer bl0Pbuffer cl0Pbuffer al1Pbuffer bl1Pbuffer baseM "
      "baseK baseN m0 k0 n0 stepKa stepKb iterateOrder bl1Bound al1Bound singleCoreDk singleCoreGroup "
      "singleCoreCout singleCoreHo splitWo singleCoreBatch singleCoreCin singleCoreBatchDout streamkType "
      "usedCoreNum singleCoreM singleCoreN singleCoreK isSplitKernelHW groupEnlarge coreBindDirection" +
          std::string(kReserved));
  EXPECT_EQ(Number(record, "pad_f"), 1);
  EXPECT_EQ(Number(record, "pad_b"), 0);
  EXPECT_EQ(Number(record, "pad_u"), 2);
  EXPECT_EQ(Number(record, "pad_d"), 1);
  EXPECT_EQ(Number(record, "pad_l"), 0);
  EXPECT_EQ(Number(record, "pad_r"), 1);
  EXPECT_EQ(Number(record, "a_dtype"), 1);
  EXPECT_EQ(Number(record, "c_dtype"), 0);
  EXPECT_EQ(Number(record, "c_dtype_bytes"), 4);
}

TEST_F(Knowledge, OfAnInputGradientHasTheKeysOfTheSchema) {
  const KnowledgeRecord record = Tuned(kInput).Record();
  EXPECT_EQ(record.key.op, "Conv3DBackpropInputV2");
  ExpectKeys(
      record.key.info,
      "batch_n groups dedx_d dedx_cin dedx_h dedx_w dedy_d dedy_cout dedy_h dedy_w kernel_d kernel_h "
      "kernel_w stride_d stride_h stride_w pad_h pad_t pad_u pad_d pad_l pad_r dilation_d dilation_h "
      "dilation_w backprop_pad_h backprop_pad_t backprop_pad_u backprop_pad_d backprop_pad_l "
      "backprop_pad_r hf32_flag a_dtype_bytes b_dtype_bytes c_dtype_bytes outBackpropFormat filterFormat "
      "yFormat");
  ExpectKeys(
      record.tiling.knowledge,
      "al0Pbuffer bl0Pbuffer cl0Pbuffer al1Pbuffer bl1Pbuffer iterateOrder c0 c0BitsA c0BitsB enlarge "
      "initOutputFlag isBiasFullLoad enableVecTrans enableFullLoad quantMode cinG coutG cout1 cin1 cout1G "
      "cin1G backpropPadTail backpropPadUp backpropPadDown backpropPadLeft backpropPadRight "
      "singleCoreGroup singleCoreCout singleCoreCin singleCoreDin baseM baseK baseN stepKa stepKb "
      "singleIterateDk singleCoreBatch singleCoreM enRelu coreNum kSCoutFullLoad kSUseWorkSpace "
      "loadB2Condition loadB1Condition kernelSplitMode enableC04Flag enableFullLoadTiling "
      "enableVecTransFlag enableSplitKernelFlag tilingHkWkMode usrSpaceSizeForKernelSplit kSegment "
      "kSegmentTail kValueSegment enableSplitK useUbAccumForSplitK" +
          std::string(kReserved));
}

TEST_F(Knowledge, GivesTheTilingBack) {
  const Tuned cases[] = {Tuned(kFilter),
                         Tuned(kFilter, PlannerKind::kApi),
                         Tuned(With(kFilter, "dtype", "fp32")),
                         Tuned(With(With(kFilter, "filter", "64x8x3x3x3"), "groups", "4")),
                         Tuned(kInput),
                         Tuned(kInput, PlannerKind::kApi),
                         Tuned(With(With(kInput, "filter", "64x8x3x3x3"), "groups", "4")),
                         Tuned(kPool),
                         Tuned(kPoolGrad),
                         Tuned(kMatmul)};
  for (const Tuned& tuned : cases) {
    SCOPED_TRACE(Say(tuned.problem.op, " ", tuned.plan.planner));
    ASSERT_TRUE(tuned.plan.legal);
    const KnowledgeBase base = Base(LineOf(tuned.Record()));
    const std::optional<Plan> known = KnownPlan(base, tuned.problem, *tuned.op, Soc(), tuned.cores);
    ASSERT_TRUE(known.has_value());
    EXPECT_EQ(JsonOf(known->tiling), JsonOf(tuned.plan.tiling));
    EXPECT_EQ(known->planner, "kb");
    EXPECT_THAT(known->why.front(),
                HasSubstr(Say(path_, ":1: 5.5 us; the best of all (model ", kClockVersion, "-")));
    EXPECT_EQ(base.records()[0].origin, tuned.Record().origin);
  }
}

TEST_F(Knowledge, KnowsOnlyTheVeryCase) {
  const Tuned tuned(kFilter);
  const KnowledgeBase base = Base(LineOf(tuned.Record()));
  for (const CaseCells& cells : {With(kFilter, "dtype", "bf16"), With(kFilter, "stride", "2"),
                                 With(kFilter, "input", "3x32x4x16x16"), kInput, kMatmul}) {
    const Tuned other(cells);
    EXPECT_FALSE(KnownPlan(base, other.problem, *other.op, Soc(), other.cores).has_value());
  }
  EXPECT_FALSE(KnownPlan(base, tuned.problem, *tuned.op, Soc(), tuned.cores - 1).has_value());
  EXPECT_FALSE(KnownPlan(base, tuned.problem, *tuned.op, LoadSoc("ascend910b3"), tuned.cores).has_value());
}

TEST_F(Knowledge, LeavesOtherCasesToThePlanner) {
  const Tuned tuned(kFilter);
  const Tuned other(kMatmul);
  const KnowledgeBase base = Base(LineOf(tuned.Record()));
  const Plan known = ChoosePlan(tuned.problem, *tuned.op, Soc(),
                                {.planner = {}, .tiling_file = "", .cores = {}, .knowledge = &base});
  const Plan planned = ChoosePlan(other.problem, *other.op, Soc(),
                                  {.planner = {}, .tiling_file = "", .cores = {}, .knowledge = &base});
  EXPECT_EQ(known.planner, "kb");
  EXPECT_EQ(planned.planner, "op");
  EXPECT_THAT(planned.why.front(), HasSubstr("has no record of the case on 24 cores of ascend910b2"));
}

TEST_F(Knowledge, OfAnotherModelIsRefused) {
  const Tuned tuned(kFilter);
  const std::vector<std::string> set = {"cube.mmad_issue_cycles=11"};
  const std::string message = RefusedFor(tuned, tuned.Record(), LoadSoc("ascend910b2", set));
  EXPECT_THAT(message, HasSubstr(path_ + ":1: was tuned under model " + ModelVersion(Soc())));
  EXPECT_THAT(message, HasSubstr("tune again, or leave --kb out"));
}

TEST_F(Knowledge, ThatContradictsItselfIsRefused) {
  const Tuned tuned(kFilter);
  const auto refused = [&](const std::function<void(ordered_json&)>& change) {
    KnowledgeRecord record = tuned.Record();
    ordered_json knowledge = ParseOrderedJson(record.tiling.knowledge);
    change(knowledge);
    record.tiling.knowledge = Dump(knowledge);
    return RefusedFor(tuned, record);
  };
  EXPECT_THAT(refused([](ordered_json& knowledge) { knowledge["al1Bound"] = 3; }),
              HasSubstr("knowledge.al1Bound: found 3, must be "));
  EXPECT_THAT(refused([](ordered_json& knowledge) { knowledge.erase("splitWo"); }),
              HasSubstr("knowledge lacks 'splitWo'"));
  EXPECT_THAT(refused([](ordered_json& knowledge) { knowledge.erase("baseM"); }),
              HasSubstr(path_ + ":1: its tiling: key 'baseM' not found; tune the case again"));
  EXPECT_THAT(refused([](ordered_json& knowledge) { knowledge["baseX"] = 1; }),
              HasSubstr("knowledge has 'baseX'"));
  EXPECT_THAT(refused([](ordered_json& knowledge) { knowledge["baseM"] = 17; }),
              HasSubstr("does not fit the case: dwTiling.baseM"));
}

TEST_F(Knowledge, IsReadLineByLine) {
  const std::string line = LineOf(Tuned(kMatmul).Record());
  EXPECT_EQ(Base("\xEF\xBB\xBF" + line + "\n  \n" + line).records().size(), 2U);
  EXPECT_TRUE(Base("").records().empty());
  EXPECT_THAT(Refused(line + "{\"id\":"), HasSubstr(path_ + ":2: no record of a knowledge base of this"));
  EXPECT_THAT(Refused("{\"id\": 0, \"op\": \"matmul\"}\n"), HasSubstr(path_ + ":1: no record"));
  for (const auto& [text, found] : {std::pair("[1]", "an array"), {"5", "a number"}, {"null", "null"}}) {
    EXPECT_THAT(Refused(text), HasSubstr(path_ + ":1: no record of a knowledge base of this program: found " +
                                         found + ", must be an object: a record is a line {\"info_dict\": "));
  }
  ordered_json record = ParseOrderedJson(line);
  record["info_dict"]["m"] = 1.5;
  EXPECT_THAT(
      Refused(Dump(record)),
      HasSubstr("this program: info_dict.m: found 1.5, must be a whole number of 64 bits with a sign, true, "
                "false or a text"));
  record["info_dict"]["m"] = uint64_t{1} << 63;
  EXPECT_THAT(
      Refused(Dump(record)),
      HasSubstr("info_dict.m: found 9223372036854775808, must be a whole number of 64 bits with a sign"));
  record = ParseOrderedJson(line);
  record["tilesim"]["used_cores"] = 4.9e19;
  EXPECT_THAT(Refused(Dump(record)),
              HasSubstr("tilesim.used_cores: found 4.9e+19, must be a whole number of 64"));
  record["tilesim"] = {1, 2};
  EXPECT_THAT(Refused(Dump(record)), HasSubstr("this program: tilesim: found an array, must be an object"));
}

TEST_F(Knowledge, TheLastOfSeveralRecordsCounts) {
  const Tuned tuned(kMatmul);
  KnowledgeRecord later = tuned.Record();
  later.origin.time_us = 77;
  const KnowledgeBase base = Base(LineOf(tuned.Record()) + LineOf(later));
  EXPECT_EQ(base.Find(*KeyOf(tuned.problem), Soc().name, tuned.cores)->origin.time_us, 77);
}

}  // namespace
}  // namespace tilesim::testing
