#include "ops/conv3d_backprop/conv3d_case.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "formats/counted.h"
#include "formats/error.h"
#include "ops/cases/window_cells.h"

namespace tilesim {
namespace {

// Those of the operator, the one that goes with channels before D, H, W first.
std::span<const std::string_view> FilterLayouts(bool is_2d) {
  static constexpr std::string_view kFilters3d[] = {"OIDHW", "DHWIO"};
  static constexpr std::string_view kFilters2d[] = {"OIHW", "HWIO"};
  return is_2d ? std::span(kFilters2d) : std::span(kFilters3d);
}

Format ReadFilterLayout(const CellReader& cells, bool is_2d, Format layout) {
  const std::span<const std::string_view> filters = FilterLayouts(is_2d);
  const std::string_view usual = filters[Name(layout).back() == 'C' ? 1 : 0];
  return *ParseFormat(cells.Has("filter_layout")
                          ? cells.Choice("filter_layout", filters, Say(usual, " for ", Name(layout)))
                          : usual);
}

bool ReadHf32(const CellReader& cells) { return cells.Whole("hf32", 0, 0, 1) == 1; }
int64_t ReadGroups(const CellReader& cells) { return cells.Whole("groups", 1, 1, Conv3dLimits::kGroups); }

void ReadWords(const CellReader& cells, bool is_2d, Conv3dProblem& problem) {
  problem.dtype = ReadDType(cells);
  problem.layout = ReadLayout(cells, is_2d);
  problem.filter_layout = ReadFilterLayout(cells, is_2d, problem.layout);
  problem.rounding = ReadRounding(cells);
  problem.hf32 = ReadHf32(cells);
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
  problem.groups = ReadGroups(cells);
  problem.stride = ReadPositivePerAxis(cells, "stride", is_2d);
  problem.dilation = ReadPositivePerAxis(cells, "dilation", is_2d);
  const auto filter = ReadShape(cells, "filter", problem.filter_layout);  // (o, i, d, h, w)
  problem.cout = filter[0];
  problem.cin = filter[1] * problem.groups;
  problem.kernel = {filter[2], filter[3], filter[4]};
}

constexpr std::string_view kMend = "correct it or the filter";

void RequireBatchAndChannels(const CellReader& cells, std::string_view column,
                             const std::array<int64_t, 5>& shape, int64_t batch, std::string_view batch_of,
                             int64_t channels, const std::string& mend) {
  if (shape[0] != batch || shape[1] != channels) {
    cells.Refuse(
        column,
        Say("must have ", shape[0] == batch ? "" : Say("batch ", batch, " as the ", batch_of, " and "),
            channels, " channels as the filter, found ",
            shape[0] == batch ? "" : Say("batch ", shape[0], " and "), shape[1]),
        mend);
  }
}

void RequireNone(const std::optional<Refusal>& no) {
  if (no) {
    throw RefusedInput(*no);
  }
}

// Where the filter's channels do not fit: the other layout, if its channels would.
std::string MendOfChannels(const CellReader& cells, const Conv3dProblem& problem, bool is_2d, bool of_output,
                           int64_t channels, std::string_view otherwise) {
  const std::span<const std::string_view> layouts = FilterLayouts(is_2d);
  const std::string_view read = Name(problem.filter_layout);
  const std::string_view other = layouts[read == layouts[0] ? 1 : 0];
  const auto filter = ReadShape(cells, "filter", *ParseFormat(other));  // (o, i, d, h, w)
  if ((of_output ? filter[0] : filter[1] * problem.groups) != channels) {
    return std::string(otherwise);
  }
  return Say(cells.Has("filter_layout") ? Say("it is read as ", read)
                                        : Say("with layout ", Name(problem.layout), " it is read as ", read),
             ", as ", other, " it fits: give filter_layout ", other);
}

// One cell, read into a problem that is plain otherwise.
template <class Set>
void CheckAlone(const Conv3dProblem& plain, Set&& set) {
  Conv3dProblem problem = plain;
  set(problem);
  RequireNone(WhyNotForward(problem));
}

}  // namespace

void CheckConv3dCells(const CaseCells& cell_map, bool is_2d, Refusals& refusals) {
  const CellReader cells(cell_map);
  Conv3dProblem plain;
  plain.layout = is_2d ? Format::kNCHW : Format::kNCDHW;
  plain.filter_layout = is_2d ? Format::kOIHW : Format::kOIDHW;
  refusals.Of([&] { (void)ReadDType(cells); });
  refusals.Of([&] { plain.layout = ReadLayout(cells, is_2d); });
  refusals.Of([&] { plain.filter_layout = ReadFilterLayout(cells, is_2d, plain.layout); });
  refusals.Of([&] { (void)ReadRounding(cells); });
  refusals.Of([&] { (void)ReadHf32(cells); });
  refusals.Of([&] { (void)ReadGroups(cells); });
  const auto alone = [&](std::string_view column, auto set) {
    if (cells.Has(column)) {
      refusals.Of([&] { CheckAlone(plain, set); });
    }
  };
  alone("input", [&](Conv3dProblem& p) {
    const auto x = ReadShape(cells, "input", p.layout);  // (n, c, d, h, w)
    p.batch = x[0];
    p.cin = x[1];
    p.in = {x[2], x[3], x[4]};
  });
  alone("filter", [&](Conv3dProblem& p) {
    const auto filter = ReadShape(cells, "filter", p.filter_layout);  // (o, i, d, h, w)
    p.cout = filter[0];
    p.cin = filter[1];
    p.kernel = {filter[2], filter[3], filter[4]};
  });
  alone("stride", [&](Conv3dProblem& p) { p.stride = ReadPositivePerAxis(cells, "stride", is_2d); });
  alone("dilation", [&](Conv3dProblem& p) { p.dilation = ReadPositivePerAxis(cells, "dilation", is_2d); });
  alone("pad", [&](Conv3dProblem& p) { p.pad = ReadPads(cells, p.Walk(), Rounding::kFloor, is_2d); });
  alone("output", [&](Conv3dProblem& p) { (void)ReadShape(cells, "output", p.layout); });
  alone("output_padding", [&](Conv3dProblem& /*p*/) { (void)ReadPerAxis(cells, "output_padding", is_2d); });
}

Conv3dProblem ReadConv3dProblem(const CaseCells& cell_map, bool is_2d) {
  const CellReader cells(cell_map);
  Conv3dProblem problem;
  ReadForm(cells, is_2d, problem);
  const auto x = ReadShape(cells, "input", problem.layout);  // (n, c, d, h, w)
  if (x[1] != problem.cin) {
    cells.Refuse("filter",
                 Say("its ", problem.CinPerGroup(), " input channels a group times ",
                     Counted(problem.groups, "group"), " must be the ", x[1], " channels of the input"),
                 MendOfChannels(cells, problem, is_2d, false, x[1], "correct filter, input or groups"));
  }
  problem.batch = x[0];
  problem.in = {x[2], x[3], x[4]};
  problem.pad = ReadPads(cells, problem.Walk(), problem.rounding, problem.Is2d());
  problem.out = ForwardExtents(problem);
  if (cells.Has("output")) {
    const auto dy = ReadShape(cells, "output", problem.layout);
    RequireBatchAndChannels(cells, "output", dy, problem.batch, "input", problem.cout, std::string(kMend));
    problem.out = {dy[2], dy[3], dy[4]};
  }
  RequireNone(WhyNot(problem));
  return problem;
}

Conv3dProblem ReadTransposedProblem(const CaseCells& cell_map) {
  const CellReader cells(cell_map);
  Conv3dProblem problem;
  problem.transposed = true;
  ReadForm(cells, false, problem);
  const auto dy = ReadShape(cells, "output", problem.layout);  // (n, c, d, h, w)
  RequireBatchAndChannels(cells, "output", dy, dy[0], "input", problem.cout,
                          MendOfChannels(cells, problem, false, true, dy[1], kMend));
  problem.batch = dy[0];
  problem.out = {dy[2], dy[3], dy[4]};
  const bool is_same = cells.Text("pad", "0") == "same";
  std::optional<Extents3> in;
  if (cells.Has("input")) {
    const auto x = ReadShape(cells, "input", problem.layout);
    RequireBatchAndChannels(cells, "input", x, problem.batch, "output", problem.cin,
                            MendOfChannels(cells, problem, false, false, x[1], kMend));
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
  RequireNone(WhyNot(problem));
  return problem;
}

}  // namespace tilesim
