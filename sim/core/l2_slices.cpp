#include "sim/core/l2_slices.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "formats/units.h"

namespace tilesim {

L2Slices::L2Slices(const SocConfig& soc, size_t cores)
    : slice_bytes_(static_cast<uint64_t>(soc.l2_slice_bytes)),
      slices_(static_cast<uint64_t>(soc.l2_slices)),
      line_bytes_(static_cast<uint64_t>(soc.l2_line_bytes)),
      lines_per_cycle_(soc.l2_slice_lines_per_cycle),
      lines_ahead_(static_cast<double>(soc.l2_lines_ahead)),
      next_(cores),
      reading_(cores) {}

double L2Slices::LinesOfRun(const Region& shape, uint64_t begin, uint64_t run_bytes) const {
  const bool at_lines = begin % line_bytes_ == 0 &&
                        (shape.count == 1 || shape.stride_bytes % line_bytes_ == 0) &&
                        (shape.outer_count == 1 || shape.outer_stride_bytes % line_bytes_ == 0);
  return at_lines ? static_cast<double>(CeilDiv(run_bytes, line_bytes_))
                  : 1 + static_cast<double>(run_bytes - 1) / static_cast<double>(line_bytes_);
}

L2Slices::Read L2Slices::Of(const Region& shape, uint64_t begin) const {
  if (shape.use != Use::kRead) {
    return {};
  }
  const bool one_run = shape.stride_bytes == shape.block_bytes || shape.count == 1;
  const uint64_t run_bytes = one_run ? shape.count * shape.block_bytes : shape.block_bytes;
  const double group_lines =
      LinesOfRun(shape, begin, run_bytes) * static_cast<double>(one_run ? 1 : shape.count);
  const auto groups = static_cast<double>(shape.outer_count);
  // How far what is asked for ahead reaches: over a part of a group, or over groups.
  const double ahead = lines_ahead_ / group_lines;
  const auto group_span = static_cast<double>((shape.count - 1) * shape.stride_bytes + shape.block_bytes);
  const double reach = ahead <= 1 || shape.outer_count == 1
                           ? group_span * std::min(1.0, ahead)
                           : static_cast<double>(shape.outer_stride_bytes) * std::min(ahead, groups);
  const double width =
      std::clamp(std::round(reach / static_cast<double>(slice_bytes_)), 1.0, static_cast<double>(slices_));
  Read read = {.begin = begin,
               .span_bytes = shape.end() - shape.begin,
               .lines = group_lines * groups,
               .width = static_cast<int>(width)};
  read.first_slices = SlicesAt(read, 0);
  return read;
}

uint64_t L2Slices::SlicesAt(const Read& read, uint64_t bytes) const {
  const auto width = static_cast<uint64_t>(read.width);
  if (width >= slices_) {
    return (uint64_t{1} << slices_) - 1;
  }
  const uint64_t first = (read.begin + bytes) / slice_bytes_ % slices_;
  const uint64_t bits = ((uint64_t{1} << width) - 1) << first;
  return (bits | bits >> slices_) & ((uint64_t{1} << slices_) - 1);
}

uint64_t L2Slices::SlicesOf(size_t core, int64_t time, std::span<const int64_t> starts) const {
  if (starts[core] <= time) {
    return next_[core].first_slices;
  }
  const Reading& reading = reading_[core];
  if (time < reading.start || reading.end <= time) {
    return 0;
  }
  const double part =
      static_cast<double>(time - reading.start) / static_cast<double>(reading.end - reading.start);
  return SlicesAt(reading.read, static_cast<uint64_t>(part * static_cast<double>(reading.read.span_bytes)));
}

int64_t L2Slices::CyclesOf(size_t core, int64_t start, std::span<const int64_t> starts) const {
  const Read& read = next_[core];
  if (read.width == 0) {
    return 0;
  }
  const uint64_t own = read.first_slices;
  double load = 1 / static_cast<double>(read.width);
  for (size_t other = 0; other < starts.size(); ++other) {
    if (other != core) {
      const uint64_t theirs = SlicesOf(other, start, starts);
      if ((theirs & own) != 0) {
        load += static_cast<double>(std::popcount(theirs & own)) /
                static_cast<double>(read.width * std::popcount(theirs));
      }
    }
  }
  return static_cast<int64_t>(read.lines * load / lines_per_cycle_);
}

void L2Slices::Begin(size_t core, int64_t start, int64_t end) {
  if (next_[core].width != 0) {
    reading_[core] = {.read = next_[core], .start = start, .end = end};
  }
}

}  // namespace tilesim
