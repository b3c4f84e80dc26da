#include "ops/trans_data/trans_data_problem.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "formats/error.h"
#include "ops/cases/window_cells.h"

namespace tilesim {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 36;  // more than the largest part's memory holds

// A plain format and the blocked one it goes to and comes from.
struct FormatPair {
  Format plain;
  Format blocked;
};
constexpr FormatPair kPairs[] = {{Format::kNCDHW, Format::kNDC1HWC0},   {Format::kNDHWC, Format::kNDC1HWC0},
                                 {Format::kNCHW, Format::kNC1HWC0},     {Format::kNHWC, Format::kNC1HWC0},
                                 {Format::kOIDHW, Format::kFractalZ3D}, {Format::kDHWIO, Format::kFractalZ3D},
                                 {Format::kOIHW, Format::kFractalZ},    {Format::kHWIO, Format::kFractalZ}};

Format With3Axes(Format format) {
  switch (format) {
    case Format::kNCHW:
      return Format::kNCDHW;
    case Format::kNHWC:
      return Format::kNDHWC;
    case Format::kNC1HWC0:
      return Format::kNDC1HWC0;
    case Format::kOIHW:
      return Format::kOIDHW;
    case Format::kHWIO:
      return Format::kDHWIO;
    case Format::kFractalZ:
      return Format::kFractalZ3D;
    default:
      return format;
  }
}

Format ReadFormat(const CellReader& cells, std::string_view column) {
  const std::string text = cells.Text(column, "");
  std::string known;
  for (int i = 0; i < kNumFormats; ++i) {
    const auto format = static_cast<Format>(i);
    if (Axes(format) == "mn") {
      continue;
    }
    if (Name(format) == text) {
      return format;
    }
    known += Say(known.empty() ? "" : ", ", Name(format));
  }
  cells.Refuse(column, text.empty() ? "is required" : Say("must be one of ", known),
               "for example NCDHW to NDC1HWC0");
}

void ReadFormats(const CellReader& cells, TransDataProblem& problem) {
  problem.from = ReadFormat(cells, "layout");
  problem.to = ReadFormat(cells, "to_layout");
  std::string fits;
  for (const FormatPair& pair : kPairs) {
    if ((pair.plain == problem.from && pair.blocked == problem.to) ||
        (pair.plain == problem.to && pair.blocked == problem.from)) {
      return;
    }
    if (pair.plain == problem.from || pair.blocked == problem.from) {
      fits += Say(fits.empty() ? "" : " or ", Name(pair.plain == problem.from ? pair.blocked : pair.plain));
    }
  }
  cells.Refuse(
      "to_layout",
      Say("one format must be plain and the other its blocked one: ", Name(problem.from), " goes to ", fits),
      "op transpose changes the order of plain axes");
}

void ReadBlocks(const CellReader& cells, TransDataProblem& problem) {
  static constexpr std::string_view kTypes[] = {"fp16", "bf16", "fp32", "int32", "uint8"};
  problem.dtype = *ParseDType(cells.Choice("dtype", kTypes));
  problem.c0 = static_cast<int>(cells.Whole("c0", C0Of(problem.dtype), 8, 32));
  const bool of_gradient = problem.dtype == DType::kFp32 && problem.c0 == 16;
  if (!of_gradient && problem.c0 != C0Of(problem.dtype)) {
    cells.Refuse("c0",
                 Say("must be ", C0Of(problem.dtype), problem.dtype == DType::kFp32 ? " or 16" : "", " for ",
                     Name(problem.dtype)),
                 "a filter gradient (fp32) of fp16 or bf16 inputs has 16");
  }
  problem.groups = static_cast<int>(cells.Whole("groups", 1, 1, 65535));
  if (problem.groups > 1 && !problem.IsFilter()) {
    cells.Refuse("groups", "belongs to filters", "leave it out");
  }
}

}  // namespace

Layout TransDataProblem::PlainLayout3d() const {
  return {With3Axes(FromPlain() ? from : to), extents.Values(), 0, groups};
}

Layout TransDataProblem::BlockedLayout3d() const {
  return {With3Axes(FromPlain() ? to : from), extents.Values(), c0, groups};
}

Layout TransDataProblem::PlainTensor() const {
  const Format plain = FromPlain() ? from : to;
  std::vector<int64_t> axes = extents.Values();
  if (Axes(plain).size() == 4) {
    axes.erase(axes.begin() + 2);
  }
  return {plain, axes, 0, groups};
}

Layout TransDataProblem::BlockedTensor() const {
  return {Format::kND, Layout(FromPlain() ? to : from, PlainTensor().extents(), c0, groups).StorageShape()};
}

TransDataProblem ReadTransDataProblem(const CaseCells& cell_map) {
  const CellReader cells(cell_map);
  TransDataProblem problem;
  ReadFormats(cells, problem);
  ReadBlocks(cells, problem);
  const Format plain = problem.FromPlain() ? problem.from : problem.to;
  const std::array<int64_t, 5> extents = ReadShape(cells, "input", plain);
  int64_t elements = 1;
  for (const int64_t extent : extents) {
    if (extent < 1) {
      cells.Refuse("input", "each extent must be at least 1",
                   Say("give the shape of the tensor in ", Name(plain)));
    }
    if (extent > kMostElements / elements) {
      cells.Refuse("input", Say("must have at most ", kMostElements, " elements"), "give a smaller tensor");
    }
    elements *= extent;
  }
  problem.extents = AxisExtents(extents);
  if (problem.extents[0] % problem.groups != 0) {
    cells.Refuse("groups", Say("must divide the ", problem.extents[0], " output channels"),
                 "correct it or the input");
  }
  return problem;
}

}  // namespace tilesim
