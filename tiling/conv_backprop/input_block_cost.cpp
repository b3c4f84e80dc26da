#include "tiling/conv_backprop/input_block_cost.h"

#include <algorithm>

#include "formats/units.h"
#include "sim/isa/cost.h"
#include "tiling/conv_backprop/input_blocks.h"
#include "tiling/cube_sizes.h"
#include "tiling/rough_time.h"

namespace tilesim {

InputBlockCost::InputBlockCost(const InputProblem& problem, const SocConfig& soc, const InputCut& cut)
    : p_(problem), soc_(soc), c0_(C0Of(problem.dtype)), cout1_(ExtentsOf(problem).cout1_g) {
  const TConv3DBackpropInputTiling fields = TilingOf(problem, cut, {}).data.conv3DDxTiling;
  const int64_t pad_up = BackpropPadsOf(AxisH(problem)).before;
  const ConvBackpropApi::InputShape shape =
      ConvBackpropApi::ShapeOf(fields, -pad_up, cut.rows, cut.lines, true);
  split_h_ = shape.rows.split;
  split_w_ = shape.columns.split;
  width_ = CeilDiv(problem.wi, split_w_);
  m_ = CeilDiv(cut.rows, split_h_) * width_;
  n_ = AlignUp(cut.lines * c0_, int64_t{16});
  write_cycles_per_byte_ =
      std::max(static_cast<double>(4 / SizeOf(problem.dtype)) / soc.fixpipe_bytes_per_cycle,
               Real(cut.cores) /
                   (WritesWaitForHbm(soc) ? soc.hbm_total_bytes_per_cycle : soc.l2_total_bytes_per_cycle));
  for (uint32_t h = 0; h < shape.rows.split; ++h) {
    for (uint32_t w = 0; w < shape.columns.split; ++w) {
      const int64_t taps = int64_t{PhaseOf(shape.rows, h).taps} * PhaseOf(shape.columns, w).taps;
      const auto same = std::ranges::find(phases_, taps, &Phase::taps);
      if (same == phases_.end()) {
        phases_.push_back({.taps = taps, .count = 1});
      } else {
        ++same->count;
      }
    }
  }
}

InputBlockCost::KCycles InputBlockCost::CyclesOfK(const CubeChoice& choice, int64_t k_length) const {
  const int64_t pixels = std::min(choice.base_m, m_);
  const int64_t parts = k_length / c0_;
  const int64_t lines = std::min(choice.base_n, n_) / c0_;
  const double mean_m = Real(m_) / Real(CeilDiv(m_, choice.base_m)) / Real(pixels);
  const double load_a = mean_m * Real(isa::Img2ColCost(soc_, Memory::kL0A,
                                                       {.m_start = 0,
                                                        .m_extension = AlignUp(pixels, int64_t{16}),
                                                        .channel_blocks = parts,
                                                        .out_width = width_})
                                          .busy_cycles);
  const double load_b =
      c0_ == 16 ? Real(parts * isa::LoadCost(soc_, Memory::kL0B, lines).busy_cycles)
                : Real(parts * isa::Img2ColCost(
                                   soc_, Memory::kL0B,
                                   {.m_start = 0, .m_extension = 8, .channel_blocks = lines, .out_width = 64})
                                   .busy_cycles);
  double cube =
      mean_m *
      Real(isa::MmadCost(soc_, p_.dtype, p_.hf32, pixels, std::min(choice.base_n, n_), k_length).busy_cycles);
  if (choice.base_m * choice.base_n < kSelfOrdered) {
    cube += Real(soc_.mmad_latency_cycles + 2);
  }
  return {cube, load_a + load_b};
}

double InputBlockCost::PartReached(int64_t base_m) const {
  if (split_h_ > 1) {
    return 1;
  }
  const int64_t pixels = std::min(base_m, m_);
  const double rows = split_w_ > 1
                          ? Real(std::max<int64_t>(1, pixels / width_))  // whole rows or a part of one
                          : 1 + Real(pixels - 1) / Real(width_);         // in the mean
  return std::min(1.0, (rows + Real((p_.hk - 1) * p_.dilation_h)) / Real(p_.stride_h));
}

double InputBlockCost::TaskCycles(const CubeChoice& choice, int64_t planes, double taps_d) const {
  const double latency = Real(soc_.load_latency_cycles + soc_.mmad_latency_cycles + 3);
  const double steps = Real(cout1_) / Real(planes) * taps_d;
  double inner = 0;  // of one block of M and N in each phase
  for (const Phase& phase : phases_) {
    const int64_t k_step = planes * phase.taps * c0_;
    if (k_step == 0) {
      continue;
    }
    const int64_t blocks = CeilDiv(k_step, choice.base_k);
    const KCycles k = CyclesOfK(choice, AlignUp(CeilDiv(k_step, blocks), c0_));
    // two halves of L0 in turn: a load waits for the product before the last
    const double chain = (k.cube + k.loads + latency) / 2;
    inner += Real(phase.count * blocks) * steps * std::max({k.cube, k.loads, chain});
  }
  const double blocks_a_phase = Real(CeilDiv(m_, choice.base_m) * CeilDiv(n_, choice.base_n));
  const double blocks = blocks_a_phase * Real(phases());
  const auto block_bytes = Real(std::min(choice.base_m, m_) * std::min(choice.base_n, n_)) *
                           Real(static_cast<int64_t>(SizeOf(p_.dtype)));
  const double fix = blocks * std::max(Real(soc_.fixpipe_floor_cycles), block_bytes * write_cycles_per_byte_);
  const double products = inner * blocks_a_phase * PartReached(choice.base_m);
  return choice.l0c_copies == 2 ? std::max(products, fix)
                                : products + fix + blocks * Real(soc_.gm_write_latency_cycles + 60);
}

}  // namespace tilesim
