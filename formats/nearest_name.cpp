#include "formats/nearest_name.h"

#include <cctype>
#include <numeric>

namespace tilesim {

size_t EditDistance(std::string_view left, std::string_view right) {
  const auto lower = [](char letter) { return std::tolower(static_cast<unsigned char>(letter)); };
  std::vector<size_t> row(right.size() + 1);  // distance of left's first i letters to right's first j
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= left.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= right.size(); ++j) {
      const size_t replaced = diagonal + (lower(left[i - 1]) == lower(right[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

bool MayBeMeant(std::string_view unknown, std::string_view name) {
  constexpr size_t kBeginning = 3;  // fewer letters begin too many names
  const size_t letters = std::max(unknown.size(), name.size());
  return 3 * EditDistance(unknown, name) <= letters + 1 ||
         (unknown.size() >= kBeginning && EditDistance(unknown, name.substr(0, unknown.size())) == 0);
}

}  // namespace tilesim
