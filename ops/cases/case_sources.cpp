#include "ops/cases/case_sources.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include "formats/error.h"
#include "sim/soc/soc_config.h"
#include "sim/soc/soc_files.h"

namespace tilesim {
namespace {

namespace fs = std::filesystem;

// The path of a file that is there, or nothing.
std::string ReadPath(const CellReader& cells, std::string_view column, const std::string& folder) {
  if (!cells.Has(column)) {
    return "";
  }
  const fs::path path = fs::path(folder) / cells.Text(column, "");
  std::error_code ignored;
  if (!fs::exists(path, ignored) || fs::is_directory(path, ignored)) {
    cells.Refuse(column,
                 Say(fs::is_directory(path, ignored) ? "is a folder: " : "no such file: ", path.string()),
                 folder.empty() ? "paths are relative to the folder of the call"
                                : "paths are relative to the case file");
  }
  return path.string();
}

std::string ReadSoc(const CellReader& cells) {
  std::string soc = cells.Text("soc", "");
  if (soc.empty()) {
    return soc;
  }
  const std::vector<std::string> known = KnownSocs();
  const bool is_name = std::ranges::find(known, soc) != known.end();
  if (!is_name && !(soc.find('/') != std::string::npos || soc.ends_with(".cfg"))) {
    cells.Refuse(
        "soc", Say("must be one of ", JoinedNames(std::vector<std::string_view>(known.begin(), known.end()))),
        "or give the path of a .cfg file");
  }
  if (!FindSoc(soc).IsThere()) {
    cells.Refuse("soc", "no such file", "give a name in configs/ or the path of a .cfg file");
  }
  return soc;
}

// Largest finite value of the inputs' type: random values beyond it would be infinite.
double Largest(DType dtype) {
  switch (dtype) {
    case DType::kUint8:
      return UINT8_MAX;
    case DType::kInt32:
      return INT32_MAX;
    case DType::kInt64:
      return 0x1.fffffep62;  // random values are made as floats
    case DType::kFp16:
      return 65504;
    case DType::kBf16:
      return 0x1.fep127;
    default:
      return 0x1.fffffep127;
  }
}

void ReadRange(const CellReader& cells, DType dtype, Case& result) {
  if (!cells.Has("range")) {
    if (!IsFloating(dtype)) {
      result.range_low = 0;
      result.range_high = 100;
    }
    return;
  }
  const std::string text = cells.Text("range", "");
  const size_t colon = text.find(':');
  const CaseCells ends = {{"low", text.substr(0, colon)},
                          {"high", colon == std::string::npos ? "" : text.substr(colon + 1)}};
  const double largest = Largest(dtype);
  try {
    result.range_low = CellReader(ends).Number("low", 0);
    result.range_high = CellReader(ends).Number("high", 0);
  } catch (const RefusedInput&) {
    cells.Refuse("range", "must be two finite numbers lo:hi", "for example -1:1");
  }
  if (result.range_low > result.range_high) {
    cells.Refuse("range", "lo must not be above hi", "exchange them");
  }
  if (std::max(std::abs(result.range_low), std::abs(result.range_high)) > largest) {
    cells.Refuse(
        "range",
        Say(Name(dtype), " holds values up to ",
            IsFloating(dtype) ? Say(static_cast<float>(largest)) : Say(static_cast<int64_t>(largest))),
        "give a narrower range");
  }
  if (dtype == DType::kUint8 && result.range_low < 0) {
    cells.Refuse("range", "uint8 holds no value below 0", "give a range of 0:255 or within");
  }
}

void ReadNumbers(const CellReader& cells, Case& result, Refusals& refusals) {
  refusals.Of([&] {
    if (cells.Has("products")) {
      result.products = cells.Whole("products", 1, 1, INT64_MAX, "computed from the case");
    }
  });
  refusals.Of([&] {
    if (cells.Has("measured_us")) {
      result.measured_us = cells.Number("measured_us", 0);
      if (*result.measured_us <= 0) {
        cells.Refuse("measured_us", "must be above 0", "leave the cell empty if nothing was measured");
      }
    }
  });
}

}  // namespace

void ReadSources(const CellReader& cells, DType dtype, const std::string& folder, Case& result,
                 Refusals& refusals) {
  refusals.Of([&] { result.soc = ReadSoc(cells); });
  refusals.Of([&] { result.seed = cells.Whole("seed", 0, 0, INT64_MAX); });
  refusals.Of([&] { ReadRange(cells, dtype, result); });
  struct FileColumn {
    std::string_view name;
    std::string Case::*file;
  };
  for (const auto& [name, file] : {FileColumn{"x_file", &Case::x_file},
                                   {"x2_file", &Case::x2_file},
                                   {"w_file", &Case::w_file},
                                   {"dy_file", &Case::dy_file},
                                   {"a_file", &Case::a_file},
                                   {"b_file", &Case::b_file},
                                   {"argmax_file", &Case::argmax_file},
                                   {"expected_file", &Case::expected_file},
                                   {"expected_argmax_file", &Case::expected_argmax_file},
                                   {"absdot_file", &Case::absdot_file},
                                   {"tiling_file", &Case::tiling_file}}) {
    refusals.Of([&, column = name, member = file] { result.*member = ReadPath(cells, column, folder); });
  }
  ReadNumbers(cells, result, refusals);
}

}  // namespace tilesim
