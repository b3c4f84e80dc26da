// Where the kernel runs, and the modes it sets.
#pragma once

#include <type_traits>

#include "sim/ascendc/api_state.h"
#include "sim/ascendc/types.h"
#include "sim/core/core_tasks.h"
#include "sim/core/source_line.h"

namespace AscendC {

using tilesim::SourceLine;

// AIC: the block. AIV: block * AIVs a block + its place in the block.
inline int64_t GetBlockIdx() {
  const tilesim::CoreIdentity& identity = simulator::ThisCore().identity();
  const int64_t ratio =
      identity.kind == tilesim::CoreKind::kAiv && identity.aivs_per_block > 0 ? identity.aivs_per_block : 1;
  return identity.block * ratio + identity.sub_block;
}
inline int64_t GetBlockNum() { return simulator::ThisCore().identity().num_blocks; }
inline int64_t GetSubBlockIdx() { return simulator::ThisCore().identity().sub_block; }
inline int64_t GetTaskRation() {
  const tilesim::CoreIdentity& identity = simulator::ThisCore().identity();
  return identity.kind == tilesim::CoreKind::kAiv && identity.aivs_per_block > 0 ? identity.aivs_per_block
                                                                                 : 1;
}
inline int64_t GetTaskRatio() { return GetTaskRation(); }

namespace simulator {

template <class T>
constexpr tilesim::AtomicType AtomicTypeOf() {
  if constexpr (!std::is_same_v<T, PrimT<T>>) {
    return AtomicTypeOf<PrimT<T>>();
  } else if constexpr (std::is_same_v<T, int8_t>) {
    return tilesim::AtomicType::Int8();
  } else if constexpr (std::is_same_v<T, int16_t>) {
    return tilesim::AtomicType::Int16();
  } else {
    return DTypeOf<T>();
  }
}

}  // namespace simulator

// From now on what moves out of UB, L1 and L0C into GM updates it. int8_t, int16_t, half, bfloat16_t,
// int32_t, float.
template <class T>
void SetAtomicAdd() {
  tilesim::CoreRegisters& registers = simulator::ThisCore().registers();
  registers.atomic = tilesim::AtomicOp::kAdd;
  registers.atomic_dtype = simulator::AtomicTypeOf<T>();
}
template <class T>
void SetAtomicMax() {
  SetAtomicAdd<T>();
  simulator::ThisCore().registers().atomic = tilesim::AtomicOp::kMax;
}
template <class T>
void SetAtomicMin() {
  SetAtomicAdd<T>();
  simulator::ThisCore().registers().atomic = tilesim::AtomicOp::kMin;
}
// Changes the type of the updates only.
template <class T>
void SetAtomicType() {
  simulator::ThisCore().registers().atomic_dtype = simulator::AtomicTypeOf<T>();
}
inline void SetAtomicNone() { simulator::ThisCore().registers().atomic = tilesim::AtomicOp::kNone; }
inline void DisableDmaAtomic() { SetAtomicNone(); }

enum class AtomicDtype : uint8_t {
  ATOMIC_NONE,
  ATOMIC_F32,
  ATOMIC_F16,
  ATOMIC_S16,
  ATOMIC_S32,
  ATOMIC_S8,
  ATOMIC_BF16
};
enum class AtomicOp : uint8_t { ATOMIC_SUM };

// The configuration of atomic stores of the scalar unit. No call of this interface makes one: SetValue and
// WriteGmByPassDCache store plainly, and moves obey SetAtomicAdd, SetAtomicMax and SetAtomicMin only.
template <AtomicDtype type, AtomicOp op>
void SetStoreAtomicConfig() {
  tilesim::CoreRegisters& registers = simulator::ThisCore().registers();
  registers.store_atomic_type = static_cast<uint8_t>(type);
  registers.store_atomic_op = static_cast<uint8_t>(op);
}
inline void GetStoreAtomicConfig(uint16_t& atomicType, uint16_t& atomicOp) {
  const tilesim::CoreRegisters& registers = simulator::ThisCore().registers();
  atomicType = registers.store_atomic_type;
  atomicOp = registers.store_atomic_op;
}

inline void SetHF32Mode(bool on) { simulator::ThisCore().registers().hf32 = on; }
inline void SetHF32Mode(HF32Mode mode) { SetHF32Mode(mode == HF32Mode::ENABLE); }
inline void SetHF32TransMode(bool ties_away) { simulator::ThisCore().registers().hf32_ties_away = ties_away; }
inline void SetHF32TransMode(HF32TransMode mode) { SetHF32TransMode(mode == HF32TransMode::NEAREST_ZERO); }

// Says which tile the program is working on; faults and traces then name it. Ours: a device build has no such
// call.
inline void MarkTile(const char* name0, int64_t index0, const char* name1, int64_t index1, const char* name2,
                     int64_t index2) {
  simulator::ThisCore().MarkTile({.names = {name0, name1, name2}, .indices = {index0, index1, index2}});
}

// Says what this core is to do next; where it answers no, the simulator asks only what there is to do, and
// the program goes on as if it were done (sim/core/core_tasks.h). Ours, as above.
inline bool BeginTask(const tilesim::CoreTask& task) { return simulator::ThisCore().BeginTask(task); }

namespace simulator {

// Stand for the variables that the vendor's compiler defines; each use asks the core it runs on.
struct CoreTypeVariable {
  operator int32_t() const { return static_cast<int32_t>(ThisCore().identity().kind); }
};
struct BlockIndexVariable {
  operator int64_t() const { return ThisCore().identity().block; }
};
struct BlockCountVariable {
  operator int64_t() const { return ThisCore().identity().num_blocks; }
};
struct SubBlockIndexVariable {
  operator int64_t() const { return ThisCore().identity().sub_block; }
};
struct SubBlockCountVariable {
  operator int64_t() const { return GetTaskRatio(); }
};

}  // namespace simulator
}  // namespace AscendC

inline constexpr AscendC::simulator::CoreTypeVariable g_coreType;
inline constexpr AscendC::simulator::BlockIndexVariable block_idx;  // without the factor of the AIVs
inline constexpr AscendC::simulator::BlockCountVariable block_num;
inline constexpr AscendC::simulator::SubBlockIndexVariable sub_block_idx;
inline constexpr AscendC::simulator::SubBlockCountVariable sub_block_num;

// The same as the vendor's compiler's functions.
inline int64_t get_block_idx() { return block_idx; }
inline int64_t get_block_num() { return block_num; }
inline int64_t get_subblockid() { return sub_block_idx; }
inline int64_t get_subblockdim() { return sub_block_num; }

#define ASCEND_IS_AIC (g_coreType == AscendC::AIC)
#define ASCEND_IS_AIV (g_coreType == AscendC::AIV)
#define ASCEND_IS_NOT_AIC (g_coreType != AscendC::AIC)
#define ASCEND_IS_NOT_AIV (g_coreType != AscendC::AIV)
