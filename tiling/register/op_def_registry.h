#pragma once
// What an operator project's host file includes.
#error \
    "tilesim has no operator framework (OpDef, OP_ADD, gert::TilingContext, IMPL_OP_OPTILING): leave this file out, \
run the kernel's own file, and hand it the tiling data (--arg tiling=struct:..., or register/tilingdata_base.h)"
