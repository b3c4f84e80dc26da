#ifndef TILESIM_TESTS_OPS_CONV3D_BACKPROP_RANDOM_CONV_H_
#define TILESIM_TESTS_OPS_CONV3D_BACKPROP_RANDOM_CONV_H_

#include <array>
#include <cstdint>
#include <random>
#include <string>

#include "formats/error.h"
#include "formats/tensor.h"
#include "ops/conv3d_backprop/conv3d_problem.h"

namespace tilesim::testing {

inline std::string Description(const Conv3dProblem& p) {
  return Say(Name(p.dtype), " ", Name(p.layout), " x ", ShapeText(p.layout, p.XExtents()), " filter ",
             ShapeText(p.filter_layout, p.FilterExtents()), " stride ", Text(p.stride), " dilation ",
             Text(p.dilation), " pad ", Text(p.pad), " groups ", p.groups, " rounding ", Name(p.rounding));
}

// A random legal problem of at most `most_macs` products: every type, layout and rounding, 2D and 3D, groups
// to depthwise, strides larger than the kernel, asymmetric pads, dilation.
inline Conv3dProblem RandomConv(std::mt19937& random, double most_macs) {
  const auto pick = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  for (;;) {
    Conv3dProblem p;
    p.dtype = std::array{DType::kFp16, DType::kBf16, DType::kFp32}[static_cast<size_t>(pick(0, 2))];
    const bool channel_last = pick(0, 1) == 1;
    const bool is_2d = pick(0, 3) == 0;
    p.layout = is_2d ? (channel_last ? Format::kNHWC : Format::kNCHW)
                     : (channel_last ? Format::kNDHWC : Format::kNCDHW);
    p.filter_layout = is_2d ? (channel_last ? Format::kHWIO : Format::kOIHW)
                            : (channel_last ? Format::kDHWIO : Format::kOIDHW);
    p.groups = pick(0, 1) == 0 ? 1 : pick(2, 5);
    p.batch = pick(1, 3);
    p.cin = p.groups * (pick(0, 2) == 0 ? 1 : pick(1, 35));
    p.cout = p.groups * (pick(0, 2) == 0 ? 1 : pick(1, 19));
    p.in = {is_2d ? 1 : pick(1, 5), pick(1, 9), pick(1, 11)};
    p.kernel = {is_2d ? 1 : pick(1, 3), pick(1, 4), pick(1, 5)};
    p.stride = {is_2d ? 1 : pick(1, 3), pick(1, 5), pick(1, 6)};
    p.dilation = {is_2d ? 1 : pick(1, 3), pick(1, 3), pick(1, 4)};
    p.pad = {is_2d ? 0 : pick(0, 3), is_2d ? 0 : pick(0, 3), pick(0, 4), pick(0, 4), pick(0, 5), pick(0, 5)};
    p.rounding = std::array{Rounding::kFloor, Rounding::kCeil, Rounding::kRound,
                            Rounding::kCeilInBounds}[static_cast<size_t>(pick(0, 3))];
    p.out = ForwardExtents(p);
    if (!WhyNot(p) && p.Macs() < most_macs) {
      return p;
    }
  }
}

inline Tensor RandomTensor(DType dtype, const Layout& layout, uint64_t seed, double lo, double hi) {
  Tensor tensor(dtype, layout);
  FillRandom(tensor, seed, lo, hi);
  return tensor;
}

// Whole numbers from -most to most.
inline Tensor WholeTensor(DType dtype, const Layout& layout, std::mt19937& random, int64_t most) {
  Tensor tensor(dtype, layout);
  for (int64_t i = 0; i < layout.LogicalElements(); ++i) {
    const int64_t value = std::uniform_int_distribution<int64_t>(-most, most)(random);
    tensor.Set(layout.Coord(i), static_cast<double>(value));
  }
  return tensor;
}

}  // namespace tilesim::testing

#endif  // TILESIM_TESTS_OPS_CONV3D_BACKPROP_RANDOM_CONV_H_
