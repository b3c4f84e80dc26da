#include "ops/validation/repeated_instruction.h"

#include <algorithm>
#include <vector>

#include "formats/error.h"
#include "formats/units.h"
#include "ops/validation/repeated_makers.h"
#include "sim/core/launch.h"
#include "sim/isa/elementwise.h"
#include "sim/isa/vector_reduce.h"

namespace tilesim {
namespace {

using validation::Made;

// What a row of an instruction has beside its size.
enum class Columns : uint8_t {
  kNone,
  kData,          // where what it reads from GM lies
  kRepeats,       // vector instructions
  kRepeatsBanks,  // of two sources
};

struct Maker {
  std::string_view name;  // of the instruction, types left out
  std::string_view group;
  MeasuredUnit unit;
  Columns columns;
  Made (*make)(const MeasuredInstruction&, const SocConfig&);
};

using enum MeasuredUnit;
using enum Columns;

constexpr Maker kMakers[] = {
    {"MMAD", "mmad", kMxkxn, kNone, validation::MakeMmad},
    {"L1_TO_L0A", "l1_to_l0", kBytes, kNone, validation::MakeLoad},
    {"L1_TO_L0B", "l1_to_l0", kBytes, kNone, validation::MakeLoad},
    {"GM_TO_L0A", "gm_to_l0", kBytes, kData, validation::MakeLoad},
    {"GM_TO_L0B", "gm_to_l0", kBytes, kData, validation::MakeLoad},
    {"GM_TO_L1", "gm_to_l1", kBytes, kData, validation::MakeRead},
    {"GM_TO_UB", "gm_to_ub", kBytes, kData, validation::MakeRead},
    {"GM_TO_L1_TRANS", "nd2nz", kBytes, kData, validation::MakeNd2Nz},
    {"L1_TO_BT", "l1_to_bt", kBytes, kNone, validation::MakeTableMove},
    {"L1_TO_FB", "l1_to_fb", kBytes, kNone, validation::MakeTableMove},
    {"UB_TO_GM", "ub_to_gm", kBytes, kNone, validation::MakeWrite},
    {"UB_TO_UB", "ub_to_ub", kBytes, kNone, validation::MakeCopyWithinUb},
    {"L0C_TO_GM", "fixpipe", kBytes, kNone, validation::MakeFixpipe},
    {"L0C_TO_GM_TRANS", "fixpipe", kBytes, kNone, validation::MakeFixpipe},
    {"VSEL", "vector_2_sources", kElements, kRepeatsBanks, validation::MakeSelect},
    {"VCMP", "vector_2_sources", kElements, kRepeatsBanks, validation::MakeCompareToRegister},
    {"VCMPV", "compare", kElements, kRepeatsBanks, validation::MakeCompare},
    {"VCMPVS", "compare", kElements, kRepeats, validation::MakeCompares},
    {"VGATHER", "gather", kElements, kRepeats, validation::MakeGather},
    {"VGATHERB", "gather", kElements, kRepeats, validation::MakeGatherBlocks},
    {"VREDUCEV2", "gather", kElements, kRepeats, validation::MakeGatherMask},
    {"VCONV", "vector_1_source", kElements, kRepeats, validation::MakeCast},
    {"VCONVDEQ", "vector_1_source", kElements, kRepeats, validation::MakeDequant},
    {"VCONVVDEQ", "vector_1_source", kElements, kRepeats, validation::MakeDequant},
    {"VMRGSORT", "sort", kElements, kRepeats, validation::MakeMergeSort},
    {"VCOPY", "vector_1_source", kElements, kRepeats, validation::MakeElementwise},
    {"VECTORDUP", "vector_1_source", kElements, kRepeats, validation::MakeDuplicate},
    {"VBRCB", "vector_1_source", kElements, kRepeats, validation::MakeBroadcast},
};

// The makers above, and one for each elementwise instruction and each reduction.
const std::vector<Maker>& Makers() {
  static const std::vector<Maker> kAll = [] {
    std::vector<Maker> all(std::begin(kMakers), std::end(kMakers));
    for (const isa::ElementwiseRow& row : isa::elementwise::kRows) {
      const auto kind = static_cast<size_t>(&row - isa::elementwise::kRows);
      const bool two =
          isa::SourcesOf(static_cast<isa::ElementwiseKind>(kind)) == isa::ElementwiseSources::kTwo;
      all.push_back({row.instruction, two ? "vector_2_sources" : "vector_1_source", kElements,
                     two ? kRepeatsBanks : kRepeats, validation::MakeElementwise});
    }
    for (const isa::ReduceRow& row : isa::kReduceRows) {
      all.push_back({row.instruction, "reduction", kElements, kRepeats, validation::MakeReduction});
    }
    return all;
  }();
  return kAll;
}

const Maker* MakerOf(const MeasuredInstruction& row) {
  const std::string_view first = std::string_view(row.instruction).substr(0, row.instruction.find('_'));
  for (const std::string_view name : {std::string_view(row.instruction), first}) {
    const auto found = std::ranges::find(Makers(), name, &Maker::name);
    if (found != Makers().end()) {
      return &*found;
    }
  }
  return nullptr;
}

constexpr std::string_view Name(MeasuredUnit unit) {
  constexpr std::string_view kNames[] = {"bytes", "elements", "mxkxn"};
  return kNames[static_cast<size_t>(unit)];
}

// A cell that could only be passed over says something else than what would be simulated.
void RequireOwnColumns(const MeasuredInstruction& row, const Maker& maker) {
  RequireUser(row.unit == maker.unit, "unit = '", Name(row.unit), "': the size of ", row.instruction,
              " is given in ", Name(maker.unit));
  const bool repeated = maker.columns == kRepeats || maker.columns == kRepeatsBanks;
  RequireUser(repeated || row.repeats == 0, "repeats: ", row.instruction,
              " has none, vector instructions have; leave it empty");
  RequireUser(!repeated || row.repeats > 0, "repeats: must be there, ", row.instruction,
              " is a vector instruction");
  RequireUser(maker.columns == kRepeatsBanks || !row.banks, "banks: ", row.instruction,
              " has no two sources whose banks could meet; leave it empty");
  RequireUser(maker.columns == kData || !row.in_hbm, "data: ", row.instruction,
              " reads nothing from GM; leave it empty");
}

}  // namespace

std::variant<RepeatedInstruction, std::string> RepeatedOf(const MeasuredInstruction& row,
                                                          const SocConfig& soc) {
  const Maker* const maker = MakerOf(row);
  if (maker == nullptr) {
    return std::string("this version has no such instruction (`tilesim list instructions`)");
  }
  RequireOwnColumns(row, *maker);
  Made made = maker->make(row, soc);
  if (auto* const repeated = std::get_if<RepeatedInstruction>(&made)) {
    repeated->waited = row.waited;
  }
  return made;
}

std::string_view GroupOf(const MeasuredInstruction& row) {
  const Maker* const maker = MakerOf(row);
  return maker == nullptr ? "" : maker->group;
}

int64_t CyclesOf(const RepeatedInstruction& instruction, const SocConfig& soc, int64_t repetitions) {
  // what the vendor's compiler would add between vector instructions is not in these measurements
  const LaunchOptions options{.type = instruction.type,
                              .blocks = 1,
                              .mode = {.values = false, .time = true, .hazards = false, .strict_sync = true},
                              .threads = 1,
                              .gm = instruction.gm};
  const LaunchResult result = Launch(soc, options, [&] {
    Core& core = CurrentCore();
    for (int64_t i = 0; i < repetitions; ++i) {
      instruction.issue(core, i);
      if (instruction.waited) {
        core.Barrier(instruction.pipe, SourceLine::Here());
      }
    }
  });
  if (!result.faults.empty()) {
    throw UserError(result.faults.front().Text());
  }
  return result.cycles;
}

double CyclesEach(const RepeatedInstruction& instruction, const SocConfig& soc) {
  constexpr int64_t kUnderWay = 48;  // more than any queue holds
  constexpr int64_t kMore = 48;
  const int64_t begin = CyclesOf(instruction, soc, kUnderWay);
  return static_cast<double>(CyclesOf(instruction, soc, kUnderWay + kMore) - begin) / kMore;
}

}  // namespace tilesim
