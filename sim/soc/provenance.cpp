#include "sim/soc/provenance.h"

#include <istream>

namespace tilesim {
namespace {

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  const size_t end = text.find_last_not_of(" \t\r");
  return begin == text.npos ? "" : text.substr(begin, end - begin + 1);
}

std::optional<Provenance> Stated(std::string_view comment) {
  const std::string_view word = comment.substr(0, comment.find_first_of(": ,;"));
  for (int i = 0; i < kNumProvenances; ++i) {
    const auto provenance = static_cast<Provenance>(i);
    if (provenance != Provenance::kGiven && word == Name(provenance)) {
      return provenance;
    }
  }
  return std::nullopt;
}

}  // namespace

Provenances ReadProvenances(std::istream& file) {
  Provenances found;
  std::string section;
  for (std::string line; std::getline(file, line);) {
    const size_t sign = std::min(line.find('#'), line.size());
    const std::string_view setting = Trimmed(std::string_view(line).substr(0, sign));
    if (setting.starts_with('[') && setting.ends_with(']')) {
      section = setting.substr(1, setting.size() - 2);
    } else if (const size_t equals = setting.find('='); equals != setting.npos && sign < line.size()) {
      const std::string_view key = Trimmed(setting.substr(0, equals));
      if (const auto stated = Stated(Trimmed(std::string_view(line).substr(sign + 1)))) {
        found[(section.empty() ? "" : section + ".").append(key)] = *stated;
      }
    }
  }
  return found;
}

}  // namespace tilesim
