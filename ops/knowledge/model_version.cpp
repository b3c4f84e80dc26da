#include "ops/knowledge/model_version.h"

#include <bit>
#include <cstdint>
#include <cstdio>

#include "formats/error.h"
#include "sim/soc/soc_parameters.h"

namespace tilesim {

std::string ModelVersion(const SocConfig& soc) {
  uint32_t digest = 2166136261;  // FNV-1a
  const auto add = [&digest](uint64_t bits) {
    for (int byte = 0; byte < 8; ++byte, bits >>= 8) {
      digest = (digest ^ static_cast<uint8_t>(bits)) * 16777619;
    }
  };
  for (const double value : SocValues(soc)) {
    add(std::bit_cast<uint64_t>(value));
  }
  char text[9];
  std::snprintf(text, sizeof text, "%08x", digest);
  return Say(kClockVersion, "-", text);
}

}  // namespace tilesim
