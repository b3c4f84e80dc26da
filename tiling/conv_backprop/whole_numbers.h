// Arithmetic on whole numbers for headers that tile programs and planners share. Knows no units.
#pragma once

#include <cstdint>
#include <numeric>

namespace tilesim {

constexpr int64_t Least(int64_t a, int64_t b) { return a < b ? a : b; }
constexpr int64_t AtLeastOne(int64_t value) { return value < 1 ? 1 : value; }

// a / b rounded up or down, for negative a, too. b > 0.
constexpr int64_t CeilOf(int64_t a, int64_t b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); }
constexpr int64_t FloorOf(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

// The most places of width `unit` that a run of `length` touches when it starts at any multiple of its
// length: starts are the multiples of the gcd within a unit, the last of which reaches furthest.
constexpr int64_t MostTouched(int64_t length, int64_t unit) {
  return (unit - std::gcd(length, unit) + length - 1) / unit + 1;
}

// The first of `count` things of share `index` where `parts` shares follow each other, the first count %
// parts of which hold one more.
constexpr int64_t ShareBegin(int64_t count, int64_t parts, int64_t index) {
  return index * (count / parts) + Least(index, count % parts);
}

}  // namespace tilesim

namespace ConvBackpropApi {

using tilesim::CeilOf;
using tilesim::FloorOf;
using tilesim::Least;

}  // namespace ConvBackpropApi
