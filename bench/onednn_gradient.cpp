#include "bench/onednn_gradient.h"

#include <dnnl.hpp>
#include <unordered_map>

namespace tilesim::bench {
namespace {

using dnnl::memory;

memory::desc Any(const memory::dims& dims) { return {dims, memory::data_type::f32, memory::format_tag::any}; }

memory Filled(const memory::desc& description, const dnnl::engine& engine) {
  memory data(description, engine);
  auto* values = static_cast<float*>(data.get_data_handle());
  const size_t count = description.get_size() / sizeof(float);
  for (size_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>(i % 17) / 17.0F - 0.5F;
  }
  return data;
}

// The convolution as oneDNN describes it.
struct Convolution {
  memory::dims x, dy, w, strides, dilates, before, after;

  explicit Convolution(const Conv3dProblem& p)
      : x{p.batch, p.cin, p.in.d, p.in.h, p.in.w},
        dy{p.batch, p.cout, p.out.d, p.out.h, p.out.w},
        w{p.cout, p.cin},
        strides{p.stride.d, p.stride.h, p.stride.w},
        dilates{p.dilation.d - 1, p.dilation.h - 1, p.dilation.w - 1},
        before{p.pad.front, p.pad.top, p.pad.left},
        after{p.pad.back, p.pad.bottom, p.pad.right} {
    if (p.groups > 1) {
      w = {p.groups, p.CoutPerGroup(), p.CinPerGroup()};
    }
    w.insert(w.end(), {p.kernel.d, p.kernel.h, p.kernel.w});
  }
};

}  // namespace

struct OneDnnGradient::State {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  dnnl::primitive primitive;
  std::unordered_map<int, memory> arguments;
  std::string implementation;
};

OneDnnGradient::OneDnnGradient(const Conv3dProblem& problem, Gradient gradient)
    : state_(std::make_unique<State>()) {
  const Convolution c(problem);
  const dnnl::engine& engine = state_->engine;
  const auto direct = dnnl::algorithm::convolution_direct;
  const dnnl::convolution_forward::desc forward(dnnl::prop_kind::forward_training, direct, Any(c.x), Any(c.w),
                                                Any(c.dy), c.strides, c.dilates, c.before, c.after);
  const dnnl::convolution_forward::primitive_desc hint(forward, engine);
  if (gradient == Gradient::kFilter) {
    const dnnl::convolution_backward_weights::desc backward(direct, Any(c.x), Any(c.w), Any(c.dy), c.strides,
                                                            c.dilates, c.before, c.after);
    const dnnl::convolution_backward_weights::primitive_desc description(backward, engine, hint);
    state_->primitive = dnnl::convolution_backward_weights(description);
    state_->arguments = {{DNNL_ARG_SRC, Filled(description.src_desc(), engine)},
                         {DNNL_ARG_DIFF_DST, Filled(description.diff_dst_desc(), engine)},
                         {DNNL_ARG_DIFF_WEIGHTS, memory(description.diff_weights_desc(), engine)}};
    state_->implementation = description.impl_info_str();
  } else {
    const dnnl::convolution_backward_data::desc backward(direct, Any(c.x), Any(c.w), Any(c.dy), c.strides,
                                                         c.dilates, c.before, c.after);
    const dnnl::convolution_backward_data::primitive_desc description(backward, engine, hint);
    state_->primitive = dnnl::convolution_backward_data(description);
    state_->arguments = {{DNNL_ARG_WEIGHTS, Filled(description.weights_desc(), engine)},
                         {DNNL_ARG_DIFF_DST, Filled(description.diff_dst_desc(), engine)},
                         {DNNL_ARG_DIFF_SRC, memory(description.diff_src_desc(), engine)}};
    state_->implementation = description.impl_info_str();
  }
}

OneDnnGradient::~OneDnnGradient() = default;

void OneDnnGradient::Run() {
  state_->primitive.execute(state_->stream, state_->arguments);
  state_->stream.wait();
}

std::string OneDnnGradient::implementation() const { return state_->implementation; }

}  // namespace tilesim::bench
