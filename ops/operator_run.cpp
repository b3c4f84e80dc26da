#include "ops/operator_run.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "formats/units.h"
#include "ops/harness/device_tensor.h"

namespace tilesim {
namespace {

// The buffers of GM, in the order of Operator::Kernel.
std::vector<OperatorTensor> TensorsOf(const Operator& op, const Plan& plan) {
  std::vector<OperatorTensor> tensors = op.Inputs();
  std::ranges::move(op.Outputs(), std::back_inserter(tensors));
  std::ranges::move(op.Workspace(plan), std::back_inserter(tensors));
  return tensors;
}

// Does buffer `i` hold something before the launch? `given` inputs, outputs up to `made`, then workspace.
bool IsInitialised(size_t i, size_t given, size_t made, const RunOptions& options) {
  return i < given || (i < made && options.adds_to_outputs);
}

LaunchOptions OptionsOf(const Operator& op, const Plan& plan, const RunOptions& options) {
  if (!plan.legal) {
    throw std::logic_error("an operator was started with a plan that is not legal");
  }
  LaunchOptions launch;
  launch.type = op.TypeOf(plan);
  launch.blocks = plan.UsedCores();
  launch.mode = options.mode;
  launch.threads = options.threads;
  launch.observer = options.observer;
  launch.drop_sync = options.drop_sync;
  launch.sync_sites = options.sync_sites;
  launch.recording = options.recording;
  return launch;
}

std::function<void()> KernelOf(const Operator& op, const Plan& plan, const LaunchOptions& launch) {
  std::vector<uint8_t*> gm;
  for (const GmBuffer& buffer : launch.gm.buffers()) {
    gm.push_back(reinterpret_cast<uint8_t*>(buffer.address));
  }
  return [&op, &plan, gm] { op.Kernel(plan, gm); };
}

}  // namespace

int64_t CoresOf(const Operator& op, const SocConfig& soc) {
  return HasAics(op.Type()) ? soc.aic_cores : soc.aic_cores * soc.aiv_per_aic;
}

OperatorRun RunOperator(const Operator& op, const Plan& plan, const SocConfig& soc,
                        std::vector<Tensor> inputs, const RunOptions& options, std::vector<Tensor> held) {
  const std::vector<OperatorTensor> tensors = TensorsOf(op, plan);
  const size_t given = inputs.size();
  const size_t made = given + op.Outputs().size();  // behind them is the workspace
  if (!options.mode.values || given != op.Inputs().size() ||
      held.size() != (options.adds_to_outputs ? made - given : 0)) {
    throw std::logic_error("RunOperator: needs a mode with values and a tensor for each buffer with some");
  }
  LaunchOptions launch = OptionsOf(op, plan, options);
  std::vector<Tensor> buffers = std::move(inputs);
  for (size_t i = 0; i < tensors.size(); ++i) {
    const bool initialised = IsInitialised(i, given, made, options);
    if (i < given) {
      buffers[i] = ToDevice(std::move(buffers[i]), tensors[i].device);
    } else if (initialised) {
      buffers.push_back(std::move(held[i - given]));
    } else {
      buffers.emplace_back(tensors[i].dtype, tensors[i].device);
    }
    if (!initialised && options.mode.hazards) {
      std::memset(buffers[i].data(), 0xFF, buffers[i].size_bytes());  // NaN: what is not written shows
    }
    launch.gm.Add({.name = tensors[i].name,
                   .address = reinterpret_cast<uint64_t>(buffers[i].data()),
                   .size_bytes = buffers[i].size_bytes(),
                   .initialised = initialised});
  }
  OperatorRun run{.outputs = {}, .launch = Launch(soc, launch, KernelOf(op, plan, launch))};
  for (size_t i = given; i < made; ++i) {
    run.outputs.push_back(ToHost(std::move(buffers[i]), tensors[i].host));
  }
  return run;
}

LaunchOptions TimedLaunch(const Operator& op, const Plan& plan, const RunOptions& options) {
  LaunchOptions launch = OptionsOf(op, plan, options);
  launch.mode = {.values = false, .time = true, .hazards = false, .strict_sync = options.mode.strict_sync};
  // numbers only: nothing stands behind these addresses, and no instruction asks for it
  constexpr uint64_t kBase = uint64_t{1} << 40;
  constexpr uint64_t kPageBytes = 4096;
  const std::vector<OperatorTensor> tensors = TensorsOf(op, plan);
  const size_t given = op.Inputs().size();
  const size_t made = given + op.Outputs().size();
  uint64_t address = kBase;
  for (size_t i = 0; i < tensors.size(); ++i) {
    launch.gm.Add({.name = tensors[i].name,
                   .address = address,
                   .size_bytes = tensors[i].DeviceBytes(),
                   .initialised = IsInitialised(i, given, made, options)});
    address = AlignUp(address + tensors[i].DeviceBytes(), kPageBytes);
  }
  return launch;
}

LaunchResult TimeOperator(const Operator& op, const Plan& plan, const SocConfig& soc,
                          const RunOptions& options) {
  const LaunchOptions launch = TimedLaunch(op, plan, options);
  return Launch(soc, launch, KernelOf(op, plan, launch));
}

WatchedLaunch WatchOperator(const Operator& op, const Plan& plan, const SocConfig& soc,
                            const RunOptions& options) {
  const LaunchOptions launch = TimedLaunch(op, plan, options);
  return WatchLaunch(soc, launch, KernelOf(op, plan, launch));
}

}  // namespace tilesim
