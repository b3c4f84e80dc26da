// Sort32, MrgSort and what is made of them: Sort, Extract, Concat; pipe V. Scores are half or float, and the
// order that they have is told in sim/isa/vector_sort.h. A pair, a score and its uint32_t index, takes 8
// bytes: 2 elements of float, 4 of half. dst must be apart from every source. On a cube core all do nothing.
#pragma once

#include <array>
#include <cstdint>

#include "sim/ascendc/lib/library_call.h"
#include "sim/ascendc/vector_fill.h"
#include "sim/ascendc/vector_mask.h"
#include "sim/isa/vector_sort.h"

namespace AscendC {

// The queues of a merge; those that validBit does not name may be empty.
template <class T>
struct MrgSortSrcList {
  LocalTensor<T> src1;
  LocalTensor<T> src2;
  LocalTensor<T> src3;
  LocalTensor<T> src4;

  MrgSortSrcList() = default;
  MrgSortSrcList(const LocalTensor<T>& first, const LocalTensor<T>& second, const LocalTensor<T>& third,
                 const LocalTensor<T>& fourth)
      : src1(first), src2(second), src3(third), src4(fourth) {}
};

struct MrgSort4Info {
  uint16_t elementLengths[4] = {};     // pairs, 0..4095
  bool ifExhaustedSuspension = false;  // stop where the first queue ends
  uint16_t validBit = 0;               // 3, 7, 15: two, three, four queues
  uint8_t repeatTimes = 1;             // 0..255

  MrgSort4Info() = default;
  MrgSort4Info(const uint16_t lengths[4], bool suspension, uint16_t valid, uint16_t repeats)
      : elementLengths{lengths[0], lengths[1], lengths[2], lengths[3]},
        ifExhaustedSuspension(suspension),
        validBit(valid),
        repeatTimes(static_cast<uint8_t>(repeats)) {}
};

// The elements of T that `elemCount` pairs take.
template <class T>
uint32_t GetSortOffset(const uint32_t elemCount) {
  return elemCount * static_cast<uint32_t>(tilesim::isa::kPairBytes / sizeof(T));
}
template <class T>
uint32_t GetSortLen(const uint32_t elemCount) {
  return GetSortOffset<T>(elemCount);
}

namespace simulator {

template <class T>
void Merge(tilesim::Core& core, const LocalTensor<T>& dst, const MrgSortSrcList<T>& src,
           const uint16_t lengths[4], bool suspension, uint16_t valid, int64_t repeats, SourceLine where) {
  tilesim::isa::VectorMergeSort merge{.dst = Of(core, dst, "dst"),
                                      .src = {},
                                      .lengths = {lengths[0], lengths[1], lengths[2], lengths[3]},
                                      .type = VectorTypeOf<T>(),
                                      .valid_bits = valid,
                                      .stops_at_first_end = suspension,
                                      .repeats = repeats};
  const LocalTensor<T>* const queues[] = {&src.src1, &src.src2, &src.src3, &src.src4};
  const char* const names[] = {"src1", "src2", "src3", "src4"};
  for (size_t i = 0; i < merge.src.size(); ++i) {
    if ((valid >> i & 1) != 0) {
      merge.src[i] = Of(core, *queues[i], names[i]);
    }
  }
  core.Issue(merge, where);
}

// Pairs that each queue gave to the last merge; the registers as they are, without waiting.
inline std::array<uint16_t, 4> MergedPairs(tilesim::Core& core, SourceLine where) {
  std::array<uint16_t, 4> pairs{};
  core.Issue(tilesim::isa::ScalarReadMerged{.pairs = &pairs}, where);
  return pairs;
}

// Queues of `length` pairs at src, the last of them perhaps shorter, merged by four into dst. Four whole ones
// are a repeat, what is left is a call of its own; a single one is copied.
template <class T>
void MergeRound(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint32_t pairs, uint32_t length,
                SourceLine where) {
  const auto merge = [&](uint32_t from, uint32_t merged, uint32_t repeats) {
    const uint32_t queues = (merged + length - 1) / length;
    const auto queue = [&](uint32_t i) {
      return src[GetSortOffset<T>(from + (i < queues ? i : 0) * length)];
    };
    if (queues == 1) {
      return DataCopy(dst[GetSortOffset<T>(from)], queue(0), GetSortOffset<T>(merged), where);
    }
    const auto whole = static_cast<uint16_t>(length);
    uint16_t lengths[4] = {whole, whole, whole, whole};
    lengths[queues - 1] = static_cast<uint16_t>(merged - (queues - 1) * length);
    const MrgSort4Info info(lengths, false, static_cast<uint16_t>((1U << queues) - 1),
                            static_cast<uint16_t>(repeats));
    MrgSort(dst[GetSortOffset<T>(from)], MrgSortSrcList<T>(queue(0), queue(1), queue(2), queue(3)), info,
            where);
  };
  const uint32_t groups = pairs / (4 * length);
  if (groups > 0) {
    merge(0, 4 * length, groups);
  }
  if (const uint32_t done = groups * 4 * length; done < pairs) {
    merge(done, pairs - done, 1);
  }
}

}  // namespace simulator

// A repeat sorts 32 scores of src0 with their indices in src1 into 256 bytes of dst.
template <class T>
void Sort32(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<uint32_t>& src1,
            const int32_t repeatTime, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorCore("Sort32", where)) {
    core->Issue(tilesim::isa::VectorSort32{.dst = simulator::Of(*core, dst, "dst"),
                                           .scores = simulator::Of(*core, src0, "src0"),
                                           .indices = simulator::Of(*core, src1, "src1"),
                                           .type = simulator::VectorTypeOf<T>(),
                                           .repeats = repeatTime},
                where);
  }
}

// Merges two to four queues into one.
template <class T>
void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& src, const MrgSort4Info& params,
             SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorCore("MrgSort", where)) {
    simulator::Merge(*core, dst, src, params.elementLengths, params.ifExhaustedSuspension, params.validBit,
                     params.repeatTimes, where);
  }
}
// The same; with isExhaustedSuspension, sortedNum gets how many pairs each queue gave.
template <class T, bool isExhaustedSuspension = false>
void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& sortList, const uint16_t elementCountList[4],
             uint32_t sortedNum[4], uint16_t validBit, const int32_t repeatTime,
             SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorCore("MrgSort", where)) {
    simulator::Merge(*core, dst, sortList, elementCountList, isExhaustedSuspension, validBit, repeatTime,
                     where);
    if constexpr (isExhaustedSuspension) {
      const std::array<uint16_t, 4> pairs = simulator::MergedPairs(*core, where);
      for (size_t i = 0; i < pairs.size(); ++i) {
        sortedNum[i] = pairs[i];
      }
    }
  }
}

// The pairs that each queue gave to the last MrgSort. On a cube core the arguments stay as they are.
inline void GetMrgSortResult(uint16_t& mrgSortList1, uint16_t& mrgSortList2, uint16_t& mrgSortList3,
                             uint16_t& mrgSortList4, SourceLine where = SourceLine::Here()) {
  if (tilesim::Core* core = simulator::VectorCore("GetMrgSortResult", where, tilesim::Pipe::kS)) {
    const std::array<uint16_t, 4> pairs = simulator::MergedPairs(*core, where);
    mrgSortList1 = pairs[0];
    mrgSortList2 = pairs[1];
    mrgSortList3 = pairs[2];
    mrgSortList4 = pairs[3];
  }
}

// On this part nothing is to be done: `concat` becomes another name of src.
template <class T>
void Concat(LocalTensor<T>& concat, const LocalTensor<T>& src, const LocalTensor<T>& /*tmp*/,
            const int32_t /*repeatTime*/) {
  concat = src;
}

// Not isFullSort: Sort32. isFullSort: one queue of 32 * repeatTime pairs in dst, as Sort32 and rounds of
// MrgSort into tmp, each copied back to dst; tmp has to hold as much as dst.
template <class T, bool isFullSort>
void Sort(const LocalTensor<T>& dst, const LocalTensor<T>& concat, const LocalTensor<uint32_t>& index,
          LocalTensor<T>& tmp, const int32_t repeatTime, SourceLine where = SourceLine::Here()) {
  const simulator::LibraryCall library("Sort", where);
  tilesim::Core* const core = library.core();
  const auto pairs = static_cast<uint32_t>(repeatTime) * uint32_t{tilesim::isa::kSortLanes};
  if constexpr (isFullSort) {
    if (core != nullptr) {
      const uint32_t needed = GetSortOffset<T>(pairs);
      core->At("Sort", tilesim::Pipe::kV, where);
      core->Require(pairs <= tilesim::isa::kSortLanes || tmp.GetSize() >= needed, tilesim::FaultKind::kMisuse,
                    "tmp", "holds ", tmp.GetSize(), " elements, must hold ", needed,
                    ", as many as dst; GetSortTmpSize tells the host how many");
    }
  }
  Sort32(dst, concat, index, repeatTime, where);
  if constexpr (isFullSort) {
    for (uint32_t length = tilesim::isa::kSortLanes; core != nullptr && length < pairs; length *= 4) {
      core->Barrier(tilesim::Pipe::kV, where);
      simulator::MergeRound(tmp, dst, pairs, length, where);
      core->Barrier(tilesim::Pipe::kV, where);
      DataCopy(dst, tmp, GetSortOffset<T>(pairs), where);
    }
  }
}

// Scores and indices of 32 * repeatTime pairs, as two selections. As on the device it leaves normal mode and
// every lane off, so a call with isSetMask = false needs a mask first. On the device the half form reads and
// writes twice the range of the indices; here only what there is of them.
template <class T>
void Extract(const LocalTensor<T>& dstValue, const LocalTensor<uint32_t>& dstIndex,
             const LocalTensor<T>& sorted, const int32_t repeatTime, SourceLine where = SourceLine::Here()) {
  tilesim::Core* const core = simulator::VectorCore("Extract", where);
  if (core == nullptr) {
    return;
  }
  const tilesim::isa::Operand src = simulator::Of(*core, sorted, "sorted");
  const auto take = [&](const auto& dst, const char* name, bool indices) {
    core->Issue(tilesim::isa::VectorExtract{.dst = simulator::Of(*core, dst, name),
                                            .src = src,
                                            .type = simulator::VectorTypeOf<T>(),
                                            .indices = indices,
                                            .repeats = repeatTime},
                where);
  };
  take(dstValue, "dstValue", false);
  take(dstIndex, "dstIndex", true);
  simulator::WriteMaskMode(*core, false);
  simulator::WriteMask(*core, 0, 0);
}

}  // namespace AscendC
