#include "tiling/rearrange/rearrange_planner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "formats/counted.h"
#include "formats/error.h"
#include "sim/isa/cost.h"
#include "tiling/cost_model.h"

namespace tilesim {
namespace {

// How many digits of a side's chain may make one run: a plain side's breaks off behind the digit that has
// padding on the other.
size_t LongestRun(const RearrangeShape& shape, const DigitChain& chain, bool plain) {
  for (size_t i = 0; plain && i < chain.count; ++i) {
    if (shape.has_padding() &&
        (chain.digits[i] == shape.inner_channel || chain.digits[i] == shape.long_digit)) {
      return i + 1;
    }
  }
  return chain.count;
}

constexpr int64_t kMostPitch =
    2047;  // of a unit of 32 rows, a repeat's stride of TransDataTo5HD still holds it

int64_t Whole(uint64_t number) { return static_cast<int64_t>(number); }
std::string NameOf(std::string_view field, int digit) { return Say("data.", field, digit); }

void CheckDigits(const RearrangeTilingData& d, const RearrangeShape& shape, Rejections& reasons) {
  for (int i = 0; i < static_cast<int>(kMostDigits); ++i) {
    const int64_t extent = i < static_cast<int>(shape.num_digits) ? shape.at(i).extent : 1;
    CheckExact("follows from the problem", NameOf("extent", i), Whole(d.extent[static_cast<size_t>(i)]),
               extent, reasons);
    const bool one_by_one = i == shape.block || i == shape.member;
    const bool whole = i == shape.inner_channel;
    const std::string field = NameOf("tile", i);
    const ValueRange range = {one_by_one ? "groups, which come one by one"
                              : whole    ? "channels of a data block, which stay together"
                                         : "steps of a digit in a tile",
                              field, TileStep(d, i), whole ? extent : 1, one_by_one ? 1 : extent};
    CheckRanges(std::span(&range, 1), reasons);
  }
}

// Of a run only the last digit may be in parts.
void CheckRun(const RearrangeTilingData& d, const RearrangeShape& shape, const DigitChain& chain,
              size_t taken, bool plain, std::string_view field, Rejections& reasons) {
  const size_t most = LongestRun(shape, chain, plain);
  if (taken > most) {
    reasons.push_back({"digits that make one run", std::string(field), static_cast<int64_t>(taken),
                       static_cast<int64_t>(most), Say(field, " ", most, " fits")});
    return;
  }
  for (size_t i = 0; i + 1 < taken; ++i) {
    const int digit = chain.digits[i];
    CheckExact(Say("within a run of ", taken, " digits (", field, ") all but the last are whole"),
               NameOf("tile", digit), TileStep(d, digit), shape.at(digit).extent, reasons);
  }
}

void CheckRoles(const RearrangeTiling& tiling, const RearrangeShape& shape, Rejections& reasons) {
  const RearrangeTilingData& d = tiling.data;
  const DigitChain src = ChainOf(shape, &RearrangeDigit::src_stride);
  const DigitChain dst = ChainOf(shape, &RearrangeDigit::dst_stride);
  const bool runs = MovesByRuns(shape);
  if (runs != (tiling.split.strategy == RearrangeStrategy::kRuns) || runs != (d.rowDigits == 0)) {
    const std::string_view fits = Name(runs ? RearrangeStrategy::kRuns : RearrangeStrategy::kTransposes);
    reasons.push_back(
        {Say("with these innermost digits it is ", fits, runs ? ", rowDigits 0" : ", rowDigits at least 1"),
         "split.strategy", 0, 0, Say(fits, " fits"), LimitKind::kInWords});
    return;
  }
  const size_t cols = d.colDigits;
  const size_t rows = d.rowDigits;
  if (cols < 1) {
    reasons.push_back({"digits of a row as loaded", "data.colDigits", 0, 1, "data.colDigits 1 fits"});
    return;
  }
  CheckRun(d, shape, src, cols, shape.src_is_plain, "data.colDigits", reasons);
  if (runs) {
    CheckRun(d, shape, dst, cols, !shape.src_is_plain, "data.colDigits", reasons);
    for (size_t i = 0; reasons.empty() && i < cols; ++i) {
      if (src.digits[i] != dst.digits[i]) {
        reasons.push_back({"digits that both sides have innermost", "data.colDigits", Whole(cols),
                           static_cast<int64_t>(i), Say("data.colDigits ", i, " fits")});
      }
    }
    return;
  }
  CheckRun(d, shape, dst, rows, !shape.src_is_plain, "data.rowDigits", reasons);
  for (size_t i = 0; reasons.empty() && i < rows; ++i) {
    if (src.Holds(dst.digits[i], cols)) {
      reasons.push_back({"digits of the destination's run, none of which is one of the source's",
                         "data.rowDigits", static_cast<int64_t>(rows), static_cast<int64_t>(i),
                         Say("data.rowDigits ", i, " fits")});
    }
  }
}

void CheckPitches(const RearrangeTilingData& d, const RearrangeShape& shape, int64_t ub_bytes,
                  Rejections& reasons) {
  const RearrangeMatrix m = MatrixOf(shape, d);
  const int64_t of_block = ElementsOfBlock(shape.element_bytes);
  const int64_t most = m.turns ? kMostPitch : ub_bytes / kDataBlockBytes;
  const ValueRange in = {"data blocks from row to row as loaded", "data.inPitch", Whole(d.inPitch),
                         m.padded_cols / of_block, most};
  const ValueRange out = {"data blocks from row to row as stored", "data.outPitch", Whole(d.outPitch),
                          m.turns ? CeilDiv(m.padded_rows, of_block) : 0, m.turns ? most : 0};
  CheckRanges(std::span(&in, 1), reasons);
  CheckRanges(std::span(&out, 1), reasons);
}

// Rows that lie four data blocks apart meet in the same bank groups: one block more and they do not.
int64_t PitchOf(int64_t blocks) { return blocks % 4 == 0 ? blocks + 1 : blocks; }

// Sizes from 1 to `whole`: powers of two, and equal parts.
std::vector<int64_t> SizesOf(int64_t whole, int64_t most) {
  std::vector<int64_t> sizes;
  for (int64_t size = 1; size < std::min(whole, most); size *= 2) {
    sizes.push_back(size);
  }
  for (int64_t parts = 1; parts <= 8; ++parts) {
    sizes.push_back(CeilDiv(whole, parts));
  }
  std::erase_if(sizes, [&](int64_t size) { return size > most; });
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

class RearrangePlanner {
 public:
  RearrangePlanner(const RearrangeShape& shape, const SocConfig& soc, int64_t cores)
      : shape_(shape),
        soc_(soc),
        cores_(cores),
        counts_(CoreCountsUpTo(cores)),
        src_(ChainOf(shape, &RearrangeDigit::src_stride)),
        dst_(ChainOf(shape, &RearrangeDigit::dst_stride)) {}

  RearrangePlanned Plan() {
    if (MovesByRuns(shape_)) {
      for (size_t cols = 1; cols <= Common(); ++cols) {
        LookAtRoles(cols, 0);
      }
    } else {
      const size_t most_cols = std::min<size_t>(LongestRun(shape_, src_, shape_.src_is_plain), 3);
      const size_t most_rows = std::min<size_t>(LongestRun(shape_, dst_, !shape_.src_is_plain), 3);
      for (size_t cols = 1; cols <= most_cols; ++cols) {
        for (size_t rows = 1; rows <= most_rows && !src_.Holds(dst_.digits[rows - 1], cols); ++rows) {
          LookAtRoles(cols, rows);
        }
      }
    }
    best_.tiling.split.strategy =
        best_.tiling.data.rowDigits == 0 ? RearrangeStrategy::kRuns : RearrangeStrategy::kTransposes;
    best_.reasons = WhyNot(best_.tiling, shape_, soc_.ub_bytes, cores_);  // legality last
    best_.legal = best_.reasons.empty();
    return best_;
  }

 private:
  // Innermost digits that both sides have, as far as they may be one run.
  [[nodiscard]] size_t Common() const {
    const size_t most = std::min(LongestRun(shape_, src_, shape_.src_is_plain),
                                 LongestRun(shape_, dst_, !shape_.src_is_plain));
    size_t same = 0;
    while (same < most && src_.digits[same] == dst_.digits[same]) {
      ++same;
    }
    return same;
  }

  // All sizes of the last digit of each run, the others whole.
  void LookAtRoles(size_t cols, size_t rows) {
    RearrangeTilingData data;
    for (size_t i = 0; i < kMostDigits; ++i) {
      const int64_t extent = i < shape_.num_digits ? shape_.digits[i].extent : 1;
      data.extent[i] = static_cast<uint64_t>(extent);
      data.tile[i] = static_cast<uint64_t>(static_cast<int>(i) == shape_.inner_channel ? extent : 1);
    }
    data.colDigits = cols;
    data.rowDigits = rows;
    data.bufferNum = 2;
    for (size_t i = 0; i + 1 < cols; ++i) {
      SetWhole(data, src_.digits[i]);
    }
    for (size_t i = 0; i + 1 < rows; ++i) {
      SetWhole(data, dst_.digits[i]);
    }
    const int last_col = src_.digits[cols - 1];
    for (const int64_t col : SizesOfDigit(last_col)) {
      data.tile[static_cast<size_t>(last_col)] = static_cast<uint64_t>(col);
      if (rows == 0) {
        Grow(data);
        continue;
      }
      const int last_row = dst_.digits[rows - 1];
      for (const int64_t row : SizesOfDigit(last_row)) {
        data.tile[static_cast<size_t>(last_row)] = static_cast<uint64_t>(row);
        Grow(data);
      }
    }
  }
  void SetWhole(RearrangeTilingData& data, int digit) const {
    data.tile[static_cast<size_t>(digit)] = static_cast<uint64_t>(shape_.at(digit).extent);
  }
  [[nodiscard]] std::vector<int64_t> SizesOfDigit(int digit) const {
    const int64_t extent = shape_.at(digit).extent;
    if (digit == shape_.inner_channel) {
      return {extent};
    }
    if (digit == shape_.block || digit == shape_.member) {
      return {1};
    }
    return SizesOf(extent, soc_.ub_bytes / shape_.element_bytes);
  }

  // Takes more matrices or runs into a tile as long as it fits and gains time: digits next to each other in
  // the source first, or in the destination.
  void Grow(RearrangeTilingData base) {
    if (!Estimate(base)) {
      return;
    }
    for (const auto stride : {&RearrangeDigit::src_stride, &RearrangeDigit::dst_stride}) {
      RearrangeTilingData data = base;
      std::vector<int> batch;
      const RearrangeMatrix m = MatrixOf(shape_, data);
      for (int i = 0; i < static_cast<int>(shape_.num_digits); ++i) {
        if (m.is_batch[static_cast<size_t>(i)]) {
          batch.push_back(i);
        }
      }
      std::ranges::stable_sort(batch, {}, [&](int digit) { return shape_.at(digit).*stride; });
      double least = *Estimate(data);
      for (const int digit : batch) {
        uint64_t& steps = data.tile[static_cast<size_t>(digit)];
        uint64_t kept = steps;
        for (const int64_t size : SizesOfDigit(digit)) {
          steps = static_cast<uint64_t>(size);
          const std::optional<double> us = Estimate(data);
          if (!us) {
            break;
          }
          if (*us < least) {
            least = *us;
            kept = steps;
          }
        }
        steps = kept;
      }
    }
  }

  // Microseconds on the number of cores that is best for it, launch included; nothing where the tile does not
  // fit. Remembers the best.
  std::optional<double> Estimate(RearrangeTilingData& data) {
    const int64_t of_block = ElementsOfBlock(shape_.element_bytes);
    const RearrangeMatrix m = MatrixOf(shape_, data);
    data.inPitch =
        static_cast<uint64_t>(m.turns ? PitchOf(m.padded_cols / of_block) : m.padded_cols / of_block);
    data.outPitch = static_cast<uint64_t>(m.turns ? PitchOf(CeilDiv(m.padded_rows, of_block)) : 0);
    if (UbBytesOf(shape_, data) > soc_.ub_bytes) {
      return std::nullopt;
    }
    const int64_t tiles = TilesOf(shape_, data);
    const Boxes boxes = BoxesOf(data);
    double least = INFINITY;
    for (const int64_t count : counts_) {
      const int64_t used = std::min(count, tiles);
      const double cycles = CyclesOf(data, m, boxes, tiles, used);
      const double us = TimeWithLaunchUs(cycles, used, soc_);
      least = std::min(least, us);
      if (us < best_us_) {
        best_us_ = us;
        best_.cycles = cycles;
        best_.tiling.data = data;
        best_.tiling.split.used_cores = used;
      }
      if (used == tiles) {
        break;  // more cores have nothing to do
      }
    }
    ++best_.tried;
    return least;
  }

  // What a tile asks of one pipe: how long it is busy, and when all is there.
  struct Stage {
    double busy = 0;
    double complete = 0;
    double instructions = 0;
  };
  // The moves of one tile.
  struct Boxes {
    std::vector<BoxOfRuns> loads;
    std::vector<BoxOfRuns> stores;
  };
  [[nodiscard]] Boxes BoxesOf(const RearrangeTilingData& data) const {
    const TileMoves moves(shape_, data);
    const RearrangeTile tile = TileAt(shape_, data, 0);
    Boxes boxes;
    moves.ForEachLoad(tile, [&](const BoxOfRuns& box) { boxes.loads.push_back(box); });
    moves.ForEachStore(tile, [&](const BoxOfRuns& box) { boxes.stores.push_back(box); });
    return boxes;
  }

  // Stages overlap, but a buffer is free for the next tile but one only when its tile is through.
  [[nodiscard]] double CyclesOf(const RearrangeTilingData& data, const RearrangeMatrix& m, const Boxes& boxes,
                                int64_t tiles, int64_t cores) const {
    Stage load;
    for (const BoxOfRuns& box : boxes.loads) {
      Take(load, box, isa::GmReadCost(soc_, Memory::kUb, MoveOf(box, cores, true)));
    }
    Stage store;
    for (const BoxOfRuns& box : boxes.stores) {
      Take(store, box, isa::GmWriteCost(soc_, MoveOf(box, cores, soc_.l2_write_allocate == 0)));
    }
    const Stage turn = m.turns ? TurnOf(data, m) : Stage();
    const double issue = static_cast<double>(soc_.scalar_issue_cycles) *
                         (load.instructions + turn.instructions + store.instructions);
    const double chain = m.turns ? std::max(load.complete + turn.complete, turn.complete + store.complete)
                                 : load.complete + store.complete;
    const double of_tile =
        std::max({load.busy, store.busy, turn.busy, issue, chain / static_cast<double>(data.bufferNum)});
    const auto of_core = static_cast<double>(CeilDiv(tiles, cores));
    return std::max((of_core - 1) * of_tile + load.complete + turn.complete, of_core * issue) +
           store.complete;
  }
  // The longest loop is the instruction's own; its pieces that follow each other in GM are one burst.
  static MoveLoop OwnLoop(const BoxOfRuns& box) {
    MoveLoop own;
    for (size_t i = 0; i < box.num_loops; ++i) {
      own = box.loops[i].count > own.count ? box.loops[i] : own;
    }
    return own;
  }
  [[nodiscard]] GmMove MoveOf(const BoxOfRuns& box, int64_t cores, bool from_hbm) const {
    const MoveLoop own = OwnLoop(box);
    const int64_t bytes = box.pieces() * box.run * shape_.element_bytes;
    return {.bytes = {.hit = from_hbm ? 0 : bytes, .miss = from_hbm ? bytes : 0},
            .bursts = own.gm_stride == box.run ? box.pieces() / own.count : box.pieces(),
            .cores = cores};
  }
  static void Take(Stage& stage, const BoxOfRuns& box, const Cost& cost) {
    const auto instructions = static_cast<double>(box.pieces() / OwnLoop(box).count);
    stage.busy += static_cast<double>(cost.busy_cycles);
    stage.complete = stage.busy + static_cast<double>(cost.latency_cycles);
    stage.instructions += instructions;
  }
  [[nodiscard]] Stage TurnOf(const RearrangeTilingData& data, const RearrangeMatrix& m) const {
    const int64_t col_blocks = m.padded_cols / ElementsOfBlock(shape_.element_bytes);
    const int64_t row_units = m.padded_rows / RowUnit(shape_.element_bytes);
    const double each = static_cast<double>(RepeatsAtOnce(shape_.element_bytes)) /
                        static_cast<double>(UnitsAtOnce(shape_.element_bytes));
    // rows `pitch` data blocks apart: 16 of them lie in 16 / gcd groups of banks, which serve one a cycle
    const auto conflict = [](uint64_t pitch) {
      return std::gcd<int64_t, int64_t>(static_cast<int64_t>(pitch), 16);
    };
    constexpr int64_t kCyclesPerRepeat = 2;  // of TransDataTo5HD where no rows meet (vector_transpose.cpp)
    const int64_t cycles =
        std::max<int64_t>({kCyclesPerRepeat, conflict(data.inPitch), conflict(data.outPitch)});
    const auto units = static_cast<double>(m.batch * row_units * col_blocks) * each;
    const auto longer =
        static_cast<double>(shape_.element_bytes == 8 ? col_blocks : std::max(row_units, col_blocks));
    Stage turn;
    turn.busy = units * static_cast<double>(cycles);
    turn.complete = turn.busy + static_cast<double>(soc_.vector_latency_cycles);
    turn.instructions = units / longer;
    return turn;
  }

  const RearrangeShape& shape_;
  const SocConfig& soc_;
  int64_t cores_;
  std::vector<int64_t> counts_;  // of cores
  DigitChain src_;
  DigitChain dst_;
  RearrangePlanned best_;
  double best_us_ = INFINITY;
};

constexpr auto kRearrangeFields = FieldsOf<RearrangeTilingData, uint64_t>(
    "data",
    "extent0 extent1 extent2 extent3 extent4 extent5 extent6 extent7 tile0 tile1 tile2 tile3 tile4 "
    "tile5 tile6 tile7 colDigits rowDigits inPitch outPitch bufferNum");
static_assert(kMostDigits == 8);

constexpr std::string_view kRearrangeStrategies[] = {Name(RearrangeStrategy::kRuns),
                                                     Name(RearrangeStrategy::kTransposes)};

constexpr std::array kRearrangeSplitFields = {
    SplitWord("strategy", TILESIM_MEMBER(RearrangeSplit, strategy), kRearrangeStrategies),
    SplitNumber("usedCoreNum", TILESIM_MEMBER(RearrangeSplit, used_cores)),
};

}  // namespace

bool MovesByRuns(const RearrangeShape& shape) {
  const DigitChain src = ChainOf(shape, &RearrangeDigit::src_stride);
  const DigitChain dst = ChainOf(shape, &RearrangeDigit::dst_stride);
  return src.count > 0 && dst.count > 0 && src.digits[0] == dst.digits[0];
}

Rejections WhyNot(const RearrangeTiling& tiling, const RearrangeShape& shape, int64_t ub_bytes,
                  int64_t cores) {
  Rejections reasons;
  CheckDigits(tiling.data, shape, reasons);
  const ValueRange rest[] = {{"buffers of a queue", "data.bufferNum", Whole(tiling.data.bufferNum), 1, 2},
                             {"cores", "split.usedCoreNum", tiling.split.used_cores, 1, cores}};
  CheckRanges(rest, reasons);
  if (reasons.empty()) {
    CheckRoles(tiling, shape, reasons);
  }
  if (reasons.empty()) {
    CheckPitches(tiling.data, shape, ub_bytes, reasons);
  }
  if (reasons.empty() && UbBytesOf(shape, tiling.data) > ub_bytes) {
    reasons.push_back({"bytes of UB", "UB", UbBytesOf(shape, tiling.data), ub_bytes, "smaller tiles fit"});
  }
  return reasons;
}

std::vector<std::string> Explained(const RearrangeTiling& tiling, const RearrangeShape& shape,
                                   int64_t ub_bytes) {
  const RearrangeMatrix m = MatrixOf(shape, tiling.data);
  const int64_t tiles = TilesOf(shape, tiling.data);
  const int64_t cores = tiling.split.used_cores;
  std::string what = m.turns ? Say(Counted(m.batch, "matrix", "matrices"), " of ", m.num_rows, " x ",
                                   m.num_cols, " elements, turned in UB")
                             : Say(Counted(m.batch, "run"), " of ", m.num_cols, " elements");
  return {Say(Counted(tiles, "tile"), " of ", what, ", on ", Counted(cores, "core"), ", at most ",
              CeilDiv(tiles, cores), " a core"),
          Say("UB: ", UbBytesOf(shape, tiling.data), " of ", ub_bytes, " B, ",
              Counted(tiling.data.bufferNum, "buffer"), " each way")};
}

RearrangePlanned PlanRearrange(const RearrangeShape& shape, const SocConfig& soc, int64_t cores) {
  return RearrangePlanner(shape, soc, cores).Plan();
}

template <>
std::span<const TilingField> FieldsIn<RearrangeTilingData>() {
  return kRearrangeFields;
}

template <>
std::span<const TilingField> FieldsIn<RearrangeSplit>() {
  return kRearrangeSplitFields;
}

}  // namespace tilesim
