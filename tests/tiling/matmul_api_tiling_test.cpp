#include "tiling/matmul_api/matmul_api_tiling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>

#include "sim/soc/soc_config.h"
#include "tests/support/repetitions.h"
#include "tests/support/test_seed.h"

namespace {

using AscendC::TPosition;
using matmul_tiling::CubeFormat;
using matmul_tiling::DataType;
using matmul_tiling::MultiCoreMatmulTiling;
using Data = AscendC::tiling::TCubeTiling;

// The memories of a 910B, in bytes, as documented.
constexpr int64_t kL1 = 524288, kL0a = 65536, kL0b = 65536, kL0c = 131072, kBiasTable = 1024;

void SetTypes(matmul_tiling::MatmulApiTilingBase& tiling, DataType ab, DataType c, bool transpose_a = false,
              bool transpose_b = false) {
  tiling.SetAType(TPosition::GM, CubeFormat::ND, ab, transpose_a);
  tiling.SetBType(TPosition::GM, CubeFormat::ND, ab, transpose_b);
  tiling.SetCType(TPosition::GM, CubeFormat::ND, c);
  tiling.SetBiasType(TPosition::GM, CubeFormat::ND, c == DataType::DT_INT32 ? c : DataType::DT_FLOAT);
}

int64_t Parts(int64_t whole, int64_t part) { return (whole + part - 1) / part; }

std::string Sentences(const matmul_tiling::MatmulApiTilingBase& tiling) {
  std::string all;
  for (const std::string& sentence : tilesim::SentencesOf(tiling.reasons())) {
    all += sentence + "\n";
  }
  return all;
}

struct Case {
  DataType ab = DataType::DT_FLOAT16;
  DataType c = DataType::DT_FLOAT;
  int m = 0, n = 0, k = 0, dim = 1;
  bool transpose_a = false, transpose_b = false, bias = false, split_k = false;
};

// Half bytes of an element.
int64_t Nibbles(DataType type) {
  switch (type) {
    case DataType::DT_FLOAT:
      return 8;
    case DataType::DT_INT8:
      return 2;
    case DataType::DT_INT4:
      return 1;
    default:
      return 4;
  }
}

// The documented rules, written out once more.
void ExpectLegal(const Data& t, const Case& p) {
  const int64_t nibbles = Nibbles(p.ab);
  const auto bytes = [&](int64_t rows, int64_t columns) { return rows * columns * nibbles / 2; };
  const int64_t c0 = 64 / nibbles;
  const int64_t base_m = t.baseM, base_n = t.baseN, base_k = t.baseK;
  EXPECT_EQ(base_m % (p.transpose_a ? std::max<int64_t>(16, nibbles == 1 ? 16 : c0) : 16), 0);
  EXPECT_EQ(base_n % 16, 0);
  EXPECT_EQ(base_k % c0, 0);
  if (p.transpose_a || !p.transpose_b) {
    EXPECT_EQ(base_k % 16, 0);
  }
  EXPECT_LE(bytes(base_m, base_k) * t.dbL0A, kL0a);
  EXPECT_LE(bytes(base_n, base_k) * t.dbL0B, kL0b);
  EXPECT_LE(base_m * base_n * 4 * t.dbL0C, kL0c);
  EXPECT_LE(bytes(base_m, base_k) * t.depthA1 + bytes(base_n, base_k) * t.depthB1 + (p.bias ? base_n * 4 : 0),
            kL1);
  EXPECT_EQ(t.isBias, p.bias ? 1 : 0);
  if (p.bias) {
    EXPECT_LE(base_n * 4, kBiasTable);
  }
  EXPECT_TRUE(t.depthA1 == t.stepM * t.stepKa || t.depthA1 == 2 * t.stepM * t.stepKa);
  EXPECT_TRUE(t.depthB1 == t.stepN * t.stepKb || t.depthB1 == 2 * t.stepN * t.stepKb);
  EXPECT_EQ(std::max(t.stepKa, t.stepKb) % std::min(t.stepKa, t.stepKb), 0);
  if (Parts(t.singleCoreK, base_k) > t.stepKa) {
    EXPECT_EQ(t.stepM, 1);
  }
  if (Parts(t.singleCoreK, base_k) > t.stepKb) {
    EXPECT_EQ(t.stepN, 1);
  }
  const int64_t tasks = Parts(p.m, t.singleCoreM) * Parts(p.n, t.singleCoreN) * Parts(p.k, t.singleCoreK);
  EXPECT_EQ(t.usedCoreNum, tasks);
  EXPECT_LE(t.usedCoreNum, p.dim);
  if (!p.split_k) {
    EXPECT_EQ(t.singleCoreK, p.k);
  }
  EXPECT_EQ(t.M, p.m);
  EXPECT_EQ(t.N, p.n);
  EXPECT_EQ(t.Ka, p.k);
  EXPECT_EQ(t.Kb, p.k);
}

TEST(MatmulApiTiling, AnswersAreLegal) {
  std::mt19937 random(static_cast<uint32_t>(tilesim::testing::TestSeed()));
  const auto any = [&](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  for (int i = 0; i < tilesim::Repetitions(60); ++i) {
    constexpr DataType kOperands[] = {DataType::DT_FLOAT16, DataType::DT_BF16, DataType::DT_FLOAT,
                                      DataType::DT_INT8, DataType::DT_INT4};
    Case p;
    p.ab = kOperands[any(0, 4)];
    p.c = p.ab == DataType::DT_INT8 || p.ab == DataType::DT_INT4 ? DataType::DT_INT32 : DataType::DT_FLOAT;
    p.m = any(0, 1) == 0 ? any(1, 100) : any(1, 5000);
    p.n = any(0, 1) == 0 ? any(1, 100) : any(1, 5000);
    p.k = any(0, 1) == 0 ? any(1, 100) : any(1, 5000);
    if (p.ab == DataType::DT_INT4) {
      p.n += p.n % 2;
      p.k += p.k % 2;
    }
    p.dim = any(1, 48);
    p.transpose_a = p.ab != DataType::DT_INT4 && any(0, 1) == 1;
    p.transpose_b = any(0, 1) == 1;
    p.bias = any(0, 1) == 1;
    p.split_k = any(0, 3) == 0;
    SCOPED_TRACE(::testing::Message() << "m " << p.m << " n " << p.n << " k " << p.k << " dim " << p.dim
                                      << " type " << static_cast<int>(p.ab) << " transposed " << p.transpose_a
                                      << p.transpose_b << " bias " << p.bias << " split K " << p.split_k);
    MultiCoreMatmulTiling tiling;
    SetTypes(tiling, p.ab, p.c, p.transpose_a, p.transpose_b);
    ASSERT_EQ(tiling.SetDim(p.dim), 0);
    ASSERT_EQ(tiling.SetShape(p.m, p.n, p.k), 0);
    ASSERT_EQ(tiling.SetOrgShape(p.m, p.n, p.k), 0);
    ASSERT_EQ(tiling.EnableBias(p.bias), 0);
    ASSERT_EQ(tiling.SetBufferSpace(-1, -1, -1), 0);
    ASSERT_EQ(tiling.EnableMultiCoreSplitK(p.split_k), 0);
    Data t;
    ASSERT_EQ(tiling.GetTiling(t), 0) << Sentences(tiling);
    ExpectLegal(t, p);
    int32_t dim = 0, m_dim = 0, n_dim = 0;
    ASSERT_EQ(tiling.GetCoreNum(dim, m_dim, n_dim), 0);
    EXPECT_EQ(dim, t.usedCoreNum);
    EXPECT_EQ(m_dim, Parts(p.m, t.singleCoreM));
    EXPECT_EQ(n_dim, Parts(p.n, t.singleCoreN));
  }
}

// A large product leaves no core idle, whichever kind drives it.
TEST(MatmulApiTiling, UsesTheCoresThatThereAre) {
  for (const int dim : {1, 8, 24, 48}) {
    MultiCoreMatmulTiling tiling;
    SetTypes(tiling, DataType::DT_FLOAT16, DataType::DT_FLOAT);
    tiling.SetDim(dim);
    tiling.SetShape(4096, 4096, 512);
    Data t;
    ASSERT_EQ(tiling.GetTiling(t), 0);
    EXPECT_GE(t.usedCoreNum, dim * 9 / 10) << dim;
  }
}

TEST(MatmulApiTiling, KeepsWhatIsFixed) {
  MultiCoreMatmulTiling tiling;
  SetTypes(tiling, DataType::DT_FLOAT16, DataType::DT_FLOAT);
  tiling.SetDim(24);
  tiling.SetShape(1024, 640, 256);
  tiling.SetOrgShape(2048, 1280, 512);
  tiling.SetSingleShape(256, 320, 256);
  tiling.SetFixSplit(96, 80, -1);
  tiling.SetTraverse(matmul_tiling::MatrixTraverse::FIRSTN);
  Data t;
  ASSERT_EQ(tiling.GetTiling(t), 0) << Sentences(tiling);
  EXPECT_EQ(t.singleCoreM, 256);
  EXPECT_EQ(t.singleCoreN, 320);
  EXPECT_EQ(t.baseM, 96);
  EXPECT_EQ(t.baseN, 80);
  EXPECT_EQ(t.iterateOrder, 1);
  EXPECT_EQ(t.usedCoreNum, 8);
  EXPECT_EQ(t.M, 2048);
  EXPECT_EQ(t.N, 1280);
  EXPECT_EQ(t.Ka, 512);
  EXPECT_EQ(tiling.GetBaseM(), 96);
  int32_t m = 0, n = 0, k = 0;
  ASSERT_EQ(tiling.GetSingleShape(m, n, k), 0);
  EXPECT_EQ(m, 256);
  EXPECT_EQ(n, 320);
  EXPECT_EQ(k, 256);
}

// B may be a part of a matrix with other rows than A has columns.
// Kernels with a fixed block count the blocks of a part by division.
TEST(MatmulApiTiling, CutsIntoWholeBlocksThatAreFixed) {
  for (const int32_t align : {-1, 96, 48}) {
    MultiCoreMatmulTiling tiling;
    SetTypes(tiling, DataType::DT_FLOAT16, DataType::DT_FLOAT);
    tiling.SetDim(2);
    tiling.SetShape(1024, 640, 256);
    tiling.SetOrgShape(1024, 640, 256);
    tiling.SetTraverse(matmul_tiling::MatrixTraverse::FIRSTM);
    tiling.SetFixSplit(128, 128, -1);
    tiling.SetAlignSplit(align, -1, -1);
    Data data;
    ASSERT_EQ(tiling.GetTiling(data), 0) << Sentences(tiling);
    EXPECT_EQ(data.singleCoreM % 128, 0) << align << ": " << data.singleCoreM;
    EXPECT_EQ(data.singleCoreN % 128, 0) << align << ": " << data.singleCoreN;
  }
}

TEST(MatmulApiTiling, TellsTheRowsOfB) {
  matmul_tiling::MatmulApiTiling tiling;
  SetTypes(tiling, DataType::DT_FLOAT16, DataType::DT_FLOAT);
  tiling.SetShape(64, 64, 512);
  for (const int32_t rows : {512, 1024, 2048}) {
    ASSERT_EQ(tiling.SetOrgShape(64, 64, 1024, rows), 0);
    Data t;
    ASSERT_EQ(tiling.GetTiling(t), 0);
    EXPECT_EQ(t.Ka, 1024);
    EXPECT_EQ(t.Kb, rows);
    EXPECT_EQ(t.singleCoreK, 512);
  }
  ASSERT_EQ(tiling.SetOrgShape(64, 64, 1024, 256), 0);
  Data t;
  EXPECT_EQ(tiling.GetTiling(t), -1);
  EXPECT_NE(Sentences(tiling).find("SetOrgShape Kb"), std::string::npos);
}

TEST(MatmulApiTiling, StaysWithinTheMemoriesGiven) {
  for (const int32_t l1 : {65536, 131072, 262144}) {
    matmul_tiling::MatmulApiTiling tiling;
    SetTypes(tiling, DataType::DT_FLOAT16, DataType::DT_FLOAT);
    tiling.SetShape(512, 512, 512);
    ASSERT_EQ(tiling.SetBufferSpace(l1, 32768, -1), 0);
    Data t;
    ASSERT_EQ(tiling.GetTiling(t), 0);
    EXPECT_LE(2 * t.baseK * (t.baseM * t.depthA1 + t.baseN * t.depthB1), l1);
    EXPECT_LE(t.baseM * t.baseN * 4 * t.dbL0C, 32768);
    EXPECT_EQ(t.usedCoreNum, 1);
    matmul_tiling::SysTilingTempBufSize sizes;
    ASSERT_EQ(MatmulGetTmpBufSizeV2(t, sizes), 0);
    EXPECT_EQ(sizes.l1Size, 2 * t.baseK * (t.baseM * t.depthA1 + t.baseN * t.depthB1));
    EXPECT_EQ(sizes.l0cSize, t.baseM * t.baseN * 4 * t.dbL0C);
    EXPECT_EQ(sizes.ubSize, 0);
  }
}

TEST(MatmulApiTiling, LeavesRoomForAResultInUb) {
  MultiCoreMatmulTiling tiling;
  SetTypes(tiling, DataType::DT_FLOAT16, DataType::DT_FLOAT);
  tiling.SetCType(TPosition::VECIN, CubeFormat::ND, DataType::DT_FLOAT);
  tiling.SetDim(2);
  tiling.SetShape(1024, 1024, 512);
  Data t;
  ASSERT_EQ(tiling.GetTiling(t), 0);
  EXPECT_LE(t.baseM * t.baseN * 4, 196608 / 2);
  tiling.SetFixSplit(256, 128, -1);  // 128 KiB
  ASSERT_EQ(tiling.GetTiling(t), 0) << Sentences(tiling);
  EXPECT_EQ(t.baseM, 256);
  EXPECT_EQ(t.baseN, 128);
  EXPECT_EQ(t.dbL0C, 1);
}

TEST(MatmulApiTiling, BothClassesOfDataHaveTheSameBytes) {
  MultiCoreMatmulTiling tiling;
  SetTypes(tiling, DataType::DT_INT8, DataType::DT_INT32);
  tiling.SetDim(6);
  tiling.SetShape(300, 200, 100);
  Data plain;
  optiling::TCubeTiling host;
  ASSERT_EQ(tiling.GetTiling(plain), 0);
  ASSERT_EQ(tiling.GetTiling(host), 0);
  ASSERT_EQ(host.GetDataSize(), sizeof plain);
  Data saved;
  host.SaveToBuffer(&saved, sizeof saved);
  EXPECT_EQ(std::memcmp(&saved, &plain, sizeof plain), 0);
  EXPECT_EQ(host.get_singleCoreM(), plain.singleCoreM);
  EXPECT_EQ(host.get_stepKb(), plain.stepKb);
  EXPECT_EQ(host.get_BatchNum(), 0);
  host.set_BatchNum(3);
  host.SaveToBuffer(&saved, sizeof saved);
  EXPECT_EQ(saved.BatchNum, 3);
}

TEST(MatmulApiTiling, TellsTheAxesOfBatches) {
  matmul_tiling::BatchMatmulTiling tiling;
  SetTypes(tiling, DataType::DT_FLOAT16, DataType::DT_FLOAT);
  ASSERT_EQ(tiling.SetBatchInfoForNormal(6, 3, 64, 48, 32), 0);
  ASSERT_EQ(tiling.SetBatchNum(6), 0);
  Data t;
  ASSERT_EQ(tiling.GetTiling(t), 0) << Sentences(tiling);
  EXPECT_EQ(t.BatchNum, 6);
  EXPECT_EQ(t.ALayoutInfoB, 6);
  EXPECT_EQ(t.ALayoutInfoS, 64);
  EXPECT_EQ(t.ALayoutInfoD, 32);
  EXPECT_EQ(t.BLayoutInfoB, 3);
  EXPECT_EQ(t.BLayoutInfoS, 48);
  EXPECT_EQ(t.CLayoutInfoS1, 64);
  EXPECT_EQ(t.CLayoutInfoS2, 48);
  EXPECT_EQ(t.M, 64);
  ASSERT_EQ(tiling.SetALayout(2, 64, 3, 1, 32), 0);
  ASSERT_EQ(tiling.GetTiling(t), 0);
  EXPECT_EQ(t.ALayoutInfoB, 2);
  EXPECT_EQ(t.ALayoutInfoN, 3);
  EXPECT_EQ(tiling.SetBatchInfoForNormal(6, 4, 64, 48, 32), -1);
  EXPECT_EQ(tiling.SetBatchNum(0), -1);
}

TEST(MatmulApiTiling, SaysWhyThereIsNone) {
  const auto expect = [](MultiCoreMatmulTiling& tiling, const std::string& words) {
    Data t;
    t.M = 77;
    EXPECT_EQ(tiling.GetTiling(t), -1);
    EXPECT_EQ(t.M, 77);
    EXPECT_NE(Sentences(tiling).find(words), std::string::npos) << Sentences(tiling);
  };
  const auto fresh = [] {
    MultiCoreMatmulTiling tiling;
    SetTypes(tiling, DataType::DT_FLOAT16, DataType::DT_FLOAT);
    tiling.SetDim(24);
    tiling.SetShape(256, 256, 256);
    return tiling;
  };
  MultiCoreMatmulTiling untold;
  untold.SetShape(64, 64, 64);
  expect(untold, "SetAType: the type was never told; call SetAType(position, format, type) before GetTiling");
  MultiCoreMatmulTiling no_shape;
  SetTypes(no_shape, DataType::DT_FLOAT16, DataType::DT_FLOAT);
  expect(no_shape, "SetShape m: elements of the product");
  MultiCoreMatmulTiling mixed = fresh();
  mixed.SetBType(TPosition::GM, CubeFormat::ND, DataType::DT_BF16);
  expect(mixed, "A and B have one type, here DT_FLOAT16 and DT_BF16");
  MultiCoreMatmulTiling strange = fresh();
  strange.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_INT32);
  expect(strange, "the cube does not take DT_INT32");
  MultiCoreMatmulTiling sparse = fresh();
  sparse.SetSparse(true);
  expect(sparse, "tilesim does not model MmadWithSparse");
  MultiCoreMatmulTiling too_many = fresh();
  too_many.SetDim(49);
  expect(too_many, "SetDim: cores of the part: found 49, must be at most 48");
  MultiCoreMatmulTiling part = fresh();
  part.SetOrgShape(128, 256, 256);
  expect(part, "SetOrgShape M");
  MultiCoreMatmulTiling large = fresh();
  large.SetFixSplit(512, -1, -1);
  expect(large, "SetFixSplit baseM");
  MultiCoreMatmulTiling odd = fresh();
  odd.SetFixSplit(24, -1, -1);
  expect(odd, "SetFixSplit baseM");
  MultiCoreMatmulTiling biased = fresh();
  biased.SetShape(256, 1024, 256);
  biased.SetBias(true);
  biased.SetFixSplit(-1, 272, -1);
  expect(biased, "SetFixSplit baseN");
  MultiCoreMatmulTiling few = fresh();
  few.SetDim(2);
  few.SetSingleShape(64, 64, 256);
  expect(few,
         "SetSingleShape: parts, of which each core takes one: found 16, must be at most 2; larger parts or "
         "SetDim 16 fit");
  MultiCoreMatmulTiling range = fresh();
  range.SetDim(2);
  range.SetSingleRange(32, 32, -1, -1, -1, -1);
  expect(range, "no cut into at most 2 parts");
  MultiCoreMatmulTiling none = fresh();
  none.SetBufferSpace(512, -1, -1);
  expect(none, "bytes of L1");
}

TEST(MatmulApiTiling, RefusesWhatIsWrongByItself) {
  MultiCoreMatmulTiling tiling;
  EXPECT_EQ(tiling.SetDim(0), -1);
  EXPECT_EQ(tiling.SetShape(0, 1, 1), -1);
  EXPECT_EQ(tiling.SetShape(-1, -1, -1), 0);
  EXPECT_EQ(tiling.SetFixSplit(0, -1, -1), -1);
  EXPECT_EQ(tiling.SetMadType(matmul_tiling::MatrixMadType::MXMODE), -1);
  EXPECT_EQ(tiling.SetMatmulConfigParams(2), -1);
  EXPECT_EQ(tiling.SetMatmulConfigParams(1, true), -1);
  EXPECT_EQ(tiling.SetMatmulConfigParams(1, false, matmul_tiling::ScheduleType::OUTER_PRODUCT), -1);
  EXPECT_EQ(tiling.SetMatmulConfigParams(1, false, matmul_tiling::ScheduleType::N_BUFFER_33), 0);
  EXPECT_EQ(tiling.SetMatmulConfigParams(0), 0);
  EXPECT_EQ(tiling.SetSingleRange(0, -1, -1, -1, -1, -1), -1);
  EXPECT_EQ(tiling.SetAlignSplit(-16, -1, -1), -1);
  EXPECT_EQ(tiling.SetAlignSplit(-1, 32, -1), 0);
  EXPECT_EQ(tiling.SetBatchInfoForNormal(2, 2, 64, 48, -1), -1);
  EXPECT_EQ(tiling.SetDequantType(static_cast<matmul_tiling::DequantType>(7)), -1);
  EXPECT_EQ(tiling.SetALayout(-1, 1, 1, 1, 1), -1);
  int32_t dim = 5, m = 5, n = 5;
  EXPECT_EQ(tiling.GetCoreNum(dim, m, n), -1);
  EXPECT_EQ(dim, 5);
  matmul_tiling::SysTilingTempBufSize sizes;
  EXPECT_EQ(MatmulGetTmpBufSize(optiling::TCubeTiling(), sizes), -1);
}

}  // namespace
