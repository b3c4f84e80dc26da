#include "sim/isa/vector_transpose.h"

#include <algorithm>
#include <cstring>

#include "formats/units.h"
#include "sim/isa/vector_cost.h"
#include "sim/isa/vector_values.h"

namespace tilesim::isa {
namespace {

using Rows = std::array<Operand, 16>;

constexpr int64_t kCyclesPerRepeat = 2;  // derived: AD, 256 bytes a cycle; 16 rows of 32 bytes
constexpr TypeSet kTypes = {VectorType::kInt8, VectorType::kUint8, VectorType::kInt16,  VectorType::kUint16,
                            VectorType::kFp16, VectorType::kInt32, VectorType::kUint32, VectorType::kFp32};

int64_t FirstOffset(const VectorTranspose& op, int64_t stride) {
  return op.repeats == 1 ? stride * kDataBlockBytes : 0;
}
bool OfBytes(const VectorTranspose& op) { return ElementBits(op.type) == 8; }
int64_t RowBytes(const VectorTranspose& op) { return OfBytes(op) ? kDataBlockBytes / 2 : kDataBlockBytes; }

// The rows as regions; one, where they are evenly spaced.
void AddRows(Operands& operands, const VectorTranspose& op, const Rows& rows, Use use, const char* name,
             int64_t stride, bool high) {
  const uint64_t offset = Unsigned(FirstOffset(op, stride) + (high && OfBytes(op) ? kDataBlockBytes / 2 : 0));
  const Repeated repeats = Times(op.repeats, stride * kDataBlockBytes);
  const uint64_t step = rows[1].begin - rows[0].begin;
  bool even = rows[1].begin > rows[0].begin;
  for (size_t i = 1; i < rows.size(); ++i) {
    even = even && rows[i].begin - rows[i - 1].begin == step && rows[i].limit == rows[0].limit;
  }
  for (size_t i = 0; i < (even ? 1 : rows.size()); ++i) {
    Region region =
        RegionOf(rows[i], use, name,
                 {offset, Unsigned(RowBytes(op)), Times(even ? 16 : 1, static_cast<int64_t>(step)), repeats});
    region.align_bytes = 1;  // Check has seen to the rows
    operands.Add(region);
  }
}

// The busiest bank group of a repeat.
int64_t GroupCycles(const Rows& rows) {
  std::array<int64_t, 16> uses{};
  int64_t most = 0;
  for (const Operand& row : rows) {
    most = std::max(most, ++uses[row.begin / 32 % 16]);
  }
  return most;
}

Extent ExtentOf(const VectorTranspose& op, const Rows& rows, int64_t stride) {
  Extent extent{~uint64_t{0}, 0};
  for (const Operand& row : rows) {
    extent.begin = std::min(extent.begin, row.begin);
    extent.end = std::max(extent.end, row.begin + kDataBlockBytes);
  }
  extent.end += Unsigned(std::max<int64_t>(op.repeats, 2) - 1) * Unsigned(stride * kDataBlockBytes);
  return extent;
}

void TransposeBytes(const VectorTranspose& op, const std::byte* const src[16], std::byte* const dst[16]) {
  std::byte turned[16][16];
  for (size_t i = 0; i < 16; ++i) {
    for (size_t j = 0; j < 16; ++j) {
      turned[j][i] = src[i][j + (op.src_high ? 16 : 0)];
    }
  }
  for (size_t j = 0; j < 16; ++j) {
    std::memcpy(dst[j] + (op.dst_high ? 16 : 0), turned[j], 16);
  }
}

void CheckRows(Core& core, const char* name, const Rows& rows) {
  for (const Operand& row : rows) {
    RequireUb(core, name, {.at = row});
  }
}

}  // namespace

void VectorTranspose::Check(Core& core) const {
  RequireType(core, type, kTypes);
  RequireRange(core, "repeatTimes", repeats, 0, 255, "split the instruction");
  RequireRange(core, "dstRepStride", dst_repeat_stride, 0, 65535, "split the instruction");
  RequireRange(core, "srcRepStride", src_repeat_stride, 0, 65535, "split the instruction");
  CheckRows(core, "dst", dst);
  CheckRows(core, "src", src);
}

Operands VectorTranspose::Footprint(Core& /*core*/) const {
  Operands operands;
  if (repeats > 0) {
    AddRows(operands, *this, dst, Use::kWrite, "dst", dst_repeat_stride, dst_high);
    AddRows(operands, *this, src, Use::kRead, "src", src_repeat_stride, src_high);
  }
  return operands;
}

void VectorTranspose::Execute(Core& core) const {
  std::byte* const ub = core.ub();
  const std::byte* from[16];
  std::byte* to[16];
  for (int64_t r = 0; r < repeats; ++r) {
    const int64_t steps = repeats == 1 ? 1 : r;
    for (size_t i = 0; i < 16; ++i) {
      from[i] = ub + src[i].begin + steps * src_repeat_stride * kDataBlockBytes;
      to[i] = ub + dst[i].begin + steps * dst_repeat_stride * kDataBlockBytes;
    }
    if (OfBytes(*this)) {
      TransposeBytes(*this, from, to);
    } else {
      TransposeRows(ElementBits(type) / 8, from, to);
    }
  }
}

Cost VectorTranspose::TimeOn(Core& core) const {
  if (repeats == 0) {
    return {};
  }
  const int64_t cycles = std::max({kCyclesPerRepeat, GroupCycles(dst), GroupCycles(src)}) * repeats;
  const Extent read = ExtentOf(*this, src, src_repeat_stride);
  return VectorCost(core, cycles, ExtentOf(*this, dst, dst_repeat_stride), std::span<const Extent>(&read, 1));
}

}  // namespace tilesim::isa
