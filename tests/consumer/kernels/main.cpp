// Host code in a file of its own, in the form of older kernel projects.
#include "acl/acl.h"
#include "aclrtlaunch_scale.h"
#include "extent.h"

int main() {
  float host[kExtent];
  for (int i = 0; i < kExtent; ++i) {
    host[i] = static_cast<float>(i);
  }
  void* x = nullptr;
  void* z = nullptr;
  aclInit(nullptr);
  aclrtSetDevice(0);
  aclrtMalloc(&x, sizeof host, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMalloc(&z, sizeof host, ACL_MEM_MALLOC_HUGE_FIRST);
  aclrtMemcpy(x, sizeof host, host, sizeof host, ACL_MEMCPY_HOST_TO_DEVICE);
  ACLRT_LAUNCH_KERNEL(scale)(1, nullptr, x, z);
  aclrtSynchronizeDevice();
  aclrtMemcpy(host, sizeof host, z, sizeof host, ACL_MEMCPY_DEVICE_TO_HOST);
  return host[5] == 5 * FACTOR ? 0 : 1;
}
