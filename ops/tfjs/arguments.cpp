#include "ops/tfjs/arguments.h"

#include <algorithm>

#include "formats/error.h"

namespace tilesim::tfjs {
namespace {

std::string PadText(const ExplicitPads& pads) {
  std::string text;
  for (const auto& [before, after] : pads) {
    text += Say(text.empty() ? "" : ",", "[", before, ",", after, "]");
  }
  return Say("[", text, "]");
}

Pads ExplicitPadsOf(std::string_view kernel, const ExplicitPads& given, Format layout) {
  const std::string_view order = Name(layout);
  const std::string found = PadText(given);
  if (given.size() != order.size()) {
    Refuse(kernel, "pad", found, Say("must have two numbers for each of ", order), "0,0 is no padding");
  }
  Pads pads;
  for (size_t i = 0; i < order.size(); ++i) {
    const auto [before, after] = given[i];
    switch (order[i]) {
      case 'D':
        pads.front = before;
        pads.back = after;
        break;
      case 'H':
        pads.top = before;
        pads.bottom = after;
        break;
      case 'W':
        pads.left = before;
        pads.right = after;
        break;
      default:
        if (before != 0 || after != 0) {
          Refuse(kernel, "pad", found, Say("axis ", order[i], " cannot be padded"), "give [0,0] there");
        }
    }
  }
  return pads;
}

}  // namespace

void Refuse(std::string_view kernel, std::string_view argument, std::string found, std::string allowed,
            std::string mend) {
  throw RefusedInput({Say(kernel, ": ", argument), std::move(found), std::move(allowed), std::move(mend)});
}

void RequireNone(std::string_view kernel, const std::optional<Refusal>& no,
                 std::span<const ArgumentName> names) {
  if (!no) {
    return;
  }
  const auto name = std::ranges::find(names, no->where, &ArgumentName::column);
  Refuse(kernel, name == names.end() ? std::string_view(no->where) : name->argument, no->found, no->allowed,
         no->mend);
}

std::string Listed(const std::vector<int64_t>& numbers) {
  std::string text;
  for (const int64_t number : numbers) {
    text += Say(text.empty() ? "" : ",", number);
  }
  return Say("[", text, "]");
}

std::array<int64_t, 5> ExtentsOf(std::string_view kernel, std::string_view argument, Format format,
                                 const std::vector<int64_t>& shape, int64_t least_batch) {
  const size_t rank = Name(format).size();
  if (shape.size() != rank) {
    Refuse(kernel, argument, Listed(shape), Say("must have ", rank, " numbers, ", Name(format)),
           "add or drop axes");
  }
  const bool is_empty = least_batch == 0 && shape.front() == 0;
  if (const auto [least, most] = std::ranges::minmax(std::span(shape).subspan(is_empty ? 1 : 0));
      least < 1 || most > INT32_MAX) {
    Refuse(kernel, argument, Listed(shape), Say("each extent must be 1 to ", INT32_MAX),
           "give the shape of a tensor that is not empty");
  }
  std::vector<int64_t> extents = PlainLayout(format, shape).extents();
  if (rank == 4) {
    extents.insert(extents.begin() + 2, 1);
  }
  return {extents[0], extents[1], extents[2], extents[3], extents[4]};
}

void RequireSame(std::string_view kernel, std::string_view argument, const std::vector<int64_t>& shape,
                 const SharedNumber& shared) {
  if (shared.found != shared.wanted) {
    Refuse(kernel, argument, Listed(shape),
           Say("must have ", shared.wanted, " ", shared.what, " as ", shared.other, ", found ", shared.found),
           Say("correct ", argument, " or ", shared.other));
  }
}

Extents3 PerAxisOf(std::string_view kernel, std::string_view argument, const PerAxis& per_axis, bool is_2d) {
  const std::vector<int64_t>& given = per_axis.values();
  const size_t axes = is_2d ? 2 : 3;
  if (given.size() != 1 && given.size() != axes) {
    Refuse(kernel, argument, Listed(given), Say("must be one number or ", axes), "give one an axis");
  }
  if (std::ranges::min(given) < 1) {
    Refuse(kernel, argument, Listed(given), "each must be at least 1", "1 is one element");
  }
  if (given.size() == 1) {
    return {.d = is_2d ? 1 : given[0], .h = given[0], .w = given[0]};
  }
  return is_2d ? Extents3{.d = 1, .h = given[0], .w = given[1]} : Extents3{given[0], given[1], given[2]};
}

Rounding RoundingOf(std::string_view kernel, std::string_view mode, const Pad& pad) {
  if (mode.empty()) {
    return Rounding::kFloor;
  }
  if (std::holds_alternative<std::string>(pad)) {
    Refuse(kernel, "dimRoundingMode", std::string(mode),
           Say("pad '", std::get<std::string>(pad), "' fixes the size, so there must be none"),
           "leave it out, or give pad as a number");
  }
  if (mode != "floor" && mode != "round" && mode != "ceil") {
    Refuse(kernel, "dimRoundingMode", std::string(mode), "must be floor, round or ceil",
           "leave it out for floor");
  }
  return *ParseRounding(mode);
}

Pads PadsOf(std::string_view kernel, const Pad& pad, Format layout, const Windows& windows) {
  if (const auto* const number = std::get_if<int64_t>(&pad)) {
    const bool is_2d = Name(layout).size() == 4;
    const int64_t depth = is_2d ? 0 : *number;
    return {depth, depth, *number, *number, *number, *number};
  }
  if (const auto* const given = std::get_if<ExplicitPads>(&pad)) {
    return ExplicitPadsOf(kernel, *given, layout);
  }
  const auto& name = std::get<std::string>(pad);
  if (name != "same" && name != "valid") {
    Refuse(kernel, "pad", name, "must be valid, same, a number or explicit pads", "names are in lower case");
  }
  return name == "same" ? SamePads(windows) : Pads{};
}

std::vector<int64_t> ShapeOf(std::string_view kernel, std::string_view name, const Tensor& tensor,
                             Format format, DType dtype) {
  if (dtype != DType::kFp16 && dtype != DType::kBf16 && dtype != DType::kFp32) {
    Refuse(kernel, name, std::string(Name(dtype)), "must be fp16, bf16 or fp32", "convert the tensors");
  }
  if (tensor.dtype() != dtype) {
    Refuse(kernel, name, std::string(Name(tensor.dtype())),
           Say("must be ", Name(dtype), " as the other tensor"), "convert one of them with Rounded");
  }
  if (tensor.layout().format() != format) {
    Refuse(kernel, name, std::string(Name(tensor.layout().format())), Say("must be ", Name(format)),
           "Converted gives the tensor in another format");
  }
  return tensor.layout().StorageShape();
}

}  // namespace tilesim::tfjs
