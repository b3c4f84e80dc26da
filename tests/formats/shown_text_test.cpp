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

TEST(ShownText, TakesTwoColumnsForAWideCharacterAndNoneForAMarkOverAnother) {
  EXPECT_EQ(DisplayWidth(""), 0U);
  EXPECT_EQ(DisplayWidth("a b~"), 4U);
  EXPECT_EQ(DisplayWidth("\xc3\xbc\xd0\x96"), 2U);                      // Latin, Cyrillic
  EXPECT_EQ(DisplayWidth("\xe5\x8a\xa0\xe6\xb3\x95"), 4U);              // Chinese
  EXPECT_EQ(DisplayWidth("\xea\xb0\x80\xe3\x82\xab\xef\xbc\x81"), 6U);  // Hangul, Katakana, a wide '!'
  EXPECT_EQ(DisplayWidth("\xf0\x9f\x98\x80\xf0\xa0\x80\x80"), 4U);      // a face, an ideograph of plane 2
  EXPECT_EQ(DisplayWidth("e\xcc\x81"), 1U);                             // with a combining accent
  EXPECT_EQ(DisplayWidth("\xef\xbd\xb6\xe2\x82\xac"), 2U);              // a half-width Katakana, the euro
  EXPECT_EQ(DisplayWidth("\xff"), 1U);                                  // not UTF-8
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
