#include "tests/ops/conv3d_backprop/onednn_gradients.h"

#include <algorithm>
#include <dnnl.hpp>
#include <unordered_map>

namespace tilesim::testing {
namespace {

using dnnl::memory;

// Descriptions of the three tensors, elements in canonical order: always 3D, the filter with an axis of
// groups.
struct Descriptions {
  memory::desc x;
  memory::desc filter;
  memory::desc dy;
  memory::dims strides;
  memory::dims dilates;
  memory::dims before;
  memory::dims after;
};

Descriptions Describe(const Conv3dProblem& p) {
  // oneDNN rounds the size of the output down: for the other roundings the pads that windows reach give it
  const Pads pad = p.rounding == Rounding::kFloor ? p.pad : p.ReachedPad();
  const auto f32 = memory::data_type::f32;
  return {.x = {{p.batch, p.cin, p.in.d, p.in.h, p.in.w}, f32, memory::format_tag::ncdhw},
          .filter = {{p.groups, p.CoutPerGroup(), p.CinPerGroup(), p.kernel.d, p.kernel.h, p.kernel.w},
                     f32,
                     memory::format_tag::goidhw},
          .dy = {{p.batch, p.cout, p.out.d, p.out.h, p.out.w}, f32, memory::format_tag::ncdhw},
          .strides = {p.stride.d, p.stride.h, p.stride.w},
          .dilates = {p.dilation.d - 1, p.dilation.h - 1, p.dilation.w - 1},
          .before = {pad.front, pad.top, pad.left},
          .after = {pad.back, pad.bottom, pad.right}};
}

dnnl::convolution_forward::primitive_desc Hint(const Descriptions& of, const dnnl::engine& engine) {
  const dnnl::convolution_forward::desc forward(dnnl::prop_kind::forward_training,
                                                dnnl::algorithm::convolution_direct, of.x, of.filter, of.dy,
                                                of.strides, of.dilates, of.before, of.after);
  return {forward, engine};
}

// The tensor's elements in canonical order, where oneDNN can read them.
memory Given(const Tensor& tensor, const memory::desc& description, const dnnl::engine& engine) {
  const Tensor canonical = Converted(tensor, CanonicalLayout(tensor.layout()));
  memory given(description, engine);
  std::ranges::copy(canonical.As<float>(), static_cast<float*>(given.get_data_handle()));
  return given;
}

std::vector<double> Execute(const dnnl::primitive& primitive, const dnnl::engine& engine,
                            std::unordered_map<int, memory> arguments, int result) {
  dnnl::stream stream(engine);
  primitive.execute(stream, arguments);
  stream.wait();
  const memory& values = arguments.at(result);
  const auto* const begin = static_cast<const float*>(values.get_data_handle());
  return {begin, begin + values.get_desc().get_size() / sizeof(float)};
}

}  // namespace

std::vector<double> OneDnnFilterGradient(const Conv3dProblem& problem, const Tensor& x, const Tensor& dy) {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const Descriptions of = Describe(problem);
  const dnnl::convolution_backward_weights::desc backward(dnnl::algorithm::convolution_direct, of.x,
                                                          of.filter, of.dy, of.strides, of.dilates, of.before,
                                                          of.after);
  const dnnl::convolution_backward_weights primitive({backward, engine, Hint(of, engine)});
  return Execute(primitive, engine,
                 {{DNNL_ARG_SRC, Given(x, of.x, engine)},
                  {DNNL_ARG_DIFF_DST, Given(dy, of.dy, engine)},
                  {DNNL_ARG_DIFF_WEIGHTS, memory(of.filter, engine)}},
                 DNNL_ARG_DIFF_WEIGHTS);
}

std::vector<double> OneDnnInputGradient(const Conv3dProblem& problem, const Tensor& dy,
                                        const Tensor& filter) {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const Descriptions of = Describe(problem);
  const dnnl::convolution_backward_data::desc backward(dnnl::algorithm::convolution_direct, of.x, of.filter,
                                                       of.dy, of.strides, of.dilates, of.before, of.after);
  const dnnl::convolution_backward_data primitive({backward, engine, Hint(of, engine)});
  return Execute(primitive, engine,
                 {{DNNL_ARG_WEIGHTS, Given(filter, of.filter, engine)},
                  {DNNL_ARG_DIFF_DST, Given(dy, of.dy, engine)},
                  {DNNL_ARG_DIFF_SRC, memory(of.x, engine)}},
                 DNNL_ARG_DIFF_SRC);
}

}  // namespace tilesim::testing
