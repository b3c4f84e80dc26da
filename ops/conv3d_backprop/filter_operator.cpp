#include "ops/conv3d_backprop/filter_operator.h"

#include <stdexcept>
#include <utility>

#include "formats/error.h"
#include "ops/conv3d_backprop/backprop_filter_kernel.h"
#include "ops/conv3d_backprop/device_layout.h"

namespace tilesim {
namespace {

LaunchOptions OptionsOf(const FilterPlan& plan, const FilterRunOptions& options) {
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

struct FilterAddresses {
  uint64_t x = 0;
  uint64_t dy = 0;
  uint64_t dw = 0;
};

LaunchResult LaunchFilter(const Conv3dProblem& problem, const FilterPlan& plan, const SocConfig& soc,
                          const LaunchOptions& launch, const FilterAddresses& at) {
  const auto pointer = [](uint64_t address) { return reinterpret_cast<uint8_t*>(address); };
  return Launch(soc, launch, [&] {
    if (problem.dtype == DType::kFp16) {
      BackpropFilterKernel<half>().Process(pointer(at.x), pointer(at.dy), pointer(at.dw), plan.tiling);
    } else if (problem.dtype == DType::kBf16) {
      BackpropFilterKernel<bfloat16_t>().Process(pointer(at.x), pointer(at.dy), pointer(at.dw), plan.tiling);
    } else {
      BackpropFilterKernel<float>().Process(pointer(at.x), pointer(at.dy), pointer(at.dw), plan.tiling);
    }
  });
}

void AddBuffers(GmSpace& gm, const FilterAddresses& at, uint64_t x_bytes, uint64_t dy_bytes,
                uint64_t dw_bytes) {
  gm.Add({.name = "x", .address = at.x, .size_bytes = x_bytes, .initialised = true});
  gm.Add({.name = "dy", .address = at.dy, .size_bytes = dy_bytes, .initialised = true});
  gm.Add({.name = "dw", .address = at.dw, .size_bytes = dw_bytes, .initialised = false});
}

}  // namespace

FilterProblem ToFilterProblem(const Conv3dProblem& problem) {
  // planners take the pads as stated; where the output size is not rounded down, windows reach further or
  // less far
  const Pads pad = problem.rounding == Rounding::kFloor ? problem.pad : problem.ReachedPad();
  return {.batch = problem.batch,
          .cin = problem.cin,
          .di = problem.in.d,
          .hi = problem.in.h,
          .wi = problem.in.w,
          .cout = problem.cout,
          .dout = problem.out.d,
          .ho = problem.out.h,
          .wo = problem.out.w,
          .dk = problem.kernel.d,
          .hk = problem.kernel.h,
          .wk = problem.kernel.w,
          .stride_d = problem.stride.d,
          .stride_h = problem.stride.h,
          .stride_w = problem.stride.w,
          .dilation_d = problem.dilation.d,
          .dilation_h = problem.dilation.h,
          .dilation_w = problem.dilation.w,
          .pad_front = pad.front,
          .pad_back = pad.back,
          .pad_up = pad.top,
          .pad_down = pad.bottom,
          .pad_left = pad.left,
          .pad_right = pad.right,
          .groups = problem.groups,
          .dtype = problem.dtype,
          .hf32 = problem.hf32};
}

FilterRun RunFilter(const Conv3dProblem& problem, const FilterPlan& plan, const SocConfig& soc, Tensor x,
                    Tensor dy, const FilterRunOptions& options) {
  if (!plan.legal || !options.mode.values) {
    throw std::logic_error("RunFilter: needs a legal plan and a mode with values");
  }
  Tensor device_x = ToDevice(std::move(x), DeviceXLayout(problem));
  Tensor device_dy = ToDevice(std::move(dy), DeviceDyLayout(problem));
  Tensor device_dw(DType::kFp32, DeviceFilterLayout(problem));
  LaunchOptions launch = OptionsOf(plan, options);
  const FilterAddresses at = {.x = reinterpret_cast<uint64_t>(device_x.data()),
                              .dy = reinterpret_cast<uint64_t>(device_dy.data()),
                              .dw = reinterpret_cast<uint64_t>(device_dw.data())};
  AddBuffers(launch.gm, at, device_x.size_bytes(), device_dy.size_bytes(), device_dw.size_bytes());
  LaunchResult result = LaunchFilter(problem, plan, soc, launch, at);
  return {ToHost(device_dw, problem.FilterLayout()), std::move(result)};
}

LaunchOptions TimedFilterLaunch(const Conv3dProblem& problem, const FilterPlan& plan,
                                const FilterRunOptions& options) {
  const auto element = static_cast<int64_t>(SizeOf(problem.dtype));
  const auto x_bytes = static_cast<uint64_t>(DeviceXLayout(problem).StorageElements() * element);
  const auto dy_bytes = static_cast<uint64_t>(DeviceDyLayout(problem).StorageElements() * element);
  const auto dw_bytes = static_cast<uint64_t>(DeviceFilterLayout(problem).StorageElements()) * sizeof(float);
  // numbers only: nothing stands behind these addresses, and no instruction asks for it
  constexpr uint64_t kBase = uint64_t{1} << 40;
  const auto after = [](uint64_t address, uint64_t bytes) { return (address + bytes + 4095) / 4096 * 4096; };
  FilterAddresses at{.x = kBase};
  at.dy = after(at.x, x_bytes);
  at.dw = after(at.dy, dy_bytes);
  LaunchOptions launch = OptionsOf(plan, options);
  launch.mode = {.values = false, .time = true, .hazards = false};
  AddBuffers(launch.gm, at, x_bytes, dy_bytes, dw_bytes);
  return launch;
}

LaunchResult TimeFilter(const Conv3dProblem& problem, const FilterPlan& plan, const SocConfig& soc,
                        const FilterRunOptions& options) {
  if (!plan.legal) {
    throw std::logic_error("TimeFilter: needs a legal plan");
  }
  const LaunchOptions launch = TimedFilterLaunch(problem, plan, options);
  const std::vector<GmBuffer>& buffers = launch.gm.buffers();
  return LaunchFilter(problem, plan, soc, launch,
                      {.x = buffers[0].address, .dy = buffers[1].address, .dw = buffers[2].address});
}

}  // namespace tilesim
