// `tilesim convert`: an .npy file from one layout to another.
#include <bit>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output_files.h"
#include "formats/error.h"
#include "formats/nearest_name.h"
#include "formats/npy.h"
#include "formats/npy_header.h"
#include "formats/tensor.h"

namespace tilesim {
namespace {

constexpr int kLeastC0 = 4;
constexpr int kMostC0 = 64;

std::string ExampleShape(std::string_view axes) {
  return axes == "mn"      ? "64x64"
         : axes == "ncdhw" ? "2x32x16x32x32"
         : axes == "nchw"  ? "2x32x16x16"
         : axes == "oidhw" ? "64x32x3x3x3"
                           : "64x32x3x3";
}

// The names of the formats that `matches`.
template <class Matches>
std::vector<std::string_view> NamesWhere(const Matches& matches) {
  std::vector<std::string_view> names;
  for (int i = 0; i < kNumFormats; ++i) {
    if (matches(static_cast<Format>(i))) {
      names.push_back(Name(static_cast<Format>(i)));
    }
  }
  return names;
}

// What a format can be converted to or from; all formats when it is not known.
std::vector<std::string_view> Partners(std::optional<Format> format) {
  return NamesWhere([&](Format other) {
    return !format.has_value() || (other != *format && Axes(other) == Axes(*format));
  });
}

// --from or --to; `partner` is the other of the two, if that one is right.
Format FormatFrom(const Arguments& arguments, std::string_view option, std::optional<Format> partner) {
  const std::string name = arguments.Text(option, "");
  const std::optional<Format> format = ParseFormat(name);
  if (!format.has_value()) {
    const std::vector<std::string_view> partners = Partners(partner);
    const std::string known =
        Say(partner.has_value() ? Say(Name(*partner), option == "from" ? " is made of " : " goes to ")
                                : std::string("the formats are "),
            JoinedNames(partners));
    throw UserError(name.empty() ? Say("convert: --", option, " is missing; ", known)
                                 : Say("--", option, " = '", name, "': unknown format; ",
                                       DidYouMean(name, partners), known));
  }
  return *format;
}

// The type of the output: --dtype, or what the file holds.
DType TypeGiven(const Arguments& arguments, std::optional<DType> of_file) {
  if (!arguments.Has("dtype")) {
    return of_file.value_or(DType::kFp32);
  }
  const std::string name = arguments.Text("dtype", "");
  const std::optional<DType> dtype = ParseDType(name);
  RequireUser(dtype.has_value(), "--dtype = '", name, "': must be one of ", KnownDTypes());
  return *dtype;
}

int C0From(const Arguments& arguments, DType dtype, Format from, Format to) {
  const std::string text = arguments.Text("c0", "");
  RequireUser(text.empty() || !IsPlain(from) || !IsPlain(to), "--c0 = '", text, "': neither ", Name(from),
              " nor ", Name(to), " is blocked by C0; leave it out");
  const int64_t c0 = arguments.Whole("c0", C0Of(dtype), kLeastC0, kMostC0);
  RequireUser(std::has_single_bit(static_cast<uint64_t>(c0)), "--c0 = '", text,
              "': must be 4, 8, 16, 32 or 64; the default of ", Name(dtype), " is ", C0Of(dtype));
  return static_cast<int>(c0);
}

int GroupsFrom(const Arguments& arguments, Format from, Format to) {
  const int64_t groups = arguments.Whole("groups", 1, 1, INT32_MAX);
  const auto places_groups = [](Format format) {
    return format == Format::kFractalZ3D || format == Format::kFractalZ;
  };
  RequireUser(groups == 1 || Axes(from)[0] == 'o', "--groups = '", groups, "': ", Name(from),
              " is no filter; leave it out");
  RequireUser(groups == 1 || places_groups(from) || places_groups(to), "--groups = '", groups,
              "': ", Name(from), " and ", Name(to), " lie alike for any number of groups; leave it out");
  return static_cast<int>(groups);
}

// A blocked file whose shape is that of another C0 says so.
void RequireC0OfFile(const std::string& path, const NpyHeader& header, const Layout& layout,
                     bool c0_is_given) {
  if (header.shape == layout.StorageShape()) {
    return;
  }
  for (int c0 = kLeastC0; c0 <= kMostC0; c0 *= 2) {
    const Layout other(layout.format(), layout.extents(), c0, layout.groups());
    RequireUser(c0 == layout.c0() || header.shape != other.StorageShape(), path, ": shape ",
                ShapeText(header.shape), " is that of C0 ", c0, ", ",
                c0_is_given ? "not of --c0 " : "the default here is ", layout.c0(), "; give --c0 ", c0);
  }
}

// How the input lies in its file.
Layout SourceLayout(const Arguments& arguments, const std::string& path, const NpyHeader& header,
                    Format format, int c0, int groups) {
  const std::string_view axes = Axes(format);
  if (!arguments.Has("shape")) {
    RequireUser(IsPlain(format), "convert: --shape is missing; ", Name(format), " pads, so ", path,
                " does not say its logical extents (", axes, "); for example --shape ", ExampleShape(axes));
    if (header.shape.size() != axes.size()) {
      const auto of_that_rank = [&](Format other) {
        return IsPlain(other) && Axes(other).size() == header.shape.size();
      };
      const std::vector<std::string_view> others = NamesWhere(of_that_rank);
      throw UserError(Say(path, ": shape ", ShapeText(header.shape), " has ", header.shape.size(),
                          " extents, ", Name(format), " has ", axes.size(),
                          others.empty() ? "; give a file of that shape"
                                         : Say("; --from must be one of ", JoinedNames(others))));
    }
    return PlainLayout(format, header.shape, groups);
  }
  const size_t counts[] = {axes.size()};
  const CaseCells cells = {{"--shape", arguments.Text("shape", "")}};
  const std::vector<int64_t> extents = CellReader(cells).List("--shape", counts, ExampleShape(axes));
  const Layout layout(format, extents, c0, groups);
  if (!IsPlain(format)) {
    RequireC0OfFile(path, header, layout, arguments.Has("c0"));
  }
  return layout;
}

Tensor ReadAs(const std::string& path, const NpyHeader& header, DType dtype, const Layout& layout) {
  const DType of_file = header.dtype().value_or(DType::kFp32);
  if (of_file == dtype || !IsFloating(of_file) || !IsFloating(dtype)) {
    return ReadNpy(path, dtype, layout);
  }
  return Rounded(ReadNpy(path, of_file, layout), dtype);
}

}  // namespace

CommandEnd ConvertCommand(const Arguments& arguments) {
  RequireUser(arguments.words().size() == 2, "convert: ", arguments.words().size(),
              " files, must be two: tilesim convert FROM.npy TO.npy --from NCDHW --to NDC1HWC0");
  const std::string& from_path = arguments.words()[0];
  const std::string& to_path = arguments.words()[1];
  const Format from = FormatFrom(arguments, "from", ParseFormat(arguments.Text("to", "")));
  const Format to = FormatFrom(arguments, "to", from);
  RequireUser(Axes(from) == Axes(to), "convert: ", Name(from), " has axes ", Axes(from), ", ", Name(to),
              " has ", Axes(to), "; both must have the same: ", Name(from), " goes to ",
              JoinedNames(Partners(from)));
  const NpyHeader header = ReadNpyHeader(from_path);
  const DType dtype = TypeGiven(arguments, header.dtype());
  const int c0 = C0From(arguments, dtype, from, to);
  const int groups = GroupsFrom(arguments, from, to);
  const Tensor tensor =
      ReadAs(from_path, header, dtype, SourceLayout(arguments, from_path, header, from, c0, groups));
  const Tensor converted = Converted(tensor, Layout(to, tensor.layout().extents(), c0, groups));
  WriteWhole(to_path, [&](const std::filesystem::path& part) { WriteNpy(part.string(), converted); });
  return Outcome::kDone;
}

}  // namespace tilesim
