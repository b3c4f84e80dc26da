// Signals that a kernel's own code raises on a simulated core (a segmentation fault, a division by zero, an
// abort), and loops of it that make no API call and do not end: told with kernel, core and the last API call,
// and the program ends with 3. Outside of kernels signals do what they did before.
#pragma once

namespace tilesim::host {

// As long as it lives, this thread runs that kernel on a core. `kernel` must live as long.
class KernelScope {
 public:
  explicit KernelScope(const char* kernel);
  KernelScope(const KernelScope&) = delete;
  KernelScope& operator=(const KernelScope&) = delete;
  ~KernelScope();

 private:
  const char* before_;
};

// What a crash tells first, before its own line. The text must stay as it is until another one is set.
void SetTextBeforeCrash(const char* text);

// A core whose thread takes so much time of a processor without an API call is told; 0: never; 60
// from the start.
void SetStallLimit(double cpu_seconds);

}  // namespace tilesim::host
