// The runtime's calls about memory: each range is looked up before a byte of it is touched.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "formats/error.h"
#include "sim/host/acl/acl.h"
#include "sim/host/acl_calls.h"
#include "sim/host/program.h"

namespace tilesim::host {
namespace {

// Bytes that a copy reads or writes: `rows` of `width`, `pitch` apart.
struct Range {
  const char* name;  // of the parameter
  const void* begin;
  size_t width = 0;
  size_t pitch = 0;
  size_t rows = 1;

  // SIZE_MAX, which no memory has: they are more than a number holds.
  [[nodiscard]] size_t bytes() const {
    size_t before_last = 0;
    size_t all = 0;
    if (rows == 0 || width == 0) {
      return 0;
    }
    return __builtin_mul_overflow(rows - 1, pitch, &before_last) ||
                   __builtin_add_overflow(before_last, width, &all)
               ? SIZE_MAX
               : all;
  }
};

struct Copy {
  Range dst;
  Range src;
  bool to_device = false;
  bool from_device = false;
};

std::optional<std::string> WhyNotOnDevice(Program& program, const Range& range) {
  const DeviceBuffer* const buffer = program.memory().Find(range.begin);
  if (buffer == nullptr) {
    if (const GmBuffer* freed = program.memory().FindFreed(range.begin)) {
      return Say(range.name, " is in ", freed->name, ", which was freed");
    }
    return Say(range.name, " is ", program.DescribeHost(range.begin),
               "; give an address that aclrtMalloc gave, or the kind of copy that fits");
  }
  const uint64_t at = reinterpret_cast<uint64_t>(range.begin) - buffer->address;
  if (range.bytes() > buffer->size_bytes - at) {
    return Say(range.name, ": bytes [", at, ", ", at + range.bytes(), ") pass the end of ", buffer->Text(),
               ", which has ", buffer->size_bytes, "; copy less or allocate more");
  }
  return {};
}

std::optional<std::string> WhyNotOnHost(Program& program, const Range& range) {
  const DeviceBuffer* const buffer = program.memory().Find(range.begin);
  if (buffer != nullptr && buffer->source <= BufferSource::kGmAlloc) {
    return Say(range.name, " is device memory, ", buffer->Text(),
               "; give host memory, or the kind of copy that fits");
  }
  const auto at = reinterpret_cast<uint64_t>(range.begin);
  const auto above = program.host_memory().upper_bound(at);
  if (above != program.host_memory().begin()) {
    const auto& [begin, size] = *std::prev(above);
    if (at - begin < size && range.bytes() > size - (at - begin)) {
      return Say(range.name, ": bytes [", at - begin, ", ", at - begin + range.bytes(),
                 ") pass the end of memory of aclrtMallocHost, which has ", size);
    }
  }
  return {};
}

std::optional<std::string> WhyNot(Program& program, const Range& range, bool device) {
  if (range.begin == nullptr) {
    return Say(range.name, " is a null pointer");
  }
  return device ? WhyNotOnDevice(program, range) : WhyNotOnHost(program, range);
}

// Bytes that go out without ever having been written.
void TellUnwritten(const Call& call, const Range& src) {
  DeviceBuffer* const buffer = call.memory().Find(src.begin);
  if (buffer == nullptr || buffer->told_unwritten || !call.program().options().mode.values ||
      call.program().num_faults() != 0) {
    return;
  }
  for (size_t row = 0; row < src.rows; ++row) {
    const uint64_t begin = reinterpret_cast<uint64_t>(src.begin) + row * src.pitch;
    const auto [first, end] = buffer->FirstUnwritten(begin, begin + src.width);
    if (first != end) {
      buffer->told_unwritten = true;
      call.program().Tell(Say(call.name(), ": no copy and no kernel has written bytes [",
                              first - buffer->address, ", ", end - buffer->address, ") of ", buffer->Text(),
                              "; the host gets what happens to be there"));
      return;
    }
  }
}

// A copy that waits for no stream, of what a launch on another stream may still use on a device.
void TellRace(const Call& call, const Range& range) {
  const DeviceBuffer* const buffer = call.memory().Find(range.begin);
  if (buffer == nullptr) {
    return;
  }
  call.streams().ForEach([&](const Stream& stream) {
    if (!call.streams().IsDefault(stream) && stream.in_use.contains(buffer->address)) {
      call.program().TellOnce(
          "race",
          Say(call.name(), ": a launch that was given ", buffer->Text(),
              " may still run on a device; call aclrtSynchronizeStream before (here the values are there)"));
    }
  });
}

void Do(const Call& call, const Copy& copy) {
  if (copy.from_device && !copy.to_device) {
    TellUnwritten(call, copy.src);
  }
  for (size_t row = 0; row < copy.dst.rows; ++row) {
    auto* const dst = static_cast<std::byte*>(const_cast<void*>(copy.dst.begin)) + row * copy.dst.pitch;
    const auto* const src = static_cast<const std::byte*>(copy.src.begin) + row * copy.src.pitch;
    std::memmove(dst, src, copy.dst.width);
    if (copy.to_device && copy.from_device) {
      call.memory().NoteCopied(dst, src, copy.dst.width);
    } else if (copy.to_device) {
      call.memory().NoteWritten(dst, copy.dst.width);
    }
  }
}

bool IsOnDevice(Program& program, const void* address) {
  const DeviceBuffer* const buffer = program.memory().Find(address);
  return buffer != nullptr && buffer->source <= BufferSource::kGmAlloc;
}

aclError Start(const Call& call, Copy copy, aclrtMemcpyKind kind, const std::optional<aclrtStream>& on) {
  Program& program = call.program();
  if (kind == ACL_MEMCPY_DEFAULT) {
    copy.to_device = IsOnDevice(program, copy.dst.begin);
    copy.from_device = IsOnDevice(program, copy.src.begin);
  } else if (kind >= ACL_MEMCPY_HOST_TO_HOST && kind <= ACL_MEMCPY_DEVICE_TO_DEVICE) {
    copy.to_device = kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
    copy.from_device = kind == ACL_MEMCPY_DEVICE_TO_HOST || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
  } else {
    return call.Refuse(ACL_ERROR_INVALID_PARAM,
                       Say("there is no kind ", static_cast<int>(kind), " of copies"));
  }
  if (copy.to_device || copy.from_device) {
    if (const aclError error = CheckContext(program, call.name())) {
      return error;
    }
  }
  for (const auto& [range, device] :
       {std::pair(copy.dst, copy.to_device), std::pair(copy.src, copy.from_device)}) {
    if (const auto why = WhyNot(program, range, device)) {
      return call.Refuse(ACL_ERROR_INVALID_PARAM, *why);
    }
  }
  if (!on) {
    TellRace(call, copy.dst);
    TellRace(call, copy.src);
    Do(call, copy);
    return ACL_SUCCESS;
  }
  Stream* const stream = call.streams().Find(*on);
  if (stream == nullptr) {
    return call.Refuse(ACL_ERROR_RT_INVALID_HANDLE, "the stream is none that there is");
  }
  call.streams().Put(*stream, [copy, name = call.name()](Stream&) { Do(Call(name), copy); });
  return ACL_SUCCESS;
}

aclError StartFlat(const Call& call, void* dst, size_t dest_max, const void* src, size_t count,
                   aclrtMemcpyKind kind, const std::optional<aclrtStream>& on) {
  if (count > dest_max) {
    return call.Refuse(ACL_ERROR_INVALID_PARAM,
                       Say("count is ", count, ", more than destMax, which is ", dest_max));
  }
  return Start(call,
               {.dst = {.name = "dst", .begin = dst, .width = count},
                .src = {.name = "src", .begin = src, .width = count}},
               kind, on);
}

aclError Start2d(const Call& call, void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                 size_t height, aclrtMemcpyKind kind, const std::optional<aclrtStream>& on) {
  if (width == 0 || height == 0 || width > dpitch || width > spitch) {
    return call.Refuse(ACL_ERROR_INVALID_PARAM, Say("width is ", width, " and height ", height,
                                                    ", must be 1 or more, and width at most dpitch (", dpitch,
                                                    ") and spitch (", spitch, ")"));
  }
  return Start(call,
               {.dst = {.name = "dst", .begin = dst, .width = width, .pitch = dpitch, .rows = height},
                .src = {.name = "src", .begin = src, .width = width, .pitch = spitch, .rows = height}},
               kind, on);
}

aclError StartSet(const Call& call, void* dst, size_t max_count, int32_t value, size_t count,
                  const std::optional<aclrtStream>& on) {
  if (const aclError error = CheckContext(call.program(), call.name())) {
    return error;
  }
  if (count > max_count) {
    return call.Refuse(ACL_ERROR_INVALID_PARAM,
                       Say("count is ", count, ", more than maxCount, which is ", max_count));
  }
  const Range range{.name = "devPtr", .begin = dst, .width = count};
  if (const auto why = WhyNot(call.program(), range, true)) {
    return call.Refuse(ACL_ERROR_INVALID_PARAM, *why);
  }
  const auto set = [dst, value, count](const Call& now) {
    std::memset(dst, value, count);
    now.memory().NoteWritten(dst, count);
  };
  if (!on) {
    TellRace(call, range);
    set(call);
    return ACL_SUCCESS;
  }
  Stream* const stream = call.streams().Find(*on);
  if (stream == nullptr) {
    return call.Refuse(ACL_ERROR_RT_INVALID_HANDLE, "the stream is none that there is");
  }
  call.streams().Put(*stream, [set, name = call.name()](Stream&) { set(Call(name)); });
  return ACL_SUCCESS;
}

aclError AllocateFor(const Call& call, void** result, size_t size) {
  if (result == nullptr) {
    return call.Refuse(ACL_ERROR_INVALID_PARAM, "a null pointer for the result");
  }
  *result = nullptr;
  if (const aclError error = CheckContext(call.program(), call.name())) {
    return error;
  }
  if (size == 0) {
    return call.Refuse(ACL_ERROR_INVALID_PARAM, "size is 0; ask for 1 byte at least");
  }
  const auto there_are = static_cast<uint64_t>(call.program().soc().gm_bytes);
  const uint64_t used = call.memory().used_bytes();
  if (size > there_are || used > there_are - size) {
    return call.Refuse(ACL_ERROR_RT_MEMORY_ALLOCATION,
                       Say(size, " bytes, the device has ", there_are, ", of which ", used, " are taken"));
  }
  *result = call.memory().Allocate(size, BufferSource::kAcl, false);
  return *result != nullptr
             ? ACL_SUCCESS
             : call.Refuse(ACL_ERROR_BAD_ALLOC, Say("this machine has no room for ", size, " bytes"));
}

}  // namespace
}  // namespace tilesim::host

using tilesim::Say;
using tilesim::host::Call;

extern "C" {

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy /*policy*/) {
  return tilesim::host::AllocateFor(Call("aclrtMalloc"), devPtr, size);
}
aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy /*policy*/) {
  return tilesim::host::AllocateFor(Call("aclrtMallocAlign32"), devPtr, size);
}
aclError aclrtMallocCached(void** devPtr, size_t size, aclrtMemMallocPolicy /*policy*/) {
  return tilesim::host::AllocateFor(Call("aclrtMallocCached"), devPtr, size);
}

aclError aclrtFree(void* devPtr) {
  const Call call("aclrtFree");
  if (devPtr == nullptr) {
    return call.Refuse(ACL_ERROR_INVALID_PARAM, "devPtr is a null pointer");
  }
  const std::string why = call.memory().Free(devPtr, tilesim::host::BufferSource::kAcl);
  return why.empty() ? ACL_SUCCESS : call.Refuse(ACL_ERROR_INVALID_PARAM, why);
}

aclError aclrtMallocHost(void** hostPtr, size_t size) {
  const Call call("aclrtMallocHost");
  if (hostPtr == nullptr || size == 0) {
    return call.Refuse(ACL_ERROR_INVALID_PARAM, hostPtr == nullptr ? "a null pointer for the result"
                                                                   : "size is 0; ask for 1 byte at least");
  }
  constexpr size_t kAlignment = 64;
  *hostPtr = size > SIZE_MAX - kAlignment
                 ? nullptr
                 : std::aligned_alloc(kAlignment, (size + kAlignment - 1) / kAlignment * kAlignment);
  if (*hostPtr == nullptr) {
    return call.Refuse(ACL_ERROR_BAD_ALLOC, Say("this machine has no room for ", size, " bytes"));
  }
  call.program().host_memory()[reinterpret_cast<uint64_t>(*hostPtr)] = size;
  return ACL_SUCCESS;
}

aclError aclrtFreeHost(void* hostPtr) {
  const Call call("aclrtFreeHost");
  if (call.program().host_memory().erase(reinterpret_cast<uint64_t>(hostPtr)) == 0) {
    return call.Refuse(ACL_ERROR_INVALID_PARAM,
                       "the address is not one that aclrtMallocHost gave, or was freed before");
  }
  std::free(hostPtr);
  return ACL_SUCCESS;
}

aclError aclrtGetMemInfo(aclrtMemAttr /*attr*/, size_t* free, size_t* total) {
  const Call call("aclrtGetMemInfo");
  if (free == nullptr || total == nullptr) {
    return call.Refuse(ACL_ERROR_RT_PARAM_INVALID, "a null pointer for the result");
  }
  *total = static_cast<size_t>(call.program().soc().gm_bytes);
  *free = *total - call.memory().used_bytes();
  return ACL_SUCCESS;
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
  return tilesim::host::StartSet(Call("aclrtMemset"), devPtr, maxCount, value, count, {});
}
aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream) {
  return tilesim::host::StartSet(Call("aclrtMemsetAsync"), devPtr, maxCount, value, count, stream);
}
aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind) {
  return tilesim::host::StartFlat(Call("aclrtMemcpy"), dst, destMax, src, count, kind, {});
}
aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream) {
  return tilesim::host::StartFlat(Call("aclrtMemcpyAsync"), dst, destMax, src, count, kind, stream);
}
aclError aclrtMemcpy2d(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width, size_t height,
                       aclrtMemcpyKind kind) {
  return tilesim::host::Start2d(Call("aclrtMemcpy2d"), dst, dpitch, src, spitch, width, height, kind, {});
}
aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                            size_t height, aclrtMemcpyKind kind, aclrtStream stream) {
  return tilesim::host::Start2d(Call("aclrtMemcpy2dAsync"), dst, dpitch, src, spitch, width, height, kind,
                                stream);
}

}  // extern "C"
