#include "ops/conv3d_backprop/conv3d_case.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "formats/error.h"

namespace tilesim {
namespace {

// A shape in the order of its format, as canonical extents of five axes (D = 1 in 2D).
std::array<int64_t, 5> ReadShape(const CellReader& cells, std::string_view column, Format format) {
  const std::string_view order = Name(format);
  const std::array<size_t, 1> counts = {order.size()};
  const std::vector<int64_t> given =
      cells.List(column, counts, Say(order.size() == 5 ? "2x32x16x32x32" : "2x32x16x16", " for ", order));
  std::array<int64_t, 5> extents = {1, 1, 1, 1, 1};
  for (size_t i = 0; i < order.size(); ++i) {
    const size_t axis = Axes(format).find(static_cast<char>(std::tolower(order[i])));
    const bool behind_missing_d = order.size() == 4 && axis >= 2;
    extents[axis + (behind_missing_d ? 1 : 0)] = given[i];
  }
  return extents;
}

// One number for all axes, or one an axis.
Extents3 ReadPerAxis(const CellReader& cells, std::string_view column, bool is_2d) {
  if (!cells.Has(column)) {
    return {};
  }
  const std::array<size_t, 2> counts = {1, is_2d ? size_t{2} : size_t{3}};
  const std::vector<int64_t> given = cells.List(column, counts, is_2d ? "2 or 2x1" : "2 or 1x2x2");
  if (given.size() == 1) {
    return {.d = is_2d ? 1 : given[0], .h = given[0], .w = given[0]};
  }
  return is_2d ? Extents3{.d = 1, .h = given[0], .w = given[1]} : Extents3{given[0], given[1], given[2]};
}

// One number, one an axis, or two an axis. `problem` has all but its pads and output.
Pads ReadPads(const CellReader& cells, const Conv3dProblem& problem) {
  const std::string text = cells.Text("pad", "0");
  if (text == "same" || text == "valid") {
    if (problem.rounding != Rounding::kFloor) {
      throw RefusedInput({"rounding", std::string(Name(problem.rounding)),
                          Say("pad '", text, "' fixes the size of the output"),
                          "use floor, or give pads as numbers"});
    }
    return text == "same" ? SamePads(problem.Walk()) : Pads{};
  }
  if (text.find_first_not_of("-0123456789x") != std::string::npos) {
    cells.Refuse("pad", "must be valid, same, or whole numbers joined by x", "for example same, 1 or 0x1x1");
  }
  const bool is_2d = problem.Is2d();
  const std::array<size_t, 3> counts = {1, is_2d ? size_t{2} : size_t{3}, is_2d ? size_t{4} : size_t{6}};
  std::vector<int64_t> given = {0};
  if (cells.Has("pad")) {
    given = cells.List("pad", counts, is_2d ? "1, 1x2 or 1x1x0x2" : "1, 1x2x2 or 0x0x1x1x0x2");
  }
  if (given.size() == 1) {
    given.assign(counts[1], given[0]);
  }
  if (given.size() == counts[1]) {
    std::vector<int64_t> both;
    for (const int64_t pad : given) {
      both.insert(both.end(), 2, pad);
    }
    given = both;
  }
  if (is_2d) {
    given.insert(given.begin(), 2, 0);
  }
  return {given[0], given[1], given[2], given[3], given[4], given[5]};
}

void ReadWords(const CellReader& cells, bool is_2d, Conv3dProblem& problem) {
  static constexpr std::string_view kDTypes[] = {"fp16", "bf16", "fp32"};
  static constexpr std::string_view kLayouts3d[] = {"NCDHW", "NDHWC"};
  static constexpr std::string_view kLayouts2d[] = {"NCHW", "NHWC"};
  static constexpr std::string_view kFilters3d[] = {"OIDHW", "DHWIO"};
  static constexpr std::string_view kFilters2d[] = {"OIHW", "HWIO"};
  static constexpr std::string_view kRoundings[] = {"floor", "round", "ceil", "ceil_in_bounds"};
  problem.dtype = *ParseDType(cells.Choice("dtype", kDTypes));
  problem.layout = *ParseFormat(cells.Choice("layout", is_2d ? kLayouts2d : kLayouts3d));
  const std::span<const std::string_view> filters = is_2d ? std::span(kFilters2d) : std::span(kFilters3d);
  const bool channel_last = Name(problem.layout).back() == 'C';
  const std::string_view usual = filters[channel_last ? 1 : 0];
  problem.filter_layout =
      *ParseFormat(cells.Has("filter_layout")
                       ? cells.Choice("filter_layout", filters, Say(usual, " for ", Name(problem.layout)))
                       : usual);
  problem.rounding = *ParseRounding(cells.Choice("rounding", kRoundings));
  problem.hf32 = cells.Whole("hf32", 0, 0, 1) == 1;
}

// Strides and dilations of 0 would divide by nothing, groups of 0 too: refused before anything is derived
// from them.
void RequirePositive(const CellReader& cells, std::string_view column, const Extents3& extents) {
  if (extents.d < 1 || extents.h < 1 || extents.w < 1) {
    cells.Refuse(column, "each number must be at least 1", "the default is 1");
  }
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
  problem.stride = ReadPerAxis(cells, "stride", is_2d);
  problem.dilation = ReadPerAxis(cells, "dilation", is_2d);
  RequirePositive(cells, "stride", problem.stride);
  RequirePositive(cells, "dilation", problem.dilation);
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
  problem.pad = ReadPads(cells, problem);
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
  problem.pad = ReadPads(cells, problem);
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
