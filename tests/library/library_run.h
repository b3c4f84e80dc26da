// Kernels that make one call of the library, on data of the test.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tests/sim/ascendc/vector_run.h"

namespace tilesim {

// What the kernel of RunCall hands to the call: up to three sources as long as dst, and the scratch, nullptr
// where none is given.
template <class D, class S>
struct CallTensors {
  AscendC::LocalTensor<D> dst;
  std::vector<AscendC::LocalTensor<S>> src;
  const AscendC::LocalTensor<uint8_t>* scratch;
};

// Reads sources of `count` elements from GM, dst's values too, makes the call, and writes dst back.
// `scratch_bytes` 0: no buffer is given.
template <class D, class S>
LaunchResult RunCall(const std::function<void(const CallTensors<D, S>&)>& call, Gm<D>& dst,
                     std::vector<Gm<S>>& src, uint32_t scratch_bytes, const RunMode& mode = {}) {
  using AscendC::DataCopyExtParams;
  using AscendC::LocalTensor;
  LaunchOptions options{.type = KernelType::kAivOnly, .blocks = 1, .mode = mode, .threads = 1};
  options.gm.Add(dst.buffer("dst"));
  for (const Gm<S>& one : src) {
    options.gm.Add(one.buffer("src"));
  }
  const auto read = []<class T>(AscendC::TPipe& pipe, Gm<T>& from) {
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
    const auto bytes = static_cast<uint32_t>(from.data().size() * sizeof(T));
    pipe.InitBuffer(buffer, AscendC::AlignUp(bytes, 32));
    LocalTensor<T> tensor = buffer.Get<T>();
    AscendC::DataCopyPad(tensor, from.tensor(), DataCopyExtParams(1, bytes, 0, 0, 0),
                         AscendC::DataCopyPadExtParams<T>(false, 0, 0, T(0)));
    return tensor;
  };
  return LaunchOnUnit(options, [&](Core& core) {
    if (core.identity().sub_block != 0) {
      return;
    }
    AscendC::TPipe pipe;
    CallTensors<D, S> tensors{read(pipe, dst), {}, nullptr};
    for (Gm<S>& one : src) {
      tensors.src.push_back(read(pipe, one));
    }
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
    LocalTensor<uint8_t> scratch;
    if (scratch_bytes > 0) {
      pipe.InitBuffer(buffer, scratch_bytes);
      scratch = buffer.Get<uint8_t>(scratch_bytes);
      tensors.scratch = &scratch;
    }
    AscendC::PipeBarrier<PIPE_ALL>();
    call(tensors);
    AscendC::PipeBarrier<PIPE_ALL>();
    const auto bytes = static_cast<uint32_t>(dst.data().size() * sizeof(D));
    AscendC::DataCopyPad(dst.tensor(), tensors.dst, DataCopyExtParams(1, bytes, 0, 0, 0));
  });
}

}  // namespace tilesim
