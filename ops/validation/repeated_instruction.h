// One instruction, repeated on one core as its measurement did.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "ops/validation/measured_rows.h"
#include "sim/core/core.h"
#include "sim/core/gm.h"
#include "sim/core/identity.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

struct RepeatedInstruction {
  KernelType type = KernelType::kAivOnly;
  Pipe pipe = Pipe::kV;
  bool waited = false;                        // a barrier after each
  GmSpace gm = {};                            // addresses only: nothing stands behind them
  std::function<void(Core&, int64_t)> issue;  // the instruction, for the i-th time
};

// Or why the instruction is not modelled, or what of the part is too small for this size of it. Throws
// UserError for a row that says what no such instruction can do.
std::variant<RepeatedInstruction, std::string> RepeatedOf(const MeasuredInstruction& row,
                                                          const SocConfig& soc);

// The group whose errors are summed up together: "mmad", "gm_to_l1", "vector", ... Empty for instructions
// that are not modelled.
std::string_view GroupOf(const MeasuredInstruction& row);

// Cycles of `repetitions` of it, launch left out.
int64_t CyclesOf(const RepeatedInstruction& instruction, const SocConfig& soc, int64_t repetitions);
// Cycles that one more takes once many are under way.
double CyclesEach(const RepeatedInstruction& instruction, const SocConfig& soc);

}  // namespace tilesim
