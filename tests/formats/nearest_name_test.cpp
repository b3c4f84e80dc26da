#include "formats/nearest_name.h"

#include <gtest/gtest.h>

namespace tilesim {
namespace {

TEST(NearestName, CountsLettersButNotTheirCase) {
  EXPECT_EQ(EditDistance("baseM", "BASEM"), 0u);
  EXPECT_EQ(EditDistance("", "abc"), 3u);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
  EXPECT_EQ(NearestName("stepK", std::vector<std::string>{"stepM", "stepKa", "baseK"}), "stepM");
}

TEST(DidYouMean, NamesOnlyWhatIsLike) {
  const std::vector<std::string_view> names = {"run", "compare", "trace", "threads"};
  EXPECT_EQ(DidYouMean("rn", names), "did you mean run? ");
  EXPECT_EQ(DidYouMean("tarce", names, "--"), "did you mean --trace? ");
  EXPECT_EQ(DidYouMean("thr", names, "'--", "'"), "did you mean '--threads'? ");
  for (const std::string_view unlike : {"", "r", "plan", "simulate", "th"}) {
    EXPECT_EQ(DidYouMean(unlike, names), "") << unlike;
  }
  EXPECT_EQ(DidYouMean("run", std::vector<std::string_view>{}), "");
}

}  // namespace
}  // namespace tilesim
