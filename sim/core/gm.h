// Global memory: the buffers of a launch.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tilesim {

// One buffer the host handed to the kernel. `address` is a host address; without values (timing mode) nothing
// stands behind it and it is only a number.
struct GmBuffer {
  std::string name;
  uint64_t address = 0;
  uint64_t size_bytes = 0;
  bool initialised = true;  // false: reading a byte before it is written is a fault
};

// The buffers of a launch; never changes while a kernel runs.
class GmSpace {
 public:
  void Add(GmBuffer buffer) { buffers_.push_back(std::move(buffer)); }
  // It was freed before the launch: touching it is told as that.
  void AddFreed(GmBuffer buffer) { freed_.push_back(std::move(buffer)); }
  // The buffer that holds `address`, or nullptr.
  const GmBuffer* Find(uint64_t address) const;
  // Of an address in none of them, why: "GM address 64 is in no buffer of this launch: ...".
  std::string Describe(uint64_t address) const;
  const std::vector<GmBuffer>& buffers() const { return buffers_; }

 private:
  std::vector<GmBuffer> buffers_;
  std::vector<GmBuffer> freed_;
};

}  // namespace tilesim
