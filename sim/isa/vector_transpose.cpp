#include "sim/isa/vector_transpose.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "formats/units.h"
#include "sim/isa/instruction_row.h"
#include "sim/isa/vector_cost.h"
#include "sim/isa/vector_values.h"

namespace tilesim::isa {
namespace {

using Rows = std::array<Operand, 16>;
using Places = std::span<const uint64_t, 16>;

constexpr int64_t kTransposeCycles = 2;  // derived: AD, 256 bytes a cycle; 16 rows of 32 bytes
constexpr TypeSet kTypes = {VectorType::kInt8, VectorType::kUint8, VectorType::kInt16,  VectorType::kUint16,
                            VectorType::kFp16, VectorType::kInt32, VectorType::kUint32, VectorType::kFp32};

// Of either of the two instructions.
int64_t FirstOffset(const auto& op, int64_t stride) { return op.repeats == 1 ? stride * kDataBlockBytes : 0; }
bool OfBytes(const auto& op) { return ElementBits(op.type) == 8; }
uint64_t Begin(const Operand& row) { return row.begin; }
uint64_t Begin(uint64_t row) { return row; }
Operand OperandOf(const Operand& row) { return row; }
Operand OperandOf(uint64_t row) { return {.memory = Memory::kUb, .begin = row}; }

int64_t RowBytes(const auto& op) { return OfBytes(op) ? kDataBlockBytes / 2 : kDataBlockBytes; }

// Every `every`-th row from `first` on; nothing where they are not evenly spaced.
std::optional<int64_t> StepOf(const auto& rows, size_t first, size_t every) {
  const uint64_t step = Begin(rows[first + every]) - Begin(rows[first]);
  bool even = Begin(rows[first + every]) > Begin(rows[first]);
  for (size_t i = first + every; i < rows.size(); i += every) {
    even = even && Begin(rows[i]) - Begin(rows[i - every]) == step &&
           OperandOf(rows[i]).limit == OperandOf(rows[first]).limit;
  }
  return even ? std::optional(static_cast<int64_t>(step)) : std::nullopt;
}

// The rows as regions: one or two where they are evenly spaced, or every other one is.
void AddRows(Operands& operands, const auto& op, const auto& rows, Use use, const char* name, int64_t stride,
             bool high) {
  const uint64_t offset = Unsigned(FirstOffset(op, stride) + (high && OfBytes(op) ? kDataBlockBytes / 2 : 0));
  const auto add = [&](size_t first, int64_t count, int64_t step) {
    Region region = RegionOf(
        OperandOf(rows[first]), use, name,
        {offset, Unsigned(RowBytes(op)), Times(count, step), Times(op.repeats, stride * kDataBlockBytes)});
    region.align_bytes = 1;  // Check has seen to the rows
    operands.Add(region);
  };
  if (const std::optional<int64_t> step = StepOf(rows, 0, 1)) {
    return add(0, 16, *step);
  }
  const std::optional<int64_t> even = StepOf(rows, 0, 2);
  const std::optional<int64_t> odd = StepOf(rows, 1, 2);
  if (even && odd) {
    add(0, 8, *even);
    add(1, 8, *odd);
    return;
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    add(i, 1, 0);
  }
}

// The busiest bank group of a repeat.
int64_t GroupCycles(const auto& rows) {
  std::array<int64_t, 16> uses{};
  int64_t most = 0;
  for (const auto& row : rows) {
    most = std::max(most, ++uses[Begin(row) / 32 % 16]);
  }
  return most;
}

Extent ExtentOf(const auto& op, const auto& rows, int64_t stride) {
  Extent extent{~uint64_t{0}, 0};
  for (const auto& row : rows) {
    extent.begin = std::min(extent.begin, Begin(row));
    extent.end = std::max(extent.end, Begin(row) + kDataBlockBytes);
  }
  extent.end += Unsigned(std::max<int64_t>(op.repeats, 2) - 1) * Unsigned(stride * kDataBlockBytes);
  return extent;
}

// What the last repeat's blocks reach beyond those that the instruction names.
uint64_t ReachBytes(const auto& op, int64_t stride) {
  const int64_t steps = op.repeats == 1 ? 1 : op.repeats - 1;
  return Unsigned((steps * stride + 1) * kDataBlockBytes);
}

// Does what begins in the last row fit in UB? Rows may be anywhere: sums of theirs may begin anew at 0.
bool LastFits(Core& core, uint64_t last, uint64_t reach, uint64_t limit, Use use) {
  return last <= Unsigned(core.soc().ub_bytes) && core.FitsUb(last + reach, limit, use);
}

void TransposeBytes(const auto& op, const TransposedRows& rows) {
  std::byte turned[16][16];
  for (int64_t r = 0; r < rows.repeats; ++r) {
    for (size_t i = 0; i < 16; ++i) {
      const std::byte* const src = rows.Src(i) + r * rows.src_step_bytes + (op.src_high ? 16 : 0);
      for (size_t j = 0; j < 16; ++j) {
        turned[j][i] = src[j];
      }
    }
    for (size_t j = 0; j < 16; ++j) {
      std::memcpy(rows.Dst(j) + r * rows.dst_step_bytes + (op.dst_high ? 16 : 0), turned[j], 16);
    }
  }
}

void ExecuteRows(Core& core, const auto& op, const Places& dst, const Places& src) {
  std::byte* const ub = core.ub();
  const TransposedRows rows{.from = ub + FirstOffset(op, op.src_repeat_stride),
                            .to = ub + FirstOffset(op, op.dst_repeat_stride),
                            .src = src,
                            .dst = dst,
                            .repeats = op.repeats,
                            .src_step_bytes = op.src_repeat_stride * kDataBlockBytes,
                            .dst_step_bytes = op.dst_repeat_stride * kDataBlockBytes};
  if (OfBytes(op)) {
    TransposeBytes(op, rows);
  } else {
    TransposeRows(ElementBits(op.type) / 8, rows);
  }
}

// All bits of the places where rows start.
uint64_t BitsOf(const auto& rows) {
  uint64_t bits = 0;
  for (const auto& row : rows) {
    bits |= Begin(row);
  }
  return bits;
}
bool AtBlocks(uint64_t bits) { return bits % kDataBlockBytes == 0; }

uint64_t LastOf(const auto& rows) {
  std::array<uint64_t, 8> last;  // no chain of sixteen
  for (size_t i = 0; i < 8; ++i) {
    last[i] = std::max(Begin(rows[i]), Begin(rows[i + 8]));
  }
  for (size_t i = 0; i < 4; ++i) {
    last[i] = std::max(last[i], last[i + 4]);
  }
  return std::max(std::max(last[0], last[1]), std::max(last[2], last[3]));
}

// The least limit of those that are given.
uint64_t LimitOf(const auto& rows) {
  uint64_t limit = 0;
  for (const auto& row : rows) {
    const uint64_t here = OperandOf(row).limit;
    limit = limit == 0 || (here != 0 && here < limit) ? here : limit;
  }
  return limit;
}

// Rows known by their places are checked when the footprint is made, for RunAtOnce sees the same in one look.
template <class AnyRows>
constexpr bool kHasPlacesOnly = std::is_same_v<AnyRows, Places>;

void CheckRows(Core& core, const char* name, const auto& rows) {
  const auto in_ub = [](const auto& row) { return OperandOf(row).memory == Memory::kUb; };
  if (!AtBlocks(BitsOf(rows)) || !std::ranges::all_of(rows, in_ub)) [[unlikely]] {
    for (const auto& row : rows) {  // says which
      RequireUb(core, name, OperandOf(row));
    }
  }
}

// Of rows that are in UB.
bool Fits(Core& core, const auto& op) {
  const uint64_t src_bits = BitsOf(op.src);
  const uint64_t src_reach = ReachBytes(op, op.src_repeat_stride);
  const uint64_t src_limit = LimitOf(op.src);
  return AtBlocks(BitsOf(op.dst) | src_bits) &&
         (LastFits(core, src_bits, src_reach, src_limit, Use::kRead) ||  // no row lies behind these
          LastFits(core, LastOf(op.src), src_reach, src_limit, Use::kRead)) &&
         LastFits(core, LastOf(op.dst), ReachBytes(op, op.dst_repeat_stride), LimitOf(op.dst), Use::kWrite);
}

Places PlacesOf(const Places& rows) { return rows; }
std::array<uint64_t, 16> PlacesOf(const Rows& rows) {
  std::array<uint64_t, 16> places;
  std::ranges::transform(rows, places.begin(), &Operand::begin);
  return places;
}

}  // namespace

template <class Rows>
void TransposeOfRows<Rows>::Check(Core& core) const {
  RequireType(core, type, kTypes);
  RequireRange(core, "repeatTimes", repeats, 0, 255, "split the instruction");
  RequireRange(core, "dstRepStride", dst_repeat_stride, 0, 65535, "split the instruction");
  RequireRange(core, "srcRepStride", src_repeat_stride, 0, 65535, "split the instruction");
  if constexpr (!kHasPlacesOnly<Rows>) {
    CheckRows(core, "dst", dst);
    CheckRows(core, "src", src);
  }
}

template <class Rows>
bool TransposeOfRows<Rows>::RunAtOnce(Core& core) const {
  Check(core);
  if (repeats == 0 || !Fits(core, *this)) {
    return false;
  }
  Execute(core);
  return true;
}

template <class Rows>
Operands TransposeOfRows<Rows>::Footprint(Core& core) const {
  if constexpr (kHasPlacesOnly<Rows>) {
    CheckRows(core, "dst", dst);
    CheckRows(core, "src", src);
  }
  Operands operands;
  if (repeats > 0) {
    AddRows(operands, *this, dst, Use::kWrite, "dst", dst_repeat_stride, dst_high);
    AddRows(operands, *this, src, Use::kRead, "src", src_repeat_stride, src_high);
  }
  return operands;
}

template <class Rows>
void TransposeOfRows<Rows>::Execute(Core& core) const {
  ExecuteRows(core, *this, PlacesOf(dst), PlacesOf(src));
}

template <class Rows>
Cost TransposeOfRows<Rows>::TimeOn(Core& core) const {
  if (repeats == 0) {
    return {};
  }
  const int64_t cycles = std::max({kTransposeCycles, GroupCycles(dst), GroupCycles(src)}) * repeats;
  return VectorCost(core, cycles, ExtentOf(*this, dst, dst_repeat_stride),
                    ExtentOf(*this, src, src_repeat_stride));
}

template struct TransposeOfRows<Rows>;
template struct TransposeOfRows<Places>;

void AddTransposeRows(InstructionRows& rows, const SocConfig& /*soc*/) {
  FamilyRows(rows, "transpose")
      .Add(VectorTranspose::kName, kTypes.Names(),
           "16 rows by tensor, address or list in UB; repeats, strides",
           {Say(kTransposeCycles, " a repeat"), Provenance::kDerived, "AD, 256 bytes a cycle"});
}

}  // namespace tilesim::isa
