#include "cli/reporter.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "formats/error.h"

namespace tilesim {
namespace {

constexpr ReportColumn kColumns[] = {
    {"id", 6}, {"count", 5}, {"hidden"}, {"good"}, {"message", ReportColumn::kMessage}};
const ReportRow kRow = {std::string("a,\"b\""), int64_t{7}, 0.1, true, std::string("two\nlines")};
const ReportRow kEmpty = {std::string("c"), {}, std::numeric_limits<double>::infinity(), false, {}};

TEST(CsvReporter, QuotesWhatNeedsIt) {
  const auto reporter = MakeReporter("csv", kColumns);
  EXPECT_EQ(reporter->Head(), "id,count,hidden,good,message\n");
  EXPECT_EQ(reporter->Text(kRow), "\"a,\"\"b\"\"\",7,0.1,true,\"two lines\"\n");
  EXPECT_EQ(reporter->Text(kEmpty), "c,,inf,false,\n");
}

TEST(JsonReporter, WritesAnObjectALine) {
  const auto reporter = MakeReporter("json", kColumns);
  EXPECT_EQ(reporter->Head(), "");
  EXPECT_EQ(
      reporter->Text(kRow),
      "{\"id\":\"a,\\\"b\\\"\",\"count\":7,\"hidden\":0.1,\"good\":true,\"message\":\"two\\nlines\"}\n");
  const nlohmann::json empty = nlohmann::json::parse(reporter->Text(kEmpty));
  EXPECT_TRUE(empty["count"].is_null());
  EXPECT_EQ(empty["hidden"], "inf");
}

TEST(TableReporter, PutsMessagesBelow) {
  const auto reporter = MakeReporter("table", kColumns);
  EXPECT_EQ(reporter->Head(), "id      count\n");
  EXPECT_EQ(reporter->Text(kRow), "a,\"b\"       7\n  two\n  lines\n");
  EXPECT_EQ(reporter->Text(kEmpty), "c\n");
}

TEST(Reporter, RefusesAnUnknownFormat) { EXPECT_THROW(MakeReporter("xml", kColumns), UserError); }

}  // namespace
}  // namespace tilesim
