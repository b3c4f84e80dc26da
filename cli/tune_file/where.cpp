#include "cli/tune_file/where.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

#include "formats/error.h"
#include "formats/nearest_name.h"
#include "ops/cases/case_cells.h"

namespace tilesim {

// A parser of one function a level of precedence.
class WhereParser {
 public:
  using Kind = WhereExpression::Kind;

  WhereParser(WhereExpression& expression, std::span<const std::string> names)
      : expression_(expression), text_(expression.text_), names_(names) {}

  void Parse() {
    (void)Level(0);
    SkipBlanks();
    if (at_ < text_.size()) {
      Refuse(Rest().starts_with(")") ? "')' closes nothing"
                                     : Say("'", Rest().substr(0, 1), "' where an operator must stand"));
    }
  }

 private:
  struct Operator {
    std::string_view text;
    Kind kind;
    int level;  // 0 binds least
  };
  // A longer one before its beginning.
  static constexpr std::array<Operator, 13> kOperators = {{{"||", Kind::kOr, 0},
                                                           {"&&", Kind::kAnd, 1},
                                                           {"==", Kind::kEqual, 2},
                                                           {"!=", Kind::kUnequal, 2},
                                                           {"<=", Kind::kLessEqual, 2},
                                                           {">=", Kind::kGreaterEqual, 2},
                                                           {"<", Kind::kLess, 2},
                                                           {">", Kind::kGreater, 2},
                                                           {"+", Kind::kPlus, 3},
                                                           {"-", Kind::kMinus, 3},
                                                           {"*", Kind::kTimes, 4},
                                                           {"/", Kind::kDivide, 4},
                                                           {"%", Kind::kRemainder, 4}}};
  static constexpr int kComparisons = 2;
  static constexpr int kUnary = 5;
  static constexpr int kMostDepth = 200;

  [[nodiscard]] std::string_view Rest() const { return text_.substr(at_); }
  void SkipBlanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) {
      ++at_;
    }
  }
  [[noreturn]] void Refuse(const std::string& why) const { expression_.Refuse(at_ + 1, why); }

  const Operator* Next() {
    SkipBlanks();
    const auto* const found =
        std::ranges::find_if(kOperators, [&](const Operator& one) { return Rest().starts_with(one.text); });
    if (found == kOperators.end() && !Rest().empty() && std::strchr("=&|", Rest()[0]) != nullptr) {
      const std::string twice(2, Rest()[0]);
      Refuse(Say("'", Rest()[0], "' is no operator here; write ", twice));
    }
    return found == kOperators.end() ? nullptr : found;
  }

  size_t Add(WhereExpression::Node node) {
    expression_.nodes_.push_back(node);
    return expression_.nodes_.size() - 1;
  }

  size_t Level(int level) {
    if (level == kUnary) {
      return Unary();
    }
    size_t left = Level(level + 1);
    int times = 0;
    for (const Operator* next = Next(); next != nullptr && next->level == level; next = Next()) {
      if (level == kComparisons && ++times > 1) {
        Refuse("comparisons cannot be chained; write a<=b && b<=c");
      }
      const size_t column = at_ + 1;
      at_ += next->text.size();
      const size_t right = Level(level + 1);
      left = Add({.kind = next->kind, .left = left, .right = right, .column = column});
    }
    return left;
  }

  size_t Unary() {
    if (++depth_ > kMostDepth) {
      Refuse("is nested too deeply");
    }
    SkipBlanks();
    const size_t column = at_ + 1;
    size_t made = 0;
    if (Rest().empty()) {
      Refuse("ends where a number, a name or '(' must stand");
    } else if (Rest()[0] == '!' || Rest()[0] == '-') {
      const Kind kind = Rest()[0] == '!' ? Kind::kNot : Kind::kNegative;
      ++at_;
      made = Add({.kind = kind, .left = Unary(), .column = column});
    } else if (Rest()[0] == '(') {
      ++at_;
      made = Level(0);
      SkipBlanks();
      if (!Rest().starts_with(")")) {
        Refuse(Say("')' must stand here, for the '(' at column ", column));
      }
      ++at_;
    } else if (Rest()[0] >= '0' && Rest()[0] <= '9') {
      made = Add({.kind = Kind::kNumber, .number = Number(), .column = column});
    } else {
      made = Add({.kind = Kind::kName, .number = static_cast<int64_t>(Name()), .column = column});
    }
    --depth_;
    return made;
  }

  int64_t Number() {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
    if (error != std::errc()) {
      Refuse("a number that 64 bits do not hold");
    }
    const size_t after = static_cast<size_t>(end - text_.data());
    if (NameEnd(after) != after) {
      Refuse(Say("'", text_.substr(at_, NameEnd(after) - at_), "' is no whole number"));
    }
    at_ = after;
    return number;
  }

  // One past a name that begins at `begin`: "TILE_M", "tile.length", "spare[1]".
  [[nodiscard]] size_t NameEnd(size_t begin) const {
    size_t end = begin;
    while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 ||
                                  std::strchr("_.[]", text_[end]) != nullptr)) {
      ++end;
    }
    return end;
  }

  size_t Name() {
    const size_t end = NameEnd(at_);
    const std::string_view name = text_.substr(at_, end - at_);
    if (name.empty()) {
      Refuse(Say("'", Rest()[0], "' where a number, a name or '(' must stand"));
    }
    const auto found = std::ranges::find(names_, name);
    if (found == names_.end()) {
      const std::vector<std::string_view> all(names_.begin(), names_.end());
      Refuse(Say("'", name, "' is not varied; ", DidYouMean(name, all), "--vary has ", JoinedNames(all)));
    }
    at_ = end;
    const auto number = static_cast<size_t>(found - names_.begin());
    if (std::ranges::find(expression_.used_, number) == expression_.used_.end()) {
      expression_.used_.push_back(number);
    }
    return number;
  }

  WhereExpression& expression_;
  const std::string_view text_;
  const std::span<const std::string> names_;
  size_t at_ = 0;
  int depth_ = 0;
};

WhereExpression::WhereExpression(std::string text, std::span<const std::string> names)
    : text_(std::move(text)) {
  WhereParser(*this, names).Parse();
}

void WhereExpression::Refuse(size_t column, const std::string& why) const {
  throw UserError(Say("--where '", text_, "': column ", column, ": ", why));
}

bool WhereExpression::Holds(std::span<const int64_t> values) const {
  return Value(nodes_.back(), values) != 0;
}

int64_t WhereExpression::Value(const Node& node, std::span<const int64_t> values) const {
  const auto left = [&] { return Value(nodes_[node.left], values); };
  const auto right = [&] { return Value(nodes_[node.right], values); };
  int64_t result = 0;
  bool too_large = false;
  switch (node.kind) {
    case Kind::kNumber:
      return node.number;
    case Kind::kName:
      return values[static_cast<size_t>(node.number)];
    case Kind::kNot:
      return left() == 0 ? 1 : 0;
    case Kind::kNegative:
      too_large = __builtin_sub_overflow(int64_t{0}, left(), &result);
      break;
    case Kind::kOr:
      return left() != 0 || right() != 0 ? 1 : 0;
    case Kind::kAnd:
      return left() != 0 && right() != 0 ? 1 : 0;
    case Kind::kEqual:
      return left() == right() ? 1 : 0;
    case Kind::kUnequal:
      return left() != right() ? 1 : 0;
    case Kind::kLess:
      return left() < right() ? 1 : 0;
    case Kind::kLessEqual:
      return left() <= right() ? 1 : 0;
    case Kind::kGreater:
      return left() > right() ? 1 : 0;
    case Kind::kGreaterEqual:
      return left() >= right() ? 1 : 0;
    case Kind::kPlus:
      too_large = __builtin_add_overflow(left(), right(), &result);
      break;
    case Kind::kMinus:
      too_large = __builtin_sub_overflow(left(), right(), &result);
      break;
    case Kind::kTimes:
      too_large = __builtin_mul_overflow(left(), right(), &result);
      break;
    case Kind::kDivide:
    case Kind::kRemainder: {
      const int64_t a = left();
      const int64_t b = right();
      if (b == 0) {
        Refuse(node.column, "divides by zero for some of the values; guard it, for example B!=0 && A%B==0");
      }
      if (b == -1) {  // the least number has no quotient
        too_large = node.kind == Kind::kDivide && __builtin_sub_overflow(int64_t{0}, a, &result);
      } else {
        result = node.kind == Kind::kDivide ? a / b : a % b;
      }
      break;
    }
  }
  if (too_large) {
    Refuse(node.column, "leaves 64 bits for some of the values");
  }
  return result;
}

}  // namespace tilesim
