// Vector calls of a run of values only, which mostly run at once (Core::at_once): they do, refuse and leave
// behind what the same calls do that are issued step by step.
#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "tests/sim/isa/isa_fixture.h"
// after the others: it defines names in the global namespace
#include "tests/sim/ascendc/vector_forms.h"
#include "tests/support/repetitions.h"

namespace tilesim {
namespace {

using namespace AscendC;

using isa::Random;
using isa::Seed;

constexpr int64_t kUb = 192 * 1024;
constexpr std::byte kLeft{0x22};
constexpr std::byte kLarge{0x7B};  // numbers of it have no sum in fp16, nor product in fp32

// A call, and where its operands begin in UB and their tensors end.
struct Call {
  int which = 0;
  Lanes lanes;
  CMPMODE compares = CMPMODE::EQ;
  std::array<int64_t, 4> begins{};  // dst, src0, src1, bits
  std::array<int64_t, 4> sizes{};   // bytes
  bool freed = false;               // dst is a tensor that was given back
  bool ieee = false;                // how the call finds the registers
  bool counter = false;
  std::array<uint64_t, 2> mask{};
};

Call RandomCall(Random& random, int64_t lanes, int64_t element_bytes) {
  Call call;
  call.which = static_cast<int>(random.Int(0, 19));
  std::mt19937 forms(static_cast<uint32_t>(random.Int(0, INT32_MAX)));
  call.lanes = RandomLanes(forms, static_cast<Form>(random.Int(0, 5)), lanes);
  if (random.Int(0, 3) > 0) {  // what most kernels do
    BinaryRepeatParams& strides = call.lanes.strides;
    strides.dstBlkStride = strides.src0BlkStride = strides.src1BlkStride = 1;
    strides.dstRepStride = 8;
    strides.src0RepStride = random.Coin() ? 8 : strides.src0RepStride;
    strides.src1RepStride = random.Coin() ? 8 : 16;
    call.lanes.length = random.Coin() ? static_cast<uint64_t>(lanes) : call.lanes.length;
    call.lanes.repeats = static_cast<uint8_t>(random.Int(0, 12));
  }
  if (random.Int(0, 5) == 0) {  // whole blocks of a repeat, and those of the next one behind or over them
    BinaryRepeatParams& strides = call.lanes.strides;
    const auto blocks = static_cast<uint8_t>(random.Int(1, 8));
    const auto step = random.Int(0, 3) > 0 ? blocks : static_cast<uint8_t>(random.Int(0, blocks));
    call.lanes.form = Form::kLength;
    call.lanes.length = static_cast<uint64_t>(blocks * 32 / element_bytes);
    strides.dstBlkStride = strides.src0BlkStride = strides.src1BlkStride = 1;
    strides.dstRepStride = strides.src0RepStride = strides.src1RepStride = step;
  }
  if (random.Int(0, 3) == 0) {
    call.lanes.bits[0] = call.lanes.bits[1] = ~uint64_t{0};
  }
  constexpr int64_t kPart = kUb / 4;
  for (size_t i = 0; i < call.begins.size(); ++i) {
    call.begins[i] = static_cast<int64_t>(i) * kPart + random.Int(0, 40) * 32;
    call.begins[i] += random.Int(0, 19) == 0 ? element_bytes : 0;
    call.sizes[i] = random.Int(0, 9) == 0 ? random.Int(0, 60) * 32 : kUb - call.begins[i];
  }
  if (random.Int(0, 9) == 0) {  // beyond UB
    const auto i = static_cast<size_t>(random.Int(0, 3));
    call.begins[i] = kUb - random.Int(0, 8) * 32;
    call.sizes[i] = kUb;
  }
  if (random.Int(0, 2) == 0) {  // in place, or in part
    call.begins[1] = call.begins[0] + (random.Int(0, 3) == 0 ? random.Int(-3, 3) * 32 : 0);
    call.begins[2] = random.Coin() ? call.begins[0] : call.begins[2];
    call.begins[1] = std::max<int64_t>(call.begins[1], 0);
  }
  if (random.Int(0, 9) == 0) {
    std::swap(call.begins[random.Coin() ? 0 : 1],
              call.begins[3]);  // bits in the way, dst in Select's scratch
  }
  call.compares = static_cast<CMPMODE>(random.Int(0, 5));
  call.freed = random.Int(0, 29) == 0;
  call.ieee = random.Coin();
  call.counter = random.Coin();
  call.mask = {static_cast<uint64_t>(random.Int(0, INT32_MAX)), static_cast<uint64_t>(random.Int(0, 1))};
  return call;
}

template <class T>
LocalTensor<T> TensorAt(const Call& call, size_t operand) {
  return {TPosition::VECCALC,
          static_cast<uint64_t>(call.begins[operand]),
          static_cast<uint64_t>(std::max<int64_t>(call.sizes[operand], 0)),
          {}};
}

// `look`: as soon as it is done, before the registers are reset.
template <class T, class Look>
void Do(const Call& call, const Look& look) {
  LocalTensor<T> dst = TensorAt<T>(call, 0);
  dst.set_valid(!call.freed);
  const LocalTensor<T> a = TensorAt<T>(call, 1);
  const LocalTensor<T> b = TensorAt<T>(call, 2);
  const LocalTensor<uint8_t> bits = TensorAt<uint8_t>(call, 3);
  const T scalar = T(3);
  const auto call_with = [&](auto&& counted, auto&& masked) {
    Make<T>(
        call.lanes,
        [&](int32_t count) {
          counted(count);
          look();
        },
        [&](auto sets, auto mask, uint8_t repeats, const auto& strides) {
          masked(sets, mask, repeats, strides);
          look();
        });
  };
#define OF_TWO(NAME)                                                             \
  call_with([&](int32_t n) { NAME(dst, a, b, n); },                              \
            [&](auto sets, auto mask, uint8_t repeats, const auto& strides) {    \
              NAME<T, decltype(sets)::value>(dst, a, b, mask, repeats, strides); \
            })
#define OF_ONE(NAME)                                                                            \
  call_with([&](int32_t n) { NAME(dst, a, scalar, n); },                                        \
            [&](auto sets, auto mask, uint8_t repeats, const auto& strides) {                   \
              NAME<T, T, decltype(sets)::value>(dst, a, scalar, mask, repeats, OfOne(strides)); \
            })
  switch (call.which) {
    case 0:
      OF_TWO(Add);
      return;
    case 1:
      OF_TWO(Sub);
      return;
    case 2:
      OF_TWO(Mul);
      return;
    case 3:
      OF_TWO(Max);
      return;
    case 4:
      OF_TWO(Min);
      return;
    case 5:
      OF_ONE(Adds);
      return;
    case 6:
      OF_ONE(Muls);
      return;
    case 7:
      OF_ONE(Maxs);
      return;
    case 8:
      OF_ONE(Mins);
      return;
    case 17:
      OF_TWO(And);
      return;
    case 18:
      OF_TWO(Or);
      return;
    case 19:
      call_with([&](int32_t n) { Not(dst, a, n); },
                [&](auto sets, auto mask, uint8_t repeats, const auto& strides) {
                  Not<T, decltype(sets)::value>(dst, a, mask, repeats, OfOne(strides));
                });
      return;
    case 9:
      call_with([&](int32_t n) { Duplicate(dst, scalar, n); },
                [&](auto sets, auto mask, uint8_t repeats, const auto& strides) {
                  Duplicate<T, decltype(sets)::value>(dst, scalar, mask, repeats, strides.dstBlkStride,
                                                      strides.dstRepStride);
                });
      return;
    case 10:
      call_with([&](int32_t n) { DataCopy(dst, a, static_cast<uint32_t>(n)); },
                [&](auto sets, auto mask, uint8_t repeats, const auto& strides) {
                  Copy<T, decltype(sets)::value>(
                      dst, a, mask, repeats,
                      CopyRepeatParams(strides.dstBlkStride, strides.src0BlkStride, strides.dstRepStride,
                                       strides.src0RepStride));
                });
      return;
    case 11:
    case 12: {
      const CMPMODE mode = call.which == 11 ? call.compares : CMPMODE::EQ;
      call_with([&](int32_t n) { Compare(bits, a, b, mode, static_cast<uint32_t>(n)); },
                [&](auto sets, auto mask, uint8_t repeats, const auto& strides) {
                  Compare<T, uint8_t, decltype(sets)::value>(bits, a, b, mode, mask, repeats, strides);
                });
      return;
    }
    case 13:
    case 14: {
      const SELMODE mode = call.which == 13 ? SELMODE::VSEL_TENSOR_TENSOR_MODE : SELMODE::VSEL_CMPMASK_SPR;
      call_with([&](int32_t n) { Select(dst, bits, a, b, mode, static_cast<uint32_t>(n)); },
                [&](auto sets, auto mask, uint8_t repeats, const auto& strides) {
                  Select<T, uint8_t, decltype(sets)::value>(dst, bits, a, b, mode, mask, repeats, strides);
                });
      return;
    }
    default: {
      const SELMODE mode =
          call.which == 15 ? SELMODE::VSEL_TENSOR_SCALAR_MODE : SELMODE::VSEL_TENSOR_TENSOR_MODE;
      call_with([&](int32_t n) { Select(dst, bits, a, scalar, mode, static_cast<uint32_t>(n)); },
                [&](auto sets, auto mask, uint8_t repeats, const auto& strides) {
                  Select<T, uint8_t, decltype(sets)::value>(dst, bits, a, scalar, mode, mask, repeats,
                                                            strides);
                });
    }
  }
#undef OF_TWO
#undef OF_ONE
}

// What a call leaves behind.
struct Left {
  std::string faults;
  UbCopy ub;
  std::array<uint64_t, 2> mask{};
  bool counter = false;
  std::array<uint64_t, 2> compare_mask{};
  int64_t instructions = 0;
};

template <class T>
Left After(const Call& call, uint32_t seed, bool at_once) {
  Left left;
  const auto look = [&](Core& core) {
    left.ub.assign(core.ub(), core.ub() + kUb);
    const VectorRegisters& registers = core.registers().vector;
    left.mask = {registers.mask_low, registers.mask_high};
    left.counter = registers.counter;
    left.compare_mask = registers.compare_mask;
  };
  const LaunchResult result = RunOn(
      [&] {
        Core& core = AscendC::simulator::ThisCore();
        EXPECT_EQ(core.at_once(), at_once);
        core.ReachAll();
        FillUb<T, T>(seed, core.ub());
        std::fill_n(core.ub() + kCompared, kUb - kCompared, kLeft);  // Select's scratch
        for (const int64_t begin : {call.begins[1], call.begins[2]}) {
          std::fill_n(core.ub() + std::min(begin, kUb - 64), 64, kLarge);
        }
        EXPECT_TRUE(core.FitsUb(kUb, 0, Use::kWrite));  // all has been written
        core.registers().ieee = call.ieee;
        if (call.lanes.form == Form::kCount) {  // the others set them
          core.registers().vector.counter = call.counter;
          core.registers().vector.mask_low = call.mask[0];
          core.registers().vector.mask_high = call.mask[1];
        }
        try {
          Do<T>(call, [&] { look(core); });
        } catch (...) {
          look(core);
          throw;
        }
      },
      {.values = true, .time = !at_once, .hazards = false});
  left.faults = TextWithoutCycles(result);
  left.instructions = result.Instructions();
  return left;
}

template <class T>
class VectorAtOnce : public ::testing::Test {};
using Types = ::testing::Types<int16_t, uint16_t, int32_t, half, float>;
TYPED_TEST_SUITE(VectorAtOnce, Types);

TYPED_TEST(VectorAtOnce, DoesWhatIssuedInstructionsDo) {
  using T = TypeParam;
  Random random;
  int refused = 0;
  int done = 0;
  for (int round = 0; round < Repetitions(1500); ++round) {
    const Call call = RandomCall(random, 256 / sizeof(T), sizeof(T));
    const auto seed = static_cast<uint32_t>(random.Int(0, INT32_MAX));
    const Left issued = After<T>(call, seed, false);
    const Left at_once = After<T>(call, seed, true);
    const std::string text = Say("call ", call.which, ", ", call.lanes.Text(), ", seed ", Seed());
    ASSERT_EQ(at_once.faults, issued.faults) << text;
    ASSERT_TRUE(at_once.ub == issued.ub) << text;
    ASSERT_EQ(at_once.mask, issued.mask) << text;
    ASSERT_EQ(at_once.counter, issued.counter) << text;
    ASSERT_EQ(at_once.compare_mask, issued.compare_mask) << text;
    ASSERT_EQ(at_once.instructions, issued.instructions) << text;
    (issued.faults.empty() ? done : refused) += 1;
  }
  EXPECT_GT(done, PartOf(100));
  EXPECT_GT(refused, PartOf(100));
}

}  // namespace
}  // namespace tilesim
