// The memory in which atomic updates of GM wait.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "sim/core/atomic_type.h"

namespace tilesim {

// Updates of one kind to one page of GM.
struct UpdateLayer {
  static constexpr int kPageShift = 16;
  static constexpr size_t kPageBytes = size_t{1} << kPageShift;

  AtomicOp op;
  AtomicType type = DType::kFp32;
  alignas(64) std::array<std::byte, kPageBytes> values;  // set where touched
  std::array<uint64_t, kPageBytes / 64> touched;         // a bit an element
};

// Layers that nobody uses, for the cores of a launch to take in turn: few cores run at a time, and memory
// that each of them kept for itself would be taken for ever. May be used from several threads.
class UpdateLayerPool {
 public:
  // Nothing in it is touched; its values are not set.
  std::unique_ptr<UpdateLayer> Take(AtomicOp op, AtomicType type) {
    std::unique_ptr<UpdateLayer> layer;
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        layer = std::move(free_.back());
        free_.pop_back();
      }
    }
    if (!layer) {
      layer = std::make_unique_for_overwrite<UpdateLayer>();
    }
    layer->op = op;
    layer->type = type;
    layer->touched.fill(0);
    return layer;
  }
  void Give(std::vector<std::unique_ptr<UpdateLayer>> layers) {
    const std::lock_guard lock(mutex_);
    std::ranges::move(layers, std::back_inserter(free_));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<UpdateLayer>> free_;
};

}  // namespace tilesim
