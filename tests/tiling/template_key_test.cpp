#include <gtest/gtest.h>

#include "ascendc/host_api/tiling/template_argument.h"
#include "formats/error.h"
#include "sim/ascendc/type_macros.h"

namespace {

using tilesim::TemplateKey;
using tilesim::TemplateParameter;
using enum tilesim::TemplateValues;

namespace every_kind {
ASCENDC_TPL_ARGS_DECL(EveryKind,
                      ASCENDC_TPL_DATATYPE_DECL(D_T_X, C_DT_FLOAT, C_DT_FLOAT16, ASCENDC_TPL_INPUT(0)),
                      ASCENDC_TPL_DTYPE_DECL(D_T_Y, C_DT_FLOAT, C_DT_BF16),
                      ASCENDC_TPL_FORMAT_DECL(F_X, C_FORMAT_ND, C_FORMAT_FRACTAL_NZ),
                      ASCENDC_TPL_UINT_DECL(TILES, ASCENDC_TPL_8_BW, ASCENDC_TPL_UI_MIX, 2, 0, 2, 3, 5, 10,
                                            12, 13, 9, 8),
                      ASCENDC_TPL_BOOL_DECL(IS_SPLIT, 0, 1),
                      ASCENDC_TPL_KERNEL_TYPE_DECL(TYPE, ASCENDC_TPL_AIV_ONLY, ASCENDC_TPL_MIX_AIC_1_2));
ASCENDC_TPL_SEL(ASCENDC_TPL_ARGS_SEL(ASCENDC_TPL_DATATYPE_SEL(D_T_X, C_DT_FLOAT),
                                     ASCENDC_TPL_UINT_SEL(TILES, ASCENDC_TPL_UI_LIST, 1, 5)));

TEST(TemplateKey, HasTheFirstParameterInItsLowestBits) {
  EXPECT_EQ(
      GET_TPL_TILING_KEY(C_DT_FLOAT16, C_DT_BF16, C_FORMAT_FRACTAL_NZ, 8, true, ASCENDC_TPL_MIX_AIC_1_2),
      1U | 27U << 8 | 29U << 16 | 10ULL << 24 | 1ULL << 32 | 7ULL << 33);
  EXPECT_EQ(GET_TPL_TILING_KEY(C_DT_FLOAT, C_DT_FLOAT, C_FORMAT_ND, 0, 0, ASCENDC_TPL_AIV_ONLY), 2U << 16);
}

TEST(TemplateKey, TakesTheTypeOfAnInputWhateverItIs) {
  EXPECT_EQ(GET_TPL_TILING_KEY(C_DT_INT4, C_DT_FLOAT, C_FORMAT_ND, 0, 0, 0), 29U | 2U << 16);
  EXPECT_EQ(GET_TPL_TILING_KEY(256, C_DT_FLOAT, C_FORMAT_ND, 0, 0, 0), TemplateKey::kNone);  // 8 bits
  EXPECT_EQ(ASCENDC_TPL_INPUT(2), 100000002);
  EXPECT_EQ(ASCENDC_TPL_OUTPUT(2), 900000002);
}

TEST(TemplateKey, IsAllOnesForAValueThatIsNotDeclared) {
  EXPECT_EQ(GET_TPL_TILING_KEY(C_DT_FLOAT, C_DT_INT8, C_FORMAT_ND, 0, 0, 0), ~uint64_t{0});
  EXPECT_EQ(GET_TPL_TILING_KEY(C_DT_FLOAT, C_DT_FLOAT, C_FORMAT_ND, 6, 0, 0), ~uint64_t{0});
  EXPECT_EQ(GET_TPL_TILING_KEY(C_DT_FLOAT, C_DT_FLOAT, C_FORMAT_ND, 0, 2, 0), ~uint64_t{0});
}

TEST(TemplateKey, SetsTheKeyOfAContext) {
  struct Context {
    void SetTilingKey(uint64_t value) { key = value; }
    uint64_t key = 0;
  } context;
  ASCENDC_TPL_SEL_PARAM(&context, C_DT_FLOAT, C_DT_FLOAT, C_FORMAT_ND, 1, 0, 0);
  EXPECT_EQ(context.key, 2U << 16 | 1U << 24);
}
}  // namespace every_kind

TEST(TemplateKey, NumbersRangesFirst) {
  const TemplateKey key("Op",
                        {TemplateParameter::Number("T", 8, kRangesAndList, 2, 0, 2, 3, 5, 10, 12, 13, 9, 8)});
  const uint64_t values[] = {0, 1, 2, 3, 4, 5, 10, 12, 13, 9, 8};
  for (uint64_t i = 0; i < std::size(values); ++i) {
    EXPECT_EQ(key.Of(values[i]), i);
  }
  const TemplateKey ranges("Op", {TemplateParameter::Number("T", 4, kRanges, 2, 7, 7, 100, 104)});
  EXPECT_EQ(ranges.Of(7), 0U);
  EXPECT_EQ(ranges.Of(104), 5U);
  EXPECT_EQ(ranges.Of(105), TemplateKey::kNone);
}

TEST(TemplateKey, IsAllOnesWhereBitsDoNotSuffice) {
  const TemplateKey narrow("Op", {TemplateParameter::Number("T", 2, kList, 10, 20, 30, 40, 50)});
  EXPECT_EQ(narrow.Of(40), 3U);
  EXPECT_EQ(narrow.Of(50), TemplateKey::kNone);
  const auto wide = TemplateParameter::Number("T", 32, kList, 5);
  EXPECT_EQ(TemplateKey("Op", {wide, wide}).Of(5, 5), 0U);
  EXPECT_EQ(TemplateKey("Op", {wide, wide, TemplateParameter::Flag("B", 0, 1)}).Of(5, 5, 0),
            TemplateKey::kNone);
}

template <class Action>
std::string Refusal(Action action) {
  try {
    action();
  } catch (const tilesim::UserError& error) {
    return error.what();
  }
  return "";
}

TEST(TemplateKey, RefusesAnotherNumberOfValuesThanThereAreParameters) {
  const TemplateKey key("Add", {TemplateParameter::Flag("B", 0, 1)});
  EXPECT_EQ(Refusal([&] { (void)key.Of(1, 1); }),
            "GET_TPL_TILING_KEY: 2 values, Add has 1 parameters; give one for each");
}

TEST(TemplateKey, RefusesRangesThatAreNoPairs) {
  EXPECT_EQ(
      Refusal([] { TemplateKey("Add", {TemplateParameter::Number("T", 8, kRanges, 2, 0, 2, 3)}); }),
      "ASCENDC_TPL_ARGS_DECL of Add: T has 4 values, must have the number of its ranges and two values for "
      "each");
  EXPECT_EQ(Refusal([] { TemplateKey("Add", {TemplateParameter::Number("T", 8, kRanges, 1, 4, 3)}); }),
            "ASCENDC_TPL_ARGS_DECL of Add: the range 4 to 3 of T is empty; the first value comes first");
}

// As the macros that an operator's build gives its kernels are used.
#define FORMAT_X FORMAT_NCDHW
#define ORIG_DTYPE_X DT_BF16
TEST(TypeMacros, AreNumbersForThePreprocessor) {
#if FORMAT_X == FORMAT_NCDHW && FORMAT_X != FORMAT_NDC1HWC0 && ORIG_DTYPE_X == DT_BF16
  SUCCEED();
#else
  FAIL();
#endif
}

TEST(TypeMacros, AreTheCodesOfTemplateKeys) {
  EXPECT_EQ(DT_FLOAT, C_DT_FLOAT);
  EXPECT_EQ(DT_FLOAT16, C_DT_FLOAT16);
  EXPECT_EQ(DT_INT8, C_DT_INT8);
  EXPECT_EQ(DT_INT32, C_DT_INT32);
  EXPECT_EQ(DT_UINT8, C_DT_UINT8);
  EXPECT_EQ(DT_INT16, C_DT_INT16);
  EXPECT_EQ(DT_UINT16, C_DT_UINT16);
  EXPECT_EQ(DT_UINT32, C_DT_UINT32);
  EXPECT_EQ(DT_INT64, C_DT_INT64);
  EXPECT_EQ(DT_UINT64, C_DT_UINT64);
  EXPECT_EQ(DT_BOOL, C_DT_BOOL);
  EXPECT_EQ(DT_BF16, C_DT_BF16);
  EXPECT_EQ(DT_INT4, C_DT_INT4);
  EXPECT_EQ(FORMAT_ND, C_FORMAT_ND);
  EXPECT_EQ(FORMAT_FRACTAL_NZ, C_FORMAT_FRACTAL_NZ);
  EXPECT_EQ(FORMAT_NCDHW, C_FORMAT_NCDHW);
  EXPECT_EQ(FORMAT_NDC1HWC0, C_FORMAT_NDC1HWC0);
  EXPECT_EQ(FORMAT_FRACTAL_Z_3D, C_FORMAT_FRACTAL_Z_3D);
}

}  // namespace
