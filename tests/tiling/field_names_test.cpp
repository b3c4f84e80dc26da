// The names and places of the numbers of tiling data, written out a second time: the structs, the classes
// that hosts fill and the text are all made of one list each, so that only this finds two names that changed
// places in it.
#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "tiling/conv_backprop/gradient_text.h"
#include "tiling/elementwise/elementwise_planner.h"
#include "tiling/matmul/matmul_text.h"
#include "tiling/max_pool/pool_text.h"
#include "tiling/rearrange/rearrange_planner.h"
#include "tiling/tiling_field.h"

namespace tilesim {
namespace {

// A member of a struct, by its name.
struct Member {
  std::string name;
  size_t offset_bytes = 0;
  size_t width_bytes = 0;
  bool is_signed = false;
};
#define TILESIM_NAMED(NAME) \
  Member { #NAME, offsetof(Data, NAME), sizeof(Data::NAME), std::is_signed_v < decltype(Data::NAME)> }

// Expects that the members follow each other in memory in this order, each at a multiple of its width, and
// that the fields of `section` are these members in this order; the struct starts at `begin_bytes` of the
// tiling data.
void ExpectNamed(std::span<const TilingField> fields, std::string_view section,
                 const std::vector<Member>& members, size_t begin_bytes = 0) {
  std::vector<TilingField> of_section;
  for (const TilingField& field : fields) {
    if (field.section == section) {
      of_section.push_back(field);
    }
  }
  ASSERT_EQ(of_section.size(), members.size());
  size_t end = 0;  // of the member before
  for (size_t i = 0; i < members.size(); ++i) {
    const Member& member = members[i];
    const TilingField& field = of_section[i];
    EXPECT_EQ(member.offset_bytes, (end + member.width_bytes - 1) / member.width_bytes * member.width_bytes)
        << member.name;
    EXPECT_EQ(field.name, member.name);
    EXPECT_EQ(field.offset_bytes, begin_bytes + member.offset_bytes) << member.name;
    EXPECT_EQ(field.width_bytes, member.width_bytes) << member.name;
    EXPECT_EQ(field.is_signed, member.is_signed) << member.name;
    end = member.offset_bytes + member.width_bytes;
  }
}

// In the order that the documented API gives.
TEST(FieldNames, OfTheFilterGradientAreTheDocumentedOnesInTheirOrder) {
  using Data = TConv3DBpFilterTiling;
  ExpectNamed(FieldsIn<Conv3DBackpropFilterTilingData>(), "dwTiling",
              {TILESIM_NAMED(batch),
               TILESIM_NAMED(cin),
               TILESIM_NAMED(cout),
               TILESIM_NAMED(cin1G),
               TILESIM_NAMED(cout1G),
               TILESIM_NAMED(dout),
               TILESIM_NAMED(ho),
               TILESIM_NAMED(wo),
               TILESIM_NAMED(di),
               TILESIM_NAMED(hi),
               TILESIM_NAMED(wi),
               TILESIM_NAMED(dk),
               TILESIM_NAMED(hk),
               TILESIM_NAMED(wk),
               TILESIM_NAMED(group),
               TILESIM_NAMED(strideD),
               TILESIM_NAMED(strideH),
               TILESIM_NAMED(strideW),
               TILESIM_NAMED(padFront),
               TILESIM_NAMED(padBack),
               TILESIM_NAMED(padUp),
               TILESIM_NAMED(padDown),
               TILESIM_NAMED(padLeft),
               TILESIM_NAMED(padRight),
               TILESIM_NAMED(dilationD),
               TILESIM_NAMED(dilationH),
               TILESIM_NAMED(dilationW),
               TILESIM_NAMED(channelSize),
               TILESIM_NAMED(al0Pbuffer),
               TILESIM_NAMED(bl0Pbuffer),
               TILESIM_NAMED(cl0Pbuffer),
               TILESIM_NAMED(al1Pbuffer),
               TILESIM_NAMED(bl1Pbuffer),
               TILESIM_NAMED(baseM),
               TILESIM_NAMED(baseK),
               TILESIM_NAMED(baseN),
               TILESIM_NAMED(m0),
               TILESIM_NAMED(k0),
               TILESIM_NAMED(n0),
               TILESIM_NAMED(stepM),
               TILESIM_NAMED(stepN),
               TILESIM_NAMED(stepKa),
               TILESIM_NAMED(stepKb),
               TILESIM_NAMED(iterateOrder),
               TILESIM_NAMED(bl1Bound),
               TILESIM_NAMED(hf32Flag),
               TILESIM_NAMED(singleCoreDk),
               TILESIM_NAMED(singleCoreGroup),
               TILESIM_NAMED(singleCoreCout),
               TILESIM_NAMED(singleCoreHo),
               TILESIM_NAMED(singleCoreBatch),
               TILESIM_NAMED(singleCoreCin)},
              offsetof(Conv3DBackpropFilterTilingData, dwTiling));
}

TEST(FieldNames, OfTheFilterGradientsBasicBlockAreMNK) {
  using Data = TConv3DBpFilterBasicBlockTiling;
  ExpectNamed(FieldsIn<Conv3DBackpropFilterTilingData>(), "basicBlockTiling",
              {TILESIM_NAMED(singleCoreM), TILESIM_NAMED(singleCoreN), TILESIM_NAMED(singleCoreK)},
              offsetof(Conv3DBackpropFilterTilingData, basicBlockTiling));
}

TEST(FieldNames, OfTheInputGradientAreTheDocumentedOnesInTheirOrder) {
  using Data = TConv3DBackpropInputTiling;
  ExpectNamed(FieldsIn<Conv3DBackpropInputTilingData>(), "conv3DDxTiling",
              {TILESIM_NAMED(batch),
               TILESIM_NAMED(cin),
               TILESIM_NAMED(cout),
               TILESIM_NAMED(cout1),
               TILESIM_NAMED(cin1),
               TILESIM_NAMED(cout1G),
               TILESIM_NAMED(cin1G),
               TILESIM_NAMED(c0),
               TILESIM_NAMED(c0Bits),
               TILESIM_NAMED(dout),
               TILESIM_NAMED(ho),
               TILESIM_NAMED(wo),
               TILESIM_NAMED(di),
               TILESIM_NAMED(hi),
               TILESIM_NAMED(wi),
               TILESIM_NAMED(dk),
               TILESIM_NAMED(hk),
               TILESIM_NAMED(wk),
               TILESIM_NAMED(group),
               TILESIM_NAMED(strideD),
               TILESIM_NAMED(strideH),
               TILESIM_NAMED(strideW),
               TILESIM_NAMED(padFront),
               TILESIM_NAMED(padBack),
               TILESIM_NAMED(padUp),
               TILESIM_NAMED(padDown),
               TILESIM_NAMED(padLeft),
               TILESIM_NAMED(padRight),
               TILESIM_NAMED(backpropPadTail),
               TILESIM_NAMED(backpropPadUp),
               TILESIM_NAMED(backpropPadDown),
               TILESIM_NAMED(backpropPadLeft),
               TILESIM_NAMED(backpropPadRight),
               TILESIM_NAMED(dilationD),
               TILESIM_NAMED(dilationH),
               TILESIM_NAMED(dilationW),
               TILESIM_NAMED(al0Pbuffer),
               TILESIM_NAMED(bl0Pbuffer),
               TILESIM_NAMED(cl0Pbuffer),
               TILESIM_NAMED(al1Pbuffer),
               TILESIM_NAMED(bl1Pbuffer),
               TILESIM_NAMED(singleCoreGroup),
               TILESIM_NAMED(singleCoreCout),
               TILESIM_NAMED(singleCoreCout1),
               TILESIM_NAMED(singleCoreCin1),
               TILESIM_NAMED(singleCoreDin),
               TILESIM_NAMED(singleCoreHo),
               TILESIM_NAMED(baseM),
               TILESIM_NAMED(baseK),
               TILESIM_NAMED(baseN),
               TILESIM_NAMED(baseD),
               TILESIM_NAMED(baseBatch),
               TILESIM_NAMED(baseGroup),
               TILESIM_NAMED(stepM),
               TILESIM_NAMED(stepN),
               TILESIM_NAMED(stepKa),
               TILESIM_NAMED(stepKb),
               TILESIM_NAMED(stepBatch),
               TILESIM_NAMED(stepGroup),
               TILESIM_NAMED(iterateOrder),
               TILESIM_NAMED(hf32Flag),
               TILESIM_NAMED(initOutputFlag),
               TILESIM_NAMED(reserved),
               TILESIM_NAMED(singleCoreBatch),
               TILESIM_NAMED(singleCoreM),
               TILESIM_NAMED(singleCoreCin)},
              offsetof(Conv3DBackpropInputTilingData, conv3DDxTiling));
}

TEST(FieldNames, OfElementwiseTilingsAreItsMembers) {
  using Data = ElementwiseTilingData;
  ExpectNamed(
      FieldsIn<ElementwiseTilingData>(), "data",
      {TILESIM_NAMED(rows), TILESIM_NAMED(columns), TILESIM_NAMED(tileRows), TILESIM_NAMED(tileColumns),
       TILESIM_NAMED(bufferNum), TILESIM_NAMED(bufferBytes), TILESIM_NAMED(l2Bypass)});
}

TEST(FieldNames, OfRearrangementsAreItsMembersWithTheirDigits) {
  using Data = RearrangeTilingData;
  constexpr size_t kWidth = sizeof(decltype(Data::extent)::value_type);
  std::vector<Member> members;
  for (size_t digit = 0; digit < kMostDigits; ++digit) {
    members.push_back({"extent" + std::to_string(digit), offsetof(Data, extent) + digit * kWidth, kWidth});
  }
  for (size_t digit = 0; digit < kMostDigits; ++digit) {
    members.push_back({"tile" + std::to_string(digit), offsetof(Data, tile) + digit * kWidth, kWidth});
  }
  for (const Member& member : {TILESIM_NAMED(colDigits), TILESIM_NAMED(rowDigits), TILESIM_NAMED(inPitch),
                               TILESIM_NAMED(outPitch), TILESIM_NAMED(bufferNum)}) {
    members.push_back(member);
  }
  ExpectNamed(FieldsIn<RearrangeTilingData>(), "data", members);
}

TEST(FieldNames, OfMatrixProductsAreItsMembers) {
  using Data = MatmulTilingData;
  std::vector<Member> members = {
      TILESIM_NAMED(usedCoreNum),  TILESIM_NAMED(M),           TILESIM_NAMED(N),
      TILESIM_NAMED(Ka),           TILESIM_NAMED(Kb),          TILESIM_NAMED(singleCoreM),
      TILESIM_NAMED(singleCoreN),  TILESIM_NAMED(singleCoreK), TILESIM_NAMED(baseM),
      TILESIM_NAMED(baseN),        TILESIM_NAMED(baseK),       TILESIM_NAMED(depthA1),
      TILESIM_NAMED(depthB1),      TILESIM_NAMED(stepM),       TILESIM_NAMED(stepN),
      TILESIM_NAMED(iterateOrder), TILESIM_NAMED(stepKa),      TILESIM_NAMED(stepKb),
      TILESIM_NAMED(dbL0A),        TILESIM_NAMED(dbL0B),       TILESIM_NAMED(dbL0C)};
  for (Member& member : members) {
    member.is_signed = true;  // in the vendor's struct, whose numbers the text has
  }
  ExpectNamed(FieldsIn<MatmulTilingData>(), "matmulTiling", members);
}

TEST(FieldNames, OfPoolingsAreItsMembers) {
  using Data = MaxPool3DWithArgmaxTilingData;
  ExpectNamed(FieldsIn<MaxPool3DWithArgmaxTilingData>(), "data",
              {TILESIM_NAMED(nc),
               TILESIM_NAMED(dx),
               TILESIM_NAMED(hx),
               TILESIM_NAMED(wx),
               TILESIM_NAMED(kd),
               TILESIM_NAMED(kh),
               TILESIM_NAMED(kw),
               TILESIM_NAMED(sd),
               TILESIM_NAMED(sh),
               TILESIM_NAMED(sw),
               TILESIM_NAMED(pf),
               TILESIM_NAMED(pb),
               TILESIM_NAMED(pl),
               TILESIM_NAMED(pr),
               TILESIM_NAMED(pt),
               TILESIM_NAMED(pd),
               TILESIM_NAMED(dy),
               TILESIM_NAMED(hy),
               TILESIM_NAMED(wy),
               TILESIM_NAMED(ncFactor),
               TILESIM_NAMED(ncTail),
               TILESIM_NAMED(ncOuter),
               TILESIM_NAMED(dyFactor),
               TILESIM_NAMED(dyTail),
               TILESIM_NAMED(dyOuter),
               TILESIM_NAMED(hyFactor),
               TILESIM_NAMED(hyTail),
               TILESIM_NAMED(hyOuter),
               TILESIM_NAMED(wyFactor),
               TILESIM_NAMED(wyTail),
               TILESIM_NAMED(wyOuter),
               TILESIM_NAMED(blockFactor),
               TILESIM_NAMED(blockTail),
               TILESIM_NAMED(totalIdx),
               TILESIM_NAMED(coreNums),
               TILESIM_NAMED(inputBufferSize),
               TILESIM_NAMED(outputMaxBufferSize),
               TILESIM_NAMED(outputIndiceBufferSize),
               TILESIM_NAMED(indiceTempBufferSize),
               TILESIM_NAMED(maskBufferSize),
               TILESIM_NAMED(dD),
               TILESIM_NAMED(dH),
               TILESIM_NAMED(dW),
               TILESIM_NAMED(partD),
               TILESIM_NAMED(partH),
               TILESIM_NAMED(partW)});
}

TEST(FieldNames, OfGradientsOfPoolingsAreItsMembers) {
  using Data = MaxPool3DGradWithArgmaxTilingData;
  ExpectNamed(FieldsIn<MaxPool3DGradWithArgmaxTilingData>(), "data",
              {TILESIM_NAMED(ncDim),        TILESIM_NAMED(diDim),        TILESIM_NAMED(hiDim),
               TILESIM_NAMED(wiDim),        TILESIM_NAMED(doDim),        TILESIM_NAMED(hoDim),
               TILESIM_NAMED(woDim),        TILESIM_NAMED(kd),           TILESIM_NAMED(kh),
               TILESIM_NAMED(kw),           TILESIM_NAMED(sd),           TILESIM_NAMED(sh),
               TILESIM_NAMED(sw),           TILESIM_NAMED(padDTop),      TILESIM_NAMED(padHTop),
               TILESIM_NAMED(padWTop),      TILESIM_NAMED(padDBottom),   TILESIM_NAMED(padHBottom),
               TILESIM_NAMED(padWBottom),   TILESIM_NAMED(baseNc),       TILESIM_NAMED(baseDo),
               TILESIM_NAMED(baseHo),       TILESIM_NAMED(baseWo),       TILESIM_NAMED(ncTail),
               TILESIM_NAMED(doTail),       TILESIM_NAMED(hoTail),       TILESIM_NAMED(woTail),
               TILESIM_NAMED(ncCnt),        TILESIM_NAMED(doCnt),        TILESIM_NAMED(hoCnt),
               TILESIM_NAMED(woCnt),        TILESIM_NAMED(totalCnt),     TILESIM_NAMED(usedCoreNum),
               TILESIM_NAMED(totalUBSize),  TILESIM_NAMED(singleCoreNc), TILESIM_NAMED(singleCoreDo),
               TILESIM_NAMED(singleCoreHo), TILESIM_NAMED(singleCoreWo), TILESIM_NAMED(ncRound),
               TILESIM_NAMED(ncRoundTail),  TILESIM_NAMED(totalRound),   TILESIM_NAMED(preCoreNum)});
}

#undef TILESIM_NAMED

}  // namespace
}  // namespace tilesim
