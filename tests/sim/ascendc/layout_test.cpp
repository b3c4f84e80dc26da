// Layouts and coordinates, and lists of tensors in GM.
#include <cstdint>
#include <string>
#include <vector>

#include "tests/sim/ascendc/vector_run.h"

namespace tilesim {
namespace {

using AscendC::Crd2Idx;
using AscendC::Layout;
using AscendC::MakeCoord;
using AscendC::MakeLayout;
using AscendC::MakeShape;
using AscendC::MakeStride;
using AscendC::Std::Int;

TEST(Layout, GivesTheElementOfACoordinate) {
  constexpr auto kFlat = MakeLayout(MakeShape(3, 4, 5), MakeStride(20, 5, 1));
  static_assert(kFlat(MakeCoord(1, 2, 3)) == 33);
  static_assert(Crd2Idx(MakeCoord(1, 2, 3), kFlat) == 33);
  static_assert(Crd2Idx(MakeCoord(1, 2, 3), MakeShape(3, 4, 5), MakeStride(20, 5, 1)) == 33);
  const auto nested = MakeLayout(MakeShape(MakeShape(2, 4), MakeShape(3, 5)),
                                 MakeStride(MakeStride(3, 6), MakeStride(1, 24)));
  EXPECT_EQ(nested(MakeCoord(11, 12)), 129U);
  EXPECT_EQ(nested(MakeCoord(MakeCoord(1, 5), MakeCoord(0, 4))), 129U);
  EXPECT_EQ(nested(MakeCoord(11, MakeCoord(0, 4))), 129U);
}

TEST(Layout, SplitsANumberWithTheFirstExtentFastestAndTheLastUnbounded) {
  const size_t extents[] = {2, 3, 4};
  const size_t strides[] = {100, 7, 1000};
  const auto layout = MakeLayout(MakeShape(extents[0], extents[1], extents[2]),
                                 MakeStride(strides[0], strides[1], strides[2]));
  for (size_t n = 0; n < 60; ++n) {  // 24 elements, then on along the last extent
    EXPECT_EQ(layout(n), n % 2 * 100 + n / 2 % 3 * 7 + n / 6 * 1000) << n;
  }
}

TEST(Layout, KnownToTheCompilerTakesNoSpace) {
  using Known = Layout<AscendC::Shape<Int<16>, Int<8>>, AscendC::Stride<Int<8>, Int<1>>>;
  static_assert(std::is_empty_v<Known>);
  static_assert(Known()(MakeCoord(Int<3>(), 2)) == 26);
  static_assert(AscendC::Std::get<0>(Known().GetShape()) == 16);
  static_assert(AscendC::Std::get<1>(Known().layout().GetStride()) == 1);
  static_assert(AscendC::is_layout_v<Known> && AscendC::is_layout<Layout<int, int>>::value &&
                !AscendC::is_layout_v<int>);
  auto mixed = MakeLayout(MakeShape(Int<4>(), size_t{5}), MakeStride(size_t{5}, Int<1>()));
  EXPECT_EQ(mixed(MakeCoord(2, 3)), 13U);
  EXPECT_EQ(AscendC::Std::get<1>(mixed.GetShape()), 5U);
}

// A list of tensors of `dims` (each of the same length), whose data are at 0x1000, 0x2000, ...
std::vector<uint64_t> ListOf(const std::vector<std::vector<uint64_t>>& dims, bool count_first) {
  const uint64_t rank = dims.at(0).size();
  std::vector<uint64_t> words = {8 * (1 + dims.size() * (1 + rank))};
  for (size_t i = 0; i < dims.size(); ++i) {
    const uint64_t high = count_first ? (i == 0 ? dims.size() : 0) : i;
    words.push_back(high << 32 | rank);
    words.insert(words.end(), dims[i].begin(), dims[i].end());
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    words.push_back(0x1000 * (i + 1));
  }
  return words;
}

std::string WithList(std::vector<uint64_t> words,
                     const std::function<void(AscendC::ListTensorDesc&, void*)>& use) {
  Gm<uint64_t> gm(words.size());
  gm.data() = std::move(words);
  return TextOf(RunOn(
      [&] {
        AscendC::ListTensorDesc list;
        use(list, gm.data().data());
      },
      {}, gm));
}

TEST(ListTensorDesc, ReadsTensorsAndPointers) {
  for (const bool count_first : {true, false}) {
    EXPECT_EQ(WithList(ListOf({{2, 3}, {4, 5}, {6, 7}}, count_first),
                       [](AscendC::ListTensorDesc& list, void* data) {
                         list.Init(data, 8 * 13, 3);
                         EXPECT_EQ(list.GetSize(), 3U);
                         for (uint32_t i = 0; i < 3; ++i) {
                           uint64_t extents[2] = {};
                           AscendC::TensorDesc<half> desc;
                           desc.SetShapeAddr(extents);
                           list.GetDesc(desc, i);
                           EXPECT_EQ(desc.GetDim(), 2U);
                           EXPECT_EQ(desc.GetIndex(), i);
                           EXPECT_EQ(desc.GetShape(0), 2 * i + 2);
                           EXPECT_EQ(extents[1], 2 * i + 3);
                           EXPECT_EQ(reinterpret_cast<uint64_t>(desc.GetDataPtr()), 0x1000 * (i + 1));
                           EXPECT_EQ(desc.GetDataObj().GetPhyAddr(), desc.GetDataPtr());
                           EXPECT_EQ(desc.GetDataObj().GetSize(), (2 * i + 2) * (2 * i + 3));
                           EXPECT_EQ(reinterpret_cast<uint64_t>(list.GetDataPtr<float>(i)), 0x1000 * (i + 1));
                         }
                       }),
              "");
  }
}

TEST(ListTensorDesc, ReadsAListOfPointersAlone) {
  const std::vector<uint64_t> words = {24, uint64_t{2} << 32, 0xffffffff, 0x10, 0x20};
  EXPECT_EQ(WithList(words,
                     [](AscendC::ListTensorDesc&, void* data) {
                       AscendC::ListTensorDesc list(data);
                       EXPECT_EQ(list.GetSize(), 2U);
                       EXPECT_EQ(reinterpret_cast<uint64_t>(list.GetDataPtr<half>(1)), 0x20U);
                     }),
            "");
  ExpectSays(WithList(words,
                      [](AscendC::ListTensorDesc& list, void* data) {
                        list.Init(data);
                        uint64_t extents[1];
                        AscendC::TensorDesc<half> desc;
                        desc.SetShapeAddr(extents);
                        list.GetDesc(desc, 0);
                      }),
             "holds pointers only; use GetDataPtr");
}

TEST(ListTensorDesc, RefusesWhatIsNoListAndWhatIsNotInIt) {
  const auto use = [](std::vector<uint64_t> words, uint32_t length, uint32_t tensors, uint32_t index) {
    return WithList(std::move(words), [=](AscendC::ListTensorDesc& list, void* data) {
      list.Init(data, length, tensors);
      list.GetDataPtr<half>(index);
    });
  };
  const std::vector<uint64_t> list = ListOf({{2, 3}, {4, 5}}, true);
  EXPECT_EQ(use(list, 72, 2, 1), "");
  ExpectSays(use(list, 72, 2, 2), "index: is 2, the list has 2 tensors");
  ExpectSays(use(list, 71, 2, 0), "the list has 2 tensors in 72 bytes");
  ExpectSays(use(list, 72, 3, 0), "shapeSize: is 3");
  std::vector<uint64_t> wrong = list;
  wrong[0] = 48;
  ExpectSays(use(wrong, ~0U, ~0U, 0), "its pointers start at byte 48, not 56");
  wrong[0] = 7;
  ExpectSays(use(wrong, ~0U, ~0U, 0), "which is no list of tensors");
  ExpectSays(WithList(list, [](AscendC::ListTensorDesc& empty, void*) { empty.GetDataPtr<half>(0); }),
             "is empty; call Init first");
  ExpectSays(WithList(list,
                      [](AscendC::ListTensorDesc& with, void* data) {
                        with.Init(data);
                        AscendC::TensorDesc<half> desc;
                        with.GetDesc(desc, 0);
                      }),
             "call SetShapeAddr before");
}

}  // namespace
}  // namespace tilesim
