// What is told of each instruction without running one, for `tilesim list instructions`. A row is made where
// the instruction is: of the name, the types and the figures by which it runs.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "sim/isa/vector_type.h"
#include "sim/soc/provenance.h"
#include "sim/soc/soc_config.h"

namespace tilesim::isa {

struct ElementwiseRow;

struct InstructionCost {
  std::string says;
  Provenance provenance = Provenance::kMeasured;
  std::string source;
};
// Made of parameters of the part: known as well as the weakest of them, which are its source.
InstructionCost CostOfParameters(const SocConfig& soc, std::string says,
                                 std::initializer_list<std::string_view> keys);

struct InstructionRow {
  std::string_view family;
  std::string name;  // of the calls that issue it
  std::string pipe;
  std::string types;  // of elements; empty: it has none
  std::string_view forms;
  InstructionCost cost;
};
using InstructionRows = std::vector<InstructionRow>;

// Adds the rows of one family.
class FamilyRows {
 public:
  FamilyRows(InstructionRows& rows, std::string_view family) : rows_(rows), family_(family) {}
  // Of an instruction of V.
  void Add(std::string name, std::string types, std::string_view forms, InstructionCost cost) const;
  // Of one whose figures were measured on a 910B1 as `instruction`, the hardware's own name.
  void AddMeasured(std::string name, std::string types, std::string_view forms, std::string says,
                   std::string_view instruction) const;
  // Of what reads a register that V leaves a result in.
  void AddRead(std::string name, std::string types, const SocConfig& soc) const;

 private:
  InstructionRows& rows_;
  std::string_view family_;
};

// The forms that all vector instructions have which work lane by lane.
inline constexpr std::string_view kLaneForms =
    "count; mask as a number or bits, repeats, strides; counter mode";
inline constexpr std::string_view kRepeatForms = "repeats";

// "int8 to fp16, bf16": one type into others.
std::string ConversionText(std::string_view from, const TypeSet& to);

// Family by family. Costs that are parameters are those of `soc`.
[[nodiscard]] InstructionRows AllInstructions(const SocConfig& soc);

// One row of the table of elementwise instructions.
void AddElementwiseRow(const FamilyRows& family, const ElementwiseRow& row, std::string_view forms);

// Each in the source of its instructions.
void AddElementwiseRows(InstructionRows& rows, const SocConfig& soc);
void AddCastRows(InstructionRows& rows, const SocConfig& soc);
void AddSelectRows(InstructionRows& rows, const SocConfig& soc);
void AddReduceRows(InstructionRows& rows, const SocConfig& soc);
void AddFillRows(InstructionRows& rows, const SocConfig& soc);
void AddGatherRows(InstructionRows& rows, const SocConfig& soc);
void AddSortRows(InstructionRows& rows, const SocConfig& soc);
void AddTransposeRows(InstructionRows& rows, const SocConfig& soc);
void AddDataMoveRows(InstructionRows& rows, const SocConfig& soc);
void AddUbMoveRows(InstructionRows& rows, const SocConfig& soc);
void AddTableMoveRows(InstructionRows& rows, const SocConfig& soc);
void AddInitConstRows(InstructionRows& rows, const SocConfig& soc);
void AddLoadRows(InstructionRows& rows, const SocConfig& soc);
void AddLoad3DRows(InstructionRows& rows, const SocConfig& soc);
void AddCubeRows(InstructionRows& rows, const SocConfig& soc);
void AddFixpipeRows(InstructionRows& rows, const SocConfig& soc);
void AddScalarAccessRows(InstructionRows& rows, const SocConfig& soc);
void AddScalarSystemRows(InstructionRows& rows, const SocConfig& soc);

}  // namespace tilesim::isa
