// A problem and its tiling in the words of the vendor's knowledge bases, of which the tables of the operator
// families say what each is here (conv_backprop/gradient_knowledge.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tilesim {

using KnowledgeValue = std::variant<int64_t, bool, std::string>;

// One key of a problem, `info_dict`.
struct KnowledgeRow {
  std::string name;
  KnowledgeValue value;

  friend bool operator==(const KnowledgeRow&, const KnowledgeRow&) = default;
};
using KnowledgeRows = std::vector<KnowledgeRow>;

// One key of a tiling, `knowledge`: a field of the tiling's text, or what is computed of it.
template <class Problem, class Tiling>
struct KnowledgeField {
  using Value = KnowledgeValue (*)(const Problem&, const Tiling&);

  std::string_view name;
  std::string_view section = {};  // of the tiling's text; empty: none has it
  std::string_view field = {};
  Value value = nullptr;  // of what the text does not have; none: 0, a feature that tilings here never use
};

}  // namespace tilesim
