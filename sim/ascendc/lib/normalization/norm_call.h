// What a call that normalises comes to, whatever its types: the functions themselves are compiled once, with
// the simulator.
#pragma once

#include <cstdint>

#include "sim/ascendc/absent.h"
#include "sim/ascendc/kernel_tiling/library_tilings.h"
#include "sim/ascendc/lib/elementwise_call.h"

namespace AscendC::simulator {

// Rows of [rows, columns] that begin `width` elements apart.
struct NormShape {
  uint32_t rows;
  uint32_t columns;
  uint32_t width;
};

enum class NormForm : uint8_t { kLayer, kRms, kGiven };

// dst = (x - mean) / sqrt(variance + epsilon) * gamma + beta; x = src, or alpha * src + gx.
struct NormCall {
  const char* name;
  NormForm form;
  NormShape shape;
  LibraryOperand dst, src;
  float epsilon;
  // nullptr and operands that are not given: there is none.
  const LocalTensor<uint8_t>* scratch;
  SourceLine where;
  LibraryOperand gamma, beta = {};
  // A number for each row: results, of kGiven mean and variance are sources.
  LibraryOperand mean = {}, variance = {}, rstd = {};
  LibraryOperand gx = {};
  float alpha = 1;
};
void Run(const NormCall& call);

struct LayerNormGradCall {
  NormShape shape;
  LibraryOperand pd_x, res_for_gamma, dy, x, variance, mean, gamma;
  float epsilon;
  const LocalTensor<uint8_t>* scratch;
  SourceLine where;
};
void Run(const LayerNormGradCall& call);

struct LayerNormGradBetaCall {
  NormShape shape;
  LibraryOperand pd_gamma, pd_beta, res_for_gamma, dy;
  const LocalTensor<uint8_t>* scratch;
  SourceLine where;
};
void Run(const LayerNormGradBetaCall& call);

struct WelfordUpdateCall {
  LibraryOperand out_mean, out_variance, in_mean, in_variance, x;
  const LocalTensor<uint8_t>* scratch;
  uint32_t rows, length, computed;
  float reciprocal;
  bool in_place;
  SourceLine where;
};
void Run(const WelfordUpdateCall& call);

struct WelfordFinalizeCall {
  LibraryOperand out_mean, out_variance, in_mean, in_variance;
  LibraryOperand counts;  // not given: head and tail tell them
  const LocalTensor<uint8_t>* scratch;
  uint32_t rows, length, head_count, head_length, tail_count;
  float length_reciprocal, all_reciprocal;
  SourceLine where;
};
void Run(const WelfordFinalizeCall& call);

struct GroupNormCall {
  uint32_t n, c, hw, width, groups;
  LibraryOperand dst, mean, variance, src, gamma, beta;
  float epsilon;
  const LocalTensor<uint8_t>* scratch;
  SourceLine where;
};
void Run(const GroupNormCall& call);

struct BatchNormCall {
  uint32_t batches, columns;
  LibraryOperand dst, mean, variance, src, gamma, beta;
  float epsilon;
  const LocalTensor<uint8_t>* scratch;
  SourceLine where;
};
void Run(const BatchNormCall& call);

}  // namespace AscendC::simulator
