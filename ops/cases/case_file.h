#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ops/cases/case_cells.h"
#include "ops/cases/refusal.h"
#include "ops/conv3d_backprop/conv3d_problem.h"
#include "ops/elementwise/elementwise_problem.h"
#include "ops/matmul/matmul_problem.h"
#include "ops/max_pool/pool_problem.h"
#include "ops/trans_data/trans_data_problem.h"
#include "ops/transpose/transpose_problem.h"

namespace tilesim {

// The gradient of a convolution that a case asks for.
enum class ConvGradient : uint8_t { kFilter, kInput };

struct ConvCase {
  ConvGradient gradient = ConvGradient::kFilter;
  Conv3dProblem conv;

  [[nodiscard]] DType dtype() const { return conv.dtype; }
  [[nodiscard]] double Size() const { return conv.Macs(); }
};

struct PoolCase {
  bool is_gradient = false;  // dx of dy, and of the argmax if the case gives it, otherwise of x
  PoolProblem pool;

  [[nodiscard]] DType dtype() const { return pool.dtype; }
  [[nodiscard]] double Size() const { return pool.Taps(); }
};

struct ElementwiseCase {
  ElementwiseProblem elementwise;

  [[nodiscard]] DType dtype() const { return elementwise.dtype; }
  [[nodiscard]] double Size() const { return static_cast<double>(elementwise.Elements()); }
};

struct TransposeCase {
  TransposeProblem transpose;

  [[nodiscard]] DType dtype() const { return transpose.dtype; }
  [[nodiscard]] double Size() const { return static_cast<double>(transpose.XLayout().LogicalElements()); }
};

struct TransDataCase {
  TransDataProblem trans_data;

  [[nodiscard]] DType dtype() const { return trans_data.dtype; }
  [[nodiscard]] double Size() const {
    return static_cast<double>(trans_data.PlainTensor().LogicalElements());
  }
};

struct MatmulCase {
  MatmulProblem matmul;

  [[nodiscard]] DType dtype() const { return matmul.dtype; }
  [[nodiscard]] double Size() const { return matmul.Macs(); }
};

// One alternative a family: each knows the type of its inputs and how much there is to do.
using CaseProblem =
    std::variant<ConvCase, PoolCase, MatmulCase, ElementwiseCase, TransposeCase, TransDataCase>;

// One problem to run: an operator with its problem, where its tensors come from and what to compare them
// with. Knows nothing of how it is run. Paths are ready to open; an empty one means none.
struct Case {
  std::string id;
  int64_t row = 0;    // of the case file, the first below the header is 1; 0 from the command line
  std::string place;  // "cases.csv:3: row 2 (bench_03)", for messages; empty from the command line
  std::string op;
  CaseProblem problem;

  std::string soc;   // empty: as the command line says
  int64_t seed = 0;  // of random inputs in [range_low, range_high]
  double range_low = -1;
  double range_high = 1;

  std::string x_file;   // of a filter gradient, of pooling, of copy; x1 of add
  std::string x2_file;  // of add
  std::string w_file;   // of an input gradient
  std::string dy_file;
  std::string a_file;  // of matmul
  std::string b_file;
  std::string argmax_file;  // of the gradient of pooling
  std::string expected_file;
  std::string expected_argmax_file;
  std::string absdot_file;
  std::optional<int64_t> products;  // largest number of products of an output
  std::string tiling_file;
  std::optional<double> measured_us;
  std::string sequence;       // rows of one name are one call, and follow each other
  int64_t sequence_rows = 0;  // how many the file has of that name

  [[nodiscard]] DType dtype() const;  // of the inputs
  // How much there is to do: products, or elements that windows look at. To compare cases with.
  [[nodiscard]] double Size() const;

  // The problem of a convolution's gradient; the case must be one.
  [[nodiscard]] const Conv3dProblem& conv() const { return std::get<ConvCase>(problem).conv; }
  [[nodiscard]] Conv3dProblem& conv() { return std::get<ConvCase>(problem).conv; }
  [[nodiscard]] ConvGradient gradient() const { return std::get<ConvCase>(problem).gradient; }
};

// A row that is refused, with all that is wrong with it; the other rows stand.
struct CaseError {
  int64_t row = 0;
  std::string id;
  std::string place;
  std::vector<Refusal> refusals;
  std::string sequence = {};  // as Case has it
};

// "cases.csv:4: row 3 (bench_03): pad = '300': ...", and a line for each further cell; the header is line 1.
std::string Sentence(const CaseError& error);

struct CaseFile {
  std::vector<Case> cases;
  std::vector<CaseError> errors;
};

// Reads a case file (CSV with a header). Throws UserError, with the file's name, for a file that cannot be
// read or whose header is wrong; a bad row becomes an error and the others are read.
CaseFile ReadCaseFile(const std::string& path);

// One case from its cells; paths in it are relative to `folder`. Throws RefusedInput with every cell that is
// wrong by itself, or else with the first that does not agree with the others.
Case ReadCase(const CaseCells& cells, int64_t row, const std::string& folder);

// A column of the case file, which is also an option of the command line.
struct CaseColumn {
  std::string_view name;
  std::string_view otherwise;  // when the cell is empty
  std::string_view says;
};
std::span<const CaseColumn> CaseColumns();

// An operator that a case can ask for.
struct CaseOperator {
  std::string_view name;
  std::string_view says;
};
std::vector<CaseOperator> CaseOperators();

}  // namespace tilesim
