// How often tests with random inputs repeat.
#pragma once

#include <cstdlib>
#include <string>

namespace tilesim {

// A run makes all repetitions, or one in so many of them.
inline int TestPart() {
  const char* const given = std::getenv("TILESIM_TEST_PART");
  return given != nullptr ? std::stoi(given) : 1;
}

// Of `all` repetitions those that this run makes, at least one.
inline int Repetitions(int all) { return (all + TestPart() - 1) / TestPart(); }

// Of what all repetitions find, what those of this run do, rounded down.
inline int PartOf(int all) { return all / TestPart(); }

}  // namespace tilesim
