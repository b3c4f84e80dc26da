// The seed of tests with random inputs: another one each time, and printed; TILESIM_TEST_SEED repeats a run.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

namespace tilesim::testing {

inline uint64_t TestSeed() {
  const char* const given = std::getenv("TILESIM_TEST_SEED");
  const uint64_t seed = given != nullptr ? std::stoull(given) : std::random_device()();
  std::cout << "TILESIM_TEST_SEED=" << seed << "\n";
  return seed;
}

}  // namespace tilesim::testing
