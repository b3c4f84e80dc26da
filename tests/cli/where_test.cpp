// Conditions of `tune --where`.
#include "cli/tune_file/where.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "formats/error.h"

namespace tilesim {
namespace {

const std::vector<std::string> kNames = {"A", "B", "tile.length"};
constexpr std::array<int64_t, 3> kValues = {6, 4, 0};

bool Holds(const std::string& text) { return WhereExpression(text, kNames).Holds(kValues); }

std::string Refusal(const std::string& text) {
  try {
    (void)Holds(text);
  } catch (const UserError& error) {
    return error.what();
  }
  return "taken";
}

TEST(Where, CalculatesAsC) {
  for (const auto& [text, holds] : std::vector<std::pair<std::string, bool>>{
           {"A*B<=24", true},
           {"A*B<24", false},
           {"A-B-1==1", true},  // from the left
           {"A-(B-1)==3", true},
           {"2+3*4==14", true},
           {"-A/4==-1", true},  // towards zero
           {"-A%4==-2", true},
           {"A%4==2 && B%4==0", true},
           {"A==6 || B==5 && 0", true},  // && binds closer
           {"(A==6 || B==5) && 0", false},
           {"!(A==6)", false},
           {"!0 == 1", true},
           {"- -A == 6", true},
           {"tile.length==0", true},
           {"tile.length!=0 && A/tile.length>1", false},  // the right side is not looked at
           {"tile.length==0 || A/tile.length>1", true},
           {" A > = B", false},
           {"A>=6", true},
           {"A>6", false},
           {"A!=6", false},
           {"A", true},
           {"tile.length", false},
           {"-9223372036854775807-1 < 0", true}}) {
    if (text == " A > = B") {
      EXPECT_THAT(Refusal(text), testing::HasSubstr("column 6"));
    } else {
      EXPECT_EQ(Holds(text), holds) << text;
    }
  }
}

TEST(Where, RefusesByTheColumn) {
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {"A*C<3", "--where 'A*C<3': column 3: 'C' is not varied; "},
           {"A*", "column 3: ends where a number, a name or '(' must stand"},
           {"", "column 1: ends where"},
           {"A=6", "column 2: '=' is no operator here; write =="},
           {"A&B", "column 2: '&' is no operator here; write &&"},
           {"1<A<9", "column 4: comparisons cannot be chained; write a<=b && b<=c"},
           {"(A<9", "column 5: ')' must stand here, for the '(' at column 1"},
           {"A<9)", "column 4: ')' closes nothing"},
           {"A 6", "column 3: '6' where an operator must stand"},
           {"A<$", "column 3: '$' where a number, a name or '(' must stand"},
           {"A<12ab", "column 3: '12ab' is no whole number"},
           {"A<1.5", "column 3: '1.5' is no whole number"},
           {"A<9223372036854775808", "column 3: a number that 64 bits do not hold"},
           {"A/tile.length", "column 2: divides by zero for some of the values; guard it"},
           {"A%tile.length", "column 2: divides by zero"},
           {"A*9223372036854775807>0", "column 2: leaves 64 bits"},
           {"(-9223372036854775807-1)/-1>0", "column 25: leaves 64 bits"},
           {std::string(300, '(') + "A", "is nested too deeply"}}) {
    EXPECT_THAT(Refusal(text), testing::HasSubstr(words)) << text;
  }
  EXPECT_EQ(Refusal("A<9"), "taken");
}

TEST(Where, SaysWhichNamesItUses) {
  EXPECT_THAT(WhereExpression("B*B>A", kNames).used(), testing::ElementsAre(1, 0));
}

}  // namespace
}  // namespace tilesim
