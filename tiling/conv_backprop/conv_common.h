#pragma once
// Words that host and kernel side of the convolution APIs share, under the vendor's names.
#include <cstdint>

#include "sim/ascendc/types.h"
#include "tiling/platform/platform_ascendc.h"

namespace ConvCommonApi {

// The documentation says ConvCommonApi::TPosition where the headers have AscendC::TPosition: they are one.
using AscendC::TPosition;

// The names are the vendor's.
enum class ConvFormat : uint32_t {
  ND = 0,
  NCHW,
  NHWC,
  HWCN,
  NCDHW,
  NDHWC,
  DHWCN,
  NC1HWC0,
  NDC1HWC0,
  FRACTAL_Z,
  FRACTAL_Z_3D
};

enum class ConvDtype : uint32_t {
  FLOAT16 = 0,
  FLOAT32,
  BF16,
  INT4,
  INT8,
  UINT8,
  INT16,
  UINT16,
  INT32,
  UINT32,
  INT64,
  UINT64
};

// Memory sizes in bytes filled in by hand; a PlatformAscendC is the better way. Defaults: 910B.
struct PlatformInfo {
  platform_ascendc::SocVersion socVersion = platform_ascendc::SocVersion::ASCEND910B;
  uint64_t l1Size = 524288;
  uint64_t l0CSize = 131072;
  uint64_t ubSize = 262144;
  uint64_t l0ASize = 65536;
  uint64_t l0BSize = 65536;
  uint64_t btSize = 1024;
  uint64_t fbSize = 2048;
};

}  // namespace ConvCommonApi
