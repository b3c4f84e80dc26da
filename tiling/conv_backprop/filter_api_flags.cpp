#include "tiling/conv_backprop/filter_api_flags.h"

#include <algorithm>
#include <array>
#include <utility>

#include "formats/error.h"
#include "formats/units.h"

namespace tilesim {
namespace {

using DwData = Conv3DBackpropFilterTilingData;
using DwTiling = TConv3DBpFilterTiling;

constexpr const char* kOpMends = "`--planner op` finds a block that fits";

class FlagTests {
 public:
  FlagTests(const FilterProblem& problem, const FilterApiBlock& block, const DwData& data)
      : p_(problem), block_(block), data_(data), t_(data.dwTiling) {}

  std::vector<RaisedFlag> Run() {
    Capacity();
    Shape();
    Task();
    return std::move(raised_);
  }

 private:
  void Raise(ApiFlag flag, Rejection why) { raised_.push_back({flag, std::move(why)}); }

  void AtMost(ApiFlag flag, const char* rule, const char* field, int64_t value, int64_t limit,
              const std::string& mend) {
    if (value > limit) {
      Raise(flag, {rule, field, value, limit, mend});
    }
  }

  void Capacity() {
    const CoreMemory& memory = block_.memory();
    const auto bytes = [&](uint32_t extent, uint32_t copies) {
      return AlignUp(int64_t{extent}, kFractalEdge) * AlignUp(int64_t{t_.baseK}, kFractalEdge) * 2 * copies;
    };
    AtMost(ApiFlag::kIllegalL0A, "bytes of L0A for both halves of A", "dwTiling.baseM",
           bytes(t_.baseM, t_.al0Pbuffer), memory.l0a_bytes, kOpMends);
    AtMost(ApiFlag::kIllegalL0B, "bytes of L0B for both halves of B", "dwTiling.baseN",
           bytes(t_.baseN, t_.bl0Pbuffer), memory.l0b_bytes, kOpMends);
    AtMost(ApiFlag::kIllegalL0C, "bytes of L0C for all fp32 results", "dwTiling.baseN",
           int64_t{t_.baseM} * t_.baseN * 4 * t_.cl0Pbuffer, memory.l0c_bytes, kOpMends);
    AtMost(ApiFlag::kIllegalL1, "bytes of L1 for all copies of A and B", "dwTiling.bl1Bound",
           block_.L1Bytes(), memory.l1_bytes, kOpMends);
  }

  void Shape() {
    const uint32_t larger = std::max(t_.stepKa, t_.stepKb);
    const uint32_t smaller = std::min(t_.stepKa, t_.stepKb);
    if (larger % smaller != 0) {
      Raise(ApiFlag::kIllegalStep, {"the larger of stepKa and stepKb is whole steps of the smaller",
                                    t_.stepKa > t_.stepKb ? "dwTiling.stepKa" : "dwTiling.stepKb", larger,
                                    smaller, Say(larger / smaller * smaller, " fits"), LimitKind::kMultiple});
    }
    const std::array<std::pair<const char*, uint32_t>, 3> bases = {
        {{"dwTiling.baseM", t_.baseM}, {"dwTiling.baseN", t_.baseN}, {"dwTiling.baseK", t_.baseK}}};
    const auto* const uneven =
        std::ranges::find_if(bases, [](const auto& base) { return base.second % kFractalEdge != 0; });
    if (uneven != bases.end()) {
      Raise(ApiFlag::kIllegalAlign, {"a block is whole fractals", uneven->first, uneven->second, kFractalEdge,
                                     kOpMends, LimitKind::kMultiple});
    }
  }

  void Task() {
    const TConv3DBpFilterBasicBlockTiling& task = data_.basicBlockTiling;
    const int64_t k_blocks = CeilDiv(int64_t{task.singleCoreK}, int64_t{t_.baseK});
    if (t_.stepN > 1) {
      AtMost(ApiFlag::kWarnStepN, "above 1, all of K lies in the L1 copies, loads that K takes",
             "dwTiling.stepN", CeilDiv(k_blocks, int64_t{t_.stepKb}), t_.bl1Pbuffer,
             "stepN 1 needs no more of L1");
    }
    AtMost(ApiFlag::kNoteHo, "whole blocks of K take the task past the last output row",
           "dwTiling.singleCoreHo", t_.singleCoreHo, p_.ho, "the caller clips it to ho");
    if (task.singleCoreK % p_.wo != 0) {
      Raise(ApiFlag::kNoteK,
            {"whole blocks of K are not whole output rows of wo", "basicBlockTiling.singleCoreK",
             task.singleCoreK, p_.wo, Say("the caller clips it to ", p_.ho * p_.wo), LimitKind::kMultiple});
    }
    if (p_.batch <= 0) {
      Raise(ApiFlag::kBadBatch,
            {"the shipped planner does not look at the batch", "batch", p_.batch, 1, "batch 1 fits"});
    }
  }

  const FilterProblem& p_;
  const FilterApiBlock& block_;
  const DwData& data_;
  const DwTiling& t_;
  std::vector<RaisedFlag> raised_;
};

}  // namespace

std::string_view Name(ApiFlag flag) {
  constexpr std::array<std::string_view, 11> kNames = {
      "ILLEGAL_L0A", "ILLEGAL_L0B", "ILLEGAL_L0C", "ILLEGAL_L1", "ILLEGAL_STEP", "ILLEGAL_ALIGN",
      "WARN_STEPN",  "NOTE_HO",     "NOTE_K",      "BAD_BATCH",  "BAD_ARG"};
  return kNames[static_cast<size_t>(flag)];
}

bool IsIllegal(ApiFlag flag) { return flag <= ApiFlag::kIllegalAlign; }

std::string Sentence(const RaisedFlag& raised) { return Say(Name(raised.flag), ": ", Sentence(raised.why)); }

std::vector<RaisedFlag> FlagsOf(const FilterProblem& problem, const FilterApiBlock& block,
                                const Conv3DBackpropFilterTilingData& data) {
  return FlagTests(problem, block, data).Run();
}

}  // namespace tilesim
