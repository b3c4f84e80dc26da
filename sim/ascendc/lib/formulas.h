// The formulas of the elementwise functions. Each takes its sources from the first live nodes, in fp32 (or as
// they are, where the function's row says so), and leaves its result in node 0.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "sim/ascendc/lib/elementwise_call.h"
#include "sim/ascendc/lib/scratch.h"
#include "sim/ascendc/lib/scratch_sizes.h"
#include "sim/ascendc/lib/vector_steps.h"

namespace AscendC::simulator {

using FloatNode = LocalTensor<float>;

// The live nodes of a piece.
class LiveNodes {
 public:
  // `scalar`: the call's, for functions that have one.
  LiveNodes(const FloatNode& first, uint32_t elements, double scalar)
      : first_(first), elements_(elements), scalar_(scalar) {}
  double scalar() const { return scalar_; }
  uint32_t elements() const { return elements_; }
  FloatNode operator[](uint32_t index) const { return first_[index * elements_]; }
  // The same memory as bits of a comparison, and as whole numbers.
  CompareBits Bits(uint32_t index) const {
    const FloatNode node = (*this)[index];
    return {node.ReinterpretCast<uint8_t>(), node[elements_ - 32].ReinterpretCast<uint32_t>()};
  }
  LocalTensor<int32_t> Int(uint32_t index) const { return (*this)[index].ReinterpretCast<int32_t>(); }
  LocalTensor<uint32_t> Uint(uint32_t index) const { return (*this)[index].ReinterpretCast<uint32_t>(); }

 private:
  FloatNode first_;
  uint32_t elements_;
  double scalar_;
};

// Elements [first, first + v.count()) of a tensor.
template <class T>
LocalTensor<T> PieceOf(const LibraryOperand& operand, uint32_t first) {
  return operand.bytes.ReinterpretCast<T>()[first];
}
// A piece of a tensor into a node, and of a node into a tensor: floating-point numbers as fp32, others of 16
// and 32 bits as they are. fp16 and bf16 are rounded to the nearest, of two the even one.
void LoadNode(const VectorSteps& v, const LiveNodes& t, uint32_t node, const LibraryOperand& src,
              uint32_t first);
void StoreNode(const VectorSteps& v, const LibraryOperand& dst, uint32_t first, const LiveNodes& t,
               uint32_t node);
// The live nodes in the scratch of a call named in messages by `host_name`, for pieces of at most `elements`.
LiveNodes NodesIn(Scratch& scratch, const tilesim::library::ScratchNeed& need, const char* host_name,
                  uint32_t elements, double scalar = 0);

using Formula = void (*)(const VectorSteps& v, const LiveNodes& t);

// dst = the polynomial in z whose coefficients are those, the constant one first. dst is not z.
StepsOn<float> Polynomial(const VectorSteps& v, const FloatNode& dst, const FloatNode& z,
                          std::initializer_list<float> coefficients);

// dst = x with its last 12 bits 0, so that the product of two such numbers is exact. dst may be x.
StepsOn<float> Head(const VectorSteps& v, const FloatNode& dst, const FloatNode& x);

// Error bounds stand at the definitions; they hold beside those of the last rounding to fp16.
namespace formulas {

#define TILESIM_FORMULA(FUNCTION, ...) void FUNCTION(const VectorSteps& v, const LiveNodes& t);
TILESIM_LIBRARY_FUNCTIONS(TILESIM_FORMULA)
#undef TILESIM_FORMULA

}  // namespace formulas

}  // namespace AscendC::simulator
