#include "formats/dtype.h"

#include <algorithm>
#include <iterator>

namespace tilesim {
namespace {

struct DTypeRow {
  DType dtype;
  std::string_view name;
  size_t size_bytes;
  bool floating;
};

// In the order of the enumerators.
constexpr DTypeRow kDTypeRows[] = {
    {DType::kFp16, "fp16", 2, true},    {DType::kBf16, "bf16", 2, true},
    {DType::kFp32, "fp32", 4, true},    {DType::kInt32, "int32", 4, false},
    {DType::kInt64, "int64", 8, false}, {DType::kUint8, "uint8", 1, false},
};

const DTypeRow& RowOf(DType dtype) { return kDTypeRows[static_cast<size_t>(dtype)]; }

}  // namespace

size_t SizeOf(DType dtype) { return RowOf(dtype).size_bytes; }

std::string_view Name(DType dtype) { return RowOf(dtype).name; }

std::optional<DType> ParseDType(std::string_view name) {
  const DTypeRow* row = std::ranges::find(kDTypeRows, name, &DTypeRow::name);
  return row == std::end(kDTypeRows) ? std::nullopt : std::optional(row->dtype);
}

std::string KnownDTypes() {
  std::string names;
  for (const DTypeRow& row : kDTypeRows) {
    names += names.empty() ? "" : ", ";
    names += row.name;
  }
  return names;
}

int C0Of(DType dtype) { return static_cast<int>(static_cast<size_t>(kDataBlockBytes) / SizeOf(dtype)); }

bool IsFloating(DType dtype) { return RowOf(dtype).floating; }

}  // namespace tilesim
