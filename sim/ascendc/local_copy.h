// DataCopy from one memory of a core to another. UB -> UB: pipe V, on a vector core. L1 -> BT (position C2):
// pipe MTE1, and L1 -> FB (position C2PIPE2GM): pipe FIX, on a cube core. On the other kind of core they do
// nothing. Any other pair of memories is refused.
//
// BT, 1 KiB: units of 64 bytes for blockLen, dstGap and counts, srcGap in data blocks of 32; gaps run from
// the end of a block to the start of the next, a gap of 0 is none. int32_t, float, and half that becomes
// float on the way, where blockLen counts bytes of dst. dst is aligned to 64 bytes.
//
// FB: uint64_t. Units of 128 bytes for blockLen, dstGap and counts, srcGap in data blocks of 32. Gaps run
// from start to start: a srcGap of 0 reads the first block again, and dstGap is 1 or more where there are
// several blocks. dst is aligned to 128 bytes; an older text says 64.
#pragma once

#include <cstdint>
#include <type_traits>

#include "sim/ascendc/data_copy.h"
#include "sim/ascendc/vector_mask.h"
#include "sim/isa/copy_path.h"
#include "sim/isa/table_move.h"
#include "sim/isa/ub_move.h"

namespace AscendC {

namespace simulator {

template <class T, class U>
constexpr tilesim::isa::TableElements TableElementsOf() {
  using enum tilesim::isa::TableElements;
  if constexpr (std::is_same_v<T, float> && std::is_same_v<U, half>) {
    return kWidenedBias;
  } else if constexpr (!std::is_same_v<T, U>) {
    return kOther;
  } else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, int32_t>) {
    return kBias;
  } else {
    return std::is_same_v<T, uint64_t> ? kQuantisation : kOther;
  }
}

// What is not within UB.
template <class T, class U>
void CopyBetween(tilesim::Core& core, const LocalTensor<T>& dst, const LocalTensor<U>& src,
                 const CopyAmount& amount, SourceLine where) {
  using tilesim::Memory;
  const Memory to = dst.memory();
  core.At("DataCopy", to == Memory::kFb ? tilesim::Pipe::kFix : tilesim::Pipe::kMte1, where);
  if (!dst.valid() || !src.valid()) {
    Of(core, dst, "dst");
    Of(core, src, "src");
  }
  if (src.memory() == Memory::kUb && to == Memory::kL1) {
    if (!OnCube(core)) {
      core.At("DataCopy", tilesim::Pipe::kMte3, where);
      tilesim::isa::RefuseUbToL1(core);
    }
    core.NoteForOthers("DataCopy", where);
    return;
  }
  if (src.memory() != Memory::kL1 || (to != Memory::kBt && to != Memory::kFb)) {
    tilesim::isa::RefusePath(core, src.memory(), to);
  }
  if (!IsForCube(core, "DataCopy", where)) {
    return;
  }
  tilesim::isa::CopyToTable copy{.dst = Of(core, dst, "dst"),
                                 .src = Of(core, src, "src"),
                                 .elements = TableElementsOf<T, U>(),
                                 .dst_type = NameOfType<T>(),
                                 .src_type = NameOfType<U>(),
                                 .count = amount.blocks.count,
                                 .length_units = amount.blocks.length_blocks,
                                 .src_gap_blocks = amount.blocks.src_gap_blocks,
                                 .dst_gap_units = amount.blocks.dst_gap_blocks};
  const auto unit = static_cast<uint64_t>(copy.UnitBytes(to));
  if (amount.count_bytes != 0) {
    copy.length_units = static_cast<int64_t>(amount.count_bytes / unit);
  }
  core.Issue(copy, where);
  NoteDropped(core, copy.dst, amount, unit);
}

template <class T, class U>
void CopyLocal(const LocalTensor<T>& dst, const LocalTensor<U>& src, const CopyAmount& amount,
               SourceLine where) {
  using tilesim::Memory;
  tilesim::Core& core = ThisCore();
  const bool within_ub =
      (dst.memory() == Memory::kUb || !dst.valid()) && (src.memory() == Memory::kUb || !src.valid());
  if (!within_ub) [[unlikely]] {
    return CopyBetween(core, dst, src, amount, where);
  }
  if (OnCube(core)) {
    core.NoteForOthers("DataCopy", where);
    return;
  }
  core.At("DataCopy", tilesim::Pipe::kV, where);
  if constexpr (!std::is_same_v<T, U>) {
    core.Fail(tilesim::FaultKind::kMisuse, "dst",
              tilesim::Say("is ", NameOfType<T>(), " and src ", NameOfType<U>(),
                           "; a copy within UB changes no type: use Cast"));
  }
  const tilesim::isa::CopyWithinUb copy{
      .dst = Of(core, dst, "dst"), .src = Of(core, src, "src"), .blocks = amount.blocks};
  RunOrIssue(core, copy, where);
  NoteDropped(core, copy.dst, amount);
}

}  // namespace simulator

template <class T, class U>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyParams& params,
              SourceLine where = SourceLine::Here()) {
  simulator::CopyLocal(dst, src, simulator::AmountOf(params), where);
}
template <class T>
void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count,
              SourceLine where = SourceLine::Here()) {
  simulator::CopyLocal(dst, src, simulator::AmountOf<T>(count), where);
}

}  // namespace AscendC
