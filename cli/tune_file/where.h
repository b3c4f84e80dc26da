#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tilesim {

// A condition on varied numbers: "TILE_M*STAGES<=256 && TILE_M%16==0". Whole numbers, names, + - * / %,
// comparisons, && || ! and parentheses, as C has them; comparisons cannot be chained. Knows no kernel.
class WhereExpression {
 public:
  // `names` are those that may stand in it. Throws UserError with the column of what is wrong.
  WhereExpression(std::string text, std::span<const std::string> names);

  // Does it hold for these values of the names? Throws UserError for a division by zero, and where a number
  // leaves 64 bits.
  [[nodiscard]] bool Holds(std::span<const int64_t> values) const;
  // The numbers of the names that stand in it.
  [[nodiscard]] const std::vector<size_t>& used() const { return used_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  friend class WhereParser;
  enum class Kind : uint8_t {
    kNumber,
    kName,
    kNot,
    kNegative,
    kOr,
    kAnd,
    kEqual,
    kUnequal,
    kLess,
    kLessEqual,
    kGreater,
    kGreaterEqual,
    kPlus,
    kMinus,
    kTimes,
    kDivide,
    kRemainder,
  };
  // An operator has its operands before it; what has none is a number or a name's.
  struct Node {
    Kind kind = Kind::kNumber;
    int64_t number = 0;  // of kName: which
    size_t left = 0;
    size_t right = 0;
    size_t column = 1;
  };
  [[nodiscard]] int64_t Value(const Node& node, std::span<const int64_t> values) const;
  [[noreturn]] void Refuse(size_t column, const std::string& why) const;

  std::string text_;
  std::vector<Node> nodes_;  // the whole is the last
  std::vector<size_t> used_;
};

}  // namespace tilesim
