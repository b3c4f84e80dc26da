#include "bench/onednn_pooling.h"

#include <dnnl.hpp>
#include <unordered_map>

namespace tilesim::bench {
namespace {

using dnnl::memory;

// A size along D, H and W as the primitive has it: without D in 2D.
memory::dims Sizes(const PoolProblem& p, int64_t d, int64_t h, int64_t w) {
  return p.Is2d() ? memory::dims{h, w} : memory::dims{d, h, w};
}

memory::desc Plain(const PoolProblem& p, const Extents3& points) {
  memory::dims dims = Sizes(p, points.d, points.h, points.w);
  dims.insert(dims.begin(), {p.batch, p.channels});
  return {dims, memory::data_type::f32, p.Is2d() ? memory::format_tag::nchw : memory::format_tag::ncdhw};
}

memory Filled(const memory::desc& description, const dnnl::engine& engine) {
  memory data(description, engine);
  auto* values = static_cast<float*>(data.get_data_handle());
  const size_t count = description.get_size() / sizeof(float);
  for (size_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>(i * 7919 % 1009) / 1009.0F - 0.5F;
  }
  return data;
}

}  // namespace

struct OneDnnPooling::State {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  dnnl::primitive primitive;
  std::unordered_map<int, memory> arguments;
  std::string implementation;
};

OneDnnPooling::OneDnnPooling(const PoolProblem& p, Direction direction) : state_(std::make_unique<State>()) {
  const dnnl::engine& engine = state_->engine;
  const Windows& w = p.windows;
  const memory::desc x = Plain(p, w.in);
  const memory::desc y = Plain(p, p.out);
  const memory::dims strides = Sizes(p, w.stride.d, w.stride.h, w.stride.w);
  const memory::dims kernel = Sizes(p, w.kernel.d, w.kernel.h, w.kernel.w);
  const memory::dims before = Sizes(p, w.pad.front, w.pad.top, w.pad.left);
  const memory::dims after = Sizes(p, w.pad.back, w.pad.bottom, w.pad.right);
  const auto max = dnnl::algorithm::pooling_max;
  const dnnl::pooling_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, max, x, y, strides, kernel, before, after}, engine);
  const memory workspace(forward.workspace_desc(), engine);
  const std::unordered_map<int, memory> arguments = {
      {DNNL_ARG_SRC, Filled(x, engine)}, {DNNL_ARG_DST, memory(y, engine)}, {DNNL_ARG_WORKSPACE, workspace}};
  if (direction == Direction::kForward) {
    state_->primitive = dnnl::pooling_forward(forward);
    state_->arguments = arguments;
    state_->implementation = forward.impl_info_str();
    return;
  }
  dnnl::pooling_forward(forward).execute(state_->stream, arguments);  // fills the workspace
  state_->stream.wait();
  const dnnl::pooling_backward::primitive_desc backward({max, x, y, strides, kernel, before, after}, engine,
                                                        forward);
  state_->primitive = dnnl::pooling_backward(backward);
  state_->arguments = {{DNNL_ARG_DIFF_DST, Filled(y, engine)},
                       {DNNL_ARG_WORKSPACE, workspace},
                       {DNNL_ARG_DIFF_SRC, memory(x, engine)}};
  state_->implementation = backward.impl_info_str();
}

OneDnnPooling::~OneDnnPooling() = default;

void OneDnnPooling::Run() {
  state_->primitive.execute(state_->stream, state_->arguments);
  state_->stream.wait();
}

std::string OneDnnPooling::implementation() const { return state_->implementation; }

}  // namespace tilesim::bench
