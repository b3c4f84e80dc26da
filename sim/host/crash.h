// Signals that a kernel's own code raises on a simulated core (a segmentation fault, a division by zero, an
// abort): told with kernel, core and the last API call, and the program ends with 3. Outside of kernels they
// do what they did before.
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

}  // namespace tilesim::host
