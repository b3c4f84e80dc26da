#include "ops/cases/case_operators.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "formats/error.h"
#include "formats/nearest_name.h"
#include "ops/cases/foreign_names.h"

namespace tilesim {
namespace {

using enum CaseKind;

constexpr KnownOp kOps[] = {
    {{"conv3d_backprop_filter", "weight gradient of a 3D convolution"}, false, kFilterGradient},
    {{"conv2d_backprop_filter", "weight gradient of a 2D convolution"}, true, kFilterGradient},
    {{"conv3d_backprop_input", "input gradient of a 3D convolution"}, false, kInputGradient},
    {{"conv2d_backprop_input", "input gradient of a 2D convolution"}, true, kInputGradient},
    {{"conv3d_transpose", "the same as a layer: a transposed 3D convolution, with output padding"},
     false,
     kTransposed},
    {{"max_pool2d", "2D max pooling, values and argmax"}, true, kPool},
    {{"max_pool3d", "3D max pooling, values and argmax"}, false, kPool},
    {{"max_pool2d_grad", "its gradient, 2D: of a given argmax, or recomputed from x"}, true, kPoolGradient},
    {{"max_pool3d_grad", "its gradient, 3D: of a given argmax, or recomputed from x"}, false, kPoolGradient},
    {{"matmul", "product of two matrices, row-major or transposed"}, false, kMatmul},
    {{"copy", "y = x, by way of UB"}, false, kCopy},
    {{"mem_set", "y = value"}, false, kMemSet},
    {{"add", "y = x1 + x2"}, false, kAdd},
    {{"transpose", "the axes of a tensor in another order"}, false, kTranspose},
    {{"trans_data", "a tensor between a plain format and the blocked one of the cube"}, false, kTransData},
};

// A column, the kinds of operators that it concerns, and words about it.
struct OfKinds {
  std::string_view column;
  std::string_view words;
  std::initializer_list<CaseKind> kinds;
  std::string_view words_2d = "";  // of 2D operators, where they differ

  [[nodiscard]] bool Concerns(CaseKind kind) const { return std::ranges::find(kinds, kind) != kinds.end(); }
};

// Whether files give all inputs, so that no value is random.
bool AllFromFiles(const CellReader& cells, CaseKind kind) {
  switch (kind) {
    case CaseKind::kFilterGradient:
      return cells.Has("x_file") && cells.Has("dy_file");
    case CaseKind::kPool:
    case CaseKind::kCopy:
    case CaseKind::kTranspose:
    case CaseKind::kTransData:
      return cells.Has("x_file");
    case CaseKind::kAdd:
      return cells.Has("x_file") && cells.Has("x2_file");
    case CaseKind::kMemSet:
      return false;
    case CaseKind::kPoolGradient:
      return cells.Has("dy_file") && (cells.Has("argmax_file") || cells.Has("x_file"));
    case CaseKind::kMatmul:
      return cells.Has("a_file") && cells.Has("b_file");
    default:
      return cells.Has("w_file") && cells.Has("dy_file");
  }
}

}  // namespace

std::vector<CaseOperator> CaseOperators() {
  std::vector<CaseOperator> here;
  for (const KnownOp& op : kOps) {
    here.push_back(op.listed);
  }
  return here;
}

const KnownOp& OperatorOf(const CellReader& cells) {
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
    if (const std::string_view other = OperatorNotHere(name); !other.empty()) {
      cells.Refuse("op", Say(other, " is not in this version"), mend);
    }
    const std::string_view ours = OurOperator(name);
    cells.Refuse("op", "unknown operator",
                 Say(ours.empty() ? DidYouMean(name, here) : Say("that is ", ours, " here; "), mend));
  }
  return *op;
}

void RefuseForeign(const CellReader& cells, const KnownOp& op, Refusals& refusals) {
  static constexpr auto kLayers = {kFilterGradient, kInputGradient, kTransposed, kPool, kPoolGradient};
  const OfKinds columns[] = {
      {"m", "matmul", {kMatmul}},
      {"n", "matmul", {kMatmul}},
      {"k", "matmul", {kMatmul}},
      {"transpose_a", "matmul", {kMatmul}},
      {"transpose_b", "matmul", {kMatmul}},
      {"out_dtype", "matmul", {kMatmul}},
      {"a_file", "matmul", {kMatmul}},
      {"b_file", "matmul", {kMatmul}},
      {"layout",
       "convolutions, pooling and trans_data",
       {kFilterGradient, kInputGradient, kTransposed, kPool, kPoolGradient, kTransData}},
      {"input",
       "operators on tensors",
       {kFilterGradient, kInputGradient, kTransposed, kPool, kPoolGradient, kCopy, kMemSet, kAdd, kTranspose,
        kTransData}},
      {"filter", "convolutions and pooling", kLayers},
      {"output", "convolutions and pooling", kLayers},
      {"stride", "convolutions and pooling", kLayers},
      {"dilation", "convolutions and pooling", kLayers},
      {"pad", "convolutions and pooling", kLayers},
      {"groups",
       "convolutions and trans_data",
       {kFilterGradient, kInputGradient, kTransposed, kPool, kPoolGradient, kTransData}},
      {"rounding", "convolutions and pooling", kLayers},
      {"perm", "transpose", {kTranspose}},
      {"to_layout", "trans_data", {kTransData}},
      {"c0", "trans_data", {kTransData}},
      {"value", "mem_set", {kMemSet}},
      {"x2_file", "add", {kAdd}},
      {"nan", "pooling", {kPool, kPoolGradient}},
      {"argmax", "pooling", {kPool, kPoolGradient}},
      {"argmax_file", "the gradient of pooling", {kPoolGradient}},
      {"expected_argmax_file", "pooling forward", {kPool}},
      {"x_file",
       "the filter gradient of a convolution, pooling, copy, add, transpose and trans_data",
       {kFilterGradient, kPool, kPoolGradient, kCopy, kAdd, kTranspose, kTransData}},
      {"w_file", "the input gradient of a convolution", {kInputGradient, kTransposed}},
      {"dy_file", "gradients", {kFilterGradient, kInputGradient, kTransposed, kPoolGradient}},
      {"filter_layout", "convolutions", {kFilterGradient, kInputGradient, kTransposed}},
      {"hf32", "convolutions and matmul", {kFilterGradient, kInputGradient, kTransposed, kMatmul}},
      {"absdot_file",
       "gradients and matmul, whose outputs are sums",
       {kFilterGradient, kInputGradient, kTransposed, kPoolGradient, kMatmul}},
      {"output_padding", "conv3d_transpose", {kTransposed}}};
  for (const OfKinds& column : columns) {
    if (!column.Concerns(op.kind) && cells.Has(column.column)) {
      refusals.Of([&] {
        cells.Refuse(column.column,
                     Say("belongs to ", column.words, ", ", op.listed.name, " has no such column"),
                     "leave it out");
      });
    }
  }
}

void RefuseIdle(const CellReader& cells, const KnownOp& op, Refusals& refusals) {
  const auto refuse = [&](bool idle, std::string_view column, std::string_view why, std::string_view mend) {
    if (idle && cells.Has(column)) {
      refusals.Of([&] { cells.Refuse(column, std::string(why), std::string(mend)); });
    }
  };
  const bool all_given = AllFromFiles(cells, op.kind);
  for (const std::string_view column : {"seed", "range"}) {
    refuse(all_given, column, "is of random inputs, here all come from files", "leave it out");
  }
  if (op.kind == CaseKind::kPoolGradient) {
    const bool given = cells.Has("argmax_file");
    refuse(given && cells.Text("nan", "") == "ignore", "nan",
           "says how an argmax is made of x, here argmax_file gives it", "leave it out");
    refuse(!given && cells.Text("argmax", "plane") != "plane", "argmax",
           "says what argmax_file counts; without that file the argmax is made of x and shown to nobody",
           "give argmax_file, or leave it out");
  }
}

void RequireCells(const CellReader& cells, const KnownOp& op, Refusals& refusals) {
  const OfKinds columns[] = {
      {"input",
       "give the shape of the forward input, in layout, such as 2x32x16x32x32",
       {kFilterGradient, kInputGradient, kPool, kPoolGradient},
       "give the shape of the forward input, in layout, such as 2x32x16x16"},
      {"input", "give the shape of the tensor, such as 64x32x128", {kCopy, kMemSet, kAdd, kTranspose}},
      {"input", "give the shape of the tensor in the plain format, such as 2x32x16x32x32", {kTransData}},
      {"perm", "give the axes of x in the order of y, such as 0x2x1", {kTranspose}},
      {"layout", "give the format of x, such as NCDHW", {kTransData}},
      {"to_layout", "give the format of y, such as NDC1HWC0", {kTransData}},
      {"filter",
       "give the shape of the filter, in filter_layout, such as 64x32x3x3x3",
       {kFilterGradient, kInputGradient, kTransposed},
       "give the shape of the filter, in filter_layout, such as 64x32x3x3"},
      {"filter", "give the window, such as 2x3x3", {kPool, kPoolGradient}, "give the window, such as 3x3"},
      {"m", "give the rows of A and C", {kMatmul}},
      {"n", "give the columns of B and C", {kMatmul}},
      {"k", "give the columns of A, which are the rows of B", {kMatmul}},
      {"output", "give the shape of what the transposed convolution takes, dy, in layout", {kTransposed}}};
  for (const OfKinds& column : columns) {
    if (column.Concerns(op.kind) && !cells.Has(column.column)) {
      const bool other_words = op.is_2d && !column.words_2d.empty();
      refusals.Of([&] {
        cells.Refuse(column.column, "is required", std::string(other_words ? column.words_2d : column.words));
      });
    }
  }
}

}  // namespace tilesim
