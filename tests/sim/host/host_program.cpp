// A user's program after the compiler driver's pass: kernels, and scenarios of host code that launch them.
// The tests start it with a scenario's name.
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "acl/acl.h"
#include "kernel_operator.h"
#include "sim/host/crash.h"
#include "sim/host/kernel_launch.h"
#include "tikicpulib.h"

using tilesim::host::Qualifiers;

// As the pass writes `kernel<<<blocks, 0, stream>>>`.
#define LAUNCH(kernel, qualifiers, blocks, stream)                                                         \
  ::tilesim::host::Launch(                                                                                 \
      ::tilesim::host::LaunchSite{#kernel, qualifiers, ::tilesim::SourceLine{__FILE__, __LINE__}}, kernel) \
      .With((blocks), 0, (stream))

namespace {

constexpr uint32_t kShare = 64;  // floats of a block

// z = x + x, a share a block.
__global__ __vector__ void twice(__gm__ float* x, __gm__ float* z) {
  AscendC::TPipe pipe;
  AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
  pipe.InitBuffer(buffer, kShare * sizeof(float));
  AscendC::LocalTensor<float> local = buffer.Get<float>();
  AscendC::GlobalTensor<float> from;
  AscendC::GlobalTensor<float> to;
  from.SetGlobalBuffer(x + kShare * AscendC::GetBlockIdx());
  to.SetGlobalBuffer(z + kShare * AscendC::GetBlockIdx());
  AscendC::DataCopy(local, from, kShare);
  AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(EVENT_ID0);
  AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(EVENT_ID0);
  AscendC::Add(local, local, local, kShare);
  AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID0);
  AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(EVENT_ID0);
  AscendC::DataCopy(to, local, kShare);
}

// L1 and back, on cube cores.
__global__ __cube__ void through_l1(__gm__ float* x, __gm__ float* z) {
  if ASCEND_IS_AIV {
    return;
  }
  AscendC::TPipe pipe;
  AscendC::TBuf<AscendC::TPosition::TSCM> buffer;
  pipe.InitBuffer(buffer, kShare * sizeof(float));
  AscendC::GlobalTensor<float> from;
  AscendC::GlobalTensor<float> to;
  from.SetGlobalBuffer(x + kShare * AscendC::GetBlockIdx());
  to.SetGlobalBuffer(z + kShare * AscendC::GetBlockIdx());
  AscendC::DataCopy(buffer.Get<float>(), from, kShare);
  AscendC::SetFlag<AscendC::HardEvent::MTE2_MTE3>(EVENT_ID0);
  AscendC::WaitFlag<AscendC::HardEvent::MTE2_MTE3>(EVENT_ID0);
  AscendC::DataCopy(to, buffer.Get<float>(), kShare);
}

__global__ __aicore__ void says_its_type(__gm__ float* x, __gm__ float* z) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  through_l1(x, z);
}

// Cube cores do one share, vector cores the next one.
__global__ __aicore__ void both(__gm__ float* x, __gm__ float* z) {
  if ASCEND_IS_AIC {
    through_l1(x, z);
  } else if (AscendC::GetSubBlockIdx() == 0) {
    twice(x + kShare, z + kShare);
  }
}

// Counts what its runs have left, with a pointer of its own.
__global__ __aicore__ void counts(__gm__ float* x, __gm__ float* z) {
  if (AscendC::GetBlockIdx() == 0 && g_coreType == AscendC::AIV) {
    z[kShare] += 1;
  }
  twice(x, z);
}

__global__ __aicore__ void only_prints() { AscendC::PRINTF("hello\n"); }

__global__ __vector__ void prints(int32_t number) { AscendC::PRINTF("number %d\n", number); }

__global__ __vector__ void beyond(__gm__ float* x) { twice(x + 4096, x); }

struct Tiling {
  uint32_t count;
  float factor;
  struct {
    int64_t inner;
  } nested;
};
template <class T>
__global__ __vector__ void takes_struct(__gm__ T* z, Tiling tiling, float add) {
  AscendC::GlobalTensor<T> to;
  to.SetGlobalBuffer(z);
  to.SetValue(0, static_cast<T>(tiling.factor * static_cast<float>(tiling.nested.inner) + add));
}

__global__ __mix__(1, 2) void workspace_kernel(__gm__ uint8_t* x,
                                               __kfc_workspace__ __gm__ uint8_t* workspace) {
  if (AscendC::GetSysWorkSpacePtr() == workspace && AscendC::GetSysWorkSpacePtr() != x) {
    AscendC::PRINTF("workspace is set\n");
  }
}

__global__ __vector__ void spins(__gm__ int32_t* word) {
  AscendC::GlobalTensor<int32_t> flag;
  flag.SetGlobalBuffer(word);
  while (flag.GetValue(0) == 0) {
  }
}

// With a pointer of its own instead of API calls.
__global__ __vector__ void stalls(__gm__ int32_t* word) {
  while (*const_cast<volatile int32_t*>(word) == 0) {
  }
}

__global__ __vector__ void prints_and_crashes() {
  AscendC::printf("hello %d", static_cast<int32_t>(AscendC::GetBlockIdx()));
  if (AscendC::GetBlockIdx() == 1) {
    std::abort();
  }
}

__global__ __vector__ void crashes(__gm__ float* x, int how) {
  twice(x, x);
  if (how == 3) {  // behind the end of what is allocated: the heap's own words
    auto* const bytes = static_cast<volatile char*>(std::malloc(24));
    const volatile int size = 1 << 12;
    for (int i = 0; i < size; ++i) {
      bytes[i] = 1;
    }
    how = 0;
  }
  if (how == 0) {
    *reinterpret_cast<volatile float*>(AscendC::GetBlockIdx() + 8) = 1;
  } else if (how == 1) {
    volatile int zero = how - 1;
    zero = how / zero;
  } else if (how == 2) {
    std::abort();
  } else if (how ==
             4) {  // up from here: over the stack's other variables, and what the C library keeps behind them
    volatile int own[4] = {};
    volatile int* const first = own;
    const volatile int many = 1 << 24;
    for (int i = 0; i < many; ++i) {
      first[i] = 7;
    }
  } else if (how == 5) {
    throw std::runtime_error("boo");
  } else if (how == 6) {
    std::exit(0);
  } else if (how == 7) {
    std::quick_exit(0);
  } else {
    throw how;
  }
}

void Check(const char* what, aclError code) { std::printf("%s %d\n", what, code); }

// A device, a stream, and memory for `blocks` shares.
struct Device {
  explicit Device(uint32_t blocks) : count(blocks * kShare), host(count) {
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtCreateStream(&stream);
    aclrtMalloc(&x, bytes(), ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&z, bytes(), ACL_MEM_MALLOC_HUGE_FIRST);
    for (uint32_t i = 0; i < count; ++i) {
      host[i] = static_cast<float>(i);
    }
    aclrtMemcpy(x, bytes(), host.data(), bytes(), ACL_MEMCPY_HOST_TO_DEVICE);
  }
  ~Device() {
    aclrtFree(x);
    aclrtFree(z);
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
  }
  [[nodiscard]] size_t bytes() const { return count * sizeof(float); }
  // z on the host, `factor` times x?
  void Verdict(float factor, uint32_t first = 0) {
    Check("sync", aclrtSynchronizeStream(stream));
    aclrtMemcpy(host.data(), bytes(), z, bytes(), ACL_MEMCPY_DEVICE_TO_HOST);
    uint32_t right = 0;
    for (uint32_t i = first; i < count; ++i) {
      right += host[i] == factor * static_cast<float>(i) ? 1 : 0;
    }
    std::printf("%u right\n", right);
  }

  uint32_t count;
  std::vector<float> host;
  aclrtStream stream = nullptr;
  float* x = nullptr;
  float* z = nullptr;
};

void Codes() {
  void* memory = nullptr;
  Check("malloc", aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  Check("finalize", aclFinalize());
  Check("init", aclInit(nullptr));
  Check("init", aclInit(nullptr));
  Check("device 3", aclrtSetDevice(3));
  Check("device 0", aclrtSetDevice(0));
  Check("malloc 0", aclrtMalloc(&memory, 0, ACL_MEM_MALLOC_HUGE_FIRST));
  Check("malloc much", aclrtMalloc(&memory, size_t{1} << 40, ACL_MEM_MALLOC_HUGE_FIRST));
  Check("malloc", aclrtMalloc(&memory, 100, ACL_MEM_MALLOC_HUGE_FIRST));
  std::vector<char> host(200);
  Check("h2d", aclrtMemcpy(memory, 100, host.data(), 100, ACL_MEMCPY_HOST_TO_DEVICE));
  Check("over destMax", aclrtMemcpy(memory, 50, host.data(), 100, ACL_MEMCPY_HOST_TO_DEVICE));
  Check("over buffer", aclrtMemcpy(memory, 101, host.data(), 101, ACL_MEMCPY_HOST_TO_DEVICE));
  Check("wrong kind", aclrtMemcpy(memory, 100, host.data(), 100, ACL_MEMCPY_DEVICE_TO_HOST));
  Check("host kind", aclrtMemcpy(host.data(), 100, memory, 100, ACL_MEMCPY_HOST_TO_HOST));
  Check("no kind", aclrtMemcpy(memory, 100, host.data(), 100, static_cast<aclrtMemcpyKind>(7)));
  Check("default kind", aclrtMemcpy(memory, 100, host.data(), 100, ACL_MEMCPY_DEFAULT));
  Check("memset", aclrtMemset(memory, 100, 7, 100));
  Check("memset over", aclrtMemset(static_cast<char*>(memory) + 50, 100, 7, 51));
  Check("2d", aclrtMemcpy2d(memory, 20, host.data(), 40, 10, 5, ACL_MEMCPY_HOST_TO_DEVICE));
  Check("2d over", aclrtMemcpy2d(memory, 20, host.data(), 40, 10, 6, ACL_MEMCPY_HOST_TO_DEVICE));
  constexpr size_t kHuge = size_t{1} << 63;
  Check("2d huge", aclrtMemcpy2d(memory, kHuge, host.data(), kHuge, 10, 3, ACL_MEMCPY_HOST_TO_DEVICE));
  void* none = nullptr;
  Check("host malloc huge", aclrtMallocHost(&none, SIZE_MAX));
  Check("free inside", aclrtFree(static_cast<char*>(memory) + 4));
  Check("free", aclrtFree(memory));
  Check("free twice", aclrtFree(memory));
  Check("free host", aclrtFree(host.data()));
  Check("use freed", aclrtMemset(memory, 100, 7, 100));
  void* pinned = nullptr;
  Check("host malloc", aclrtMallocHost(&pinned, 16));
  Check("host over", aclrtMemcpy(host.data(), 17, pinned, 17, ACL_MEMCPY_HOST_TO_HOST));
  Check("host free", aclrtFreeHost(pinned));
  Check("host free twice", aclrtFreeHost(pinned));
  Check("no stream", aclrtSynchronizeStream(&host));
  Check("reset", aclrtResetDevice(0));
  Check("malloc", aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  Check("finalize", aclFinalize());
  Check("finalize", aclFinalize());
}

void Runs(int blocks) {
  Device device(static_cast<uint32_t>(blocks));
  LAUNCH(twice, Qualifiers::Vector(), blocks, device.stream)(device.x, device.z);
  device.Verdict(2);
}

void Unwritten() {
  Device device(2);
  LAUNCH(twice, Qualifiers::Vector(), 1, device.stream)(device.x, device.z);
  device.Verdict(2);
}

void PartlyWritten() {
  Device device(4);
  void* part = nullptr;
  aclrtMalloc(&part, device.bytes(), ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemcpy(part, device.bytes(), device.host.data(), device.bytes() / 2, ACL_MEMCPY_HOST_TO_DEVICE);
  LAUNCH(twice, Qualifiers::Vector(), 4, device.stream)(static_cast<float*>(part), device.z);
  device.Verdict(2);
}

void Race() {
  Device device(1);
  LAUNCH(twice, Qualifiers::Vector(), 1, device.stream)(device.x, device.z);
  aclrtMemcpy(device.host.data(), device.bytes(), device.z, device.bytes(), ACL_MEMCPY_DEVICE_TO_HOST);
  std::printf("%g\n", device.host[3]);
}

void Faulty(bool exits) {
  Device device(1);
  for (int i = 0; i < 3; ++i) {
    LAUNCH(beyond, Qualifiers::Vector(), 1, device.stream)(device.x);
  }
  Check("sync", aclrtSynchronizeStream(device.stream));
  std::printf("message %s\n", aclGetRecentErrMsg() != nullptr ? "there" : "missing");
  if (exits) {
    std::exit(0);
  }
}

void WrongPointers() {
  Device device(1);
  LAUNCH(twice, Qualifiers::Vector(), 1, device.stream)(device.host.data(), device.z);
  Check("sync", aclrtSynchronizeStream(device.stream));
  LAUNCH(twice, Qualifiers::Vector(), 1, nullptr)(nullptr, device.z);
  float* freed = nullptr;
  aclrtMalloc(&freed, 64, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtFree(freed);
  LAUNCH(twice, Qualifiers::Vector(), 1, nullptr)(freed, device.z);
}

void Events() {
  Device device(2);
  aclrtStream second = nullptr;
  aclrtEvent start = nullptr;
  aclrtEvent done = nullptr;
  aclrtEvent never = nullptr;
  aclrtCreateStream(&second);
  aclrtCreateEventExWithFlag(&start, ACL_EVENT_TIME_LINE);
  aclrtCreateEvent(&done);
  aclrtCreateEvent(&never);
  // The second stream's launch was put there first, and waits.
  aclrtStreamWaitEvent(second, done);
  LAUNCH(twice, Qualifiers::Vector(), 2, second)(device.z, device.z);
  aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
  aclrtQueryEventStatus(done, &status);
  std::printf("recorded %d\n", status);
  Check("sync too early", aclrtSynchronizeStream(second));
  aclrtRecordEvent(start, device.stream);
  LAUNCH(twice, Qualifiers::Vector(), 2, device.stream)(device.x, device.z);
  aclrtRecordEvent(done, device.stream);
  aclrtQueryEventStatus(done, &status);
  std::printf("recorded %d\n", status);
  Check("sync second", aclrtSynchronizeStream(second));
  float ms = -1;
  Check("elapsed", aclrtEventElapsedTime(&ms, start, done));
  std::printf("time %s\n", ms > 0 && ms < 1 ? "of a kernel" : "wrong");
  Check("elapsed never", aclrtEventElapsedTime(&ms, start, never));
  Check("event sync", aclrtSynchronizeEvent(never));
  device.Verdict(4);
  Check("destroy", aclrtDestroyEvent(done));
  Check("destroy twice", aclrtDestroyEvent(done));
  aclrtStreamWaitEvent(second, never);
  LAUNCH(twice, Qualifiers::Vector(), 2, second)(device.z, device.z);
  aclrtDestroyStream(device.stream);
}

void AsyncCopies() {
  Device device(1);
  std::vector<float> back(kShare);
  aclrtMemsetAsync(device.z, device.bytes(), 0, device.bytes(), device.stream);
  aclrtMemcpyAsync(device.x, device.bytes(), device.z, device.bytes(), ACL_MEMCPY_DEVICE_TO_DEVICE,
                   device.stream);
  LAUNCH(twice, Qualifiers::Vector(), 1, device.stream)(device.x, device.z);
  aclrtMemcpyAsync(back.data(), device.bytes(), device.z, device.bytes(), ACL_MEMCPY_DEVICE_TO_HOST,
                   device.stream);
  Check("sync", aclrtSynchronizeDevice());
  std::printf("%g\n", back[5]);
}

void Types(std::string_view which) {
  Device device(2);
  if (which == "said") {
    LAUNCH(says_its_type, Qualifiers{}, 2, device.stream)(device.x, device.z);
    device.Verdict(1);
  } else if (which == "cube") {
    LAUNCH(through_l1, Qualifiers{}, 2, device.stream)(device.x, device.z);
    device.Verdict(1);
  } else if (which == "vector") {
    LAUNCH(twice, Qualifiers{}, 2, device.stream)(device.x, device.z);
    device.Verdict(2);
  } else if (which == "both") {
    LAUNCH(both, Qualifiers{}, 1, device.stream)(device.x, device.z);
    device.Verdict(2, kShare);
  } else if (which == "scalar") {
    LAUNCH(only_prints, Qualifiers{}, 1, device.stream)();
  } else if (which == "counts") {
    aclrtMemset(device.z, device.bytes(), 0, device.bytes());
    LAUNCH(counts, Qualifiers{}, 1, device.stream)(device.x, device.z);
    LAUNCH(counts, Qualifiers{}, 1, device.stream)(device.x, device.z);
    aclrtSynchronizeStream(device.stream);
    aclrtMemcpy(device.host.data(), device.bytes(), device.z, device.bytes(), ACL_MEMCPY_DEVICE_TO_HOST);
    std::printf("counted %g\n", device.host[kShare]);
  } else if (which == "mix") {
    LAUNCH(both, Qualifiers::Mix(3, 1), 1, device.stream)(device.x, device.z);
    Check("sync", aclrtSynchronizeStream(device.stream));
  } else if (which == "batch") {
    LAUNCH(twice, Qualifiers::Vector().Scheduled(1), 1000, device.stream)(device.x, device.z);
  }
}

void Structs() {
  Device device(1);
  const Tiling tiling{.count = 1, .factor = 2.5F, .nested = {.inner = 4}};
  LAUNCH(takes_struct<float>, Qualifiers::Vector(), 1, device.stream)(device.z, tiling, 1);
  aclrtMemset(static_cast<void*>(device.z + 1), device.bytes() - 4, 0, device.bytes() - 4);
  aclrtSynchronizeStream(device.stream);
  aclrtMemcpy(device.host.data(), device.bytes(), device.z, device.bytes(), ACL_MEMCPY_DEVICE_TO_HOST);
  std::printf("%g\n", device.host[0]);
  LAUNCH(workspace_kernel, Qualifiers::Mix(1, 2).WithWorkspace(1), 1, device.stream)
  (reinterpret_cast<uint8_t*>(device.x), reinterpret_cast<uint8_t*>(device.z));
}

void Large() {
  Device device(1);
  ::tilesim::host::Launch(::tilesim::host::LaunchSite{"twice", Qualifiers::Vector(), {__FILE__, __LINE__}},
                          twice)
      .With(1, 1 << 20, device.stream)(device.x, device.z);
  LAUNCH(both, Qualifiers::Mix(1, 2), 1000, device.stream)(device.x, device.z);
  Check("sync", aclrtSynchronizeStream(device.stream));
}

void Information() {
  Device device(1);
  int64_t value = 0;
  aclrtGetDeviceInfo(0, ACL_DEV_ATTR_AICORE_CORE_NUM, &value);
  std::printf("aicores %ld\n", static_cast<long>(value));
  aclrtGetDeviceInfo(0, ACL_DEV_ATTR_VECTOR_CORE_NUM, &value);
  std::printf("vector cores %ld\n", static_cast<long>(value));
  std::printf("%s\n", aclrtGetSocName());
  size_t free_bytes = 0;
  size_t total = 0;
  aclrtGetMemInfo(ACL_HBM_MEM, &free_bytes, &total);
  std::printf("taken %zu\n", total - free_bytes);
  std::printf("half %g %d\n", aclFloat16ToFloat(0x3e00), aclFloatToFloat16(-2.0F));
  std::printf("sizes %zu %zu %zu\n", aclDataTypeSize(ACL_FLOAT16), aclDataTypeSize(ACL_DOUBLE),
              aclDataTypeSize(ACL_INT4));
  aclrtContext context = nullptr;
  aclrtContext current = nullptr;
  Check("context", aclrtCreateContext(&context, 0));
  aclrtGetCurrentContext(&current);
  std::printf("current %d\n", current == context ? 1 : 0);
  Check("destroy", aclrtDestroyContext(context));
  Check("destroy twice", aclrtDestroyContext(context));
}

// The vendor's CPU debugging: faults end nothing.
void Icpu() {
  auto* const x = static_cast<float*>(AscendC::GmAlloc(kShare * sizeof(float)));
  auto* const z = static_cast<float*>(AscendC::GmAlloc(kShare * sizeof(float)));
  x[3] = 21;
  AscendC::SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(beyond, 1, x);
  ICPU_RUN_KF(twice, 1, x, z);
  std::printf("%g\n", z[3]);
  AscendC::GmFree(x);
  AscendC::GmFree(z);
  AscendC::GmFree(AscendC::GmAlloc(0));
}

int Scenario(std::string_view name) {
  if (name == "codes") {
    Codes();
  } else if (name == "runs") {
    Runs(2);
  } else if (name == "waves") {
    Runs(50);
  } else if (name == "unwritten") {
    Unwritten();
  } else if (name == "partly_written") {
    PartlyWritten();
  } else if (name == "race") {
    Race();
  } else if (name == "faulty") {
    Faulty(false);
  } else if (name == "faulty_exit") {
    Faulty(true);
  } else if (name == "wrong_pointers") {
    WrongPointers();
  } else if (name == "events") {
    Events();
  } else if (name == "async") {
    AsyncCopies();
  } else if (name.starts_with("type_")) {
    Types(name.substr(5));
  } else if (name == "structs") {
    Structs();
  } else if (name == "large") {
    Large();
  } else if (name == "information") {
    Information();
  } else if (name == "prints") {
    Device device(1);
    std::printf("before\n");
    LAUNCH(prints, Qualifiers::Vector(), 2, nullptr)(41);
    std::printf("after\n");
  } else if (name == "spins") {
    Device device(1);
    aclrtMemset(device.z, device.bytes(), 0, device.bytes());
    LAUNCH(spins, Qualifiers::Vector(), 1, nullptr)(reinterpret_cast<int32_t*>(device.z));
  } else if (name == "stalls") {
    Device device(1);
    aclrtMemset(device.z, device.bytes(), 0, device.bytes());
    tilesim::host::SetStallLimit(0.3);
    LAUNCH(stalls, Qualifiers::Vector(), 1, nullptr)(reinterpret_cast<int32_t*>(device.z));
  } else if (name.starts_with("crash_")) {
    Device device(1);
    std::printf("before\n");
    LAUNCH(crashes, Qualifiers::Vector(), 2, nullptr)(device.x, name.back() - '0');
  } else if (name == "print_then_crash") {
    std::printf("before\n");
    LAUNCH(prints_and_crashes, Qualifiers::Vector(), 2, nullptr)();
  } else if (name == "fault_then_called") {
    Device device(1);
    tilesim::host::MakeKernelEntry("twice", Qualifiers::Vector(), {}, {}, twice);
    LAUNCH(twice, Qualifiers::Vector(), 1, nullptr)(device.x, nullptr);
    aclrtSynchronizeStream(nullptr);
    twice(nullptr, nullptr);
  } else if (name == "called") {
    tilesim::host::MakeKernelEntry("twice", Qualifiers::Vector(), {}, {}, twice);
    twice(nullptr, nullptr);
  } else if (name == "fault_then_crash") {
    Device device(1);
    LAUNCH(twice, Qualifiers::Vector(), 1, nullptr)(device.x, nullptr);
    LAUNCH(crashes, Qualifiers::Vector(), 1, nullptr)(device.x, 0);
  } else if (name == "no_blocks") {
    Device device(1);
    LAUNCH(twice, Qualifiers::Vector(), 0, nullptr)(device.x, device.z);
  } else if (name == "host_crash") {
    Runs(1);
    raise(SIGSEGV);
  } else if (name == "five") {
    Runs(1);
    return 5;
  } else if (name == "icpu") {
    Icpu();
  } else if (name == "gm_free") {
    void* const memory = AscendC::GmAlloc(8);
    AscendC::GmFree(memory);
    AscendC::GmFree(memory);
  } else if (name == "nothing") {
    return 0;
  } else {
    return 99;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return Scenario(argc > 1 ? argv[1] : ""); }
