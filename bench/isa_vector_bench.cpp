// How fast the host computes what max pooling is made of: vector instructions, transpositions, and moves
// between GM and UB. `mode` 0: values only; 1: time only; 2: values, time and hazards. `repeats` 1 shows what
// an instruction costs by itself; `stride` is that of the source between repeats, in data blocks (of the
// second one where there are two and it is 0).
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "sim/core/core.h"
#include "sim/core/launch.h"
#include "sim/isa/ub_move.h"
#include "sim/isa/vector_arithmetic.h"
#include "sim/isa/vector_cast.h"
#include "sim/isa/vector_fill.h"
#include "sim/isa/vector_select.h"
#include "sim/isa/vector_transpose.h"
#include "sim/soc/soc_config.h"
// after the others: it defines names in the global namespace
#include "sim/ascendc/kernel_operator.h"

namespace tilesim::isa {
namespace {

constexpr uint64_t kPart = 61 * 1024;  // of UB, for each of three operands; Select keeps the last 8 KiB
constexpr int64_t kGmBytes = 1 << 24;

RunMode ModeOf(int64_t mode) { return {.values = mode != 1, .time = mode != 0, .hazards = mode == 2}; }

// A vector core with UB full of numbers, and one buffer of GM.
struct VectorBench {
  explicit VectorBench(const RunMode& mode) : memory(kGmBytes / 4, 1.5F) {
    space.Add({.name = "gm",
               .address = reinterpret_cast<uint64_t>(memory.data()),
               .size_bytes = static_cast<uint64_t>(kGmBytes)});
    core = std::make_unique<Core>(soc, space, written, CoreIdentity{.kind = CoreKind::kAiv}, mode);
    for (int64_t i = 0; i < (mode.values ? soc.ub_bytes / 4 : 0); ++i) {
      reinterpret_cast<float*>(core->ub())[i] = static_cast<float>(i % 997) * 0.25F;
    }
    core->Issue(VectorDuplicate{.dst = {.at = {.memory = Memory::kUb}},
                                .value_bits = 0x3f800000,
                                .work = WorkOfCount(64, soc.ub_bytes / 4)},
                SourceLine::Here());
  }
  Operand Gm() const { return {.memory = Memory::kGm, .begin = reinterpret_cast<uint64_t>(memory.data())}; }

  SocConfig soc = LoadSoc("ascend910b2");
  std::vector<float> memory;
  GmSpace space;
  IntervalSet written;
  std::unique_ptr<Core> core;
};

VectorOperand Lanes(uint64_t part, int64_t repeat_stride, int64_t bits = 32) {
  return {.at = {.memory = Memory::kUb, .begin = part * kPart},
          .element_bits = bits,
          .block_stride = 1,
          .repeat_stride = repeat_stride};
}

// Issues `op` over and over; it reads and writes `bytes`.
template <class Op>
void IssueAll(benchmark::State& state, const Op& op, int64_t bytes) {
  VectorBench bench(ModeOf(state.range(0)));
  for (auto _ : state) {
    bench.core->Issue(op, SourceLine::Here());
  }
  state.SetBytesProcessed(state.iterations() * bytes);
}

VectorWork WorkOfState(const benchmark::State& state, int64_t lanes = 64) {
  return WorkOfMask(LaneMask::First(lanes), lanes, state.range(1));
}
int64_t RepeatsBytes(const benchmark::State& state, int64_t operands) {
  return operands * state.range(1) * kRepeatBytes;
}

template <BinaryKind kKind, VectorType kType>
void Binary(benchmark::State& state) {
  constexpr int64_t kBits = ElementBits(kType);
  const int64_t stride = state.range(2);
  IssueAll(state,
           VectorBinary<kKind>{{.dst = Lanes(0, 8, kBits),
                                .src0 = Lanes(1, stride == 0 ? 8 : stride, kBits),
                                .src1 = Lanes(2, stride, kBits),
                                .type = kType,
                                .work = WorkOfState(state, 2048 / kBits)}},
           RepeatsBytes(state, 3));
}

template <BinaryKind kKind, VectorType kType>
void WithScalar(benchmark::State& state) {
  IssueAll(state,
           VectorScalar<kKind>{{.dst = Lanes(0, 8),
                                .src = Lanes(1, state.range(2)),
                                .scalar_bits = 3,
                                .type = kType,
                                .work = WorkOfState(state)}},
           RepeatsBytes(state, 2));
}

void Not(benchmark::State& state) {
  IssueAll(state,
           VectorNot{.dst = Lanes(0, 8, 16),
                     .src = Lanes(1, state.range(2), 16),
                     .type = VectorType::kUint16,
                     .work = WorkOfState(state, 128)},
           RepeatsBytes(state, 2));
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
                         .repeats = state.range(1)},
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
  IssueAll(state, VectorCopy{.dst = Lanes(0, 8), .src = Lanes(1, state.range(2)), .work = WorkOfState(state)},
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

// Points of 64 lanes out of rows of 64 planes: 16 rows of planes become 8 (fp32) or 16 points of them.
template <VectorType kType>
void TransDataTo5HD(benchmark::State& state) {
  constexpr bool kWide = kType == VectorType::kFp32;
  constexpr uint64_t kPlaneBytes = 255 * 32 / 15 / 32 * 32;
  VectorTranspose op{.dst = {},
                     .src = {},
                     .type = kType,
                     .repeats = state.range(1),
                     .dst_repeat_stride = kWide ? 16 : 32,
                     .src_repeat_stride = 1};
  for (uint64_t i = 0; i < 16; ++i) {
    op.src[i] = {.memory = Memory::kUb, .begin = 2 * kPart + i * kPlaneBytes, .limit = 0};
    op.dst[i] = {.memory = Memory::kUb, .begin = kWide ? i / 2 * 64 + i % 2 * 32 : i * 64, .limit = 0};
  }
  IssueAll(state, op, state.range(1) * 2 * 512);
}

// `repeats` blocks of `stride` bytes, each as far again apart in GM.
template <class Move>
Move PadMove(const benchmark::State& state, const VectorBench& bench) {
  if constexpr (std::is_same_v<Move, CopyPadFromGm>) {
    return {.dst = Lanes(0, 8).at,
            .src = bench.Gm(),
            .element_bytes = 4,
            .count = state.range(1),
            .block_bytes = state.range(2),
            .src_gap_bytes = state.range(2)};
  } else {
    return {.dst = bench.Gm(),
            .src = Lanes(0, 8).at,
            .element_bytes = 4,
            .count = state.range(1),
            .block_bytes = state.range(2),
            .dst_gap_bytes = state.range(2)};
  }
}
template <class Move>
void DataCopyPad(benchmark::State& state) {
  VectorBench bench(ModeOf(state.range(0)));
  Move op = PadMove<Move>(state, bench);
  Operand& gm = std::is_same_v<Move, CopyPadFromGm> ? op.src : op.dst;
  const uint64_t first = gm.begin;
  const auto step = static_cast<uint64_t>(op.count * op.block_bytes * 2);
  for (auto _ : state) {
    bench.core->Issue(op, SourceLine::Here());
    gm.begin = gm.begin + 2 * step > first + kGmBytes ? first : gm.begin + step;
  }
  state.SetBytesProcessed(state.iterations() * 2 * op.count * op.block_bytes);
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
void Blocks(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"mode", "blocks", "bytes"});
  for (const int64_t mode : {0, 1, 2}) {
    bench->Args({mode, 1, 32})->Args({mode, 64, 32})->Args({mode, 64, 224})->Args({mode, 15, 4096});
  }
  bench->Args({0, 64, 36})->Args({0, 64, 28});
}

using enum VectorType;

BENCHMARK(Binary<BinaryKind::kMax, kFp32>)->Apply(Shapes);
BENCHMARK(Binary<BinaryKind::kAdd, kFp32>)->Apply(Shapes);
BENCHMARK(Binary<BinaryKind::kAdd, kInt32>)->Apply(Shapes);
BENCHMARK(Binary<BinaryKind::kMax, kFp16>)->Apply(ShapesWithoutStride0);
BENCHMARK(Binary<BinaryKind::kOr, kUint16>)->Apply(ShapesWithoutStride0);
BENCHMARK(Not)->Apply(ShapesWithoutStride0);
BENCHMARK(WithScalar<BinaryKind::kAdd, kFp32>)->Apply(ShapesWithoutStride0);
BENCHMARK(WithScalar<BinaryKind::kAdd, kInt32>)->Apply(ShapesWithoutStride0);
BENCHMARK(WithScalar<BinaryKind::kMul, kInt32>)->Apply(ShapesWithoutStride0);
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
BENCHMARK(TransDataTo5HD<kFp32>)
    ->ArgNames({"mode", "repeats"})
    ->Args({0, 1})
    ->Args({0, 15})
    ->Args({1, 15})
    ->Args({2, 15});
BENCHMARK(TransDataTo5HD<kFp16>)
    ->ArgNames({"mode", "repeats"})
    ->Args({0, 1})
    ->Args({0, 15})
    ->Args({1, 15})
    ->Args({2, 15});
BENCHMARK(DataCopyPad<CopyPadFromGm>)->Apply(Blocks);
BENCHMARK(DataCopyPad<CopyPadToGm>)->Apply(Blocks);
BENCHMARK(CallOfMax)
    ->ArgNames({"mode", "repeats", "stride"})
    ->Args({0, 1, 8})
    ->Args({0, 80, 24})
    ->Args({1, 80, 24})
    ->Args({2, 80, 24});

}  // namespace
}  // namespace tilesim::isa
