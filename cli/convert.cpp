// `tilesim convert`: an .npy file from one layout to another.
#include <optional>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output_files.h"
#include "formats/error.h"
#include "formats/npy.h"
#include "formats/tensor.h"

namespace tilesim {
namespace {

Format FormatFrom(const Arguments& arguments, std::string_view option) {
  const std::string name = arguments.Text(option, "");
  RequireUser(!name.empty(), "convert: --", option, " is missing; give one of ", KnownFormats());
  const std::optional<Format> format = ParseFormat(name);
  RequireUser(format.has_value(), "--", option, " = '", name,
              "': unknown format; known formats: ", KnownFormats());
  return *format;
}

// The type of the output: --dtype, or what the file holds.
DType TypeFrom(const Arguments& arguments, std::optional<DType> of_file) {
  if (!arguments.Has("dtype")) {
    return of_file.value_or(DType::kFp32);
  }
  const std::string name = arguments.Text("dtype", "");
  const std::optional<DType> dtype = ParseDType(name);
  RequireUser(dtype.has_value(), "--dtype = '", name, "': must be one of ", KnownDTypes());
  return *dtype;
}

// How the input lies in its file.
Layout SourceLayout(const Arguments& arguments, const std::string& path, const NpyHeader& header,
                    Format format, int c0, int groups) {
  if (!arguments.Has("shape")) {
    RequireUser(IsPlain(format), "convert: --shape is missing; ", Name(format), " pads, so ", path,
                " does not say its logical extents (", Axes(format), "); for example --shape ",
                Axes(format) == "mn" ? "64x64" : "2x32x16x32x32");
    return PlainLayout(format, header.shape, groups);
  }
  const std::string_view axes = Axes(format);
  const size_t counts[] = {axes.size()};
  const CaseCells cells = {{"--shape", arguments.Text("shape", "")}};
  const std::vector<int64_t> extents =
      CellReader(cells).List("--shape", counts, axes == "mn" ? "64x64" : "2x32x16x32x32 for 5 axes");
  return Layout(format, extents, c0, groups);
}

Tensor ReadAs(const std::string& path, const NpyHeader& header, DType dtype, const Layout& layout) {
  const DType of_file = header.dtype().value_or(DType::kFp32);
  if (of_file == dtype || !IsFloating(of_file) || !IsFloating(dtype)) {
    return ReadNpy(path, dtype, layout);
  }
  return Rounded(ReadNpy(path, of_file, layout), dtype);
}

}  // namespace

Outcome ConvertCommand(const Arguments& arguments) {
  RequireUser(arguments.words().size() == 2, "convert: ", arguments.words().size(),
              " files, must be two: tilesim convert FROM.npy TO.npy --from NCDHW --to NDC1HWC0");
  const std::string& from_path = arguments.words()[0];
  const std::string& to_path = arguments.words()[1];
  const Format from = FormatFrom(arguments, "from");
  const Format to = FormatFrom(arguments, "to");
  RequireUser(Axes(from) == Axes(to), "convert: ", Name(from), " has axes ", Axes(from), ", ", Name(to),
              " has ", Axes(to), "; both must have the same");
  const NpyHeader header = ReadNpyHeader(from_path);
  const DType dtype = TypeFrom(arguments, header.dtype());
  constexpr int64_t kMostC0 = 64;
  const int c0 = static_cast<int>(arguments.Whole("c0", C0Of(dtype), 1, kMostC0));
  const int groups = static_cast<int>(arguments.Whole("groups", 1, 1, INT32_MAX));
  RequireUser(groups == 1 || Axes(from)[0] == 'o', "--groups = '", groups, "': ", Name(from),
              " is no filter; leave it out");
  const Tensor tensor =
      ReadAs(from_path, header, dtype, SourceLayout(arguments, from_path, header, from, c0, groups));
  const Tensor converted = Converted(tensor, Layout(to, tensor.layout().extents(), c0, groups));
  WriteWhole(to_path, [&](const std::filesystem::path& part) { WriteNpy(part.string(), converted); });
  return Outcome::kDone;
}

}  // namespace tilesim
