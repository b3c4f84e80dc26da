#include "tiling/tiling_text.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ranges>
#include <vector>

#include "formats/error.h"
#include "formats/nearest_name.h"
#include "formats/shown_text.h"

namespace tilesim {
namespace {

using nlohmann::json;
using Names = std::vector<std::string_view>;

// "a number", "an object", "null"
std::string TypeOf(const json& value) {
  const std::string_view type = value.type_name();
  return Say(value.is_null() ? "" : value.is_structured() ? "an " : "a ", type);
}

// Of fields whose sections follow each other.
Names SectionsOf(std::span<const TilingField> fields) {
  Names sections;
  for (const TilingField& field : fields) {
    if (sections.empty() || sections.back() != field.section) {
      sections.push_back(field.section);
    }
  }
  return sections;
}

// Fills structs from JSON and collects what is wrong with the text, so that one reading tells everything.
class Reader {
 public:
  Reader(std::string_view where, std::span<const TilingPartToRead> parts) : where_(where), parts_(parts) {
    for (const TilingPartToRead& part : parts) {
      if (!part.inside.empty() && std::ranges::find(insides_, part.inside) == insides_.end()) {
        insides_.push_back(part.inside);
      }
    }
  }

  void Read(std::string_view text) {
    const json tiling = Parse(text);
    ReadParts(tiling, "");
    for (const std::string_view inside : insides_) {
      if (!tiling.contains(inside)) {
        continue;
      }
      if (const json* const object = Section(tiling, inside)) {
        prefix_ = Say(inside, ": ");
        RefuseUnknown(*object, "", SectionsIn(inside));
        ReadParts(*object, inside);
        prefix_.clear();
      }
    }
    Finish();
  }

 private:
  // The tiling object in `text`. Throws UserError when there is none.
  json Parse(std::string_view text) {
    std::vector<std::vector<std::string>> keys;
    const auto watch = [&](int, json::parse_event_t event, json& value) {
      if (event == json::parse_event_t::object_start) {
        keys.emplace_back();
      } else if (event == json::parse_event_t::object_end) {
        keys.pop_back();
      } else if (event == json::parse_event_t::key) {
        const auto name = value.get<std::string>();
        if (std::ranges::find(keys.back(), name) != keys.back().end()) {
          Complain(Say("field '", Shown(name), "' stands twice in one object; keep one"));
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
    } catch (const json::out_of_range& error) {  // "[...] number overflow parsing '1e999'"
      const std::string_view what = error.what();
      throw UserError(Say(where_, ": number ", Shown(what.substr(std::min(what.find('\''), what.size()))),
                          " is beyond all that are read; fields of a tiling are whole numbers, "
                          "`plan --format json` writes them"));
    }
    if (root.is_object() && root.contains("tiling")) {
      RequireUser(!root["tiling"].is_null(), where_,
                  ": its \"tiling\" is null: `plan` found none, its \"reasons\" say why");
      RefuseUnknownBeside(root);
      root = json(root["tiling"]);
    }
    RequireUser(root.is_object(), where_, ": found ", TypeOf(root), ", must be ", Shape(),
                "; `plan --format json` writes one");
    Names known = SectionsIn("");
    RequireUser(
        root.empty() || std::ranges::any_of(known, [&](const auto& name) { return root.contains(name); }),
        where_, ": holds '", root.empty() ? "" : Shown(root.begin().key()), "', must be ", Shape(),
        "; is it the tiling of another operator?");
    std::ranges::copy(insides_, std::back_inserter(known));
    RefuseUnknown(root, "", known);
    return root;
  }

  void ReadParts(const json& object, std::string_view inside) {
    for (const TilingPartToRead& part : parts_) {
      if (part.inside == inside) {
        if (part.is_there != nullptr) {
          *part.is_there = !inside.empty() || object.contains(part.fields.front().section);
        }
        if (part.is_there == nullptr || *part.is_there) {
          ReadFields(object, part.fields, part.data);
        }
      }
    }
  }

  void ReadFields(const json& object, std::span<const TilingField> fields, void* data) {
    for (const std::string_view section_name : SectionsOf(fields)) {
      const json* const section = Section(object, section_name);
      if (section == nullptr) {
        continue;
      }
      Names names;
      for (const TilingField& field : fields) {
        if (field.section == section_name) {
          names.push_back(field.name);
          WriteField(data, field, Value(*section, field));
        }
      }
      RefuseUnknown(*section, Say(section_name, "."), names);
    }
  }

  // What the text says of a field; 0 where that is told.
  uint64_t Value(const json& section, const TilingField& field) {
    const auto found = section.find(field.name);
    if (field.words.empty()) {
      if (found == section.end()) {
        missing_.push_back(prefix_ + field.path());
        return 0;
      }
      return Number(*found, field);
    }
    std::string allowed;
    for (const std::string_view word : field.words) {
      allowed += Say(allowed.empty() ? "" : ", ", word);
    }
    if (found == section.end()) {
      Complain(Say(field.path(), " is missing; must be one of ", allowed));
      return 0;
    }
    const std::string text = found->is_string() ? found->get<std::string>() : "";
    const auto word = std::ranges::find(field.words, text);
    if (word == field.words.end()) {
      Complain(Say(field.path(), " = ", found->dump(), "; ", DidYouMean(text, field.words), "must be one of ",
                   allowed));
      return 0;
    }
    return static_cast<uint64_t>(word - field.words.begin());
  }

  uint64_t Number(const json& value, const TilingField& field) {
    if (!value.is_number_integer()) {
      Complain(Say(field.path(), " = ", Shown(value.dump()), " is ", TypeOf(value),
                   ", must be a whole number 0 to ", field.largest()));
      return 0;
    }
    if (!value.is_number_unsigned() || value.get<uint64_t>() > field.largest()) {
      Complain(Say(field.path(), " = ", value.dump(), " is out of range, must be 0 to ", field.largest()));
      return 0;
    }
    return value.get<uint64_t>();
  }

  // The object of one section, or nothing (told) when it is absent or no object.
  const json* Section(const json& tiling, std::string_view name) {
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

  void RefuseUnknown(const json& object, std::string_view before, const Names& names) {
    for (const auto& [name, value] : object.items()) {
      if (std::ranges::find(names, name) == names.end()) {
        const std::string meant = DidYouMean(name, names, Say("'", before), "'");
        Complain(Say("unknown field '", before, Shown(name), "'; ",
                     meant.empty() ? "remove it" : meant.substr(0, meant.size() - 1)));  // without its blank
      }
    }
  }
  // Of a line of `plan`, what stands beside its tiling.
  void RefuseUnknownBeside(const json& line) {
    json others = line;
    for (const Names& names : {SectionsIn(""), insides_}) {
      for (const std::string_view name : names) {
        if (others.erase(std::string(name)) > 0) {
          Complain(
              Say("'", Shown(name), "' stands beside \"tiling\"; move it into \"tiling\", or remove it"));
        }
      }
    }
    RefuseUnknown(others, "", {"id", "kernel", "legal", "planner", "reasons", "why", "tiling"});
  }

  // Throws UserError with all that was told.
  void Finish() const {
    std::string text = MissingText();
    std::for_each(complaints_.rbegin(), complaints_.rend(), [&](const std::string& complaint) {
      text = Say(complaint, text.empty() ? "" : "; ", text);
    });
    RequireUser(text.empty(), where_, ": ", text);
  }

  [[nodiscard]] Names SectionsIn(std::string_view inside) const {
    Names sections;
    for (const TilingPartToRead& part : parts_) {
      if (part.inside == inside) {
        std::ranges::copy(SectionsOf(part.fields), std::back_inserter(sections));
      }
    }
    return sections;
  }
  [[nodiscard]] std::string Shape() const {
    const Names sections = SectionsIn("");
    std::string names;
    for (size_t i = 0; i < sections.size(); ++i) {
      names += Say(i == 0 ? "" : i + 1 == sections.size() ? " and " : ", ", sections[i]);
    }
    return "an object with " + names;
  }  // "an object with conv3DDxTiling and split"
  [[nodiscard]] std::string MissingText() const {
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

  void Complain(const std::string& text) { complaints_.push_back(prefix_ + text); }

  std::string_view where_;
  std::span<const TilingPartToRead> parts_;
  Names insides_;
  std::string prefix_;  // of what is told of the object that is read
  std::vector<std::string> complaints_;
  std::vector<std::string> missing_;  // numbers that are not there
};

}  // namespace

std::string JsonOfParts(std::span<const TilingPart> parts) {
  std::string text;
  std::string_view section;
  for (const TilingPart& part : parts) {
    for (const TilingField& field : part.fields) {
      if (field.section != section) {
        text += Say(text.empty() ? "{\"" : "},\"", field.section, "\":{");
        section = field.section;
      } else {
        text += ',';
      }
      text += Say('"', field.name, "\":");
      text +=
          field.words.empty() ? Say(ReadField(part.data, field)) : Say('"', WordOf(part.data, field), '"');
    }
  }

  return text + "}}";
}

void ReadTiling(std::string_view text, std::string_view where, std::span<const TilingPartToRead> parts) {
  Reader(where, parts).Read(text);
}

}  // namespace tilesim
