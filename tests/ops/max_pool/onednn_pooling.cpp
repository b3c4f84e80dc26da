#include "tests/ops/max_pool/onednn_pooling.h"

#include <algorithm>
#include <dnnl.hpp>

namespace tilesim::testing {
namespace {

using dnnl::memory;

// Padding behind the input that the last window reaches: oneDNN rounds the size of the output down, with this
// pad to the size that the problem has. Less than 0 where windows leave the end of the input out.
int64_t Behind(const WindowAxis& axis, int64_t out) {
  return (out - 1) * axis.stride + (axis.kernel - 1) * axis.dilation + 1 - axis.pad_before - axis.in;
}

bool Takes(const WindowAxis& axis, int64_t out) {
  const int64_t span = (axis.kernel - 1) * axis.dilation + 1;
  return axis.pad_before < span && Behind(axis, out) < span;
}

// Always 3D, elements in canonical order.
struct Descriptions {
  explicit Descriptions(const PoolProblem& p)
      : x({p.batch, p.channels, p.windows.in.d, p.windows.in.h, p.windows.in.w}, memory::data_type::f32,
          memory::format_tag::ncdhw),
        y({p.batch, p.channels, p.out.d, p.out.h, p.out.w}, memory::data_type::f32,
          memory::format_tag::ncdhw),
        strides{p.windows.stride.d, p.windows.stride.h, p.windows.stride.w},
        kernel{p.windows.kernel.d, p.windows.kernel.h, p.windows.kernel.w},
        dilation{p.windows.dilation.d - 1, p.windows.dilation.h - 1, p.windows.dilation.w - 1},
        before{p.windows.pad.front, p.windows.pad.top, p.windows.pad.left},
        after{std::max<int64_t>(0, Behind(p.windows.D(), p.out.d)),
              std::max<int64_t>(0, Behind(p.windows.H(), p.out.h)),
              std::max<int64_t>(0, Behind(p.windows.W(), p.out.w))} {}
  memory::desc x;
  memory::desc y;
  memory::dims strides;
  memory::dims kernel;
  memory::dims dilation;
  memory::dims before;
  memory::dims after;
};

memory Given(const Tensor& tensor, const memory::desc& description, const dnnl::engine& engine) {
  const Tensor canonical = Converted(tensor, CanonicalLayout(tensor.layout()));
  memory given(description, engine);
  std::ranges::copy(canonical.As<float>(), static_cast<float*>(given.get_data_handle()));
  return given;
}

std::vector<double> Values(const memory& values) {
  const auto* const begin = static_cast<const float*>(values.get_data_handle());
  return {begin, begin + values.get_desc().get_size() / sizeof(float)};
}

}  // namespace

bool OneDnnTakes(const PoolProblem& problem) {
  return Takes(problem.windows.D(), problem.out.d) && Takes(problem.windows.H(), problem.out.h) &&
         Takes(problem.windows.W(), problem.out.w);
}

OneDnnPooling OneDnnMaxPool(const PoolProblem& problem, const Tensor& x, const Tensor& dy) {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  const Descriptions of(problem);
  const dnnl::pooling_v2_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, dnnl::algorithm::pooling_max, of.x, of.y, of.strides, of.kernel,
       of.dilation, of.before, of.after},
      engine);
  const memory y(of.y, engine);
  const memory workspace(forward.workspace_desc(), engine);
  dnnl::pooling_v2_forward(forward).execute(
      stream, {{DNNL_ARG_SRC, Given(x, of.x, engine)}, {DNNL_ARG_DST, y}, {DNNL_ARG_WORKSPACE, workspace}});
  const dnnl::pooling_v2_backward::primitive_desc backward(
      {dnnl::algorithm::pooling_max, of.x, of.y, of.strides, of.kernel, of.dilation, of.before, of.after},
      engine, forward);
  const memory dx(of.x, engine);
  dnnl::pooling_v2_backward(backward).execute(stream, {{DNNL_ARG_DIFF_DST, Given(dy, of.y, engine)},
                                                       {DNNL_ARG_WORKSPACE, workspace},
                                                       {DNNL_ARG_DIFF_SRC, dx}});
  stream.wait();
  return {.y = Values(y), .dx = Values(dx)};
}

}  // namespace tilesim::testing
