#include "sim/isa/scalar_access.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

#include "sim/core/gm_window.h"
#include "sim/core/recording.h"
#include "sim/core/scalar_cache.h"
#include "sim/isa/gm_access.h"
#include "sim/isa/instruction_row.h"

namespace tilesim::isa {
namespace {

void CheckOperand(Core& core, const char* name, const Operand& operand) {
  core.Require(operand.memory == Memory::kUb || operand.memory == Memory::kGm, FaultKind::kMisuse, name,
               "is in ", tilesim::Name(operand.memory),
               ", must be in UB or GM; the scalar unit reaches no other memory");
}

Operands Element(const Operand& operand, Use use, const char* name, int64_t element_bytes) {
  Region region = RegionOf(operand, use, name, {0, Unsigned(element_bytes)});
  region.decides = "go to the scalar unit";
  region.align_bytes = static_cast<uint32_t>(element_bytes);
  Operands operands;
  operands.Add(region);
  return operands;
}

// The compiler makes the scalar unit wait for what may touch the same bytes: for V at UB, for moves at GM; at
// UB for all moves so far where one of them brings these bytes, or takes what is to be written (assumed: it
// sets its flag where it waits).
void AwaitOthers(Core& core, const Operand& operand, int64_t element_bytes, Use use) {
  if (core.mode().strict_sync || core.identity().kind != CoreKind::kAiv) {
    return;
  }
  core.Record([&](Recording& recording) {
    const bool is_ub = operand.memory == Memory::kUb;
    const auto await_moves = [&](Pipe pipe, UbInFlight& moved) {
      if (!is_ub || moved.Meets(operand.begin, operand.begin + Unsigned(element_bytes))) {
        recording.Await(pipe);
        moved.Clear();
      }
    };
    if (is_ub) {
      recording.Await(Pipe::kV);
    }
    await_moves(Pipe::kMte2, core.registers().vector.moved_by_mte2);
    if (!is_ub || use == Use::kWrite) {
      await_moves(Pipe::kMte3, core.registers().vector.moved_by_mte3);
    }
  });
}

// Whether the line of this address was in the cache; now it is, in place of the line that was not used for
// longest (assumed: each line goes anywhere).
bool BringIntoCache(Core& core, uint64_t address) {
  std::vector<uint64_t>& lines = core.scalar_cache().kept_lines;
  const uint64_t line = address / kCacheLineBytes;
  const auto at = std::find(lines.rbegin(), lines.rend(), line);
  if (at != lines.rend()) {
    std::rotate(std::prev(at.base()), at.base(), lines.end());
    return true;
  }
  if (lines.size() == kCacheLines) {
    lines.erase(lines.begin());
  }
  lines.push_back(line);
  return false;
}

}  // namespace

void ScalarRead::Check(Core& core) const {
  CheckOperand(core, "src", src);
  if (src.memory == Memory::kGm) {
    ReadThroughScalarCache(core, src.begin, Unsigned(element_bytes));
  }
}

Operands ScalarRead::Footprint(Core& /*core*/) const {
  return Element(src, Use::kRead, "src", element_bytes);
}

void ScalarRead::Execute(Core& core) const {
  *bits = 0;
  if (src.memory == Memory::kUb) {
    std::memcpy(bits, core.ub() + src.begin, Unsigned(element_bytes));
  } else {
    core.gm().Read(src.begin, bits, Unsigned(element_bytes));
  }
}

Cost ScalarRead::TimeOn(Core& core) const {
  AwaitOthers(core, src, element_bytes, Use::kRead);
  const bool misses = src.memory == Memory::kGm && !BringIntoCache(core, src.begin);
  return {
      .busy_cycles = core.soc().scalar_ub_access_cycles + (misses ? core.soc().gm_ub_read_latency_cycles : 0),
      .latency_cycles = 0};
}

void ScalarWrite::Check(Core& core) const {
  CheckOperand(core, "dst", dst);
  if (dst.memory == Memory::kGm) {
    std::vector<ScalarCache::Written>& cached = core.scalar_cache().written;
    const uint64_t end = dst.begin + Unsigned(element_bytes);
    if (!cached.empty() && cached.back().end == dst.begin) {
      cached.back().end = end;
    } else {
      cached.push_back({dst.begin, end, core.call_line()});
    }
  }
}

Operands ScalarWrite::Footprint(Core& /*core*/) const {
  return Element(dst, Use::kWrite, "dst", element_bytes);
}

void ScalarWrite::Execute(Core& core) const {
  if (dst.memory == Memory::kUb) {
    std::memcpy(core.ub() + dst.begin, &bits, Unsigned(element_bytes));
    if (carries) {
      core.LeaveAs(RegionOf(dst, Use::kWrite, "dst", {0, Unsigned(element_bytes)}), *carries);
    }
  } else {
    core.gm().Write(dst.begin, &bits, Unsigned(element_bytes));
  }
}

Cost ScalarWrite::TimeOn(Core& core) const {
  AwaitOthers(core, dst, element_bytes, Use::kWrite);
  if (dst.memory == Memory::kGm) {  // nothing waits for what the line held (assumed)
    (void)BringIntoCache(core, dst.begin);
  }
  return {.busy_cycles = core.soc().scalar_ub_access_cycles, .latency_cycles = 0};
}

void ScalarCacheClean::Check(Core& core) const {
  std::vector<ScalarCache::Written>& cached = core.scalar_cache().written;
  if (all) {
    cached.clear();
    core.scalar_cache().read = {};
    core.scalar_cache().stale = {};
    return;
  }
  const uint64_t begin = address / kCacheLineBytes * kCacheLineBytes;
  const uint64_t end = begin + kCacheLineBytes;
  core.scalar_cache().read.Remove(begin, end);
  core.scalar_cache().stale.Remove(begin, end);
  std::vector<ScalarCache::Written> left;
  for (const ScalarCache::Written& written : cached) {
    if (written.begin < begin) {
      left.push_back({written.begin, std::min(written.end, begin), written.where});
    }
    if (written.end > end) {
      left.push_back({std::max(written.begin, end), written.end, written.where});
    }
  }
  cached = std::move(left);
}

Cost ScalarCacheClean::TimeOn(Core& core) const {
  std::vector<uint64_t>& lines = core.scalar_cache().kept_lines;
  std::erase_if(lines, [&](uint64_t line) { return all || line == address / kCacheLineBytes; });
  return {.busy_cycles = core.soc().gm_write_latency_cycles, .latency_cycles = 0};
}

void AddScalarAccessRows(InstructionRows& rows, const SocConfig& soc) {
  constexpr std::string_view kFamily = "scalar";
  const std::string pipe(Name(Pipe::kS));
  rows.push_back({kFamily, ScalarRead::kName, pipe, "of 8 to 64 bits", "of UB, GM",
                  CostOfParameters(soc,
                                   Say(soc.scalar_ub_access_cycles, ", of GM ", soc.gm_ub_read_latency_cycles,
                                       " more where the cache does not have its line"),
                                   {"scalar.ub_access_cycles", "gm.ub_read_latency_cycles"})});
  rows.push_back(
      {kFamily, ScalarWrite::kName, pipe, "of 8 to 64 bits", "of UB, GM (stays in the cache)",
       CostOfParameters(soc, Say(soc.scalar_ub_access_cycles, " cycles"), {"scalar.ub_access_cycles"})});
  rows.push_back(
      {kFamily, ScalarCacheClean::kName, pipe, "", "a line of 64 bytes, all of them",
       CostOfParameters(soc, Say(soc.gm_write_latency_cycles, " cycles"), {"gm.write_latency_cycles"})});
}

}  // namespace tilesim::isa
