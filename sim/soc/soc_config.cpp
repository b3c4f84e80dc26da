#include "sim/soc/soc_config.h"

#include <algorithm>
#include <boost/program_options/errors.hpp>
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include "formats/error.h"
#include "formats/nearest_name.h"
#include "sim/soc/soc_files.h"
#include "sim/soc/soc_parameters.h"

namespace tilesim {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

std::vector<std::string> Keys() {
  std::vector<std::string> keys;
  for (const SocParameter& parameter : SocParameters()) {
    keys.emplace_back(parameter.key);
  }
  return keys;
}

template <class Number>
std::optional<Number> Parsed(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

// `where` is the file, or "--set" for an override.
template <class Number>
void Store(const SocParameter& parameter, Number SocConfig::*member, std::string_view where,
           std::string_view text, SocConfig& soc) {
  constexpr bool kWhole = std::is_same_v<Number, int64_t>;
  const std::optional<Number> value = Parsed<Number>(text);
  const std::string found = Say(where, ": ", parameter.key, " = '", text, "'");
  RequireUser(value.has_value(), found, " is not a ", kWhole ? "whole number" : "number",
              kWhole ? " of 64 bits" : "", "; give ", kWhole ? "digits only" : "digits with a decimal point",
              parameter.unit.empty() ? "" : Say(", in ", parameter.unit));
  const auto number = static_cast<double>(*value);
  RequireUser(std::isfinite(number) && number >= parameter.least && number <= parameter.most, where, ": ",
              parameter.key, " = ", parameter.WithUnit(text), ", must be at least ", parameter.least,
              " and at most ", parameter.most);
  if constexpr (kWhole) {
    RequireUser(*value % parameter.multiple == 0, where, ": ", parameter.key, " = ", parameter.WithUnit(text),
                ", must be a multiple of ", parameter.multiple);
  }
  soc.*member = *value;
}

using Settings = std::map<std::string, std::string, std::less<>>;  // key -> text

void Apply(const Settings& settings, std::string_view where, SocConfig& soc) {
  for (const Settings::value_type& setting : settings) {
    const std::string& key = setting.first;
    const std::string& text = setting.second;
    const SocParameter* const parameter = FindSocParameter(key);
    if (parameter == nullptr) {
      const std::vector<std::string> keys = Keys();
      throw UserError(
          Say(where, ": unknown key '", key, "'; ", DidYouMean(key, keys), "known keys: ", Joined(keys)));
    }
    std::visit([&](auto member) { Store(*parameter, member, where, text, soc); }, parameter->member);
  }
}

Settings ReadFile(const fs::path& path) {
  std::ifstream file(path);
  RequireUser(fs::is_regular_file(path) && file.good(), path.string(),
              ": cannot be read; give the name of a SoC (", Joined(KnownSocs()),
              ") or the path of a .cfg file");
  Settings settings;
  try {
    for (const po::option& option : po::parse_config_file(file, po::options_description(), true).options) {
      const std::string text = option.value.empty() ? "" : option.value.front();
      const bool fresh = settings.emplace(option.string_key, text).second;
      RequireUser(fresh, path.string(), ": key '", option.string_key, "' stands twice; keep one of them");
    }
  } catch (const po::error& error) {
    throw UserError(Say(path.string(), ": not a SoC file: ", error.what(),
                        "; lines are '[section]', 'key = value' or '# comment'"));
  }
  return settings;
}

Settings ReadOverrides(std::span<const std::string> overrides) {
  Settings settings;
  for (const std::string& text : overrides) {
    const size_t sign = text.find('=');
    RequireUser(sign != std::string::npos && sign > 0, "--set ", text,
                ": not of the form key=value, for example memory.l1_bytes=524288");
    const bool fresh = settings.emplace(text.substr(0, sign), text.substr(sign + 1)).second;
    RequireUser(fresh, "--set: key '", text.substr(0, sign), "' is given twice; keep one of them");
  }
  return settings;
}

void RequireComplete(const Settings& file, const Settings& overrides, const fs::path& path) {
  std::vector<std::string> missing;
  for (const SocParameter& parameter : SocParameters()) {
    if (!file.contains(parameter.key) && !overrides.contains(parameter.key)) {
      missing.emplace_back(parameter.key);
    }
  }
  RequireUser(missing.empty(), path.string(), ": missing ",
              missing.size() == 1 ? "key: " : "keys: ", Joined(missing),
              "; add each to the file or give it with --set key=value");
}

// What comes from HBM passes L2, and what L2 gives one core it gives: bounds of time count on it.
void RequireRatesInOrder(const SocConfig& soc, const std::string& where, bool set) {
  constexpr std::pair<const char*, const char*> kNotAbove[] = {
      {"gm.hbm_core_bytes_per_cycle", "gm.l1_core_bytes_per_cycle"},
      {"gm.hbm_ub_core_bytes_per_cycle", "gm.ub_core_bytes_per_cycle"},
      {"gm.hbm_total_bytes_per_cycle", "gm.l2_total_bytes_per_cycle"},
      {"gm.l1_core_bytes_per_cycle", "gm.l2_total_bytes_per_cycle"},
      {"gm.ub_core_bytes_per_cycle", "gm.l2_total_bytes_per_cycle"}};
  const auto rate = [&](const char* key) {
    return soc.*std::get<double SocConfig::*>(FindSocParameter(key)->member);
  };
  for (const auto& [less, more] : kNotAbove) {
    RequireUser(rate(less) <= rate(more), where, set ? " with --set" : "", ": ", less, " = ", rate(less),
                ", must be at most ", more, " = ", rate(more),
                ": what comes from HBM passes L2, and what one core gets all cores together get");
  }
}

}  // namespace

SocConfig LoadSoc(std::string_view name_or_path, std::span<const std::string> overrides) {
  const fs::path path = SocPath(name_or_path);
  const Settings file = ReadFile(path);
  const Settings set = ReadOverrides(overrides);
  SocConfig soc;
  soc.name = path.stem().string();
  Apply(file, path.string(), soc);
  Apply(set, "--set", soc);
  std::ifstream lines(path);
  soc.provenances = ReadProvenances(lines);
  for (const Settings::value_type& setting : set) {
    soc.provenances[setting.first] = Provenance::kGiven;
  }
  RequireComplete(file, set, path);
  const auto power_of_2 = [](int64_t bytes) { return (bytes & (bytes - 1)) == 0; };
  RequireUser(power_of_2(soc.l2_line_bytes) && power_of_2(soc.l2_sector_bytes) &&
                  soc.l2_sector_bytes <= soc.l2_line_bytes && soc.l2_line_bytes <= 64 * soc.l2_sector_bytes,
              path.string(), ": l2.line_bytes = ", soc.l2_line_bytes,
              ", l2.sector_bytes = ", soc.l2_sector_bytes,
              ": both must be powers of 2, and a line 1 to 64 sectors");
  RequireRatesInOrder(soc, path.string(), !set.empty());
  constexpr int64_t kLeastL2Sectors = 128;  // two of the groups that L2 replaces at once
  RequireUser(soc.l2_bytes >= kLeastL2Sectors * soc.l2_sector_bytes, path.string(),
              ": memory.l2_bytes = ", soc.l2_bytes, " with l2.sector_bytes = ", soc.l2_sector_bytes,
              ": must be at least ", kLeastL2Sectors * soc.l2_sector_bytes, ", ", kLeastL2Sectors,
              " sectors");
  return soc;
}

}  // namespace tilesim
