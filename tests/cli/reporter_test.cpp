#include "cli/reporter.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "formats/error.h"
#include "tests/support/json_text.h"

namespace tilesim {
namespace {

constexpr ReportColumn kColumns[] = {
    {"id", 6}, {"count", 5}, {"hidden"}, {"good"}, {"message", ReportColumn::kMessage}};
const ReportRow kRow = {std::string("a,\"b\""), int64_t{7}, 0.1, true, std::string("two\nlines")};
const ReportRow kEmpty = {std::string("c"), {}, std::numeric_limits<double>::infinity(), false, {}};

TEST(CsvReporter, QuotesWhatNeedsIt) {
  const auto reporter = MakeReporter("csv", kColumns);
  EXPECT_EQ(reporter->Head(), "id,count,hidden,good,message\n");
  EXPECT_EQ(reporter->Text(kRow), "\"a,\"\"b\"\"\",7,0.1,true,\"two; lines\"\n");
  EXPECT_EQ(reporter->Text(kEmpty), "c,,inf,false,\n");
}

TEST(JsonReporter, WritesAnObjectALine) {
  const auto reporter = MakeReporter("json", kColumns);
  EXPECT_EQ(reporter->Head(), "");
  EXPECT_EQ(
      reporter->Text(kRow),
      "{\"id\":\"a,\\\"b\\\"\",\"count\":7,\"hidden\":0.1,\"good\":true,\"message\":\"two\\nlines\"}\n");
  const nlohmann::json empty = ParseJson(reporter->Text(kEmpty));
  EXPECT_TRUE(empty["count"].is_null());
  EXPECT_EQ(empty["hidden"], "inf");
}

TEST(TableReporter, PutsMessagesBelow) {
  const auto reporter = MakeReporter("table", kColumns);
  EXPECT_EQ(reporter->Head(), "id      count\n");
  EXPECT_EQ(reporter->Text(kRow), "a,\"b\"       7\n  two\n  lines\n");
  EXPECT_EQ(reporter->Text(kEmpty), "c\n");
}

TEST(TableReporter, CountsColumnsOfATerminal) {
  const auto reporter = MakeReporter("table", kColumns);
  EXPECT_EQ(reporter->Text({std::string("\xe5\x8a\xa0#1"), int64_t{7}, {}, {}, {}}),
            "\xe5\x8a\xa0#1        7\n");
  EXPECT_EQ(reporter->Text({std::string("\xc3\xbc#1"), int64_t{7}, {}, {}, {}}), "\xc3\xbc#1         7\n");
}

TEST(JsonReporter, WritesWhatIsNotFiniteAsText) {
  constexpr ReportColumn kNumber[] = {{"x"}};
  const auto reporter = MakeReporter("json", kNumber);
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(reporter->Text({inf}), "{\"x\":\"inf\"}\n");
  EXPECT_EQ(reporter->Text({-inf}), "{\"x\":\"-inf\"}\n");
  EXPECT_EQ(reporter->Text({-std::numeric_limits<double>::quiet_NaN()}), "{\"x\":\"nan\"}\n");
}

TEST(Reporter, HasSomeColumnsInOneFormatOnly) {
  constexpr ReportColumn kSome[] = {
      {"id", 2}, {"short", 5, {}, ReportColumn::In::kTable}, {"all", 0, {}, ReportColumn::In::kJson}};
  const ReportRow row = {std::string("a"), std::string("b"), std::vector<std::string>{"c", "d"}};
  EXPECT_EQ(MakeReporter("table", kSome)->Text(row), "a   b\n");
  EXPECT_EQ(MakeReporter("csv", kSome)->Head() + MakeReporter("csv", kSome)->Text(row), "id\na\n");
  EXPECT_EQ(MakeReporter("json", kSome)->Text(row), "{\"id\":\"a\",\"all\":[\"c\",\"d\"]}\n");
}

TEST(TableReporter, ShowsFourDigits) {
  constexpr ReportColumn kNumber[] = {{"a_long_name", 8, "x"}};
  const auto reporter = MakeReporter("table", kNumber);
  EXPECT_EQ(reporter->Head(), "x\n");
  EXPECT_EQ(reporter->Text({0.00213828}), "  0.0021\n");
  EXPECT_EQ(reporter->Text({0.000213828}), "   2e-04\n");
  EXPECT_EQ(reporter->Text({0.0}), "       0\n");
  EXPECT_EQ(reporter->Text({0.823649}), "  0.8236\n");
  EXPECT_EQ(reporter->Text({374.076}), "   374.1\n");
  EXPECT_EQ(reporter->Text({16185.8}), "   16186\n");
  EXPECT_EQ(reporter->Text({std::numeric_limits<double>::infinity()}), "     inf\n");
}

TEST(Reporter, RefusesAnUnknownFormat) { EXPECT_THROW(MakeReporter("xml", kColumns), UserError); }

}  // namespace
}  // namespace tilesim
