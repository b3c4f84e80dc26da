#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace tilesim {

// Why a problem or a tiling is refused: the rule that is broken, the field to look at, the value found (in
// the unit of the limit), the value allowed, and a near value that fits. Knows no operator.
struct Rejection {
  std::string rule;
  std::string field;
  int64_t value = 0;
  int64_t limit = 0;
  std::string mend;

  friend bool operator==(const Rejection&, const Rejection&) = default;
};

using Rejections = std::vector<Rejection>;

// "dwTiling.baseM: L0A capacity in bytes: 69632, allowed 65536; baseM 256 fits"
std::string Sentence(const Rejection& rejection);

}  // namespace tilesim
