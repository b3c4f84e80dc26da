#include "sim/isa/transpose_layout.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "formats/units.h"
#include "sim/isa/instruction_row.h"
#include "sim/isa/vector_cost.h"
#include "sim/isa/vector_work.h"

namespace tilesim::isa {
namespace {

constexpr TypeSet kTileTypes = {VectorType::kInt16, VectorType::kUint16, VectorType::kFp16};
constexpr TypeSet kMapTypes = {VectorType::kInt8,   VectorType::kUint8, VectorType::kInt16,
                               VectorType::kUint16, VectorType::kFp16,  VectorType::kInt32,
                               VectorType::kUint32, VectorType::kFp32};
constexpr int64_t kTileBytes = 512;
constexpr int64_t kTileRows = 16;
constexpr int64_t kRowListBytes = kTileRows * 8;
constexpr int64_t kMostRepeats = 255;

Operand At(const Operand& operand, int64_t bytes) {
  Operand moved = operand;
  moved.begin += Unsigned(bytes);
  return moved;
}

// A map is walked in pieces of up to 16 strips (8-bit types: 32), each a data block of neighbouring
// positions. In NCHW the block of a strip holds positions i of one channel, in NHWC it holds places i of
// (position in the strip, channel), which lie one behind the other. TransDataTo5HD turns such blocks of all
// strips into rows i of an element a strip. tmp has these rows by (position in the strip, channel), where
// both orders find theirs.
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
        const Operand src = At(maps_.src, n * map_bytes);
        const Operand dst = At(maps_.dst, n * map_bytes);
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
  // Blocks of a map and the rows of tmp that they turn into, of one channel's worth of elements; and how far
  // apart those of the next one are.
  struct Blocks {
    Operand map;
    int64_t strip_bytes;  // from strip to strip
    int64_t row_bytes;    // of tmp, from i to i + 1
    int64_t map_step;
    int64_t tmp_step;
  };
  int64_t TmpRowBytes() const { return MostStrips() * element_bytes_; }
  Blocks ByChannel(const Operand& map, int64_t first) const {
    return {.map = At(map, first * kDataBlockBytes),
            .strip_bytes = kDataBlockBytes,
            .row_bytes = maps_.c * TmpRowBytes(),
            .map_step = maps_.hw * element_bytes_,
            .tmp_step = TmpRowBytes()};
  }
  Blocks ByPosition(const Operand& map, int64_t first) const {
    return {.map = At(map, first * kDataBlockBytes * maps_.c),
            .strip_bytes = kDataBlockBytes * maps_.c,
            .row_bytes = TmpRowBytes(),
            .map_step = kDataBlockBytes,
            .tmp_step = kDataBlockBytes / element_bytes_ * TmpRowBytes()};
  }

  // All blocks of a piece, into tmp or out of it.
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
    const Operand map = At(blocks.map, at * blocks.map_step);
    const Operand tmp = At(maps_.tmp, at * blocks.tmp_step);
    const auto row = [&](int64_t i) { return At(tmp, i * blocks.row_bytes); };
    // Block k of the sixteen of tmp; 32-bit elements have two a row.
    const auto of_rows = [&](int64_t k) {
      return element_bytes_ == 4 ? At(row(k % 8), k / 8 * kDataBlockBytes) : row(half * kTileRows + k);
    };
    const auto block = [&](int64_t k) {
      const int64_t strip = sixteen * kTileRows + k;
      return strip < strips_ ? At(map, strip * blocks.strip_bytes) : into_tmp ? map : of_rows(k);
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
  RequireType(core, maps.type, kMapTypes);
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
    step.dst[i] = At(dst, static_cast<int64_t>(i) * kDataBlockBytes);
    step.src[i] = At(src, static_cast<int64_t>(i) * kDataBlockBytes);
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

void AddTransposeLayoutRows(InstructionRows& rows, const SocConfig& /*soc*/) {
  FamilyRows(rows, "transpose")
      .Add(TransposeStep::kName, Say("16 x 16 of ", kTileTypes.Names(), "; maps of ", kMapTypes.Names()),
           "16 x 16; NCHW to NHWC and back",
           {Say("as its ", VectorTranspose::kName), Provenance::kDerived, "AD, 256 bytes a cycle"});
}

}  // namespace tilesim::isa
