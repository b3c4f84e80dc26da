// What is the vector cores' to do does nothing on a cube core, which runs the same kernel: every call, in
// every form.
#include "tests/sim/ascendc/vector_run.h"

namespace tilesim {
namespace {

using namespace AscendC;

const BinaryRepeatParams kBinary;
const UnaryRepeatParams kUnary;
constexpr int32_t kElements = 64;

// The faults of a kernel on a cube core that is to do nothing there.
std::string FaultsOfNothing(const std::function<void(const LocalTensor<uint8_t>&)>& calls) {
  return FaultsOf([&] {
    TPipe pipe;
    const VectorRegisters before = AscendC::simulator::ThisCore().registers().vector;
    calls(LocalTensor<uint8_t>(TPosition::VECCALC, 0, 4096, {}));
    Core& core = AscendC::simulator::ThisCore();
    for (const Pipe issued : {Pipe::kS, Pipe::kV, Pipe::kMte2, Pipe::kMte3}) {
      EXPECT_EQ(core.statistics().instructions[Index(issued)], 0) << Index(issued);
    }
    const VectorRegisters& after = core.registers().vector;
    EXPECT_EQ(after.mask_low, before.mask_low);
    EXPECT_EQ(after.mask_high, before.mask_high);
    EXPECT_EQ(after.counter, before.counter);
    EXPECT_EQ(after.compare_mask, before.compare_mask);
  });
}

// Calls form(mask) with a number of elements, and with a pointer to bits.
template <class F>
void WithBothMasks(F&& form) {
  uint64_t bits[2] = {0xF, 0};
  form(uint64_t{16});
  form(&bits[0]);
}

TEST(VectorOnACubeCore, ArithmeticDoesNothing) {
  EXPECT_EQ(FaultsOfNothing([](const LocalTensor<uint8_t>& ub) {
              const LocalTensor<float> a = ub.ReinterpretCast<float>();
              Add(a, a, a, kElements);
              Sub(a, a, a, kElements);
              Mul(a, a, a, kElements);
              Max(a, a, a, kElements);
              Min(a, a, a, kElements);
              Adds(a, a, 1.0F, kElements);
              Muls(a, a, 1.0F, kElements);
              Maxs(a, a, 1.0F, kElements);
              Mins(a, a, 1.0F, kElements);
              WithBothMasks([&](auto mask) {
                Add(a, a, a, mask, 1, kBinary);
                Sub(a, a, a, mask, 1, kBinary);
                Mul(a, a, a, mask, 1, kBinary);
                Max(a, a, a, mask, 1, kBinary);
                Min(a, a, a, mask, 1, kBinary);
                Adds(a, a, 1.0F, mask, 1, kUnary);
                Muls(a, a, 1.0F, mask, 1, kUnary);
                Maxs(a, a, 1.0F, mask, 1, kUnary);
                Mins(a, a, 1.0F, mask, 1, kUnary);
              });
              Add<float, false>(a, a, a, MASK_PLACEHOLDER, 1, kBinary);
              Adds<float, float, false>(a, a, 1.0F, MASK_PLACEHOLDER, 1, kUnary);
            }),
            "");
}

TEST(VectorOnACubeCore, MasksStayAsTheyAre) {
  EXPECT_EQ(FaultsOfNothing([](const LocalTensor<uint8_t>&) {
              SetMaskCount();
              SetVectorMask<float, MaskMode::COUNTER>(7);
              SetVectorMask<float>(65);  // more than a repeat holds
              SetVectorMask<half>(uint64_t{3}, uint64_t{4});
              EXPECT_FALSE(AscendC::simulator::ThisCore().registers().vector.counter);
              SetMaskNorm();
              ResetMask();
            }),
            "");
}

TEST(VectorOnACubeCore, WordsAndConversionsDoNothing) {
  EXPECT_EQ(FaultsOfNothing([](const LocalTensor<uint8_t>& ub) {
              const LocalTensor<uint16_t> words = ub.ReinterpretCast<uint16_t>();
              const LocalTensor<float> a = ub.ReinterpretCast<float>();
              const LocalTensor<half> halves = ub.ReinterpretCast<half>();
              And(words, words, words, kElements);
              Or(words, words, words, kElements);
              Not(words, words, kElements);
              Cast(halves, a, RoundMode::CAST_RINT, kElements);
              WithBothMasks([&](auto mask) {
                And(words, words, words, mask, 1, kBinary);
                Or(words, words, words, mask, 1, kBinary);
                Not(words, words, mask, 1, kUnary);
                Cast(halves, a, RoundMode::CAST_RINT, mask, 1, kUnary);
              });
              Not<uint16_t, false>(words, words, MASK_PLACEHOLDER, 1, kUnary);
              Cast<half, float, false>(halves, a, RoundMode::CAST_RINT, MASK_PLACEHOLDER, 1, kUnary);
              Floor(a, a, kElements);
              Floor<float, false>(a, a, ub, kElements);
            }),
            "");
}

TEST(VectorOnACubeCore, ComparisonsDoNothing) {
  EXPECT_EQ(FaultsOfNothing([](const LocalTensor<uint8_t>& bits) {
              const LocalTensor<float> a = bits.ReinterpretCast<float>();
              constexpr SELMODE kTensors = SELMODE::VSEL_TENSOR_TENSOR_MODE;
              constexpr SELMODE kScalar = SELMODE::VSEL_TENSOR_SCALAR_MODE;
              Compare(bits, a, a, CMPMODE::EQ, uint32_t{kElements});
              Select(a, bits, a, a, SELMODE::VSEL_CMPMASK_SPR, kElements);
              Select(a, bits, a, a, kTensors, kElements);
              Select(a, bits, a, 1.0F, kScalar, kElements);
              Select<float, kTensors>(a, a, a, 1, kBinary);
              Select(a, bits, a, 1, kBinary);
              Compares(bits, a, 1.0F, CMPMODE::EQ, uint32_t{kElements});
              SetCmpMask(a);
              GetCmpMask(a);
              ReduceMax(a, a, a, kElements);
              ReduceMax(a, a, a, kElements, true);
              ReduceSum(a, a, a, kElements);
              EXPECT_EQ(GetAccVal<float>(), 0.0F);
              float value = 5;
              GetReduceMaxMinCount(value, value);
              EXPECT_EQ(value, 5.0F);
              WithBothMasks([&](auto mask) {
                Compare(bits, a, a, CMPMODE::EQ, mask, 1, kBinary);
                Compare(a, a, CMPMODE::EQ, mask, kBinary);
                CompareScalar(bits, a, 1.0F, CMPMODE::EQ, mask, 1, UnaryRepeatParams());
                Select(a, bits, a, a, kTensors, mask, 1, kBinary);
                Select(a, bits, a, 1.0F, kScalar, mask, 1, kBinary);
                ReduceMax(a, a, a, mask, 1, 8);
                ReduceMax(a, a, a, mask, 1, 8, true);
                ReduceSum(a, a, a, mask, 1, 8);
                WholeReduceSum(a, a, mask, 1, 1, 1, 8);
                BlockReduceMin(a, a, 1, mask, 1, 1, 8);
              });
              Compare<float, false>(a, a, CMPMODE::EQ, MASK_PLACEHOLDER, kBinary);
              Select<float, uint8_t, false>(a, bits, a, a, kTensors, MASK_PLACEHOLDER, 1, kBinary);
            }),
            "");
}

TEST(VectorOnACubeCore, FillsAndTransposesDoNothing) {
  EXPECT_EQ(FaultsOfNothing([](const LocalTensor<uint8_t>& ub) {
              const LocalTensor<float> a = ub.ReinterpretCast<float>();
              Duplicate(a, 1.0F, kElements);
              WithBothMasks([&](auto mask) {
                Duplicate(a, 1.0F, mask, 1, 1, 8);
                Copy(a, a, mask, 1, CopyRepeatParams());
              });
              Copy<float, false>(a, a, MASK_PLACEHOLDER, 1, CopyRepeatParams());
              Brcb(a, a, 1, BrcbRepeatParams());
              ArithProgression(a, 0.0F, 1.0F, kElements);
              uint64_t places[NCHW_CONV_ADDR_LIST_SIZE] = {};
              TransDataTo5HD<half>(places, places, TransDataTo5HDParams());
              LocalTensor<half> rows[NCHW_CONV_ADDR_LIST_SIZE];
              for (LocalTensor<half>& row : rows) {
                row = ub.ReinterpretCast<half>();
              }
              TransDataTo5HD(rows, rows, TransDataTo5HDParams());
            }),
            "");
}

TEST(VectorOnACubeCore, MovesDoNothing) {
  Gm<float> gm(64, 3.0F);
  EXPECT_EQ(FaultsOfNothing([&](const LocalTensor<uint8_t>& ub) {
              const LocalTensor<float> a = ub.ReinterpretCast<float>();
              GlobalTensor<float> tensor = gm.tensor();
              const DataCopyParams blocks(1, 2, 0, 0);
              const DataCopyParams bytes(1, 64, 0, 0);
              const DataCopyExtParams wide(1, 64, 0, 0, 0);
              DataCopy(a, a, kElements);
              DataCopy(a, a, blocks);
              DataCopy(a, tensor, kElements);
              DataCopy(a, tensor, blocks);
              DataCopy(tensor, a, kElements);
              DataCopy(tensor, a, blocks);
              DataCopyPad(a, tensor, wide, DataCopyPadExtParams<float>());
              DataCopyPad(a, tensor, bytes, DataCopyPadParams());
              DataCopyPad(tensor, a, wide);
              DataCopyPad(tensor, a, bytes);
              InitGlobalMemory(tensor, 64, 0.0F);
              Fill(tensor, 64, 0.0F);
              InitOutput(tensor, 64, 0.0F);
              a.SetValue(0, 1.0F);
              EXPECT_EQ(a.GetValue(0), 0.0F);
            }),
            "");
  EXPECT_EQ(gm.data(), std::vector<float>(64, 3.0F));
}

TEST(VectorOnACubeCore, SortsTransposesAndScalesDoNothing) {
  EXPECT_EQ(FaultsOfNothing([](const LocalTensor<uint8_t>& ub) {
              LocalTensor<float> a = ub.ReinterpretCast<float>();
              const LocalTensor<uint32_t> index = ub.ReinterpretCast<uint32_t>();
              const uint16_t lengths[4] = {8, 8, 8, 8};
              uint32_t numbers[4] = {7, 7, 7, 7};
              uint16_t gave[4] = {7, 7, 7, 7};
              const MrgSortSrcList<float> queues(a, a, a, a);
              Sort32(a, a, index, 1);
              MrgSort(a, queues, MrgSort4Info(lengths, true, 15, 1));
              MrgSort<float, true>(a, queues, lengths, numbers, 15, 1);
              GetMrgSortResult(gave[0], gave[1], gave[2], gave[3]);
              EXPECT_EQ(numbers[0] + gave[3], 14U);
              Sort<float, true>(a, a, index, a, 3);
              Extract(a, index, a, 1);

              const LocalTensor<uint16_t> maps = ub.ReinterpretCast<uint16_t>();
              const LocalTensor<uint64_t> list = ub.ReinterpretCast<uint64_t>();
              Transpose(maps, maps);
              Transpose(maps, maps, ub, TransposeParamsExt(1, 1, 16, 16, TransposeType::TRANSPOSE_NCHW2NHWC));
              TransDataTo5HD<uint16_t>(list, list, TransDataTo5HDParams());

              const LocalTensor<int8_t> bytes = ub.ReinterpretCast<int8_t>();
              const LocalTensor<int32_t> sums = ub.ReinterpretCast<int32_t>();
              SetDeqScale(list, VdeqInfo());
              CastDequant(bytes, ub.ReinterpretCast<int16_t>(), uint32_t{16});
              AddDeqRelu(ub.ReinterpretCast<half>(), sums, sums, kElements);
              WithBothMasks([&](auto mask) {
                CastDequant(bytes, ub.ReinterpretCast<int16_t>(), mask, 1, kUnary);
                AddDeqRelu(ub.ReinterpretCast<half>(), sums, sums, mask, 1, kBinary);
              });
            }),
            "");
}

// What a launch of two blocks of a type says besides faults, of which it has none.
std::string NoticesOf(KernelType type, const std::function<void()>& calls) {
  const LaunchResult result =
      LaunchOnUnit({.type = type, .blocks = 2, .threads = 1}, [&](Core&) { calls(); });
  EXPECT_TRUE(result.faults.empty()) << TextOf(result);
  std::string text;
  for (const std::string& notice : result.notices) {
    text += notice + "\n";
  }
  return text;
}

TEST(CallsForTheOtherKindOfCore, AreToldOnceWhereThereIsNone) {
  const auto adds = [] {
    const LocalTensor<float> in_l1(TPosition::A1, 0, 2048, {});
    for (int i = 0; i < 3; ++i) {
      Adds(in_l1, in_l1, 1.0F, kElements);
    }
    SetMaskNorm();  // sets a register up
  };
  const auto product = [] {
    const LocalTensor<float> c(TPosition::CO1, 0, 1024, {});
    const LocalTensor<half> a(TPosition::A2, 0, 512, {});
    const LocalTensor<half> b(TPosition::B2, 0, 512, {});
    Mmad(c, a, b, MmadParams(16, 16, 16, false));
  };
  const std::string of_adds = NoticesOf(KernelType::kAicOnly, adds);
  ExpectSays(of_adds, "Adds (");
  ExpectSays(of_adds,
             ") does nothing: it is for vector cores, and this kernel, which is AIC_ONLY, runs on cube cores "
             "only; launch it as a type that has both, or leave the call out");
  EXPECT_EQ(std::ranges::count(of_adds, '\n'), 1) << of_adds;
  const std::string of_product = NoticesOf(KernelType::kMixAiv1_0, product);
  ExpectSays(of_product, "Mmad (");
  ExpectSays(of_product,
             "it is for cube cores, and this kernel, which is MIX_AIV_1_0, runs on vector cores only");
  EXPECT_EQ(std::ranges::count(of_product, '\n'), 1) << of_product;
}

TEST(CallsForTheOtherKindOfCore, AreSilentInMixedKernels) {
  const auto both = [] {
    if (AscendC::simulator::ThisCore().identity().kind == CoreKind::kAic) {
      const LocalTensor<float> ub(TPosition::VECCALC, 0, 2048, {});
      Adds(ub, ub, 1.0F, kElements);
      ub.SetValue(0, 1.0F);
    } else {
      const LocalTensor<half> l0a(TPosition::A2, 0, 512, {});
      LoadData(l0a, LocalTensor<half>(TPosition::A1, 0, 512, {}), LoadData2DParams(0, 1, 1, 0, 0, false, 0));
    }
  };
  EXPECT_EQ(NoticesOf(KernelType::kMixAic1_1, both), "");
  EXPECT_EQ(NoticesOf(KernelType::kMixAic1_2, both), "");
  ExpectSays(NoticesOf(KernelType::kMixAic1_0, both), "SetValue (");
  ExpectSays(NoticesOf(KernelType::kAivOnly, both), "LoadData (");
}

TEST(CallsForTheOtherKindOfCore, AreFaultsOnTheirOwnWhereTheTensorLiesElsewhere) {
  const LaunchResult result = LaunchOnUnit({.type = KernelType::kAivOnly, .threads = 1}, [](Core&) {
    const LocalTensor<float> in_l1(TPosition::A1, 0, 2048, {});
    Adds(in_l1, in_l1, 1.0F, kElements);
  });
  ExpectSays(TextOf(result), "is in L1, must be in UB");
}

}  // namespace
}  // namespace tilesim
