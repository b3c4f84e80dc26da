#include "sim/soc/provenance.h"

#include <algorithm>

namespace tilesim {

void Provenances::Set(std::string_view key, Provenance provenance) {
  const auto at = std::ranges::lower_bound(known_, key, {}, &OfKey::key);
  if (at != known_.end() && at->key == key) {
    at->provenance = provenance;
  } else {
    known_.insert(at, {std::string(key), provenance});
  }
}

bool Provenances::Has(std::string_view key) const {
  return std::ranges::binary_search(known_, key, {}, &OfKey::key);
}

Provenance Provenances::Of(std::string_view key) const {
  const auto at = std::ranges::lower_bound(known_, key, {}, &OfKey::key);
  return at != known_.end() && at->key == key ? at->provenance : Provenance::kGiven;
}

}  // namespace tilesim
