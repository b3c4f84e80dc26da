#include "tiling/tiling_text_reader.h"

#include <algorithm>
#include <utility>

namespace tilesim {

using nlohmann::json;

namespace {

// "a number", "an object", "null"
std::string TypeOf(const json& value) {
  const std::string_view type = value.type_name();
  return Say(value.is_null() ? "" : value.is_structured() ? "an " : "a ", type);
}

}  // namespace

TilingTextReader::TilingTextReader(std::string_view where, std::vector<std::string_view> sections,
                                   std::vector<std::string_view> extra)
    : where_(where), sections_(std::move(sections)), extra_(std::move(extra)) {}

std::string TilingTextReader::Shape() const {
  std::string names;
  for (size_t i = 0; i < sections_.size(); ++i) {
    names += Say(i == 0 ? "" : i + 1 == sections_.size() ? " and " : ", ", sections_[i]);
  }
  return "an object with " + names;
}

json TilingTextReader::Parse(std::string_view text) {
  std::vector<std::vector<std::string>> keys;
  const auto watch = [&](int, json::parse_event_t event, json& value) {
    if (event == json::parse_event_t::object_start) {
      keys.emplace_back();
    } else if (event == json::parse_event_t::object_end) {
      keys.pop_back();
    } else if (event == json::parse_event_t::key) {
      const auto name = value.get<std::string>();
      if (std::ranges::find(keys.back(), name) != keys.back().end()) {
        Complain(Say("field '", name, "' stands twice in one object; keep one"));
      }
      keys.back().push_back(name);
    }
    return true;
  };
  json root;
  try {
    root = json::parse(text, watch);
  } catch (const json::parse_error& error) {
    const std::string_view line = text.substr(0, text.find('\n'));
    RequireUser(line.size() == text.size() || !json::accept(line), where_,
                ": holds more than one JSON value, a line each; keep the line of this case");
    const std::string_view before = text.substr(0, error.byte);
    throw UserError(Say(where_, ": not JSON at byte ", error.byte, " (line ",
                        1 + std::ranges::count(before, '\n'), "): a tiling is ", Shape(),
                        "; `plan --format json` writes one"));
  }
  if (root.is_object() && root.contains("tiling")) {
    RequireUser(!root["tiling"].is_null(), where_,
                ": its \"tiling\" is null: `plan` found none, its \"reasons\" say why");
    RefuseUnknownBeside(root);
    root = json(root["tiling"]);
  }
  RequireUser(root.is_object(), where_, ": found ", TypeOf(root), ", must be ", Shape(),
              "; `plan --format json` writes one");
  RequireUser(
      root.empty() || std::ranges::any_of(sections_, [&](const auto& name) { return root.contains(name); }),
      where_, ": holds '", root.empty() ? "" : root.begin().key(), "', must be ", Shape(),
      "; is it the tiling of another operator?");
  std::vector<std::string_view> known = sections_;
  known.insert(known.end(), extra_.begin(), extra_.end());
  RefuseUnknown(root, "", known);
  return root;
}

void TilingTextReader::RefuseUnknownBeside(const json& line) {
  constexpr std::string_view kBeside[] = {"id", "kernel", "legal", "planner", "reasons", "why", "tiling"};
  json others = line;
  for (const auto& names : {sections_, extra_}) {
    for (const std::string_view name : names) {
      if (others.erase(std::string(name)) > 0) {
        Complain(Say("'", name, "' stands beside \"tiling\"; move it into \"tiling\", or remove it"));
      }
    }
  }
  RefuseUnknown(others, "", kBeside);
}

const json* TilingTextReader::Section(const json& tiling, std::string_view name) {
  const auto found = tiling.find(name);
  if (found == tiling.end()) {
    Complain(Say("section '", name, "' is missing; add \"", name, "\": {...}"));
    return nullptr;
  }
  if (!found->is_object()) {
    Complain(Say("section '", name, "' is ", TypeOf(*found), ", must be an object {...}"));
    return nullptr;
  }
  return &*found;
}

uint64_t TilingTextReader::Number(const json& section, std::string_view section_name, std::string_view name,
                                  uint64_t largest) {
  const std::string path = Say(section_name, ".", name);
  const auto found = section.find(name);
  if (found == section.end()) {
    missing_.push_back(path);
    return 0;
  }
  if (!found->is_number_integer()) {
    Complain(
        Say(path, " = ", found->dump(), " is ", TypeOf(*found), ", must be a whole number 0 to ", largest));
    return 0;
  }
  if (!found->is_number_unsigned() || found->get<uint64_t>() > largest) {
    Complain(Say(path, " = ", found->dump(), " is out of range, must be 0 to ", largest));
    return 0;
  }
  return found->get<uint64_t>();
}

std::string TilingTextReader::OneOf(const json& section, std::string_view section_name, std::string_view name,
                                    std::span<const std::string_view> words) {
  std::string allowed;
  for (const std::string_view word : words) {
    allowed += Say(allowed.empty() ? "" : ", ", word);
  }
  const auto found = section.find(name);
  if (found == section.end()) {
    Complain(Say(section_name, ".", name, " is missing; must be one of ", allowed));
    return "";
  }
  const std::string text = found->is_string() ? found->get<std::string>() : "";
  if (std::ranges::find(words, text) == words.end()) {
    Complain(Say(section_name, ".", name, " = ", found->dump(), "; ", DidYouMean(text, words),
                 "must be one of ", allowed));
    return "";
  }
  return text;
}

void TilingTextReader::ReadFields(const json& tiling, std::span<const TilingField> fields, void* data) {
  for (const std::string_view section_name : sections_) {
    std::vector<TilingField> here;
    std::ranges::copy_if(fields, std::back_inserter(here),
                         [&](const TilingField& field) { return field.section == section_name; });
    const json* section = here.empty() ? nullptr : Section(tiling, section_name);
    if (section == nullptr) {
      continue;
    }
    std::vector<std::string_view> names;
    for (const TilingField& field : here) {
      names.push_back(field.name);
      WriteField(data, field, Number(*section, section_name, field.name, field.largest()));
    }
    RefuseUnknown(*section, Say(section_name, "."), names);
  }
}

std::string TilingTextReader::MissingText() const {
  std::string text;
  for (const std::string& path : missing_) {
    text += Say(text.empty() ? "" : &path == &missing_.back() ? " and " : ", ", path);
  }
  return text.empty() ? ""
                      : Say(text,
                            missing_.size() == 1 ? " is missing; must be a whole number"
                                                 : " are missing; must be whole numbers",
                            "; `plan --format json` writes all fields");
}

void TilingTextReader::TakeOver(const TilingTextReader& part, std::string_view prefix) {
  for (const std::string& complaint : part.complaints_) {
    complaints_.push_back(Say(prefix, complaint));
  }
  for (const std::string& path : part.missing_) {
    missing_.push_back(Say(prefix, path));
  }
}

void TilingTextReader::Finish() const {
  std::string text = MissingText();
  for (const std::string& complaint : std::views::reverse(complaints_)) {
    text = Say(complaint, text.empty() ? "" : "; ", text);
  }
  RequireUser(text.empty(), where_, ": ", text);
}

}  // namespace tilesim
