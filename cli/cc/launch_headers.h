#pragma once

#include <filesystem>
#include <utility>

#include "cli/cc/kernel_pass.h"

namespace tilesim {

// aclrtlaunch_<kernel>.h, by which a source launches kernels of another source: written into a folder for the
// sources that are compiled later.
class LaunchHeaders {
 public:
  explicit LaunchHeaders(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Of the kernels of a unit that have a launch function: extern "C", defined, no template.
  void Write(const KernelPassResult& unit);
  [[nodiscard]] bool IsEmpty() const { return is_empty_; }

 private:
  std::filesystem::path folder_;
  bool is_empty_ = true;
};

}  // namespace tilesim
