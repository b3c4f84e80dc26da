#include "tiling/tune/filter_rereads.h"

#include <algorithm>
#include <numeric>

#include "formats/units.h"
#include "sim/core/l2_cache.h"
#include "tiling/conv_backprop/rough_time.h"
#include "tiling/cube_sizes.h"
#include "tiling/tune/filter_rows.h"

namespace tilesim {
namespace {

// What `make` gives, asked once for each step.
template <class Make>
double Known(std::vector<double>& by_step, int64_t step, Make&& make) {
  by_step.resize(std::max(by_step.size(), static_cast<size_t>(step) + 1), -1);
  double& known = by_step[static_cast<size_t>(step)];
  known = known >= 0 ? known : make();
  return known;
}

}  // namespace

FilterRereads::FilterRereads(const FilterProblem& problem, const SocConfig& soc, int64_t base_k,
                             const FilterRereadParts& parts)
    : p_(problem), base_k_(base_k), parts_(parts), granule_bytes_(L2Cache(soc).granule_bytes()) {}

double FilterRereads::FirstReads(const std::vector<Piece>& pieces, int64_t begin, int64_t end,
                                 int64_t plane_bytes) const {
  if (end - begin < granule_bytes_) {
    return 0;
  }
  double least = Real(end - begin);
  const int64_t grain = std::gcd(plane_bytes, granule_bytes_);
  for (int64_t at = 0; at < granule_bytes_; at += grain) {  // where a plane begins within a granule
    int64_t bytes = 0;
    int64_t next = AlignUp(at + begin, granule_bytes_);  // the first granule that nobody has come to
    const int64_t last = (at + end) / granule_bytes_ * granule_bytes_;
    for (const Piece& piece : pieces) {
      const int64_t piece_end = std::min(at + piece.end, last);
      if (piece_end > next) {
        bytes += piece_end - std::max(next, at + piece.begin);
        next = AlignUp(piece_end, granule_bytes_);
      }
    }
    least = std::min(least, Real(bytes));
  }
  return least;
}

double FilterRereads::BytesOfDy(int64_t step_ka) {
  return Known(dy_, step_ka, [&] { return FirstReadsOfDy(step_ka * base_k_); });
}

double FilterRereads::BytesOfX(int64_t step_kb) {
  return Known(x_, step_kb, [&] { return FirstReadsOfX(step_kb * base_k_); });
}

double FilterRereads::FirstReadsOfDy(int64_t step) const {
  double bytes = 0;
  const int64_t step_bytes = step * kDataBlockBytes;
  for (const FilterReread& part : parts_.dy) {
    const int64_t begin = part.from_row * p_.wo * kDataBlockBytes;
    const int64_t end = begin + part.rows * p_.wo * kDataBlockBytes;
    std::vector<Piece> pieces;
    for (int64_t at = begin; at < end; at += step_bytes) {
      pieces.push_back({at, std::min(at + step_bytes, end)});
    }
    bytes += Real(part.planes) * FirstReads(pieces, begin, end, p_.ho * p_.wo * kDataBlockBytes);
  }
  return bytes;
}

double FilterRereads::FirstReadsOfX(int64_t step) const {
  double bytes = 0;
  const int64_t row_bytes = p_.wi * kDataBlockBytes;
  for (const FilterReread& part : parts_.x) {
    std::vector<Piece> pieces;
    for (int64_t at = 0; at < part.rows * p_.wo; at += step) {
      const int64_t last = std::min(at + step, part.rows * p_.wo) - 1;
      const FilterRowSpan rows = RowsBehind(p_, part.from_row + at / p_.wo, part.from_row + last / p_.wo);
      pieces.push_back({rows.first * row_bytes, rows.end * row_bytes});
    }
    // rows at both ends belong to the neighbours' windows, too, who may come to them first
    const int64_t halo = parts_.whole_planes ? 0 : (p_.hk - 1) * p_.dilation_h * row_bytes;
    bytes += Real(part.planes) *
             FirstReads(pieces, pieces.front().begin + halo, pieces.back().end - halo, p_.hi * row_bytes);
  }
  return bytes;
}

}  // namespace tilesim
