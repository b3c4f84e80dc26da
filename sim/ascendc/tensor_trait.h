// TensorTrait: an element type that also says where a tensor lies and how. A tensor of a trait is a tensor of
// the trait's element type too, and all calls take it as that.
#pragma once

#include "sim/ascendc/layout.h"
#include "sim/ascendc/types.h"

namespace AscendC {

// As large as one element of T unless its layout is known only when the kernel runs; calls take traits of
// that size only.
template <class T, TPosition pos = TPosition::GM, class L = Layout<Shape<>, Stride<>>>
struct alignas(alignof(T) < alignof(L) ? alignof(L) : alignof(T)) TensorTrait {
  using LiteType = T;
  using LiteLayoutType = L;
  static constexpr TPosition tPos = pos;

  constexpr TensorTrait(const L& layout = {}) { SetLayout(layout); }
  constexpr L& GetLayout() { return layout_; }
  constexpr const L& GetLayout() const { return layout_; }
  constexpr void SetLayout(const L& layout) { layout_ = layout; }

 private:
  [[no_unique_address]] L layout_;
};

template <class T, TPosition pos, class L>
constexpr TensorTrait<T, pos, L> MakeTensorTrait(const L& layout) {
  return {layout};
}

template <class T>
struct is_tensorTrait : std::false_type {};
template <class T, TPosition pos, class L>
struct is_tensorTrait<TensorTrait<T, pos, L>> : std::true_type {};

namespace simulator {

// A call takes tensors of traits or plain ones, not both.
template <class... T>
constexpr void RequireUnmixed() {
  static_assert((is_tensorTrait<T>::value && ...) || (!is_tensorTrait<T>::value && ...),
                "one call takes tensors of a TensorTrait or plain ones, not both");
}

}  // namespace simulator

}  // namespace AscendC
