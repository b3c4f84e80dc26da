#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "formats/error.h"
#include "formats/units.h"
#include "ops/validation/repeated_makers.h"
#include "sim/isa/elementwise.h"
#include "sim/isa/gather.h"
#include "sim/isa/ub_move.h"
#include "sim/isa/vector_cast.h"
#include "sim/isa/vector_fill.h"
#include "sim/isa/vector_reduce.h"
#include "sim/isa/vector_select.h"
#include "sim/isa/vector_sort.h"

namespace tilesim::validation {
namespace {

using isa::ElementwiseKind;
using isa::VectorOperand;
using isa::VectorType;

// UB in thirds of a bank each; sources and dst each lie in one of them.
constexpr int64_t kThirdBytes = 64 * 1024;
constexpr int64_t kMostRepeats = kThirdBytes / isa::kRepeatBytes - 1;

template <class Op>
RepeatedInstruction Of(const Op& op) {
  return {.type = KernelType::kAivOnly, .pipe = Pipe::kV, .issue = [op](Core& core, int64_t) {
            core.Issue(op, SourceLine::Here());
          }};
}

// "VCONV_FP16_FP32": the name before the types, and the types.
std::string_view NameOf(const MeasuredInstruction& row) {
  return std::string_view(row.instruction).substr(0, row.instruction.find('_'));
}
std::optional<VectorType> TypeAt(const MeasuredInstruction& row, size_t place) {
  std::string_view rest = row.instruction;
  for (size_t i = 0; i <= place; ++i) {
    const size_t sign = rest.find('_');
    if (sign == rest.npos) {
      return std::nullopt;
    }
    rest.remove_prefix(sign + 1);
  }
  std::string name(rest.substr(0, rest.find('_')));
  std::ranges::transform(name, name.begin(), [](unsigned char letter) { return std::tolower(letter); });
  for (int t = 0; t < isa::kNumVectorTypes; ++t) {
    if (isa::Name(static_cast<VectorType>(t)) == name) {
      return static_cast<VectorType>(t);
    }
  }
  return std::nullopt;
}

int64_t LanesOf(VectorType type) { return isa::kRepeatBytes * 8 / isa::ElementBits(type); }
isa::VectorWork Whole(int64_t lanes, int64_t repeats) {
  return isa::WorkOfMask(isa::LaneMask::First(lanes), lanes, repeats);
}
VectorOperand At(int64_t begin, VectorType type, int64_t lanes) {
  const int64_t bits = isa::ElementBits(type);
  return {.at = {.memory = Memory::kUb, .begin = static_cast<uint64_t>(begin)},
          .element_bits = bits,
          .repeat_stride = std::max<int64_t>(1, lanes * bits / 8 / kDataBlockBytes)};
}

// Where the operands lie, as the row says of their bank groups.
struct Places {
  int64_t src0 = 0;
  int64_t src1 = 0;
  int64_t dst = 0;
};
Places PlacesOf(const MeasuredInstruction& row) {
  constexpr int64_t kHalfTheGroups = 256;
  Places places{.src0 = 0, .src1 = kThirdBytes + kHalfTheGroups, .dst = 2 * kThirdBytes + kDataBlockBytes};
  if (row.banks == MeasuredBanks::kShared) {
    places.src1 = kThirdBytes;
  } else if (row.banks == MeasuredBanks::kWithDst) {
    places.dst = row.repeats * isa::kRepeatBytes / 512 * 512 + 512;  // behind src0, in its bank
  }
  return places;
}

// Elements of a repeat of the widest and of the narrowest type that the row names.
std::pair<int64_t, int64_t> LanesOfTypes(const MeasuredInstruction& row) {
  int64_t fewest = LanesOf(*TypeAt(row, 0));
  int64_t most = fewest;
  for (size_t i = 1; const std::optional<VectorType> type = TypeAt(row, i); ++i) {
    fewest = std::min(fewest, LanesOf(*type));
    most = std::max(most, LanesOf(*type));
  }
  return {fewest, most};
}

// Calls make(type, lanes) where the row names a type. Throws UserError for sizes that are none of its
// repeats.
template <class Make>
Made WithType(const MeasuredInstruction& row, Make&& make) {
  const std::optional<VectorType> type = TypeAt(row, 0);
  if (!type) {
    return Say("'", row.instruction, "' names no element type that this version knows");
  }
  RequireUser(row.repeats <= kMostRepeats, "repeats = '", row.repeats, "': must be at most ", kMostRepeats,
              ", as many as an instruction has");
  const auto [fewest, most] = LanesOfTypes(row);
  RequireUser((row.repeats - 1) * fewest < row.size.front() && row.size.front() <= row.repeats * most,
              "size = '", row.size.front(), "': ", row.repeats, " repeats of ", row.instruction, " hold ",
              (row.repeats - 1) * fewest + 1, " to ", row.repeats * most, " elements");
  return make(*type, LanesOf(*type));
}

// What scales needs its registers set; a launch has cores of its own.
Made WithScales(Made made) {
  if (auto* const repeated = std::get_if<RepeatedInstruction>(&made)) {
    repeated->issue = [issue = repeated->issue](Core& core, int64_t i) {
      VectorRegisters& registers = core.registers().vector;
      registers.deq_scale_set = registers.dequant_one_set = registers.dequant_list_set = true;
      registers.dequant_one = isa::DequantWord(1.0F, 0, true);
      registers.dequant_list = static_cast<uint64_t>(2 * kThirdBytes + kThirdBytes / 2);
      issue(core, i);
    };
  }
  return made;
}

}  // namespace

Made MakeElementwise(const MeasuredInstruction& row, const SocConfig& /*soc*/) {
  return WithType(row, [&](VectorType src, int64_t) -> Made {
    size_t kind = 0;
    while (isa::RowOf(static_cast<ElementwiseKind>(kind)).instruction != NameOf(row)) {
      ++kind;
    }
    VectorType dst = src;
    for (size_t i = 1; const std::optional<VectorType> type = TypeAt(row, i); ++i) {
      dst = *type;  // the last one
    }
    if (!isa::RowOf(static_cast<ElementwiseKind>(kind)).Takes(dst, src)) {
      return Say("'", row.instruction, "': this part does not take these types");
    }
    const int64_t lanes = std::min(LanesOf(src), LanesOf(dst));
    const Places places = PlacesOf(row);
    return Of(isa::VectorElementwise{.kind = static_cast<ElementwiseKind>(kind),
                                     .dst = At(places.dst, dst, lanes),
                                     .src0 = At(places.src0, src, lanes),
                                     .src1 = At(places.src1, src, lanes),
                                     .dst_type = dst,
                                     .src_type = src,
                                     .work = Whole(lanes, row.repeats)});
  });
}

Made MakeReduction(const MeasuredInstruction& row, const SocConfig& /*soc*/) {
  return WithType(row, [&](VectorType type, int64_t lanes) -> Made {
    if (type != VectorType::kFp16 && type != VectorType::kFp32) {
      return Say("'", row.instruction, "': this part does not take these types");
    }
    const auto reduction = std::ranges::find(isa::kReduceRows, NameOf(row), &isa::ReduceRow::instruction);
    const auto call = reduction->group == isa::ReduceGroup::kBlock  ? isa::ReduceCall::kBlockReduce
                      : reduction->group == isa::ReduceGroup::kPair ? isa::ReduceCall::kPairReduce
                                                                    : isa::ReduceCall::kWholeReduce;
    const Places places = PlacesOf(row);
    const isa::VectorReduce on{.call = call,
                               .op = reduction->op,
                               .src = At(places.src0, type, lanes),
                               .dst = At(places.dst, type, lanes).at,
                               .type = type,
                               .work = Whole(lanes, row.repeats)};
    return RepeatedInstruction{
        .type = KernelType::kAivOnly, .pipe = Pipe::kV, .issue = [on](Core& core, int64_t) {
          isa::IssueReduce(core, on, SourceLine::Here());
        }};
  });
}

Made MakeCast(const MeasuredInstruction& row, const SocConfig& /*soc*/) {
  return WithType(row, [&](VectorType from, int64_t) -> Made {
    const std::optional<VectorType> to = TypeAt(row, 1);
    const auto pairs = isa::CastTable();
    const auto pair = std::ranges::find_if(
        pairs, [&](const isa::CastRow& known) { return to && known.from == from && known.to == *to; });
    if (pair == pairs.end()) {
      return Say("'", row.instruction, "': this version has no Cast of these types");
    }
    int round = 0;
    while (!pair->Allows(static_cast<isa::Round>(round))) {
      ++round;
    }
    const int64_t lanes = std::min(LanesOf(from), LanesOf(*to));
    const Places places = PlacesOf(row);
    return Of(isa::VectorCast{.dst = At(places.dst, *to, lanes),
                              .src = At(places.src0, from, lanes),
                              .from = from,
                              .to = *to,
                              .round = static_cast<isa::Round>(round),
                              .work = Whole(lanes, row.repeats)});
  });
}

Made MakeDequant(const MeasuredInstruction& row, const SocConfig& soc) {
  if (TypeAt(row, 0) == VectorType::kInt32) {
    return WithScales(MakeCast(row, soc));
  }
  return WithScales(WithType(row, [&](VectorType src, int64_t lanes) -> Made {
    if (src != VectorType::kInt16 || TypeAt(row, 1) != VectorType::kInt8) {
      return Say("'", row.instruction, "': this part does not take these types");
    }
    const Places places = PlacesOf(row);
    return Of(isa::VectorDequant{.dst = At(places.dst, src, lanes),
                                 .src = At(places.src0, src, lanes),
                                 .by_list = NameOf(row) == "VCONVVDEQ",
                                 .work = Whole(lanes, row.repeats)});
  }));
}

Made MakeMergeSort(const MeasuredInstruction& row, const SocConfig& /*soc*/) {
  return WithType(row, [&](VectorType type, int64_t) {
    const int64_t pairs = row.repeats * isa::kRepeatBytes / isa::kPairBytes / 4;  // of each queue
    isa::VectorMergeSort merge{.dst = At(PlacesOf(row).dst, type, 1).at, .src = {}, .type = type};
    for (size_t i = 0; i < merge.src.size(); ++i) {
      merge.lengths[i] = pairs;
      merge.src[i] = At(static_cast<int64_t>(i) * pairs * isa::kPairBytes, type, 1).at;
    }
    return Of(merge);
  });
}

Made MakeDuplicate(const MeasuredInstruction& row, const SocConfig& /*soc*/) {
  return WithType(row, [&](VectorType type, int64_t lanes) {
    return Of(isa::VectorDuplicate{
        .dst = At(PlacesOf(row).dst, type, lanes), .type = type, .work = Whole(lanes, row.repeats)});
  });
}

Made MakeBroadcast(const MeasuredInstruction& row, const SocConfig& /*soc*/) {
  return WithType(row, [&](VectorType type, int64_t lanes) {
    const Places places = PlacesOf(row);
    return Of(isa::VectorBroadcast{.dst = At(places.dst, type, lanes),
                                   .src = At(places.src0, type, lanes).at,
                                   .type = type,
                                   .repeats = row.repeats});
  });
}

Made MakeSelect(const MeasuredInstruction& row, const SocConfig& /*soc*/) {
  return WithType(row, [&](VectorType type, int64_t lanes) {
    const Places places = PlacesOf(row);
    return Of(isa::VectorSelect{.dst = At(places.dst, type, lanes),
                                .bits = At(places.dst + kThirdBytes / 2, type, lanes).at,
                                .src0 = At(places.src0, type, lanes),
                                .src1 = At(places.src1, type, lanes),
                                .type = type,
                                .mode = isa::SelectMode::kTensorTensor,
                                .from_register = true,
                                .work = Whole(lanes, row.repeats)});
  });
}

Made MakeCompare(const MeasuredInstruction& row, const SocConfig& /*soc*/) {
  return WithType(row, [&](VectorType type, int64_t lanes) {
    const Places places = PlacesOf(row);
    return Of(isa::VectorCompare{.dst = At(places.dst, type, lanes).at,
                                 .src0 = At(places.src0, type, lanes),
                                 .src1 = At(places.src1, type, lanes),
                                 .type = type,
                                 .work = Whole(lanes, row.repeats)});
  });
}

Made MakeCompares(const MeasuredInstruction& row, const SocConfig& /*soc*/) {
  return WithType(row, [&](VectorType type, int64_t lanes) {
    const Places places = PlacesOf(row);
    isa::VectorCompare op;
    op.dst = At(places.dst, type, lanes).at;
    op.src0 = At(places.src0, type, lanes);
    op.scalar = true;
    op.type = type;
    op.work = Whole(lanes, row.repeats);
    return Of(op);
  });
}

Made MakeCompareToRegister(const MeasuredInstruction& row, const SocConfig& /*soc*/) {
  return WithType(row, [&](VectorType type, int64_t lanes) {
    const Places places = PlacesOf(row);
    return Of(isa::VectorCompare{.dst = {},
                                 .src0 = At(places.src0, type, lanes),
                                 .src1 = At(places.src1, type, lanes),
                                 .type = type,
                                 .work = Whole(lanes, row.repeats),
                                 .to_register = true});
  });
}

Made MakeGather(const MeasuredInstruction& row, const SocConfig& /*soc*/) {
  return WithType(row, [&](VectorType type, int64_t lanes) {
    const Places places = PlacesOf(row);
    return Of(isa::VectorGather{.dst = At(places.dst, type, lanes),
                                .src = At(places.src0, type, lanes).at,
                                .offsets = At(places.src1, type, lanes).at,
                                .type = type,
                                .work = Whole(lanes, row.repeats)});
  });
}

Made MakeGatherBlocks(const MeasuredInstruction& row, const SocConfig& /*soc*/) {
  return WithType(row, [&](VectorType type, int64_t lanes) {
    const Places places = PlacesOf(row);
    return Of(isa::GatherOfBlocks(At(places.dst, type, lanes).at, At(places.src0, type, lanes).at,
                                  At(places.src1, type, lanes).at, row.repeats));
  });
}

Made MakeGatherMask(const MeasuredInstruction& row, const SocConfig& /*soc*/) {
  return WithType(row, [&](VectorType type, int64_t lanes) {
    const Places places = PlacesOf(row);
    isa::VectorGatherMask op;
    op.dst = At(places.dst, type, lanes).at;
    op.src = At(places.src0, type, lanes);
    op.pattern = isa::VectorGatherMask::kPatterns;
    op.type = type;
    op.work = {.elements = lanes, .repeats = row.repeats};
    return Of(op);
  });
}

Made MakeCopyWithinUb(const MeasuredInstruction& row, const SocConfig& soc) {
  const int64_t bytes = row.size.front();
  RequireUser(bytes > 0 && bytes % kDataBlockBytes == 0, "size = '", bytes, "': must be a multiple of the ",
              kDataBlockBytes, " bytes that one move of it has");
  if (bytes > soc.ub_bytes) {
    return Say(bytes, " bytes are more than the ", soc.ub_bytes, " of UB");
  }
  return Of(isa::CopyWithinUb{.dst = {.memory = Memory::kUb},
                              .src = {.memory = Memory::kUb},
                              .blocks = {.length_blocks = bytes / kDataBlockBytes}});
}

}  // namespace tilesim::validation
