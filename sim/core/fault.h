// What a kernel did wrong, as the chip would trap or silently corrupt it.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "sim/core/pipe.h"
#include "sim/core/source_line.h"

namespace tilesim {

enum class FaultKind : uint8_t {
  kBounds,         // an operand leaves its buffer or memory
  kAlignment,      // an operand's address is not aligned as the instruction needs
  kCapacity,       // buffers asked for exceed the memory
  kLimit,          // a parameter is outside the instruction's range
  kFlag,           // a flag set twice, left set at the end, or an event id outside its range
  kQueue,          // a queue or its tensors used against the rules
  kDeadlock,       // a wait that can never end
  kUninitialised,  // bytes read that nothing has written
  kHazard,         // two accesses to the same bytes that nothing orders
  kMisuse,         // any other rule of the API broken
  kCrash,          // the kernel's own code raised a signal of the host
};

std::string_view Name(FaultKind kind);

// One fault, with everything that is known of its place. Text that is not known stays empty.
struct Fault {
  FaultKind kind = FaultKind::kMisuse;
  std::string core;         // "AIC 3"
  std::string pipe;         // "MTE2"
  std::string instruction;  // "DataCopy"
  std::string operand;      // "dst (L1)"
  std::string tile;         // "m 2, n 0, k 5"
  int64_t run = -1;         // number of the instruction on its core; -1: none
  int64_t cycle = -1;       // its start, filled in by the launch; -1 where time is off
  int cores = 1;            // so many cores have it, `core` is the first
  SourceLine where;
  std::string what;  // what was found, what is allowed, the mend

  // One line: place first, then what.
  std::string Text() const;
};

// Thrown on the simulated core when it cannot go on.
class KernelFault : public std::runtime_error {
 public:
  explicit KernelFault(Fault fault) : std::runtime_error(fault.Text()), fault_(std::move(fault)) {}
  const Fault& fault() const { return fault_; }

 private:
  Fault fault_;
};

}  // namespace tilesim
