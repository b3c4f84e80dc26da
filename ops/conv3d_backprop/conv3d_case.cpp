#include "ops/conv3d_backprop/conv3d_case.h"

#include <algorithm>
#include <array>
#include <optional>

#include "formats/error.h"
#include "ops/window_cells.h"

namespace tilesim {
namespace {

void ReadWords(const CellReader& cells, bool is_2d, Conv3dProblem& problem) {
  static constexpr std::string_view kFilters3d[] = {"OIDHW", "DHWIO"};
  static constexpr std::string_view kFilters2d[] = {"OIHW", "HWIO"};
  problem.dtype = ReadDType(cells);
  problem.layout = ReadLayout(cells, is_2d);
  const std::span<const std::string_view> filters = is_2d ? std::span(kFilters2d) : std::span(kFilters3d);
  const bool channel_last = Name(problem.layout).back() == 'C';
  const std::string_view usual = filters[channel_last ? 1 : 0];
  problem.filter_layout =
      *ParseFormat(cells.Has("filter_layout")
                       ? cells.Choice("filter_layout", filters, Say(usual, " for ", Name(problem.layout)))
                       : usual);
  problem.rounding = ReadRounding(cells);
  problem.hf32 = cells.Whole("hf32", 0, 0, 1) == 1;
}

// What x has beyond the windows, where both its extents and those of dy are given; none if that can be no
// output padding.
Extents3 OutputPaddingOf(const Conv3dProblem& problem, const Extents3& in) {
  const Extents3 covered = TransposedExtents(problem);
  const Extents3 more = {in.d - covered.d, in.h - covered.h, in.w - covered.w};
  const auto fits = [](int64_t padding, int64_t stride, int64_t dilation) {
    return padding >= 0 && padding < std::max(stride, dilation);
  };
  const Extents3& stride = problem.stride;
  const Extents3& dilation = problem.dilation;
  return fits(more.d, stride.d, dilation.d) && fits(more.h, stride.h, dilation.h) &&
                 fits(more.w, stride.w, dilation.w)
             ? more
             : Extents3{0, 0, 0};
}

// All but the extents of x and dy and what follows from them. Sets the input channels by the filter.
void ReadForm(const CellReader& cells, bool is_2d, Conv3dProblem& problem) {
  ReadWords(cells, is_2d, problem);
  problem.groups = cells.Whole("groups", 1, 1, Conv3dLimits::kGroups);
  problem.stride = ReadPositivePerAxis(cells, "stride", is_2d);
  problem.dilation = ReadPositivePerAxis(cells, "dilation", is_2d);
  const auto filter = ReadShape(cells, "filter", problem.filter_layout);  // (o, i, d, h, w)
  problem.cout = filter[0];
  problem.cin = filter[1] * problem.groups;
  problem.kernel = {filter[2], filter[3], filter[4]};
}

void RequireBatchAndChannels(const CellReader& cells, std::string_view column,
                             const std::array<int64_t, 5>& shape, int64_t batch, std::string_view batch_of,
                             int64_t channels) {
  if (shape[0] != batch || shape[1] != channels) {
    cells.Refuse(
        column,
        Say("must have ", shape[0] == batch ? "" : Say("batch ", batch, " as the ", batch_of, " and "),
            channels, " channels as the filter, found ",
            shape[0] == batch ? "" : Say("batch ", shape[0], " and "), shape[1]),
        "correct it or the filter");
  }
}

void RequireLegal(const Conv3dProblem& problem) {
  if (const std::optional<Refusal> no = WhyNot(problem)) {
    throw RefusedInput(*no);
  }
}

}  // namespace

Conv3dProblem ReadConv3dProblem(const CaseCells& cell_map, bool is_2d) {
  const CellReader cells(cell_map);
  Conv3dProblem problem;
  ReadForm(cells, is_2d, problem);
  const auto x = ReadShape(cells, "input", problem.layout);  // (n, c, d, h, w)
  if (x[1] != problem.cin) {
    cells.Refuse("filter",
                 Say("its ", problem.CinPerGroup(), " input channels a group times ", problem.groups,
                     " groups must be the ", x[1], " channels of the input"),
                 "correct filter, input or groups");
  }
  problem.batch = x[0];
  problem.in = {x[2], x[3], x[4]};
  problem.pad = ReadPads(cells, problem.Walk(), problem.rounding, problem.Is2d());
  problem.out = ForwardExtents(problem);
  if (cells.Has("output")) {
    const auto dy = ReadShape(cells, "output", problem.layout);
    RequireBatchAndChannels(cells, "output", dy, problem.batch, "input", problem.cout);
    problem.out = {dy[2], dy[3], dy[4]};
  }
  RequireLegal(problem);
  return problem;
}

Conv3dProblem ReadTransposedProblem(const CaseCells& cell_map) {
  const CellReader cells(cell_map);
  Conv3dProblem problem;
  problem.transposed = true;
  ReadForm(cells, false, problem);
  const auto dy = ReadShape(cells, "output", problem.layout);  // (n, c, d, h, w)
  RequireBatchAndChannels(cells, "output", dy, dy[0], "input", problem.cout);
  problem.batch = dy[0];
  problem.out = {dy[2], dy[3], dy[4]};
  const bool is_same = cells.Text("pad", "0") == "same";
  std::optional<Extents3> in;
  if (cells.Has("input")) {
    const auto x = ReadShape(cells, "input", problem.layout);
    RequireBatchAndChannels(cells, "input", x, problem.batch, "output", problem.cin);
    in = {x[2], x[3], x[4]};
  } else if (is_same) {
    in = {dy[2] * problem.stride.d, dy[3] * problem.stride.h, dy[4] * problem.stride.w};
  }
  problem.in = in.value_or(problem.in);  // pad=same asks for it
  problem.pad = ReadPads(cells, problem.Walk(), problem.rounding, problem.Is2d());
  if (cells.Has("output_padding")) {
    if (is_same) {
      cells.Refuse("output_padding", "pad 'same' fixes the size of the result",
                   "leave it out; input may say a size other than output times stride");
    }
    problem.output_padding = ReadPerAxis(cells, "output_padding", false);
  } else if (in) {
    problem.output_padding = OutputPaddingOf(problem, *in);
  }
  problem.in = in.value_or(TransposedExtents(problem));
  RequireLegal(problem);
  return problem;
}

}  // namespace tilesim
