#include "bench/onednn_backward_weights.h"

#include <dnnl.hpp>

namespace tilesim::bench {

namespace {

using dnnl::memory;

memory::desc Any(const memory::dims& dims) { return {dims, memory::data_type::f32, memory::format_tag::any}; }

void Fill(memory& data) {
  auto* values = static_cast<float*>(data.get_data_handle());
  const size_t count = data.get_desc().get_size() / sizeof(float);
  for (size_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>(i % 17) / 17.0F - 0.5F;
  }
}

}  // namespace

struct OneDnnBackwardWeights::State {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  dnnl::convolution_backward_weights::primitive_desc description;
  dnnl::convolution_backward_weights primitive;
  memory x, dy, dw;
};

OneDnnBackwardWeights::OneDnnBackwardWeights(const Conv3dProblem& p) : state_(std::make_unique<State>()) {
  const memory::dims x = {p.batch, p.cin, p.in.d, p.in.h, p.in.w};
  const memory::dims dy = {p.batch, p.cout, p.out.d, p.out.h, p.out.w};
  const memory::dims kernel = {p.kernel.d, p.kernel.h, p.kernel.w};
  memory::dims dw = {p.cout, p.cin};
  if (p.groups > 1) {
    dw = {p.groups, p.CoutPerGroup(), p.CinPerGroup()};
  }
  dw.insert(dw.end(), kernel.begin(), kernel.end());
  const memory::dims strides = {p.stride.d, p.stride.h, p.stride.w};
  const memory::dims dilates = {p.dilation.d - 1, p.dilation.h - 1, p.dilation.w - 1};
  const memory::dims before = {p.pad.front, p.pad.top, p.pad.left};
  const memory::dims after = {p.pad.back, p.pad.bottom, p.pad.right};
  const auto direct = dnnl::algorithm::convolution_direct;
  const dnnl::convolution_forward::desc forward(dnnl::prop_kind::forward_training, direct, Any(x), Any(dw),
                                                Any(dy), strides, dilates, before, after);
  const dnnl::convolution_forward::primitive_desc hint(forward, state_->engine);
  const dnnl::convolution_backward_weights::desc backward(direct, Any(x), Any(dw), Any(dy), strides, dilates,
                                                          before, after);
  state_->description = {backward, state_->engine, hint};
  state_->primitive = dnnl::convolution_backward_weights(state_->description);
  state_->x = memory(state_->description.src_desc(), state_->engine);
  state_->dy = memory(state_->description.diff_dst_desc(), state_->engine);
  state_->dw = memory(state_->description.diff_weights_desc(), state_->engine);
  Fill(state_->x);
  Fill(state_->dy);
}

OneDnnBackwardWeights::~OneDnnBackwardWeights() = default;

void OneDnnBackwardWeights::Run() {
  state_->primitive.execute(
      state_->stream,
      {{DNNL_ARG_SRC, state_->x}, {DNNL_ARG_DIFF_DST, state_->dy}, {DNNL_ARG_DIFF_WEIGHTS, state_->dw}});
  state_->stream.wait();
}

std::string OneDnnBackwardWeights::implementation() const { return state_->description.impl_info_str(); }

}  // namespace tilesim::bench
