#include "ops/conv3d_backprop/least_work.h"

#include <algorithm>
#include <vector>

#include "formats/units.h"
#include "ops/conv3d_backprop/filter_operator.h"
#include "ops/conv3d_backprop/input_operator.h"
#include "ops/conv3d_backprop/reference_axis.h"

namespace tilesim {
namespace {

// Indices of one axis of x that some window reads.
int64_t Reached(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t dilation, int64_t pad) {
  std::vector<bool> read(static_cast<size_t>(in));
  for (int64_t o = 0; o < out; ++o) {
    for (int64_t k = 0; k < kernel; ++k) {
      const int64_t i = o * stride + k * dilation - pad;
      if (i >= 0 && i < in) {
        read[static_cast<size_t>(i)] = true;
      }
    }
  }
  return std::ranges::count(read, true);
}

// Indices of one axis of dy whose windows reach x.
int64_t Reaching(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t dilation, int64_t pad) {
  int64_t reaching = 0;
  for (int64_t o = 0; o < out; ++o) {
    reaching += Reached(in, 1, kernel, stride, dilation, pad - o * stride) > 0 ? 1 : 0;
  }
  return reaching;
}

int64_t FractalCycles(const Conv3dProblem& p, const SocConfig& soc) {
  return p.dtype != DType::kFp32 ? soc.mmad_fractal_cycles
         : p.hf32                ? soc.mmad_fractal_hf32_cycles
                                 : soc.mmad_fractal_fp32_cycles;
}

int64_t KEdge(const Conv3dProblem& p) { return p.dtype == DType::kFp32 ? kFractalEdge / 2 : kFractalEdge; }

// What the taps of one axis meet: pairs of a tap and a position of dy inside the input, the taps and the
// positions that are in some pair.
struct Met {
  int64_t pairs = 0;
  int64_t taps = 0;
  int64_t positions = 0;
};

Met MetOn(const ReferenceAxis& axis) {
  Met met;
  std::vector<bool> met_at(static_cast<size_t>(axis.out));
  for (int64_t k = 0; k < axis.kernel; ++k) {
    const ReferenceSpan inside = axis.Inside(k);
    met.pairs += inside.size();
    met.taps += inside.size() > 0 ? 1 : 0;
    std::fill_n(met_at.begin() + inside.begin, inside.size(), true);
  }
  met.positions = std::ranges::count(met_at, true);
  return met;
}

// Lines of C0 channels in the blocks that merged groups are computed in. The last block has those that are
// left.
struct GroupLines {
  int64_t each = 0;
  int64_t last = 0;
};
GroupLines LinesOf(int64_t channels, int64_t c0, int64_t each, int64_t blocks) {
  return {.each = each, .last = CeilDiv(channels, c0) - (blocks - 1) * each};
}

}  // namespace

Work LeastFilterWork(const Conv3dProblem& p, const SocConfig& soc) {
  const FilterExtents extents = ExtentsOf(ToFilterProblem(p));
  const int64_t k_edge = KEdge(p);
  int64_t k_fractals =
      0;  // of all kernel planes; a plane that a window reads from padding only takes no product
  for (int64_t kernel_d = 0; kernel_d < p.kernel.d; ++kernel_d) {
    const int64_t windows = Reached(p.in.d, p.out.d, 1, p.stride.d, 1, p.pad.front - kernel_d * p.dilation.d);
    k_fractals += CeilDiv(p.batch * windows * extents.k, k_edge);
  }
  const int64_t c0 = extents.c0;
  const int64_t taps = p.kernel.h * p.kernel.w;
  const GroupLines m = LinesOf(p.cout, c0, extents.cout_g / c0, extents.real_groups);
  const GroupLines n = LinesOf(p.cin, c0, extents.cin1_g, extents.real_groups);
  const auto products = [&](int64_t m_lines, int64_t n_lines) {
    return CeilDiv(m_lines * c0, kFractalEdge) * CeilDiv(n_lines * taps * c0, kFractalEdge);
  };
  const int64_t fractals =
      (products(m.each, n.each) * (extents.real_groups - 1) + products(m.last, n.last)) * k_fractals;
  const int64_t x_lines = p.batch *
                          Reached(p.in.d, p.out.d, p.kernel.d, p.stride.d, p.dilation.d, p.pad.front) *
                          Reached(p.in.h, p.out.h, p.kernel.h, p.stride.h, p.dilation.h, p.pad.top) *
                          Reached(p.in.w, p.out.w, p.kernel.w, p.stride.w, p.dilation.w, p.pad.left);
  // planes of dy that meet padding alone are not brought
  const int64_t dy_planes = Reaching(p.in.d, p.out.d, p.kernel.d, p.stride.d, p.dilation.d, p.pad.front);
  const int64_t dy_lines = p.batch * dy_planes * p.out.h * p.out.w;
  return {.cube_cycles = fractals * FractalCycles(p, soc),
          .gm_read_bytes = (x_lines * CeilDiv(p.cin, c0) + dy_lines * CeilDiv(p.cout, c0)) * kDataBlockBytes,
          .gm_write_bytes = p.FilterLayout().LogicalElements() * static_cast<int64_t>(sizeof(float)),
          .fixpipe_writes = true};
}

Work LeastInputWork(const Conv3dProblem& p, const SocConfig& soc) {
  const InputExtents extents = ExtentsOf(ToInputProblem(p));
  int64_t pairs = p.batch;
  int64_t taps = 1;
  int64_t positions = p.batch;
  for (const ReferenceAxis& axis : ReferenceAxes(p)) {
    const Met met = MetOn(axis);
    pairs *= met.pairs;
    taps *= met.taps;
    positions *= met.positions;
  }
  const int64_t c0 = extents.c0;
  const GroupLines k = LinesOf(p.cout, c0, extents.cout1_g, extents.real_groups);
  const GroupLines n = LinesOf(p.cin, c0, extents.cin1_g, extents.real_groups);
  const auto products = [&](int64_t k_lines, int64_t n_lines) {
    return CeilDiv(k_lines * c0, KEdge(p)) * CeilDiv(n_lines * c0, kFractalEdge);
  };
  const int64_t fractals = CeilDiv(pairs, kFractalEdge) *
                           (products(k.each, n.each) * (extents.real_groups - 1) + products(k.last, n.last));
  const auto element_bytes = static_cast<int64_t>(SizeOf(p.dtype));
  return {.cube_cycles = fractals * FractalCycles(p, soc),
          .gm_read_bytes = positions * CeilDiv(p.cout, c0) * kDataBlockBytes +
                           taps * p.cout * p.CinPerGroup() * element_bytes,
          .gm_write_bytes = p.XLayout().LogicalElements() * element_bytes,
          .fixpipe_writes = true};
}

}  // namespace tilesim
