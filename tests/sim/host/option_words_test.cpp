// Options as words.
#include "sim/host/option_words.h"

#include <gtest/gtest.h>

#include <array>

#include "formats/error.h"
#include "tests/sim/host/started.h"

namespace tilesim::host {
namespace {

constexpr std::array kNames = {OptionName{"count"}, OptionName{.name = "set", .repeats = true},
                               OptionName{.name = "fast", .is_switch = true}};

std::string Refusal(const std::string& line) {
  try {
    const OptionWords words(WordsOf(line, "here: "), kNames, "here: ");
    static_cast<void>(words.Whole("count", 1, 1, 9));
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(OptionWords, AreNamesWithValuesSwitchesAndRepeats) {
  const OptionWords words(WordsOf(" --count=7 --set 'a b' --set c=\"d e\" --fast\n", ""), kNames, "");
  EXPECT_EQ(words.Whole("count", 1, 1, 9), 7);
  EXPECT_EQ(words.All("set"), (std::vector<std::string>{"a b", "c=d e"}));
  EXPECT_TRUE(words.Has("fast"));
}

TEST(OptionWords, RefuseWhatIsNotClear) {
  EXPECT_EQ(Refusal("--cuont 1"),
            "here: unknown option --cuont; did you mean --count? options: --count, --set, --fast");
  EXPECT_EQ(Refusal("count"), "here: 'count' is no option; options begin with --");
  EXPECT_EQ(Refusal("--count"), "here: --count needs a value");
  EXPECT_EQ(Refusal("--count 1 --count 2"), "here: --count is given twice");
  EXPECT_EQ(Refusal("--fast=1"), "here: --fast takes no value");
  EXPECT_EQ(Refusal("--count 10"), "here: --count = '10', must be a whole number of 1..9");
  EXPECT_EQ(Refusal("--set 'a"), "here: a quote ' is not closed");
}

}  // namespace
}  // namespace tilesim::host
