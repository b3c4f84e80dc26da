// The runtime's calls about the device itself: start and end, contexts, what the part has.
#include <array>
#include <string>

#include "formats/convert.h"
#include "formats/error.h"
#include "formats/half.h"
#include "sim/host/acl/acl.h"
#include "sim/host/acl_calls.h"
#include "sim/host/program.h"

namespace tilesim::host {
namespace {

constinit thread_local Context* current_context = nullptr;

bool IsAlive(Program& program, const Context* context) {
  for (const Context& one : program.acl().contexts) {
    if (&one == context) {
      return true;
    }
  }
  return false;
}

aclError CheckDevice(Program& program, const char* call, int64_t device) {
  return device == 0 ? ACL_SUCCESS
                     : program.Refuse(ACL_ERROR_RT_INVALID_DEVICEID, call,
                                      Say("device ", device, "; there is one, number 0"));
}

Context* NewContext(Program& program) {
  program.acl().contexts.push_back({.device = 0});
  return &program.acl().contexts.back();
}

aclError EndDevice(Program& program) {
  program.TellWaiting();
  program.streams().Clear();
  program.memory().FreeAll(BufferSource::kAcl);
  program.acl().contexts.clear();
  program.acl().of_device = nullptr;
  program.acl().device_uses = 0;
  return ACL_SUCCESS;
}

}  // namespace

aclError CheckContext(Program& program, const char* call) {
  if (!IsAlive(program, current_context)) {
    current_context = nullptr;
  }
  if (current_context != nullptr) {
    return ACL_SUCCESS;
  }
  return program.Refuse(ACL_ERROR_RT_CONTEXT_NULL, call,
                        "no device is set on this thread; call aclrtSetDevice(0) before");
}

Context* CurrentContext() { return current_context; }

}  // namespace tilesim::host

using tilesim::Say;
using tilesim::host::Call;
using tilesim::host::CheckContext;
using tilesim::host::Context;

extern "C" {

aclError aclInit(const char* /*configPath*/) {
  const Call call("aclInit");
  if (call.acl().initialised) {
    return call.Refuse(ACL_ERROR_REPEAT_INITIALIZE, "it was called before; once is enough");
  }
  call.acl().initialised = true;
  call.acl().finalised = false;
  return ACL_SUCCESS;
}

aclError aclFinalize() {
  const Call call("aclFinalize");
  if (!call.acl().initialised) {
    return call.acl().finalised ? call.Refuse(ACL_ERROR_REPEAT_FINALIZE, "it was called before")
                                : call.Refuse(ACL_ERROR_UNINITIALIZE, "aclInit was not called");
  }
  call.acl().initialised = false;
  call.acl().finalised = true;
  return ACL_SUCCESS;
}

aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion, int32_t* patchVersion) {
  const Call call("aclrtGetVersion");
  if (majorVersion == nullptr || minorVersion == nullptr || patchVersion == nullptr) {
    return call.Refuse(ACL_ERROR_RT_PARAM_INVALID, "a null pointer for the result");
  }
  *majorVersion = 1;
  *minorVersion = 14;
  *patchVersion = 0;
  return ACL_SUCCESS;
}

aclError aclrtSetDevice(int32_t deviceId) {
  const Call call("aclrtSetDevice");
  if (const aclError error = tilesim::host::CheckDevice(call.program(), call.name(), deviceId)) {
    return error;
  }
  ++call.acl().device_uses;
  if (call.acl().of_device == nullptr) {
    call.acl().of_device = tilesim::host::NewContext(call.program());
  }
  tilesim::host::current_context = call.acl().of_device;
  return ACL_SUCCESS;
}

aclError aclrtResetDevice(int32_t deviceId) {
  const Call call("aclrtResetDevice");
  if (const aclError error = tilesim::host::CheckDevice(call.program(), call.name(), deviceId)) {
    return error;
  }
  if (call.acl().device_uses > 1) {
    --call.acl().device_uses;
    return ACL_SUCCESS;
  }
  return tilesim::host::EndDevice(call.program());
}

aclError aclrtResetDeviceForce(int32_t deviceId) {
  const Call call("aclrtResetDeviceForce");
  if (const aclError error = tilesim::host::CheckDevice(call.program(), call.name(), deviceId)) {
    return error;
  }
  return tilesim::host::EndDevice(call.program());
}

aclError aclrtGetDevice(int32_t* deviceId) {
  const Call call("aclrtGetDevice");
  if (deviceId == nullptr) {
    return call.Refuse(ACL_ERROR_RT_PARAM_INVALID, "a null pointer for the result");
  }
  if (const aclError error = CheckContext(call.program(), call.name())) {
    return error;
  }
  *deviceId = 0;
  return ACL_SUCCESS;
}

aclError aclrtGetDeviceCount(uint32_t* count) {
  const Call call("aclrtGetDeviceCount");
  if (count == nullptr) {
    return call.Refuse(ACL_ERROR_RT_PARAM_INVALID, "a null pointer for the result");
  }
  *count = 1;
  return ACL_SUCCESS;
}

aclError aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t* value) {
  const Call call("aclrtGetDeviceInfo");
  if (const aclError error = tilesim::host::CheckDevice(call.program(), call.name(), deviceId)) {
    return error;
  }
  if (value == nullptr) {
    return call.Refuse(ACL_ERROR_RT_PARAM_INVALID, "a null pointer for the result");
  }
  const tilesim::SocConfig& soc = call.program().soc();
  switch (attr) {
    case ACL_DEV_ATTR_AICORE_CORE_NUM:
    case ACL_DEV_ATTR_CUBE_CORE_NUM:
      *value = soc.aic_cores;
      return ACL_SUCCESS;
    case ACL_DEV_ATTR_VECTOR_CORE_NUM:
      *value = soc.aic_cores * soc.aiv_per_aic;
      return ACL_SUCCESS;
    case ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE:
      *value = soc.ub_bytes;
      return ACL_SUCCESS;
    case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
      *value = soc.gm_bytes;
      return ACL_SUCCESS;
    case ACL_DEV_ATTR_L2_CACHE_SIZE:
      *value = soc.l2_bytes;
      return ACL_SUCCESS;
    case ACL_DEV_ATTR_AICPU_CORE_NUM:
      break;
  }
  return call.Refuse(ACL_ERROR_RT_PARAM_INVALID,
                     Say("attribute ", static_cast<int>(attr), " of a device is not modelled"));
}

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t* value) {
  switch (deviceInfo) {
    case ACL_DEVICE_INFO_AI_CORE_NUM:
      return aclrtGetDeviceInfo(deviceId, ACL_DEV_ATTR_AICORE_CORE_NUM, value);
    case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
      return aclrtGetDeviceInfo(deviceId, ACL_DEV_ATTR_VECTOR_CORE_NUM, value);
    case ACL_DEVICE_INFO_L2_SIZE:
      return aclrtGetDeviceInfo(deviceId, ACL_DEV_ATTR_L2_CACHE_SIZE, value);
    case ACL_DEVICE_INFO_UNDEFINED:
      break;
  }
  return Call("aclGetDeviceCapability")
      .Refuse(ACL_ERROR_INVALID_PARAM, Say("there is no information ", static_cast<int>(deviceInfo)));
}

aclError aclrtGetRunMode(aclrtRunMode* runMode) {
  const Call call("aclrtGetRunMode");
  if (runMode == nullptr) {
    return call.Refuse(ACL_ERROR_RT_PARAM_INVALID, "a null pointer for the result");
  }
  *runMode = ACL_HOST;
  return ACL_SUCCESS;
}

const char* aclrtGetSocName() {
  const Call call("aclrtGetSocName");
  static std::string name;
  name = call.program().soc().name;
  if (name.starts_with("ascend")) {
    name = "A" + name.substr(1, 5) + name.substr(6);
    for (size_t i = 6; i < name.size(); ++i) {
      name[i] = static_cast<char>(name[i] >= 'a' && name[i] <= 'z' ? name[i] - 'a' + 'A' : name[i]);
    }
  }
  return name.c_str();
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t* value) {
  const Call call("aclrtGetSysParamOpt");
  if (value == nullptr) {
    return call.Refuse(ACL_ERROR_RT_PARAM_INVALID, "a null pointer for the result");
  }
  *value = opt == ACL_OPT_DETERMINISTIC ? call.acl().deterministic : 0;
  return ACL_SUCCESS;
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value) {
  const Call call("aclrtSetSysParamOpt");
  if (opt != ACL_OPT_DETERMINISTIC) {
    return call.Refuse(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                       Say("option ", static_cast<int>(opt), " is not modelled"));
  }
  call.acl().deterministic = value;
  return ACL_SUCCESS;
}

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
  const Call call("aclrtCreateContext");
  if (context == nullptr) {
    return call.Refuse(ACL_ERROR_RT_PARAM_INVALID, "a null pointer for the result");
  }
  if (const aclError error = tilesim::host::CheckDevice(call.program(), call.name(), deviceId)) {
    return error;
  }
  *context = tilesim::host::current_context = tilesim::host::NewContext(call.program());
  return ACL_SUCCESS;
}

aclError aclrtDestroyContext(aclrtContext context) {
  const Call call("aclrtDestroyContext");
  auto* const known = static_cast<Context*>(context);
  if (!tilesim::host::IsAlive(call.program(), known)) {
    return call.Refuse(ACL_ERROR_RT_CONTEXT_NULL,
                       "the context is none that aclrtCreateContext gave, or was destroyed");
  }
  if (known == call.acl().of_device) {
    return call.Refuse(ACL_ERROR_RT_PARAM_INVALID,
                       "the context is that of aclrtSetDevice; aclrtResetDevice ends it");
  }
  call.acl().contexts.remove_if([&](const Context& one) { return &one == known; });
  if (tilesim::host::current_context == known) {
    tilesim::host::current_context = call.acl().of_device;
  }
  return ACL_SUCCESS;
}

aclError aclrtSetCurrentContext(aclrtContext context) {
  const Call call("aclrtSetCurrentContext");
  auto* const known = static_cast<Context*>(context);
  if (!tilesim::host::IsAlive(call.program(), known)) {
    return call.Refuse(ACL_ERROR_RT_CONTEXT_NULL, "the context is none that there is");
  }
  tilesim::host::current_context = known;
  return ACL_SUCCESS;
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
  const Call call("aclrtGetCurrentContext");
  if (context == nullptr) {
    return call.Refuse(ACL_ERROR_RT_PARAM_INVALID, "a null pointer for the result");
  }
  if (const aclError error = CheckContext(call.program(), call.name())) {
    return error;
  }
  *context = tilesim::host::CurrentContext();
  return ACL_SUCCESS;
}

// --- elements

size_t aclDataTypeSize(aclDataType dataType) {
  switch (dataType) {
    case ACL_INT8:
    case ACL_UINT8:
    case ACL_BOOL:
      return 1;
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_INT16:
    case ACL_UINT16:
      return 2;
    case ACL_FLOAT:
    case ACL_INT32:
    case ACL_UINT32:
      return 4;
    case ACL_DOUBLE:
    case ACL_INT64:
    case ACL_UINT64:
    case ACL_COMPLEX64:
      return 8;
    case ACL_COMPLEX128:
      return 16;
    default:
      return 0;
  }
}

float aclFloat16ToFloat(aclFloat16 value) { return static_cast<float>(tilesim::Half::FromBits(value)); }
aclFloat16 aclFloatToFloat16(float value) { return tilesim::Half(value).bits; }

const char* aclGetRecentErrMsg() {
  static thread_local std::string text;
  text = Call("aclGetRecentErrMsg").program().TakeErrorText();
  return text.empty() ? nullptr : text.c_str();
}

}  // extern "C"
