#include "ops/cases/window_cells.h"

#include <cctype>
#include <span>
#include <string>
#include <vector>

#include "formats/error.h"
#include "formats/nearest_name.h"
#include "ops/cases/foreign_names.h"

namespace tilesim {

DType ReadDType(const CellReader& cells) {
  static constexpr std::string_view kDTypes[] = {"fp16", "bf16", "fp32"};
  if (const std::string_view ours = OurType(cells.Text("dtype", "")); !ours.empty()) {
    cells.Refuse("dtype", Say("must be one of ", JoinedNames(kDTypes)), Say("that is ", ours, " here"));
  }
  return *ParseDType(cells.Choice("dtype", kDTypes));
}

Format ReadLayout(const CellReader& cells, bool is_2d) {
  static constexpr std::string_view kLayouts3d[] = {"NCDHW", "NDHWC"};
  static constexpr std::string_view kLayouts2d[] = {"NCHW", "NHWC"};
  const std::span<const std::string_view> layouts = is_2d ? std::span(kLayouts2d) : std::span(kLayouts3d);
  if (const std::string_view ours = OurLayout(cells.Text("layout", ""), is_2d); !ours.empty()) {
    cells.Refuse("layout", Say("must be one of ", JoinedNames(layouts)), Say("that is ", ours, " here"));
  }
  return *ParseFormat(cells.Choice("layout", layouts));
}

Rounding ReadRounding(const CellReader& cells) {
  static constexpr std::string_view kRoundings[] = {"floor", "round", "ceil", "ceil_in_bounds"};
  return *ParseRounding(cells.Choice("rounding", kRoundings));
}

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

Extents3 ReadPerAxis(const CellReader& cells, std::string_view column, bool is_2d, Extents3 otherwise) {
  if (!cells.Has(column)) {
    return otherwise;
  }
  const std::array<size_t, 2> counts = {1, is_2d ? size_t{2} : size_t{3}};
  const std::vector<int64_t> given = cells.List(column, counts, is_2d ? "2 or 2x1" : "2 or 1x2x2");
  if (given.size() == 1) {
    return {.d = is_2d ? 1 : given[0], .h = given[0], .w = given[0]};
  }
  return is_2d ? Extents3{.d = 1, .h = given[0], .w = given[1]} : Extents3{given[0], given[1], given[2]};
}

Extents3 ReadPositivePerAxis(const CellReader& cells, std::string_view column, bool is_2d) {
  const Extents3 given = ReadPerAxis(cells, column, is_2d);
  if (given.d < 1 || given.h < 1 || given.w < 1) {
    cells.Refuse(column, "each number must be at least 1", "the default is 1");
  }
  return given;
}

Pads ReadPads(const CellReader& cells, const Windows& windows, Rounding rounding, bool is_2d) {
  const std::string text = cells.Text("pad", "0");
  if (text == "same" || text == "valid") {
    if (rounding != Rounding::kFloor) {
      throw RefusedInput({"rounding", std::string(Name(rounding)),
                          Say("pad '", text, "' fixes the size of the output"),
                          "use floor, or give pads as numbers"});
    }
    return text == "same" ? SamePads(windows) : Pads{};
  }
  if (text.find_first_not_of("-0123456789x") != std::string::npos) {
    static constexpr std::string_view kWords[] = {"valid", "same"};
    cells.Refuse("pad", "must be valid, same, or whole numbers joined by x",
                 Say(DidYouMean(text, kWords), "for example same, 1 or ", is_2d ? "0x1" : "0x1x1"));
  }
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

}  // namespace tilesim
