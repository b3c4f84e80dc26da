// How often tests with random inputs repeat.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace tilesim {

// The number in a variable of the environment; a process that is given anything but one of [least, most]
// ends.
inline int NumberInEnvironment(const char* name, int otherwise, int least, int most) {
  const char* const given = std::getenv(name);
  if (given == nullptr) {
    return otherwise;
  }
  char* end = nullptr;
  const long number = std::strtol(given, &end, 10);
  if (end == given || *end != '\0' || number < least || number > most) {
    std::fprintf(stderr, "%s is '%s'; it is a number from %d to %d\n", name, given, least, most);
    std::exit(2);
  }
  return static_cast<int>(number);
}

// A run makes all repetitions, or one in so many of them.
inline int TestPart() { return NumberInEnvironment("TILESIM_TEST_PART", 1, 1, 1000); }

// Which of its parts a run that makes a part makes, from 0 on; 0 in a run that makes all. Added to the seeds
// of a test.
inline int TestTurn() {
  return TestPart() == 1 ? 0 : NumberInEnvironment("TILESIM_TEST_TURN", 0, 0, TestPart() - 1);
}

// Of `all` repetitions those that this run makes, at least one.
inline int Repetitions(int all) { return (all + TestPart() - 1) / TestPart(); }

// The first of them, where repetitions are told apart by their number.
inline int FirstRepetition(int all) { return TestTurn() * Repetitions(all); }

// The seeds of a test whose repetitions have one each, from `first` on; where TILESIM_TEST_SEED is set, which
// repeats one of them, that one alone.
struct SeedRange {
  uint64_t begin;
  uint64_t end;
};
inline SeedRange SeedsFrom(uint64_t first, int all) {
  if (std::getenv("TILESIM_TEST_SEED") != nullptr) {
    const auto given = static_cast<uint64_t>(NumberInEnvironment("TILESIM_TEST_SEED", 0, 0, INT32_MAX));
    return {given, given + 1};
  }
  const uint64_t begin = first + static_cast<uint64_t>(FirstRepetition(all));
  return {begin, begin + static_cast<uint64_t>(Repetitions(all))};
}

// Of cases that are checked one after the other this run takes every so-many-th.
inline bool IsOfThisPart(int index) { return index % TestPart() == TestTurn(); }

// What all cases find; of those of a part, which may lie anywhere among them, at least one.
inline int SomeOf(int all) { return TestPart() == 1 ? all : 1; }

// Of what all repetitions find, what those of this run do, rounded down.
inline int PartOf(int all) { return all / TestPart(); }

}  // namespace tilesim
