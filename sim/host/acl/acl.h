// The host side's header: the runtime of the device. See sim/host/acl/acl_rt.h.
#pragma once

#include "sim/host/acl/acl_absent.h"
#include "sim/host/acl/acl_base.h"
#include "sim/host/acl/acl_rt.h"

extern "C" {

// `configPath` may be null; a file is not looked at.
aclError aclInit(const char* configPath);
aclError aclFinalize();
aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion, int32_t* patchVersion);

}  // extern "C"
