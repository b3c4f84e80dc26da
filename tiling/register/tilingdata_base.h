#pragma once
// Tiling data by declaration, as host programs for the device write them:
//
//   BEGIN_TILING_DATA_DEF(AddTilingData)
//   TILING_DATA_FIELD_DEF(uint32_t, length);
//   TILING_DATA_FIELD_DEF_ARR(uint32_t, 4, tails);
//   TILING_DATA_FIELD_DEF_STRUCT(OtherTilingData, other);
//   END_TILING_DATA_DEF;
//
// gives a class with set_length / get_length, other.set_..., GetDataSize and SaveToBuffer. The bytes are
// those of a C struct with the same fields. The macros are the documented interface; there is no other way to
// offer it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace optiling {

// The bytes behind a declared class. Knows where fields stand, not what they mean.
class TilingDef {
 public:
  virtual ~TilingDef() = default;

  [[nodiscard]] const char* GetTilingClassName() const { return name_; }
  [[nodiscard]] size_t GetDataSize() const;
  // Writes GetDataSize() bytes; throws tilesim::UserError when `capacity` is smaller.
  void SaveToBuffer(void* buffer, size_t capacity) const;
  // The opposite of SaveToBuffer, from exactly GetDataSize() bytes.
  void LoadFromBuffer(const void* buffer, size_t size);

 protected:
  explicit TilingDef(const char* name) : name_(name) {}
  TilingDef(const TilingDef&) = default;
  TilingDef& operator=(const TilingDef&) = default;

  size_t AddField(size_t size, size_t alignment);
  size_t AddStruct(const TilingDef& member);

  template <class T>
  [[nodiscard]] [[nodiscard]] T Load(size_t offset) const {
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  template <class T>
  void Store(size_t offset, const T& value) {
    std::memcpy(bytes_.data() + offset, &value, sizeof value);
  }
  uint8_t* At(size_t offset) { return bytes_.data() + offset; }

 private:
  // A member that is itself a declared class: where its bytes go, and how far it stands from this object (a
  // distance, so that it stays true for copies).
  struct Nested {
    size_t offset;
    ptrdiff_t distance;
  };
  [[nodiscard]] const TilingDef& MemberAt(ptrdiff_t distance) const;

  const char* name_;
  std::vector<uint8_t> bytes_;
  size_t alignment_ = 1;
  std::vector<Nested> nested_;
};

}  // namespace optiling

// The types and names that these macros take cannot stand in parentheses.
#define BEGIN_TILING_DATA_DEF(class_name)           \
  class class_name : public ::optiling::TilingDef { \
   public:                                          \
    class_name() : ::optiling::TilingDef(#class_name) {}

#define TILING_DATA_FIELD_DEF(type, name)                         \
 public:                                                          \
  type get_##name() const { return Load<type>(name##_at_); }      \
  void set_##name(type value) { Store<type>(name##_at_, value); } \
                                                                  \
 private:                                                         \
  size_t name##_at_ = AddField(sizeof(type), alignof(type));      \
                                                                  \
 public:                                                          \
  static_assert(true)

#define TILING_DATA_FIELD_DEF_ARR(type, count, name)                                \
 public:                                                                            \
  type* get_##name() { return reinterpret_cast<type*>(At(name##_at_)); }            \
  void set_##name(const type* values) { std::copy_n(values, count, get_##name()); } \
                                                                                    \
 private:                                                                           \
  size_t name##_at_ = AddField(sizeof(type) * (count), alignof(type));              \
                                                                                    \
 public:                                                                            \
  static_assert(true)

#define TILING_DATA_FIELD_DEF_STRUCT(type, name) \
 public:                                         \
  type name;                                     \
                                                 \
 private:                                        \
  size_t name##_at_ = AddStruct(name);           \
                                                 \
 public:                                         \
  static_assert(true)

#define END_TILING_DATA_DEF }

// A toolkit files the class under its operator here; nothing looks it up in this project.
#define REGISTER_TILING_DATA_CLASS(op, class_name) \
  static_assert(std::is_base_of_v<::optiling::TilingDef, class_name>, #op " needs a declared tiling class")
