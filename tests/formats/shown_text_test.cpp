#include "formats/shown_text.h"

#include <gtest/gtest.h>

#include <string>

#include "formats/error.h"

namespace tilesim {
namespace {

TEST(ShownText, FindsTheFirstByteThatIsNoUtf8) {
  // the first and the last character of each length, and what is next to them
  for (const std::string right : {"", "a", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf",
                                  "\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_FALSE(FirstNotUtf8("ab" + right + "c").has_value()) << right;
  }
  for (const std::string wrong : {"\x80", "\xc1\xbf", "\xc2", "\xe0\x9f\xbf", "\xe0\xa0", "\xed\xa0\x80",
                                  "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"}) {
    EXPECT_EQ(FirstNotUtf8("ab" + wrong), 2U) << Shown(wrong);
    EXPECT_EQ(FirstNotUtf8("ab" + wrong + "c"), 2U) << Shown(wrong);
  }
}

TEST(ShownText, PlainTextHasNoControlCharacters) {
  EXPECT_TRUE(IsPlainText("a b\xc3\xbc~"));
  EXPECT_TRUE(IsPlainText("\xc2\xa0"));
  for (const std::string not_plain : {"\n", "\t", "\x1b", "\x1f", "\x7f", "\xc2\x9f", "\xff"}) {
    EXPECT_FALSE(IsPlainText("a" + not_plain)) << Shown(not_plain);
  }
  EXPECT_FALSE(IsPlainText(std::string(1, '\0')));
}

TEST(ShownText, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(Shown("a\x1b[31m\xff\n\t\xc2\x9b"), "a\\x1b[31m\\xff\\n\\t\\xc2\\x9b");
  EXPECT_EQ(Printable("a\x1b\xff\n\tb\xc3\xbc"), "a\\x1b\\xff\n\tb\xc3\xbc");
  EXPECT_STREQ(UserError("x\x1b[0m\ny").what(), "x\\x1b[0m\ny");
}

TEST(ShownText, CutsALongTextAndSaysHowLongItIs) {
  EXPECT_EQ(Shown(std::string(120, 'a')), std::string(120, 'a'));
  EXPECT_EQ(Shown(std::string(121, 'a')), std::string(120, 'a') + "... (121 bytes)");
  const std::string word(1000, 'a');
  EXPECT_EQ(Printable("x " + word + "\n" + word), "x " + word + "\n" + word);
  EXPECT_EQ(Printable("x " + word + "b\ny"), "x " + std::string(120, 'a') + "... (1001 bytes)\ny");
  EXPECT_EQ(Printable(""), "");
}

}  // namespace
}  // namespace tilesim
