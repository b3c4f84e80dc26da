#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/cases/refusal.h"

namespace tilesim {

// One case as text: column -> cell, without empty cells. The same map serves a row of a file and the command
// line.
using CaseCells = std::map<std::string, std::string, std::less<>>;

// Reads typed values out of the cells of one case; a cell that does not fit is refused by the name of its
// column. Knows no column's meaning.
class CellReader {
 public:
  explicit CellReader(const CaseCells& cells) : cells_(cells) {}

  [[nodiscard]] bool Has(std::string_view column) const { return cells_.contains(column); }
  [[nodiscard]] std::string Text(std::string_view column, std::string_view otherwise) const;
  // `default_says`: the default in words, where `otherwise` only stands for it.
  [[nodiscard]] int64_t Whole(std::string_view column, int64_t otherwise, int64_t least, int64_t most,
                              std::string_view default_says = {}) const;
  [[nodiscard]] double Number(std::string_view column, double otherwise) const;

  // Numbers joined by 'x'. The cell must be there and hold one of `counts` many.
  [[nodiscard]] std::vector<int64_t> List(std::string_view column, std::span<const size_t> counts,
                                          std::string_view example) const;

  // One of the names, the first of them when the cell is empty.
  [[nodiscard]] std::string Choice(std::string_view column, std::span<const std::string_view> names,
                                   std::string_view default_says = {}) const;

  [[noreturn]] void Refuse(std::string_view column, std::string allowed, std::string mend) const;

 private:
  const CaseCells& cells_;
};

// "a, b, c"
std::string JoinedNames(std::span<const std::string_view> names);

}  // namespace tilesim
