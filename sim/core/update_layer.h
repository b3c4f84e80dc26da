// The memory in which atomic updates of GM wait.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/dtype.h"

namespace tilesim {

enum class AtomicOp : uint8_t { kNone, kAdd, kMax, kMin };

// The type of an atomic update: that of a tensor, or one of two that no tensor of the host has.
class AtomicType {
 public:
  constexpr AtomicType(DType dtype) : dtype_(dtype) {}
  static constexpr AtomicType Int8() { return {1, "int8"}; }
  static constexpr AtomicType Int16() { return {2, "int16"}; }

  // Nothing: a whole number of size_bytes() that is not a DType.
  [[nodiscard]] constexpr std::optional<DType> dtype() const {
    return narrow_bytes_ == 0 ? std::optional(dtype_) : std::nullopt;
  }
  [[nodiscard]] size_t size_bytes() const { return narrow_bytes_ == 0 ? SizeOf(dtype_) : narrow_bytes_; }
  [[nodiscard]] std::string_view name() const { return narrow_bytes_ == 0 ? Name(dtype_) : narrow_name_; }
  friend constexpr bool operator==(const AtomicType& a, const AtomicType& b) {
    return a.dtype_ == b.dtype_ && a.narrow_bytes_ == b.narrow_bytes_;
  }

 private:
  constexpr AtomicType(uint8_t bytes, const char* name)
      : dtype_(DType::kInt32), narrow_bytes_(bytes), narrow_name_(name) {}

  DType dtype_;
  uint8_t narrow_bytes_ = 0;
  const char* narrow_name_ = "";
};

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
