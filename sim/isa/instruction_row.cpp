#include "sim/isa/instruction_row.h"

#include <algorithm>
#include <utility>

#include "formats/counted.h"
#include "formats/error.h"
#include "sim/core/pipe.h"

namespace tilesim::isa {
namespace {

// What no pipe executes as an instruction of its own: one of them waits for another.
void AddSyncRows(InstructionRows& rows, const SocConfig& soc) {
  constexpr std::string_view kFamily = "synchronisation";
  rows.push_back({kFamily, "SetFlag / WaitFlag", "any two", "", "8 event ids a pair of pipes",
                  CostOfParameters(soc, Counted(soc.flag_cycles, "cycle"), {"sync.flag_cycles"})});
  rows.push_back({kFamily, "PipeBarrier", "any, all", "", "a pipe waits for itself, or for all",
                  CostOfParameters(soc, Counted(soc.barrier_cycles, "cycle"), {"sync.barrier_cycles"})});
  rows.push_back({kFamily, "CrossCoreSetFlag / CrossCoreWaitFlag", "any", "",
                  "modes 0 (all cores), 1 (vector cores of a block), 2 (a block)",
                  CostOfParameters(soc, Say(soc.cross_core_cycles, " cycles from the last that sets it"),
                                   {"sync.cross_core_cycles"})});
}

constexpr void (*kAdd[])(InstructionRows&, const SocConfig&) = {
    AddElementwiseRows, AddCastRows,         AddSelectRows,       AddReduceRows,   AddFillRows,
    AddGatherRows,      AddSortRows,         AddTransposeRows,    AddDataMoveRows, AddUbMoveRows,
    AddTableMoveRows,   AddInitConstRows,    AddLoadRows,         AddLoad3DRows,   AddCubeRows,
    AddFixpipeRows,     AddScalarAccessRows, AddScalarSystemRows, AddSyncRows};

}  // namespace

InstructionCost CostOfParameters(const SocConfig& soc, std::string says,
                                 std::initializer_list<std::string_view> keys) {
  InstructionCost cost = {.says = std::move(says), .provenance = Provenance::kMeasured, .source = {}};
  for (const std::string_view key : keys) {
    cost.provenance = std::max(cost.provenance, soc.provenances.Of(key));
    cost.source += Say(cost.source.empty() ? "" : ", ", key);
  }
  return cost;
}

void FamilyRows::Add(std::string name, std::string types, std::string_view forms,
                     InstructionCost cost) const {
  rows_.push_back(
      {family_, std::move(name), std::string(Name(Pipe::kV)), std::move(types), forms, std::move(cost)});
}

void FamilyRows::AddMeasured(std::string name, std::string types, std::string_view forms, std::string says,
                             std::string_view instruction) const {
  Add(std::move(name), std::move(types), forms,
      {std::move(says), Provenance::kMeasured, Say("KPP 910B1, ", instruction)});
}

void FamilyRows::AddRead(std::string name, std::string types, const SocConfig& soc) const {
  rows_.push_back({family_, std::move(name), std::string(Name(Pipe::kS)), std::move(types),
                   "of the register, behind V",
                   CostOfParameters(soc, Say(soc.scalar_issue_cycles, " cycle"), {"scalar.issue_cycles"})});
}

std::string ConversionText(std::string_view from, const TypeSet& to) { return Say(from, " to ", to.Names()); }

InstructionRows AllInstructions(const SocConfig& soc) {
  InstructionRows rows;
  for (const auto add : kAdd) {
    add(rows, soc);
  }
  return rows;
}

}  // namespace tilesim::isa
