// Global memory: the buffers of a launch, and one core's view of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/dtype.h"
#include "sim/core/instruction.h"

namespace tilesim {

// One buffer the host handed to the kernel. `address` is a host address; without values (timing mode) nothing stands
// behind it and it is only a number.
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
  // The buffer that holds `address`, or nullptr.
  const GmBuffer* Find(uint64_t address) const;
  const std::vector<GmBuffer>& buffers() const { return buffers_; }

 private:
  std::vector<GmBuffer> buffers_;
};

enum class AtomicOp : uint8_t { kNone, kAdd, kMax, kMin };

// One core's reads and writes of GM. Plain writes land at once. Atomic updates are gathered in pages of the core's own
// and land in GM when `Commit` is called, which the launcher does in ascending order of the cores wherever cores meet,
// so that sums of floating-point numbers do not depend on host threads. The core itself sees its own updates.
class GmWindow {
 public:
  void Read(uint64_t address, void* dst, size_t size_bytes);
  void Write(uint64_t address, const void* src, size_t size_bytes);
  // GM[i] = GM[i] op src[i] in type `dtype` (fp16, bf16, fp32, int32).
  void Atomic(AtomicOp op, DType dtype, uint64_t address, const void* src, size_t count);
  // Puts all gathered updates into GM.
  void Commit();

 private:
  static constexpr int kPageShift = 16;
  static constexpr uint64_t kPageBytes = uint64_t{1} << kPageShift;
  struct Page {
    AtomicOp op = AtomicOp::kNone;
    DType dtype = DType::kFp32;
    std::vector<std::byte> values;   // kPageBytes
    std::vector<uint64_t> touched;   // a bit an element: holds updates
  };

  Page& PageFor(uint64_t page_index, AtomicOp op, DType dtype);
  static void CommitPage(uint64_t page_index, const Page& page);
  void CommitPagesIn(uint64_t address, size_t size_bytes);

  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  uint64_t last_index_ = ~uint64_t{0};
  Page* last_page_ = nullptr;
};

}  // namespace tilesim
