// The struct of GET_TILING_DATA, where no kernel names one: what a unit's REGISTER_TILING_DATA_CLASS filed.
// Each of these takes a number; whoever looks goes through the numbers that were given until then.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace AscendC::simulator {

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-template-friend"  // a function for each number is what is meant
#endif
template <int number>
struct TilingNumber {
  friend constexpr auto RegisteredTiling(TilingNumber<number>);
};
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

template <int number, class Struct, bool nested>
struct RegisterTiling {
  friend constexpr auto RegisteredTiling(TilingNumber<number>) { return std::type_identity<Struct>(); }
};
template <int number, class Struct>
struct RegisterTiling<number, Struct, true> {};

template <class Struct>
inline constexpr char kTilingMark = 0;

template <int number>
constexpr const char* MarkOfTiling() {
  if constexpr (requires { RegisteredTiling(TilingNumber<number>()); }) {
    return &kTilingMark<typename decltype(RegisteredTiling(TilingNumber<number>()))::type>;
  } else {
    return nullptr;
  }
}

struct FoundTiling {
  int number = -1;  // of the first
  bool several = false;
};
template <int... numbers>
constexpr FoundTiling FindTiling(std::integer_sequence<int, numbers...>) {
  const std::array<const char*, sizeof...(numbers)> marks = {MarkOfTiling<numbers>()...};
  FoundTiling found;
  for (size_t i = 0; i < marks.size(); ++i) {
    if (marks[i] != nullptr && found.number < 0) {
      found.number = static_cast<int>(i);
    }
    found.several =
        found.several || (marks[i] != nullptr && marks[i] != marks[static_cast<size_t>(found.number)]);
  }
  return found;
}

struct NamedByNobody {};  // no struct is told
struct NoneIsNamed {};    // REGISTER_NONE_TILING

template <class First, class Second>
using FirstNamed = std::conditional_t<std::is_same_v<First, NamedByNobody>, Second, First>;

// The struct that a kernel named, or the only one that was filed before `end`.
template <class Named, int end>
constexpr auto TilingStruct() {
  static_assert(!std::is_same_v<Named, NoneIsNamed>,
                "GET_TILING_DATA has no struct behind REGISTER_NONE_TILING: write "
                "GET_TILING_DATA_WITH_STRUCT(YourTiling, name, pointer)");
  if constexpr (std::is_same_v<Named, NamedByNobody>) {
    constexpr FoundTiling kFound = FindTiling(std::make_integer_sequence<int, end>());
    static_assert(kFound.number >= 0,
                  "GET_TILING_DATA does not know the struct: write REGISTER_TILING_DEFAULT(YourTiling); "
                  "before it in the kernel, or GET_TILING_DATA_WITH_STRUCT(YourTiling, name, pointer)");
    static_assert(
        !kFound.several,
        "GET_TILING_DATA does not know which of the classes of REGISTER_TILING_DATA_CLASS is meant: "
        "write GET_TILING_DATA_WITH_STRUCT(YourTiling, name, pointer)");
    if constexpr (kFound.number >= 0) {
      return RegisteredTiling(TilingNumber<kFound.number>());
    } else {
      return std::type_identity<NamedByNobody>();
    }
  } else {
    return std::type_identity<Named>();
  }
}

}  // namespace AscendC::simulator
