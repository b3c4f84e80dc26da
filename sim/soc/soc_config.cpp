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
#include <sstream>
#include <variant>

#include "formats/error.h"
#include "formats/nearest_name.h"
#include "sim/soc/soc_files.h"
#include "sim/soc/soc_parameters.h"

namespace tilesim {
namespace {

namespace fs = std::filesystem;
namespace po = boost::program_options;

constexpr double kMostBytes = 1e15;
constexpr double kMostCycles = 1e9;
constexpr double kMostRate = 1e9;
constexpr double kLeastRate = 1e-3;

using Member = std::variant<int64_t SocConfig::*, double SocConfig::*>;

struct Field {
  std::string_view key;  // section.name
  Member member;
  std::string_view unit;
  double least;
  double most;
  int64_t multiple;  // whole numbers must be a multiple of it
  std::string_view says;
};

constexpr Field Capacity(std::string_view key, int64_t SocConfig::*member, int64_t multiple,
                         std::string_view says) {
  return {key, member, "bytes", static_cast<double>(2 * multiple), kMostBytes, multiple, says};
}

constexpr Field Duration(std::string_view key, int64_t SocConfig::*member, double least,
                         std::string_view says) {
  return {key, member, "cycles", least, kMostCycles, 1, says};
}

constexpr Field Time(std::string_view key, double SocConfig::*member, std::string_view says) {
  return {key, member, "cycles", 0, kMostCycles, 1, says};
}

constexpr Field Rate(std::string_view key, double SocConfig::*member, std::string_view says) {
  return {key, member, "bytes per cycle", kLeastRate, kMostRate, 1, says};
}

constexpr Field Depth(std::string_view key, int64_t SocConfig::*member, std::string_view says) {
  return {key, member, "instructions", 1, 4096, 1, says};
}

// One row a parameter: loader, bounds, messages, --set and --help all come from here.
// To add one: a member in the header, a row here, a line in each configs/*.cfg.
using S = SocConfig;
constexpr Field kFields[] = {
    {"chip.aic_cores", &S::aic_cores, "cores", 1, 1024, 1, "cube cores"},
    {"chip.aiv_per_aic", &S::aiv_per_aic, "cores", 0, 16, 1, "vector cores beside each cube core"},
    {"chip.clock_mhz", &S::clock_mhz, "MHz", 1e-3, 1e5, 1, "clock of the AI cores"},

    Capacity("memory.l1_bytes", &S::l1_bytes, 32, "L1 of a cube core"),
    Capacity("memory.l0a_bytes", &S::l0a_bytes, 512, "L0A of a cube core"),
    Capacity("memory.l0b_bytes", &S::l0b_bytes, 512, "L0B of a cube core"),
    Capacity("memory.l0c_bytes", &S::l0c_bytes, 1024, "L0C of a cube core"),
    Capacity("memory.ub_bytes", &S::ub_bytes, 32, "UB of a vector core"),
    Capacity("memory.bt_bytes", &S::bt_bytes, 64, "bias table of a cube core"),
    Capacity("memory.fb_bytes", &S::fb_bytes, 64, "fixpipe buffer of a cube core"),
    Capacity("memory.l2_bytes", &S::l2_bytes, 512, "L2 of the chip"),
    Capacity("memory.gm_bytes", &S::gm_bytes, 512, "global memory of the chip"),

    Duration("cube.mmad_issue_cycles", &S::mmad_issue_cycles, 0, "a Mmad before its first fractal"),
    Duration("cube.mmad_latency_cycles", &S::mmad_latency_cycles, 0, "from a Mmad's end to its result"),
    Duration("cube.mmad_fractal_cycles", &S::mmad_fractal_cycles, 1, "16x16x16 of fp16 or bf16"),
    Duration("cube.mmad_fractal_fp32_cycles", &S::mmad_fractal_fp32_cycles, 1, "16x16x8 of fp32"),
    Duration("cube.mmad_fractal_hf32_cycles", &S::mmad_fractal_hf32_cycles, 1, "16x16x8 of fp32 in HF32"),

    Duration("mte1.load_issue_cycles", &S::load_issue_cycles, 0, "a LoadData before its first byte"),
    Duration("mte1.load_latency_cycles", &S::load_latency_cycles, 0, "from a load's end to its data"),
    Duration("mte1.load_min_l0a_cycles", &S::load_min_l0a_cycles, 0, "least of a load into L0A"),
    Duration("mte1.load_min_l0b_cycles", &S::load_min_l0b_cycles, 0, "least of a load into L0B"),
    Rate("mte1.l0a_bytes_per_cycle", &S::l0a_bytes_per_cycle, "L1 to L0A"),
    Rate("mte1.l0b_bytes_per_cycle", &S::l0b_bytes_per_cycle, "L1 to L0B"),
    Rate("mte1.load3d_slow_bytes_per_cycle", &S::load3d_slow_bytes_per_cycle, "img2col to L0A, least"),
    Rate("mte1.load3d_l0b_slow_bytes_per_cycle", &S::load3d_l0b_slow_bytes_per_cycle,
         "img2col to L0B, least"),
    Rate("mte1.bt_bytes_per_cycle", &S::bt_bytes_per_cycle, "L1 to the bias table"),
    Duration("mte1.bt_min_cycles", &S::bt_min_cycles, 0, "least of a move to the bias table"),
    Rate("mte1.fb_bytes_per_cycle", &S::fb_bytes_per_cycle, "L1 to the fixpipe buffer"),
    Duration("mte1.fb_latency_cycles", &S::fb_latency_cycles, 0, "start of a move to the fixpipe buffer"),
    Rate("mte1.l1_fill_bytes_per_cycle", &S::l1_fill_bytes_per_cycle, "InitConstValue into L1"),

    {"l2.line_bytes", &S::l2_line_bytes, "bytes", 32, 4096, 32, "L2 allocates at once; a power of 2"},
    {"l2.sector_bytes", &S::l2_sector_bytes, "bytes", 32, 4096, 32,
     "L2 fetches at once; a power of 2, not above a line"},
    {"l2.write_allocate", &S::l2_write_allocate, "", 0, 1, 1, "1: writes that miss go to L2, 0: to HBM"},
    {"l2.slices", &S::l2_slices, "", 1, 32, 1, "slices that GM lies in by turns"},
    {"l2.slice_bytes", &S::l2_slice_bytes, "bytes", 4096, 1 << 30, 4096, "in one slice before the next"},
    {"l2.slice_lines_per_cycle", &S::l2_slice_lines_per_cycle, "lines per cycle", kLeastRate, kMostRate, 1,
     "requests that a slice answers"},

    Duration("gm.read_latency_cycles", &S::gm_read_latency_cycles, 0, "start of a read into L1"),
    Duration("gm.ub_read_latency_cycles", &S::gm_ub_read_latency_cycles, 0, "start of a read into UB"),
    Rate("gm.l1_core_bytes_per_cycle", &S::gm_l1_core_bytes_per_cycle, "L2 to L1, one core alone"),
    Rate("gm.ub_core_bytes_per_cycle", &S::gm_ub_core_bytes_per_cycle, "L2 to UB, one core alone"),
    Rate("gm.l2_total_bytes_per_cycle", &S::l2_total_bytes_per_cycle, "L2, all cores together"),
    Rate("gm.l2_same_total_bytes_per_cycle", &S::l2_same_total_bytes_per_cycle,
         "L2, all cores together, of what several cores read"),
    Rate("gm.l2_atomic_total_bytes_per_cycle", &S::l2_atomic_total_bytes_per_cycle,
         "atomic updates in L2, all cores together"),
    Rate("gm.l0a_core_bytes_per_cycle", &S::gm_l0a_core_bytes_per_cycle, "L2 to L0A, one core alone"),
    Rate("gm.l0b_core_bytes_per_cycle", &S::gm_l0b_core_bytes_per_cycle, "L2 to L0B, one core alone"),
    Rate("gm.hbm_core_bytes_per_cycle", &S::hbm_core_bytes_per_cycle, "HBM to L1, one core alone"),
    Rate("gm.hbm_ub_core_bytes_per_cycle", &S::hbm_ub_core_bytes_per_cycle, "HBM to UB, one core alone"),
    Rate("gm.hbm_total_bytes_per_cycle", &S::hbm_total_bytes_per_cycle, "HBM, all cores together"),
    Rate("gm.hbm_write_total_bytes_per_cycle", &S::hbm_write_total_bytes_per_cycle,
         "HBM, what L2 writes back"),
    Duration("gm.miss_latency_cycles", &S::gm_miss_latency_cycles, 0, "more to the first byte from HBM"),
    Duration("gm.ub_move_cycles", &S::gm_ub_move_cycles, 0, "least of a move into UB"),
    Duration("gm.l0_move_cycles", &S::gm_l0_move_cycles, 0, "least of a LoadData from GM"),
    {"gm.unaligned_part", &S::gm_unaligned_part, "", 0.01, 1, 1,
     "of the rates of L2 and HBM, where pieces of a move do not begin at sectors"},
    Duration("gm.burst_cycles", &S::gm_burst_cycles, 0, "least of one burst of a move"),
    Time("gm.nd2nz_row_cycles", &S::nd2nz_row_cycles, "least of a row of ND to NZ"),
    Time("gm.nd2nz_read_cycles", &S::nd2nz_read_cycles, "each read that such a row is cut into"),
    Duration("gm.write_latency_cycles", &S::gm_write_latency_cycles, 0, "start of a write"),
    Rate("gm.write_core_bytes_per_cycle", &S::gm_write_core_bytes_per_cycle, "UB to GM, one core alone"),
    Rate("gm.write_burst_bytes_per_cycle", &S::gm_write_burst_bytes_per_cycle, "UB to GM, a short move"),

    Duration("fixpipe.floor_cycles", &S::fixpipe_floor_cycles, 0, "least of a Fixpipe"),
    Rate("fixpipe.bytes_per_cycle", &S::fixpipe_bytes_per_cycle, "L0C to GM or L1, fp32 side"),

    Duration("vector.startup_cycles", &S::vector_startup_cycles, 0, "least of a vector instruction"),
    Duration("vector.latency_cycles", &S::vector_latency_cycles, 0, "from its end to its result"),
    Duration("vector.partial_block_cycles", &S::vector_partial_block_cycles, 0,
             "more of a Compare whose bits end inside a data block"),

    Duration("scalar.issue_cycles", &S::scalar_issue_cycles, 0, "scalar unit, to issue one instruction"),
    Duration("scalar.ub_access_cycles", &S::scalar_ub_access_cycles, 0,
             "scalar unit, to read or write an element of UB"),
    Duration("sync.flag_cycles", &S::flag_cycles, 0, "SetFlag or WaitFlag that need not wait"),
    Duration("sync.barrier_cycles", &S::barrier_cycles, 0, "PipeBarrier that need not wait"),
    Duration("sync.cross_core_cycles", &S::cross_core_cycles, 0, "a flag from one core to another"),

    Depth("queue.mte1", &S::queue_mte1, "waiting before MTE1"),
    Depth("queue.m", &S::queue_m, "waiting before M"),
    Depth("queue.mte2", &S::queue_mte2, "waiting before MTE2"),
    Depth("queue.mte3", &S::queue_mte3, "waiting before MTE3"),
    Depth("queue.fix", &S::queue_fix, "waiting before FIX"),
    Depth("queue.v", &S::queue_v, "waiting before V"),

    {"launch.us", &S::launch_us, "us", 0, 1e6, 1, "launch and end of a kernel"},
    {"launch.us_per_core", &S::launch_us_per_core, "us", 0, 1e6, 1, "more for each core used"},
    {"launch.start_us", &S::launch_start_us, "us", 0, 1e6, 1, "from a core's start to its first instruction"},
    {"launch.call_us", &S::launch_call_us, "us", 0, 1e6, 1,
     "more where a framework's call launches the kernel"},

    {"numerics.ieee", &S::numerics_ieee, "", 0, 1, 1, "1 keeps inf and NaN, 0 saturates as the hardware"},
};

std::string WithUnit(std::string_view text, std::string_view unit) {
  return unit.empty() ? std::string(text) : Say(text, " ", unit);
}

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

std::vector<std::string> Keys() {
  std::vector<std::string> keys;
  for (const Field& field : kFields) {
    keys.emplace_back(field.key);
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
void Store(const Field& field, Number SocConfig::*member, std::string_view where, std::string_view text,
           SocConfig& soc) {
  constexpr bool kWhole = std::is_same_v<Number, int64_t>;
  const std::optional<Number> value = Parsed<Number>(text);
  const std::string found = Say(where, ": ", field.key, " = '", text, "'");
  RequireUser(value.has_value(), found, " is not a ", kWhole ? "whole number" : "number",
              kWhole ? " of 64 bits" : "", "; give ", kWhole ? "digits only" : "digits with a decimal point",
              field.unit.empty() ? "" : Say(", in ", field.unit));
  const auto number = static_cast<double>(*value);
  RequireUser(std::isfinite(number) && number >= field.least && number <= field.most, where, ": ", field.key,
              " = ", WithUnit(text, field.unit), ", must be at least ", field.least, " and at most ",
              field.most);
  if constexpr (kWhole) {
    RequireUser(*value % field.multiple == 0, where, ": ", field.key, " = ", WithUnit(text, field.unit),
                ", must be a multiple of ", field.multiple);
  }
  soc.*member = *value;
}

using Settings = std::map<std::string, std::string, std::less<>>;  // key -> text

void Apply(const Settings& settings, std::string_view where, SocConfig& soc) {
  for (const Settings::value_type& setting : settings) {
    const std::string& key = setting.first;
    const std::string& text = setting.second;
    const auto* const field = std::ranges::find(kFields, key, &Field::key);
    if (field == std::end(kFields)) {
      const std::vector<std::string> keys = Keys();
      throw UserError(
          Say(where, ": unknown key '", key, "'; ", DidYouMean(key, keys), "known keys: ", Joined(keys)));
    }
    std::visit([&](auto member) { Store(*field, member, where, text, soc); }, field->member);
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
  for (const Field& field : kFields) {
    if (!file.contains(field.key) && !overrides.contains(field.key)) {
      missing.emplace_back(field.key);
    }
  }
  RequireUser(missing.empty(), path.string(), ": missing ",
              missing.size() == 1 ? "key: " : "keys: ", Joined(missing),
              "; add each to the file or give it with --set key=value");
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
  constexpr int64_t kLeastL2Sectors = 128;  // two of the groups that L2 replaces at once
  RequireUser(soc.l2_bytes >= kLeastL2Sectors * soc.l2_sector_bytes, path.string(),
              ": memory.l2_bytes = ", soc.l2_bytes, " with l2.sector_bytes = ", soc.l2_sector_bytes,
              ": must be at least ", kLeastL2Sectors * soc.l2_sector_bytes, ", ", kLeastL2Sectors,
              " sectors");
  return soc;
}

std::vector<SocParameter> SocParameters() {
  std::vector<SocParameter> parameters;
  for (const Field& field : kFields) {
    parameters.push_back({field.key, field.unit, field.least, field.most, field.says});
  }
  return parameters;
}

std::vector<double> SocValues(const SocConfig& soc) {
  std::vector<double> values;
  for (const Field& field : kFields) {
    values.push_back(std::visit([&](auto member) { return static_cast<double>(soc.*member); }, field.member));
  }
  return values;
}

std::string SocParameterHelp() {
  std::ostringstream out;
  for (const SocParameter& field : SocParameters()) {
    out << "  " << field.key << std::string(40 - std::min<size_t>(39, field.key.size()), ' ') << field.says;
    out << " [" << WithUnit(Say(field.least, " to ", field.most), field.unit) << "]\n";
  }
  return out.str();
}

}  // namespace tilesim
