#include "tiling/rearrange/rearrange_tasks.h"

namespace tilesim {
namespace {

int64_t TilesAlong(const RearrangeShape& shape, const RearrangeTilingData& data, int digit) {
  return CeilDiv(shape.at(digit).extent, TileStep(data, digit));
}

}  // namespace

RearrangeMatrix MatrixOf(const RearrangeShape& shape, const RearrangeTilingData& data) {
  RearrangeMatrix m;
  m.cols = ChainOf(shape, &RearrangeDigit::src_stride);
  m.cols.count = std::min(m.cols.count, static_cast<size_t>(data.colDigits));
  m.rows = ChainOf(shape, &RearrangeDigit::dst_stride);
  m.rows.count = std::min(m.rows.count, static_cast<size_t>(data.rowDigits));
  m.turns = data.rowDigits != 0;
  for (int i = 0; i < static_cast<int>(shape.num_digits); ++i) {
    const int64_t steps = TileStep(data, i);
    if (m.cols.Holds(i, m.cols.count)) {
      m.num_cols *= steps;
    } else if (m.rows.Holds(i, m.rows.count)) {
      m.num_rows *= steps;
    } else {
      m.is_batch[static_cast<size_t>(i)] = true;
      m.batch *= steps;
    }
  }
  m.padded_cols = AlignUp(m.num_cols, ElementsOfBlock(shape.element_bytes));
  m.padded_rows = m.turns ? AlignUp(m.num_rows, RowUnit(shape.element_bytes)) : m.num_rows;
  return m;
}

int64_t UbBytesOf(const RearrangeShape& shape, const RearrangeTilingData& data) {
  const RearrangeMatrix m = MatrixOf(shape, data);
  const int64_t of_queues = m.InBlocks(data, shape.element_bytes) + m.OutBlocks(data, shape.element_bytes);
  return (of_queues * static_cast<int64_t>(data.bufferNum) + m.BetweenBlocks(shape.element_bytes)) *
         kDataBlockBytes;
}

int64_t TilesOf(const RearrangeShape& shape, const RearrangeTilingData& data) {
  int64_t tiles = 1;
  for (int i = 0; i < static_cast<int>(shape.num_digits); ++i) {
    tiles *= TilesAlong(shape, data, i);
  }
  return tiles;
}

RearrangeTile TileAt(const RearrangeShape& shape, const RearrangeTilingData& data, int64_t index) {
  RearrangeTile tile;
  for (int i = static_cast<int>(shape.num_digits); i-- > 0;) {
    const auto at = static_cast<size_t>(i);
    const int64_t along = TilesAlong(shape, data, i);
    tile.begin[at] = index % along * TileStep(data, i);
    tile.count[at] = std::min(TileStep(data, i), shape.at(i).extent - tile.begin[at]);
    index /= along;
  }
  if (shape.long_digit !=
      kNoDigit) {  // the last member of a block may have less padding than others have channels
    const auto at = static_cast<size_t>(shape.long_digit);
    const int64_t before =
        shape.member == kNoDigit ? 0 : tile.begin[static_cast<size_t>(shape.member)] * shape.long_window;
    tile.count[at] = std::clamp<int64_t>(shape.long_stored - before - tile.begin[at], 0, tile.count[at]);
  }
  return tile;
}

int64_t TileMoves::MemberOf(const RearrangeTile& tile) const {
  return shape_.member == kNoDigit ? 0 : tile.begin[static_cast<size_t>(shape_.member)];
}

bool TileMoves::IsGroup(const RearrangeTile& tile) const {
  const int64_t block = shape_.block == kNoDigit ? 0 : tile.begin[static_cast<size_t>(shape_.block)];
  const int64_t members = shape_.member == kNoDigit ? 1 : shape_.at(shape_.member).extent;
  return block * members + MemberOf(tile) < shape_.groups;
}

bool TileMoves::IsPadded(const RearrangeTile& tile) const {
  if (!PadsOnLoad()) {
    return false;
  }
  if (!IsGroup(tile)) {
    return true;
  }
  if (shape_.long_digit != kNoDigit) {
    const auto at = static_cast<size_t>(shape_.long_digit);
    if (tile.begin[at] + tile.count[at] > shape_.long_window) {
      return true;
    }
  }
  if (shape_.outer_channel == kNoDigit) {
    return false;
  }
  const auto outer = static_cast<size_t>(shape_.outer_channel);
  const int64_t c0 = shape_.at(shape_.inner_channel).extent;
  const int64_t first = MemberOf(tile) * shape_.window;
  return tile.begin[outer] * c0 < first ||
         (tile.begin[outer] + tile.count[outer]) * c0 > first + shape_.window;
}

// Channels [first, first + window) as steps of both digits: at most a broken piece, whole ones, a broken one.
size_t TileMoves::PartsOf(const RearrangeTile& tile, bool load, std::array<Part, 3>& parts) const {
  if (!IsGroup(tile)) {
    return 0;
  }
  const auto outer = static_cast<size_t>(shape_.outer_channel);
  const int64_t c0 = shape_.at(shape_.inner_channel).extent;
  const int64_t first = MemberOf(tile) * shape_.window;
  int64_t at = std::max(tile.begin[outer] * c0, first);
  const int64_t end = std::min((tile.begin[outer] + tile.count[outer]) * c0, first + shape_.window);
  bool outer_in_run = false;
  bool inner_in_run = false;
  const int64_t outer_ub = UbStride(shape_.outer_channel, load, &outer_in_run);
  (void)UbStride(shape_.inner_channel, load, &inner_in_run);
  const auto stride = load ? &RearrangeDigit::src_stride : &RearrangeDigit::dst_stride;
  const bool neighbours = inner_in_run && shape_.at(shape_.outer_channel).*stride == c0 &&
                          (outer_in_run || outer_ub * ElementsOfBlock(shape_.element_bytes) == c0);
  if (neighbours && at % c0 == 0 && at < end) {
    parts[0] = {
        .outer_begin = at / c0, .outer_count = 1, .inner_begin = 0, .inner_count = c0, .joined = end - at};
    return 1;
  }
  size_t count = 0;
  while (at < end && count < parts.size()) {
    const int64_t inner = at % c0;
    const bool whole = inner == 0 && end - at >= c0;
    const int64_t taken = whole ? (end - at) / c0 * c0 : std::min(c0 - inner, end - at);
    parts[count++] = {.outer_begin = at / c0,
                      .outer_count = whole ? taken / c0 : 1,
                      .inner_begin = inner,
                      .inner_count = whole ? c0 : taken,
                      .joined = 0};
    at += taken;
  }
  return count;
}

int64_t TileMoves::UbStride(int digit, bool load, bool* in_run) const {
  const DigitChain& run = load || !matrix_.turns ? matrix_.cols : matrix_.rows;
  const DigitChain& lines = load ? matrix_.rows : matrix_.cols;
  const auto within = [&](const DigitChain& chain) {
    int64_t stride = 1;
    for (size_t i = 0; i < chain.count && chain.digits[i] != digit; ++i) {
      stride *= TileStep(data_, chain.digits[i]);
    }
    return stride;
  };
  *in_run = run.Holds(digit, run.count);
  if (*in_run) {
    return within(run);
  }
  const auto pitch = static_cast<int64_t>(load || !matrix_.turns ? data_.inPitch : data_.outPitch);
  if (matrix_.turns && lines.Holds(digit, lines.count)) {
    return within(lines) * pitch;
  }
  // Of a batch: the digits lie as on the plain side, so that its runs stay whole.
  const auto stride = shape_.src_is_plain ? &RearrangeDigit::src_stride : &RearrangeDigit::dst_stride;
  int64_t matrices = 1;
  for (int i = 0; i < static_cast<int>(shape_.num_digits); ++i) {
    const bool inside = i != digit && matrix_.is_batch[static_cast<size_t>(i)] &&
                        (shape_.at(i).*stride < shape_.at(digit).*stride ||
                         (shape_.at(i).*stride == shape_.at(digit).*stride && i > digit));
    matrices *= inside ? TileStep(data_, i) : 1;
  }
  return matrices * pitch * (load || !matrix_.turns ? matrix_.padded_rows : matrix_.padded_cols);
}

BoxOfRuns TileMoves::BoxOf(const RearrangeTile& tile, bool load, bool clip, const Part* part) const {
  const auto stride = load ? &RearrangeDigit::src_stride : &RearrangeDigit::dst_stride;
  BoxOfRuns box;
  box.run = clip && !IsGroup(tile) ? 0 : 1;
  int64_t in_run_offset = 0;  // elements
  for (int i = 0; i < static_cast<int>(shape_.num_digits); ++i) {
    const auto at = static_cast<size_t>(i);
    int64_t begin = tile.begin[at];
    int64_t count = tile.count[at];
    if (part != nullptr && i == shape_.outer_channel) {
      begin = part->outer_begin;
      count = part->outer_count;
    } else if (part != nullptr && i == shape_.inner_channel) {
      begin = part->inner_begin;
      count = part->joined > 0 ? part->joined : part->inner_count;
    } else if (clip && i == shape_.long_digit) {
      count = std::clamp<int64_t>(shape_.long_window - begin, 0, count);
    }
    bool in_run = false;
    const int64_t ub = UbStride(i, load, &in_run);
    const int64_t steps_in = begin - (i == shape_.inner_channel ? 0 : tile.begin[at]);
    box.gm_offset += begin * shape_.at(i).*stride;
    if (in_run) {
      box.run *= count;
      in_run_offset += steps_in * ub;
    } else {
      box.ub_offset += steps_in * ub;
      box.Add({.count = count, .gm_stride = shape_.at(i).*stride, .ub_stride = ub});
    }
  }
  if (part != nullptr) {  // the plain side counts a member's channels from 0
    box.gm_offset -= MemberOf(tile) * shape_.window * (shape_.at(shape_.inner_channel).*stride);
  }
  const int64_t of_block = ElementsOfBlock(shape_.element_bytes);
  box.ub_offset += in_run_offset / of_block;
  box.lead = in_run_offset % of_block;
  box.Join(of_block);
  return box;
}

}  // namespace tilesim
