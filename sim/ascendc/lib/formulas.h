// The formulas of the elementwise functions. Each takes its sources from the first live nodes, in fp32 (or as
// they are, where the function's row says so), and leaves its result in node 0.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "sim/ascendc/lib/elementwise_call.h"
#include "sim/ascendc/lib/vector_steps.h"

namespace AscendC::internal {

using FloatNode = LocalTensor<float>;
using BitNode = LocalTensor<uint8_t>;

// The live nodes of a piece.
class LiveNodes {
 public:
  LiveNodes(const FloatNode& first, uint32_t elements) : first_(first), elements_(elements) {}
  FloatNode operator[](uint32_t index) const { return first_[index * elements_]; }
  // The same memory as bits of a comparison, and as whole numbers.
  BitNode Bits(uint32_t index) const { return (*this)[index].ReinterpretCast<uint8_t>(); }
  LocalTensor<int32_t> Int(uint32_t index) const { return (*this)[index].ReinterpretCast<int32_t>(); }
  LocalTensor<uint32_t> Uint(uint32_t index) const { return (*this)[index].ReinterpretCast<uint32_t>(); }

 private:
  FloatNode first_;
  uint32_t elements_;
};

using Scalars = std::array<double, 2>;
using Formula = void (*)(const VectorSteps& v, const LiveNodes& t, const Scalars& scalars);

// dst = the polynomial in z whose coefficients are those, the constant one first. dst is not z.
void Polynomial(const VectorSteps& v, const FloatNode& dst, const FloatNode& z,
                std::initializer_list<float> coefficients);

void Sigmoid(const VectorSteps& v, const LiveNodes& t, const Scalars& scalars);
void Tanh(const VectorSteps& v, const LiveNodes& t, const Scalars& scalars);

}  // namespace AscendC::internal
