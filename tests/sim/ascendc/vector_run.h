// What the tests of the vector API share: GM of a launch, and kernels on one vector core that see it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/sim/ascendc/kernel_run.h"

namespace tilesim {

template <class T>
class Gm {
 public:
  explicit Gm(size_t elements, T value = T(0)) : data_(elements, value) {}
  std::vector<T>& data() { return data_; }
  AscendC::GlobalTensor<T> tensor() {
    AscendC::GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(data_.data(), data_.size());
    return tensor;
  }
  GmBuffer buffer(const char* name) const {
    return {.name = name,
            .address = reinterpret_cast<uint64_t>(data_.data()),
            .size_bytes = data_.size() * sizeof(T)};
  }

 private:
  std::vector<T> data_;
};

template <class... Buffers>
LaunchResult RunOn(const std::function<void()>& kernel, const RunMode& mode, const Buffers&... buffers) {
  LaunchOptions options{.type = KernelType::kAivOnly, .blocks = 1, .mode = mode, .threads = 1};
  int number = 0;
  (options.gm.Add(buffers.buffer(("gm" + std::to_string(number++)).c_str())), ...);
  return LaunchOnUnit(options, [&](Core& core) {
    if (core.identity().sub_block == 0) {
      kernel();
    }
  });
}
inline std::string FaultsOn(const std::function<void()>& kernel, const RunMode& mode = {}) {
  return TextOf(RunOn(kernel, mode));
}

// The text of the faults without the cycles, which a run of values only does not have.
inline std::string TextWithoutCycles(const LaunchResult& result) {
  constexpr std::string_view kAt = " at cycle ";
  std::string text = TextOf(result);
  for (size_t at = text.find(kAt); at != std::string::npos; at = text.find(kAt, at)) {
    text.erase(at, text.find_first_not_of("0123456789", at + kAt.size()) - at);
  }
  return text;
}

template <class T>
AscendC::LocalTensor<T> Part(AscendC::TBuf<AscendC::TPosition::VECCALC>& buffer, uint32_t index,
                             uint32_t elements = 512) {
  return buffer.Get<T>()[index * elements];
}

}  // namespace tilesim
