// Where the fields of a struct lie that a user's source declares: text values are put there. Generated code
// says which fields:
//   const bool any_name = tilesim::host::DescribeStruct<Tiling>("kernel", "tiling", TILESIM_FIELD(count),
//                                                               TILESIM_FIELD(nested.inner));
// Names that the struct does not have are no compile errors: they are told when values are given.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "formats/half.h"
#include "sim/host/kernel_launch.h"

namespace tilesim::host {

struct StructField {
  std::string path;  // "nested.inner"
  bool exists = false;
  size_t offset = 0;
  size_t size_bytes = 0;          // all of it
  std::vector<int64_t> extents;   // of an array
  std::string_view element_type;  // of ElementType's names: "int32"; empty: it is a struct
  bool has_fields = false;        // of a struct: all of its fields are described, too
  bool is_empty = false;          // of a struct: nothing in it takes a value
  bool is_pointer = false;        // or an array of them
  bool is_bit_field = false;      // it exists, where it lies cannot be told
};

struct StructLayout {
  std::string kernel;
  std::string parameter;
  size_t size_bytes = 0;
  std::vector<bool> is_padding;  // by byte
  std::vector<StructField> fields;
};

// Keeps a copy, with the first of each path.
bool Describe(StructLayout layout);
// nullptr: none was described. The last part of the kernel's name decides.
const StructLayout* FindStruct(std::string_view kernel, std::string_view parameter);

// "count=5;nested.inner=-1;tile[2]=7": the bytes of the struct. Every field must be there, arrays whole.
// Throws UserError beginning with `where`.
std::vector<std::byte> StructBytes(const StructLayout& layout, std::string_view values,
                                   const std::string& where);

namespace internal {

template <class F, class Named>
struct FieldPath {
  const char* path;
  F field;      // where it lies, of all but bit-fields
  Named named;  // whether it is an object of the struct's, a bit-field too
};
template <class F, class Named>
FieldPath(const char*, F, Named) -> FieldPath<F, Named>;

template <class T>
constexpr std::string_view ElementTypeName() {
  if constexpr (std::is_enum_v<T>) {
    return ElementTypeName<std::underlying_type_t<T>>();
  } else if constexpr (std::is_same_v<T, bool>) {
    return "bool";
  } else if constexpr (std::is_same_v<T, Half>) {
    return "fp16";
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return "bf16";
  } else if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? "fp32" : "fp64";
  } else if constexpr (std::is_integral_v<T>) {
    constexpr std::array<std::string_view, 4> kSigned = {"int8", "int16", "int32", "int64"};
    constexpr std::array<std::string_view, 4> kUnsigned = {"uint8", "uint16", "uint32", "uint64"};
    constexpr size_t kWidth = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return std::is_signed_v<T> ? kSigned[kWidth] : kUnsigned[kWidth];
  } else {
    return "";
  }
}

template <class T, size_t... dimension>
std::vector<int64_t> ExtentsOf(std::index_sequence<dimension...>) {
  return {static_cast<int64_t>(std::extent_v<T, dimension>)...};
}

// Where a member of type T lies. No pointer or reference of its type: none may be had of a packed struct's.
template <class T>
struct Member {
  const volatile char* at;
};

#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
#define TILESIM_KNOWS_PADDING
#endif
#endif

// Where the compiler cannot say, every byte counts as padding: none is missed then.
template <class S>
std::vector<bool> PaddingOf() {
  std::vector<bool> padding(sizeof(S), true);
#ifdef TILESIM_KNOWS_PADDING
  alignas(S) std::byte bytes[sizeof(S)];
  std::memset(bytes, 0xFF, sizeof(S));
  __builtin_clear_padding(reinterpret_cast<S*>(bytes));
  for (size_t i = 0; i < sizeof(S); ++i) {
    padding[i] = bytes[i] == std::byte{0};
  }
#endif
  return padding;
}

// Is it a struct of nothing but padding? Where the compiler cannot say: one without members.
template <class T>
bool HoldsNothing() {
  if constexpr (!std::is_class_v<T>) {
    return false;
  } else {
#ifdef TILESIM_KNOWS_PADDING
    const std::vector<bool> padding = PaddingOf<T>();
    return std::find(padding.begin(), padding.end(), false) == padding.end();
#else
    return std::is_empty_v<T>;
#endif
  }
}

// The field `path`, which `member` of `object` is; of a static member it does not exist.
template <class T, class S>
StructField FieldAt(const char* path, Member<T> member, const S& object) {
  using Element = std::remove_all_extents_t<T>;
  const auto at = reinterpret_cast<uintptr_t>(member.at);
  const auto begin = reinterpret_cast<uintptr_t>(&object);
  const bool exists = at >= begin && at + sizeof(T) <= begin + sizeof(S);
  return {.path = path,
          .exists = exists,
          .offset = exists ? at - begin : 0,
          .size_bytes = sizeof(T),
          .extents = ExtentsOf<T>(std::make_index_sequence<std::rank_v<T>>()),
          .element_type = ElementTypeName<Element>(),
          .is_empty = HoldsNothing<Element>(),
          .is_pointer = std::is_pointer_v<Element>};
}

// Becomes an S, and none of the bases of S.
template <class S>
struct Exactly {
  template <class T>
  requires std::is_same_v<T, S>
  operator T&() const;
};

// The fields of a tiling of the library, which its header declares by a macro; of other structs the source
// that is compiled says them.
template <class S>
std::vector<StructField> LibraryFieldsOf() {
  std::vector<StructField> fields;
  const auto ignore = [](const char*, auto&) {};
  if constexpr (requires(const Exactly<S>& exactly) { VisitTilingFields(exactly, ignore); }) {
    alignas(S) static std::byte bytes[sizeof(S)];
    S& object = *reinterpret_cast<S*>(bytes);
    VisitTilingFields(object, [&]<class T>(const char* name, T& member) {
      fields.push_back(FieldAt(name, Member<T>{&reinterpret_cast<const volatile char&>(member)}, object));
    });
  }
  return fields;
}

// Adds a field, and behind it those that it has itself.
template <class S, class T>
void AddMember(std::vector<StructField>& fields, const char* path, Member<T> member, const S& object) {
  StructField field = FieldAt(path, member, object);
  const size_t offset = field.offset;
  std::vector<StructField> inner = LibraryFieldsOf<T>();
  field.has_fields = !inner.empty();
  fields.push_back(std::move(field));
  for (StructField& one : inner) {
    one.path = std::string(path) + "." + one.path;
    one.offset += offset;
    fields.push_back(std::move(one));
  }
}

template <class S, class F, class Named>
void AddField(std::vector<StructField>& fields, const FieldPath<F, Named>& named, S& object) {
  if constexpr (std::is_invocable_v<const F&, S&>) {
    AddMember(fields, named.path, named.field(object), object);
  } else {
    fields.push_back({.path = named.path,
                      .extents = {},
                      .element_type = "",
                      .is_bit_field = std::is_invocable_v<const Named&, S&>});
  }
}

}  // namespace internal

template <class S, class... F, class... Named>
bool DescribeStruct(const char* kernel, const char* parameter,
                    const internal::FieldPath<F, Named>&... fields) {
  static_assert(std::is_trivially_copyable_v<S>, "a kernel's tiling struct is trivially copyable");
  alignas(S) static std::byte bytes[sizeof(S)];
  S& object = *reinterpret_cast<S*>(bytes);
  StructLayout layout{.kernel = kernel,
                      .parameter = parameter,
                      .size_bytes = sizeof(S),
                      .is_padding = internal::PaddingOf<S>(),
                      .fields = internal::LibraryFieldsOf<S>()};
  (internal::AddField(layout.fields, fields, object), ...);
  return Describe(std::move(layout));
}

// The type of a kernel's parameter: ParameterOf<&kernel, 3>.
namespace internal {
template <class... P>
std::tuple<P...> ParametersOf(void (*)(P...));
}  // namespace internal
template <auto kernel, size_t number>
using ParameterOf = std::tuple_element_t<number, decltype(internal::ParametersOf(kernel))>;

}  // namespace tilesim::host

#define TILESIM_FIELD(...)                                                                            \
  ::tilesim::host::internal::FieldPath {                                                              \
#__VA_ARGS__, [](auto& object)                                                                      \
        -> decltype(void(&reinterpret_cast<const volatile char&>(object.__VA_ARGS__)),                  \
                    ::tilesim::host::internal::Member<::std::remove_cvref_t<decltype(object.__VA_ARGS__)>>()) { \
      return {&reinterpret_cast<const volatile char&>(object.__VA_ARGS__)};                             \
    },                                                                                                  \
    [](auto& object) -> ::std::enable_if_t<::std::is_lvalue_reference_v<decltype((object.__VA_ARGS__))>> {} \
  }
