#include "ops/knowledge/knowledge_base.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ranges>
#include <sstream>
#include <string_view>
#include <variant>

#include "formats/error.h"
#include "formats/input_file.h"
#include "formats/json_whole.h"
#include "ops/cases/file_kind.h"

namespace tilesim {
namespace {

using nlohmann::ordered_json;

// Of what there may be none: null.
ordered_json NumberJson(const std::optional<double>& value) { return value ? ordered_json(*value) : nullptr; }

std::optional<double> NumberOrNone(const ordered_json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

ordered_json InfoJson(const KnowledgeRows& rows) {
  ordered_json info = ordered_json::object();
  for (const KnowledgeRow& row : rows) {
    std::visit([&](const auto& value) { info[row.name] = value; }, row.value);
  }
  return info;
}

// All but the tiling.
ordered_json OriginJson(const KnowledgeOrigin& origin) {
  return {{"id", origin.id},
          {"row", origin.row},
          {"soc", origin.soc},
          {"cores", origin.cores},
          {"model", origin.model},
          {"objective", origin.objective},
          {"time_us", origin.time_us},
          {"gm_bytes", origin.gm_bytes},
          {"l1_bytes", origin.l1_bytes},
          {"used_cores", origin.used_cores},
          {"op_us", NumberJson(origin.op_us)},
          {"api_us", NumberJson(origin.api_us)},
          {"from", origin.from},
          {"bound_us", origin.bound_us},
          {"optimal", origin.optimal},
          {"legal", origin.legal},
          {"considered", origin.considered},
          {"played", origin.played},
          {"simulated", origin.simulated},
          {"sentence", origin.sentence}};
}

// `where`: "" for the line itself, or a name in it.
void RequireObject(const ordered_json& value, std::string_view where) {
  RequireUser(value.is_object(), where, where.empty() ? "" : ": ", "found ",
              value.is_null()    ? ""
              : value.is_array() ? "an "
                                 : "a ",
              value.type_name(),
              ", must be an object: a record is a line {\"info_dict\": {...}, \"knowledge\": {...}, "
              "\"op\": \"...\", \"tilesim\": {...}}");
}

// Throws UserError, without the place, for what no problem has.
KnowledgeRows InfoOf(const ordered_json& object) {
  KnowledgeRows rows;
  for (const auto& [name, value] : object.items()) {
    if (value.is_boolean()) {
      rows.push_back({name, value.get<bool>()});
    } else if (value.is_string()) {
      rows.push_back({name, value.get<std::string>()});
    } else {
      rows.push_back({name, WholeNumber(value, "info_dict." + name,
                                        "a whole number of 64 bits with a sign, true, false or a text")});
    }
  }
  return rows;
}

// Throws UserError or nlohmann::json::exception, without the place, for what is no record.
KnowledgeRecord RecordOf(const ordered_json& line) {
  RequireObject(line, "");
  for (const char* const part : {"info_dict", "knowledge", "tilesim"}) {
    RequireObject(line.at(part), part);
  }
  const ordered_json& own = line.at("tilesim");
  RequireObject(own.at("tiling"), "tilesim.tiling");
  KnowledgeRecord record;
  record.key = {line.at("op").get<std::string>(), InfoOf(line.at("info_dict"))};
  record.tiling = {line.at("knowledge").dump(), own.at("tiling").dump()};
  KnowledgeOrigin& origin = record.origin;
  const auto whole = [&](const std::string& name) { return WholeNumber(own.at(name), "tilesim." + name); };
  own.at("id").get_to(origin.id);
  origin.row = whole("row");
  own.at("soc").get_to(origin.soc);
  origin.cores = whole("cores");
  own.at("model").get_to(origin.model);
  own.at("objective").get_to(origin.objective);
  own.at("time_us").get_to(origin.time_us);
  origin.gm_bytes = whole("gm_bytes");
  origin.l1_bytes = whole("l1_bytes");
  origin.used_cores = whole("used_cores");
  origin.op_us = NumberOrNone(own.at("op_us"));
  origin.api_us = NumberOrNone(own.at("api_us"));
  own.at("from").get_to(origin.from);
  own.at("bound_us").get_to(origin.bound_us);
  own.at("optimal").get_to(origin.optimal);
  origin.legal = whole("legal");
  origin.considered = whole("considered");
  origin.played = whole("played");
  origin.simulated = whole("simulated");
  own.at("sentence").get_to(origin.sentence);
  return record;
}

// Extents of tensors, and what pads them; all else of a problem (windows, strides, types) is its kind.
bool IsExtent(std::string_view name) {
  constexpr std::string_view kNames[] = {"co", "ci", "dout",     "ho", "wo", "di",
                                         "hi", "wi", "channels", "m",  "n",  "k"};
  constexpr std::string_view kBegins[] = {"batch", "pad_", "backprop_pad_", "dedx_", "dedy_"};
  return std::ranges::find(kNames, name) != std::end(kNames) ||
         std::ranges::any_of(kBegins, [&](std::string_view begin) { return name.starts_with(begin); });
}

// Nothing where the problems are of different kinds.
std::optional<double> Distance(const KnowledgeRows& info, const KnowledgeRows& other) {
  double distance = 0;
  if (info.size() != other.size()) {
    return std::nullopt;
  }
  for (const KnowledgeRow& row : info) {
    const auto found = std::ranges::find(other, row.name, &KnowledgeRow::name);
    if (found == other.end()) {
      return std::nullopt;
    }
    const auto* const number = std::get_if<int64_t>(&row.value);
    const auto* const theirs = std::get_if<int64_t>(&found->value);
    if (IsExtent(row.name) && number != nullptr && theirs != nullptr) {
      // one more each, as pads may be 0; pads of a gradient may be negative
      const auto size = [](int64_t extent) { return std::abs(static_cast<double>(extent)) + 1; };
      distance += std::abs(std::log2(size(*number) / size(*theirs)));
    } else if (row.value != found->value) {
      return std::nullopt;
    }
  }
  return distance;
}

}  // namespace

std::string LineOf(const KnowledgeRecord& record) {
  std::string own = OriginJson(record.origin).dump();
  own.pop_back();  // its tiling stands in it, too
  // id and version are 0 in the vendor's files, too
  return Say(R"({"id":0,"info_dict":)", InfoJson(record.key.info).dump(), R"(,"knowledge":)",
             record.tiling.knowledge, R"(,"op":)", ordered_json(record.key.op).dump(),
             R"(,"version":0,"tilesim":)", own, R"(,"tiling":)", record.tiling.rest, "}}\n");
}

KnowledgeBase KnowledgeBase::Read(const std::string& path) {
  constexpr std::string_view kMend = "; give a file that `tilesim tune --kb-out` wrote";
  constexpr std::string_view kOwnKind = "a knowledge base";
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::error_code ignored;
  RequireUser(!std::filesystem::is_directory(path, ignored), path, ": is a folder, must be ", kOwnKind,
              kMend);
  const std::string text = ReadInput(path, kMend);
  const std::string_view kind = KindOfText(text);
  RequireUser(kind.empty() || kind == kOwnKind, path, ":1: no record of ", kOwnKind,
              " of this program: the file looks like ", kind, kMend,
              kind == "a tiling" ? ", or this one to --tiling" : "");
  KnowledgeBase base;
  base.path_ = path;
  std::istringstream file(text);
  int64_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (number == 1 && line.starts_with(kByteOrderMark)) {
      line.erase(0, kByteOrderMark.size());
    }
    if (line.find_first_not_of(" \t\r") == std::string::npos) {
      continue;
    }
    const std::string place = Say(path, ":", number);
    const auto refuse = [&](const std::string& why) {
      throw UserError(Say(place, ": no record of a knowledge base of this program: ", why, kMend));
    };
    try {
      base.records_.push_back(RecordOf(ordered_json::parse(line)));
      base.records_.back().place = place;
    } catch (const UserError& error) {
      refuse(error.what());
    } catch (const nlohmann::json::exception& error) {
      refuse(PlainText(error.what()));
    }
  }
  return base;
}

const KnowledgeRecord* KnowledgeBase::Find(const KnowledgeKey& key, const std::string& soc,
                                           int64_t cores) const {
  const auto found = std::find_if(records_.rbegin(), records_.rend(), [&](const KnowledgeRecord& record) {
    return record.key == key && record.origin.soc == soc && record.origin.cores == cores;
  });
  return found == records_.rend() ? nullptr : &*found;
}

const KnowledgeRecord* KnowledgeBase::Nearest(const KnowledgeKey& key, const std::string& soc, int64_t cores,
                                              const std::optional<std::string>& model) const {
  const KnowledgeRecord* nearest = nullptr;
  double least = 0;
  for (const KnowledgeRecord& record : records_) {
    if (record.key.op != key.op || record.origin.soc != soc || record.origin.cores != cores ||
        (model && record.origin.model != *model)) {
      continue;
    }
    const std::optional<double> distance = Distance(key.info, record.key.info);
    if (distance && (nearest == nullptr || *distance < least)) {
      nearest = &record;
      least = *distance;
    }
  }
  return nearest;
}

}  // namespace tilesim
