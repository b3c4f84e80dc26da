// Layouts: which element of a tensor a coordinate names. Shapes, strides and coordinates are tuples of
// numbers (size_t or other integers, Std::Int<n> where known to the compiler), nested as one likes; strides
// count elements.
#pragma once

#include <cstddef>
#include <type_traits>

#include "sim/ascendc/std_tuple.h"

namespace AscendC {

template <class... Ts>
using Shape = Std::tuple<Ts...>;
template <class... Ts>
using Stride = Std::tuple<Ts...>;
template <class... Ts>
using Coord = Std::tuple<Ts...>;

template <class... Ts>
constexpr Shape<Ts...> MakeShape(const Ts&... extents) {
  return {extents...};
}
template <class... Ts>
constexpr Stride<Ts...> MakeStride(const Ts&... strides) {
  return {strides...};
}
template <class... Ts>
constexpr Coord<Ts...> MakeCoord(const Ts&... coordinates) {
  return {coordinates...};
}

namespace simulator {

// The product of all numbers in a shape; 1 of none.
template <class T>
constexpr size_t NumElements(const T& shape) {
  if constexpr (Std::is_tuple_v<T>) {
    return std::apply([](const auto&... members) { return (size_t{1} * ... * NumElements(members)); }, shape);
  } else {
    return static_cast<size_t>(shape);
  }
}

template <size_t kMember, class S, class D>
constexpr size_t IndexOfNumber(size_t number, const S& shape, const D& stride);

// The element at a coordinate, from the first. A plain number for a tuple of extents is split with the first
// extent running fastest; the last one takes all that is left, wherever that leads.
template <class C, class S, class D>
constexpr size_t IndexOf(const C& coordinate, const S& shape, const D& stride) {
  if constexpr (Std::is_tuple_v<C>) {
    static_assert(Std::is_tuple_v<S> && Std::is_tuple_v<D>,
                  "Crd2Idx: the coordinate is nested deeper than the shape or the stride");
    constexpr size_t kRank = Std::tuple_size_v<C>;
    static_assert(kRank == Std::tuple_size_v<S> && kRank == Std::tuple_size_v<D>,
                  "Crd2Idx: coordinate, shape and stride must have the same number of members");
    return [&]<size_t... kI>(Std::index_sequence<kI...>) {
      return (size_t{0} + ... + IndexOf(Std::get<kI>(coordinate), Std::get<kI>(shape), Std::get<kI>(stride)));
    }
    (Std::make_index_sequence<kRank>());
  } else if constexpr (Std::is_tuple_v<S>) {
    static_assert(Std::is_tuple_v<D> && Std::tuple_size_v<S> == Std::tuple_size_v<D>,
                  "Crd2Idx: shape and stride must have the same number of members");
    return IndexOfNumber<0>(static_cast<size_t>(coordinate), shape, stride);
  } else {
    static_assert(!Std::is_tuple_v<D>, "Crd2Idx: shape and stride must be nested alike");
    return static_cast<size_t>(coordinate) * static_cast<size_t>(stride);
  }
}

template <size_t kMember, class S, class D>
constexpr size_t IndexOfNumber(size_t number, const S& shape, const D& stride) {
  if constexpr (kMember == Std::tuple_size_v<S>) {
    return 0;
  } else if constexpr (kMember + 1 == Std::tuple_size_v<S>) {
    return IndexOf(number, Std::get<kMember>(shape), Std::get<kMember>(stride));
  } else {
    const size_t extent = NumElements(Std::get<kMember>(shape));
    return IndexOf(number % extent, Std::get<kMember>(shape), Std::get<kMember>(stride)) +
           IndexOfNumber<kMember + 1>(number / extent, shape, stride);
  }
}

}  // namespace simulator

// A shape with a stride for each of its extents. Takes no space where the compiler knows all of it.
template <class S, class D>
class Layout {
 public:
  constexpr Layout(const S& shape = {}, const D& stride = {}) {
    if constexpr (!kKnown) {
      parts_.shape = shape;
      parts_.stride = stride;
    }
  }
  constexpr Layout layout() const { return *this; }
  constexpr S GetShape() const {
    if constexpr (kKnown) {
      return {};
    } else {
      return parts_.shape;
    }
  }
  constexpr D GetStride() const {
    if constexpr (kKnown) {
      return {};
    } else {
      return parts_.stride;
    }
  }
  template <class C>
  constexpr auto operator()(const C& coordinate) const {
    return simulator::IndexOf(coordinate, GetShape(), GetStride());
  }

 private:
  static constexpr bool kKnown = std::is_empty_v<S> && std::is_empty_v<D>;
  struct Nothing {};
  struct Parts {
    S shape;
    D stride;
  };
  [[no_unique_address]] std::conditional_t<kKnown, Nothing, Parts> parts_;
};

template <class S, class D>
constexpr Layout<S, D> MakeLayout(const S& shape, const D& stride) {
  return {shape, stride};
}

template <class C, class S, class D>
constexpr auto Crd2Idx(const C& coordinate, const Layout<S, D>& layout) {
  return layout(coordinate);
}
template <class C, class S, class D>
constexpr auto Crd2Idx(const C& coordinate, const S& shape, const D& stride) {
  return simulator::IndexOf(coordinate, shape, stride);
}

template <class T>
struct is_layout : std::false_type {};
template <class S, class D>
struct is_layout<Layout<S, D>> : std::true_type {};
template <class T>
inline constexpr bool is_layout_v = is_layout<T>::value;

}  // namespace AscendC
