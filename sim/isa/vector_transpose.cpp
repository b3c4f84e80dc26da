#include "sim/isa/vector_transpose.h"

#include <algorithm>
#include <array>
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
constexpr TypeSet kTileTypes = {VectorType::kInt16, VectorType::kUint16, VectorType::kFp16};
constexpr int64_t kTileBytes = 512;
constexpr int64_t kTileRows = 16;
constexpr int64_t kRowListBytes = kTileRows * 8;
constexpr int64_t kMostRepeats = 255;
constexpr TypeSet kTypes = {VectorType::kInt8, VectorType::kUint8, VectorType::kInt16,  VectorType::kUint16,
                            VectorType::kFp16, VectorType::kInt32, VectorType::kUint32, VectorType::kFp32};

bool OfBytes(const auto& op) { return ElementBits(op.type) == 8; }
// How far behind the places of its rows the first repeat begins.
int64_t OffsetOf(const auto& op, int64_t stride, bool high) {
  return (op.repeats == 1 ? stride * kDataBlockBytes : 0) + (high && OfBytes(op) ? kDataBlockBytes / 2 : 0);
}
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
  const auto add = [&](size_t first, int64_t count, int64_t step) {
    Region region = RegionOf(OperandOf(rows[first]), use, name,
                             {Unsigned(OffsetOf(op, stride, high)), Unsigned(RowBytes(op)),
                              Times(count, step), Times(op.repeats, stride * kDataBlockBytes)});
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
    return add(1, 8, *odd);
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    add(i, 1, 0);
  }
}

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

void ExecuteRows(Core& core, const auto& op, const Places& dst, const Places& src) {
  std::byte* const ub = core.ub();
  TransposeRows(ElementBits(op.type) / 8, {.from = ub + OffsetOf(op, op.src_repeat_stride, op.src_high),
                                           .to = ub + OffsetOf(op, op.dst_repeat_stride, op.dst_high),
                                           .src = src,
                                           .dst = dst,
                                           .repeats = op.repeats,
                                           .src_step_bytes = op.src_repeat_stride * kDataBlockBytes,
                                           .dst_step_bytes = op.dst_repeat_stride * kDataBlockBytes});
}

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

// A map is walked in pieces of up to 16 strips (8-bit types: 32), each a data block of neighbouring
// positions. In NCHW the block of a strip holds positions i of one channel, in NHWC it holds places i of
// (position in the strip, channel), which lie one behind the other. TransDataTo5HD turns such blocks of all
// strips into rows i of an element a strip, which tmp has by (position in the strip, channel).
class MapTransposer {
 public:
  MapTransposer(Core& core, const TransposeMaps& maps, SourceLine where)
      : core_(core), maps_(maps), where_(where), element_bytes_(ElementBits(maps.type) / 8) {}

  void Run() {
    const int64_t map_bytes = maps_.c * maps_.hw * element_bytes_;
    const int64_t strips = maps_.hw * element_bytes_ / kDataBlockBytes;
    for (int64_t n = 0; n < maps_.n; ++n) {
      for (int64_t first = 0; first < strips; first += MostStrips()) {
        strips_ = std::min(MostStrips(), strips - first);
        const Operand src = Behind(maps_.src, n * map_bytes);
        const Operand dst = Behind(maps_.dst, n * map_bytes);
        const bool from_nchw = maps_.order == MapOrder::kNchwToNhwc;
        Turn(from_nchw ? ByChannel(src, first) : ByPosition(src, first), true);
        core_.Barrier(Pipe::kV, where_);
        Turn(from_nchw ? ByPosition(dst, first) : ByChannel(dst, first), false);
        core_.Barrier(Pipe::kV, where_);
      }
    }
  }
  int64_t MostStrips() const { return element_bytes_ == 1 ? 2 * kTileRows : kTileRows; }

 private:
  // Blocks of a map and the rows of tmp that they turn into, of one channel's worth; steps to the next one.
  struct Blocks {
    Operand map;
    int64_t strip_bytes;  // from strip to strip
    int64_t row_bytes;    // of tmp, from i to i + 1
    int64_t map_step;
    int64_t tmp_step;
  };
  int64_t TmpRowBytes() const { return MostStrips() * element_bytes_; }
  Blocks ByChannel(const Operand& map, int64_t first) const {
    return {.map = Behind(map, first * kDataBlockBytes),
            .strip_bytes = kDataBlockBytes,
            .row_bytes = maps_.c * TmpRowBytes(),
            .map_step = maps_.hw * element_bytes_,
            .tmp_step = TmpRowBytes()};
  }
  Blocks ByPosition(const Operand& map, int64_t first) const {
    return {.map = Behind(map, first * kDataBlockBytes * maps_.c),
            .strip_bytes = kDataBlockBytes * maps_.c,
            .row_bytes = TmpRowBytes(),
            .map_step = kDataBlockBytes,
            .tmp_step = kDataBlockBytes / element_bytes_ * TmpRowBytes()};
  }

  void Turn(const Blocks& blocks, bool into_tmp) {
    const int64_t halves = element_bytes_ == 1 ? 2 : 1;
    for (int64_t sixteen = 0; sixteen * kTileRows < strips_; ++sixteen) {
      const bool whole = (sixteen + 1) * kTileRows <= strips_;
      // Strips that there are not are read from the first one, and written over the rows of tmp that make
      // them, which nothing reads any more: those of repeats would be others.
      const int64_t most = into_tmp || whole ? kMostRepeats : 1;
      for (int64_t at = 0; at < maps_.c; at += most) {
        for (int64_t half = 0; half < halves; ++half) {
          Issue(blocks, into_tmp, sixteen, half, at, std::min(most, maps_.c - at));
        }
      }
    }
  }

  void Issue(const Blocks& blocks, bool into_tmp, int64_t sixteen, int64_t half, int64_t at,
             int64_t repeats) {
    const Operand map = Behind(blocks.map, at * blocks.map_step);
    const Operand tmp = Behind(maps_.tmp, at * blocks.tmp_step);
    const auto row = [&](int64_t i) { return Behind(tmp, i * blocks.row_bytes); };
    // Block k of the sixteen of tmp; 32-bit elements have two a row.
    const auto of_rows = [&](int64_t k) {
      return element_bytes_ == 4 ? Behind(row(k % 8), k / 8 * kDataBlockBytes) : row(half * kTileRows + k);
    };
    const auto block = [&](int64_t k) {
      const int64_t strip = sixteen * kTileRows + k;
      return strip < strips_ ? Behind(map, strip * blocks.strip_bytes) : into_tmp ? map : of_rows(k);
    };
    std::array<Operand, kTileRows> of_map;
    std::array<Operand, kTileRows> of_tmp;
    for (int64_t k = 0; k < kTileRows; ++k) {
      const auto place = static_cast<size_t>(k);
      // 32-bit elements: dst has two rows for each of the sources' halves
      const auto in_dst = element_bytes_ == 4 ? static_cast<size_t>(k % 8 * 2 + k / 8) : place;
      of_map[into_tmp ? place : in_dst] = block(k);
      of_tmp[into_tmp ? in_dst : place] = of_rows(k);
    }
    const int64_t map_stride = repeats == 1 ? 0 : blocks.map_step / kDataBlockBytes;
    const int64_t tmp_stride = repeats == 1 ? 0 : blocks.tmp_step / kDataBlockBytes;
    TransposeStep step;
    step.dst = into_tmp ? of_tmp : of_map;
    step.src = into_tmp ? of_map : of_tmp;
    step.type = maps_.type;
    step.dst_high = (into_tmp ? sixteen : half) != 0 && element_bytes_ == 1;
    step.src_high = (into_tmp ? half : sixteen) != 0 && element_bytes_ == 1;
    step.repeats = repeats;
    step.dst_repeat_stride = into_tmp ? tmp_stride : map_stride;
    step.src_repeat_stride = into_tmp ? map_stride : tmp_stride;
    core_.Issue(step, where_);
  }

  Core& core_;
  const TransposeMaps& maps_;
  SourceLine where_;
  int64_t element_bytes_;
  int64_t strips_ = 0;  // of the piece in hand
};

void CheckMaps(Core& core, const TransposeMaps& maps) {
  RequireType(core, maps.type, kTypes);
  RequireRange(core, "nSize", maps.n, 0, 65535, "transpose in parts");
  RequireRange(core, "cSize", maps.c, 0, 4095, "transpose in parts");
  RequireRange(core, "hSize * wSize", maps.hw, 0, 4095, "transpose in parts");
  const int64_t element_bytes = ElementBits(maps.type) / 8;
  core.Require(maps.hw * element_bytes % kDataBlockBytes == 0, FaultKind::kLimit, "hSize",
               "hSize * wSize = ", maps.hw, " elements of ", element_bytes,
               " bytes are no whole data blocks of 32 bytes; pad them");
  RequireUb(core, "dst", maps.dst);
  RequireUb(core, "src", maps.src);
  RequireUb(core, "sharedTmpBuffer", maps.tmp);
  const int64_t bytes = maps.n * maps.c * maps.hw * element_bytes;
  const auto tmp_bytes = maps.TmpBytes();
  core.Require(maps.tmp.limit == 0 || maps.tmp.begin + Unsigned(tmp_bytes) <= maps.tmp.limit,
               FaultKind::kLimit, "sharedTmpBuffer", "has ", maps.tmp.limit - maps.tmp.begin,
               " bytes, must have ", tmp_bytes);
  core.Require(!ExtentOf(maps.dst, bytes).Meets(ExtentOf(maps.src, bytes)), FaultKind::kMisuse, "dst",
               "overlaps src; this form does not work in place");
  core.Require(!ExtentOf(maps.tmp, tmp_bytes).Meets(ExtentOf(maps.src, bytes)) &&
                   !ExtentOf(maps.tmp, tmp_bytes).Meets(ExtentOf(maps.dst, bytes)),
               FaultKind::kMisuse, "sharedTmpBuffer", "overlaps dst or src; it must be apart from both");
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

int64_t TransposeMaps::TmpBytes() const {
  const int64_t tile_bytes = (ElementBits(type) == 8 ? 2 : 1) * kTileBytes;
  return (order == MapOrder::kNchwToNhwc ? c + 2 : 2 * c + 1) * tile_bytes;
}

void TransposeTile(Core& core, const Operand& dst, const Operand& src, VectorType type, SourceLine where) {
  RequireType(core, type, kTileTypes);
  core.Require(dst.begin == src.begin || !ExtentOf(dst, kTileBytes).Meets(ExtentOf(src, kTileBytes)),
               FaultKind::kMisuse, "dst", "overlaps src in part; they must be the same bytes or share none");
  TransposeStep step;
  step.type = type;
  for (size_t i = 0; i < step.dst.size(); ++i) {
    step.dst[i] = Behind(dst, static_cast<int64_t>(i) * kDataBlockBytes);
    step.src[i] = Behind(src, static_cast<int64_t>(i) * kDataBlockBytes);
  }
  core.Issue(step, where);
}

void Transpose(Core& core, const TransposeMaps& maps, SourceLine where) {
  CheckMaps(core, maps);
  if (maps.n > 0 && maps.c > 0 && maps.hw > 0) {
    MapTransposer(core, maps, where).Run();
  }
}

void VectorReadRows::Check(Core& core) const {
  RequireUb(core, name, list);
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i] = list.begin + i % 4 * kDataBlockBytes;
  }
}
Operands VectorReadRows::Footprint(Core& /*core*/) const {
  Operands operands;
  AddBytes(operands, list, kRowListBytes, Use::kRead, name);
  return operands;
}
void VectorReadRows::Execute(Core& core) const {
  std::memcpy(rows.data(), core.ub() + list.begin, Unsigned(kRowListBytes));
}
Cost VectorReadRows::TimeOn(Core& core) const {
  return VectorCost(core, 1, {}, ExtentOf(list, kRowListBytes));  // assumed
}

void AddTransposeRows(InstructionRows& rows, const SocConfig& /*soc*/) {
  const FamilyRows family(rows, "transpose");
  constexpr const char* kSource = "AD, 256 bytes a cycle";
  family.Add(VectorTranspose::kName, kTypes.Names(),
             "16 rows by tensor, address or list in UB; repeats, strides",
             {Say(kTransposeCycles, " a repeat"), Provenance::kDerived, kSource});
  family.Add(TransposeStep::kName, Say("16 x 16 of ", kTileTypes.Names(), "; maps of ", kTypes.Names()),
             "16 x 16; NCHW to NHWC and back",
             {Say("as its ", VectorTranspose::kName), Provenance::kDerived, kSource});
}

}  // namespace tilesim::isa
