// What the harness knows of an operator: its tensors, how it is planned, run on a core and judged.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/compare.h"
#include "formats/tensor.h"
#include "ops/plans/plan.h"
#include "sim/core/identity.h"
#include "sim/core/summary.h"
#include "sim/soc/soc_config.h"
#include "tiling/tune/tile_space.h"

namespace tilesim {

// A tensor of the operator: as the user gives or gets it, and as it lies in GM. Both layouts have the same
// logical extents, but for D = 1, which the device's has also where the host's has four axes.
struct OperatorTensor {
  std::string name;  // "x", "dy", "dw", "w", "dx", "y", "argmax"
  DType dtype = DType::kFp16;
  Layout host;
  Layout device;

  [[nodiscard]] uint64_t DeviceBytes() const {
    return static_cast<uint64_t>(device.StorageElements()) * SizeOf(dtype);
  }
};

// What an output must be, by a direct loop that knows no tile. Doubles in canonical order of the output.
struct Truth {
  std::vector<double> values;
  std::vector<int64_t> wholes = {};  // in their place of an int64 output: doubles do not hold all of those
  std::vector<double> absdot;        // sum of absolute products; empty where nothing is summed
  double products = 0;               // the largest number of one output
  // Outputs that the device makes NaN, because it multiplies zeros the direct loop leaves out, are marked 1;
  // empty: none.
  std::vector<uint8_t> nan_on_device;
  std::string_view nan_because;  // "padding: 0 times inf or NaN of dy"
};

// The tilings of one problem that may be searched, and how one is run. Knows no search.
class TunableTilings {
 public:
  virtual ~TunableTilings() = default;
  [[nodiscard]] virtual TileSpace& space() = 0;
  // A tiling of the space as a plan, checked like one given by hand.
  [[nodiscard]] virtual Plan PlanOf(const TilePath& path) const = 0;
  // The core of the launch that has most to do.
  [[nodiscard]] virtual size_t BusiestCoreOf(const TilePath& path) const = 0;
  // Legal tilings that the space has not: what they are, and a time below which none of them runs; 0 where
  // `late` says that nobody waits for it.
  struct LeftOut {
    std::string_view what;
    double bound_us = 0;
  };
  [[nodiscard]] virtual std::optional<LeftOut> left_out(const std::function<bool()>& /*late*/) const {
    return std::nullopt;
  }
  // Bytes of L1 (of poolings: of UB) that it asks for.
  [[nodiscard]] virtual int64_t LocalBytesOf(const Plan& plan) const = 0;
};

// One problem of one operator. Knows no file, no launch and no report.
class Operator {
 public:
  virtual ~Operator() = default;

  [[nodiscard]] virtual std::vector<OperatorTensor> Inputs() const = 0;
  [[nodiscard]] virtual std::vector<OperatorTensor> Outputs() const = 0;
  // What the tile program of a plan keeps in GM for itself.
  [[nodiscard]] virtual std::vector<OperatorTensor> Workspace(const Plan& plan) const {
    (void)plan;
    return {};
  }
  // Throws UserError for values that the operator cannot take. inputs: in the order of Inputs(), any layout.
  virtual void CheckInputs(std::span<const Tensor> inputs) const { (void)inputs; }

  // Whether the first output is made of the values of an input, so that an inf or NaN there may stand in it;
  // of others they only choose what it is made of.
  [[nodiscard]] virtual bool IsMadeOf(size_t input) const {
    (void)input;
    return true;
  }
  // Elements of the first output that are -inf whatever the inputs hold: the maximum of nothing.
  [[nodiscard]] virtual int64_t MaximaOfNothing() const { return 0; }

  // Which cores a launch starts. `cores` below counts those that do the work: AICs, or AIVs where only these
  // are started.
  [[nodiscard]] virtual KernelType Type() const = 0;
  // The type that a plan is launched as: one that starts the same cores, with flags for each other where the
  // tile program needs them.
  [[nodiscard]] virtual KernelType TypeOf(const Plan& plan) const {
    (void)plan;
    return Type();
  }

  [[nodiscard]] virtual Plan MakePlan(PlannerKind planner, const SocConfig& soc, int64_t cores) const = 0;
  // A tiling given as JSON, checked. Throws UserError, with `where`, for text that is no tiling of this
  // operator; one that does not fit comes back not legal.
  [[nodiscard]] virtual Plan GivenPlan(std::string_view json, std::string_view where, const SocConfig& soc,
                                       int64_t cores) const = 0;

  // Is there something to search?
  [[nodiscard]] virtual bool HasTilings() const { return false; }
  // All tilings over up to `cores` cores; nullptr where it has none. `soc` must outlive them.
  [[nodiscard]] virtual std::unique_ptr<TunableTilings> Tilings(const SocConfig& soc, int64_t cores) const {
    (void)soc, (void)cores;
    return nullptr;
  }

  // The tile program of a legal plan, on the calling core. `gm`: the inputs, the outputs, the workspace.
  virtual void Kernel(const Plan& plan, std::span<uint8_t* const> gm) const = 0;

  // One for each output.
  [[nodiscard]] virtual std::vector<Truth> Reference(std::span<const Tensor> inputs, int threads) const = 0;
  // The rule of the error bound for sums as the plan's tiles make them; `truth`: one of Reference().
  [[nodiscard]] virtual Rule RuleOf(const Plan& plan, const Truth& truth) const = 0;
  // What every tiling has to do at least.
  [[nodiscard]] virtual Work LeastWork(const SocConfig& soc) const = 0;
};

}  // namespace tilesim
