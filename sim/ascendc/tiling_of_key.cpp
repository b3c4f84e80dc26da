#include "sim/ascendc/tiling_of_key.h"

#include <array>
#include <charconv>

#include "formats/error.h"
#include "sim/ascendc/api_state.h"
#include "sim/ascendc/tiling_macros.h"

namespace AscendC::simulator {
namespace {

using Number = __int128;  // holds every key and its negative

struct Operator {
  std::string_view text;
  int level;  // those of a higher one come first
};
// A text that begins with another comes before it.
constexpr std::array<Operator, 18> kOperators = {{{"||", 1},
                                                  {"&&", 2},
                                                  {"==", 6},
                                                  {"!=", 6},
                                                  {"<=", 7},
                                                  {">=", 7},
                                                  {"<<", 8},
                                                  {">>", 8},
                                                  {"|", 3},
                                                  {"^", 4},
                                                  {"&", 5},
                                                  {"<", 7},
                                                  {">", 7},
                                                  {"+", 9},
                                                  {"-", 9},
                                                  {"*", 10},
                                                  {"/", 10},
                                                  {"%", 10}}};

class Condition {
 public:
  Condition(std::string_view text, uint64_t key) : all_(text), rest_(text), key_(static_cast<Number>(key)) {}

  bool Holds() {
    const Number value = Level(1);
    Require(Skip().empty(), "behind it");
    return value != 0;
  }

 private:
  std::string_view Skip() {
    while (!rest_.empty() && rest_.front() == ' ') {
      rest_.remove_prefix(1);
    }
    return rest_;
  }
  bool Take(std::string_view text) {
    if (!Skip().starts_with(text)) {
      return false;
    }
    rest_.remove_prefix(text.size());
    return true;
  }
  void Require(bool ok, std::string_view where) const {
    tilesim::RequireUser(ok, "REGISTER_TILING_FOR_TILINGKEY: the condition \"", all_,
                         "\" is not to be read at \"", rest_, "\" (", where,
                         "); it is made of TILING_KEY_VAR, whole numbers, parentheses and C's operators");
  }
  // Operators of this level and above, from left to right.
  Number Level(int least) {
    Number left = One();
    for (;;) {
      const Operator* found = nullptr;
      for (const Operator& one : kOperators) {
        if (Skip().starts_with(one.text)) {
          found = &one;
          break;
        }
      }
      if (found == nullptr || found->level < least) {
        return left;
      }
      Take(found->text);
      left = Apply(found->text, left, Level(found->level + 1));
    }
  }
  Number One() {
    if (Take("(")) {
      const Number value = Level(1);
      Require(Take(")"), "a parenthesis is open");
      return value;
    }
    if (Take("!")) {
      return One() == 0;
    }
    if (Take("~")) {
      return static_cast<Number>(~static_cast<uint64_t>(One()));
    }
    if (Take("-")) {
      return -One();
    }
    if (Take("+")) {
      return One();
    }
    if (Take("TILING_KEY_VAR")) {
      return key_;
    }
    const int base = Take("0x") || Take("0X") ? 16 : 10;
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value, base);
    Require(error == std::errc(), "a number is expected");
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    while (!rest_.empty() &&
           (rest_.front() == 'u' || rest_.front() == 'U' || rest_.front() == 'l' || rest_.front() == 'L')) {
      rest_.remove_prefix(1);
    }
    return static_cast<Number>(value);
  }
  Number Apply(std::string_view what, Number a, Number b) const {
    const auto bits = [](Number value) { return static_cast<uint64_t>(value); };
    if (what == "<<" || what == ">>") {
      Require(b >= 0 && b < 64, "shifts are by 0 to 63");
      return static_cast<Number>(what == "<<" ? bits(a) << static_cast<int>(b)
                                              : bits(a) >> static_cast<int>(b));
    }
    if (what == "/" || what == "%") {
      Require(b != 0, "it divides by 0");
      return what == "/" ? a / b : a % b;
    }
    return what == "||"   ? Number{a != 0 || b != 0}
           : what == "&&" ? Number{a != 0 && b != 0}
           : what == "|"  ? static_cast<Number>(bits(a) | bits(b))
           : what == "^"  ? static_cast<Number>(bits(a) ^ bits(b))
           : what == "&"  ? static_cast<Number>(bits(a) & bits(b))
           : what == "==" ? Number{a == b}
           : what == "!=" ? Number{a != b}
           : what == "<=" ? Number{a <= b}
           : what == ">=" ? Number{a >= b}
           : what == "<"  ? Number{a < b}
           : what == ">"  ? Number{a > b}
           : what == "+"  ? a + b
           : what == "-"  ? a - b
                          : static_cast<Number>(bits(a) * bits(b));
  }

  std::string_view all_, rest_;
  Number key_;
};

}  // namespace

bool HoldsForKey(std::string_view condition, uint64_t key) { return Condition(condition, key).Holds(); }

void NoteTilingForKey(const char* condition, const char* name, const char* mark, tilesim::SourceLine where) {
  tilesim::Core* const core = tilesim::internal::current_core;
  if (!HoldsForKey(condition, TilingKey()) || core == nullptr) {
    return;
  }
  ApiState& state = State(*core);
  if (state.tiling_of_key != nullptr && state.tiling_of_key != mark) {
    core->At("REGISTER_TILING_FOR_TILINGKEY", tilesim::Pipe::kS, where);
    core->Fail(tilesim::FaultKind::kMisuse, "",
               tilesim::Say("tiling key ", TilingKey(), " has two structs, ", state.tiling_of_key_name,
                            " and ", name, "; let one condition hold"));
  }
  state.tiling_of_key = mark;
  state.tiling_of_key_name = name;
}

void RequireTilingOfKey(const char* mark, tilesim::SourceLine where) {
  tilesim::Core* const core = tilesim::internal::current_core;
  if (core == nullptr || State(*core).tiling_of_key == nullptr || State(*core).tiling_of_key == mark) {
    return;
  }
  const char* const name = State(*core).tiling_of_key_name;
  core->At("GET_TILING_DATA", tilesim::Pipe::kS, where);
  core->Fail(tilesim::FaultKind::kMisuse, "",
             tilesim::Say("gives another struct than ", name, ", which is that of tiling key ", TilingKey(),
                          "; write GET_TILING_DATA_WITH_STRUCT(", name,
                          ", name, pointer) for this key, or compile for it: tilesim cc --tiling-key ",
                          TilingKey()));
}

}  // namespace AscendC::simulator
