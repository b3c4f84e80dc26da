// Published measurements as the files of configs/measured keep them. Knows nothing of how they are simulated.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ops/cases/case_cells.h"

namespace tilesim {

// What `size` of an instruction counts.
enum class MeasuredUnit : uint8_t { kBytes, kElements, kMxkxn };
// How the bank groups of a vector instruction's operands met.
enum class MeasuredBanks : uint8_t { kApart, kShared, kWithDst };

// Cycles that one instruction took, mean over many.
struct MeasuredInstruction {
  std::string id;           // "VADD_FP32_FP32_FP32/ascend910b1/128"
  std::string instruction;  // as the source names it
  std::string part;         // the SoC it was measured on
  MeasuredUnit unit = MeasuredUnit::kBytes;
  std::vector<int64_t> size;  // one figure; of kMxkxn three
  int64_t repeats = 0;        // of 256 bytes, of vector instructions; 0: not said
  double cycles = 0;
  double clock_mhz = 0;                               // of these cycles
  bool waited = false;                                // each is complete before the next starts
  std::optional<MeasuredBanks> banks = std::nullopt;  // of two sources; none: not said, apart
  std::optional<bool> in_hbm = std::nullopt;  // what is read from GM is not in L2; none: not said, it is
};

// Time that a kernel, or a framework's call, took.
struct MeasuredKernel {
  std::string id = {};
  std::string group = {};  // matmul, copy, conv, other
  std::string part = {};
  std::string says = {};              // what it was
  std::string folder = {};            // of the file: paths in `cells` are relative to it
  std::vector<std::string> set = {};  // what the source says of figures of the part: "key=value"
  CaseCells cells = {};               // the same in columns of the case file; none where `left_out` says why
  std::string left_out = {};  // why it cannot be simulated, whatever operators there are; empty: it can
  double time_us = 0;
  bool with_launch = true;  // of the whole task; otherwise of the cores alone
  bool aclnn = false;       // also of the kernels that a framework's call launches around it
};

// Both throw UserError with file, line and column for a file that cannot be read or a row that is wrong.
std::vector<MeasuredInstruction> ReadMeasuredInstructions(const std::string& path);
std::vector<MeasuredKernel> ReadMeasuredKernels(const std::string& path);

}  // namespace tilesim
