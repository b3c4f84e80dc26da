#include "sim/isa/gather.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "formats/units.h"
#include "sim/core/recording.h"
#include "sim/isa/instruction_row.h"
#include "sim/isa/vector_cost.h"

namespace tilesim::isa {
namespace {

constexpr int64_t kOffsetBytes = 4;

// Measured: KPP 910B1, VGATHER: 24 r + 3 of 16-bit types, 12 r + 3 of 32-bit ones (14 for one repeat).
constexpr int64_t kGatherCycles16 = 24;
constexpr int64_t kGatherCycles32 = 12;
constexpr int64_t kGatherCyclesOnce = 3;
// Measured: KPP 910B1, VGATHERB: a cycle a repeat, and 25 more for each 24 repeats before, by eights.
constexpr int64_t kGatherBlockCyclesOnce = 10;
constexpr int64_t kRepeatsTogether = 8;
constexpr int64_t kCyclesOf3Together = 25;
// Measured: KPP 910B1, VREDUCEV2. Repeats of more than 256 bytes: for each 256 of them (assumed).
constexpr int64_t kGatherMaskCycles = 14;

const char* SrcName(const VectorGather& op) { return op.of_blocks ? "src0" : "src"; }
const char* OffsetsName(const VectorGather& op) { return op.of_blocks ? "offset" : "srcOffset"; }
VectorOperand OffsetsOf(const VectorGather& op) {
  return {.at = op.offsets,
          .element_bits = kOffsetBytes * 8,
          .block_stride = 1,
          .repeat_stride = op.work.lanes * kOffsetBytes / kDataBlockBytes};
}

// What a gather takes from where: pieces of `bytes` bytes, aligned to as many.
class Gathered {
 public:
  Gathered(Core& core, const VectorGather& op)
      : core_(core),
        src_(op.src),
        dst_(ExtentOf(op.work, op.dst)),
        bytes_(Unsigned(op.dst.element_bits / 8)),
        unit_(op.of_blocks ? "block" : "lane"),
        src_name_(SrcName(op)),
        offsets_name_(OffsetsName(op)) {
    const uint64_t capacity = Unsigned(core.CapacityBytes(Memory::kUb));
    limit_ = src_.limit != 0 && src_.limit < capacity ? src_.limit : capacity;
  }
  // Piece `number` comes from `offset` bytes behind the start of src: a fault unless it may.
  void From(int64_t number, uint64_t offset) {
    const uint64_t begin = src_.begin + offset;
    const uint64_t end = begin + bytes_;
    core_.Require(begin % bytes_ == 0, FaultKind::kAlignment, offsets_name_, unit_, " ", number,
                  " comes from byte ", offset, " of ", src_name_, ", which must be a multiple of ", bytes_);
    core_.Require(end <= limit_, FaultKind::kBounds, offsets_name_, unit_, " ", number, " comes from byte ",
                  offset, " of ", src_name_, ", which is byte ", begin, " of UB; ", src_name_,
                  "'s memory ends at ", limit_, ", ", limit_ - std::min(src_.begin, limit_),
                  " bytes behind its start; offsets count bytes");
    core_.Require(!dst_.Meets({begin, end}), FaultKind::kMisuse, "dst", unit_, " ", number,
                  " comes from byte ", begin, " of UB, which dst takes: bytes [", dst_.begin, ", ", dst_.end,
                  "); use another buffer");
    extent_ = extent_.end == 0 ? Extent{begin, end}
                               : Extent{std::min(extent_.begin, begin), std::max(extent_.end, end)};
    if (core_.hazards() != nullptr) {
      pieces_.push_back({begin, end});
    }
  }
  // All of them, and what lies between.
  [[nodiscard]] const Extent& extent() const { return extent_; }
  // What is read; for who looks at it, exactly, unless it is many pieces.
  void AddTo(Operands& operands, const char* name) {
    constexpr size_t kMostPieces = 16;
    std::ranges::sort(pieces_, {}, &Extent::begin);
    std::vector<Extent> apart;
    for (const Extent& piece : pieces_) {
      if (apart.empty() || apart.back().end < piece.begin) {
        apart.push_back(piece);
      } else {
        apart.back().end = std::max(apart.back().end, piece.end);
      }
    }
    const bool exact = !apart.empty() && apart.size() <= kMostPieces;
    for (const Extent& piece : exact ? apart : std::vector{extent_}) {
      operands.Add({.memory = Memory::kUb,
                    .use = Use::kRead,
                    .operand = name,
                    .begin = piece.begin,
                    .block_bytes = piece.end - piece.begin,
                    .limit = src_.limit,
                    .with_gaps = !exact});
    }
  }

 private:
  Core& core_;
  const Operand& src_;
  Extent dst_;
  uint64_t bytes_;
  const char* unit_;
  const char* src_name_;
  const char* offsets_name_;
  uint64_t limit_;
  Extent extent_;
  std::vector<Extent> pieces_;  // in the order of the lanes; they may meet
};

// Calls f(lane, bytes in UB of its place in dst, its offset) for lanes that are on. The offsets are there.
template <class F>
void ForGathered(Core& core, const VectorGather& op, F&& f) {
  const VectorOperand offsets = OffsetsOf(op);
  ForRuns<2>(
      op.work, {&op.dst, &offsets},
      [&](const std::array<uint64_t, 2>& at, int64_t first, const VectorRun& run) {
        for (int64_t i = 0; i < run.count * run.repeats; ++i) {
          const int64_t repeat = i / run.count;
          const int64_t in_run = i % run.count;
          const int64_t lane = first + (run.repeats == 1 ? 0 : repeat * op.work.lanes) + in_run;
          const auto to =
              static_cast<int64_t>(at[0]) + repeat * run.step_bytes[0] + in_run * op.dst.element_bits / 8;
          uint32_t offset = 0;
          std::memcpy(&offset, core.ub() + op.offsets.begin + Unsigned(lane * kOffsetBytes), sizeof(offset));
          f(lane, Unsigned(to), uint64_t{op.base_bytes} + offset);
        }
      });
}

// Are the bytes of an operand there to be looked at, before the core has checked it?
bool MayLook(Core& core, const Operand& operand, const Extent& extent) {
  return core.mode().values && operand.memory == Memory::kUb &&
         core.FitsUb(extent.end, operand.limit, Use::kRead);
}

// A fault unless all offsets hold values, and name what may be taken. Without a mask all are read at once.
Gathered GatheredBy(Core& core, const VectorGather& op) {
  Gathered gathered(core, op);
  if (op.work.IsNop() || !MayLook(core, op.offsets, ExtentOf(op.work, OffsetsOf(op)))) {
    return gathered;
  }
  const auto require_values = [&](int64_t first, int64_t count) {
    const Extent read =
        ExtentOf({.begin = op.offsets.begin + Unsigned(first * kOffsetBytes)}, count * kOffsetBytes);
    core.RequireValues(Memory::kUb, read.begin, read.end, op.of_blocks ? "offset (UB)" : "srcOffset (UB)");
  };
  if (op.of_blocks) {
    require_values(0, op.work.lanes * op.work.repeats);
  }
  ForGathered(core, op, [&](int64_t lane, uint64_t, uint64_t offset) {
    if (!op.of_blocks) {
      require_values(lane, 1);
    }
    gathered.From(lane, offset);
  });
  return gathered;
}

int64_t ElementBytes(const VectorGatherMask& op) { return ElementBits(op.type) / 8; }
int64_t BitBytes(const VectorGatherMask& op) { return CeilDiv(op.work.elements, 8); }
int64_t BitStep(const VectorGatherMask& op) { return op.bits_repeat_stride * kDataBlockBytes; }
Extent BitsOf(const VectorGatherMask& op) {
  return ExtentOf(op.bits, (op.work.repeats - 1) * BitStep(op) + BitBytes(op));
}

bool Keeps(int64_t pattern, int64_t i) {
  constexpr int64_t kFirstOfFour = 3;
  return pattern == VectorGatherMask::kPatterns ||
         (pattern < kFirstOfFour ? i % 2 == pattern - 1 : i % 4 == pattern - kFirstOfFour);
}

// Calls f(repeat, element of the repeat) for what is kept, in order. A user's bits are there.
template <class F>
void ForKept(Core& core, const VectorGatherMask& op, F&& f) {
  for (int64_t r = 0; r < op.work.repeats; ++r) {
    for (int64_t i = 0; i < op.work.elements; ++i) {
      const bool kept =
          op.pattern != 0
              ? Keeps(op.pattern, i)
              : (static_cast<uint32_t>(core.ub()[op.bits.begin + Unsigned(r * BitStep(op) + i / 8)]) >>
                     (i % 8) &
                 1) != 0;
      if (kept) {
        f(r, i);
      }
    }
  }
}

// How many elements are kept; 0 where that cannot be known, or the core is about to refuse an operand.
int64_t KeptBy(Core& core, const VectorGatherMask& op) {
  if (op.work.ExtentOf(op.src).end > Unsigned(core.CapacityBytes(Memory::kUb)) ||
      (op.pattern == 0 && !MayLook(core, op.bits, BitsOf(op)))) {
    return 0;
  }
  int64_t kept = 0;
  ForKept(core, op, [&](int64_t, int64_t) { ++kept; });
  return kept;
}

Extent DstOf(Core& core, const VectorGatherMask& op) {
  return ExtentOf(op.dst, core.registers().vector.kept_elements * ElementBytes(op));
}

}  // namespace

VectorGather GatherOfBlocks(const Operand& dst, const Operand& src, const Operand& offsets, int64_t repeats,
                            int64_t dst_block_stride, int64_t dst_repeat_stride) {
  constexpr int64_t kBlocksOfRepeat = 8;
  return {.dst = {.at = dst,
                  .element_bits = kDataBlockBytes * 8,
                  .block_stride = dst_block_stride == 0 ? 1 : dst_block_stride,
                  .repeat_stride = dst_repeat_stride},
          .src = src,
          .offsets = offsets,
          .work = WorkOfRepeats(kBlocksOfRepeat, repeats),
          .of_blocks = true};
}

void VectorGather::Check(Core& core) const {
  RequireType(core, type, k16And32BitTypes);
  RequireUb(core, "dst", dst);
  RequireUb(core, SrcName(*this), src);
  RequireUb(core, OffsetsName(*this), offsets);
  RequireApart(core, OffsetsName(*this), ExtentOf(work, OffsetsOf(*this)), ExtentOf(work, dst));
}

Operands VectorGather::Footprint(Core& core) const {
  Operands operands;
  AddLanes(operands, work, dst, Use::kWrite, "dst");
  AddLanes(operands, work, OffsetsOf(*this), Use::kRead, OffsetsName(*this));
  GatheredBy(core, *this).AddTo(operands, SrcName(*this));
  return operands;
}

void VectorGather::Execute(Core& core) const {
  std::byte* const ub = core.ub();
  const auto bytes = static_cast<size_t>(dst.element_bits / 8);
  ForGathered(core, *this, [&](int64_t, uint64_t to, uint64_t offset) {
    std::memcpy(ub + to, ub + src.begin + offset, bytes);
  });
}

Cost VectorGather::TimeOn(Core& core) const {
  const int64_t repeats = work.repeats;
  const int64_t each = dst.element_bits == 16 ? kGatherCycles16 : kGatherCycles32;
  const int64_t cycles =
      of_blocks ? kGatherBlockCyclesOnce + repeats + (repeats - 1) / kRepeatsTogether * kCyclesOf3Together / 3
                : kGatherCyclesOnce + each * repeats;
  const Extent read[] = {ExtentOfRepeats(work, OffsetsOf(*this)), GatheredBy(core, *this).extent()};
  return VectorCost(core, work, cycles, ExtentOfRepeats(work, dst), read);
}

void VectorGatherMask::Check(Core& core) const {
  RequireType(core, type, k16And32BitTypes);
  RequireUb(core, "dst", dst);
  RequireUb(core, "src0", src);
  if (pattern == 0) {
    RequireUb(core, "src1Pattern", bits);
  } else {
    RequireRange(
        core, "src1Pattern", pattern, 1, kPatterns,
        "1 and 2 keep every second element, 3 to 6 every fourth, 7 all; others are bits in a tensor");
  }
  core.registers().vector.kept_elements = work.IsNop() ? 0 : KeptBy(core, *this);
  if (work.IsNop()) {
    return;
  }
  const Extent to = DstOf(core, *this);
  const Extent from = work.ExtentOf(src);
  const bool in_place =
      dst.begin == src.at.begin && (work.repeats == 1 || src.RepeatBytes() >= src.EndOfLanes(work.elements));
  const std::string beyond = BeyondTensor("src0", src.at, from.end) + BeyondTensor("dst", dst, to.end);
  core.Require(
      in_place || !to.Meets(from), beyond.empty() ? FaultKind::kMisuse : FaultKind::kBounds, "dst",
      "takes bytes [", to.begin, ", ", to.end, ") of UB and src0 has [", from.begin, ", ", from.end, ")",
      beyond.empty() ? "; use another buffer, or begin at the same byte with repeats of src0 that share none"
                     : beyond);
  core.Require(pattern != 0 || !to.Meets(BitsOf(*this)), FaultKind::kMisuse, "src1Pattern",
               "overlaps dst, which takes bytes [", to.begin, ", ", to.end, ") of UB; use another buffer");
}

Operands VectorGatherMask::Footprint(Core& core) const {
  Operands operands;
  work.AddTo(operands, src, Use::kRead, "src0");
  if (pattern == 0) {
    operands.Add(RegionOf(bits, Use::kRead, "src1Pattern",
                          {0, Unsigned(BitBytes(*this)), Times(work.repeats, BitStep(*this))}));
  }
  AddBytes(operands, dst, core.registers().vector.kept_elements * ElementBytes(*this), Use::kWrite, "dst");
  return operands;
}

void VectorGatherMask::Execute(Core& core) const {
  std::byte* const ub = core.ub();
  std::vector<std::byte> kept;  // apart: dst may be src
  kept.reserve(Unsigned(core.registers().vector.kept_elements * ElementBytes(*this)));
  ForKept(core, *this, [&](int64_t repeat, int64_t i) {
    const std::byte* const from = ub + LongRepeats::PlaceOf(src, repeat, i);
    kept.insert(kept.end(), from, from + ElementBytes(*this));
  });
  if (!kept.empty()) {
    std::memcpy(ub + dst.begin, kept.data(), kept.size());
  }
}

Cost VectorGatherMask::TimeOn(Core& core) const {
  const Extent read[] = {work.ExtentOf(src), pattern == 0 ? BitsOf(*this) : Extent{}};
  return VectorCost(core, work, kGatherMaskCycles * work.Pieces(ElementBits(type)), DstOf(core, *this), read);
}

Cost ReadKeptElements::TimeOn(Core& core) const {
  core.Record([](Recording& recording) { recording.Await(Pipe::kV); });
  return {.busy_cycles = core.soc().scalar_issue_cycles, .latency_cycles = 0};
}

void AddGatherRows(InstructionRows& rows, const SocConfig& soc) {
  const FamilyRows family(rows, "gather");
  const std::string types = k16And32BitTypes.Names();
  family.AddMeasured(
      VectorGather().name(), types, "count; mask as a number or bits, repeats",
      Say(kGatherCycles16, " a repeat of 16 bits, ", kGatherCycles32, " of 32, and ", kGatherCyclesOnce),
      "VGATHER");
  family.AddMeasured(
      GatherOfBlocks({}, {}, {}, 0).name(), types, "repeats, strides",
      Say("1 a repeat, ", kCyclesOf3Together, " more for each 24, and ", kGatherBlockCyclesOnce), "VGATHERB");
  family.AddMeasured(VectorGatherMask::kName, types,
                     "patterns 1 to 7, bits in a tensor; normal and counter mode",
                     Say(kGatherMaskCycles, " for 256 bytes"), "VREDUCEV2");
  family.AddRead(ReadKeptElements::kName, "", soc);
}

}  // namespace tilesim::isa
