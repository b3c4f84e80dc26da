#include "ops/max_pool/pool_case.h"

#include <array>
#include <optional>
#include <string>

#include "formats/error.h"
#include "ops/cases/window_cells.h"

namespace tilesim {
namespace {

void RefuseGroups(const CellReader& cells) {
  if (cells.Text("groups", "1") != "1") {
    cells.Refuse("groups", "belongs to convolutions, pooling takes each channel by itself",
                 "leave it out or give 1");
  }
}

// Columns of convolutions, which pooling could only ignore.
void RefuseForeign(const CellReader& cells) {
  for (const std::string_view column : {"filter_layout", "hf32"}) {
    if (cells.Has(column)) {
      cells.Refuse(column, "belongs to convolutions, pooling has no such column", "leave it out");
    }
  }
  RefuseGroups(cells);
}

NanRule ReadNanRule(const CellReader& cells) { return *ParseNanRule(cells.Choice("nan", NanRuleNames())); }

ArgmaxOrder ReadArgmaxOrder(const CellReader& cells) {
  return *ParseArgmaxOrder(cells.Choice("argmax", ArgmaxOrderNames()));
}

void ReadWords(const CellReader& cells, bool is_2d, PoolProblem& problem) {
  problem.dtype = ReadDType(cells);
  problem.layout = ReadLayout(cells, is_2d);
  problem.rounding = ReadRounding(cells);
  problem.nan = ReadNanRule(cells);
  problem.argmax = ReadArgmaxOrder(cells);
}

void RequireNone(const std::optional<Refusal>& no) {
  if (no) {
    throw RefusedInput(*no);
  }
}

void ReadOutput(const CellReader& cells, PoolProblem& problem) {
  const std::array<int64_t, 5> y = ReadShape(cells, "output", problem.layout);  // (n, c, d, h, w)
  if (y[0] != problem.batch || y[1] != problem.channels) {
    cells.Refuse("output",
                 Say("must have batch ", problem.batch, " and ", problem.channels,
                     " channels as the input, found ", y[0], " and ", y[1]),
                 "correct it or the input");
  }
  problem.out = {y[2], y[3], y[4]};
}

// One cell, read into a problem that is plain otherwise.
template <class Set>
void CheckAlone(const PoolProblem& plain, Set&& set) {
  PoolProblem problem = plain;
  set(problem);
  RequireNone(WhyNotForward(problem));
}

}  // namespace

void CheckPoolCells(const CaseCells& cell_map, bool is_2d, Refusals& refusals) {
  const CellReader cells(cell_map);
  PoolProblem plain;
  plain.layout = is_2d ? Format::kNCHW : Format::kNCDHW;
  refusals.Of([&] { (void)ReadDType(cells); });
  refusals.Of([&] { plain.layout = ReadLayout(cells, is_2d); });
  refusals.Of([&] { (void)ReadRounding(cells); });
  refusals.Of([&] { (void)ReadNanRule(cells); });
  refusals.Of([&] { (void)ReadArgmaxOrder(cells); });
  refusals.Of([&] { RefuseGroups(cells); });
  const auto alone = [&](std::string_view column, auto set) {
    if (cells.Has(column)) {
      refusals.Of([&] { CheckAlone(plain, set); });
    }
  };
  alone("input", [&](PoolProblem& p) {
    const std::array<int64_t, 5> x = ReadShape(cells, "input", p.layout);  // (n, c, d, h, w)
    p.batch = x[0];
    p.channels = x[1];
    p.windows.in = {x[2], x[3], x[4]};
  });
  alone("filter", [&](PoolProblem& p) { p.windows.kernel = ReadPerAxis(cells, "filter", is_2d); });
  alone("stride", [&](PoolProblem& p) { p.windows.stride = ReadPerAxis(cells, "stride", is_2d); });
  alone("dilation", [&](PoolProblem& p) { p.windows.dilation = ReadPerAxis(cells, "dilation", is_2d); });
  alone("pad", [&](PoolProblem& p) { p.windows.pad = ReadPads(cells, p.windows, Rounding::kFloor, is_2d); });
  alone("output", [&](PoolProblem& p) { (void)ReadShape(cells, "output", p.layout); });
}

PoolProblem ReadPoolProblem(const CaseCells& cell_map, bool is_2d) {
  const CellReader cells(cell_map);
  RefuseForeign(cells);
  PoolProblem problem;
  ReadWords(cells, is_2d, problem);
  Windows& windows = problem.windows;
  const std::array<int64_t, 5> x = ReadShape(cells, "input", problem.layout);  // (n, c, d, h, w)
  problem.batch = x[0];
  problem.channels = x[1];
  windows.in = {x[2], x[3], x[4]};
  if (!cells.Has("filter")) {
    cells.Refuse("filter", "is required", "give the window, such as 2x2");
  }
  windows.kernel = ReadPerAxis(cells, "filter", is_2d);
  windows.stride = ReadPerAxis(cells, "stride", is_2d, windows.kernel);
  windows.dilation = ReadPerAxis(cells, "dilation", is_2d);
  RequireNone(WhyNotForward(problem));  // pads may follow from them,
  windows.pad = ReadPads(cells, windows, problem.rounding, is_2d);
  RequireNone(WhyNotForward(problem));  // and the output's extents from both
  problem.out = ForwardExtents(windows, problem.rounding);
  if (cells.Has("output")) {
    ReadOutput(cells, problem);
  }
  RequireNone(WhyNot(problem));
  return problem;
}

}  // namespace tilesim
