#include "sim/isa/vector_cost.h"

#include <algorithm>
#include <array>
#include <optional>

#include "formats/units.h"
#include "sim/core/recording.h"

namespace tilesim::isa {
namespace {

constexpr int64_t kGroups = 16;             // the vendor's documents: GROUP is address bits 8:5
constexpr uint64_t kBankBytes = 64 * 1024;  // the vendor's documents: BANK is address bits 17:16
// AD bank_conflict_ub: 64 repeats of Add take 139 cycles where dst conflicts with a source, 88 where not.
constexpr int64_t kReadWriteCyclesOf5 = 4;  // more cycles in 5 repeats

// Cycles of one repeat of one mask and two operands of neighbouring blocks: most instructions are such.
std::optional<int64_t> PairCycles(const LaneMask& mask, std::span<const VectorOperand> operands,
                                  std::span<const int64_t> starts) {
  const auto contiguous = [](const VectorOperand& operand) { return operand.block_stride == 1; };
  if (operands.size() != 2 || !std::ranges::all_of(operands, contiguous) ||
      operands[0].element_bits != operands[1].element_bits || !mask.IsPrefix() || mask.Empty()) {
    return std::nullopt;
  }
  const int64_t blocks = CeilDiv(mask.Leading() * operands[0].element_bits, 256);
  const int64_t distance = ((starts[1] - starts[0]) % kGroups + kGroups) % kGroups;
  return distance < blocks || kGroups - distance < blocks ? 2 : 1;
}

// Cycles of one repeat whose operands start `starts` data blocks into UB.
int64_t RepeatCycles(const LaneMask& mask, int64_t lanes, std::span<const VectorOperand> srcs,
                     std::span<const int64_t> starts) {
  if (const std::optional<int64_t> cycles = PairCycles(mask, srcs, starts)) {
    return *cycles;
  }
  std::array<int64_t, kGroups> reads{};
  int64_t most = 1;
  for (size_t i = 0; i < srcs.size(); ++i) {
    const int64_t lanes_per_block = 32 * 8 / srcs[i].element_bits;
    const uint64_t block_lanes = LaneMask::First(lanes_per_block).words[0];
    for (int64_t block = 0; block * lanes_per_block < lanes; ++block) {
      if ((mask.From(block * lanes_per_block) & block_lanes) != 0) {
        const int64_t group = (starts[i] + block * srcs[i].block_stride) % kGroups;
        most = std::max(most, ++reads[static_cast<size_t>(group)]);
      }
    }
  }
  return most;
}

// Do dst and a source start in the same bank, in different rows of it?
bool ReadsWhereItWrites(const VectorOperand& dst, std::span<const VectorOperand> srcs) {
  return std::ranges::any_of(srcs, [&](const VectorOperand& src) {
    return dst.at.begin != src.at.begin && dst.at.begin / kBankBytes == src.at.begin / kBankBytes &&
           dst.at.begin / 32 % kGroups == src.at.begin / 32 % kGroups;
  });
}

// V waits for its own earlier writes where this instruction needs them.
void AwaitEarlierWrites(Core& core, const Extent& dst, std::span<const Extent> srcs) {
  if (core.mode().strict_sync) {
    return;
  }
  UbInFlight& written = core.registers().vector.written_by_v;
  const auto needs = [&](const Extent& extent) { return written.Meets(extent.begin, extent.end); };
  if (needs(dst) || std::ranges::any_of(srcs, needs)) {
    core.Record([](Recording& recording) { recording.Barrier(Pipe::kV); });
    written.Clear();
  }
  if (dst.begin != dst.end) {  // else a register
    written.Add(dst.begin, dst.end);
  }
}

}  // namespace

int64_t BankCycles(const VectorWork& work, std::span<const VectorOperand> operands) {
  std::array<int64_t, 4> starts{};
  bool alike = true;  // every repeat meets the same groups, shifted
  for (size_t i = 0; i < operands.size(); ++i) {
    starts[i] = static_cast<int64_t>(operands[i].at.begin / 32);
    alike = alike && (operands[i].repeat_stride - operands[0].repeat_stride) % kGroups == 0;
  }
  if (operands.empty() || (alike && operands.size() == 1 && operands[0].block_stride == 1)) {
    return work.repeats;
  }
  const std::span<const int64_t> from(starts.data(), operands.size());
  const auto advance = [&](int64_t repeats) {
    for (size_t i = 0; i < operands.size(); ++i) {
      starts[i] += repeats * operands[i].repeat_stride;
    }
  };
  const int64_t others = work.repeats - 1;
  if (alike) {
    return others * RepeatCycles(work.mask, work.lanes, operands, from) +
           RepeatCycles(work.last_mask, work.lanes, operands, from);
  }
  // what the groups of different operands are to each other comes again after 16 repeats
  int64_t cycles = 0;
  const int64_t different = std::min(others, kGroups);
  for (int64_t r = 0; r < different; ++r) {
    cycles += RepeatCycles(work.mask, work.lanes, operands, from) * CeilDiv(others - r, kGroups);
    advance(1);
  }
  advance(others - different);
  return cycles + RepeatCycles(work.last_mask, work.lanes, operands, from);
}

Cost ResultReadCost(Core& core) {
  if (!core.mode().strict_sync) {
    core.Record([](Recording& recording) { recording.Await(Pipe::kV); });
  }
  return {.busy_cycles = core.soc().scalar_issue_cycles, .latency_cycles = 0};
}

Cost NopCost(const Core& core) {
  return {.busy_cycles = core.soc().vector_startup_cycles, .latency_cycles = 0};
}

Cost VectorCost(Core& core, const VectorWork& work, int64_t cycles_per_repeat, const VectorOperand& dst,
                std::span<const VectorOperand> srcs) {
  if (work.IsNop()) {
    return NopCost(core);
  }
  int64_t cycles =
      std::max({cycles_per_repeat * work.repeats, BankCycles(work, srcs), BankCycles(work, dst)});
  if (cycles == work.repeats && ReadsWhereItWrites(dst, srcs)) {
    cycles += work.repeats * kReadWriteCyclesOf5 / 5;
  }
  std::array<Extent, 4> extents;
  for (size_t i = 0; i < srcs.size(); ++i) {
    extents[i] = ExtentOfRepeats(work, srcs[i]);
  }
  return VectorCost(core, cycles, ExtentOfRepeats(work, dst),
                    std::span<const Extent>(extents.data(), srcs.size()));
}

Cost VectorCost(Core& core, int64_t busy_cycles, const Extent& dst, std::span<const Extent> srcs) {
  AwaitEarlierWrites(core, dst, srcs);
  return {.busy_cycles = std::max(core.soc().vector_startup_cycles, busy_cycles),
          .latency_cycles = core.soc().vector_latency_cycles};
}

}  // namespace tilesim::isa
