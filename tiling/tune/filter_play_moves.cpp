// What the instructions of a played filter gradient take, and its moves into L1.
#include <algorithm>
#include <array>

#include "formats/units.h"
#include "sim/isa/cost.h"
#include "tiling/conv_backprop/rough_time.h"
#include "tiling/cube_sizes.h"
#include "tiling/tune/filter_play.h"
#include "tiling/tune/filter_rows.h"

namespace tilesim {
FilterPlay::Kind FilterPlay::KindOf(const FilterTaskSize& size, int64_t first_row) {
  Kind kind;
  kind.size = size;
  kind.first_row = first_row;
  kind.n = size.lines * p_.hk * p_.wk * e_.c0;
  kind.k = size.rows * p_.wo;
  kind.m_count = CeilDiv(size.m, block_.m);
  kind.n_count = CeilDiv(kind.n, block_.n);
  kind.k_count = CeilDiv(kind.k, block_.k);
  const std::array<int64_t, 2> ms = {block_.m, size.m - (kind.m_count - 1) * block_.m};
  const std::array<int64_t, 2> ns = {block_.n, kind.n - (kind.n_count - 1) * block_.n};
  const std::array<int64_t, 2> ks = {block_.k, kind.k - (kind.k_count - 1) * block_.k};
  constexpr int64_t kWide = 1 << 15;  // one row: nothing is cut
  for (size_t m = 0; m < 2; ++m) {
    for (size_t k = 0; k < 2; ++k) {
      kind.load_a[m][k] = Real(isa::Img2ColCost(soc_, Memory::kL0A,
                                                {.m_start = 0,
                                                 .m_extension = AlignUp(ks[k], kFractalEdge),
                                                 .channel_blocks = CeilDiv(ms[m], e_.c0),
                                                 .out_width = kWide,
                                                 .stride_w = 1})
                                   .busy_cycles);
      for (size_t n = 0; n < 2; ++n) {
        kind.multiply[m][n][k] =
            Real(isa::MmadCost(soc_, p_.dtype, p_.hf32, ms[m], ns[n], ks[k]).busy_cycles);
      }
    }
    for (size_t n = 0; n < 2; ++n) {
      const int64_t bytes = ms[m] * AlignUp(ns[n], kFractalEdge) * 4;
      kind.fix[m][n] = Real(isa::FixpipeCost(soc_, bytes, {.bytes = {.hit = bytes, .miss = 0}}).busy_cycles);
      kind.bytes[m][n] = Real(ms[m] * ns[n] * 4);
      kind.waits[m][n] = AlignUp(ms[m], kFractalEdge) * AlignUp(ns[n], kFractalEdge) < kSelfOrdered;
    }
  }
  for (size_t n = 0; n < 2; ++n) {
    for (int64_t k = 0; k < kind.k_count; ++k) {
      kind.load_b[n].push_back(
          Real(isa::Img2ColCost(soc_, Memory::kL0B,
                                {.m_start = k * block_.k % p_.wo,
                                 .m_extension = AlignUp(ks[k + 1 == kind.k_count ? 1 : 0], kFractalEdge),
                                 .channel_blocks = CeilDiv(ns[n], e_.c0),
                                 .out_width = p_.wo,
                                 .stride_w = p_.stride_w})
                   .busy_cycles));
    }
  }
  return kind;
}

void FilterPlay::PrepareOrder(Kind& kind) const {
  const bool m_fast = choice_.m_fast;
  const int64_t slow_count = m_fast ? kind.n_count : kind.m_count;
  const int64_t fast_count = m_fast ? kind.m_count : kind.n_count;
  const int64_t slow_step = m_fast ? choice_.step_n : choice_.step_m;
  const int64_t fast_step = m_fast ? choice_.step_m : choice_.step_n;
  kind.order.clear();
  for (int64_t slow0 = 0; slow0 < slow_count; slow0 += slow_step) {
    for (int64_t fast0 = 0; fast0 < fast_count; fast0 += fast_step) {
      for (int64_t slow = slow0; slow < std::min(slow0 + slow_step, slow_count); ++slow) {
        for (int64_t fast = fast0; fast < std::min(fast0 + fast_step, fast_count); ++fast) {
          kind.order.push_back(m_fast ? Block{fast, slow} : Block{slow, fast});
        }
      }
    }
  }
}

void FilterPlay::PrepareRows(Kind& kind) const {
  if (kind.rows_of == choice_.step_kb) {
    return;
  }
  kind.rows_of = choice_.step_kb;
  kind.rows.clear();
  const int64_t last_row = kind.first_row + kind.size.rows - 1;
  const int64_t own_end = dealt_.whole_planes ? p_.hi : last_row * p_.stride_h - p_.pad_up + 1;
  int64_t end = 0;  // of the rows that were brought
  const int64_t step = choice_.step_kb * block_.k;
  for (int64_t at = 0; at < kind.k; at += step) {
    const int64_t last = std::min(at + step, kind.k) - 1;
    const FilterRowSpan span = RowsBehind(p_, kind.first_row + at / p_.wo, kind.first_row + last / p_.wo);
    const int64_t first = std::max(span.first, end);
    kind.rows.push_back({.all = span.count(),
                         .fresh = std::max<int64_t>(0, span.end - first),
                         .own = std::max<int64_t>(0, std::min(span.end, own_end) - first)});
    end = std::max(end, span.end);
  }
}

FilterPlay::Move FilterPlay::MoveOf(int64_t bytes, int64_t bursts, int64_t fetched) const {
  const double port = std::min(soc_.gm_l1_core_bytes_per_cycle, soc_.l2_total_bytes_per_cycle);
  const double hbm = std::min({port, soc_.hbm_core_bytes_per_cycle, soc_.hbm_total_bytes_per_cycle});
  const auto pieces = Real(bursts * soc_.gm_burst_cycles);
  const double found = Real(bytes - fetched) / port;
  const double alone = std::max(Real(bytes) / port - kRounding, pieces);
  const double latency = Real(soc_.gm_read_latency_cycles + (fetched > 0 ? soc_.gm_miss_latency_cycles : 0));
  const double busy = std::max(found + Real(fetched) / hbm - kRounding, pieces);
  return {.busy = busy, .ready = std::max(busy, latency + alone), .bytes = Real(bytes)};
}

double FilterPlay::FirstOfA() const {
  const FilterTaskSize& least = dealt_.least_first;
  const int64_t planes = std::min(choice_.step_m * block_.m, least.m) / e_.c0;
  const int64_t pixels = std::min(choice_.step_ka * block_.k, least.rows * p_.wo);
  const bool cut = planes > 1 && choice_.step_ka * block_.k < p_.ho * p_.wo;
  return Real(planes * pixels * kDataBlockBytes) * FetchCycles(dealt_.first_sharers, cut ? p_.ho * p_.wo : 0);
}

// Pieces of planes of so many pixels may begin off a sector.
double FilterPlay::FetchCycles(int64_t sharers, int64_t plane_pixels) const {
  const bool off = plane_pixels * kDataBlockBytes % soc_.l2_sector_bytes != 0;
  return std::max(1 / soc_.hbm_core_bytes_per_cycle,
                  Real(sharers) / soc_.hbm_total_bytes_per_cycle / (off ? soc_.gm_unaligned_part : 1));
}

// Bytes at the ends of a piece, in sectors that another core may have fetched. `whole`: nothing but whole
// planes is brought of the tensor.
int64_t FilterPlay::EdgeBytes(int64_t row_pixels, int64_t rows, bool whole) const {
  const int64_t even = row_pixels * kDataBlockBytes * (whole ? rows : 1);
  return even % soc_.l2_sector_bytes == 0 ? 0 : 2 * soc_.l2_sector_bytes;
}

FilterPlay::Move FilterPlay::MoveOfA(const Kind& kind, int64_t m_step, int64_t k_step) {
  const int64_t step_m = choice_.step_m * block_.m;
  const int64_t step_k = choice_.step_ka * block_.k;
  const int64_t planes = std::min(step_m, kind.size.m - m_step * step_m) / e_.c0;
  const int64_t pixels = std::min(step_k, kind.k - k_step * step_k);
  const int64_t bytes = planes * pixels * kDataBlockBytes;
  char& met = met_a_[static_cast<size_t>(m_step * CeilDiv(kind.k_count, choice_.step_ka) + k_step)];
  const bool is_new = met == 0;
  met = 1;
  const int64_t pieces = pixels == p_.ho * p_.wo ? 1 : planes;  // those without gaps are one
  const int64_t fetched =
      std::max<int64_t>(0, bytes - planes * EdgeBytes(p_.wo, p_.ho, kind.size.rows == p_.ho));
  Move move = MoveOf(bytes, pieces, owns_dy_ && is_new ? fetched : 0);
  move.new_bytes = is_new ? Real(dealt_.tasks[task_].new_dy * fetched) : 0;
  if (!a_.met && is_single_) {  // nobody has read any of it before: all cores begin at once
    const double busy = FirstOfA() - 2;
    move.busy = std::max(move.busy, busy);
    move.ready = std::max(move.ready, move.busy);
  }
  return move;
}

FilterPlay::Move FilterPlay::MoveOfB(const Kind& kind, int64_t n_step, int64_t k_step) {
  const int64_t line = p_.hk * p_.wk * e_.c0;
  const int64_t step_n = choice_.step_n * block_.n;
  const int64_t first = n_step * step_n;
  const int64_t last = std::min(first + step_n, kind.n) - 1;
  const int64_t lines = last / line - first / line + 1;
  const auto [rows, new_rows, own_rows] = kind.rows[static_cast<size_t>(k_step)];
  const int64_t row_bytes = p_.wi * kDataBlockBytes;
  const int64_t bytes = lines * rows * row_bytes;
  char& met = met_b_[static_cast<size_t>(n_step * CeilDiv(kind.k_count, choice_.step_kb) + k_step)];
  const int64_t new_lines = lines - (first % line > 0 ? 1 : 0);
  const bool is_new = met == 0;
  met = 1;
  const auto fetched = [&](int64_t of_rows) {
    return std::max<int64_t>(0, new_lines * (of_rows * row_bytes - EdgeBytes(p_.wi, p_.hi, false)));
  };
  Move move = MoveOf(bytes, rows == p_.hi ? 1 : lines, owns_x_ && is_new ? fetched(new_rows) : 0);
  move.new_bytes = is_new ? Real(dealt_.tasks[task_].new_x * fetched(own_rows)) : 0;
  if (!b_.met && dealt_.alike && is_single_) {  // as above, but cores come to it one after another
    constexpr double kLong = 128;               // cycles, after which the next move has long been issued
    const int64_t sharers = FirstOfA() > kLong ? dealt_.first_xs : 1;
    move.busy = std::max(
        move.busy, Real(bytes) * FetchCycles(sharers, lines > 1 && rows < p_.hi ? p_.hi * p_.wi : 0) - 4);
    move.ready = std::max(move.ready, move.busy);
  }
  return move;
}

}  // namespace tilesim
