#include "sim/isa/cost.h"

#include <algorithm>

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

// GM bytes as L2 and HBM give or take them, with what the other cores leave of both.
double SharedTime(const SocConfig& soc, const GmMove& move) {
  return Time(move.bytes.hit, Share(soc.l2_total_bytes_per_cycle, move)) +
         Time(move.bytes.miss, Share(soc.hbm_total_bytes_per_cycle, move));
}

// As above, for a core that itself takes `core_bytes_per_cycle` from L2 at most.
int64_t ReadCycles(const SocConfig& soc, const GmMove& move, double core_bytes_per_cycle) {
  const double hit = std::min(core_bytes_per_cycle, Share(soc.l2_total_bytes_per_cycle, move));
  const double miss = std::min(
      {core_bytes_per_cycle, soc.hbm_core_bytes_per_cycle, Share(soc.hbm_total_bytes_per_cycle, move)});
  return std::max(Cycles(Time(move.bytes.hit, hit) + Time(move.bytes.miss, miss)),
                  move.bursts * soc.gm_burst_cycles);
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

Cost MmadCost(const SocConfig& soc, DType dtype, bool hf32, int64_t m, int64_t n, int64_t k) {
  if (m == 0 || n == 0 || k == 0) {
    return {.busy_cycles = soc.mmad_issue_cycles, .latency_cycles = 0};
  }
  const bool fp32 = dtype == DType::kFp32;
  const int64_t fractals = CeilDiv(m, 16) * CeilDiv(n, 16) * CeilDiv(k, fp32 ? 8 : 16);
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

Cost GmReadCost(const SocConfig& soc, Memory dst, const GmMove& move) {
  if (dst == Memory::kUb) {
    return {.busy_cycles = ReadCycles(soc, move, soc.gm_ub_core_bytes_per_cycle),
            .latency_cycles = soc.gm_ub_read_latency_cycles};
  }
  const double core = dst == Memory::kL1 ? soc.gm_l1_core_bytes_per_cycle
                                         : std::min(soc.gm_l1_core_bytes_per_cycle, L0Rate(soc, dst));
  return {.busy_cycles = ReadCycles(soc, move, core), .latency_cycles = soc.gm_read_latency_cycles};
}

Cost Nd2NzCost(const SocConfig& soc, const GmMove& move) {
  const int64_t busy =
      ReadCycles(soc, move, std::min(soc.gm_l1_core_bytes_per_cycle, soc.nd2nz_bytes_per_cycle));
  return {.busy_cycles = busy,
          .latency_cycles = std::max(soc.gm_read_latency_cycles, soc.nd2nz_floor_cycles - busy)};
}

Cost GmWriteCost(const SocConfig& soc, const GmMove& move) {
  const double alone = Time(move.bytes.hit + move.bytes.miss, soc.gm_write_core_bytes_per_cycle);
  return {.busy_cycles =
              std::max(Cycles(std::max(alone, SharedTime(soc, move))), move.bursts * soc.gm_burst_cycles),
          .latency_cycles = soc.gm_write_latency_cycles};
}

Cost FixpipeCost(const SocConfig& soc, int64_t fp32_bytes) {
  return {.busy_cycles =
              std::max(soc.fixpipe_floor_cycles, Cycles(Time(fp32_bytes, soc.fixpipe_bytes_per_cycle))),
          .latency_cycles = 0};
}

Cost FixpipeCost(const SocConfig& soc, int64_t fp32_bytes, const GmMove& move) {
  return {.busy_cycles = std::max(FixpipeCost(soc, fp32_bytes).busy_cycles, Cycles(SharedTime(soc, move))),
          .latency_cycles = soc.gm_write_latency_cycles};
}

}  // namespace tilesim::isa
