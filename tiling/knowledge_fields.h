// A tiling in the words of the vendor's knowledge bases, of which the tables of the operator families say
// what each is here (conv_backprop/filter_knowledge.h, input_knowledge.h).
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace tilesim {

// One key of `knowledge`: a field of the tiling's text, or what is computed of it.
template <class Problem, class Tiling>
struct KnowledgeField {
  using Value = nlohmann::ordered_json (*)(const Problem&, const Tiling&);

  std::string_view name;
  std::string_view section = {};  // of the tiling's text; empty: none has it
  std::string_view field = {};
  Value value = nullptr;  // of what the text does not have; none: 0, a feature that tilings here never use
};

// A tiling's text in two parts: what the vendor's schema has a name for, and the rest. Together they are the
// whole, and no number stands in both.
struct KnowledgeParts {
  nlohmann::ordered_json knowledge;
  nlohmann::ordered_json rest;  // by section, as `plan` prints it
};

template <class Problem, class Tiling>
KnowledgeParts PartsOf(std::span<const KnowledgeField<Problem, Tiling>> fields, const Problem& problem,
                       const Tiling& tiling, nlohmann::ordered_json text) {
  KnowledgeParts parts;
  for (const KnowledgeField<Problem, Tiling>& field : fields) {
    nlohmann::ordered_json& to = parts.knowledge[std::string(field.name)];
    if (!field.section.empty()) {
      nlohmann::ordered_json& section = text.at(std::string(field.section));
      to = section.at(std::string(field.field));
      section.erase(std::string(field.field));
    } else {
      to = field.value == nullptr ? nlohmann::ordered_json(0) : field.value(problem, tiling);
    }
  }
  parts.rest = std::move(text);
  return parts;
}

// The text of the two parts; computed keys are left out. Throws nlohmann::json::exception where a part lacks
// a key or is no object.
template <class Problem, class Tiling>
nlohmann::ordered_json TextOf(std::span<const KnowledgeField<Problem, Tiling>> fields,
                              const KnowledgeParts& parts) {
  nlohmann::ordered_json text = parts.rest;
  for (const KnowledgeField<Problem, Tiling>& field : fields) {
    if (!field.section.empty()) {
      text[std::string(field.section)][std::string(field.field)] =
          parts.knowledge.at(std::string(field.name));
    }
  }
  return text;
}

}  // namespace tilesim
