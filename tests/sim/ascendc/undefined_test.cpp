// Bytes without a value, followed through whole kernels: right programs are silent, planted bugs are told.
#include <string>

#include "tests/sim/ascendc/vector_run.h"

namespace tilesim {
namespace {

using namespace AscendC;

constexpr const char* kNeverWritten = "which were never written; fill those first";

// 40 elements of GM in the first of some tensors of 512 floats, then work(x, tensors).
template <class Work>
std::string OnFortyElements(const Work& work) {
  Gm<float> gm(512, 1.5F);
  return TextOf(RunOn(
      [&] {
        TPipe pipe;
        TBuf<TPosition::VECCALC> buffer;
        pipe.InitBuffer(buffer, 16 * 2048);
        DataCopy(Part<float>(buffer, 0), gm.tensor(), 40);
        SetFlag<HardEvent::MTE2_V>(0);
        WaitFlag<HardEvent::MTE2_V>(0);
        work(gm.tensor(), buffer);
      },
      {}, gm));
}
void Store(const GlobalTensor<float>& to, const LocalTensor<float>& from, uint32_t count) {
  SetFlag<HardEvent::V_MTE3>(0);
  WaitFlag<HardEvent::V_MTE3>(0);
  DataCopy(to, from, count);
}

TEST(Undefined, LanesComputedOnAndNeverStoredAreSilent) {
  const auto stored = [](uint32_t count) {
    return OnFortyElements([count](const GlobalTensor<float>& gm, TBuf<TPosition::VECCALC>& buffer) {
      const LocalTensor<float> a = Part<float>(buffer, 0);
      const LocalTensor<float> b = Part<float>(buffer, 1);
      Adds(b, a, 1.0F, 64);
      Muls(b, b, 2.0F, 64);
      Store(gm, b, count);
    });
  };
  EXPECT_EQ(stored(40), "");
  const std::string told = stored(48);
  ExpectSays(told,
             "[uninitialised read] src (UB): UB bytes [2208, 2240) go to GM and hold no value: Adds on V (");
  ExpectSays(told, std::string(") made them of UB bytes [160, 256), ") + kNeverWritten);
  EXPECT_EQ(told.find("Muls"), std::string::npos) << told;
}

TEST(Undefined, WhatNothingHasWrittenIsToldWhereItIsStored) {
  const std::string told =
      OnFortyElements([](const GlobalTensor<float>& gm, TBuf<TPosition::VECCALC>& buffer) {
        Store(gm, Part<float>(buffer, 0), 64);
      });
  ExpectSays(told, "DataCopy on MTE3");
  ExpectSays(told,
             "UB bytes [160, 256) go to GM and hold no value: they were never written; fill them first");
}

TEST(Undefined, AnyLaneOfAReductionCounts) {
  const auto largest_of = [](int count) {
    return OnFortyElements([count](const GlobalTensor<float>& gm, TBuf<TPosition::VECCALC>& buffer) {
      const LocalTensor<float> b = Part<float>(buffer, 1);
      Duplicate(b, 0.0F, 8);
      ReduceMax(b, Part<float>(buffer, 0), Part<float>(buffer, 2), count);
      Store(gm, b, 8);
    });
  };
  EXPECT_EQ(largest_of(40), "");
  // it carries the place of the result from the vector to the scalar unit itself
  ExpectSays(largest_of(41), "go to the scalar unit and hold no value: ReduceMax on V");
}

TEST(Undefined, TheSumOfACountCarriesIt) {
  const auto stored = [](int count, int again = 0) {
    return OnFortyElements([=](const GlobalTensor<float>& gm, TBuf<TPosition::VECCALC>& buffer) {
      const LocalTensor<float> b = Part<float>(buffer, 1);
      Duplicate(b, 0.0F, 8);
      ReduceSum(b, Part<float>(buffer, 0), Part<float>(buffer, 2), count);
      if (again != 0) {
        ReduceSum(b, Part<float>(buffer, 0), Part<float>(buffer, 2), again);
      }
      Store(gm, b, 8);
    });
  };
  EXPECT_EQ(stored(40), "");
  EXPECT_EQ(stored(300, 40), "");
  const std::string told = stored(41);
  ExpectSays(told, "UB bytes [2048, 2052) go to GM and hold no value: ReduceSum on V (");
  ExpectSays(told, std::string(") made them of UB bytes [160, 164), ") + kNeverWritten);
  ExpectSays(OnFortyElements([](const GlobalTensor<float>&, TBuf<TPosition::VECCALC>& buffer) {
               const LocalTensor<float> b = Part<float>(buffer, 1);
               ReduceSum(b, Part<float>(buffer, 0), Part<float>(buffer, 2), 512);
               b.GetValue(0);
             }),
             "UB bytes [2048, 2052) go to the scalar unit and hold no value: ReduceSum on V (");
}

TEST(Undefined, RegistersOfResultsNeedValuesWhereTheKernelReadsThem) {
  const auto read = [](int lanes, bool sum) {
    return OnFortyElements([=](const GlobalTensor<float>&, TBuf<TPosition::VECCALC>& buffer) {
      const LocalTensor<float> a = Part<float>(buffer, 0);
      const LocalTensor<float> b = Part<float>(buffer, 1);
      if (sum) {
        ReduceSum(b, a, Part<float>(buffer, 2), lanes);
      } else {
        WholeReduceMax(b, a, lanes, 1, 1, 1, 8);
      }
      SetFlag<HardEvent::V_S>(0);
      WaitFlag<HardEvent::V_S>(0);
      float value = 0;
      float index = 0;
      sum ? static_cast<void>(GetAccVal<float>()) : GetReduceMaxMinCount<float>(value, index);
    });
  };
  EXPECT_EQ(read(40, true), "");
  EXPECT_EQ(read(40, false), "");
  ExpectSays(read(41, true), "GetAccVal on S");
  ExpectSays(read(41, true),
             "[uninitialised read] bits of the register of the sum go to the scalar unit and hold "
             "no value: ReduceSum on V (");
  ExpectSays(read(41, true), std::string(") made them of UB bytes [160, 164), ") + kNeverWritten);
  ExpectSays(read(64, false), "GetReduceMaxMinCount on S");
  ExpectSays(read(64, false),
             "bits of the register of the largest or least go to the scalar unit and hold no "
             "value: WholeReduceMax on V (");
}

TEST(Undefined, TheCountsOfAMergeNeedScoresWithValues) {
  const auto read = [](uint32_t second) {
    return OnFortyElements([=](const GlobalTensor<float>&, TBuf<TPosition::VECCALC>& buffer) {
      const LocalTensor<float> a = Part<float>(buffer, 0);
      const uint16_t lengths[4] = {8, 8, 0, 0};
      MrgSort(Part<float>(buffer, 1), MrgSortSrcList(a, a[second], a, a), MrgSort4Info(lengths, true, 3, 1));
      SetFlag<HardEvent::V_S>(0);
      WaitFlag<HardEvent::V_S>(0);
      uint16_t counts[4];
      GetMrgSortResult(counts[0], counts[1], counts[2], counts[3]);
    });
  };
  EXPECT_EQ(read(16), "");
  ExpectSays(read(64), "GetMrgSortResult on S");
  ExpectSays(
      read(64),
      "bits of the register of the merged pairs go to the scalar unit and hold no value: MrgSort on V");
}

TEST(Undefined, OffsetsNeedValuesBeforeTheyAreLookedAt) {
  const auto gathered = [](bool blocks, bool made) {
    return OnFortyElements([=](const GlobalTensor<float>&, TBuf<TPosition::VECCALC>& buffer) {
      const LocalTensor<float> b = Part<float>(buffer, 1);
      const LocalTensor<uint32_t> offsets = Part<uint32_t>(buffer, 3);
      if (made) {
        Adds(offsets.ReinterpretCast<int32_t>(), Part<int32_t>(buffer, 4), 4, 64);
      }
      if (blocks) {
        Gatherb(b.ReinterpretCast<uint32_t>(), Part<uint32_t>(buffer, 0), offsets, 1, {1, 8});
      } else {
        Gather(b, Part<float>(buffer, 0), offsets, 0, 64);
      }
    });
  };
  for (const bool blocks : {false, true}) {
    ExpectSays(gathered(blocks, false), blocks ? "Gatherb on V" : "Gather on V");
    ExpectSays(gathered(blocks, false),
               Say("[uninitialised read] ", blocks ? "offset" : "srcOffset", " (UB): UB bytes [6144, "));
    ExpectSays(gathered(blocks, false),
               " decide which bytes are touched and hold no value: they were never written; "
               "fill them first");
    ExpectSays(gathered(blocks, true), " decide which bytes are touched and hold no value: Adds on V (");
  }
}

TEST(Undefined, AComparisonWithAScalarIsTriedWithItAndItsNeighbours) {
  const auto stored = [](float scalar, CMPMODE mode, uint32_t bytes) {
    return OnFortyElements([=](const GlobalTensor<float>& gm, TBuf<TPosition::VECCALC>& buffer) {
      const LocalTensor<uint8_t> bits = Part<uint8_t>(buffer, 4, 1024);
      CompareScalar(bits, Part<float>(buffer, 0), scalar, mode, 64);
      SetFlag<HardEvent::V_MTE3>(0);
      WaitFlag<HardEvent::V_MTE3>(0);
      GlobalTensor<uint8_t> to;
      to.SetGlobalBuffer(reinterpret_cast<uint8_t*>(gm.GetPhyAddr()));
      DataCopyPad(to, bits, DataCopyExtParams(1, bytes, 0, 0, 0));
    });
  };
  for (const CMPMODE mode : {CMPMODE::EQ, CMPMODE::NE, CMPMODE::LT, CMPMODE::LE, CMPMODE::GT, CMPMODE::GE}) {
    for (const float scalar : {5.0F, 1.5F, -1.0e38F, 1.0e38F}) {
      EXPECT_EQ(stored(scalar, mode, 5), "");
      ExpectSays(stored(scalar, mode, 6), "go to GM and hold no value: Compares on V (");
    }
  }
}

TEST(Undefined, BitsOfACompareAreFollowedOneByOne) {
  const auto stored = [](CMPMODE mode, uint32_t count) {
    return OnFortyElements([=](const GlobalTensor<float>& gm, TBuf<TPosition::VECCALC>& buffer) {
      const LocalTensor<float> a = Part<float>(buffer, 0);
      const LocalTensor<float> b = Part<float>(buffer, 1);
      const LocalTensor<uint8_t> bits = Part<uint8_t>(buffer, 8, 1024);
      Duplicate(b, 1.5F, 64);
      Compare(bits, a, b, mode, 64);
      Duplicate(Part<float>(buffer, 2), 7.0F, 64);
      Select(b, bits, b, Part<float>(buffer, 2), SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);
      Store(gm, b, count);
    });
  };
  for (const CMPMODE mode : {CMPMODE::LT, CMPMODE::EQ, CMPMODE::NE}) {
    EXPECT_EQ(stored(mode, 40), "");
    ExpectSays(stored(mode, 48), "hold no value: Compare on V");
  }
}

TEST(Undefined, LanesThatSelectDoesNotChooseAreSilent) {
  const auto stored = [](uint16_t mask) {
    return OnFortyElements([mask](const GlobalTensor<float>& gm, TBuf<TPosition::VECCALC>& buffer) {
      const LocalTensor<float> b = Part<float>(buffer, 1);
      const LocalTensor<uint16_t> bits = Part<uint16_t>(buffer, 4, 1024);
      Duplicate(bits, uint16_t{0xFFFF}, 128);
      Duplicate(bits[16], uint16_t{0}, 128);
      SetFlag<HardEvent::V_S>(0);
      WaitFlag<HardEvent::V_S>(0);
      bits.SetValue(2, static_cast<uint16_t>(0x00FF | mask));  // lanes 32..47
      bits.SetValue(3, 0);
      Duplicate(b, 1.5F, 64);
      Select(b, bits, Part<float>(buffer, 0), b, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);
      Store(gm, b, 64);
    });
  };
  EXPECT_EQ(stored(0), "");
  ExpectSays(stored(0x0400), "UB bytes [2216, 2220) go to GM and hold no value: Select on V");
}

TEST(Undefined, GetValueNeedsAValue) {
  const auto read = [](uint32_t index) {
    return OnFortyElements([index](const GlobalTensor<float>&, TBuf<TPosition::VECCALC>& buffer) {
      Adds(Part<float>(buffer, 1), Part<float>(buffer, 0), 1.0F, 64);
      SetFlag<HardEvent::V_S>(0);
      WaitFlag<HardEvent::V_S>(0);
      Part<float>(buffer, 1).GetValue(index);
    });
  };
  EXPECT_EQ(read(39), "");
  ExpectSays(read(40), "GetValue");
  ExpectSays(read(40), "UB bytes [2208, 2212) go to the scalar unit and hold no value: Adds on V");
}

TEST(Undefined, ACastAndAMaskWithGapsKeepTheirLanesApart) {
  const auto stored = [](uint64_t lanes, uint32_t first) {
    return OnFortyElements([=](const GlobalTensor<float>& gm, TBuf<TPosition::VECCALC>& buffer) {
      const LocalTensor<half> narrow = Part<half>(buffer, 2, 1024);
      const LocalTensor<float> b = Part<float>(buffer, 1);
      Cast(narrow, Part<float>(buffer, 0), RoundMode::CAST_NONE, 64);
      uint64_t mask[] = {lanes, 0};
      Cast(b, narrow, RoundMode::CAST_NONE, mask, 1, {1, 1, 8, 4});
      Store(gm, b[first], 8);
    });
  };
  EXPECT_EQ(stored(~uint64_t{0}, 32), "");
  ExpectSays(stored(~uint64_t{0}, 40), "hold no value: Cast on V");
  const uint64_t gaps = 0x9A6D2B5500FFULL;  // many unequal pieces; lanes 0..7 whole
  EXPECT_EQ(stored(gaps, 0), "");
  ExpectSays(stored(gaps, 8), "UB bytes [2080, 2112) go to GM and hold no value: they were never written");
  ExpectSays(stored(gaps, 16), "go to GM and hold no value: they were never written");
}

TEST(Undefined, WhatIsWrittenAnewHasAValue) {
  EXPECT_EQ(OnFortyElements([](const GlobalTensor<float>& gm, TBuf<TPosition::VECCALC>& buffer) {
              const LocalTensor<float> b = Part<float>(buffer, 1);
              for (int i = 0; i < 3; ++i) {
                Duplicate(b, 1.0F, 64);
                Adds(b, Part<float>(buffer, 0), 1.0F, 64);
              }
              Duplicate(b, 1.0F, 64);
              Store(gm, b, 64);
            }),
            "");
}

TEST(Undefined, PadsThatDataCopyPadLeavesOpenAreTold) {
  const auto stored = [](bool is_pad, uint32_t count) {
    Gm<float> gm(64, 1.5F);
    return TextOf(RunOn(
        [&] {
          TPipe pipe;
          TBuf<TPosition::VECCALC> buffer;
          pipe.InitBuffer(buffer, 4096);
          const LocalTensor<float> a = Part<float>(buffer, 0);
          DataCopyPad(a, gm.tensor(), DataCopyExtParams(1, 20, 0, 0, 0),
                      DataCopyPadExtParams<float>(is_pad, 0, 2, 3.0F));
          SetFlag<HardEvent::MTE2_V>(0);
          WaitFlag<HardEvent::MTE2_V>(0);
          Adds(a, a, 1.0F, 8);
          SetFlag<HardEvent::V_MTE3>(0);
          WaitFlag<HardEvent::V_MTE3>(0);
          DataCopyPad(gm.tensor(), a, DataCopyExtParams(1, count * 4, 0, 0, 0));
        },
        {}, gm));
  };
  EXPECT_EQ(stored(true, 8), "");
  EXPECT_EQ(stored(false, 5), "");
  ExpectSays(stored(false, 6),
             "left them as pads, with isPad false and no SetPadValue before it; set either");
}

TEST(Undefined, GmThatNobodyHasWrittenIsFollowed) {
  const auto stored = [](uint32_t count, LaunchResult* result = nullptr) {
    std::vector<float> space(64);
    std::vector<float> out(64);
    LaunchOptions options{.type = KernelType::kAivOnly, .threads = 1};
    options.gm.Add(BufferOf("space", space, false));
    options.gm.Add(BufferOf("out", out));
    const LaunchResult got = LaunchOnUnit(options, [&](Core&) {
      TPipe pipe;
      TBuf<TPosition::VECCALC> buffer;
      pipe.InitBuffer(buffer, 4096);
      const LocalTensor<float> a = Part<float>(buffer, 0);
      GlobalTensor<float> of_space;
      of_space.SetGlobalBuffer(space.data(), space.size());
      GlobalTensor<float> of_out;
      of_out.SetGlobalBuffer(out.data(), out.size());
      Duplicate(a, 1.0F, 64);
      Store(of_space, a, 16);
      PipeBarrier<PIPE_ALL>();
      DataCopy(a, of_space, 32);
      PipeBarrier<PIPE_ALL>();
      DataCopy(of_out, a, count);
    });
    if (result != nullptr) {
      *result = got;
    }
    return TextOf(got);
  };
  EXPECT_EQ(stored(16), "");
  const std::string told = stored(24);
  ExpectSays(told, "UB bytes [64, 96) go to GM and hold no value: DataCopy on MTE2");
  ExpectSays(told, "made them of GM buffer space bytes [64, 128), which were never written");
  LaunchResult result;
  EXPECT_EQ(stored(16, &result), "");
  ASSERT_EQ(result.notices.size(), 1U);
  EXPECT_EQ(result.notices[0], "GM buffer space: no core has written 192 of its 256 bytes, first [64, 256)");
}

// A product of 16 rows, of which `filled` were loaded, `k` of 16 columns likewise, and `stored` are stored;
// of its columns the first `columns` are computed and `stored_columns` stored.
std::string Product(int filled, bool whole_k, uint16_t stored, uint16_t columns = 16,
                    uint16_t stored_columns = 16) {
  std::vector<half> in(256, half(1.0F));
  std::vector<float> out(256);
  LaunchOptions options{.threads = 1};
  options.gm.Add(BufferOf("in", in));
  options.gm.Add(BufferOf("out", out));
  return TextOf(LaunchOnUnit(options, [&](Core&) {
    TPipe pipe;
    TBuf<TPosition::A1> l1;
    TBuf<TPosition::A2> l0a;
    TBuf<TPosition::B2> l0b;
    TBuf<TPosition::CO1> l0c;
    pipe.InitBuffer(l1, 4096);
    pipe.InitBuffer(l0a, 512);
    pipe.InitBuffer(l0b, 512);
    pipe.InitBuffer(l0c, 1024);
    GlobalTensor<half> gm;
    gm.SetGlobalBuffer(in.data(), in.size());
    const LocalTensor<half> a = l1.Get<half>();
    DataCopy(a, gm, static_cast<uint32_t>(16 * filled));
    DataCopy(a[256], gm, whole_k ? 256 : 240);
    SetFlag<HardEvent::MTE2_MTE1>(0);
    WaitFlag<HardEvent::MTE2_MTE1>(0);
    LoadData(l0a.Get<half>(), a, LoadData2DParams(0, 1, 1, 0, 0, false, 0));
    LoadData(l0b.Get<half>(), a[256], LoadData2DParams(0, 1, 1, 0, 0, true, 0));
    SetFlag<HardEvent::MTE1_M>(0);
    WaitFlag<HardEvent::MTE1_M>(0);
    MmadParams product(16, columns, 16, false);
    product.cmatrixInitVal = true;
    Mmad(l0c.Get<float>(), l0a.Get<half>(), l0b.Get<half>(), product);
    SetFlag<HardEvent::M_FIX>(0);
    WaitFlag<HardEvent::M_FIX>(0);
    GlobalTensor<float> to;
    to.SetGlobalBuffer(out.data(), out.size());
    Fixpipe(to, l0c.Get<float>(), FixpipeParamsV220(stored_columns, stored, 16, 16, false));
  }));
}

TEST(Undefined, GoesThroughAProductByRowsAndColumns) {
  EXPECT_EQ(Product(16, true, 16), "");
  EXPECT_EQ(Product(9, true, 9), "");
  ExpectSays(Product(9, true, 10), "L0C bytes [576, 640) go to GM and hold no value: LoadData on MTE1");
  ExpectSays(Product(16, false, 1), "go to GM and hold no value: LoadData on MTE1");
}

// What lies in L0C beyond the last column of a row-major move stays there.
TEST(Undefined, EndsWithTheColumnsThatAreStored) {
  EXPECT_EQ(Product(9, true, 9, 5, 5), "");
  ExpectSays(Product(9, true, 9, 5, 6), "L0C bytes [20, 24) go to GM and hold no value");
  ExpectSays(Product(9, true, 10, 5, 5), "L0C bytes [576, 596) go to GM and hold no value");
}

// A map of 4 rows of 4 pixels, of which the first `filled` were loaded; products of the first `rows` pixels.
std::string Convolution(int filled, uint16_t rows) {
  std::vector<half> in(512, half(1.0F));
  std::vector<float> out(256);
  LaunchOptions options{.threads = 1};
  options.gm.Add(BufferOf("in", in));
  options.gm.Add(BufferOf("out", out));
  return TextOf(LaunchOnUnit(options, [&](Core&) {
    TPipe pipe;
    TBuf<TPosition::A1> l1;
    TBuf<TPosition::A2> l0a;
    TBuf<TPosition::B2> l0b;
    TBuf<TPosition::CO1> l0c;
    pipe.InitBuffer(l1, 8192);
    pipe.InitBuffer(l0a, 512);
    pipe.InitBuffer(l0b, 512);
    pipe.InitBuffer(l0c, 1024);
    GlobalTensor<half> gm;
    gm.SetGlobalBuffer(in.data(), in.size());
    const LocalTensor<half> a = l1.Get<half>();
    DataCopy(a, gm, static_cast<uint32_t>(64 * filled));
    DataCopy(a[1024], gm, 256);
    SetFlag<HardEvent::MTE2_MTE1>(0);
    WaitFlag<HardEvent::MTE2_MTE1>(0);
    const uint8_t pads[] = {0, 0, 0, 0};
    LoadData(l0a.Get<half>(), a,
             LoadData3DParamsV2<half>(pads, 4, 4, 16, 16, 16, 0, 0, 1, 1, 1, 1, 1, 1, false, false, half(0)));
    LoadData(l0b.Get<half>(), a[1024], LoadData2DParams(0, 1, 1, 0, 0, false, 0));
    SetFlag<HardEvent::MTE1_M>(0);
    WaitFlag<HardEvent::MTE1_M>(0);
    MmadParams product(16, 16, 16, false);
    product.cmatrixInitVal = true;
    Mmad(l0c.Get<float>(), l0a.Get<half>(), l0b.Get<half>(), product);
    SetFlag<HardEvent::M_FIX>(0);
    WaitFlag<HardEvent::M_FIX>(0);
    GlobalTensor<float> to;
    to.SetGlobalBuffer(out.data(), out.size());
    Fixpipe(to, l0c.Get<float>(), FixpipeParamsV220(16, rows, 16, 16, false));
  }));
}

TEST(Undefined, RowsOfAMapThatAreNotStoredNeedNoValues) {
  EXPECT_EQ(Convolution(4, 16), "");
  EXPECT_EQ(Convolution(3, 12), "");
  ExpectSays(Convolution(3, 13), "L0C bytes [768, 832) go to GM and hold no value: LoadData on MTE1");
}

}  // namespace
}  // namespace tilesim
