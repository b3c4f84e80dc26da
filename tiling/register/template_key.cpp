#include "tiling/register/template_key.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "formats/error.h"

namespace tilesim {
namespace {

// How many of the values describe ranges, the number of them included.
size_t RangeWords(const TemplateParameter& parameter) {
  return parameter.how == TemplateValues::kList || parameter.values.empty() ? 0 : 1 + 2 * parameter.values[0];
}

// The place of a value among those of a number; ranges count first.
std::optional<uint64_t> PlaceOf(const TemplateParameter& parameter, uint64_t value) {
  const std::vector<uint64_t>& values = parameter.values;
  const size_t ranges_end = RangeWords(parameter);
  uint64_t before = 0;
  for (size_t i = 1; i < ranges_end; i += 2) {
    if (value >= values[i] && value <= values[i + 1]) {
      return before + value - values[i];
    }
    before += values[i + 1] - values[i] + 1;
  }
  const auto list = values.begin() + static_cast<ptrdiff_t>(ranges_end);
  const auto found = std::find(list, values.end(), value);
  return found == values.end() ? std::nullopt : std::optional(before + static_cast<uint64_t>(found - list));
}

std::optional<uint64_t> BitsOf(const TemplateParameter& parameter, uint64_t value) {
  if (parameter.kind == TemplateParameter::Kind::kNumber) {
    return PlaceOf(parameter, value);
  }
  const bool any = parameter.kind == TemplateParameter::Kind::kCode &&
                   std::ranges::any_of(parameter.values, [](uint64_t declared) {
                     return declared >= TemplateParameter::kLeastPlaceholder;
                   });
  return any || std::ranges::find(parameter.values, value) != parameter.values.end() ? std::optional(value)
                                                                                     : std::nullopt;
}

}  // namespace

TemplateKey::TemplateKey(const char* op, std::vector<TemplateParameter> parameters)
    : op_(op), parameters_(std::move(parameters)) {
  for (const TemplateParameter& parameter : parameters_) {
    const size_t words = RangeWords(parameter);
    const bool right = parameter.how == TemplateValues::kRanges ? words == parameter.values.size()
                                                                : words <= parameter.values.size();
    RequireUser(right && !parameter.values.empty(), "ASCENDC_TPL_ARGS_DECL of ", op_, ": ", parameter.name,
                " has ", parameter.values.size(),
                " values, must have the number of its ranges and two values for each",
                parameter.how == TemplateValues::kRanges ? "" : ", then the others");
    for (size_t i = 1; i < words; i += 2) {
      RequireUser(parameter.values[i] <= parameter.values[i + 1], "ASCENDC_TPL_ARGS_DECL of ", op_,
                  ": the range ", parameter.values[i], " to ", parameter.values[i + 1], " of ",
                  parameter.name, " is empty; the first value comes first");
    }
  }
}

uint64_t TemplateKey::Encode(const std::vector<uint64_t>& values) const {
  RequireUser(values.size() == parameters_.size(), "GET_TPL_TILING_KEY: ", values.size(), " values, ", op_,
              " has ", parameters_.size(), " parameters; give one for each");
  uint64_t key = 0;
  unsigned used = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const unsigned bits = parameters_[i].bits;
    const std::optional<uint64_t> word = BitsOf(parameters_[i], values[i]);
    if (!word || used + bits > 64 || (bits < 64 && *word >> bits != 0)) {
      return kNone;
    }
    key |= bits == 0 ? 0 : *word << used;
    used += bits;
  }
  return key;
}

}  // namespace tilesim
