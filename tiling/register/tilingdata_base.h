#pragma once
// Tiling data by declaration, as host programs for the device write them:
//
//   BEGIN_TILING_DATA_DEF(AddTilingData)
//   TILING_DATA_FIELD_DEF(uint32_t, length);
//   TILING_DATA_FIELD_DEF_ARR(uint32_t, 4, tails);
//   TILING_DATA_FIELD_DEF_STRUCT(OtherTilingData, other);
//   END_TILING_DATA_DEF;
//
// gives a class with set_length / get_length, other.set_..., GetDataSize and SaveToBuffer. Its bytes are
// those of a C struct with the same fields, by their names: a kernel that sees the class may read them as it
// reads such a struct (GET_TILING_DATA and its kin). The macros are the documented interface; there is no
// other way to offer it. One that is defined before this header stays as it is.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace optiling {
namespace internal {

// Objects whose fields stand in a buffer of somebody else: those that SetDataPtr was called on.
void Redirect(const void* object, size_t size, void* buffer);
void ForgetRedirection(const void* object) noexcept;  // of the object that holds this byte
// The place in that buffer of a byte of an object; the byte's own where the object is not among those.
void* PlaceOf(void* byte);
bool AnyRedirected() noexcept;

void RequireSize(const char* call, const char* class_name, size_t given, size_t size, bool exactly);

}  // namespace internal

// What a declared class has beside its fields; of no bytes itself, so that the class is as plain as a C
// struct: its bytes may be copied.
template <class Class>
class TilingDef {
 public:
  TilingDef() {
    if (internal::AnyRedirected()) {
      internal::ForgetRedirection(this);  // of one that stood here before
    }
  }

  [[nodiscard]] const char* GetTilingClassName() const { return Class::kTilingClassName; }
  [[nodiscard]] size_t GetDataSize() const { return sizeof(Class); }
  // Writes GetDataSize() bytes; throws tilesim::UserError when `capacity` is smaller.
  void SaveToBuffer(void* buffer, size_t capacity) const {
    internal::RequireSize("SaveToBuffer", Class::kTilingClassName, capacity, sizeof(Class), false);
    std::memmove(buffer, Place(static_cast<const Class*>(this)), sizeof(Class));
  }
  // The opposite of SaveToBuffer, from exactly GetDataSize() bytes.
  void LoadFromBuffer(const void* buffer, size_t size) {
    internal::RequireSize("LoadFromBuffer", Class::kTilingClassName, size, sizeof(Class), true);
    void* const own = static_cast<Class*>(this);
    std::memmove(own, buffer, sizeof(Class));
    std::memmove(Place(static_cast<Class*>(this)), own, sizeof(Class));
  }
  // From now on the fields are those that stand in `buffer`, of at least GetDataSize() bytes: get_ reads
  // there, set_ writes there, too. The buffer has to outlive the object's use. A copy of the object has the
  // values that it was given by set_, and stands in no buffer.
  void SetDataPtr(void* buffer) {
    internal::Redirect(this, sizeof(Class), buffer);
    std::memcpy(static_cast<void*>(static_cast<Class*>(this)), buffer, sizeof(Class));
  }

 protected:
  // Where a field of this object, or the object itself, stands.
  template <class T>
  static T* Place(T* field) {
    return internal::AnyRedirected()
               ? static_cast<T*>(internal::PlaceOf(const_cast<std::remove_const_t<T>*>(field)))
               : field;
  }
};

namespace internal {

// Nested classes are registered as `ClassOp`, for no operator.
constexpr bool IsRegisteredAsNested(std::string_view op, std::string_view class_name) {
  const size_t scope = class_name.rfind("::");
  class_name.remove_prefix(scope == std::string_view::npos ? 0 : scope + 2);
  return op.size() == class_name.size() + 2 && op.starts_with(class_name) && op.ends_with("Op");
}

}  // namespace internal
}  // namespace optiling

#include "sim/ascendc/registered_tiling.h"

// The types and names that these macros take cannot stand in parentheses.
#ifndef BEGIN_TILING_DATA_DEF
#define BEGIN_TILING_DATA_DEF(class_name)                       \
  class class_name : public ::optiling::TilingDef<class_name> { \
   public:                                                      \
    static constexpr const char* kTilingClassName = #class_name;
#endif

// What host programs call for a field that is there.
#define TILESIM_TILING_DATA_ACCESS(type, name)                  \
 public:                                                        \
  type get_##name() const { return *this->Place(&this->name); } \
  void set_##name(type value) {                                 \
    this->name = value;                                         \
    *this->Place(&this->name) = value;                          \
  }

#ifndef TILING_DATA_FIELD_DEF
#define TILING_DATA_FIELD_DEF(type, name) \
 public:                                  \
  type name = {};                         \
  TILESIM_TILING_DATA_ACCESS(type, name)
#endif

#ifndef TILING_DATA_FIELD_DEF_ARR
#define TILING_DATA_FIELD_DEF_ARR(type, count, name)               \
 public:                                                           \
  type name[count] = {};                                           \
  type* get_##name() { return this->Place(name + 0); }             \
  const type* get_##name() const { return this->Place(name + 0); } \
  void set_##name(const type* values) {                            \
    std::copy_n(values, count, name + 0);                          \
    std::copy_n(name + 0, count, get_##name());                    \
  }
#endif

#ifndef TILING_DATA_FIELD_DEF_STRUCT
#define TILING_DATA_FIELD_DEF_STRUCT(type, name) \
 public:                                         \
  type name;
#endif

#ifndef END_TILING_DATA_DEF
#define END_TILING_DATA_DEF \
  }                         \
  ;
#endif

// The host's class of the library's own tiling: it is the struct AscendC::tiling::class_name that the
// library's functions in kernels take. FIELDS(FIELD) names the struct's fields.
#define TILESIM_LIBRARY_TILING(class_name, FIELDS)                                                    \
  class class_name : public ::AscendC::tiling::class_name, public ::optiling::TilingDef<class_name> { \
   public:                                                                                            \
    static constexpr const char* kTilingClassName = #class_name;                                      \
    FIELDS(TILESIM_TILING_DATA_ACCESS)                                                                \
  };                                                                                                  \
  static_assert(std::is_standard_layout_v<class_name> && std::is_trivially_copyable_v<class_name>)

// A toolkit files the class under its operator here. In a unit that holds kernels, too, it is the struct of
// their GET_TILING_DATA, if it is the only one and no other is told.
#ifndef REGISTER_TILING_DATA_CLASS
#define REGISTER_TILING_DATA_CLASS(op, class_name)                                \
  static_assert(std::is_base_of_v<::optiling::TilingDef<class_name>, class_name>, \
                #op " needs a declared tiling class");                            \
  static_assert(                                                                  \
      sizeof(::AscendC::simulator::RegisterTiling<                                \
             __COUNTER__, class_name, ::optiling::internal::IsRegisteredAsNested(#op, #class_name)>) != 0);
#endif
