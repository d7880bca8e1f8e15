#include "http/input/query_params.h"

#include <gtest/gtest.h>

namespace finality::http {
namespace {

// Reads the query parameters of GET /v1/orders.
std::expected<Page, Refusal> read(std::string_view text) {
  QueryParams query(text);
  query.text("number", 4);
  query.choice<OrderState>("state");
  query.time("from");
  query.reference("object");
  const Page page = query.page<OrderId>();
  if (const auto checked = query.finish(); !checked) return std::unexpected(checked.error());
  return page;
}

TEST(QueryParams, ReadsAPage) {
  const std::string id = to_text(OrderId{77});
  EXPECT_EQ(read("")->limit, 10u);
  EXPECT_EQ(read("limit=100")->limit, 100u);
  EXPECT_EQ(read("starting_after=" + id)->after, 77);
  EXPECT_EQ(read("limit=5&ending_before=" + id + "&")->before, 77);
}

TEST(QueryParams, DecodesNamesAndValues) {
  QueryParams query("n%61me=%E8%8C%B6&from=2026-01-31T23:59:59%2B08:00&to=2026-01-31T23:59:59+08:00");
  EXPECT_EQ(query.text("name", 1), "茶");
  const auto from = query.time("from");
  ASSERT_TRUE(from);
  EXPECT_EQ(to_rfc3339(*from), "2026-01-31T15:59:59.000Z");
  EXPECT_EQ(query.time("to"), from);
  EXPECT_TRUE(query.finish());
}

TEST(QueryParams, RefusesARangeThatEndsBeforeItBegins) {
  const auto error_of = [](std::string_view text, bool has_times) {
    QueryParams query(text);
    if (has_times)
      query.time_range("from", "to");
    else
      query.date_range();
    const auto checked = query.finish();
    return checked ? std::string() : checked.error().param.value_or("") + ": " + checked.error().detail;
  };
  EXPECT_EQ(error_of("from=2026-01-02&to=2026-01-01", false), "from: from must not be after to.");
  EXPECT_EQ(error_of("from=2026-01-01&to=2026-01-01", false), "");
  EXPECT_EQ(error_of("from=2026-01-02", false), "");
  EXPECT_EQ(error_of("from=x&to=2026-01-01", false), "from: from must be a calendar day, such as 2026-01-31.");
  EXPECT_EQ(error_of("from=2026-01-01T00:00:01Z&to=2026-01-01T00:00:00Z", true), "from: from must not be after to.");
  EXPECT_EQ(error_of("from=2026-01-01T08:00:00%2B08:00&to=2026-01-01T00:00:00Z", true), "");
  EXPECT_EQ(error_of("to=2026-01-01T00:00:00Z", true), "");
}

TEST(QueryParams, ReadsAnIntegerWithinItsRange) {
  const auto error_of = [](const std::string& text) {
    QueryParams query("line=" + text);
    query.integer("line", 0, 9'999'999'999);
    const auto checked = query.finish();
    return checked ? std::string() : checked.error().param.value_or("") + ": " + checked.error().detail;
  };
  EXPECT_EQ(QueryParams("line=9999999999").integer("line", 0, 9'999'999'999), 9'999'999'999);
  EXPECT_FALSE(QueryParams("").integer("line", 0, 1));
  for (const char* valid : {"0", "9999999999"}) EXPECT_EQ(error_of(valid), "") << valid;
  for (const char* invalid : {"-1", "10000000000", "99999999999999999999", "1.5", "x", ""})
    EXPECT_EQ(error_of(invalid), "line: line must be an integer from 0 to 9999999999.") << invalid;
}

TEST(QueryParams, RefusesWithTheParameter) {
  const std::string order = to_text(OrderId{1});
  const std::pair<std::string, std::string> cases[] = {
      {"limit=0", "limit"},
      {"limit=101", "limit"},
      {"limit=-1", "limit"},
      {"limit=+1", "limit"},
      {"limit=", "limit"},
      {"limit=1.5", "limit"},
      {"limit=99999999999999999999", "limit"},
      {"limit=5&limit=6", "limit"},
      {"number=", "number"},
      {"number=12345", "number"},
      {"number=%00", "number"},
      {"state=paid", "state"},
      {"from=yesterday", "from"},
      {"object=x", "object"},
      {"starting_after=" + to_text(PaymentId{1}), "starting_after"},
      {"ending_before=", "ending_before"},
      {"starting_after=" + order + "&ending_before=" + order, "ending_before"},
      {"colour=red", "colour"},
      {"colour", "colour"},
  };
  for (const auto& [text, param] : cases) {
    const auto page = read(text);
    ASSERT_FALSE(page) << text;
    EXPECT_EQ(page.error().code, RefusalCode::invalid_request) << text;
    EXPECT_EQ(page.error().param, param) << text;
  }
}

TEST(QueryParams, RefusesMalformedQueries) {
  for (const std::string_view text : {"%zz=1", "limit=%zz", "limit=%f", "%ff=1", "=1", "limit=%ff"}) {
    const auto page = read(text);
    ASSERT_FALSE(page) << text;
    EXPECT_FALSE(page.error().param) << text;
  }
}

}  // namespace
}  // namespace finality::http
