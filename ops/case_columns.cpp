#include <algorithm>
#include <cmath>
#include <filesystem>

#include "formats/error.h"
#include "ops/case_file.h"
#include "ops/case_operators.h"
#include "ops/conv3d_backprop/conv3d_case.h"
#include "ops/max_pool/pool_case.h"
#include "sim/soc/soc_config.h"
#include "sim/soc/soc_files.h"

namespace tilesim {
namespace {

namespace fs = std::filesystem;

constexpr CaseColumn kColumns[] = {
    {"id", "row number", "unique name of the case"},
    {"op", "required", "operator, such as conv3d_backprop_filter"},
    {"dtype", "fp16", "of the inputs: fp16, bf16, fp32"},
    {"layout", "NCDHW or NCHW", "of x, y, dx, dy: NCDHW, NDHWC (2D: NCHW, NHWC)"},
    {"input", "required by convolutions and pooling, but derived by conv3d_transpose",
     "shape of the forward input, in layout, such as 2x32x16x32x32"},
    {"filter", "required by convolutions and pooling",
     "shape of the filter, in filter_layout, such as 64x32x3x3x3; pooling: of the window, such as 2x3x3"},
    {"filter_layout", "from layout", "OIDHW, DHWIO (2D: OIHW, HWIO)"},
    {"output", "derived, but required by conv3d_transpose",
     "shape of the forward output, in layout; must agree"},
    {"stride", "1, pooling: the window", "one number an axis, or one for all"},
    {"dilation", "1", "one number an axis, or one for all"},
    {"pad", "0",
     "valid, same, one number, one an axis, or two an axis (front x back x top x bottom x left x right)"},
    {"groups", "1", "groups of channels"},
    {"rounding", "floor", "of the output size: floor, round, ceil, ceil_in_bounds"},
    {"nan", "propagate", "pooling: propagate (NaN wins), ignore (it never does)"},
    {"argmax", "plane",
     "pooling, how an argmax counts: plane ((d H + h) W + w), nhwc (that C + c), batch_nhwc (with n)"},
    {"soc", "command line", "SoC: a name in configs/ or a path"},
    {"seed", "0", "of random inputs"},
    {"range", "-1:1", "of random inputs, lo:hi"},
    {"output_padding", "0", "conv3d_transpose: one number an axis, or one for all"},
    {"argmax_file", "computed from x", "pooling gradient: the argmax, .npy, counted as `argmax` says"},
    {"hf32", "0", "1: fp32 convolution in HF32"},
    {"x_file", "random", "filter gradient, pooling: the forward input, .npy"},
    {"w_file", "random", "input gradient: the filter, .npy"},
    {"dy_file", "random", "gradient of the output, .npy"},
    {"expected_file", "none", ".npy to compare the result with"},
    {"expected_argmax_file", "none", "pooling: .npy to compare the argmax with"},
    {"absdot_file", "computed", "sum of absolute products of each output, .npy"},
    {"products", "computed", "largest number of products of an output"},
    {"tiling_file", "planner", "tiling data, JSON"},
    {"measured_us", "none", "device time measured elsewhere"},
};

// The path of a file that is there, or nothing.
std::string ReadPath(const CellReader& cells, std::string_view column, const std::string& folder) {
  if (!cells.Has(column)) {
    return "";
  }
  const fs::path path = fs::path(folder) / cells.Text(column, "");
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) {
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
  std::error_code ignored;
  const bool is_name = std::ranges::find(known, soc) != known.end();
  if (!is_name && !(soc.find('/') != std::string::npos || soc.ends_with(".cfg"))) {
    cells.Refuse(
        "soc", Say("must be one of ", JoinedNames(std::vector<std::string_view>(known.begin(), known.end()))),
        "or give the path of a .cfg file");
  }
  if (!fs::is_regular_file(SocPath(soc), ignored)) {
    cells.Refuse("soc", "no such file", "give a name in configs/ or the path of a .cfg file");
  }
  return soc;
}

// Largest finite value of the inputs' type: random values beyond it would be infinite.
double Largest(DType dtype) {
  switch (dtype) {
    case DType::kFp16:
      return 65504;
    case DType::kBf16:
      return 0x1.fep127;
    default:
      return 0x1.fffffep127;
  }
}

void ReadRange(const CellReader& cells, Case& result) {
  if (!cells.Has("range")) {
    return;
  }
  const std::string text = cells.Text("range", "");
  const size_t colon = text.find(':');
  const CaseCells ends = {{"low", text.substr(0, colon)},
                          {"high", colon == std::string::npos ? "" : text.substr(colon + 1)}};
  const double largest = Largest(result.dtype());
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
    cells.Refuse("range", Say(Name(result.dtype()), " holds values up to ", static_cast<float>(largest)),
                 "give a narrower range");
  }
}

CaseProblem ReadProblem(const CaseCells& cells, const KnownOp& op) {
  switch (op.kind) {
    case CaseKind::kFilterGradient:
      return ConvCase{ConvGradient::kFilter, ReadConv3dProblem(cells, op.is_2d)};
    case CaseKind::kInputGradient:
      return ConvCase{ConvGradient::kInput, ReadConv3dProblem(cells, op.is_2d)};
    case CaseKind::kTransposed:
      return ConvCase{ConvGradient::kInput, ReadTransposedProblem(cells)};
    case CaseKind::kPool:
    case CaseKind::kPoolGradient:
      break;
  }
  return PoolCase{op.kind == CaseKind::kPoolGradient, ReadPoolProblem(cells, op.is_2d)};
}

void ReadFiles(const CellReader& cells, const std::string& folder, Case& result) {
  result.x_file = ReadPath(cells, "x_file", folder);
  result.w_file = ReadPath(cells, "w_file", folder);
  result.dy_file = ReadPath(cells, "dy_file", folder);
  result.argmax_file = ReadPath(cells, "argmax_file", folder);
  result.expected_file = ReadPath(cells, "expected_file", folder);
  result.expected_argmax_file = ReadPath(cells, "expected_argmax_file", folder);
  result.absdot_file = ReadPath(cells, "absdot_file", folder);
  result.tiling_file = ReadPath(cells, "tiling_file", folder);
}

}  // namespace

DType Case::dtype() const {
  return std::visit([](const auto& given) { return given.dtype(); }, problem);
}

double Case::Size() const {
  return std::visit([](const auto& given) { return given.Size(); }, problem);
}

std::span<const CaseColumn> CaseColumns() { return kColumns; }

Case ReadCase(const CaseCells& cell_map, int64_t row, const std::string& folder) {
  const CellReader cells(cell_map);
  const KnownOp& op = OperatorOf(cells);  // first: it says what the other columns mean
  RequireCells(cells, op);
  Case result;
  result.id = cells.Text("id", std::to_string(row));
  result.row = row;
  result.op = op.listed.name;
  if (result.id.find('/') != std::string::npos || result.id.starts_with('.')) {
    cells.Refuse("id", "must not hold a '/' or begin with a '.': results are files of that name",
                 "rename the case");
  }
  RefuseForeign(cells, op);
  result.problem = ReadProblem(cell_map, op);
  result.soc = ReadSoc(cells);
  result.seed = cells.Whole("seed", 0, 0, INT64_MAX);
  ReadRange(cells, result);
  ReadFiles(cells, folder, result);
  if (cells.Has("products")) {
    result.products = cells.Whole("products", 1, 1, INT64_MAX, "computed from the case");
  }
  if (cells.Has("measured_us")) {
    result.measured_us = cells.Number("measured_us", 0);
    if (*result.measured_us <= 0) {
      cells.Refuse("measured_us", "must be above 0", "leave the cell empty if nothing was measured");
    }
  }
  return result;
}

}  // namespace tilesim
