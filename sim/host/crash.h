// Signals that a kernel's own code raises on a simulated core (a segmentation fault, a division by zero, an
// abort), and loops of it that make no API call and do not end: told with kernel, core and the last API call,
// and the program ends with 3. Outside of kernels signals do what they did before.
#pragma once

#include <functional>

#include "sim/core/fault.h"
#include "sim/core/identity.h"
#include "sim/core/source_line.h"

namespace tilesim::host {

// As long as it lives, this thread runs that kernel on a core. `kernel` must live as long. One at a time.
class KernelScope {
 public:
  // `where`: of the kernel, for what it does before its first API call; line 0: not known.
  KernelScope(const char* kernel, SourceLine where);
  KernelScope(const KernelScope&) = delete;
  KernelScope& operator=(const KernelScope&) = delete;
  ~KernelScope();
};

// Takes on to tell of a crash, or of a loop that does not end: is called once at most, with the core, on a
// thread of its own while the kernel's stands still. The program ends when it returns.
using CrashTaker = std::function<void(const CoreIdentity&, const Fault&)>;

// As long as it lives, such an end goes to the taker; where that throws, or has not returned after 5 seconds
// (the kernel may have spoilt the heap), and where there is none, it is told on standard error. One at a
// time.
class CrashScope {
 public:
  explicit CrashScope(CrashTaker taker);
  CrashScope(const CrashScope&) = delete;
  CrashScope& operator=(const CrashScope&) = delete;
  ~CrashScope();

 private:
  CrashTaker taker_;
};

// Before a launch: what cores print from here on is theirs. A crash writes what those of the launch have
// printed to standard output, core by core.
void ForgetPrinted();

// What a crash tells first, before its own line. The text must stay as it is until another one is set.
void SetTextBeforeCrash(const char* text);

// A core whose thread takes so much time of a processor without an API call is told; 0: never; 60
// from the start.
void SetStallLimit(double cpu_seconds);

}  // namespace tilesim::host
