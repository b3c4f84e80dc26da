#include "sim/isa/cost.h"

#include <algorithm>
#include <bit>

#include "formats/units.h"

namespace tilesim::isa {
namespace {

// Whole cycles of a time. Rates in SoC files carry five digits; what they miss is not worth a cycle.
int64_t Cycles(double time) {
  constexpr double kSlack = 1e-3;
  const double least = time - kSlack;
  const auto whole = static_cast<int64_t>(least);  // towards zero; std::ceil would be a call
  return whole + (least > static_cast<double>(whole) ? 1 : 0);
}

double Time(int64_t bytes, double bytes_per_cycle) { return static_cast<double>(bytes) / bytes_per_cycle; }

double Share(double total, const GmMove& move) { return total / static_cast<double>(move.cores); }

// What misses L2 passes it nevertheless.
double MissShare(const SocConfig& soc, const GmMove& move) {
  return std::min(Share(soc.hbm_total_bytes_per_cycle, move), Share(L2TotalOf(soc, move.l2_work), move));
}

// GM bytes as L2 and HBM give or take them, with what the other cores leave of both.
double SharedTime(const SocConfig& soc, const GmMove& move) {
  return Time(move.bytes.hit, Share(L2TotalOf(soc, move.l2_work), move)) +
         Time(move.bytes.miss, MissShare(soc, move));
}

// What a core reads with, by where it reads to.
struct ReadPath {
  double port = 0;  // bytes a cycle from L2
  double hbm = 0;   // bytes a cycle from HBM
  int64_t latency_cycles = 0;
  int64_t least_cycles = 0;  // of the pipe; the latency goes on meanwhile
};

ReadPath PathTo(const SocConfig& soc, Memory dst) {
  switch (dst) {
    case Memory::kUb:
      return {soc.gm_ub_core_bytes_per_cycle, soc.hbm_ub_core_bytes_per_cycle, soc.gm_ub_read_latency_cycles,
              soc.gm_ub_move_cycles};
    case Memory::kL0A:
      return {soc.gm_l0a_core_bytes_per_cycle, soc.hbm_core_bytes_per_cycle, soc.gm_read_latency_cycles,
              soc.gm_l0_move_cycles};
    case Memory::kL0B:
      return {soc.gm_l0b_core_bytes_per_cycle, soc.hbm_core_bytes_per_cycle, soc.gm_read_latency_cycles,
              soc.gm_l0_move_cycles};
    default:
      return {soc.gm_l1_core_bytes_per_cycle, soc.hbm_core_bytes_per_cycle, soc.gm_read_latency_cycles, 0};
  }
}

// A read that its unit needs `own_cycles` for, however fast the data comes.
Cost ReadOf(const SocConfig& soc, const ReadPath& path, const GmMove& move, int64_t own_cycles) {
  const double hit = Time(move.bytes.hit, std::min(path.port, Share(L2TotalOf(soc, move.l2_work), move)));
  const double miss = Time(move.bytes.miss, std::min({path.port, path.hbm, MissShare(soc, move)}));
  const int64_t busy = std::max({Cycles(hit + miss), own_cycles, path.least_cycles, move.least_cycles});
  const int64_t latency = path.latency_cycles + (move.bytes.miss > 0 ? soc.gm_miss_latency_cycles : 0);
  const int64_t alone = std::max(Cycles(hit + Time(move.bytes.miss, path.port)), own_cycles);
  return {.busy_cycles = busy, .latency_cycles = std::max<int64_t>(0, latency + alone - busy)};
}

double L0Rate(const SocConfig& soc, Memory dst) {
  return dst == Memory::kL0A ? soc.l0a_bytes_per_cycle : soc.l0b_bytes_per_cycle;
}

// A load that spends `time` on its bytes.
Cost LoadOf(const SocConfig& soc, Memory dst, double time) {
  const int64_t least = dst == Memory::kL0A ? soc.load_min_l0a_cycles : soc.load_min_l0b_cycles;
  return {.busy_cycles = std::max(least, soc.load_issue_cycles + Cycles(time)),
          .latency_cycles = soc.load_latency_cycles};
}

}  // namespace

Cost MmadCost(const SocConfig& soc, CubeType dtype, bool hf32, int64_t m, int64_t n, int64_t k) {
  if (m == 0 || n == 0 || k == 0) {
    return {.busy_cycles = soc.mmad_issue_cycles, .latency_cycles = 0};
  }
  const bool fp32 = dtype == DType::kFp32;
  const int64_t fractals = CeilDiv(m, 16) * CeilDiv(n, 16) * CeilDiv(k, dtype.c0());
  const int64_t each = !fp32  ? soc.mmad_fractal_cycles
                       : hf32 ? soc.mmad_fractal_hf32_cycles
                              : soc.mmad_fractal_fp32_cycles;
  return {.busy_cycles = soc.mmad_issue_cycles + fractals * each, .latency_cycles = soc.mmad_latency_cycles};
}

Cost LoadCost(const SocConfig& soc, Memory dst, int64_t fractals) {
  return LoadOf(soc, dst, Time(fractals * kFractalBytes, L0Rate(soc, dst)));
}

Cost Img2ColCost(const SocConfig& soc, Memory dst, const Img2ColShape& shape) {
  constexpr double kBytes = kFractalBytes;
  const int64_t steps = CeilDiv(shape.m_extension, 16);
  const double slow =
      kBytes / (dst == Memory::kL0A ? soc.load3d_slow_bytes_per_cycle : soc.load3d_l0b_slow_bytes_per_cycle);
  const double slowest = slow * static_cast<double>(steps);
  double time = slowest;
  if (shape.stride_w == 1 || shape.stride_w == 2 || shape.stride_w == 4 || shape.stride_w == 8) {
    // Ends of output rows inside the window; those that fall between two steps cut nothing.
    const int64_t width = shape.out_width;
    const int64_t begin = shape.m_start;
    const int64_t last = shape.m_start + shape.m_extension - 1;
    const int64_t ends = last / width - begin / width;
    const int64_t even = std::min<int64_t>(16, width & -width);  // gcd(width, 16)
    const int64_t cuts = begin % even == 0 ? ends - ends * even / 16 : ends;
    const int64_t cut_steps = std::min(steps, cuts);
    const double first = kBytes / L0Rate(soc, dst);
    const double more = static_cast<double>(shape.stride_w - 1) * kBytes / soc.l0a_bytes_per_cycle;
    time = std::min(slowest,
                    static_cast<double>(steps) * (first + more) + static_cast<double>(cut_steps + cuts));
  }
  return LoadOf(soc, dst, time * static_cast<double>(shape.channel_blocks));
}

Cost FillCost(const SocConfig& soc, Memory dst, int64_t bytes) {
  if (dst == Memory::kL1) {
    return {.busy_cycles = soc.load_issue_cycles + Cycles(Time(bytes, soc.l1_fill_bytes_per_cycle)),
            .latency_cycles = soc.load_latency_cycles};
  }
  return LoadOf(soc, dst, Time(bytes, L0Rate(soc, dst)));
}

Cost TableCost(const SocConfig& soc, Memory dst, int64_t bytes) {
  const int64_t busy = dst == Memory::kBt
                           ? std::max(soc.bt_min_cycles, Cycles(Time(bytes, soc.bt_bytes_per_cycle)))
                           : soc.fb_latency_cycles + Cycles(Time(bytes, soc.fb_bytes_per_cycle));
  return {.busy_cycles = busy, .latency_cycles = 0};
}

Cost GmReadCost(const SocConfig& soc, Memory dst, const GmMove& move) {
  return ReadOf(soc, PathTo(soc, dst), move, move.bursts * soc.gm_burst_cycles);
}

int64_t ReadsPerRow(const RowReads& reads) {
  if (!reads.aligned) {  // AD data_copy 12287 columns, matmul N 4095: 31 to 43 cycles a row of 512 bytes
    return CeilDiv(reads.row_bytes, kDataBlockBytes) + 1;
  }
  constexpr int64_t kMostBytes = 256;  // PEM: reads of 256 bytes
  constexpr int64_t kLeastBytes = 64;
  const int64_t rest = reads.row_bytes % kMostBytes;
  return reads.row_bytes / kMostBytes + std::popcount(static_cast<uint64_t>(rest / kLeastBytes)) +
         (rest % kLeastBytes > 0 ? 1 : 0);
}

Cost Nd2NzCost(const SocConfig& soc, const GmMove& move, const RowReads& reads) {
  // What a row that misses L2 comes later is spread over the rows that are on their way with it.
  double row = soc.nd2nz_row_cycles;
  if (move.bytes.miss > 0) {
    const double missed =
        static_cast<double>(move.bytes.miss) / static_cast<double>(move.bytes.hit + move.bytes.miss);
    row += missed * static_cast<double>(soc.gm_miss_latency_cycles) / soc.nd2nz_rows_in_flight;
  }
  row = std::max(row, static_cast<double>(ReadsPerRow(reads)) * soc.nd2nz_read_cycles);
  return ReadOf(soc, PathTo(soc, Memory::kL1), move, Cycles(static_cast<double>(reads.rows) * row));
}

Cost GmWriteCost(const SocConfig& soc, const GmMove& move) {
  const int64_t bytes = move.bytes.hit + move.bytes.miss;
  const double alone = Time(bytes, soc.gm_write_core_bytes_per_cycle);
  const int64_t busy = std::max(
      {Cycles(std::max(alone, SharedTime(soc, move))), move.bursts * soc.gm_burst_cycles, move.least_cycles});
  const int64_t complete =
      soc.gm_write_latency_cycles + Cycles(Time(bytes, soc.gm_write_burst_bytes_per_cycle));
  return {.busy_cycles = busy, .latency_cycles = std::max<int64_t>(0, complete - busy)};
}

Cost FixpipeCost(const SocConfig& soc, int64_t fp32_bytes) {
  return {.busy_cycles =
              std::max(soc.fixpipe_floor_cycles, Cycles(Time(fp32_bytes, soc.fixpipe_bytes_per_cycle))),
          .latency_cycles = 0};
}

Cost FixpipeCost(const SocConfig& soc, int64_t fp32_bytes, const GmMove& move) {
  return {.busy_cycles = std::max(
              {FixpipeCost(soc, fp32_bytes).busy_cycles, Cycles(SharedTime(soc, move)), move.least_cycles}),
          .latency_cycles = soc.gm_write_latency_cycles};
}

GmRule GmReadRule(Memory dst) {
  return {.of = [](const SocConfig& soc, const GmMove& move,
                   const GmRule::Details& to) { return GmReadCost(soc, static_cast<Memory>(to[0]), move); },
          .details = {Index(dst)}};
}

GmRule Nd2NzRule(const RowReads& reads) {
  return {.of =
              [](const SocConfig& soc, const GmMove& move, const GmRule::Details& rows) {
                return Nd2NzCost(soc, move, {.rows = rows[0], .row_bytes = rows[1], .aligned = rows[2] != 0});
              },
          .details = {reads.rows, reads.row_bytes, reads.aligned ? 1 : 0}};
}

GmRule GmWriteRule() {
  return {.of = [](const SocConfig& soc, const GmMove& move,
                   const GmRule::Details&) { return GmWriteCost(soc, move); },
          .details = {}};
}

GmRule FixpipeRule(int64_t fp32_bytes) {
  return {.of = [](const SocConfig& soc, const GmMove& move,
                   const GmRule::Details& bytes) { return FixpipeCost(soc, bytes[0], move); },
          .details = {fp32_bytes}};
}

std::array<GmRuleFunction, 4> GmRuleFunctions() {
  return {GmReadRule(Memory::kL1).of, Nd2NzRule({}).of, GmWriteRule().of, FixpipeRule(0).of};
}

}  // namespace tilesim::isa
