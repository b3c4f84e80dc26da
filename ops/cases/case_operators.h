// The operators that a case can ask for, and which columns each has.
#pragma once

#include <cstdint>

#include "ops/cases/case_cells.h"
#include "ops/cases/case_file.h"
#include "ops/cases/refusal.h"

namespace tilesim {

// What kind of problem an operator has; each kind has columns of its own.
enum class CaseKind : uint8_t {
  kFilterGradient,
  kInputGradient,
  kTransposed,
  kPool,
  kPoolGradient,
  kMatmul,
  kCopy,
  kMemSet,
  kAdd,
  kTranspose,
  kTransData
};

struct KnownOp {
  CaseOperator listed;
  bool is_2d = false;
  CaseKind kind = CaseKind::kFilterGradient;
};

// The operator that the cells name. Throws RefusedInput for none and for an unknown one.
const KnownOp& OperatorOf(const CellReader& cells);

// Refuses columns of other operators: their values could only be ignored.
void RefuseForeign(const CellReader& cells, const KnownOp& op, Refusals& refusals);
// Refuses values that change nothing in this case, because of what other cells say.
void RefuseIdle(const CellReader& cells, const KnownOp& op, Refusals& refusals);
// Refuses empty cells of what the operator cannot derive.
void RequireCells(const CellReader& cells, const KnownOp& op, Refusals& refusals);

}  // namespace tilesim
