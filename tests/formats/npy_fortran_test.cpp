// Arrays in Fortran order, as numpy.save writes a transposed one.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "formats/npy_header.h"
#include "tests/formats/npy_fixture.h"

namespace tilesim {
namespace {

// 0, 1, 2, ... as the bytes of `count` elements; all of them numbers of each type up to 100.
template <class T>
std::string Counted(int64_t count) {
  std::vector<T> values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<T>(static_cast<float>(i % 101)));
  }
  return Raw(values);
}

int64_t Elements(const std::vector<int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

TEST_F(Npy, ReadsAMatrixInFortranOrder) {
  Put(File("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }\n",
           Raw<float>({11, 21, 12, 22, 13, 23})));
  EXPECT_TRUE(ReadNpyHeader(path_).fortran_order);
  const Tensor matrix = ReadNpy(path_, DType::kFp32, Layout(Format::kND, {2, 3}));
  for (int64_t row = 0; row < 2; ++row) {
    for (int64_t column = 0; column < 3; ++column) {
      EXPECT_EQ(matrix.Get({row, column}), static_cast<double>(10 * (row + 1) + column + 1));
    }
  }
  EXPECT_EQ(ReadNpyDoubles(path_, std::vector<int64_t>{2, 3}), (std::vector<double>{11, 12, 13, 21, 22, 23}));
}

TEST_F(Npy, ReadsEveryTypeAndShapeInFortranOrderAsInCOrder) {
  const std::vector<int64_t> shapes[] = {
      {1, 1},       {1, 7},       {7, 1},          {40, 33},          {2, 1, 3},         {1, 4, 1},
      {3, 5, 2, 4}, {1, 2, 1, 3}, {2, 3, 4, 5, 6}, {2, 1, 17, 3, 19}, {2, 3, 1, 4, 2, 5}};
  for (const std::vector<int64_t>& shape : shapes) {
    for (const DType dtype : kAllDTypes) {
      const std::string descr = dtype == DType::kFp16    ? "<f2"
                                : dtype == DType::kBf16  ? "<u2"
                                : dtype == DType::kFp32  ? "<f4"
                                : dtype == DType::kInt32 ? "<i4"
                                : dtype == DType::kInt64 ? "<i8"
                                                         : "|u1";
      const std::string data =
          VisitDType(dtype, [&]<class T>(TypeTag<T>) { return Counted<T>(Elements(shape)); });
      const Layout layout(Format::kND, shape);
      Put(File(Header(descr, ShapeText(shape)), data));
      const std::vector<double> doubles = ReadNpyDoubles(path_, shape);
      Put(File(Header(descr, ShapeText(shape), "True"), InFortranOrder(data, SizeOf(dtype), shape)));
      const Tensor tensor = ReadNpy(path_, dtype, layout);
      ASSERT_EQ(tensor.size_bytes(), data.size());
      ASSERT_EQ(std::memcmp(tensor.data(), data.data(), data.size()), 0) << descr << " " << layout.Text();
      ASSERT_EQ(ReadNpyDoubles(path_, shape), doubles) << descr << " " << layout.Text();
    }
  }
}

TEST_F(Npy, TakesOtherTypesFromFortranOrder) {
  const Layout layout(Format::kND, {2, 3});
  const auto put = [&]<class T>(const std::string& descr, const std::vector<T>& values) {
    Put(File(Header(descr, "(2, 3)", "True"), Raw(values)));
  };
  put("<f8", std::vector<double>{1, 4, 2, 5, 3, 6});
  EXPECT_EQ(ReadNpy(path_, DType::kFp16, layout).Get({0, 2}), 3);
  put("<f4", std::vector<float>{1, 4, 2, 5, 3, 6});
  EXPECT_EQ(ReadNpy(path_, DType::kBf16, layout).Get({1, 0}), 4);
  put("<i8", std::vector<int64_t>{1, 4, 2, 5, 3, 6});
  EXPECT_EQ(ReadNpy(path_, DType::kInt32, layout).Get({1, 1}), 5);
}

TEST_F(Npy, ReadsNoAxisAndOneInFortranOrder) {
  Put(File(Header("<f4", "()", "True"), Raw<float>({7})));
  EXPECT_EQ(ReadNpyDoubles(path_, {}), std::vector<double>{7});
  Put(File(Header("<f4", "(3,)", "True"), Raw<float>({7, 8, 9})));
  EXPECT_EQ(ReadNpyDoubles(path_, std::vector<int64_t>{3}), (std::vector<double>{7, 8, 9}));
}

TEST_F(Npy, ReadsEmptyArraysInFortranOrder) {
  for (const std::vector<int64_t>& shape : {std::vector<int64_t>{0}, {0, 5}, {5, 0, 3}, {4, 5, 0}}) {
    Put(File(Header("<f4", ShapeText(shape), "True"), ""));
    EXPECT_TRUE(ReadNpyDoubles(path_, shape).empty());
  }
  Put(File(Header("<f2", "(0, 4, 5, 3)", "True"), ""));
  EXPECT_EQ(ReadNpy(path_, DType::kFp16, Layout(Format::kNHWC, {0, 3, 4, 5})).size_bytes(), 0U);
}

TEST_F(Npy, NamesTheElementOfAFileInFortranOrder) {
  Put(File(Header("<f4", "(2, 3)", "True"), Raw<float>({1, 4, 2, 0.1F, 3, 6})));
  EXPECT_NE(Refusal([&] {
              ReadNpy(path_, DType::kFp16, Layout(Format::kND, {2, 3}));
            }).find("element [1, 1] = 0.1"),
            std::string::npos);
  Put(File(Header("<i8", "(2, 3)", "True"), Raw<int64_t>({1, 4, 2, 5, (1LL << 60) + 1, 6})));
  EXPECT_NE(Refusal([&] {
              ReadNpyDoubles(path_, std::vector<int64_t>{2, 3});
            }).find("element [0, 2] = "),
            std::string::npos);
}

}  // namespace
}  // namespace tilesim
