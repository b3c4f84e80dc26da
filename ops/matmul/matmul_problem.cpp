#include "ops/matmul/matmul_problem.h"

#include <algorithm>
#include <string>

#include "formats/error.h"
#include "ops/cases/window_cells.h"
#include "ops/cases/window_rules.h"

namespace tilesim {
namespace {

using Answer = std::optional<Refusal>;

Layout Plain(bool turned, int64_t rows, int64_t columns) {
  return turned ? Layout(Format::kND, {columns, rows}) : Layout(Format::kND, {rows, columns});
}

Answer WhyNotElements(const MatmulProblem& p) { return WhyNotType(p.dtype); }

Answer WhyNotOut(const MatmulProblem& p) {
  if (p.out == p.dtype || p.out == DType::kFp32) {
    return std::nullopt;
  }
  return Refusal{"out_dtype", std::string(Name(p.out)),
                 p.dtype == DType::kFp32 ? "must be fp32 as dtype is"
                                         : Say("must be ", Name(p.dtype), " as dtype is, or fp32"),
                 "leave it out for dtype"};
}

Answer WhyNotHf32(const MatmulProblem& p) {
  if (!p.hf32 || p.dtype == DType::kFp32) {
    return std::nullopt;
  }
  return Refusal{"hf32", "1", Say("is a mode of fp32, dtype is ", Name(p.dtype)),
                 "give dtype fp32 or hf32 0"};
}

Answer WhyNotExtents(const MatmulProblem& p) {
  struct Extent {
    std::string_view column;
    int64_t value;
  };
  for (const Extent& extent : {Extent{"m", p.m}, Extent{"n", p.n}, Extent{"k", p.k}}) {
    if (extent.value < 1 || extent.value > MatmulLimits::kExtent) {
      return Refusal{std::string(extent.column), std::to_string(extent.value),
                     Say("must be 1 to ", MatmulLimits::kExtent), "give another size"};
    }
  }
  struct Matrix {
    std::string_view name;
    std::string_view column;  // the larger of its extents
    int64_t rows;
    int64_t columns;
  };
  for (const Matrix& matrix :
       {Matrix{"A", p.m >= p.k ? "m" : "k", p.m, p.k}, Matrix{"B", p.k >= p.n ? "k" : "n", p.k, p.n},
        Matrix{"C", p.m >= p.n ? "m" : "n", p.m, p.n}}) {
    if (matrix.rows > MatmulLimits::kElements / matrix.columns) {
      return Refusal{std::string(matrix.column), std::to_string(std::max(matrix.rows, matrix.columns)),
                     Say("makes ", matrix.name, " ", matrix.rows, " x ", matrix.columns, ", more than ",
                         MatmulLimits::kElements, " elements"),
                     "give a smaller size"};
    }
  }
  return std::nullopt;
}

DType ReadOut(const CellReader& cells, DType dtype) {
  static constexpr std::string_view kTypes[] = {"fp16", "bf16", "fp32"};
  return cells.Has("out_dtype") ? *ParseDType(cells.Choice("out_dtype", kTypes, "dtype")) : dtype;
}

int64_t ReadExtent(const CellReader& cells, std::string_view column) {
  return cells.Whole(column, 1, 1, MatmulLimits::kExtent, "none: it is required");
}

bool ReadYesNo(const CellReader& cells, std::string_view column) { return cells.Whole(column, 0, 0, 1) == 1; }

}  // namespace

Layout MatmulProblem::ALayout() const { return Plain(transpose_a, m, k); }
Layout MatmulProblem::BLayout() const { return Plain(transpose_b, k, n); }
Layout MatmulProblem::CLayout() const { return Plain(false, m, n); }

double MatmulProblem::Macs() const {
  return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

std::optional<Refusal> WhyNot(const MatmulProblem& problem) {
  return FirstOf<MatmulProblem>({WhyNotElements, WhyNotOut, WhyNotHf32, WhyNotExtents}, problem);
}

void CheckMatmulCells(const CaseCells& cell_map, Refusals& refusals) {
  const CellReader cells(cell_map);
  refusals.Of([&] { (void)ReadDType(cells); });
  refusals.Of([&] { (void)ReadOut(cells, DType::kFp16); });
  for (const std::string_view column : {"m", "n", "k"}) {
    refusals.Of([&] { (void)ReadExtent(cells, column); });
  }
  for (const std::string_view column : {"transpose_a", "transpose_b", "hf32"}) {
    refusals.Of([&] { (void)ReadYesNo(cells, column); });
  }
}

MatmulProblem ReadMatmulProblem(const CaseCells& cell_map) {
  const CellReader cells(cell_map);
  MatmulProblem problem;
  problem.dtype = ReadDType(cells);
  problem.out = ReadOut(cells, problem.dtype);
  problem.m = ReadExtent(cells, "m");
  problem.n = ReadExtent(cells, "n");
  problem.k = ReadExtent(cells, "k");
  problem.transpose_a = ReadYesNo(cells, "transpose_a");
  problem.transpose_b = ReadYesNo(cells, "transpose_b");
  problem.hf32 = ReadYesNo(cells, "hf32");
  if (const std::optional<Refusal> no = WhyNot(problem)) {
    throw RefusedInput(*no);
  }
  return problem;
}

}  // namespace tilesim
