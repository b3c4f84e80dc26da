#include <algorithm>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "formats/error.h"
#include "formats/shown_text.h"
#include "ops/cases/case_file.h"
#include "ops/cases/case_operators.h"
#include "ops/cases/case_sources.h"
#include "ops/conv3d_backprop/conv3d_case.h"
#include "ops/elementwise/elementwise_problem.h"
#include "ops/matmul/matmul_problem.h"
#include "ops/max_pool/pool_case.h"
#include "ops/trans_data/trans_data_problem.h"
#include "ops/transpose/transpose_problem.h"

namespace tilesim {
namespace {

constexpr CaseColumn kColumns[] = {
    {"id", "row number", "unique name of the case"},
    {"op", "required", "operator, such as conv3d_backprop_filter"},
    {"dtype", "fp16",
     "of the inputs: fp16, bf16, fp32; copies, transposes and the like also int32, int64, uint8"},
    {"layout", "NCDHW or NCHW",
     "of x, y, dx, dy: NCDHW, NDHWC (2D: NCHW, NHWC); trans_data: the format of x"},
    {"to_layout", "required by trans_data", "trans_data: the format of y"},
    {"input", "required by convolutions and pooling, but derived by conv3d_transpose",
     "shape of the forward input, in layout, such as 2x32x16x32x32 (2D: 2x32x16x16); of the tensor where "
     "there "
     "is no layout"},
    {"filter", "required by convolutions and pooling",
     "shape of the filter, in filter_layout, such as 64x32x3x3x3; pooling: of the window, such as 2x3x3 (2D: "
     "3x3), or one number for all axes"},
    {"filter_layout", "from layout", "OIDHW, DHWIO (2D: OIHW, HWIO)"},
    {"output", "derived, but required by conv3d_transpose",
     "shape of the forward output, in layout; must agree"},
    {"stride", "1, pooling: the window", "one number an axis, or one for all"},
    {"dilation", "1", "one number an axis, or one for all"},
    {"pad", "0",
     "valid, same, one number, one an axis, or two an axis (front x back x top x bottom x left x right; 2D: "
     "top x bottom x left x right)"},
    {"groups", "1", "groups of channels"},
    {"rounding", "floor", "of the output size: floor, round, ceil, ceil_in_bounds"},
    {"nan", "propagate", "pooling: propagate (NaN wins), ignore (it never does)"},
    {"argmax", "plane",
     "pooling, how an argmax counts: plane ((d H + h) W + w), nhwc (that C + c), batch_nhwc (with n)"},
    {"m", "required by matmul", "matmul: rows of A and C"},
    {"n", "required by matmul", "matmul: columns of B and C"},
    {"k", "required by matmul", "matmul: columns of A, rows of B"},
    {"transpose_a", "0", "matmul, 1: A is given as (k, m)"},
    {"transpose_b", "0", "matmul, 1: B is given as (n, k)"},
    {"out_dtype", "dtype", "matmul: of C: dtype or fp32"},
    {"soc", "command line", "SoC: a name in configs/ or a path"},
    {"seed", "0", "of random inputs"},
    {"range", "-1:1, of whole types 0:100", "of random inputs, lo:hi"},
    {"output_padding", "0", "conv3d_transpose: one number an axis, or one for all"},
    {"argmax_file", "computed from x", "pooling gradient: the argmax, .npy, counted as `argmax` says"},
    {"hf32", "0", "1: fp32 convolution or matmul in HF32"},
    {"perm", "required by transpose", "transpose: y's axis k is x's axis perm[k], such as 0x2x1"},
    {"c0", "32 bytes: 16 for fp16 and bf16, 8 for fp32 and int32, 32 for uint8",
     "trans_data: channels of a data block; a filter gradient (fp32) of fp16 or bf16 inputs has 16"},
    {"value", "0", "mem_set: what every element becomes"},
    {"x_file", "random", "filter gradient, pooling: the forward input; copy: what is copied; add: x1; .npy"},
    {"x2_file", "random", "add: the second addend, .npy"},
    {"w_file", "random", "input gradient: the filter, .npy"},
    {"dy_file", "random", "gradient of the output, .npy"},
    {"a_file", "random", "matmul: A as it is given, .npy"},
    {"b_file", "random", "matmul: B as it is given, .npy"},
    {"expected_file", "none", ".npy to compare the result with"},
    {"expected_argmax_file", "none", "forward pooling: .npy to compare the argmax with"},
    {"absdot_file", "computed",
     "gradients, matmul: sum of absolute products of each output, .npy, which the error that compare allows "
     "grows with"},
    {"products", "computed",
     "gradients, matmul: largest number of products of an output, which that error grows with, too; "
     "elsewhere "
     "results are compared exactly"},
    {"tiling_file", "planner", "tiling data, JSON"},
    {"measured_us", "none", "device time measured elsewhere"},
    {"sequence", "none", "rows that follow each other under one name are one call: run and compare sum them"},
};

CaseProblem ReadProblem(const CaseCells& cells, const KnownOp& op) {
  switch (op.kind) {
    case CaseKind::kFilterGradient:
      return ConvCase{ConvGradient::kFilter, ReadConv3dProblem(cells, op.is_2d)};
    case CaseKind::kInputGradient:
      return ConvCase{ConvGradient::kInput, ReadConv3dProblem(cells, op.is_2d)};
    case CaseKind::kTransposed:
      return ConvCase{ConvGradient::kInput, ReadTransposedProblem(cells)};
    case CaseKind::kMatmul:
      return MatmulCase{ReadMatmulProblem(cells)};
    case CaseKind::kCopy:
      return ElementwiseCase{ReadElementwiseProblem(cells, ElementwiseOp::kCopy)};
    case CaseKind::kMemSet:
      return ElementwiseCase{ReadElementwiseProblem(cells, ElementwiseOp::kMemSet)};
    case CaseKind::kAdd:
      return ElementwiseCase{ReadElementwiseProblem(cells, ElementwiseOp::kAdd)};
    case CaseKind::kTranspose:
      return TransposeCase{ReadTransposeProblem(cells)};
    case CaseKind::kTransData:
      return TransDataCase{ReadTransDataProblem(cells)};
    case CaseKind::kPool:
    case CaseKind::kPoolGradient:
      break;
  }
  return PoolCase{op.kind == CaseKind::kPoolGradient, ReadPoolProblem(cells, op.is_2d)};
}

void CheckId(const CellReader& cells, const std::string& id) {
  if (id.find('/') != std::string::npos || id.starts_with('.')) {
    cells.Refuse("id", "must not hold a '/' or begin with a '.': results are files of that name",
                 "rename the case");
  }
}

void CheckCells(const CaseCells& cells, const KnownOp& op, Refusals& refusals) {
  switch (op.kind) {
    case CaseKind::kMatmul:
      return CheckMatmulCells(cells, refusals);
    case CaseKind::kPool:
    case CaseKind::kPoolGradient:
      return CheckPoolCells(cells, op.is_2d, refusals);
    case CaseKind::kCopy:
    case CaseKind::kMemSet:
    case CaseKind::kAdd:
    case CaseKind::kTranspose:
    case CaseKind::kTransData:
      return;  // read one after the other with their problem
    default:
      return CheckConv3dCells(cells, op.is_2d, refusals);
  }
}

// First each cell by itself, so that all that are wrong are told; then what they say together.
Case ReadCells(const CaseCells& cell_map, int64_t row, const std::string& folder) {
  const CellReader cells(cell_map);
  const KnownOp& op = OperatorOf(cells);  // first: it says what the other columns mean
  Case result;
  result.id = cells.Text("id", std::to_string(row));
  result.row = row;
  result.op = op.listed.name;
  result.sequence = cells.Text("sequence", "");
  Refusals refusals;
  RequireCells(cells, op, refusals);
  refusals.Of([&] { CheckId(cells, result.id); });
  RefuseForeign(cells, op, refusals);
  RefuseIdle(cells, op, refusals);
  CheckCells(cell_map, op, refusals);
  const DType dtype = ParseDType(cells.Text("dtype", "fp16")).value_or(DType::kFp32);
  ReadSources(cells, dtype, folder, result, refusals);
  refusals.RequireNone();
  result.problem = ReadProblem(cell_map, op);
  return result;
}

// A message shows a cell as it was written, not as it was understood.
std::vector<Refusal> AsTyped(const CaseCells& cells, std::vector<Refusal> refusals) {
  for (Refusal& refusal : refusals) {
    if (const auto cell = cells.find(refusal.where); cell != cells.end()) {
      refusal.found = cell->second;
    }
  }
  return refusals;
}

}  // namespace

DType Case::dtype() const {
  return std::visit([](const auto& given) { return given.dtype(); }, problem);
}

double Case::Size() const {
  return std::visit([](const auto& given) { return given.Size(); }, problem);
}

std::span<const CaseColumn> CaseColumns() { return kColumns; }

Case ReadCase(const CaseCells& cells, int64_t row, const std::string& folder) {
  try {
    for (const auto& [column, cell] : cells) {
      if (!IsPlainText(cell)) {
        CellReader(cells).Refuse(column,
                                 "must be UTF-8 without line breaks, tabs or other control characters",
                                 "write it without, files as UTF-8");
      }
    }
    return ReadCells(cells, row, folder);
  } catch (const RefusedInput& refused) {
    throw RefusedInput(AsTyped(cells, refused.refusals()));
  }
}

}  // namespace tilesim
