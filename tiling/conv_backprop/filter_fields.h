#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/ascendc/kernel_tiling/conv3d_bp_filter_data.h"

namespace tilesim {

// One number of the filter gradient's tiling data: the struct it stands in, its name, and where its bytes
// are. Text, binary, printing and comparison all go through this table; it knows nothing of what the numbers
// mean.
struct FilterField {
  std::string_view section;  // "params", "dwTiling" or "basicBlockTiling"
  std::string_view name;
  size_t offset_bytes;  // from the start of Conv3DBackpropFilterTilingData
  size_t width_bytes;   // 4 or 8

  [[nodiscard]] uint64_t largest() const { return width_bytes == 8 ? UINT64_MAX : UINT32_MAX; }
  [[nodiscard]] std::string path() const { return std::string(section) + "." + std::string(name); }
};

std::span<const FilterField> FilterFields();  // in byte order

uint64_t Get(const Conv3DBackpropFilterTilingData& data, const FilterField& field);
void Set(Conv3DBackpropFilterTilingData& data, const FilterField& field, uint64_t value);

// The fields in which two tilings differ, in byte order; empty when they are equal.
std::vector<FilterField> Differences(const Conv3DBackpropFilterTilingData& left,
                                     const Conv3DBackpropFilterTilingData& right);

}  // namespace tilesim
