// The host of mul_custom.cpp: on the CPU twin with -DASCENDC_CPU_DEBUG=1; else on the device, through the generated
// header of the kernel, or with -DUSE_DO_FUNCTION through the function beside it.
#include <cstdint>
#include <cstdio>
#include <cstring>
#ifndef ASCENDC_CPU_DEBUG
#include "acl/acl.h"
#ifdef USE_DO_FUNCTION
extern void mul_custom_do(uint32_t coreDim, void* l2ctrl, void* stream, uint8_t* x, uint8_t* y, uint8_t* z,
                          uint8_t* workspace, uint8_t* tiling);
#else
#include "aclrtlaunch_mul_custom.h"
#endif
#else
#include "tikicpulib.h"
extern "C" __global__ __aicore__ void mul_custom(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling);
#endif

namespace {
constexpr uint32_t BLOCK_DIM = 8;
constexpr uint32_t TOTAL_LENGTH = 8 * 2048;
constexpr size_t TENSOR_BYTES = TOTAL_LENGTH * sizeof(uint16_t);
constexpr size_t WORKSPACE_BYTES = 1024;

// 1, 2, 4 or 8 as the bits of a half: products are exact
uint16_t PowerOfTwo(uint32_t exponent) { return static_cast<uint16_t>((15 + exponent % 4) << 10); }

int Check(const uint16_t* z) {
  for (uint32_t i = 0; i < TOTAL_LENGTH; i++) {
    const auto expected = static_cast<uint16_t>((15 + i % 4 + (i / 3) % 4) << 10);
    if (z[i] != expected) {
      printf("element %u is 0x%04x, expected 0x%04x\n", i, z[i], expected);
      return 1;
    }
  }
  printf("test pass!\n");
  return 0;
}
void Fill(uint16_t* x, uint16_t* y) {
  for (uint32_t i = 0; i < TOTAL_LENGTH; i++) {
    x[i] = PowerOfTwo(i);
    y[i] = PowerOfTwo(i / 3);
  }
}
}  // namespace

int32_t main(int32_t argc, char* argv[]) {
  const uint32_t tiling[2] = {TOTAL_LENGTH, 8};
#ifdef ASCENDC_CPU_DEBUG
  uint8_t* x = (uint8_t*)AscendC::GmAlloc(TENSOR_BYTES);
  uint8_t* y = (uint8_t*)AscendC::GmAlloc(TENSOR_BYTES);
  uint8_t* z = (uint8_t*)AscendC::GmAlloc(TENSOR_BYTES);
  uint8_t* workspace = (uint8_t*)AscendC::GmAlloc(WORKSPACE_BYTES);
  uint8_t* tilingGm = (uint8_t*)AscendC::GmAlloc(sizeof(tiling));
  Fill((uint16_t*)x, (uint16_t*)y);
  memcpy(tilingGm, tiling, sizeof(tiling));
  AscendC::SetKernelMode(KernelMode::AIV_MODE);
  ICPU_SET_TILING_KEY(1);
  ICPU_RUN_KF(mul_custom, BLOCK_DIM, x, y, z, workspace, tilingGm);
  const int result = Check((uint16_t*)z);
  AscendC::GmFree((void*)x);
  AscendC::GmFree((void*)y);
  AscendC::GmFree((void*)z);
  AscendC::GmFree((void*)workspace);
  AscendC::GmFree((void*)tilingGm);
#else
  aclInit(nullptr);
  int32_t deviceId = 0;
  aclrtSetDevice(deviceId);
  aclrtStream stream = nullptr;
  aclrtCreateStream(&stream);
  uint8_t *xHost, *yHost, *zHost;
  uint8_t *xDevice, *yDevice, *zDevice, *workspaceDevice, *tilingDevice;
  aclrtMallocHost((void**)(&xHost), TENSOR_BYTES);
  aclrtMallocHost((void**)(&yHost), TENSOR_BYTES);
  aclrtMallocHost((void**)(&zHost), TENSOR_BYTES);
  aclrtMalloc((void**)&xDevice, TENSOR_BYTES, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc((void**)&yDevice, TENSOR_BYTES, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc((void**)&zDevice, TENSOR_BYTES, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc((void**)&workspaceDevice, WORKSPACE_BYTES, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc((void**)&tilingDevice, sizeof(tiling), ACL_MEM_MALLOC_HUGE_FIRST);
  Fill((uint16_t*)xHost, (uint16_t*)yHost);
  aclrtMemcpy(xDevice, TENSOR_BYTES, xHost, TENSOR_BYTES, ACL_MEMCPY_HOST_TO_DEVICE);
  aclrtMemcpy(yDevice, TENSOR_BYTES, yHost, TENSOR_BYTES, ACL_MEMCPY_HOST_TO_DEVICE);
  aclrtMemcpy(tilingDevice, sizeof(tiling), tiling, sizeof(tiling), ACL_MEMCPY_HOST_TO_DEVICE);
#ifdef USE_DO_FUNCTION
  mul_custom_do(BLOCK_DIM, nullptr, stream, xDevice, yDevice, zDevice, workspaceDevice, tilingDevice);
#else
  ACLRT_LAUNCH_KERNEL(mul_custom)(BLOCK_DIM, stream, xDevice, yDevice, zDevice, workspaceDevice, tilingDevice);
#endif
  aclrtSynchronizeStream(stream);
  aclrtMemcpy(zHost, TENSOR_BYTES, zDevice, TENSOR_BYTES, ACL_MEMCPY_DEVICE_TO_HOST);
  const int result = Check((uint16_t*)zHost);
  aclrtFree(xDevice);
  aclrtFree(yDevice);
  aclrtFree(zDevice);
  aclrtFree(workspaceDevice);
  aclrtFree(tilingDevice);
  aclrtFreeHost(xHost);
  aclrtFreeHost(yHost);
  aclrtFreeHost(zHost);
  aclrtDestroyStream(stream);
  aclrtResetDevice(deviceId);
  aclFinalize();
#endif
  return result;
}
