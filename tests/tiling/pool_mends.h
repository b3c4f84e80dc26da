// What the mends of a refused pooling tiling make of it, taken at their word. Tilings are JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>

#include "tiling/rejection.h"
#include "tiling/tiling_field.h"

namespace tilesim::testing {

// The tiling with every "a.b 3 with c.d 4, e.f word fits" of the reasons in it.
std::string Mended(const std::string& tiling, const Rejections& reasons);

// Calls f(path, tiling) for each number of the tiling by itself with values near to its own and far from it.
void ForEachSpoiltNumber(const std::string& tiling,
                         const std::function<void(const std::string&, const std::string&)>& f);

// The paths of the fields that, each made wrong by itself, are refused because they repeat the problem;
// `why_not` gives the reasons against a tiling. A field whose own rule is under a misspelt name is among
// them.
template <class Tiling, class WhyNotOf>
std::set<std::string> RepeatingTheProblem(const Tiling& right, std::span<const TilingField> data,
                                          std::span<const TilingField> split, const WhyNotOf& why_not) {
  std::set<std::string> paths;
  const auto spoil = [](const TilingField& field, void* part) {
    const uint64_t next = ReadField(part, field) + 1;
    WriteField(part, field, field.words.empty() ? next : next % field.words.size());
  };
  const auto add = [&](const TilingField& field, const Tiling& wrong) {
    for (const Rejection& reason : why_not(wrong)) {
      if (reason.field == field.path() && reason.rule.starts_with("repeats the problem")) {
        paths.insert(reason.field);
      }
    }
  };
  for (const TilingField& field : data) {
    Tiling wrong = right;
    spoil(field, &wrong.data);
    add(field, wrong);
  }
  for (const TilingField& field : split) {
    Tiling wrong = right;
    spoil(field, &wrong.split);
    add(field, wrong);
  }
  return paths;
}

}  // namespace tilesim::testing
