#include "tiling/register/tilingdata_base.h"

#include "formats/error.h"
#include "formats/units.h"

namespace optiling {

size_t TilingDef::GetDataSize() const { return tilesim::AlignUp(bytes_.size(), alignment_); }

size_t TilingDef::AddField(size_t size, size_t alignment) {
  const size_t offset = tilesim::AlignUp(bytes_.size(), alignment);
  bytes_.resize(offset + size);
  alignment_ = std::max(alignment_, alignment);
  return offset;
}

size_t TilingDef::AddStruct(const TilingDef& member) {
  const size_t offset = AddField(member.GetDataSize(), member.alignment_);
  nested_.push_back({offset, reinterpret_cast<const char*>(&member) - reinterpret_cast<const char*>(this)});
  return offset;
}

const TilingDef& TilingDef::MemberAt(ptrdiff_t distance) const {
  return *reinterpret_cast<const TilingDef*>(reinterpret_cast<const char*>(this) + distance);
}

void TilingDef::SaveToBuffer(void* buffer, size_t capacity) const {
  tilesim::RequireUser(capacity >= GetDataSize(), "SaveToBuffer of ", name_, ": capacity ", capacity,
                       " bytes, must be at least ", GetDataSize(), "; hand in a larger buffer");
  auto* to = static_cast<uint8_t*>(buffer);
  std::fill_n(to, GetDataSize(), uint8_t{0});
  std::ranges::copy(bytes_, to);
  for (const Nested& nested : nested_) {
    const TilingDef& member = MemberAt(nested.distance);
    member.SaveToBuffer(to + nested.offset, member.GetDataSize());
  }
}

void TilingDef::LoadFromBuffer(const void* buffer, size_t size) {
  tilesim::RequireUser(size == GetDataSize(), "LoadFromBuffer of ", name_, ": ", size, " bytes, must be ",
                       GetDataSize(), "; hand in the bytes that SaveToBuffer wrote");
  const auto* from = static_cast<const uint8_t*>(buffer);
  std::copy_n(from, bytes_.size(), bytes_.begin());
  for (const Nested& nested : nested_) {
    auto& member = const_cast<TilingDef&>(MemberAt(nested.distance));
    member.LoadFromBuffer(from + nested.offset, member.GetDataSize());
  }
}

}  // namespace optiling
