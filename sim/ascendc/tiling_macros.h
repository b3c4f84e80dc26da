// How a kernel gets its tiling data and says how it is to be launched, and the macros that only the vendor's
// operator compiler reads. A macro of the tiling family that is defined before this header stays as it is.
#pragma once

#include <cstddef>
#include <set>
#include <type_traits>

#include "sim/ascendc/api_state.h"
#include "sim/ascendc/registered_tiling.h"
#include "sim/ascendc/tiling_of_key.h"
#include "sim/ascendc/types.h"
#include "sim/core/identity.h"
#include "sim/core/source_line.h"

// What KERNEL_TASK_TYPE takes. The last five are of other parts.
enum KernelMetaType : uint8_t {
  KERNEL_TYPE_AIV_ONLY,
  KERNEL_TYPE_AIC_ONLY,
  KERNEL_TYPE_MIX_AIV_1_0,
  KERNEL_TYPE_MIX_AIC_1_0,
  KERNEL_TYPE_MIX_AIC_1_1,
  KERNEL_TYPE_MIX_AIC_1_2,
  KERNEL_TYPE_AICORE,
  KERNEL_TYPE_VECTORCORE,
  KERNEL_TYPE_MIX_AICORE,
  KERNEL_TYPE_MIX_VECTOR_CORE,
  KERNEL_TYPE_MAX
};

// Found where no kernel names a struct for GET_TILING_DATA.
using NamedByRegisterTilingDefault = AscendC::simulator::NamedByNobody;
// Found where it names none for the tiling key that it is compiled for.
using NamedForThisTilingKey = AscendC::simulator::NamedByNobody;

namespace AscendC {

using enum ::KernelMetaType;

namespace simulator {

// The tiling key of the running kernel; set by ICPU_SET_TILING_KEY before a launch. A program that was
// compiled for a key begins with that one, others with 0.
uint64_t TilingKey();
void SetTilingKey(uint64_t key);
// From now on that key and no other can be set: it is what the program was compiled for.
bool CompileForTilingKey(uint64_t key);
// What kernels have asked for by TILING_KEY_IS and TILING_KEY_LIST since the last call.
struct AskedTilingKeys {
  std::set<uint64_t> keys;
  bool any_is_set = false;  // one of them is the key in force
};
AskedTilingKeys TakeAskedTilingKeys();
void NoteAskedTilingKey(uint64_t key);

// Stands for the vendor's variable.
struct TilingKeyVariable {
  operator uint64_t() const { return TilingKey(); }
};

template <class... Keys>
bool TilingKeyIsOneOf(Keys... keys) {
  static_assert(sizeof...(Keys) >= 1 && sizeof...(Keys) <= 8, "TILING_KEY_LIST takes 1 to 8 keys");
  (NoteAskedTilingKey(static_cast<uint64_t>(keys)), ...);
  return ((TilingKey() == static_cast<uint64_t>(keys)) || ...);
}

template <KernelMetaType type>
constexpr tilesim::KernelType LaunchTypeOf() {
  static_assert(type <= KERNEL_TYPE_MIX_AIC_1_2,
                "Ascend C has this kernel type, this part (arch 2201) does not: use KERNEL_TYPE_AIV_ONLY, "
                "AIC_ONLY, MIX_AIV_1_0, MIX_AIC_1_0, MIX_AIC_1_1 or MIX_AIC_1_2");
  using enum tilesim::KernelType;
  constexpr tilesim::KernelType kTypes[] = {kAivOnly,   kAicOnly,   kMixAiv1_0,
                                            kMixAic1_0, kMixAic1_1, kMixAic1_2};
  return kTypes[type];
}

// The bytes of the tiling data. On a core: a null address, a GM buffer that ends before the struct does, and
// bytes that nothing has written, are faults.
void CopyTilingData(void* to, const volatile void* from, size_t bytes,
                    tilesim::SourceLine where = tilesim::SourceLine::Here());

// The kernel says how it is to be launched.
template <KernelMetaType type>
void DeclareType(tilesim::TypeFrom from, tilesim::SourceLine where = tilesim::SourceLine::Here()) {
  ThisCore().DeclareType(LaunchTypeOf<type>(), from, where);
}

}  // namespace simulator
}  // namespace AscendC

inline constexpr AscendC::simulator::TilingKeyVariable g_tilingKey;

#ifndef __tiling_data_ptr__
#define __tiling_data_ptr__
#endif
#ifndef GET_TILING_DATA_WITH_STRUCT
#define GET_TILING_DATA_WITH_STRUCT(Struct, name, pointer) \
  Struct name;                                             \
  AscendC::simulator::CopyTilingData(&name, (pointer), sizeof(Struct))
#endif
#ifndef GET_TILING_DATA_MEMBER
#define GET_TILING_DATA_MEMBER(Struct, member, name, pointer) \
  decltype(Struct::member) name;                              \
  AscendC::simulator::CopyTilingData(&name, (pointer) + offsetof(Struct, member), sizeof(name))
#endif
#ifndef GET_TILING_DATA_PTR_WITH_STRUCT
#define GET_TILING_DATA_PTR_WITH_STRUCT(Struct, name, pointer) \
  const __gm__ Struct* name = reinterpret_cast<const __gm__ Struct*>(pointer)
#endif
// `name` points to a copy of what the pointer above reaches.
#ifndef COPY_TILING_WITH_STRUCT
#define COPY_TILING_WITH_STRUCT(Struct, source, name)                           \
  Struct name##_copied;                                                         \
  AscendC::simulator::CopyTilingData(&name##_copied, (source), sizeof(Struct)); \
  Struct* name = &name##_copied
#endif
#ifndef COPY_TILING_WITH_ARRAY
#define COPY_TILING_WITH_ARRAY(Type, count, source, name)                             \
  Type name##_copied[count];                                                          \
  AscendC::simulator::CopyTilingData(name##_copied, (source), sizeof(name##_copied)); \
  Type(*name)[count] = &name##_copied
#endif
// The struct of an operator's kernels, for GET_TILING_DATA: the one that the kernel names in its function,
// before it; else the class that REGISTER_TILING_DATA_CLASS filed in this unit.
#ifndef REGISTER_TILING_DEFAULT
#define REGISTER_TILING_DEFAULT(Struct) using NamedByRegisterTilingDefault [[maybe_unused]] = Struct
#endif
#ifndef REGISTER_TILING_FOR_TILINGKEY
#define REGISTER_TILING_FOR_TILINGKEY(condition, Struct) \
  AscendC::simulator::RegisterTilingForKey<Struct>(condition, #Struct)
#endif
// `tilesim cc` for a tiling key writes this in place of that above where the condition holds for the key.
#define REGISTER_TILING_OF_THIS_TILINGKEY(condition, Struct) \
  using NamedForThisTilingKey [[maybe_unused]] = Struct;     \
  REGISTER_TILING_FOR_TILINGKEY(condition, Struct)
#ifndef REGISTER_NONE_TILING
#define REGISTER_NONE_TILING REGISTER_TILING_DEFAULT(AscendC::simulator::NoneIsNamed)
#endif
#ifndef GET_TILING_DATA
#define GET_TILING_DATA(name, pointer)                                                                   \
  typename decltype(AscendC::simulator::TilingStruct<                                                    \
                    AscendC::simulator::FirstNamed<NamedForThisTilingKey, NamedByRegisterTilingDefault>, \
                    __COUNTER__>())::type name;                                                          \
  AscendC::simulator::RequireTilingOfKey<decltype(name)>();                                              \
  AscendC::simulator::CopyTilingData(&name, (pointer), sizeof(name))
#endif
#ifndef TILING_KEY_VAR
#define TILING_KEY_VAR AscendC::simulator::TilingKey()
#endif
#ifndef TILING_KEY_IS
#define TILING_KEY_IS(key) (AscendC::simulator::TilingKeyIsOneOf(key))
#endif
#ifndef TILING_KEY_LIST
#define TILING_KEY_LIST(...) (AscendC::simulator::TilingKeyIsOneOf(__VA_ARGS__))
#endif

#ifndef ENABLE_DETERMINISTIC
#define ENABLE_DETERMINISTIC()
#endif
// Which cores the kernel is for: a launch that leaves it to the kernel starts these, another must start the
// same. For a tiling key: in place of the default where that key is in force.
#ifndef KERNEL_TASK_TYPE
#define KERNEL_TASK_TYPE(key, type)                                           \
  (AscendC::simulator::TilingKey() == static_cast<uint64_t>(key)              \
       ? AscendC::simulator::DeclareType<type>(tilesim::TypeFrom::kTilingKey) \
       : static_cast<void>(0))
#endif
#ifndef KERNEL_TASK_TYPE_DEFAULT
#define KERNEL_TASK_TYPE_DEFAULT(type) AscendC::simulator::DeclareType<type>(tilesim::TypeFrom::kKernel)
#endif

// Log lines go nowhere.
#ifndef KERNEL_LOG
#define KERNEL_LOG(level, ...)
#endif
