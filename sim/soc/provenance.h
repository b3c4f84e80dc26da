// How the figures of a part are known.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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
class Provenances {
 public:
  void Set(std::string_view key, Provenance provenance);
  [[nodiscard]] bool Has(std::string_view key) const;
  [[nodiscard]] Provenance Of(std::string_view key) const;
  friend bool operator==(const Provenances&, const Provenances&) = default;

 private:
  struct OfKey {
    std::string key;
    Provenance provenance;
    friend bool operator==(const OfKey&, const OfKey&) = default;
  };
  std::vector<OfKey> known_;  // by key
};

}  // namespace tilesim
