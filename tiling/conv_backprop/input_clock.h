#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "sim/soc/soc_config.h"
#include "tiling/conv_backprop/core_share.h"
#include "tiling/conv_backprop/input_blocks.h"
#include "tiling/conv_backprop/input_l1.h"
#include "tiling/conv_backprop/input_moves.h"
#include "tiling/conv_backprop/input_step_order.h"
#include "tiling/conv_backprop/input_tasks.h"
#include "tiling/conv_backprop/input_tiling.h"

namespace tilesim {

// Plays the tile program of the input gradient on one core as far as time is concerned: L1 loads ahead of
// their use, L0 halves, accumulation, write-out, each pipe in order and no earlier than what it waits for.
// Steps are those of the object API; costs are the simulator's; what the core has met before comes from L2.
// Knows no data and no flags as such.
class InputClock {
 public:
  // Busy cycles of the pipes of a core alone, beside what they add up to in time.
  struct Busy {
    double cube = 0, mte1 = 0, mte2 = 0, fix = 0;
  };

  // `work` says what of dy and the weights other cores fetch.
  InputClock(const InputProblem& problem, const TConv3DBackpropInputTiling& tiling, const SocConfig& soc,
             int64_t cores, const InputCoreWork& work);

  // One task after what was played before, as far as `most_steps` blocks of K of all tasks go. Gives the
  // share of the task that was played.
  double Play(const InputTask& task, double most_steps);
  // Blocks of K of all blocks of M and N of one task: about what playing it costs.
  [[nodiscard]] double StepsOf(const InputTask& task) const;
  // Blocks of K played so far.
  [[nodiscard]] double steps() const { return steps_; }
  // When the last write is complete.
  [[nodiscard]] double now() const;
  [[nodiscard]] const Busy& busy() const { return busy_; }

 private:
  // Up to two tiles of one operand in L1 and when they can be used.
  struct Tiles {
    struct Slot {
      InputTileKey key;
      double ready = 0;
      bool held = false;
      InputMoves::Zeros zeros{};
    };
    std::array<Slot, 2> slots;
    int64_t copies = 1;
    size_t in_use = 0;
  };
  // Cycles of the instructions of one block of K.
  struct KCosts {
    int64_t length = 0;
    double load_a = 0, load_b = 0, multiply = 0;
    int64_t entries = 0;  // of MTE1's queue
  };

  [[nodiscard]] InputTileKey KeyA(const ConvBackpropApi::InputStep& step) const;
  [[nodiscard]] InputTileKey KeyB(const ConvBackpropApi::InputStep& step) const;

  void PlayBlock();
  void PlayStep(const ConvBackpropApi::InputStep& step, bool first);
  void PlayK(const KCosts& costs, bool first, bool barrier);
  void PlayWrite();
  bool Need(Tiles& tiles, const InputTileKey& key, const ConvBackpropApi::InputStep& step, double& ready);
  void BringNext(Tiles& tiles, const ConvBackpropApi::InputStep& step, const InputTileKey& key);
  void Fill(Tiles& tiles, size_t slot, const InputTileKey& key, const ConvBackpropApi::InputStep& step);
  const KCosts& CostsOf(const ConvBackpropApi::InputStep& step, int64_t k_length);

  const InputProblem& p_;
  const TConv3DBackpropInputTiling& t_;
  const SocConfig& soc_;
  InputMoves moves_;
  InputExtents e_;
  InputDepth depth_;
  ConvBackpropApi::InputStepOrder order_;
  double phases_;
  bool halves_;
  double load_latency_, multiply_latency_;
  Busy busy_;
  double steps_ = 0, most_steps_ = 0;

  // the task in hand
  InputTask task_;
  int64_t tensor_a_ = -1, tensor_b_ = -1;  // where dy and the weights of the task begin
  ConvBackpropApi::InputBlockWalk walk_;
  std::vector<KCosts> k_costs_;  // of the block in hand

  // the pipes
  double scalar_ = 0, mte2_free_ = 0, mte1_free_ = 0, mte1_done_ = 0, m_free_ = 0, m_done_ = 0, fix_free_ = 0;
  CoreShares shares_;
  std::array<double, 2> half_free_{}, c_free_{};
  size_t half_ = 0, c_next_ = 0;
  struct Queued {
    double left = 0;
    int64_t entries = 0;
  };
  static constexpr size_t kMostQueued = 16;
  std::array<Queued, kMostQueued> queue_{};  // blocks of K whose loads stand in MTE1's queue
  size_t queue_next_ = 0;
  int64_t queued_ = 0;
  Tiles a_, b_;
};

}  // namespace tilesim
