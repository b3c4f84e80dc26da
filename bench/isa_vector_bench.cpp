// How fast the host computes what max pooling is made of: vector instructions. `repeats` 1 shows what an
// instruction costs by itself; `stride` is that of the source between repeats, in data blocks (of the second
// one where there are two and it is 0).
#include <benchmark/benchmark.h>

#include "bench/vector_bench.h"
#include "sim/core/launch.h"
#include "sim/isa/elementwise.h"
#include "sim/isa/vector_cast.h"
#include "sim/isa/vector_fill.h"
#include "sim/isa/vector_select.h"
// after the others: it defines names in the global namespace
#include "sim/ascendc/kernel_operator.h"

namespace tilesim::isa {
namespace {

VectorWork WorkOfState(const benchmark::State& state, int64_t lanes = 64) {
  return WorkOfMask(LaneMask::First(lanes), lanes, state.range(1));
}
int64_t RepeatsBytes(const benchmark::State& state, int64_t operands) {
  return operands * state.range(1) * kRepeatBytes;
}

template <ElementwiseKind kKind, VectorType kType>
void Elementwise(benchmark::State& state) {
  constexpr int64_t kBits = ElementBits(kType);
  constexpr bool kTwo = SourcesOf(kKind) == ElementwiseSources::kTwo;
  const int64_t stride = state.range(2);
  IssueAll(state,
           VectorElementwise{.kind = kKind,
                             .dst = Lanes(0, 8, kBits),
                             .src0 = Lanes(1, kTwo && stride == 0 ? 8 : stride, kBits),
                             .src1 = Lanes(2, stride, kBits),
                             .scalar_bits = 3,
                             .dst_type = kType,
                             .src_type = kType,
                             .work = WorkOfState(state, 2048 / kBits)},
           RepeatsBytes(state, kTwo ? 3 : 2));
}

template <CompareKind kKind, VectorType kType>
void Compare(benchmark::State& state) {
  const int64_t stride = state.range(2);
  IssueAll(state,
           VectorCompare{.dst = Lanes(0, 1).at,
                         .src0 = Lanes(1, stride == 0 ? 8 : stride),
                         .src1 = Lanes(2, stride),
                         .type = kType,
                         .kind = kKind,
                         .work = WorkOfRepeats(LanesOfRepeat(kType), state.range(1))},
           RepeatsBytes(state, 2));
}

template <SelectMode kMode>
void Select(benchmark::State& state) {
  const int64_t stride = state.range(2);
  Operand bits = Lanes(0, 8).at;
  bits.begin = 3 * kPart;
  IssueAll(state,
           VectorSelect{.dst = Lanes(0, 8),
                        .bits = bits,
                        .src0 = Lanes(1, stride == 0 ? 8 : stride),
                        .src1 = Lanes(2, stride),
                        .scalar_bits = 0x3f800000,
                        .type = VectorType::kFp32,
                        .mode = kMode,
                        .work = WorkOfState(state)},
           RepeatsBytes(state, kMode == SelectMode::kTensorScalar ? 2 : 3));
}

void Duplicate(benchmark::State& state) {
  IssueAll(
      state,
      VectorDuplicate{.dst = Lanes(0, state.range(2)), .value_bits = 0x3f800000, .work = WorkOfState(state)},
      RepeatsBytes(state, 1));
}

void Copy(benchmark::State& state) {
  IssueAll(state,
           VectorElementwise{.kind = ElementwiseKind::kCopy,
                             .dst = Lanes(0, 8),
                             .src0 = Lanes(1, state.range(2)),
                             .work = WorkOfState(state)},
           RepeatsBytes(state, 2));
}

template <VectorType kFrom, VectorType kTo, Round kRound>
void Cast(benchmark::State& state) {
  constexpr int64_t kWide = 8;
  const auto lanes = [&](uint64_t part, VectorType type) {
    const int64_t bits = ElementBits(type);
    return Lanes(part, kWide * bits / 32 * (state.range(2) / 8), bits);
  };
  IssueAll(state,
           VectorCast{.dst = lanes(0, kTo),
                      .src = lanes(1, kFrom),
                      .from = kFrom,
                      .to = kTo,
                      .round = kRound,
                      .work = WorkOfState(state)},
           state.range(1) * 64 * (ElementBits(kFrom) + ElementBits(kTo)) / 8);
}

// What a kernel pays for a call: the API's part included.
void CallOfMax(benchmark::State& state) {
  const SocConfig soc = LoadSoc("ascend910b2");
  const LaunchOptions options{
      .type = KernelType::kAivOnly, .blocks = 1, .mode = ModeOf(state.range(0)), .threads = 1};
  const auto repeats = static_cast<uint8_t>(state.range(1));
  Launch(soc, options, [&] {
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 180 * 1024);
    const auto all = buffer.Get<float>();
    AscendC::Duplicate(all, 1.0F, 45 * 1024);
    const AscendC::BinaryRepeatParams params(1, 1, 1, 8, 8, static_cast<uint8_t>(state.range(2)));
    for (auto _ : state) {
      AscendC::Max(all, all[15360], all[30720], uint64_t{64}, repeats, params);
    }
  });
  state.SetBytesProcessed(state.iterations() * RepeatsBytes(state, 3));
}

void Shapes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"mode", "repeats", "stride"})
      ->Args({0, 1, 8})
      ->Args({0, 240, 8})
      ->Args({0, 120, 16})
      ->Args({0, 80, 24})
      ->Args({0, 240, 0})
      ->Args({1, 80, 8})
      ->Args({1, 80, 24})
      ->Args({2, 80, 8})
      ->Args({2, 80, 24});
}
void ShapesWithoutStride0(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"mode", "repeats", "stride"})
      ->Args({0, 1, 8})
      ->Args({0, 240, 8})
      ->Args({0, 120, 16})
      ->Args({0, 80, 24})
      ->Args({1, 80, 24})
      ->Args({2, 80, 24});
}
using enum VectorType;

BENCHMARK(Elementwise<ElementwiseKind::kMax, kFp32>)->Apply(Shapes);
BENCHMARK(Elementwise<ElementwiseKind::kAdd, kFp32>)->Apply(Shapes);
BENCHMARK(Elementwise<ElementwiseKind::kAdd, kInt32>)->Apply(Shapes);
BENCHMARK(Elementwise<ElementwiseKind::kMax, kFp16>)->Apply(ShapesWithoutStride0);
BENCHMARK(Elementwise<ElementwiseKind::kOr, kUint16>)->Apply(ShapesWithoutStride0);
BENCHMARK(Elementwise<ElementwiseKind::kNot, kUint16>)->Apply(ShapesWithoutStride0);
BENCHMARK(Elementwise<ElementwiseKind::kAdds, kFp32>)->Apply(ShapesWithoutStride0);
BENCHMARK(Elementwise<ElementwiseKind::kAdds, kInt32>)->Apply(ShapesWithoutStride0);
BENCHMARK(Elementwise<ElementwiseKind::kMuls, kInt32>)->Apply(ShapesWithoutStride0);
BENCHMARK(Compare<CompareKind::kGt, kFp32>)->Apply(Shapes);
BENCHMARK(Compare<CompareKind::kNe, kFp32>)->Apply(ShapesWithoutStride0);
BENCHMARK(Compare<CompareKind::kEq, kFp32>)->Apply(ShapesWithoutStride0);
BENCHMARK(Compare<CompareKind::kEq, kInt32>)->Apply(Shapes);
BENCHMARK(Select<SelectMode::kCompareMask>)->Apply(ShapesWithoutStride0);
BENCHMARK(Select<SelectMode::kTensorScalar>)->Apply(ShapesWithoutStride0);
BENCHMARK(Select<SelectMode::kTensorTensor>)->Apply(Shapes);
BENCHMARK(Duplicate)->Apply(ShapesWithoutStride0);
BENCHMARK(Copy)->Apply(ShapesWithoutStride0);
BENCHMARK(Cast<kFp16, kFp32, Round::kNone>)->Apply(ShapesWithoutStride0);
BENCHMARK(Cast<kFp32, kFp16, Round::kRint>)->Apply(ShapesWithoutStride0);
BENCHMARK(Cast<kBf16, kFp32, Round::kNone>)->Apply(ShapesWithoutStride0);
BENCHMARK(Cast<kFp32, kBf16, Round::kRint>)->Apply(ShapesWithoutStride0);
BENCHMARK(Cast<kInt32, kFp32, Round::kNone>)->Apply(ShapesWithoutStride0);
BENCHMARK(CallOfMax)
    ->ArgNames({"mode", "repeats", "stride"})
    ->Args({0, 1, 8})
    ->Args({0, 80, 24})
    ->Args({1, 80, 24})
    ->Args({2, 80, 24});

}  // namespace
}  // namespace tilesim::isa
