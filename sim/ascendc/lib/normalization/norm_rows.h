// What the calls that normalise share, for the sources that compute them.
#pragma once

#include <utility>

#include "sim/ascendc/lib/library_call.h"
#include "sim/ascendc/lib/normalization/norm_call.h"
#include "sim/ascendc/lib/rows.h"

namespace AscendC::simulator {

using tilesim::isa::VectorType;

// The elements of a step as fp32, and back.
template <class T>
void CopyIn(const VectorSteps& v, const Floats& dst, const LibraryOperand& src, uint32_t at) {
  if constexpr (std::is_same_v<T, half>) {
    v.Cast(dst, As<half>(src)[at], RoundMode::CAST_NONE);
  } else {
    v.Muls(dst, As<float>(src)[at], 1.0F);
  }
}
template <class T>
void CopyOut(const VectorSteps& v, const LibraryOperand& dst, uint32_t at, const Floats& src) {
  if constexpr (std::is_same_v<T, half>) {
    v.Cast(As<half>(dst)[at], src, RoundMode::CAST_RINT);
  } else {
    v.Muls(As<float>(dst)[at], src, 1.0F);
  }
}
// Weights of columns as fp32.
template <class U>
Floats WeightsOf(const RowSteps& steps, const LibraryOperand& weights, RowScratch& scratch,
                 const NormShape& shape) {
  const Floats copy = scratch.Take(shape.width);
  if (weights.given()) {
    CopyIn<U>(steps.On(shape.width), copy, weights, 0);
  }
  return copy;
}
// numbers[i] to element first + i of dst, of half or float. `stored`: as many elements.
inline void StoreNumbers(const RowSteps& steps, const LibraryOperand& dst, uint32_t first,
                         const Floats& numbers, const Floats& stored, const Floats& spread, uint32_t count) {
  if (dst.type == VectorType::kFp16) {
    const LocalTensor<half> halves = stored.ReinterpretCast<half>();
    steps.On(count).Cast(halves, numbers, RoundMode::CAST_RINT);
    steps.Scatter(As<half>(dst)[first], halves, spread, count);
  } else {
    steps.Scatter(As<float>(dst)[first], numbers, spread, count);
  }
}

void CheckNormShape(tilesim::Core& core, const NormShape& shape, uint32_t type_bytes);

// Runs work(core, scratch) on a vector core, of data of half or float.
template <class Call, class Work>
void RunOnRows(const Call& call, const char* name, const char* host_function, const LibraryOperand& data,
               CallTensors tensors, const tilesim::library::RowNeed& need, Work work) {
  const LibraryCall library(name, call.where);
  tilesim::Core* const core = library.core();
  if (core == nullptr) {
    return;
  }
  tilesim::isa::RequireType(*core, data.type, {VectorType::kFp16, VectorType::kFp32});
  CheckNormShape(*core, call.shape, data.type == VectorType::kFp16 ? 2 : 4);
  RowScratch scratch(*core, call.scratch, std::move(tensors), need, call.shape.rows, host_function);
  work(*core, scratch);
}

// Work's Rows(first, rows) for as many rows at a time as the scratch allows.
template <class Work, class Call>
void RunPieces(tilesim::Core& core, const Call& call, RowScratch& scratch) {
  const Work work(core, call, scratch);
  ForRows(call.shape.rows, scratch.rows(), [&](uint32_t row, uint32_t rows) { work.Rows(row, rows); });
}

}  // namespace AscendC::simulator
