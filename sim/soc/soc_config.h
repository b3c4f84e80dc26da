#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/soc/provenance.h"

namespace tilesim {

// What a chip is: sizes, rates and latencies, read once and never changed afterwards. Knows no instruction,
// no formula and no time: sim/isa/cost turns these figures into cycles. Cycles are those of the AI core's
// clock. Each member is one row of the table in soc_parameters.cpp; each figure's source stands beside it
// in configs/*.cfg.
struct SocConfig {
  std::string name;  // the file's name without folder and ".cfg"

  // chip
  int64_t aic_cores = 0;    // cube cores
  int64_t aiv_per_aic = 0;  // vector cores beside each cube core
  double clock_mhz = 0;

  // memory: capacities, a core's own unless said
  int64_t l1_bytes = 0;
  int64_t l0a_bytes = 0;
  int64_t l0b_bytes = 0;
  int64_t l0c_bytes = 0;
  int64_t ub_bytes = 0;  // of one vector core
  int64_t bt_bytes = 0;
  int64_t fb_bytes = 0;
  int64_t l2_bytes = 0;  // of the chip
  int64_t gm_bytes = 0;  // of the chip (HBM)

  // cube (pipe M): an Mmad holds the pipe mmad_issue + fractals * mmad_fractal, its result is there
  // mmad_latency later
  int64_t mmad_issue_cycles = 0;
  int64_t mmad_latency_cycles = 0;
  int64_t mmad_fractal_cycles = 0;       // 16x16x16 of fp16 or bf16
  int64_t mmad_fractal_fp32_cycles = 0;  // 16x16x8 of fp32
  int64_t mmad_fractal_hf32_cycles = 0;  // 16x16x8 of fp32 in HF32

  // mte1: L1 -> L0A, L0B, BT, FB
  int64_t load_issue_cycles = 0;
  int64_t load_latency_cycles = 0;  // from the last byte moved to its being readable
  int64_t load_min_l0a_cycles = 0;
  int64_t load_min_l0b_cycles = 0;
  double l0a_bytes_per_cycle = 0;
  double l0b_bytes_per_cycle = 0;
  double load3d_slow_bytes_per_cycle = 0;      // img2col into L0A: the least rate
  double load3d_l0b_slow_bytes_per_cycle = 0;  // img2col into L0B: the least rate
  double bt_bytes_per_cycle = 0;
  int64_t bt_min_cycles = 0;
  double fb_bytes_per_cycle = 0;
  int64_t fb_latency_cycles = 0;
  double l1_fill_bytes_per_cycle = 0;  // InitConstValue

  // l2, of the chip
  int64_t l2_line_bytes = 0;      // allocated together
  int64_t l2_sector_bytes = 0;    // fetched together
  int64_t l2_write_allocate = 0;  // 1: writes that miss go to L2; 0: to HBM
  int64_t l2_slices = 0;
  int64_t l2_slice_bytes = 0;           // of GM that lie in one slice before the next has its turn
  double l2_slice_lines_per_cycle = 0;  // that a slice answers, however little is asked of each
  int64_t l2_lines_ahead = 0;           // that a read asks for before the first of them is there

  // gm (pipe MTE2): GM -> L1, UB
  int64_t gm_read_latency_cycles = 0;
  int64_t gm_ub_read_latency_cycles = 0;
  double gm_l1_core_bytes_per_cycle = 0;       // one core alone, data in L2
  double gm_ub_core_bytes_per_cycle = 0;       // one vector core alone, data in L2
  double l2_total_bytes_per_cycle = 0;         // all cores together, data in L2
  double l2_same_total_bytes_per_cycle = 0;    // the same, of data that several cores read
  double l2_atomic_total_bytes_per_cycle = 0;  // atomic updates, all cores together
  double gm_l0a_core_bytes_per_cycle = 0;      // LoadData from GM, one core alone
  double gm_l0b_core_bytes_per_cycle = 0;
  double hbm_core_bytes_per_cycle = 0;         // one core alone, data not in L2, into L1
  double hbm_ub_core_bytes_per_cycle = 0;      // one vector core alone, data not in L2
  double hbm_total_bytes_per_cycle = 0;        // all cores together, data not in L2
  double hbm_write_total_bytes_per_cycle = 0;  // of lines that L2 writes back, where nothing is read
  int64_t gm_miss_latency_cycles = 0;          // more until the first byte of what is not in L2
  int64_t gm_ub_move_cycles = 0;               // least cycles of a move into UB
  int64_t gm_l0_move_cycles = 0;               // least cycles of a LoadData from GM
  double gm_unaligned_part = 0;                // of the rates of L2 and HBM, where pieces begin off a sector
  int64_t gm_burst_cycles = 0;                 // least cycles of one burst of a move
  double nd2nz_row_cycles = 0;                 // least cycles of a row of ND to NZ
  double nd2nz_read_cycles = 0;                // each read that a row is cut into
  double nd2nz_rows_in_flight = 0;             // rows of ND to NZ that are on their way at a time

  // gm writes (pipe MTE3, and the far side of FIX)
  int64_t gm_write_latency_cycles = 0;
  double gm_write_core_bytes_per_cycle = 0;   // lasting
  double gm_write_burst_bytes_per_cycle = 0;  // until a move's end, for short ones

  // fixpipe (pipe FIX): L0C -> GM, L1; rates count bytes of the fp32 side
  int64_t fixpipe_floor_cycles = 0;
  double fixpipe_bytes_per_cycle = 0;

  // vector (pipe V)
  int64_t vector_startup_cycles = 0;        // least cycles an instruction holds the pipe
  int64_t vector_latency_cycles = 0;        // from the end of an instruction to its result
  int64_t vector_partial_block_cycles = 0;  // more of a Compare whose bits end inside a data block

  // scalar and synchronisation
  int64_t scalar_issue_cycles = 0;
  int64_t scalar_ub_access_cycles = 0;  // GetValue or SetValue of an element
  int64_t flag_cycles = 0;
  int64_t barrier_cycles = 0;
  int64_t cross_core_cycles = 0;

  // queue: instructions that may wait before a pipe
  int64_t queue_mte1 = 0;
  int64_t queue_m = 0;
  int64_t queue_mte2 = 0;
  int64_t queue_mte3 = 0;
  int64_t queue_fix = 0;
  int64_t queue_v = 0;

  // launch of a kernel
  double launch_us = 0;
  double launch_us_per_core = 0;
  double launch_start_us = 0;  // from a core's start to the kernel's first instruction
  double launch_call_us = 0;   // more where a framework's call launches it

  // numerics: 1 keeps inf and NaN where the hardware's default saturates
  int64_t numerics_ieee = 0;

  Provenances provenances = {};
};

// Reads configs/<name>.cfg, or the file itself if the name holds a '/' or ends in ".cfg". `overrides` are
// "key=value" and win over the file. Throws UserError that names file, key, value and bound; lists every
// missing key at once.
[[nodiscard]] SocConfig LoadSoc(std::string_view name_or_path, std::span<const std::string> overrides = {});

// Names LoadSoc knows without a path, sorted.
[[nodiscard]] std::vector<std::string> KnownSocs();

}  // namespace tilesim
