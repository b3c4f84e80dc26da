// How a kernel gets its tiling data, and the macros that only the vendor's operator compiler reads.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>

#include "sim/ascendc/api_state.h"
#include "sim/ascendc/types.h"

namespace AscendC::internal {

// The tiling key of the running kernel; set by ICPU_SET_TILING_KEY before a launch.
uint64_t TilingKey();

// What an assertion that does not hold says.
inline std::string Assertion(const char* condition) {
  return std::string("the kernel's assertion does not hold: ") + condition;
}
template <class... Parts>
std::string Assertion(const char*, const char* text, const Parts&...) {
  return text;
}

}  // namespace AscendC::internal

#define GET_TILING_DATA_WITH_STRUCT(Struct, name, pointer) \
  Struct name;                                             \
  std::memcpy(static_cast<void*>(&name), (pointer), sizeof(Struct))
#define GET_TILING_DATA_MEMBER(Struct, member, name, pointer) \
  decltype(Struct::member) name;                              \
  std::memcpy(static_cast<void*>(&name), (pointer) + offsetof(Struct, member), sizeof(name))
#define GET_TILING_DATA_PTR_WITH_STRUCT(Struct, name, pointer) \
  const __gm__ Struct* name = reinterpret_cast<const __gm__ Struct*>(pointer)
#define COPY_TILING_WITH_STRUCT(Struct, source, target) std::memcpy((target), (source), sizeof(Struct))
// The struct of an operator's kernels, for GET_TILING_DATA; the vendor's operator compiler makes it known,
// here the kernel does, with REGISTER_TILING_DEFAULT before it.
#define REGISTER_TILING_DEFAULT(Struct) using NamedByRegisterTilingDefault [[maybe_unused]] = Struct
#define GET_TILING_DATA(name, pointer) \
  GET_TILING_DATA_WITH_STRUCT(NamedByRegisterTilingDefault, name, pointer)
#define TILING_KEY_IS(key) (AscendC::internal::TilingKey() == (key))

#define REGISTER_TILING_FOR_TILINGKEY(expression, Struct)
#define REGISTER_NONE_TILING
#define ENABLE_DETERMINISTIC()
#define KERNEL_TASK_TYPE(key, type)
#define KERNEL_TASK_TYPE_DEFAULT(type)
#define ASCENDC_TPL_ARGS_DECL(...)
#define ASCENDC_TPL_SEL(...)

// Assertions of a kernel stop the core with a fault; a text after the condition becomes its message. Log
// lines go nowhere.
#define ascendc_assert(condition, ...)                                                                 \
  AscendC::internal::ThisCore().Require(static_cast<bool>(condition), tilesim::FaultKind::kMisuse, "", \
                                        AscendC::internal::Assertion(#condition __VA_OPT__(, ) __VA_ARGS__))
#define ASSERT(condition) ascendc_assert(condition)
#define ASCENDC_ASSERT(condition, action) ascendc_assert(condition)
#define KERNEL_LOG(level, ...)
