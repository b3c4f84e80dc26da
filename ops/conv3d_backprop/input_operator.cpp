#include "ops/conv3d_backprop/input_operator.h"

#include <cstring>
#include <stdexcept>
#include <utility>

#include "ops/conv3d_backprop/backprop_input_kernel.h"
#include "ops/conv3d_backprop/device_layout.h"

namespace tilesim {
namespace {

LaunchOptions OptionsOf(const InputPlan& plan, const InputRunOptions& options) {
  LaunchOptions launch;
  launch.type = KernelType::kMixAic1Aiv0;
  launch.blocks = plan.tiling.split.used_cores;
  launch.mode = options.mode;
  launch.threads = options.threads;
  launch.observer = options.observer;
  launch.drop_sync = options.drop_sync;
  launch.sync_sites = options.sync_sites;
  return launch;
}

struct InputAddresses {
  uint64_t dy = 0;
  uint64_t filter = 0;
  uint64_t dx = 0;
};

LaunchResult LaunchInput(const Conv3dProblem& problem, const InputPlan& plan, const SocConfig& soc,
                         const LaunchOptions& launch, const InputAddresses& at) {
  const auto pointer = [](uint64_t address) { return reinterpret_cast<uint8_t*>(address); };
  return Launch(soc, launch, [&] {
    if (problem.dtype == DType::kFp16) {
      BackpropInputKernel<half>().Process(pointer(at.dy), pointer(at.filter), pointer(at.dx), plan.tiling);
    } else if (problem.dtype == DType::kBf16) {
      BackpropInputKernel<bfloat16_t>().Process(pointer(at.dy), pointer(at.filter), pointer(at.dx),
                                                plan.tiling);
    } else {
      BackpropInputKernel<float>().Process(pointer(at.dy), pointer(at.filter), pointer(at.dx), plan.tiling);
    }
  });
}

void AddBuffers(GmSpace& gm, const InputAddresses& at, uint64_t dy_bytes, uint64_t filter_bytes,
                uint64_t dx_bytes) {
  gm.Add({.name = "dy", .address = at.dy, .size_bytes = dy_bytes, .initialised = true});
  gm.Add({.name = "filter", .address = at.filter, .size_bytes = filter_bytes, .initialised = true});
  gm.Add({.name = "dx", .address = at.dx, .size_bytes = dx_bytes, .initialised = false});
}

}  // namespace

InputProblem ToInputProblem(const Conv3dProblem& problem) {
  // planners take the pads as stated; where the output size is not rounded down, windows reach further or
  // less far
  const Pads pad = problem.rounding == Rounding::kFloor ? problem.pad : problem.ReachedPad();
  InputProblem input;
  input.batch = problem.batch;
  input.cin = problem.cin;
  input.di = problem.in.d;
  input.hi = problem.in.h;
  input.wi = problem.in.w;
  input.cout = problem.cout;
  input.dout = problem.out.d;
  input.ho = problem.out.h;
  input.wo = problem.out.w;
  input.dk = problem.kernel.d;
  input.hk = problem.kernel.h;
  input.wk = problem.kernel.w;
  input.stride_d = problem.stride.d;
  input.stride_h = problem.stride.h;
  input.stride_w = problem.stride.w;
  input.dilation_d = problem.dilation.d;
  input.dilation_h = problem.dilation.h;
  input.dilation_w = problem.dilation.w;
  input.pad_front = pad.front;
  input.pad_back = pad.back;
  input.pad_up = pad.top;
  input.pad_down = pad.bottom;
  input.pad_left = pad.left;
  input.pad_right = pad.right;
  input.transpose = problem.transposed;
  input.output_pad_d = problem.output_padding.d;
  input.output_pad_h = problem.output_padding.h;
  input.output_pad_w = problem.output_padding.w;
  input.groups = problem.groups;
  input.dtype = problem.dtype;
  input.hf32 = problem.hf32;
  return input;
}

InputRun RunInput(const Conv3dProblem& problem, const InputPlan& plan, const SocConfig& soc, Tensor dy,
                  Tensor filter, const InputRunOptions& options) {
  if (!plan.legal || !options.mode.values) {
    throw std::logic_error("RunInput: needs a legal plan and a mode with values");
  }
  Tensor device_dy = ToDevice(std::move(dy), DeviceDyLayout(problem));
  Tensor device_filter = ToDevice(std::move(filter), DeviceFilterLayout(problem));
  Tensor device_dx(problem.dtype, DeviceXLayout(problem));
  if (options.mode.hazards) {
    std::memset(device_dx.data(), 0xFF, device_dx.size_bytes());  // NaN: what is not written shows
  }
  LaunchOptions launch = OptionsOf(plan, options);
  const InputAddresses at = {.dy = reinterpret_cast<uint64_t>(device_dy.data()),
                             .filter = reinterpret_cast<uint64_t>(device_filter.data()),
                             .dx = reinterpret_cast<uint64_t>(device_dx.data())};
  AddBuffers(launch.gm, at, device_dy.size_bytes(), device_filter.size_bytes(), device_dx.size_bytes());
  LaunchResult result = LaunchInput(problem, plan, soc, launch, at);
  return {ToHost(device_dx, problem.XLayout()), std::move(result)};
}

LaunchOptions TimedInputLaunch(const Conv3dProblem& problem, const InputPlan& plan,
                               const InputRunOptions& options) {
  const auto bytes = [&](const Layout& layout) {
    return static_cast<uint64_t>(layout.StorageElements()) * SizeOf(problem.dtype);
  };
  const uint64_t dy_bytes = bytes(DeviceDyLayout(problem));
  const uint64_t filter_bytes = bytes(DeviceFilterLayout(problem));
  // numbers only: nothing stands behind these addresses, and no instruction asks for it
  constexpr uint64_t kBase = uint64_t{1} << 40;
  const auto after = [](uint64_t address, uint64_t size) { return (address + size + 4095) / 4096 * 4096; };
  InputAddresses at{.dy = kBase};
  at.filter = after(at.dy, dy_bytes);
  at.dx = after(at.filter, filter_bytes);
  LaunchOptions launch = OptionsOf(plan, options);
  launch.mode = {.values = false, .time = true, .hazards = false};
  AddBuffers(launch.gm, at, dy_bytes, filter_bytes, bytes(DeviceXLayout(problem)));
  return launch;
}

LaunchResult TimeInput(const Conv3dProblem& problem, const InputPlan& plan, const SocConfig& soc,
                       const InputRunOptions& options) {
  if (!plan.legal) {
    throw std::logic_error("TimeInput: needs a legal plan");
  }
  const LaunchOptions launch = TimedInputLaunch(problem, plan, options);
  const std::vector<GmBuffer>& buffers = launch.gm.buffers();
  return LaunchInput(problem, plan, soc, launch,
                     {.dy = buffers[0].address, .filter = buffers[1].address, .dx = buffers[2].address});
}

}  // namespace tilesim
