#pragma once
#include <cstdint>

#include "tiling/conv_backprop/gradient_problem.h"
#include "tiling/cube_choice.h"

namespace tilesim {

inline uint32_t Low32(int64_t value) { return static_cast<uint32_t>(static_cast<uint64_t>(value)); }

// Fills in what the tiling data of both gradients repeat of the problem under the same names. Values beyond
// the width of a field keep their low 32 bits, as the shipped planner's do.
template <class Tiling>
void SetConvFields(const ConvProblem& p, Tiling& t) {
  t.batch = Low32(p.batch);
  t.cin = Low32(p.cin);
  t.cout = Low32(p.cout);
  t.dout = Low32(p.dout);
  t.ho = Low32(p.ho);
  t.wo = Low32(p.wo);
  t.di = Low32(p.di);
  t.hi = Low32(p.hi);
  t.wi = Low32(p.wi);
  t.dk = Low32(p.dk);
  t.hk = Low32(p.hk);
  t.wk = Low32(p.wk);
  t.strideD = Low32(p.stride_d);
  t.strideH = Low32(p.stride_h);
  t.strideW = Low32(p.stride_w);
  t.padFront = Low32(p.pad_front);
  t.padBack = Low32(p.pad_back);
  t.padUp = Low32(p.pad_up);
  t.padDown = Low32(p.pad_down);
  t.padLeft = Low32(p.pad_left);
  t.padRight = Low32(p.pad_right);
  t.dilationD = Low32(p.dilation_d);
  t.dilationH = Low32(p.dilation_h);
  t.dilationW = Low32(p.dilation_w);
}

// Fills in what the tiling data of both gradients say of a choice under the same names.
template <class Tiling>
void SetChoiceFields(const CubeChoice& choice, Tiling& t) {
  t.al0Pbuffer = t.bl0Pbuffer = Low32(choice.l0_copies);
  t.cl0Pbuffer = Low32(choice.l0c_copies);
  t.al1Pbuffer = Low32(choice.l1_copies_a);
  t.bl1Pbuffer = Low32(choice.l1_copies_b);
  t.baseM = Low32(choice.base_m);
  t.baseN = Low32(choice.base_n);
  t.baseK = Low32(choice.base_k);
  t.stepM = Low32(choice.step_m);
  t.stepN = Low32(choice.step_n);
  t.stepKa = Low32(choice.step_ka);
  t.stepKb = Low32(choice.step_kb);
  t.iterateOrder = Low32(choice.iterate_order);
}

}  // namespace tilesim
