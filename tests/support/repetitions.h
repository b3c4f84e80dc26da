// How often tests with random inputs repeat.
#pragma once

#include <cstdlib>
#include <string>

namespace tilesim {

// Of `all` repetitions the part that this run makes, at least one: all, or one in TILESIM_TEST_PART of them.
// Bounds of what the repetitions found scale with it, too.
inline int Repetitions(int all) {
  const char* const given = std::getenv("TILESIM_TEST_PART");
  const int part = given != nullptr ? std::stoi(given) : 1;
  return (all + part - 1) / part;
}

}  // namespace tilesim
