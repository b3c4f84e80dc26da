#include "ops/operator_run.h"

#include <cstring>
#include <stdexcept>
#include <utility>

#include "formats/units.h"
#include "ops/device_tensor.h"

namespace tilesim {
namespace {

std::vector<OperatorTensor> TensorsOf(const Operator& op) {
  std::vector<OperatorTensor> tensors = op.Inputs();
  tensors.push_back(op.Output());
  return tensors;
}

LaunchOptions OptionsOf(const Plan& plan, const RunOptions& options) {
  if (!plan.legal) {
    throw std::logic_error("an operator was started with a plan that is not legal");
  }
  LaunchOptions launch;
  launch.type = KernelType::kMixAic1Aiv0;
  launch.blocks = plan.UsedCores();
  launch.mode = options.mode;
  launch.threads = options.threads;
  launch.observer = options.observer;
  launch.drop_sync = options.drop_sync;
  launch.sync_sites = options.sync_sites;
  return launch;
}

LaunchResult Start(const Operator& op, const Plan& plan, const SocConfig& soc, const LaunchOptions& launch) {
  std::vector<uint8_t*> gm;
  for (const GmBuffer& buffer : launch.gm.buffers()) {
    gm.push_back(reinterpret_cast<uint8_t*>(buffer.address));
  }
  return Launch(soc, launch, [&] { op.Kernel(plan, gm); });
}

}  // namespace

OperatorRun RunOperator(const Operator& op, const Plan& plan, const SocConfig& soc,
                        std::vector<Tensor> inputs, const RunOptions& options) {
  const std::vector<OperatorTensor> tensors = TensorsOf(op);
  if (!options.mode.values || inputs.size() + 1 != tensors.size()) {
    throw std::logic_error("RunOperator: needs a mode with values and a tensor for each input");
  }
  LaunchOptions launch = OptionsOf(plan, options);
  const OperatorTensor& output = tensors.back();
  for (size_t i = 0; i < inputs.size(); ++i) {
    inputs[i] = ToDevice(std::move(inputs[i]), tensors[i].device);
  }
  inputs.emplace_back(output.dtype, output.device);
  if (options.mode.hazards) {
    std::memset(inputs.back().data(), 0xFF, inputs.back().size_bytes());  // NaN: what is not written shows
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    launch.gm.Add({.name = tensors[i].name,
                   .address = reinterpret_cast<uint64_t>(inputs[i].data()),
                   .size_bytes = inputs[i].size_bytes(),
                   .initialised = i + 1 < inputs.size()});
  }
  LaunchResult result = Start(op, plan, soc, launch);
  return {ToHost(inputs.back(), output.host), std::move(result)};
}

LaunchOptions TimedLaunch(const Operator& op, const Plan& plan, const RunOptions& options) {
  LaunchOptions launch = OptionsOf(plan, options);
  launch.mode = {.values = false, .time = true, .hazards = false, .strict_sync = options.mode.strict_sync};
  // numbers only: nothing stands behind these addresses, and no instruction asks for it
  constexpr uint64_t kBase = uint64_t{1} << 40;
  constexpr uint64_t kPageBytes = 4096;
  const std::vector<OperatorTensor> tensors = TensorsOf(op);
  uint64_t address = kBase;
  for (size_t i = 0; i < tensors.size(); ++i) {
    launch.gm.Add({.name = tensors[i].name,
                   .address = address,
                   .size_bytes = tensors[i].DeviceBytes(),
                   .initialised = i + 1 < tensors.size()});
    address = AlignUp(address + tensors[i].DeviceBytes(), kPageBytes);
  }
  return launch;
}

LaunchResult TimeOperator(const Operator& op, const Plan& plan, const SocConfig& soc,
                          const RunOptions& options) {
  return Start(op, plan, soc, TimedLaunch(op, plan, options));
}

}  // namespace tilesim
