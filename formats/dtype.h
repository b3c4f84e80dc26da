#ifndef TILESIM_FORMATS_DTYPE_H_
#define TILESIM_FORMATS_DTYPE_H_

// The element types of a tensor: name, size, and the C++ type of each. Knows no layout.
// To add one: enumerator, row in dtype.cpp, case in VisitDType, specialisation of DTypeOf.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "formats/half.h"
#include "formats/units.h"

namespace tilesim {

enum class DType : uint8_t { kFp16, kBf16, kFp32, kInt32, kInt64, kUint8 };

inline constexpr DType kAllDTypes[] = {DType::kFp16,  DType::kBf16,  DType::kFp32,
                                       DType::kInt32, DType::kInt64, DType::kUint8};

// Bytes of one element.
size_t SizeOf(DType dtype);
// "fp16", "bf16", "fp32", "int32", "int64", "uint8".
std::string_view Name(DType dtype);
// The type of that name; nothing when there is none.
std::optional<DType> ParseDType(std::string_view name);
// All names, "fp16, bf16, ...": for messages.
std::string KnownDTypes();
// Elements of a data block: 16 for 16-bit types, 8 for 32-bit ones, 32 for uint8, 4 for int64.
int C0Of(DType dtype);
// True for fp16, bf16 and fp32.
bool IsFloating(DType dtype);

// A type as an argument: `VisitDType(dtype, []<class T>(TypeTag<T>) { ... })`.
template <class T>
struct TypeTag {
  using Type = T;
};

// Calls visit(TypeTag<T>{}) with the C++ type of dtype: Half, BFloat16, float, int32_t, int64_t or uint8_t.
template <class Visit>
decltype(auto) VisitDType(DType dtype, Visit&& visit) {
  switch (dtype) {
    case DType::kFp16:
      return visit(TypeTag<Half>{});
    case DType::kBf16:
      return visit(TypeTag<BFloat16>{});
    case DType::kFp32:
      return visit(TypeTag<float>{});
    case DType::kInt32:
      return visit(TypeTag<int32_t>{});
    case DType::kInt64:
      return visit(TypeTag<int64_t>{});
    case DType::kUint8:
      return visit(TypeTag<uint8_t>{});
  }
  throw std::logic_error("VisitDType: not a DType");
}

namespace dtype_detail {
template <class T>
struct DTypeOf;
template <>
struct DTypeOf<Half> : std::integral_constant<DType, DType::kFp16> {};
template <>
struct DTypeOf<BFloat16> : std::integral_constant<DType, DType::kBf16> {};
template <>
struct DTypeOf<float> : std::integral_constant<DType, DType::kFp32> {};
template <>
struct DTypeOf<int32_t> : std::integral_constant<DType, DType::kInt32> {};
template <>
struct DTypeOf<int64_t> : std::integral_constant<DType, DType::kInt64> {};
template <>
struct DTypeOf<uint8_t> : std::integral_constant<DType, DType::kUint8> {};
}  // namespace dtype_detail

// The DType of a C++ type; a compile error for any other type.
template <class T>
inline constexpr DType kDTypeOf = dtype_detail::DTypeOf<std::remove_cv_t<T>>::value;

}  // namespace tilesim

#endif  // TILESIM_FORMATS_DTYPE_H_
