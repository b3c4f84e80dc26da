#pragma once
#include <cstdint>
#include <string_view>

#include "tiling/max_pool/max_pool_tiling.h"
#include "tiling/rejection.h"

namespace tilesim {

// Bytes of UB that a tile program of `ub_bytes` may use: Select overwrites the end.
int64_t UsableUbBytes(int64_t ub_bytes);

// What stops the tile from running in `ub_bytes` of UB, whatever the cores: the budget.
void CheckCapacity(const PoolShape& shape, const PoolTile& tile, int64_t ub_bytes, Rejections& reasons);

// What makes a load of `tile` more than one move brings: its rows, or a row; in words of these fields.
struct PoolLoadFields {
  std::string_view w;       // outputs of a row
  std::string_view taps_w;  // taps of a window's row
  std::string_view rows;    // rows of a load
};
Rejection LoadRefusal(const PoolShape& shape, const PoolTile& tile, const PoolLoadFields& fields);

// Every rule that the tiling breaks for this shape, on `cores` vector cores with `ub_bytes` of UB each. Empty
// when it is legal; and it is, where anything fits UB, once all mends are followed. To add a rule: a row of
// its table or a function beside the others, a refused and an accepted case in its test.
Rejections WhyNot(const MaxPoolTiling& tiling, const PoolShape& shape, int64_t ub_bytes, int64_t cores);

}  // namespace tilesim
