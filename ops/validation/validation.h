// The clock against published measurements, row by row.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/validation/error_summary.h"
#include "ops/validation/measured_rows.h"
#include "sim/soc/soc_config.h"

namespace tilesim {

// What came of one measured row.
struct ValidatedRow {
  std::string id;
  std::string group;   // micro, matmul, copy, conv, other
  std::string family;  // of instructions: mmad, gm_to_l1, ...; of kernels the operator
  std::string part;
  std::string_view unit;             // "cycles", "us"
  double unit_us = 1;                // in microseconds
  std::optional<MeasuredPair> pair;  // none: `left_out` or `failed` says why
  std::string left_out = {};         // there is nothing to simulate: the file says so, or it is not modelled
  std::string failed = {};           // there is, but it was refused or did not run
  std::string basis = {};            // of a kernel's time: which figures it rests on
};

// `soc` is the row's part.
ValidatedRow Validate(const MeasuredInstruction& row, const SocConfig& soc);
// Runs the row's case in timing mode on `threads` host threads (0: all).
ValidatedRow Validate(const MeasuredKernel& row, const SocConfig& soc, int threads);

// The mean error of a group's kernels that had no part in choosing the figures that were fitted to them.
struct LeftOutError {
  std::string_view group;
  double percent = 0;
  std::string_view fitted;  // the figures
};
// As bench/leave_one_out found it of the shipped rows, each left out in turn, under this clock; none of a
// group to which nothing was fitted, or where the clock is another by now.
std::optional<LeftOutError> LeftOutErrorOf(std::string_view group);

// A group with a mean error that it shall not exceed.
struct ValidationTarget {
  std::string_view group;
  double percent = 0;
};
std::span<const ValidationTarget> ValidationTargets();

}  // namespace tilesim
