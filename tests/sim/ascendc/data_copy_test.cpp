// The forms of DataCopy and DataCopyPad: paths and the pairs of memories that have none, rarer parameters,
// what counts drop, pads without a value, atomic stores.
#include <cstring>

#include "tests/sim/ascendc/vector_run.h"

namespace tilesim {
namespace {

using namespace AscendC;

// The faults of a kernel on one cube core that sees the buffers.
template <class... Buffers>
std::string FaultsOnCube(const std::function<void()>& kernel, const Buffers&... buffers) {
  LaunchOptions options{.type = KernelType::kAicOnly, .blocks = 1, .threads = 1};
  int number = 0;
  (options.gm.Add(buffers.buffer(("gm" + std::to_string(number++)).c_str())), ...);
  return TextOf(LaunchOnUnit(options, [&](Core&) { kernel(); }));
}

// 1024 bytes of a memory.
template <TPosition position, class T = float>
LocalTensor<T> Some() {
  static thread_local TBuf<position> buffer;
  buffer = {};
  GetTPipePtr()->InitBuffer(buffer, 1024);
  return buffer.template Get<T>();
}

TEST(DataCopy, FillsBtAndFbFromL1) {
  Gm<float> bias(64);
  Gm<half> narrow(64);
  Gm<uint64_t> words(32);
  for (size_t i = 0; i < 64; ++i) {
    bias.data()[i] = static_cast<float>(i);
    narrow.data()[i] = half(static_cast<float>(i) + 0.5F);
    words.data()[i / 2] = i * 1000;
  }
  EXPECT_EQ(FaultsOnCube(
                [&] {
                  TPipe pipe;
                  const LocalTensor<float> l1 = Some<TPosition::C1>();
                  const LocalTensor<half> l1_half = Some<TPosition::B1, half>();
                  const LocalTensor<uint64_t> l1_words = Some<TPosition::A1, uint64_t>();
                  const LocalTensor<float> bt = Some<TPosition::C2>();
                  const LocalTensor<uint64_t> fb = Some<TPosition::C2PIPE2GM, uint64_t>();
                  DataCopy(l1, bias.tensor(), 64);
                  DataCopy(l1_half, narrow.tensor(), 64);
                  DataCopy(l1_words, words.tensor(), 32);
                  PipeBarrier<PIPE_ALL>();
                  DataCopy(bt, l1, 40);  // two units of 64 bytes
                  DataCopy<float, half>(bt[64], l1_half, DataCopyParams(1, 4, 0, 0));
                  DataCopy(fb, l1_words, 20);  // one unit of 128 bytes
                  DataCopy<uint64_t>(fb[32], l1_words, DataCopyParams(2, 1, 4, 2));
                  PipeBarrier<PIPE_ALL>();
                  Core& core = CurrentCore();
                  core.ReachAll();
                  const auto value = [&](const std::byte* table, uint64_t at, auto zero) {
                    std::memcpy(&zero, table + at * sizeof(zero), sizeof(zero));
                    return zero;
                  };
                  for (uint64_t i = 0; i < 32; ++i) {
                    EXPECT_EQ(value(core.bt(), i, 0.0F), static_cast<float>(i));
                  }
                  EXPECT_NE(value(core.bt(), 32, 0.0F), 32.0F);
                  for (uint64_t i = 0; i < 64; ++i) {
                    EXPECT_EQ(value(core.bt(), 64 + i, 0.0F), static_cast<float>(i) + 0.5F);
                  }
                  for (uint64_t i = 0; i < 16; ++i) {
                    EXPECT_EQ(value(core.fb(), i, uint64_t{0}), words.data()[i]);
                    EXPECT_EQ(value(core.fb(), 32 + i, uint64_t{0}), words.data()[i]);
                    EXPECT_EQ(value(core.fb(), 64 + i, uint64_t{0}), words.data()[16 + i]);
                  }
                },
                bias, narrow, words),
            "");
}

// Every pair that a call can name is a path, a call for the other kind of core, or refused in words.
TEST(DataCopy, RefusesMemoriesThatNoPathJoins) {
  const auto on_cube = [](auto&& call) {
    return FaultsOf([&] {
      TPipe pipe;
      call();
    });
  };
  const auto on_vector = [](auto&& call) {
    return FaultsOn([&] {
      TPipe pipe;
      call();
    });
  };
  const DataCopyParams blocks(1, 1, 0, 0);
  ExpectSays(on_cube([&] { DataCopy(Some<TPosition::A1>(), Some<TPosition::B1>(), blocks); }),
             "dst: is in L1 and src in L1; there is no such path: paths from L1 are to BT, FB and GM");
  ExpectSays(on_cube([&] { DataCopy(Some<TPosition::A1>(), Some<TPosition::B1>(), 8); }), "no such path");
  ExpectSays(on_cube([&] { DataCopy(Some<TPosition::CO1>(), Some<TPosition::A1>(), blocks); }),
             "is in L0C and src in L1; there is no such path");
  ExpectSays(on_cube([&] { DataCopy(Some<TPosition::A1>(), Some<TPosition::C2>(), 8); }),
             "paths from BT are none; Mmad reads it as its bias");
  ExpectSays(on_cube([&] { DataCopy(Some<TPosition::VECIN>(), Some<TPosition::A1>(), 8); }),
             "is in UB and src in L1; there is no such path");
  ExpectSays(on_vector([&] { DataCopy(Some<TPosition::CO1>(), Some<TPosition::VECIN>(), 8); }),
             "paths from UB are to UB and GM (DataCopy)");
  const char* const server = "does not model yet the server of a Matmul object";
  ExpectSays(on_vector([&] { DataCopy(Some<TPosition::A1>(), Some<TPosition::VECIN>(), 8); }), server);
  ExpectSays(on_vector([&] { DataCopy(Some<TPosition::A1>(), Some<TPosition::VECIN>(), blocks); }), server);
  ExpectSays(on_vector([&] { DataCopy(Some<TPosition::A1>(), Some<TPosition::VECIN>(), Nd2NzParams()); }),
             server);
  ExpectSays(
      on_vector([&] { DataCopyPad(Some<TPosition::A1>(), Some<TPosition::VECIN>(), blocks, Nd2NzParams()); }),
      server);
  ExpectSays(on_vector([&] {
               DataCopyPad(Some<TPosition::A1>(), Some<TPosition::VECIN>(), DataCopyExtParams(),
                           Nd2NzParams());
             }),
             server);
  EXPECT_EQ(on_cube([&] { DataCopy(Some<TPosition::A1>(), Some<TPosition::VECIN>(), 8); }), "");
  EXPECT_EQ(on_vector([&] { DataCopy(Some<TPosition::C2>(), Some<TPosition::C1>(), 8); }), "");
  ExpectSays(on_cube([&] {
               DataCopy(Some<TPosition::CO1>(), Some<TPosition::A1>(), blocks, DataCopyEnhancedParams());
             }),
             "tilesim does not model yet DataCopy from L1 to L0C");
  Gm<float> gm(64);
  ExpectSays(FaultsOnCube(
                 [&] {
                   TPipe pipe;
                   DataCopy(Some<TPosition::C2>(), gm.tensor(), 16);
                 },
                 gm),
             "is in BT and src in GM; there is no such path: paths from GM are to UB and L1");
  ExpectSays(FaultsOnCube(
                 [&] {
                   TPipe pipe;
                   DataCopyPad(Some<TPosition::A1>(), gm.tensor(), DataCopyExtParams(1, 4, 0, 0, 0),
                               DataCopyPadExtParams<float>());
                 },
                 gm),
             "is in L1, must be in UB: DataCopyPad joins GM and UB only");
}

TEST(DataCopy, RefusesTypesThatAPathDoesNotTake) {
  ExpectSays(
      FaultsOf([] {
        TPipe pipe;
        DataCopy(Some<TPosition::C2, half>(), Some<TPosition::C1, half>(), 32);
      }),
      "is half in BT and src half in L1; allowed: int32_t from int32_t, float from float, float from half");
  ExpectSays(FaultsOf([] {
               TPipe pipe;
               DataCopy(Some<TPosition::C2PIPE2GM>(), Some<TPosition::C1>(), 32);
             }),
             "is float in FB and src float in L1; allowed: uint64_t from uint64_t");
  ExpectSays(FaultsOn([] {
               TPipe pipe;
               DataCopy(Some<TPosition::VECIN, float>(), Some<TPosition::VECIN, half>(),
                        DataCopyParams(1, 1, 0, 0));
             }),
             "is float and src half; a copy within UB changes no type: use Cast");
}

// What DataCopyEnhancedParams says changes nothing.
TEST(DataCopy, WithEnhancedParamsIsAsWithout) {
  Gm<float> src(64);
  Gm<float> dst(64);
  for (size_t i = 0; i < 64; ++i) {
    src.data()[i] = static_cast<float>(i) - 20.0F;
  }
  const DataCopyEnhancedParams enhanced(BlockMode::BLOCK_MODE_MATRIX, DeqScale::VDEQ, 3, 1, true, PAD_MODE2,
                                        9);
  EXPECT_EQ(enhanced.deqTensorAddr, 0U);
  const DataCopyParams all(1, 8, 0, 0);
  EXPECT_EQ(TextOf(RunOn(
                [&] {
                  TPipe pipe;
                  TBuf<TPosition::VECCALC> buffer;
                  pipe.InitBuffer(buffer, 4096);
                  const LocalTensor<float> a = Part<float>(buffer, 0);
                  const LocalTensor<float> b = Part<float>(buffer, 1);
                  DataCopy(a, src.tensor(), all, enhanced);
                  PipeBarrier<PIPE_ALL>();
                  DataCopy(b, a, all, enhanced);
                  PipeBarrier<PIPE_ALL>();
                  DataCopy(dst.tensor(), b, all, enhanced);
                },
                {}, src, dst)),
            "");
  EXPECT_EQ(dst.data(), src.data());
}

TEST(DataCopy, OfPairsOfInt4ToNzTakesEvenNumbers) {
  Gm<int8_t> gm(256);
  for (size_t i = 0; i < 256; ++i) {
    gm.data()[i] = static_cast<int8_t>(i);
  }
  const auto faults = [&](const Nd2NzParams& params) {
    return FaultsOnCube(
        [&] {
          TPipe pipe;
          const LocalTensor<int8_t> l1 = Some<TPosition::A1, int8_t>();
          GlobalTensor<int4b_t> src;
          src.SetGlobalBuffer(reinterpret_cast<int4b_t*>(gm.data().data()), 256);
          DataCopy(l1.ReinterpretCast<int4b_t>(), src, params);
          PipeBarrier<PIPE_ALL>();
          for (uint32_t r = 0; r < 2; ++r) {  // 72 elements: 36 bytes, a strip and 4 bytes of the next
            EXPECT_EQ(std::memcmp(CurrentCore().l1() + r * 32, gm.data().data() + r * 40, 32), 0);
            EXPECT_EQ(std::memcmp(CurrentCore().l1() + 64 + r * 32, gm.data().data() + r * 40 + 32, 4), 0);
            EXPECT_EQ(CurrentCore().l1()[64 + r * 32 + 4], std::byte{0});
          }
        },
        gm);
  };
  EXPECT_EQ(faults(Nd2NzParams(1, 2, 72, 0, 80, 2, 1, 0)), "");
  ExpectSays(faults(Nd2NzParams(1, 2, 71, 0, 80, 2, 1, 0)), "dValue = 71, must be even for int4b_t");
  ExpectSays(faults(Nd2NzParams(1, 2, 72, 0, 81, 2, 1, 0)), "srcDValue = 81, must be even for int4b_t");
}

TEST(DataCopy, OfGmOffsetsOfInt4CountElements) {
  Gm<int8_t> gm(64);
  gm.data()[3] = 0x5A;
  EXPECT_EQ(FaultsOnCube(
                [&] {
                  GlobalTensor<int4b_t> all;
                  auto* const first = reinterpret_cast<int4b_t*>(gm.data().data());
                  all.SetGlobalBuffer(first, 128);
                  EXPECT_EQ(all.GetSize(), 128U);
                  EXPECT_EQ(all[6].GetPhyAddr(), first + 3);
                  EXPECT_EQ(all.GetPhyAddr(6), first + 3);
                  EXPECT_EQ(int8_t{all.GetValue(6)}, -6);
                  EXPECT_EQ(int8_t{all[6].GetValue(1)}, 5);
                },
                gm),
            "");
  const auto odd = [&](uint64_t size, uint64_t offset) {
    return FaultsOnCube(
        [&] {
          GlobalTensor<int4b_t> all;
          all.SetGlobalBuffer(reinterpret_cast<int4b_t*>(gm.data().data()), size);
          (void)all[offset];
        },
        gm);
  };
  ExpectSays(odd(128, 5), "is 5 elements of int4b_t, of which two make a byte; use an even number");
  ExpectSays(odd(127, 4), "is 127 elements of int4b_t, of which two make a byte; use an even number");
}

TEST(DataCopy, OfGmTakesOffsetsBelowTheTensorAsTheyWrapAround) {
  Gm<float> gm(64);
  gm.data()[9] = 7;
  EXPECT_EQ(FaultsOnCube(
                [&] {
                  GlobalTensor<float> all;
                  all.SetGlobalBuffer(gm.data().data(), 64);
                  EXPECT_EQ(all[10].GetValue(static_cast<uint64_t>(-1)), 7.0F);
                  EXPECT_EQ(all[static_cast<uint64_t>(-2)].GetValue(11), 7.0F);
                },
                gm),
            "");
}

// NZ and back, by the forms of a vector core.
TEST(DataCopy, TurnsToNzInUbAndBack) {
  Gm<half> src(6 * 32);
  Gm<half> dst(6 * 32);
  for (size_t i = 0; i < 6 * 32; ++i) {
    src.data()[i] = half(static_cast<float>(i));
  }
  EXPECT_EQ(TextOf(RunOn(
                [&] {
                  TPipe pipe;
                  TBuf<TPosition::VECCALC> buffer;
                  pipe.InitBuffer(buffer, 4096);
                  const LocalTensor<half> nz = Part<half>(buffer, 0);
                  DataCopy(nz, src.tensor(), Nd2NzParams(1, 6, 32, 0, 32, 6, 1, 0));
                  PipeBarrier<PIPE_ALL>();
                  EXPECT_EQ(static_cast<float>(nz.GetValue(6 * 16 + 16 + 3)), 32.0F + 16.0F + 3.0F);
                  DataCopy(dst.tensor(), nz, Nz2NdParamsFull(1, 6, 32, 1, 6, 32, 1));
                },
                {}, src, dst)),
            "");
  EXPECT_EQ(std::memcmp(dst.data().data(), src.data().data(), 6 * 32 * sizeof(half)), 0);
  const Nz2NdParamsFull defaults;
  EXPECT_EQ(defaults.ndNum + defaults.srcNdMatrixStride + defaults.dstNdMatrixStride, 3);
}

TEST(DataCopy, OfSlicesTakesThemOutAndPutsThemBack) {
  Gm<float> src(3 * 87);
  Gm<float> dst(3 * 87, -1.0F);
  for (size_t i = 0; i < 3 * 87; ++i) {
    src.data()[i] = static_cast<float>(i);
  }
  SliceInfo outer[] = {{16, 70, 7, 3, 87}, {0, 2, 1, 1, 3}};
  SliceInfo packed[] = {{0, 47, 0, 3, 48}, {0, 1, 0, 1, 2}};
  EXPECT_EQ(TextOf(RunOn(
                [&] {
                  TPipe pipe;
                  TBuf<TPosition::VECCALC> buffer;
                  pipe.InitBuffer(buffer, 4096);
                  const LocalTensor<float> tile = Part<float>(buffer, 0);
                  DataCopy(tile, src.tensor(), packed, outer, 2);
                  PipeBarrier<PIPE_ALL>();
                  EXPECT_EQ(tile.GetValue(48 + 24), 2.0F * 87 + 47);
                  DataCopy(dst.tensor(), tile, outer, packed, 2);
                },
                {}, src, dst)),
            "");
  for (int i = 0; i < 3 * 87; ++i) {
    const int column = i % 87;
    const bool taken = i / 87 != 1 && ((column >= 16 && column < 40) || (column >= 47 && column < 71));
    EXPECT_EQ(dst.data()[static_cast<size_t>(i)], taken ? static_cast<float>(i) : -1.0F) << i;
  }
  const SliceInfo defaults;
  EXPECT_EQ(defaults.endIndex, 31U);
  EXPECT_EQ(defaults.burstLen, 32U);
}

// 13 floats: the last 5 do not fill a data block.
TEST(DataCopy, NamesTheCallThatDroppedTheRestOfACount) {
  Gm<float> gm(64);
  const auto faults = [&](uint32_t count, int32_t read) {
    return TextOf(RunOn(
        [&] {
          TPipe pipe;
          TBuf<TPosition::VECCALC> buffer;
          pipe.InitBuffer(buffer, 4096);
          const LocalTensor<float> a = Part<float>(buffer, 0);
          DataCopy(a, gm.tensor(), count);
          PipeBarrier<PIPE_ALL>();
          Adds(Part<float>(buffer, 1), a, 1.0F, read);
          for (int32_t i = 0; i < read; ++i) {
            (void)Part<float>(buffer, 1).GetValue(static_cast<uint32_t>(i));
          }
        },
        {}, gm));
  };
  EXPECT_EQ(faults(13, 8), "");
  EXPECT_EQ(faults(16, 13), "");
  const std::string text = faults(13, 13);
  ExpectSays(text, "never written");
  ExpectSays(text, "; DataCopy (");
  ExpectSays(text, "data_copy_test.cpp:");
  ExpectSays(text, "was asked for UB bytes [32, 52), too, and dropped them: a count moves whole blocks only");
}

// Pads that nothing gave a value are written by nobody; the data beside them is.
TEST(DataCopyPad, LeavesPadsWithoutAValueUndefined) {
  Gm<float> gm(64);
  const auto faults = [&](bool set, uint32_t first, int32_t count) {
    return TextOf(RunOn(
        [&] {
          TPipe pipe;
          TBuf<TPosition::VECCALC> buffer;
          pipe.InitBuffer(buffer, 4096);
          const LocalTensor<float> a = Part<float>(buffer, 0);
          if (set) {
            SetPadValue<float, TPosition::VECIN>(2.0F);
          }
          DataCopyPad(a, gm.tensor(), DataCopyExtParams(1, 56, 0, 0, 0),
                      DataCopyPadExtParams<float>(false, 8, 1, 5.0F));
          PipeBarrier<PIPE_ALL>();
          Adds(Part<float>(buffer, 1), a[first], 1.0F, count);
          for (int32_t i = 0; i < count; ++i) {
            (void)Part<float>(buffer, 1).GetValue(static_cast<uint32_t>(i));
          }
        },
        {}, gm));
  };
  EXPECT_EQ(faults(true, 0, 24), "");
  EXPECT_EQ(faults(false, 8, 14), "");
  ExpectSays(faults(false, 0, 9), "left them as pads, with isPad false and no SetPadValue before it");
  ExpectSays(faults(false, 8, 15), "left them as pads, with isPad false and no SetPadValue before it");
}

TEST(DataCopyPad, PadsWideElementsWithZeroOnly) {
  Gm<double> gm(8);
  const auto faults = [&](bool set, double value) {
    return TextOf(RunOn(
        [&] {
          TPipe pipe;
          TBuf<TPosition::VECCALC> buffer;
          pipe.InitBuffer(buffer, 4096);
          if (set) {
            SetPadValue(value);
          }
          DataCopyPad(Part<double>(buffer, 0), gm.tensor(), DataCopyExtParams(1, 8, 0, 0, 0),
                      DataCopyPadExtParams<double>(!set, 0, 1, value));
        },
        {}, gm));
  };
  for (const bool set : {false, true}) {
    EXPECT_EQ(faults(set, 0.0), "");
    ExpectSays(faults(set, 1.0), "elements of 64 bits can be padded with 0 only");
  }
}

template <class T>
void ExpectUpdates() {
  Gm<T> src(32);
  for (size_t i = 0; i < 32; ++i) {
    src.data()[i] = T(static_cast<float>(static_cast<int>(i) - 9));
  }
  const auto stored = [&](auto&& set) {
    Gm<T> dst(32, T(3.0F));
    EXPECT_EQ(TextOf(RunOn(
                  [&] {
                    TPipe pipe;
                    TBuf<TPosition::VECCALC> buffer;
                    pipe.InitBuffer(buffer, 4096);
                    const LocalTensor<T> a = Part<T>(buffer, 0);
                    DataCopy(a, src.tensor(), 32);
                    PipeBarrier<PIPE_ALL>();
                    set();
                    DataCopyPad(dst.tensor(), a, DataCopyExtParams(1, 31 * sizeof(T), 0, 0, 0));
                    SetAtomicNone();
                  },
                  {}, src, dst)),
              "");
    return dst.data();
  };
  const std::vector<T> sum = stored([] { SetAtomicAdd<T>(); });
  const std::vector<T> most = stored([] { SetAtomicMax<T>(); });
  const std::vector<T> least = stored([] {
    SetAtomicMin<int32_t>();
    SetAtomicType<T>();
  });
  for (int i = 0; i < 32; ++i) {
    const float value = static_cast<float>(i - 9);
    const auto at = static_cast<size_t>(i);
    EXPECT_EQ(static_cast<float>(sum[at]), i < 31 ? value + 3.0F : 3.0F);
    EXPECT_EQ(static_cast<float>(most[at]), i < 31 && value > 3.0F ? value : 3.0F);
    EXPECT_EQ(static_cast<float>(least[at]), i < 31 && value < 3.0F ? value : 3.0F);
  }
}

TEST(DataCopyPad, UpdatesGmInEveryTypeThatHasUpdates) {
  ExpectUpdates<int8_t>();
  ExpectUpdates<int16_t>();
  ExpectUpdates<half>();
  ExpectUpdates<bfloat16_t>();
  ExpectUpdates<int32_t>();
  ExpectUpdates<float>();
}

TEST(StoreAtomicConfig, IsReadBack) {
  EXPECT_EQ(FaultsOn([] {
              uint16_t type = 9;
              uint16_t op = 9;
              GetStoreAtomicConfig(type, op);
              EXPECT_EQ(type, 0);
              SetStoreAtomicConfig<AtomicDtype::ATOMIC_S8, AscendC::AtomicOp::ATOMIC_SUM>();
              GetStoreAtomicConfig(type, op);
              EXPECT_EQ(type, 5);
              EXPECT_EQ(op, 0);
            }),
            "");
}

// Every listed overload of every type, as calls name them; not run.
template <class T>
void CopyAll(const LocalTensor<T>& a, const LocalTensor<T>& b, const GlobalTensor<T>& g) {
  const DataCopyParams p(1, 2, 0, 0);
  const DataCopyExtParams wide(1, 2, 3, 4, 0);
  DataCopy<T>(a, g, 64U);
  DataCopy<T>(g, a, 64U);
  DataCopy<T>(a, b, 64U);
  DataCopy<T>(a, g, p);
  DataCopy<T>(g, a, p);
  DataCopy<T>(a, b, p);
  DataCopy(a, b, {1, 2, 0, 0});
  DataCopy(a, g, {1, 2, 0, 0});
  DataCopy<T>(a, g, p, DataCopyEnhancedParams());
  DataCopy<T>(g, a, p, DataCopyEnhancedParams());
  DataCopy<T>(a, b, p, DataCopyEnhancedParams());
  DataCopyPad<T>(a, g, p, DataCopyPadParams());
  DataCopyPad<T>(g, a, p);
  DataCopyPad<T>(a, g, wide, DataCopyPadExtParams<T>(false, 0, 0, T(0)));
  DataCopyPad<T, T>(a, g, wide, DataCopyPadExtParams<T>());
  DataCopyPad<T>(g, a, wide);
  SetPadValue<T>(T(0));
  if constexpr (sizeof(T) <= 4) {
    const SliceInfo slice[1];
    DataCopy<T>(a, g, slice, slice);
    DataCopy<T>(g, a, slice, slice, 1);
    DataCopy<T>(a, g, Nd2NzParams());
  }
  if constexpr (sizeof(T) == 2 || sizeof(T) == 4) {
    DataCopy<T>(g, a, Nz2NdParamsFull());
  }
}
template <class... T>
struct EveryType {
  static constexpr size_t kOverloads =
      sizeof...(T) + ((&CopyAll<T> != nullptr ? size_t{0} : size_t{1}) + ...);
};

TEST(DataCopy, HasEveryOverloadForEveryType) {
  EXPECT_EQ((EveryType<int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float,
                       int64_t, uint64_t, double>::kOverloads),
            12U);
}

// Of two buffers of 64 floats, 64 apart, x before y, from base to base + offset: 8 floats are read.
std::string FaultsOfReading(bool from_y, uint64_t size, int64_t base, int64_t offset) {
  std::vector<float> all(192, 1.0F);
  LaunchOptions options{.type = KernelType::kAivOnly, .threads = 1};
  const auto begin = reinterpret_cast<uint64_t>(all.data());
  options.gm.Add({.name = "x", .address = begin, .size_bytes = 256});
  options.gm.Add({.name = "y", .address = begin + 512, .size_bytes = 256});
  return TextOf(LaunchOnUnit(options, [&](Core&) {
    const LocalTensor<float> ub(TPosition::VECCALC, 0, 256, {});
    GlobalTensor<float> gm;
    float* const at = all.data() + (from_y ? 128 : 0) + base;
    size == 0 ? gm.SetGlobalBuffer(at) : gm.SetGlobalBuffer(at, size);
    DataCopy(ub, gm[static_cast<uint64_t>(offset)], 8);
  }));
}

TEST(DataCopy, FromABufferThatItsTensorWasNotMadeFromIsToldWithoutASizeToo) {
  for (const uint64_t size : {0, 64}) {
    EXPECT_EQ(FaultsOfReading(false, size, 0, 56), "");
    ExpectSays(
        FaultsOfReading(false, size, 0, 136),
        "[out of bounds] src: begins 288 bytes behind the end of GM buffer x, which its tensor was made "
        "from, at byte 32 of GM buffer y; x has 256 bytes");
    EXPECT_EQ(FaultsOfReading(true, size, 0, 0), "");
    ExpectSays(FaultsOfReading(true, size, 0, -120),
               "[out of bounds] src: begins 480 bytes before GM buffer y, which its tensor was made from, at "
               "byte 32 of GM buffer x; y has 256 bytes");
  }
  // a base in no buffer, or one past the end of one, and a size that is too large are no such thing
  EXPECT_EQ(FaultsOfReading(false, 0, 64, -8), "");
  EXPECT_EQ(FaultsOfReading(false, 0, 96, 40), "");
  EXPECT_EQ(FaultsOfReading(false, 192, 0, 8), "");
  EXPECT_EQ(FaultsOfReading(true, 0, 32, -32), "");
}

}  // namespace
}  // namespace tilesim
