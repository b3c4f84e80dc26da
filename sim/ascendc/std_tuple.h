// AscendC::Std: the part of the standard library that the kernel-facing API names as its own, and numbers
// that are known when the kernel is compiled.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace AscendC::Std {

using std::add_const_t;
using std::conditional;
using std::conditional_t;
using std::decay_t;
using std::declval;
using std::enable_if;
using std::enable_if_t;
using std::forward;
using std::get;
using std::index_sequence;
using std::integral_constant;
using std::is_arithmetic_v;
using std::is_convertible;
using std::is_convertible_v;
using std::is_integral;
using std::is_integral_v;
using std::is_same;
using std::is_same_v;
using std::make_index_sequence;
using std::make_tuple;
using std::move;
using std::remove_cv_t;
using std::remove_cvref_t;
using std::remove_reference_t;
using std::tie;
using std::tuple;
using std::tuple_element;
using std::tuple_element_t;
using std::tuple_size;
using std::tuple_size_v;

template <class T>
struct is_tuple : std::false_type {};
template <class... Ts>
struct is_tuple<tuple<Ts...>> : std::true_type {};
template <class T>
inline constexpr bool is_tuple_v = is_tuple<std::remove_cvref_t<T>>::value;

template <size_t n>
using Int = std::integral_constant<size_t, n>;

template <class T>
constexpr T min(const T& a, const T& b) {
  return b < a ? b : a;
}
template <class T>
constexpr T max(const T& a, const T& b) {
  return a < b ? b : a;
}

}  // namespace AscendC::Std
