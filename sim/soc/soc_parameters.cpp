#include "sim/soc/soc_parameters.h"

#include <algorithm>
#include <iterator>
#include <sstream>

#include "formats/error.h"

namespace tilesim {
namespace {

constexpr double kMostBytes = 1e15;
constexpr double kMostCycles = 1e9;
constexpr double kMostRate = 1e9;
constexpr double kLeastRate = 1e-3;

constexpr SocParameter Capacity(std::string_view key, int64_t SocConfig::*member, int64_t multiple,
                                std::string_view says) {
  return {key, member, "bytes", static_cast<double>(2 * multiple), kMostBytes, multiple, says};
}

constexpr SocParameter Duration(std::string_view key, int64_t SocConfig::*member, double least,
                                std::string_view says) {
  return {key, member, "cycles", least, kMostCycles, 1, says};
}

constexpr SocParameter Time(std::string_view key, double SocConfig::*member, std::string_view says) {
  return {key, member, "cycles", 0, kMostCycles, 1, says};
}

constexpr SocParameter Rate(std::string_view key, double SocConfig::*member, std::string_view says) {
  return {key, member, "bytes per cycle", kLeastRate, kMostRate, 1, says};
}

constexpr SocParameter Depth(std::string_view key, int64_t SocConfig::*member, std::string_view says) {
  return {key, member, "instructions", 1, 4096, 1, says};
}

using S = SocConfig;
constexpr SocParameter kParameters[] = {
    {"chip.aic_cores", &S::aic_cores, "cores", 1, 1024, 1, "cube cores"},
    {"chip.aiv_per_aic", &S::aiv_per_aic, "cores", 0, 16, 1, "vector cores beside each cube core"},
    {"chip.clock_mhz", &S::clock_mhz, "MHz", 1e-3, 1e5, 1, "clock of the AI cores"},

    Capacity("memory.l1_bytes", &S::l1_bytes, 32, "L1 of a cube core"),
    Capacity("memory.l0a_bytes", &S::l0a_bytes, 512, "L0A of a cube core"),
    Capacity("memory.l0b_bytes", &S::l0b_bytes, 512, "L0B of a cube core"),
    Capacity("memory.l0c_bytes", &S::l0c_bytes, 1024, "L0C of a cube core"),
    Capacity("memory.ub_bytes", &S::ub_bytes, 32, "UB of a vector core"),
    Capacity("memory.bt_bytes", &S::bt_bytes, 64, "bias table of a cube core"),
    Capacity("memory.fb_bytes", &S::fb_bytes, 64, "fixpipe buffer of a cube core"),
    Capacity("memory.l2_bytes", &S::l2_bytes, 512, "L2 of the chip"),
    Capacity("memory.gm_bytes", &S::gm_bytes, 512, "global memory of the chip"),

    Duration("cube.mmad_issue_cycles", &S::mmad_issue_cycles, 0, "a Mmad before its first fractal"),
    Duration("cube.mmad_latency_cycles", &S::mmad_latency_cycles, 0, "from a Mmad's end to its result"),
    Duration("cube.mmad_fractal_cycles", &S::mmad_fractal_cycles, 1, "16x16x16 of fp16 or bf16"),
    Duration("cube.mmad_fractal_fp32_cycles", &S::mmad_fractal_fp32_cycles, 1, "16x16x8 of fp32"),
    Duration("cube.mmad_fractal_hf32_cycles", &S::mmad_fractal_hf32_cycles, 1, "16x16x8 of fp32 in HF32"),

    Duration("mte1.load_issue_cycles", &S::load_issue_cycles, 0, "a LoadData before its first byte"),
    Duration("mte1.load_latency_cycles", &S::load_latency_cycles, 0, "from a load's end to its data"),
    Duration("mte1.load_min_l0a_cycles", &S::load_min_l0a_cycles, 0, "least of a load into L0A"),
    Duration("mte1.load_min_l0b_cycles", &S::load_min_l0b_cycles, 0, "least of a load into L0B"),
    Rate("mte1.l0a_bytes_per_cycle", &S::l0a_bytes_per_cycle, "L1 to L0A"),
    Rate("mte1.l0b_bytes_per_cycle", &S::l0b_bytes_per_cycle, "L1 to L0B"),
    Rate("mte1.load3d_slow_bytes_per_cycle", &S::load3d_slow_bytes_per_cycle, "img2col to L0A, least"),
    Rate("mte1.load3d_l0b_slow_bytes_per_cycle", &S::load3d_l0b_slow_bytes_per_cycle,
         "img2col to L0B, least"),
    Rate("mte1.bt_bytes_per_cycle", &S::bt_bytes_per_cycle, "L1 to the bias table"),
    Duration("mte1.bt_min_cycles", &S::bt_min_cycles, 0, "least of a move to the bias table"),
    Rate("mte1.fb_bytes_per_cycle", &S::fb_bytes_per_cycle, "L1 to the fixpipe buffer"),
    Duration("mte1.fb_latency_cycles", &S::fb_latency_cycles, 0, "start of a move to the fixpipe buffer"),
    Rate("mte1.l1_fill_bytes_per_cycle", &S::l1_fill_bytes_per_cycle, "InitConstValue into L1"),

    {"l2.line_bytes", &S::l2_line_bytes, "bytes", 32, 4096, 32, "L2 allocates at once; a power of 2"},
    {"l2.sector_bytes", &S::l2_sector_bytes, "bytes", 32, 4096, 32,
     "L2 fetches at once; a power of 2, not above a line"},
    {"l2.write_allocate", &S::l2_write_allocate, "", 0, 1, 1, "1: writes that miss go to L2, 0: to HBM"},
    {"l2.slices", &S::l2_slices, "", 1, 32, 1, "slices that GM lies in by turns"},
    {"l2.slice_bytes", &S::l2_slice_bytes, "bytes", 4096, 1 << 30, 4096, "in one slice before the next"},
    {"l2.slice_lines_per_cycle", &S::l2_slice_lines_per_cycle, "lines per cycle", kLeastRate, kMostRate, 1,
     "lines that a slice answers, however little is asked of each"},
    {"l2.lines_ahead", &S::l2_lines_ahead, "lines", 1, 4096, 1, "lines that a read asks for ahead"},

    Duration("gm.read_latency_cycles", &S::gm_read_latency_cycles, 0, "start of a read into L1"),
    Duration("gm.ub_read_latency_cycles", &S::gm_ub_read_latency_cycles, 0, "start of a read into UB"),
    Rate("gm.l1_core_bytes_per_cycle", &S::gm_l1_core_bytes_per_cycle, "L2 to L1, one core alone"),
    Rate("gm.ub_core_bytes_per_cycle", &S::gm_ub_core_bytes_per_cycle, "L2 to UB, one core alone"),
    Rate("gm.l2_total_bytes_per_cycle", &S::l2_total_bytes_per_cycle, "L2, all cores together"),
    Rate("gm.l2_same_total_bytes_per_cycle", &S::l2_same_total_bytes_per_cycle,
         "L2, all cores together, of what several cores read"),
    Rate("gm.l2_atomic_total_bytes_per_cycle", &S::l2_atomic_total_bytes_per_cycle,
         "atomic updates in L2, all cores together"),
    Rate("gm.l0a_core_bytes_per_cycle", &S::gm_l0a_core_bytes_per_cycle, "L2 to L0A, one core alone"),
    Rate("gm.l0b_core_bytes_per_cycle", &S::gm_l0b_core_bytes_per_cycle, "L2 to L0B, one core alone"),
    Rate("gm.hbm_core_bytes_per_cycle", &S::hbm_core_bytes_per_cycle, "HBM to L1, one core alone"),
    Rate("gm.hbm_ub_core_bytes_per_cycle", &S::hbm_ub_core_bytes_per_cycle, "HBM to UB, one core alone"),
    Rate("gm.hbm_total_bytes_per_cycle", &S::hbm_total_bytes_per_cycle, "HBM, all cores together"),
    Rate("gm.hbm_write_total_bytes_per_cycle", &S::hbm_write_total_bytes_per_cycle,
         "HBM, what L2 writes back"),
    Duration("gm.miss_latency_cycles", &S::gm_miss_latency_cycles, 0, "more to the first byte from HBM"),
    Duration("gm.ub_move_cycles", &S::gm_ub_move_cycles, 0, "least of a move into UB"),
    Duration("gm.l0_move_cycles", &S::gm_l0_move_cycles, 0, "least of a LoadData from GM"),
    {"gm.unaligned_part", &S::gm_unaligned_part, "", 0.01, 1, 1,
     "of the rates of L2 and HBM, where pieces of a move do not begin at sectors"},
    Duration("gm.burst_cycles", &S::gm_burst_cycles, 0, "least of one burst of a move"),
    Time("gm.nd2nz_row_cycles", &S::nd2nz_row_cycles, "least of a row of ND to NZ"),
    Time("gm.nd2nz_read_cycles", &S::nd2nz_read_cycles, "each read that such a row is cut into"),
    {"gm.nd2nz_rows_in_flight", &S::nd2nz_rows_in_flight, "rows", kLeastRate, kMostRate, 1,
     "rows of ND to NZ that are on their way at a time"},
    Duration("gm.write_latency_cycles", &S::gm_write_latency_cycles, 0, "start of a write"),
    Rate("gm.write_core_bytes_per_cycle", &S::gm_write_core_bytes_per_cycle, "UB to GM, one core alone"),
    Rate("gm.write_burst_bytes_per_cycle", &S::gm_write_burst_bytes_per_cycle, "UB to GM, a short move"),

    Duration("fixpipe.floor_cycles", &S::fixpipe_floor_cycles, 0, "least of a Fixpipe"),
    Rate("fixpipe.bytes_per_cycle", &S::fixpipe_bytes_per_cycle, "L0C to GM or L1, fp32 side"),

    Duration("vector.startup_cycles", &S::vector_startup_cycles, 0, "least of a vector instruction"),
    Duration("vector.latency_cycles", &S::vector_latency_cycles, 0, "from its end to its result"),
    Duration("vector.partial_block_cycles", &S::vector_partial_block_cycles, 0,
             "more of a Compare whose bits end inside a data block"),

    Duration("scalar.issue_cycles", &S::scalar_issue_cycles, 0, "scalar unit, to issue one instruction"),
    Duration("scalar.ub_access_cycles", &S::scalar_ub_access_cycles, 0,
             "scalar unit, to read or write an element of UB"),
    Duration("sync.flag_cycles", &S::flag_cycles, 0, "SetFlag or WaitFlag that need not wait"),
    Duration("sync.barrier_cycles", &S::barrier_cycles, 0, "PipeBarrier that need not wait"),
    Duration("sync.cross_core_cycles", &S::cross_core_cycles, 0, "a flag from one core to another"),

    Depth("queue.mte1", &S::queue_mte1, "waiting before MTE1"),
    Depth("queue.m", &S::queue_m, "waiting before M"),
    Depth("queue.mte2", &S::queue_mte2, "waiting before MTE2"),
    Depth("queue.mte3", &S::queue_mte3, "waiting before MTE3"),
    Depth("queue.fix", &S::queue_fix, "waiting before FIX"),
    Depth("queue.v", &S::queue_v, "waiting before V"),

    {"launch.us", &S::launch_us, "us", 0, 1e6, 1, "launch and end of a kernel"},
    {"launch.us_per_core", &S::launch_us_per_core, "us", 0, 1e6, 1, "more for each core used"},
    {"launch.start_us", &S::launch_start_us, "us", 0, 1e6, 1, "from a core's start to its first instruction"},
    {"launch.call_us", &S::launch_call_us, "us", 0, 1e6, 1,
     "more where a framework's call launches the kernel"},

    {"numerics.ieee", &S::numerics_ieee, "", 0, 1, 1, "1 keeps inf and NaN, 0 saturates as the hardware"},
};

}  // namespace

std::span<const SocParameter> SocParameters() { return kParameters; }

const SocParameter* FindSocParameter(std::string_view key) {
  const auto* const found = std::ranges::find(kParameters, key, &SocParameter::key);
  return found == std::end(kParameters) ? nullptr : found;
}

std::string SocParameter::WithUnit(std::string_view text) const {
  return unit.empty() ? std::string(text) : Say(text, " ", unit);
}

std::vector<double> SocValues(const SocConfig& soc) {
  std::vector<double> values;
  for (const SocParameter& parameter : kParameters) {
    values.push_back(
        std::visit([&](auto member) { return static_cast<double>(soc.*member); }, parameter.member));
  }
  return values;
}

std::string SocParameterHelp() {
  std::ostringstream out;
  for (const SocParameter& parameter : kParameters) {
    out << "  " << parameter.key << std::string(40 - std::min<size_t>(39, parameter.key.size()), ' ')
        << parameter.says;
    out << " [" << parameter.WithUnit(Say(parameter.least, " to ", parameter.most)) << "]\n";
  }
  return out.str();
}

}  // namespace tilesim
