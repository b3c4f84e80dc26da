#include <algorithm>
#include <span>

#include "formats/counted.h"
#include "formats/error.h"
#include "tiling/rearrange/rearrange_planner.h"

namespace tilesim {
namespace {

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

}  // namespace

size_t LongestRun(const RearrangeShape& shape, const DigitChain& chain, bool plain) {
  for (size_t i = 0; plain && i < chain.count; ++i) {
    if (shape.has_padding() &&
        (chain.digits[i] == shape.inner_channel || chain.digits[i] == shape.long_digit)) {
      return i + 1;
    }
  }
  return chain.count;
}

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

}  // namespace tilesim
