#include <algorithm>
#include <cmath>
#include <filesystem>
#include <initializer_list>

#include "formats/error.h"
#include "formats/nearest_name.h"
#include "ops/case_file.h"
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
    {"input", "required, but derived by conv3d_transpose",
     "shape of the forward input, in layout, such as 2x32x16x32x32"},
    {"filter", "required",
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

// What kind of problem an operator has; each kind has columns of its own.
enum class Kind : uint8_t { kFilterGradient, kInputGradient, kTransposed, kPool, kPoolGradient };

struct KnownOp {
  CaseOperator listed;
  bool is_2d;
  Kind kind;
};
constexpr KnownOp kOps[] = {
    {{"conv3d_backprop_filter", "weight gradient of a 3D convolution"}, false, Kind::kFilterGradient},
    {{"conv2d_backprop_filter", "weight gradient of a 2D convolution"}, true, Kind::kFilterGradient},
    {{"conv3d_backprop_input", "input gradient of a 3D convolution"}, false, Kind::kInputGradient},
    {{"conv2d_backprop_input", "input gradient of a 2D convolution"}, true, Kind::kInputGradient},
    {{"conv3d_transpose", "the same as a layer: a transposed 3D convolution, with output padding"},
     false,
     Kind::kTransposed},
    {{"max_pool2d", "2D max pooling, values and argmax"}, true, Kind::kPool},
    {{"max_pool3d", "3D max pooling, values and argmax"}, false, Kind::kPool},
    {{"max_pool2d_grad", "its gradient, 2D: of a given argmax, or recomputed from x"},
     true,
     Kind::kPoolGradient},
    {{"max_pool3d_grad", "its gradient, 3D: of a given argmax, or recomputed from x"},
     false,
     Kind::kPoolGradient},
};

const KnownOp& ReadOp(const CellReader& cells) {
  const std::string name = cells.Text("op", "");
  if (name.empty()) {
    cells.Refuse("op", "is required", "give conv3d_backprop_filter, for example");
  }
  std::vector<std::string_view> here;
  for (const CaseOperator& op : CaseOperators()) {
    here.push_back(op.name);
  }
  const std::string mend = Say("this version has ", JoinedNames(here));
  const auto* const op =
      std::ranges::find(kOps, name, [](const KnownOp& known) { return known.listed.name; });
  if (op == std::end(kOps)) {
    cells.Refuse("op", "unknown operator", Say(DidYouMean(name, here), mend));
  }
  return *op;
}

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

// Columns of other operators: a value that could only be ignored is refused.
void RefuseForeign(const CellReader& cells, const KnownOp& op) {
  struct Foreign {
    std::string_view column;
    std::string_view of;
    std::initializer_list<Kind> kinds;
  };
  using enum Kind;
  const Foreign columns[] = {
      {"nan", "pooling", {kPool, kPoolGradient}},
      {"argmax", "pooling", {kPool, kPoolGradient}},
      {"argmax_file", "the gradient of pooling", {kPoolGradient}},
      {"expected_argmax_file", "pooling forward", {kPool}},
      {"x_file", "the filter gradient of a convolution and pooling", {kFilterGradient, kPool, kPoolGradient}},
      {"w_file", "the input gradient of a convolution", {kInputGradient, kTransposed}},
      {"dy_file", "gradients", {kFilterGradient, kInputGradient, kTransposed, kPoolGradient}},
      {"filter_layout", "convolutions", {kFilterGradient, kInputGradient, kTransposed}},
      {"hf32", "convolutions", {kFilterGradient, kInputGradient, kTransposed}},
      {"output_padding", "conv3d_transpose", {kTransposed}}};
  for (const Foreign& foreign : columns) {
    if (std::ranges::find(foreign.kinds, op.kind) == foreign.kinds.end() && cells.Has(foreign.column)) {
      cells.Refuse(foreign.column,
                   Say("belongs to ", foreign.of, ", ", op.listed.name, " has no such column"),
                   "leave it out");
    }
  }
}

// What the operator cannot derive.
void RequireCells(const CellReader& cells, const KnownOp& op) {
  for (const CaseColumn& column : kColumns) {
    const bool is_transposed = op.kind == Kind::kTransposed;
    const bool is_shape = column.name == (is_transposed ? "output" : "input");
    if ((is_shape || column.otherwise == "required") && !cells.Has(column.name)) {
      const bool of_transposed = is_shape && is_transposed;
      cells.Refuse(column.name, "is required",
                   of_transposed ? "give the shape of what the transposed convolution takes, dy, in layout"
                                 : Say("give the ", column.says));
    }
  }
}

std::variant<ConvCase, PoolCase> ReadProblem(const CaseCells& cells, const KnownOp& op) {
  switch (op.kind) {
    case Kind::kFilterGradient:
      return ConvCase{ConvGradient::kFilter, ReadConv3dProblem(cells, op.is_2d)};
    case Kind::kInputGradient:
      return ConvCase{ConvGradient::kInput, ReadConv3dProblem(cells, op.is_2d)};
    case Kind::kTransposed:
      return ConvCase{ConvGradient::kInput, ReadTransposedProblem(cells)};
    case Kind::kPool:
    case Kind::kPoolGradient:
      break;
  }
  return PoolCase{op.kind == Kind::kPoolGradient, ReadPoolProblem(cells, op.is_2d)};
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
  const auto* const pooling = std::get_if<PoolCase>(&problem);
  return pooling != nullptr ? pooling->pool.dtype : conv().dtype;
}

double Case::Size() const {
  const auto* const pooling = std::get_if<PoolCase>(&problem);
  return pooling != nullptr ? pooling->pool.Taps() : conv().Macs();
}

std::span<const CaseColumn> CaseColumns() { return kColumns; }

std::vector<CaseOperator> CaseOperators() {
  std::vector<CaseOperator> here;
  for (const KnownOp& op : kOps) {
    here.push_back(op.listed);
  }
  return here;
}

Case ReadCase(const CaseCells& cell_map, int64_t row, const std::string& folder) {
  const CellReader cells(cell_map);
  const KnownOp& op = ReadOp(cells);  // first: it says what the other columns mean
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
