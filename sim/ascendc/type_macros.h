// The numbers that kernels of an operator project compare the macros of their operator's inputs and outputs with:
// FORMAT_X, DTYPE_X and ORIG_DTYPE_X are for the build of such a kernel to define, and to include this header
// ahead of its source ("-include sim/ascendc/type_macros.h"). The preprocessor compares them, so they have to be
// macros; in every other unit the same words are enumerators (matmul_tiling::DataType::DT_FLOAT16,
// ge::DT_FLOAT), which macros would break. No other header includes this one.
#pragma once

#define FORMAT_NCHW 0
#define FORMAT_NHWC 1
#define FORMAT_ND 2
#define FORMAT_NC1HWC0 3
#define FORMAT_FRACTAL_Z 4
#define FORMAT_NDHWC 27
#define FORMAT_FRACTAL_NZ 29
#define FORMAT_NCDHW 30
#define FORMAT_DHWCN 31
#define FORMAT_NDC1HWC0 32
#define FORMAT_FRACTAL_Z_3D 33

#define DT_FLOAT 0
#define DT_FLOAT16 1
#define DT_INT8 2
#define DT_INT32 3
#define DT_UINT8 4
#define DT_INT16 6
#define DT_UINT16 7
#define DT_UINT32 8
#define DT_INT64 9
#define DT_UINT64 10
#define DT_BOOL 12
#define DT_BF16 27
#define DT_INT4 29
