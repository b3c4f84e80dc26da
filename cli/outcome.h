#pragma once

#include <algorithm>

namespace tilesim {

// How a command ended, from best to worst; main.cpp alone turns it into an exit code.
enum class Outcome {
  kDone,         // all cases done, and equal where compared
  kNo,           // results differ, or nothing legal was found
  kUserMistake,  // option, case file, shape, SoC file, tiling given by hand
  kKernelFault,  // bounds, alignment, capacity, hazard, deadlock, uninitialised read
  kOurBug,
};

inline Outcome Worse(Outcome a, Outcome b) { return std::max(a, b); }

// How a command ended, or the exit code of a program that it ran and that ended otherwise than with 0.
class CommandEnd {
 public:
  CommandEnd(Outcome outcome) : outcome_(outcome) {}  // implicit: it says how a command ended
  static CommandEnd OfProgram(int exit_code) {
    CommandEnd end(Outcome::kNo);
    end.exit_code_ = exit_code;
    return end;
  }

  [[nodiscard]] Outcome outcome() const { return outcome_; }
  // 0: `outcome` says it.
  [[nodiscard]] int exit_code() const { return exit_code_; }

 private:
  Outcome outcome_;
  int exit_code_ = 0;
};

}  // namespace tilesim
