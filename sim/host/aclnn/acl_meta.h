// Single operators of the framework, which tilesim does not have: its calls are refused by name.
#pragma once

#include "sim/host/acl/acl_absent.h"  // IWYU pragma: export
#include "sim/host/acl/acl_base.h"    // IWYU pragma: export
