#pragma once
// Kernels that are templates, chosen by their tiling key: a header of the operator, which host and kernel include,
// declares the parameters and their values (ASCENDC_TPL_ARGS_DECL) and which combinations there are
// (ASCENDC_TPL_SEL); the host computes the key of one (GET_TPL_TILING_KEY). A unit has one such declaration. The
// combinations are for the vendor's compiler, which makes a kernel of each: here the launch names the instance.
// A macro that is defined before this header stays as it is.
#include "tiling/register/template_key.h"

#ifndef ASCENDC_TPL_ARGS_DECL
#define ASCENDC_TPL_ARGS_DECL(op, ...) \
  [[maybe_unused]] static const ::tilesim::TemplateKey tilesim_template_key(#op, {__VA_ARGS__});
#endif
#ifndef ASCENDC_TPL_UINT_DECL
#define ASCENDC_TPL_UINT_DECL(name, bits, ...) ::tilesim::TemplateParameter::Number(#name, bits, __VA_ARGS__)
#endif
#ifndef ASCENDC_TPL_BOOL_DECL
#define ASCENDC_TPL_BOOL_DECL(name, ...) ::tilesim::TemplateParameter::Flag(#name, __VA_ARGS__)
#endif
#ifndef ASCENDC_TPL_DTYPE_DECL
#define ASCENDC_TPL_DTYPE_DECL(name, ...) ::tilesim::TemplateParameter::Code(#name, __VA_ARGS__)
#endif
#ifndef ASCENDC_TPL_DATATYPE_DECL
#define ASCENDC_TPL_DATATYPE_DECL(name, ...) ::tilesim::TemplateParameter::Code(#name, __VA_ARGS__)
#endif
#ifndef ASCENDC_TPL_FORMAT_DECL
#define ASCENDC_TPL_FORMAT_DECL(name, ...) ::tilesim::TemplateParameter::Code(#name, __VA_ARGS__)
#endif
#ifndef ASCENDC_TPL_KERNEL_TYPE_DECL
#define ASCENDC_TPL_KERNEL_TYPE_DECL(name, ...) ::tilesim::TemplateParameter::Code(#name, __VA_ARGS__)
#endif

#ifndef ASCENDC_TPL_SEL
#define ASCENDC_TPL_SEL(...)  // and with it all that stands inside
#endif

#ifndef GET_TPL_TILING_KEY
#define GET_TPL_TILING_KEY(...) (tilesim_template_key.Of(__VA_ARGS__))
#endif
#ifndef ASCENDC_TPL_SEL_PARAM
#define ASCENDC_TPL_SEL_PARAM(context, ...) ((context)->SetTilingKey(GET_TPL_TILING_KEY(__VA_ARGS__)))
#endif

inline constexpr auto ASCENDC_TPL_UI_RANGE = ::tilesim::TemplateValues::kRanges;
inline constexpr auto ASCENDC_TPL_UI_LIST = ::tilesim::TemplateValues::kList;
inline constexpr auto ASCENDC_TPL_UI_MIX = ::tilesim::TemplateValues::kRangesAndList;

inline constexpr unsigned ASCENDC_TPL_1_BW = 1;
inline constexpr unsigned ASCENDC_TPL_2_BW = 2;
inline constexpr unsigned ASCENDC_TPL_4_BW = 4;
inline constexpr unsigned ASCENDC_TPL_8_BW = 8;

// The types of inputs and outputs, for declarations that take what the operator has.
constexpr int ASCENDC_TPL_INPUT(int i) { return 100000000 + i; }
constexpr int ASCENDC_TPL_OUTPUT(int i) { return 900000000 + i; }

inline constexpr int ASCENDC_TPL_AIV_ONLY = 0;
inline constexpr int ASCENDC_TPL_AIC_ONLY = 1;
inline constexpr int ASCENDC_TPL_MIX_AIV_1_0 = 4;
inline constexpr int ASCENDC_TPL_MIX_AIC_1_0 = 5;
inline constexpr int ASCENDC_TPL_MIX_AIC_1_1 = 6;
inline constexpr int ASCENDC_TPL_MIX_AIC_1_2 = 7;

// Codes of element types and formats; those of sim/ascendc/type_macros.h.
inline constexpr int C_DT_FLOAT = 0;
inline constexpr int C_DT_FLOAT16 = 1;
inline constexpr int C_DT_INT8 = 2;
inline constexpr int C_DT_INT32 = 3;
inline constexpr int C_DT_UINT8 = 4;
inline constexpr int C_DT_INT16 = 6;
inline constexpr int C_DT_UINT16 = 7;
inline constexpr int C_DT_UINT32 = 8;
inline constexpr int C_DT_INT64 = 9;
inline constexpr int C_DT_UINT64 = 10;
inline constexpr int C_DT_DOUBLE = 11;
inline constexpr int C_DT_BOOL = 12;
inline constexpr int C_DT_BF16 = 27;
inline constexpr int C_DT_INT4 = 29;
inline constexpr int C_FORMAT_NCHW = 0;
inline constexpr int C_FORMAT_NHWC = 1;
inline constexpr int C_FORMAT_ND = 2;
inline constexpr int C_FORMAT_NC1HWC0 = 3;
inline constexpr int C_FORMAT_FRACTAL_Z = 4;
inline constexpr int C_FORMAT_NDHWC = 27;
inline constexpr int C_FORMAT_FRACTAL_NZ = 29;
inline constexpr int C_FORMAT_NCDHW = 30;
inline constexpr int C_FORMAT_DHWCN = 31;
inline constexpr int C_FORMAT_NDC1HWC0 = 32;
inline constexpr int C_FORMAT_FRACTAL_Z_3D = 33;
