// How the figures of a part are known.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace tilesim {

// From the firmest to the weakest.
enum class Provenance : uint8_t {
  kMeasured,    // on a device by the source
  kDocumented,  // stated by the source as a property of the part
  kDerived,     // arithmetic on the two above
  kAssumed,     // no figure is published
  kGiven,       // by the user, with --set or in a file that does not say
};
inline constexpr int kNumProvenances = 5;

constexpr std::string_view Name(Provenance provenance) {
  constexpr std::array<std::string_view, kNumProvenances> kNames = {"measured", "documented", "derived",
                                                                    "assumed", "given"};
  return kNames[static_cast<size_t>(provenance)];
}

// By key, "section.name"; keys of which nothing is known stand for kGiven.
using Provenances = std::map<std::string, Provenance, std::less<>>;

}  // namespace tilesim
