#include "formats/npy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/formats/npy_fixture.h"

namespace tilesim {
namespace {

using namespace std::string_literals;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

const Layout kRow4 = Layout(Format::kND, {1, 4});

TEST_F(Npy, WritesTheBytesNumpyWrites) {
  Tensor tensor(DType::kFp32, Layout(Format::kND, {2, 1}));
  tensor.Set({0, 0}, 1);
  tensor.Set({1, 0}, -2);
  WriteNpy(path_, tensor);
  const std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }";
  EXPECT_EQ(Bytes(), "\x93NUMPY\x01\x00\x76\x00"s + dictionary +
                         std::string(0x76 - dictionary.size() - 1, ' ') + "\n" +
                         "\x00\x00\x80\x3f\x00\x00\x00\xc0"s);
}

TEST_F(Npy, EveryTypeAndLayoutComesBackAsWritten) {
  const Layout layouts[] = {Layout(Format::kNDHWC, {2, 3, 4, 5, 6}),
                            Layout(Format::kNDC1HWC0, {2, 19, 1, 5, 3}, 16),
                            Layout(Format::kFractalZ3D, {24, 5, 2, 1, 3}, 8, 6), Layout(Format::kND, {1, 1}),
                            Layout(Format::kND, {200, 300})};
  for (const Layout& layout : layouts) {
    for (const DType dtype : kAllDTypes) {
      Tensor tensor(dtype, layout);
      FillRandom(tensor, 3, -200, 200);
      WriteNpy(path_, tensor);
      const Tensor back = ReadNpy(path_, dtype, layout);
      ASSERT_EQ(back.dtype(), dtype);
      ASSERT_EQ(back.layout(), layout);
      ASSERT_EQ(std::memcmp(back.data(), tensor.data(), tensor.size_bytes()), 0)
          << Name(dtype) << " " << layout.Text();
      const NpyHeader header = ReadNpyHeader(path_);
      EXPECT_EQ(header.shape, layout.StorageShape());
      EXPECT_EQ(header.elements, layout.StorageElements());
      EXPECT_EQ(header.data_offset_bytes % 64, 0);
      EXPECT_EQ(header.dtype(), dtype == DType::kBf16 ? DType::kFp32 : dtype);
    }
  }
}

TEST_F(Npy, ReadsKeysInAnyOrderWithEitherQuoteAndVersions2And3) {
  const std::string data = Raw<float>({1, 2, 3, 4});
  const std::string dictionary = "{\"shape\":(1,4) , 'fortran_order' : False,'descr':\"<f4\"}   \n";
  Put(File(dictionary, data));
  EXPECT_EQ(ReadNpy(path_, DType::kFp32, kRow4).Get({0, 2}), 3);
  for (const char version : {'\2', '\3'}) {
    const std::string length = {static_cast<char>(dictionary.size()), 0, 0, 0};
    Put("\x93NUMPY"s + version + '\0' + length + dictionary + data);
    EXPECT_EQ(ReadNpy(path_, DType::kFp32, kRow4).Get({0, 3}), 4);
  }
}

TEST_F(Npy, TakesBf16FromItsBitsAndFromFloatsThatItHolds) {
  Put(File(Header("<u2", "(1, 4)"), Raw<uint16_t>({0x3f80, 0xc000, 0x0001, 0x7f80})));
  const Tensor from_bits = ReadNpy(path_, DType::kBf16, kRow4);
  EXPECT_EQ(from_bits.Get({0, 1}), -2);
  EXPECT_EQ(from_bits.Get({0, 2}), 0x1p-133);
  EXPECT_EQ(ReadNpyDoubles(path_, kRow4.extents())[3], std::numeric_limits<double>::infinity());
  EXPECT_EQ(Refusal([&] { ReadNpy(path_, DType::kFp32, kRow4); }),
            "element type '<u2' is read as bf16 bits only, not as fp32; save it as fp32");
  Put(File(Header("<f4", "(1, 4)"), Raw<float>({1, -2, 0x1p-133f, NAN})));
  const Tensor from_floats = ReadNpy(path_, DType::kBf16, kRow4);
  EXPECT_EQ(from_floats.As<BFloat16>()[2].bits, 0x0001);
  EXPECT_TRUE(std::isnan(from_floats.Get({0, 3})));
}

TEST_F(Npy, RefusesToRound) {
  Put(File(Header("<f4", "(2, 2)"), Raw<float>({1, 2, 1.00390625f, 4})));
  const Layout square(Format::kND, {2, 2});
  EXPECT_EQ(Refusal([&] { ReadNpy(path_, DType::kBf16, square); }),
            "element [1, 0] = 1.00390625 (<f4) is not a number that bf16 holds exactly; round the array to "
            "bf16 before "
            "saving it");
  EXPECT_EQ(ReadNpy(path_, DType::kFp16, square).Get({1, 0}), 1.00390625);
  Put(File(Header("<f8", "(2, 2)"), Raw<double>({1, 2, 0.1, 4})));
  EXPECT_EQ(Refusal([&] { ReadNpy(path_, DType::kFp32, square); }),
            "element [1, 0] = 0.1 (<f8) is not a number that fp32 holds exactly; round the array to fp32 "
            "before saving it");
  Put(File(Header("<i8", "(2, 2)"), Raw<int64_t>({1, 2, 3, 1 << 24 | 1})));
  EXPECT_NE(Refusal([&] { ReadNpy(path_, DType::kFp32, square); }).find("element [1, 1] = 16777217"),
            std::string::npos);
  EXPECT_EQ(ReadNpy(path_, DType::kInt32, square).Get({1, 1}), 16777217);
}

TEST_F(Npy, WholeTypesTakeOnlyWholeNumbersInTheirRange) {
  const auto takes = [&](DType dtype, double value) {
    Put(File(Header("<f8", "(1, 1)"), Raw<double>({value})));
    return Refusal([&] {
             EXPECT_EQ(ReadNpy(path_, dtype, Layout(Format::kND, {1, 1})).Get({0, 0}), value);
           }) == "nothing was thrown";
  };
  EXPECT_TRUE(takes(DType::kUint8, 255));
  EXPECT_FALSE(takes(DType::kUint8, 256));
  EXPECT_FALSE(takes(DType::kUint8, -1));
  EXPECT_FALSE(takes(DType::kUint8, 0.5));
  EXPECT_FALSE(takes(DType::kInt32, kNan));
  EXPECT_TRUE(takes(DType::kInt32, -0x1p31));
  EXPECT_FALSE(takes(DType::kInt32, 0x1p31));
  EXPECT_TRUE(takes(DType::kInt64, -0x1p63));
  EXPECT_FALSE(takes(DType::kInt64, 0x1p63));
  EXPECT_TRUE(takes(DType::kFp16, 65504));
  EXPECT_FALSE(takes(DType::kFp16, 65520));
  EXPECT_TRUE(takes(DType::kFp16, std::numeric_limits<double>::infinity()));
}

TEST_F(Npy, Int64IsReadToTheLastDigit) {
  const Layout pair(Format::kND, {1, 2});
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  Put(File(Header("<i8", "(1, 2)"), Raw<int64_t>({(1LL << 53) + 1, kMost})));
  const Tensor whole = ReadNpy(path_, DType::kInt64, pair);
  EXPECT_EQ(whole.As<int64_t>()[0], (1LL << 53) + 1);
  EXPECT_EQ(whole.As<int64_t>()[1], kMost);
  WriteNpy(path_, whole);
  EXPECT_EQ(ReadNpy(path_, DType::kInt64, pair).As<int64_t>()[1], kMost);
  EXPECT_EQ(
      Refusal([&] { ReadNpy(path_, DType::kFp32, pair); }),
      "element [0, 0] = 9007199254740993 (<i8) is not a number that fp32 holds exactly; round the array "
      "to fp32 before saving it");
  EXPECT_EQ(Refusal([&] {
              ReadNpyDoubles(path_, std::vector<int64_t>{1, 2});
            }),
            "element [0, 0] = 9007199254740993 is beyond 2^53 and no double; save the array as float64");
  Put(File(Header("<i8", "(1, 2)"), Raw<int64_t>({1LL << 62, kMost})));  // 2^62 is a float, too
  EXPECT_EQ(Refusal([&] { ReadNpy(path_, DType::kFp32, pair); }),
            "element [0, 1] = 9223372036854775807 (<i8) is not a number that fp32 holds exactly; round the "
            "array to fp32 before saving it");
  Put(File(Header("<i8", "(1, 2)"), Raw<int64_t>({(1LL << 31) - 1, 1LL << 31})));
  EXPECT_EQ(Refusal([&] { ReadNpy(path_, DType::kInt32, pair); }),
            "element [0, 1] = 2147483648 (<i8) is not a number that int32 holds exactly; round the array to "
            "int32 before saving it");
}

TEST_F(Npy, DoublesComeFromEveryType) {
  const std::vector<int64_t> shape = {4};
  const auto read = [&](const std::string& descr, const std::string& data) {
    Put(File(Header(descr, "(4,)"), data));
    return ReadNpyDoubles(path_, shape);
  };
  EXPECT_EQ(read("<f8", Raw<double>({0.1, -2, 3, 4})), (std::vector<double>{0.1, -2, 3, 4}));
  EXPECT_EQ(read("<f4", Raw<float>({0.5, -2, 3, 4})), (std::vector<double>{0.5, -2, 3, 4}));
  EXPECT_EQ(read("<f2", Raw<Half>({0.5, -2, 3, 0x1p-24})), (std::vector<double>{0.5, -2, 3, 0x1p-24}));
  EXPECT_EQ(read("<i4", Raw<int32_t>({5, -2, 3, 4})), (std::vector<double>{5, -2, 3, 4}));
  EXPECT_EQ(read("<i8", Raw<int64_t>({5, -2, 3, 1LL << 53})), (std::vector<double>{5, -2, 3, 0x1p53}));
  EXPECT_EQ(read("|u1", Raw<uint8_t>({5, 255, 0, 4})), (std::vector<double>{5, 255, 0, 4}));
  Put(File(Header("<i8", "(4,)"), Raw<int64_t>({5, -2, 3, (1LL << 53) + 1})));
  EXPECT_NE(Refusal([&] { ReadNpyDoubles(path_, shape); }).find("element [3] = "), std::string::npos);
  const std::vector<int64_t> other = {2, 2};
  EXPECT_EQ(Refusal([&] { ReadNpyDoubles(path_, other); }), "shape (4,), must be (2, 2)");
}

TEST_F(Npy, BringsBackAnEmptyBatch) {
  const Layout layout(Format::kNHWC, {0, 3, 4, 5});
  WriteNpy(path_, Tensor(DType::kFp16, layout));
  EXPECT_EQ(ReadNpyHeader(path_).shape, (std::vector<int64_t>{0, 4, 5, 3}));
  EXPECT_EQ(ReadNpyHeader(path_).elements, 0);
  EXPECT_EQ(ReadNpy(path_, DType::kFp16, layout).size_bytes(), 0U);
  EXPECT_TRUE(ReadNpyDoubles(path_, layout.StorageShape()).empty());
}

}  // namespace
}  // namespace tilesim
