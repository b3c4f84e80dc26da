#include "sim/host/instance_name.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <utility>

namespace tilesim::host {
namespace {

bool IsOfName(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// As kernels write it.
std::string_view TypeName(std::string_view compiled) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kNames = {
      {{"tilesim::Half", "half"}, {"tilesim::BFloat16", "bfloat16_t"}}};
  for (const auto& [type, name] : kNames) {
    if (compiled == type) {
      return name;
    }
  }
  return compiled;
}

// "int kTile = 512" as kTile and 512.
std::pair<std::string_view, std::string_view> ParameterOf(std::string_view text) {
  const size_t equals = text.find(" = ");
  if (equals == std::string_view::npos) {
    return {};
  }
  size_t begin = equals;
  while (begin > 0 && IsOfName(text[begin - 1])) {
    --begin;
  }
  return {text.substr(begin, equals - begin), TypeName(text.substr(equals + 3))};
}

// What stands behind "[with ", parted by "; ", as g++ says it.
std::map<std::string_view, std::string_view> ParametersOf(std::string_view function) {
  constexpr std::string_view kWith = "[with ";
  std::map<std::string_view, std::string_view> parameters;
  const size_t with = function.rfind(kWith);
  if (with == std::string_view::npos || !function.ends_with(']')) {
    return parameters;
  }
  std::string_view rest = function.substr(with + kWith.size());
  rest.remove_suffix(1);
  while (!rest.empty()) {
    const size_t end = std::min(rest.find("; "), rest.size());
    parameters.insert(ParameterOf(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 2, rest.size()));
  }
  return parameters;
}

}  // namespace

std::string InstanceName(std::string_view written, std::string_view function) {
  const std::map<std::string_view, std::string_view> parameters = ParametersOf(function);
  const size_t arguments = std::min(written.find('<'), written.size());
  std::string name(written.substr(0, arguments));
  for (size_t i = arguments; i < written.size();) {
    size_t end = i;
    while (end < written.size() && IsOfName(written[end])) {
      ++end;
    }
    if (end == i) {
      name += written[i++];
      continue;
    }
    const std::string_view word = written.substr(i, end - i);
    const auto parameter = parameters.find(word);
    name += parameter == parameters.end() ? word : parameter->second;
    i = end;
  }
  return name;
}

}  // namespace tilesim::host
