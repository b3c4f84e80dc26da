#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilesim {

// How a rejected value misses its limit. kEither: below a least or above a most, as the two numbers say;
// kInWords: the rule says all, there are no numbers to tell.
enum class LimitKind : uint8_t { kEither, kExact, kMultiple, kInWords };

// Why a problem or a tiling is refused: the rule that is broken, the field to look at, the value found (in
// the unit of the limit), the value allowed, and a near value that fits. Knows no operator.
struct Rejection {
  std::string rule;
  std::string field;
  int64_t value = 0;
  int64_t limit = 0;
  std::string mend;
  LimitKind kind = LimitKind::kEither;

  friend bool operator==(const Rejection&, const Rejection&) = default;
};

using Rejections = std::vector<Rejection>;

// Of a field that is one of a few words.
Rejection WrongWord(std::string field, std::string_view rule, std::string_view found,
                    std::string_view must_be);

// "dwTiling.baseM: bytes of L0A: found 69632, must be at most 65536; baseM 256 fits"
std::string Sentence(const Rejection& rejection);
// One of each.
std::vector<std::string> SentencesOf(const Rejections& rejections);

// What one value may be by itself, and why.
struct ValueRange {
  std::string_view rule;
  std::string_view field;
  int64_t value;
  int64_t least;
  int64_t most;
  int64_t multiple_of = 1;
};

// The mend of fields that repeat another problem. `rest` is what is wrong when they are mended: where that is
// anything, they are not the place to begin.
void MendAsOneOfAnotherProblem(const Rejections& rest, Rejections& reasons);

// Refuses a value that is not the one that fits.
void CheckExact(std::string_view rule, std::string_view field, int64_t value, int64_t fits,
                Rejections& reasons);

// Refuses each value that is outside its range, or no multiple, with the nearest one that fits.
void CheckRanges(std::span<const ValueRange> ranges, Rejections& reasons);

}  // namespace tilesim
