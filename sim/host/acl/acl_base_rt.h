// Forwards to what all of the runtime's headers share.
#pragma once

#include "sim/host/acl/acl_base.h"  // IWYU pragma: export
