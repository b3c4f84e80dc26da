#include "tiling/max_pool/max_pool_legality.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "formats/error.h"
#include "tiling/max_pool/max_pool_buffers.h"
#include "tiling/max_pool/max_pool_near.h"
#include "tiling/max_pool/pool_text.h"

namespace tilesim {
namespace {

constexpr std::string_view kUbRule = "bytes of UB";
constexpr std::string_view kRepeats = "repeats the problem";

// All that blocks are cut from: with channels last groups never cross from one n to the next.
int64_t LanesOf(const PoolShape& shape) {
  return shape.channels_last ? shape.channels : shape.batch * shape.channels;
}

void CheckSizes(const MaxPoolTiling& tiling, const PoolShape& shape, int64_t cores, Rejections& reasons) {
  const PoolTile tile = TileOf(tiling);
  const auto used = Signed(tiling.data.coreNums);
  const int64_t lanes = std::max<int64_t>(LanesOf(shape), 1);
  const std::array<ValueRange, 8> ranges = {{
      {lanes < kPoolLanes ? "lanes of a block, of those there are" : "lanes of the vector unit",
       "data.ncFactor", tile.lanes, 1, std::min(lanes, kPoolLanes)},
      {"outputs along D of a block", "data.dyFactor", tile.d, 1, shape.d.out},
      {"outputs along H of a block", "data.hyFactor", tile.h, 1, shape.h.out},
      {"outputs along W of a block", "data.wyFactor", tile.w, 1, shape.w.out},
      {"rows of x in one load", "data.partH", tile.rows, 1, kMostPoolRows},
      {"taps of a window's row in one load", "data.partW", tile.taps_w, 1, shape.w.window},
      {"rows of y in one store", "split.storeRows", tile.store_rows, 1,
       std::clamp<int64_t>(tile.h, 1, std::max<int64_t>(shape.h.out, 1))},
      {"cores", "data.coreNums", used, 1, cores},
  }};
  CheckRanges(ranges, reasons);
}

// What a field follows from.
struct PoolDerived {
  std::string_view field;
  std::string_view from;
};
constexpr PoolDerived kPoolDerived[] = {
    {"data.ncTail", "data.ncFactor"},
    {"data.ncOuter", "data.ncFactor"},
    {"data.dyTail", "data.dyFactor"},
    {"data.dyOuter", "data.dyFactor"},
    {"data.hyTail", "data.hyFactor"},
    {"data.hyOuter", "data.hyFactor"},
    {"data.wyTail", "data.wyFactor"},
    {"data.wyOuter", "data.wyFactor"},
    {"data.blockFactor", "data.totalIdx and data.coreNums"},
    {"data.blockTail", "data.totalIdx and data.coreNums"},
    {"data.totalIdx", "data.ncOuter, dyOuter, hyOuter and wyOuter"},
    {"data.coreNums", "data.totalIdx: no core is without a block"},
    {"data.inputBufferSize", "data.partH, partW and wyFactor, and the case's dtype"},
    {"data.outputMaxBufferSize", "data.dyFactor, hyFactor and wyFactor, and the case's dtype"},
    {"data.outputIndiceBufferSize", "data.dyFactor, hyFactor and wyFactor, and the case's dtype"},
    {"data.indiceTempBufferSize", "data.hyFactor, wyFactor and partH, and the case's dtype"},
    {"data.maskBufferSize", "data.hyFactor, wyFactor and partH, and the case's dtype"},
    {"split.usedCoreNum", "data.coreNums"},
};

// A field that has not the value it must have beside the others.
Rejection NotTheSamePool(const std::string& field, int64_t found, int64_t limit) {
  const auto* const derived = std::ranges::find(kPoolDerived, field, &PoolDerived::field);
  const std::string rule =
      derived == std::end(kPoolDerived) ? std::string(kRepeats) : Say("follows from ", derived->from);
  return {rule, field, found, limit, Say(field, " ", limit, " fits"), LimitKind::kExact};
}

// Fields and words that are not as expected.
void RequireSame(const MaxPoolTiling& tiling, const MaxPoolTiling& expected, Rejections& reasons) {
  for (const TilingField& field : Differences(tiling.data, expected.data)) {
    reasons.push_back(NotTheSamePool(field.path(), Signed(ReadField(&tiling.data, field)),
                                     Signed(ReadField(&expected.data, field))));
  }
  const MaxPoolSplit& s = tiling.split;
  const MaxPoolSplit& e = expected.split;
  const std::vector<TilingField> of_split = DifferentFields(MaxPoolSplitFields(), &s, &e);
  for (const TilingField& field : of_split) {
    if (field.words.empty()) {
      reasons.push_back(
          NotTheSamePool(field.path(), Signed(ReadField(&s, field)), Signed(ReadField(&e, field))));
    }
  }
  for (const TilingField& field : of_split) {
    if (!field.words.empty()) {
      reasons.push_back(WrongWord(field.path(),
                                  field.name == "strategy" ? "follows from data.partW" : kRepeats,
                                  WordOf(&s, field), WordOf(&e, field)));
    }
  }
}

// What one instruction takes.
void CheckMoves(const PoolShape& shape, const PoolTile& tile, Rejections& reasons) {
  ForEachMove(shape, tile, [&](PoolMove move, int64_t points, int64_t most) {
    if (points <= most) {
      return;
    }
    switch (move) {
      case PoolMove::kCopyOfPlane:
        reasons.push_back({"points of a plane of results, which one copy within UB takes", "data.hyFactor",
                           points, most, "a smaller data.hyFactor or wyFactor fits"});
        return;
      case PoolMove::kLoad:
        reasons.push_back(
            LoadRefusal(shape, tile, {.w = "data.wyFactor", .taps_w = "data.partW", .rows = "data.partH"}));
        return;
      case PoolMove::kStore:
        reasons.push_back(tile.w > most
                              ? Rejection{"points of a row of y, the blocks of one move to GM",
                                          "data.wyFactor", tile.w, most, Say("data.wyFactor ", most, " fits")}
                              : Rejection{"points of whole rows of y, the blocks of one move to GM",
                                          "split.storeRows", points, most,
                                          Say("split.storeRows ", most / tile.w, " fits")});
    }
  });
}

// Smaller sizes with which a tile that takes too much of UB fits; else how large UB would have to be.
std::string MendOfUb(const PoolShape& shape, const PoolTile& tile, int64_t usable_bytes) {
  std::string text;
  for (const PoolTile& smaller : SmallerTiles(shape, tile, usable_bytes)) {
    text += Say(text.empty() ? "" : " or ", ChangesText(tile, smaller));
  }
  return text.empty() ? Say("nothing smaller fits: memory.ub_bytes ",
                            MaxPoolBuffersOf(shape, tile).total() + kSelectScratchBytes, " fits")
                      : text + " fits";
}

// What sizes do to UB and to moves, with the nearest sizes that fit as the mend.
Rejections WhyNotSizes(const NearPoolTiling& nearest, const PoolShape& shape, int64_t ub_bytes) {
  Rejections reasons;
  PoolTile whole = nearest.in_range;
  if (whole.taps_w < shape.w.window && whole.w > 1) {
    if (nearest.tile.taps_w == shape.w.window) {
      whole.taps_w = shape.w.window;
    } else {
      whole.w = 1;
    }
    reasons.push_back({"1 where a window's row comes in parts (partW below kw)", "data.wyFactor",
                       nearest.in_range.w, 1, Say(ChangesText(nearest.in_range, whole), " fits"),
                       LimitKind::kExact});
  }
  Rejections of_memory;
  CheckMoves(shape, whole, of_memory);
  CheckCapacity(shape, whole, ub_bytes, of_memory);
  for (Rejection& rejection : of_memory) {
    if (nearest.fits) {
      rejection.mend = Say(ChangesText(whole, nearest.tile), " fits");
    }
    reasons.push_back(std::move(rejection));
  }
  return reasons;
}

}  // namespace

Rejection LoadRefusal(const PoolShape& shape, const PoolTile& tile, const PoolLoadFields& fields) {
  const int64_t columns = LoadedColumns(shape, tile);
  if (columns > kMostMovePoints) {
    return {"points of a row of x, the blocks of one move from GM", std::string(fields.w), columns,
            kMostMovePoints, Say("a smaller ", fields.w, ", and at 1 a smaller ", fields.taps_w, ", fits")};
  }
  return {"points of whole rows of x, the blocks of one move from GM", std::string(fields.rows),
          LoadedPointsOfMove(shape, tile), kMostMovePoints,
          Say(fields.rows, " ", kMostMovePoints / columns, " fits")};
}

int64_t UsableUbBytes(int64_t ub_bytes) { return ub_bytes - kSelectScratchBytes; }

void CheckCapacity(const PoolShape& shape, const PoolTile& tile, int64_t ub_bytes, Rejections& reasons) {
  const MaxPoolBuffers buffers = MaxPoolBuffersOf(shape, tile);
  if (buffers.planes > kMostPoolPlanes) {
    reasons.push_back({"planes of results under way, which the tile program keeps account of",
                       "data.dyFactor", buffers.planes, kMostPoolPlanes,
                       Say("data.dyFactor ", kMostPoolPlanes - 1, " fits")});
  }
  const int64_t usable = UsableUbBytes(ub_bytes);
  if (usable < 0) {
    const int64_t needed = buffers.total() + kSelectScratchBytes;
    reasons.push_back({Say("bytes of UB, of which Select overwrites ", kSelectScratchBytes,
                           " and this block takes ", buffers.total()),
                       "UB", ub_bytes, needed, Say("memory.ub_bytes ", needed, " fits")});
  } else if (buffers.total() > usable) {
    reasons.push_back({Say(kUbRule, ": loads ", buffers.loader_bytes, ", stores ", buffers.storer_bytes,
                           ", results ", buffers.values_bytes + buffers.indices_bytes + buffers.rows_bytes,
                           ", indices and masks ", buffers.index_bytes + 2 * buffers.mask_bytes, "; ",
                           kSelectScratchBytes, " of ", ub_bytes, " are Select's"),
                       "UB", buffers.total(), usable, MendOfUb(shape, tile, usable)});
  }
}

Rejections WhyNot(const MaxPoolTiling& tiling, const PoolShape& shape, int64_t ub_bytes, int64_t cores) {
  Rejections reasons;
  MaxPoolTiling expected = tiling;
  SetShapeFields(shape, expected);
  RequireSame(tiling, expected, reasons);
  if (!reasons.empty()) {  // of another problem all else differs, too
    MendAsOneOfAnotherProblem(WhyNot(expected, shape, ub_bytes, cores), reasons);
    return reasons;
  }
  CheckSizes(tiling, shape, cores, reasons);
  const NearPoolTiling nearest = NearestTo(tiling, shape, UsableUbBytes(ub_bytes), cores);
  const auto told = [&](std::string_view field) {
    return SizeOfField(field) != nullptr ||
           std::ranges::find(reasons, field, &Rejection::field) != reasons.end();
  };
  for (Rejection& range : reasons) {
    int64_t PoolTile::*const size = SizeOfField(range.field);
    range.mend = Say(range.field, " ", size == nullptr ? nearest.tiling.split.used_cores : nearest.tile.*size,
                     " fits");
  }
  Rejections derived;
  RequireSame(tiling, nearest.tiling, derived);
  std::erase_if(derived, [&](const Rejection& rejection) { return told(rejection.field); });
  for (Rejections more : {WhyNotSizes(nearest, shape, ub_bytes), std::move(derived)}) {
    std::ranges::move(more, std::back_inserter(reasons));
  }
  return reasons;
}

}  // namespace tilesim
