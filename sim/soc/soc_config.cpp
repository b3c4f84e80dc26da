#include "sim/soc/soc_config.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <istream>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "formats/error.h"
#include "formats/nearest_name.h"
#include "formats/shown_text.h"
#include "sim/soc/load_soc.h"
#include "sim/soc/soc_file.h"
#include "sim/soc/soc_files.h"
#include "sim/soc/soc_parameters.h"

namespace tilesim {
namespace {

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

template <class Number>
void Store(const SocParameter& parameter, Number SocConfig::*member, const SocSetting& setting,
           SocConfig& soc) {
  constexpr bool kWhole = std::is_same_v<Number, int64_t>;
  const std::optional<Number> value = Parsed<Number>(setting.value);
  RequireUser(
      value.has_value(), setting.where, ": ", parameter.key, " = '", Shown(setting.value), "' is not a ",
      kWhole ? "whole number of 64 bits; give digits only" : "number; give digits with a decimal point",
      parameter.unit.empty() ? "" : Say(", in ", parameter.unit));
  const auto number = static_cast<double>(*value);
  RequireUser(std::isfinite(number) && number >= parameter.least && number <= parameter.most, setting.where,
              ": ", parameter.key, " = ", parameter.WithUnit(setting.value), ", must be at least ",
              parameter.least, " and at most ", parameter.most);
  if constexpr (kWhole) {
    RequireUser(*value % parameter.multiple == 0, setting.where, ": ", parameter.key, " = ",
                parameter.WithUnit(setting.value), ", must be a multiple of ", parameter.multiple);
  }
  soc.*member = *value;
}

void Apply(const std::vector<SocSetting>& settings, SocConfig& soc) {
  for (const SocSetting& setting : settings) {
    const SocParameter* const parameter = FindSocParameter(setting.key);
    if (parameter == nullptr) {
      const std::vector<std::string> keys = Keys();
      throw UserError(Say(setting.where, ": unknown key '", Shown(setting.key), "'; ",
                          DidYouMean(setting.key, keys), "`tilesim list parameters` shows all ",
                          keys.size()));
    }
    std::visit([&](auto member) { Store(*parameter, member, setting, soc); }, parameter->member);
    soc.provenances.Set(setting.key, setting.provenance);
  }
}

std::vector<SocSetting> ReadSource(const SocSource& source) {
  const std::unique_ptr<std::istream> file = source.Open();
  RequireUser(file != nullptr, source.Where(), ": cannot be read; give the name of a SoC (",
              Joined(KnownSocs()), ") or the path of a .cfg file");
  return ReadSocFile(*file, source.Where());
}

std::vector<SocSetting> ReadOverrides(std::span<const std::string> overrides) {
  std::vector<SocSetting> settings;
  for (const std::string& text : overrides) {
    const size_t sign = text.find('=');
    RequireUser(sign != std::string::npos && sign > 0, "--set ", text,
                ": not of the form key=value, for example memory.l1_bytes=524288");
    SocSetting setting{text.substr(0, sign), text.substr(sign + 1), "--set", Provenance::kGiven};
    RequireUser(std::ranges::find(settings, setting.key, &SocSetting::key) == settings.end(), "--set: key '",
                setting.key, "' is given twice; keep one of them");
    settings.push_back(std::move(setting));
  }
  return settings;
}

void RequireComplete(const SocConfig& soc, const std::string& where) {
  std::vector<std::string> missing;
  for (const SocParameter& parameter : SocParameters()) {
    if (!soc.provenances.Has(parameter.key)) {
      missing.emplace_back(parameter.key);
    }
  }
  RequireUser(missing.empty(), where, ": missing ", missing.size() == 1 ? "key: " : "keys: ", Joined(missing),
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
  return LoadSoc(FindSoc(name_or_path), overrides);
}

SocConfig LoadSoc(const SocSource& source, std::span<const std::string> overrides) {
  const std::string where = source.Where();
  const std::vector<SocSetting> set = ReadOverrides(overrides);
  SocConfig soc;
  soc.name = source.Name();
  Apply(ReadSource(source), soc);
  Apply(set, soc);
  RequireComplete(soc, where);
  const auto power_of_2 = [](int64_t bytes) { return (bytes & (bytes - 1)) == 0; };
  RequireUser(power_of_2(soc.l2_line_bytes) && power_of_2(soc.l2_sector_bytes) &&
                  soc.l2_sector_bytes <= soc.l2_line_bytes && soc.l2_line_bytes <= 64 * soc.l2_sector_bytes,
              where, ": l2.line_bytes = ", soc.l2_line_bytes, ", l2.sector_bytes = ", soc.l2_sector_bytes,
              ": both must be powers of 2, and a line 1 to 64 sectors");
  RequireRatesInOrder(soc, where, !set.empty());
  constexpr int64_t kLeastL2Sectors = 128;  // two of the groups that L2 replaces at once
  RequireUser(soc.l2_bytes >= kLeastL2Sectors * soc.l2_sector_bytes, where,
              ": memory.l2_bytes = ", soc.l2_bytes, " with l2.sector_bytes = ", soc.l2_sector_bytes,
              ": must be at least ", kLeastL2Sectors * soc.l2_sector_bytes, ", ", kLeastL2Sectors,
              " sectors");
  return soc;
}

}  // namespace tilesim
