#include "sim/isa/scalar_system.h"

#include "sim/core/gm_window.h"
#include "sim/isa/gm_access.h"
#include "sim/isa/instruction_row.h"

namespace tilesim::isa {
namespace {

Region Element(uint64_t address, int64_t bytes, Use use, const char* name) {
  Region region = RegionOf({.memory = Memory::kGm, .begin = address}, use, name, {0, Unsigned(bytes)});
  region.align_bytes = static_cast<uint32_t>(bytes);
  return region;
}
Operands One(const Region& region) {
  Operands operands;
  operands.Add(region);
  return operands;
}

}  // namespace

Cost ScalarBarrier::TimeOn(Core& core) const {
  return {.busy_cycles = of_gm ? core.soc().gm_write_latency_cycles : 0, .latency_cycles = 0};
}

void UncachedRead::Check(Core& core) const {
  RequireNotInScalarCache(core, Element(address, element_bytes, Use::kRead, "src"));
}
Operands UncachedRead::Footprint(Core& /*core*/) const {
  return One(Element(address, element_bytes, Use::kRead, "src"));
}
void UncachedRead::Execute(Core& core) const {
  *bits = 0;
  core.gm().Read(address, bits, Unsigned(element_bytes));
}
Cost UncachedRead::TimeOn(Core& core) const {
  return {.busy_cycles = core.soc().scalar_ub_access_cycles + core.soc().gm_ub_read_latency_cycles,
          .latency_cycles = 0};
}

void UncachedWrite::Check(Core& core) const {
  RequireNotInScalarCache(core, Element(address, element_bytes, Use::kWrite, "dst"));
  core.NoteBehindScalarCache(address, address + Unsigned(element_bytes));
}
Operands UncachedWrite::Footprint(Core& /*core*/) const {
  return One(Element(address, element_bytes, Use::kWrite, "dst"));
}
void UncachedWrite::Execute(Core& core) const { core.gm().Write(address, &bits, Unsigned(element_bytes)); }
Cost UncachedWrite::TimeOn(Core& core) const {
  return {.busy_cycles = core.soc().scalar_ub_access_cycles, .latency_cycles = 0};
}

void CachePreload::Check(Core& core) const {
  core.Require(core.gm_space().Find(address) != nullptr, FaultKind::kBounds, "src",
               core.gm_space().Describe(address));
}

void InstructionPreload::Check(Core& core) const {
  const int64_t most = core.identity().kind == CoreKind::kAic ? 16 : 8;  // 32 and 16 KiB
  RequireRange(core, "preFetchLen", units, 0, most - 1, "it is in units of 2 KiB and less than the cache");
}

void ScalarStep::Check(Core& core) const { core.At(name, Pipe::kS, where); }

void AddScalarSystemRows(InstructionRows& rows, const SocConfig& soc) {
  constexpr std::string_view kFamily = "scalar";
  const std::string pipe(Name(Pipe::kS));
  rows.push_back(
      {kFamily, UncachedRead::kName, pipe, "of 8 to 64 bits", "of GM",
       CostOfParameters(soc, Say(soc.scalar_ub_access_cycles + soc.gm_ub_read_latency_cycles, " cycles"),
                        {"scalar.ub_access_cycles", "gm.ub_read_latency_cycles"})});
  rows.push_back(
      {kFamily, UncachedWrite::kName, pipe, "of 8 to 64 bits", "of GM",
       CostOfParameters(soc, Say(soc.scalar_ub_access_cycles, " cycles"), {"scalar.ub_access_cycles"})});
  const InstructionCost nothing = {"nothing", Provenance::kAssumed, "not measured"};
  rows.push_back(
      {kFamily,
       ScalarBarrier::kName,
       pipe,
       "",
       "of GM, UB",
       {Say(soc.gm_write_latency_cycles, " cycles, of UB none"), Provenance::kAssumed, "not measured"}});
  rows.push_back({kFamily, CachePreload::kName, pipe, "", "a line of GM", nothing});
  rows.push_back({kFamily, InstructionPreload::kName, pipe, "", "units of 2 KiB", nothing});
}

}  // namespace tilesim::isa
