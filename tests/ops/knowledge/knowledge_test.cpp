// Records of a knowledge base: their keys are the schema's, a tiling comes back from them as it went in, and
// what is not what it says it is is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <tuple>
#include <utility>

#include "formats/error.h"
#include "ops/choose_plan.h"
#include "ops/knowledge/known_plan.h"
#include "ops/knowledge/model_version.h"
#include "ops/knowledge/near_plan.h"
#include "ops/operator_run.h"
#include "ops/operators.h"

namespace tilesim {
namespace {

using nlohmann::ordered_json;
using testing::HasSubstr;

const SocConfig& Soc() {
  static const SocConfig soc = LoadSoc("ascend910b2");
  return soc;
}

const CaseCells kFilter = {{"op", "conv3d_backprop_filter"},
                           {"input", "2x32x4x16x16"},
                           {"filter", "64x32x3x3x3"},
                           {"pad", "1x0x2x1x0x1"}};
const CaseCells kInput = {{"op", "conv3d_backprop_input"},
                          {"input", "2x32x4x16x15"},
                          {"filter", "64x32x3x3x3"},
                          {"stride", "2"},
                          {"pad", "1"},
                          {"dtype", "bf16"}};
const CaseCells kPool = {
    {"op", "max_pool2d"}, {"input", "2x70x15x16"}, {"filter", "3x3"}, {"stride", "2"}, {"pad", "1"}};
const CaseCells kPoolGrad = {{"op", "max_pool3d_grad"}, {"input", "2x70x5x15x16"}, {"filter", "3x3x3"}};
const CaseCells kMatmul = {{"op", "matmul"}, {"m", "1000"}, {"n", "700"}, {"k", "300"}, {"transpose_b", "1"}};

CaseCells With(CaseCells cells, const std::string& column, const std::string& value) {
  cells[column] = value;
  return cells;
}

struct Tuned {
  Case problem;
  std::unique_ptr<Operator> op;
  int64_t cores = 0;
  Plan plan;

  explicit Tuned(const CaseCells& cells, PlannerKind planner = PlannerKind::kOp)
      : problem(ReadCase(cells, 0, "")), op(MakeOperator(problem)), cores(CoresOf(*op, Soc())) {
    plan = op->MakePlan(planner, Soc(), cores);
  }

  [[nodiscard]] KnowledgeRecord Record() const {
    return {.key = *KeyOf(problem),
            .tiling = PartsOf(problem, plan.tiling),
            .origin = {.id = "a case",
                       .row = 3,
                       .soc = Soc().name,
                       .cores = cores,
                       .model = ModelVersion(Soc()),
                       .objective = "time",
                       .time_us = 5.5,
                       .gm_bytes = 11,
                       .l1_bytes = 12,
                       .used_cores = 13,
                       .op_us = 6.5,
                       .api_us = {},
                       .from = "search",
                       .bound_us = 4.5,
                       .optimal = true,
                       .legal = 99,
                       .considered = 98,
                       .played = 97,
                       .simulated = 7,
                       .sentence = "the best of all"}};
  }
};

class Knowledge : public testing::Test {
 protected:
  ~Knowledge() override { std::filesystem::remove(path_); }

  KnowledgeBase Base(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return KnowledgeBase::Read(path_);
  }
  std::string Refused(const std::string& text) {
    try {
      (void)Base(text);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
  std::string RefusedFor(const Tuned& tuned, const KnowledgeRecord& record, const SocConfig& soc = Soc()) {
    try {
      (void)KnownPlan(Base(LineOf(record)), tuned.problem, *tuned.op, soc, tuned.cores);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }

  const std::string path_ = testing::TempDir() + "knowledge_test_" +
                            testing::UnitTest::GetInstance()->current_test_info()->name() + ".jsonl";
};

// The names and their order as the specification of the schema lists them.
void ExpectKeys(const ordered_json& object, const std::string& names) {
  std::istringstream words(names);
  std::vector<std::string> expected;
  for (std::string word; words >> word;) {
    expected.push_back(word);
  }
  std::vector<std::string> found;
  for (const auto& [name, value] : object.items()) {
    found.push_back(name);
  }
  EXPECT_EQ(found, expected);
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
  EXPECT_EQ(record.key.info["pad_f"], 1);
  EXPECT_EQ(record.key.info["pad_b"], 0);
  EXPECT_EQ(record.key.info["pad_u"], 2);
  EXPECT_EQ(record.key.info["pad_d"], 1);
  EXPECT_EQ(record.key.info["pad_l"], 0);
  EXPECT_EQ(record.key.info["pad_r"], 1);
  EXPECT_EQ(record.key.info["a_dtype"], 1);
  EXPECT_EQ(record.key.info["c_dtype"], 0);
  EXPECT_EQ(record.key.info["c_dtype_bytes"], 4);
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
    EXPECT_EQ(ToJson(known->tiling), ToJson(tuned.plan.tiling));
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
  KnowledgeRecord record = tuned.Record();
  record.tiling.knowledge["al1Bound"] = 3;
  EXPECT_THAT(RefusedFor(tuned, record), HasSubstr("knowledge.al1Bound: found 3, must be "));
  record = tuned.Record();
  record.tiling.knowledge.erase("splitWo");
  EXPECT_THAT(RefusedFor(tuned, record), HasSubstr("knowledge lacks 'splitWo'"));
  record = tuned.Record();
  record.tiling.knowledge.erase("baseM");
  EXPECT_THAT(RefusedFor(tuned, record), HasSubstr("'baseM'"));
  record = tuned.Record();
  record.tiling.knowledge["baseX"] = 1;
  EXPECT_THAT(RefusedFor(tuned, record), HasSubstr("knowledge has 'baseX'"));
  record = tuned.Record();
  record.tiling.knowledge["baseM"] = 17;
  EXPECT_THAT(RefusedFor(tuned, record), HasSubstr("does not fit the case: dwTiling.baseM"));
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
  ordered_json record = ordered_json::parse(line);
  record["tilesim"] = {1, 2};
  EXPECT_THAT(Refused(record.dump()), HasSubstr("this program: tilesim: found an array, must be an object"));
}

TEST_F(Knowledge, TheLastOfSeveralRecordsCounts) {
  const Tuned tuned(kMatmul);
  KnowledgeRecord later = tuned.Record();
  later.origin.time_us = 77;
  const KnowledgeBase base = Base(LineOf(tuned.Record()) + LineOf(later));
  EXPECT_EQ(base.Find(*KeyOf(tuned.problem), Soc().name, tuned.cores)->origin.time_us, 77);
}

TEST_F(Knowledge, FindsTheNearestCase) {
  const auto record = [](const std::string& column, const std::string& value) {
    KnowledgeRecord r = Tuned(With(kMatmul, column, value)).Record();
    r.origin.id = column + value;
    return r;
  };
  KnowledgeRecord other_model = record("m", "1001");
  other_model.origin.model = "0-0";
  const KnowledgeBase base =
      Base(LineOf(record("m", "4000")) + LineOf(record("m", "1100")) + LineOf(record("n", "1400")) +
           LineOf(record("dtype", "bf16")) + LineOf(other_model));
  const Tuned tuned(kMatmul);
  const std::string model = ModelVersion(Soc());
  ASSERT_NE(base.Nearest(*KeyOf(tuned.problem), Soc().name, 24, model), nullptr);
  EXPECT_EQ(base.Nearest(*KeyOf(tuned.problem), Soc().name, 24, model)->origin.id, "m1100");
  EXPECT_EQ(base.Nearest(*KeyOf(tuned.problem), Soc().name, 20, model), nullptr);
  EXPECT_EQ(base.Nearest(*KeyOf(Tuned(kFilter).problem), Soc().name, 24, model), nullptr);
}

TEST_F(Knowledge, KeepsApartProblemsOfAnotherKind) {
  const Tuned tuned(kPool);
  const std::string model = ModelVersion(Soc());
  for (const auto& [column, value] :
       {std::pair("filter", "2x2"), std::pair("stride", "1"), std::pair("dilation", "2"),
        std::pair("dtype", "bf16"), std::pair("layout", "NHWC"), std::pair("nan", "ignore")}) {
    const KnowledgeBase base = Base(LineOf(Tuned(With(kPool, column, value)).Record()));
    EXPECT_EQ(base.Nearest(*KeyOf(tuned.problem), Soc().name, tuned.cores, model), nullptr) << column;
  }
  const KnowledgeBase base = Base(LineOf(Tuned(With(kPool, "input", "1x70x30x16")).Record()));
  EXPECT_NE(base.Nearest(*KeyOf(tuned.problem), Soc().name, tuned.cores, model), nullptr);
}

TEST_F(Knowledge, MakesANearTilingFitTheCase) {
  const std::pair<CaseCells, const char*> cases[] = {
      {kFilter, "1x64x8x24x24"},   {kFilter, "2x32x2x5x7"},   {kInput, "1x48x6x30x31"},
      {kInput, "2x32x3x6x9"},      {kPool, "1x20x40x50"},     {kPool, "3x200x7x5"},
      {kPoolGrad, "1x20x9x31x30"}, {kPoolGrad, "2x64x3x4x5"}, {kPool, "1x300x200x300"}};
  for (const auto& [cells, input] : cases) {
    const Tuned near(cells);
    CaseCells other = With(cells, "input", input);
    if (other.at("op").starts_with("conv")) {  // as many channels come in
      const std::string channels = std::string(input).substr(2, std::string(input).find('x', 2) - 2);
      other["filter"] = "64x" + channels + "x3x3x3";
    }
    const Tuned tuned(other);
    const std::optional<Plan> plan = NearPlan(near.Record(), tuned.problem, *tuned.op, Soc(), tuned.cores);
    ASSERT_TRUE(plan) << other.at("op") << " " << input;
    EXPECT_TRUE(plan->legal);
  }
  const Tuned near(kMatmul);
  for (const auto& [m, n, k] : {std::tuple("2000", "100", "64"), std::tuple("17", "4000", "1000")}) {
    const Tuned tuned(With(With(With(kMatmul, "m", m), "n", n), "k", k));
    EXPECT_TRUE(NearPlan(near.Record(), tuned.problem, *tuned.op, Soc(), tuned.cores)) << m;
  }
}

TEST_F(Knowledge, SeedsASearchWithTheCaseItselfOrTheNearestOne) {
  const Tuned tuned(kPool);
  const Tuned other(With(kPool, "input", "2x70x17x18"));
  KnowledgeRecord old = tuned.Record();
  old.origin.model = "0-0";
  const auto from = [&](const std::string& lines) {
    const std::optional<TuneSeed> seed = SeedOf(Base(lines), tuned.problem, *tuned.op, Soc(), tuned.cores);
    return seed ? seed->from : "";
  };
  EXPECT_EQ(from(LineOf(other.Record()) + LineOf(tuned.Record())), "kb");
  EXPECT_EQ(from(LineOf(other.Record())), "near");
  EXPECT_EQ(from(LineOf(other.Record()) + LineOf(old)), "near");
  EXPECT_EQ(from(LineOf(old)), "");
  const auto passed_over = [&](const std::string& lines) {
    return WhyPassedOver(Base(lines), tuned.problem, Soc(), tuned.cores);
  };
  KnowledgeRecord old_other = other.Record();
  old_other.origin.model = "0-0";
  EXPECT_EQ(passed_over(LineOf(tuned.Record())), "");
  EXPECT_EQ(passed_over(LineOf(old_other) + LineOf(tuned.Record())), "");
  EXPECT_EQ(passed_over(""), "");
  EXPECT_THAT(passed_over(LineOf(other.Record()) + LineOf(old)),
              HasSubstr(":2: was tuned under model 0-0, this is " + ModelVersion(Soc())));
  EXPECT_THAT(passed_over(LineOf(old_other)), HasSubstr(":1: was tuned under model 0-0"));
  EXPECT_EQ(from(LineOf(Tuned(kMatmul).Record())), "");
}

// What another operator's, part's or farther record says of its model is nothing to this case.
TEST_F(Knowledge, SaysWhichRecordItWouldHaveBegunWithButForItsModel) {
  const Tuned tuned(kPool);
  const auto why = [&](const std::vector<KnowledgeRecord>& records) {
    std::string lines;
    for (const KnowledgeRecord& record : records) {
      lines += LineOf(record);
    }
    return WhyPassedOver(Base(lines), tuned.problem, Soc(), tuned.cores);
  };
  const auto old = [](KnowledgeRecord record) {
    record.origin.model = "0-0";
    return record;
  };
  const KnowledgeRecord near = Tuned(With(kPool, "input", "2x70x17x18")).Record();
  const KnowledgeRecord far = Tuned(With(kPool, "input", "2x70x34x36")).Record();
  const KnowledgeRecord product = Tuned(kMatmul).Record();
  EXPECT_THAT(why({product, old(far), old(near)}), HasSubstr(":3: was tuned under model 0-0"));
  EXPECT_THAT(why({far, old(near)}), HasSubstr(":2: was tuned under model 0-0"));
  EXPECT_EQ(why({old(far), near}), "");
  EXPECT_EQ(why({old(near), near}), "");
  EXPECT_EQ(why({old(product)}), "");
  KnowledgeRecord of_another_part = old(near);
  of_another_part.origin.soc = "ascend910b1";
  EXPECT_EQ(why({of_another_part}), "");
}

TEST(Model, VersionChangesWithEveryFigure) {
  const std::string version = ModelVersion(Soc());
  EXPECT_EQ(version, ModelVersion(LoadSoc("ascend910b2")));
  EXPECT_NE(version, ModelVersion(LoadSoc("ascend910b1")));
  for (const char* set :
       {"launch.us_per_core=0.07", "queue.mte1=9", "numerics.ieee=1", "chip.aic_cores=23"}) {
    const std::vector<std::string> sets = {set};
    EXPECT_NE(version, ModelVersion(LoadSoc("ascend910b2", sets))) << set;
  }
}

}  // namespace
}  // namespace tilesim
