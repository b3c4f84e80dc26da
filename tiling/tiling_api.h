#pragma once
// The tiling classes and functions of the kernel library.
#error "tilesim does not have tiling/tiling_api.h (matmul_tiling::MultiCoreMatmulTiling and its kin, ...TilingFunc, \
Get...MaxMinTmpSize): fill the tiling struct by hand; of the library there is tiling/conv_backprop/"
