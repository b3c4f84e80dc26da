#include "sim/soc/soc_file.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "formats/error.h"
#include "formats/shown_text.h"

namespace tilesim {
namespace {

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\v\f";
  const size_t begin = text.find_first_not_of(kBlanks);
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

Provenance Stated(std::string_view comment) {
  const std::string_view word = comment.substr(0, comment.find_first_of(": ,;"));
  for (int i = 0; i < kNumProvenances; ++i) {
    if (const auto provenance = static_cast<Provenance>(i); word == Name(provenance)) {
      return provenance;
    }
  }
  return Provenance::kGiven;
}

}  // namespace

std::vector<SocSetting> ReadSocFile(std::istream& file, std::string_view path) {
  std::vector<SocSetting> settings;
  std::map<std::string, int64_t, std::less<>> lines;  // by key
  std::string section;                                // with the '.' behind it
  int64_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const size_t sign = std::min(line.find('#'), line.size());
    const std::string_view text = Trimmed(std::string_view(line).substr(0, sign));
    const std::string_view comment = Trimmed(std::string_view(line).substr(std::min(sign + 1, line.size())));
    if (text.empty()) {
      continue;
    }
    if (text.starts_with('[') && text.ends_with(']') && !Trimmed(text.substr(1, text.size() - 2)).empty()) {
      section = Say(Trimmed(text.substr(1, text.size() - 2)), ".");
      continue;
    }
    const size_t equals = text.find('=');
    const std::string_view key = Trimmed(text.substr(0, std::min(equals, text.size())));
    RequireUser(equals != text.npos && !key.empty(), path, ":", number, ": '", Shown(text),
                "' is no line of a SoC file; lines are '[section]', 'key = value' or '# comment'");
    SocSetting setting{section + std::string(key), std::string(Trimmed(text.substr(equals + 1))),
                       Say(path, ":", number), Stated(comment), std::string(comment)};
    const auto [first, fresh] = lines.emplace(setting.key, number);
    RequireUser(fresh, setting.where, ": key '", setting.key, "' stands in line ", first->second,
                " too; keep one of them");
    settings.push_back(std::move(setting));
  }
  return settings;
}

}  // namespace tilesim
