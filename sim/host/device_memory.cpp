#include "sim/host/device_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "formats/error.h"

namespace tilesim::host {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kGap =
    1 << 20;  // of addresses behind each buffer, so that what passes its end meets no other
constexpr uint64_t kArenaBytes = uint64_t{1} << 44;
constexpr uint64_t kArenaHint = 0x12c000000000;  // so that addresses are the same in each run
constexpr size_t kMostFreed = 4096;              // remembered
// What memory holds that nobody has written: nothing that kernels store, so that a store through a plain
// pointer is seen by its bytes.
constexpr std::byte kUnwritten{0xcb};
constexpr uint64_t kMostMarked = 64 << 20;  // bytes of a buffer; what is larger stays zeros
constexpr uint64_t kMostMarkedInAll = 1 << 30;

uint64_t Mapped(uint64_t size_bytes) {
  return (std::max<uint64_t>(size_bytes, 1) + kPage - 1) / kPage * kPage;
}

const char* FreeCall(BufferSource source) {
  return source == BufferSource::kGmAlloc ? "GmFree" : "aclrtFree";
}

}  // namespace

DeviceMemory::~DeviceMemory() {
  if (arena_begin_ != 0) {
    munmap(reinterpret_cast<void*>(arena_begin_), kArenaBytes);
  }
}

void* DeviceMemory::Allocate(uint64_t size_bytes, BufferSource source, bool filled) {
  if (arena_begin_ == 0) {
    void* const arena = mmap(reinterpret_cast<void*>(kArenaHint), kArenaBytes, PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (arena == MAP_FAILED) {
      return nullptr;
    }
    arena_begin_ = reinterpret_cast<uint64_t>(arena);
    arena_end_ = arena_begin_ + kArenaBytes;
    next_ = arena_begin_;
  }
  if (size_bytes > kArenaBytes / 2 || Mapped(size_bytes) + kGap > arena_end_ - next_) {
    return nullptr;
  }
  void* const memory = reinterpret_cast<void*>(next_);
  if (mprotect(memory, Mapped(size_bytes), size_bytes == 0 ? PROT_NONE : PROT_READ | PROT_WRITE) != 0) {
    return nullptr;
  }
  next_ += Mapped(size_bytes) + kGap;
  used_bytes_ += size_bytes;
  const bool acl = source == BufferSource::kAcl;
  DeviceBuffer& buffer = buffers_[reinterpret_cast<uint64_t>(memory)];
  buffer = {.name = acl ? Say("aclrtMalloc ", num_acl_++) : Say("GmAlloc ", num_gm_alloc_++),
            .address = reinterpret_cast<uint64_t>(memory),
            .size_bytes = size_bytes,
            .source = source,
            .filled = filled,
            .written = {}};
  if (!filled) {
    const bool is_marked = size_bytes <= kMostMarked && marked_bytes_ + size_bytes <= kMostMarkedInAll;
    buffer.unwritten = is_marked ? kUnwritten : std::byte{};
    if (is_marked) {
      marked_bytes_ += size_bytes;
      std::memset(memory, static_cast<int>(kUnwritten), size_bytes);
    }
  }
  return memory;
}

void DeviceMemory::Register(void* address, uint64_t size_bytes, BufferSource source) {
  const auto begin = reinterpret_cast<uint64_t>(address);
  std::erase_if(buffers_, [&](const auto& known) {
    const DeviceBuffer& buffer = known.second;
    const bool meets = buffer.address < begin + size_bytes && buffer.end() > begin;
    return buffer.source >= BufferSource::kRegistered && (meets || buffer.address == begin);
  });
  if (size_bytes != 0) {
    buffers_[begin] = {.name = Say("registered ", num_registered_++),
                       .address = begin,
                       .size_bytes = size_bytes,
                       .source = source,
                       .filled = true,
                       .written = {}};
  }
}

std::string DeviceMemory::Free(const void* address, BufferSource source) {
  const auto begin = reinterpret_cast<uint64_t>(address);
  const auto found = buffers_.find(begin);
  if (found == buffers_.end()) {
    if (const GmBuffer* freed = FindFreed(address)) {
      return Say(freed->name, " was freed before");
    }
    if (const DeviceBuffer* inside = Find(address)) {
      return Say("the address is ", begin - inside->address, " bytes behind the start of ", inside->name,
                 "; free the address that was given for it");
    }
    return source == BufferSource::kGmAlloc ? "the address is not one that GmAlloc gave"
                                            : "the address is not one that aclrtMalloc gave";
  }
  const DeviceBuffer& buffer = found->second;
  if (buffer.source != source) {
    return Say("the address is that of ", buffer.name, "; it goes back with ", FreeCall(buffer.source));
  }
  void* const memory = reinterpret_cast<void*>(begin);
  mmap(memory, Mapped(buffer.size_bytes), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
       -1, 0);
  used_bytes_ -= buffer.size_bytes;
  if (freed_.size() == kMostFreed) {
    freed_.erase(freed_.begin(), freed_.begin() + kMostFreed / 2);
  }
  freed_.push_back({.name = buffer.name, .address = begin, .size_bytes = buffer.size_bytes});
  buffers_.erase(found);
  return "";
}

void DeviceMemory::FreeAll(BufferSource source) {
  std::vector<uint64_t> all;
  for (const auto& [address, buffer] : buffers_) {
    if (buffer.source == source) {
      all.push_back(address);
    }
  }
  for (const uint64_t address : all) {
    Free(reinterpret_cast<void*>(address), source);
  }
}

DeviceBuffer* DeviceMemory::Find(const void* address) {
  const auto at = reinterpret_cast<uint64_t>(address);
  const auto above = buffers_.upper_bound(at);
  if (above == buffers_.begin()) {
    return nullptr;
  }
  DeviceBuffer& buffer = std::prev(above)->second;
  return at < buffer.end() || at == buffer.address ? &buffer : nullptr;
}

const GmBuffer* DeviceMemory::FindFreed(const void* address) const {
  const auto at = reinterpret_cast<uint64_t>(address);
  const auto found = std::ranges::find_if(freed_, [&](const GmBuffer& buffer) {
    return at >= buffer.address && at - buffer.address < std::max<uint64_t>(buffer.size_bytes, 1);
  });
  return found == freed_.end() ? nullptr : &*found;
}

bool DeviceMemory::Any(BufferSource source) const {
  return std::ranges::any_of(buffers_, [&](const auto& known) { return known.second.source == source; });
}

std::vector<DeviceBuffer> DeviceMemory::All() const {
  std::vector<DeviceBuffer> all;
  for (const auto& [address, buffer] : buffers_) {
    all.push_back(buffer);
  }
  return all;
}

void DeviceMemory::DropUnknown() {
  std::erase_if(buffers_, [](const auto& known) { return known.second.source == BufferSource::kUnknown; });
}

void DeviceMemory::NoteWritten(const void* begin, uint64_t size_bytes) {
  DeviceBuffer* const buffer = Find(begin);
  if (buffer == nullptr || buffer->filled || size_bytes == 0) {
    return;
  }
  const auto first = reinterpret_cast<uint64_t>(begin);
  buffer->written.Add(first, first + size_bytes);
  buffer->filled = buffer->written.Holds(buffer->address, buffer->end());
}

void DeviceMemory::NoteCopied(const void* to, const void* from, uint64_t size_bytes) {
  const auto src = reinterpret_cast<uint64_t>(from);
  const auto dst = reinterpret_cast<uint64_t>(to);
  const DeviceBuffer* const source = Find(from);
  DeviceBuffer* const target = Find(to);
  if (source == nullptr || target == nullptr || size_bytes == 0) {
    return;
  }
  std::vector<DeviceBuffer::Run> runs;  // without values; the two buffers may be one
  if (!source->filled) {
    ForEachUnwritten(source->unwritten, source->written, src, src + size_bytes,
                     [&](uint64_t begin, uint64_t end) {
                       runs.push_back({begin - src + dst, end - src + dst});
                     });
  }
  NoteWritten(to, size_bytes);
  if (!runs.empty() && target->filled) {
    target->written.Add(target->address, target->end());
    target->filled = false;
  }
  for (const DeviceBuffer::Run& run : runs) {
    target->written.Remove(run.begin, run.end);
    if (target->unwritten) {
      std::memset(reinterpret_cast<void*>(run.begin), static_cast<int>(*target->unwritten),
                  run.end - run.begin);
    }
  }
}

GmSpace DeviceMemory::Space(const std::map<uint64_t, std::string>& names) const {
  GmSpace space;
  for (const auto& [address, buffer] : buffers_) {
    const auto name = names.find(address);
    space.Add({.name = name == names.end() ? buffer.name : name->second,
               .address = address,
               .size_bytes = buffer.size_bytes,
               .initialised = buffer.filled,
               .unwritten = buffer.unwritten});
  }
  for (const GmBuffer& buffer : freed_) {
    space.AddFreed(buffer);
  }
  return space;
}

IntervalSet DeviceMemory::Written() const {
  IntervalSet all;
  for (const auto& [address, buffer] : buffers_) {
    if (buffer.filled) {
      continue;
    }
    for (uint64_t at = buffer.written.FirstIn(address, buffer.end()); at < buffer.end();) {
      const uint64_t end = buffer.written.FirstGap(at, buffer.end());
      all.Add(at, end);
      at = buffer.written.FirstIn(end, buffer.end());
    }
  }
  return all;
}

void DeviceMemory::TakeWritten(const IntervalSet& written) {
  for (auto& [address, buffer] : buffers_) {
    if (buffer.filled) {
      continue;
    }
    for (uint64_t at = written.FirstIn(address, buffer.end()); at < buffer.end();) {
      const uint64_t end = written.FirstGap(at, buffer.end());
      buffer.written.Add(at, end);
      at = written.FirstIn(end, buffer.end());
    }
    buffer.filled = buffer.written.Holds(address, buffer.end());
  }
}

void DeviceMemory::FillAll() {
  for (auto& [address, buffer] : buffers_) {
    buffer.filled = true;
  }
}

DeviceMemory::Saved DeviceMemory::Save() const {
  Saved saved;
  for (const auto& [address, buffer] : buffers_) {
    if (buffer.source != BufferSource::kUnknown && buffer.size_bytes != 0) {
      const auto* const bytes = reinterpret_cast<const std::byte*>(address);
      saved[address].assign(bytes, bytes + buffer.size_bytes);
    }
  }
  return saved;
}

void DeviceMemory::Restore(const Saved& saved) {
  for (const auto& [address, bytes] : saved) {
    std::memcpy(reinterpret_cast<void*>(address), bytes.data(), bytes.size());
  }
}

}  // namespace tilesim::host
