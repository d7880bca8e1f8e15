#include "store/archive/parse_line.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <limits>

#include "store/archive/line.h"
#include "store/testing/sample_rows.h"

namespace finality::store {
namespace {

namespace json = boost::json;
using store_contract::expect_same;
using store_contract::must;
using store_contract::RowFiller;

/// An order with two rows of every row type, and a value in every column. `optionals`: fills optional columns too.
WholeOrder make_whole_order(bool optionals) {
  RowFiller filler(optionals);
  WholeOrder order{
      store_contract::make_aggregate<OrderAggregate>(filler), {filler.row<Event>(), filler.row<Event>()}, {}};
  for (int i = 0; i < 2; ++i)
    order.deliveries.push_back(
        {store_contract::make_aggregate<DeliveryAggregate>(filler), {filler.row<Event>(), filler.row<Event>()}});
  return order;
}

void expect_same_order(const WholeOrder& found, const WholeOrder& expected) {
  expect_same(&found.rows, expected.rows);
  expect_same(found.events, expected.events);
  ASSERT_EQ(found.deliveries.size(), expected.deliveries.size());
  for (std::size_t i = 0; i < expected.deliveries.size(); ++i) {
    expect_same(&found.deliveries[i].rows, expected.deliveries[i].rows);
    expect_same(found.deliveries[i].events, expected.deliveries[i].events);
  }
}

void expect_round_trip(const WholeOrder& order) {
  const std::string line = line_of(order);
  const auto parsed = parse_line(line);
  ASSERT_TRUE(parsed) << parsed.error().message;
  expect_same_order(*parsed, order);
  EXPECT_EQ(line_of(*parsed), line);
}

/// Returns the archive line of an order whose JSON was modified by `change`.
template <class Change>
std::string changed_line(Change change) {
  json::value line = json::parse(line_of(make_whole_order(true)));
  change(line.as_object());
  return json::serialize(line);
}

std::string error_of(const std::string& line) {
  const auto parsed = parse_line(line);
  return parsed ? "" : parsed.error().message;
}

TEST(ParseLine, EveryRowAndColumnRoundTrips) {
  expect_round_trip(make_whole_order(true));
  expect_round_trip(make_whole_order(false));
}

TEST(ParseLine, AnOrderWithoutChildrenRoundTrips) {
  RowFiller filler(false);
  WholeOrder order;
  order.rows.order = filler.row<Order>();
  order.rows.order.children = 0;
  expect_round_trip(order);
}

TEST(ParseLine, ExtremeValuesRoundTrip) {
  WholeOrder order = make_whole_order(true);
  order.rows.order.amount = std::numeric_limits<std::int64_t>::max();
  order.rows.order.created_at = Time{std::numeric_limits<std::int64_t>::min()};
  order.rows.order.subject = std::string("\0\x1f\xff{\"hex\":\"00\"}", 15);
  order.rows.order.metadata = R"({"hex":"00"})";
  order.rows.payments.front().payer = "";
  order.rows.payments.front().channel_trade_no = "";
  order.rows.receipts.front().refund_numbers = "\xe6\x94\xaf\xe4\xbb\x98 \xf0\x9f\x8d\xb5 \\ / \"";
  expect_round_trip(order);
}

TEST(ParseLine, EveryStateRoundTrips) {
  WholeOrder order = make_whole_order(true);
  for (std::size_t i = 0; i < kCount<CaseKind>; ++i) order.rows.cases.emplace_back().kind = static_cast<CaseKind>(i);
  for (std::size_t i = 0; i < kCount<PaymentState>; ++i)
    order.rows.payments.emplace_back().state = static_cast<PaymentState>(i);
  for (std::size_t i = 0; i < kCount<AuthorizationState>; ++i)
    order.rows.authorizations.emplace_back().state = static_cast<AuthorizationState>(i);
  for (std::size_t i = 0; i < kCount<EndReason>; ++i)
    order.rows.authorizations.emplace_back().end_reason = static_cast<EndReason>(i);
  for (std::size_t i = 0; i < kCount<CaptureOrigin>; ++i)
    order.rows.captures.emplace_back().origin = static_cast<CaptureOrigin>(i);
  for (std::size_t i = 0; i < kCount<ObjectType>; ++i)
    order.events.emplace_back().object_type = static_cast<ObjectType>(i);
  expect_round_trip(order);
}

TEST(ParseLine, AColumnMissingFromAnOlderLineGetsItsDefault) {
  const WholeOrder order = must(parse_line(changed_line([](json::object& line) {
    line.at("refunds").as_array().front().as_object().erase("origin");
    line.at("receipts").as_array().front().as_object().erase("capture_id");
    line.at("receipts").as_array().front().as_object().erase("ordinal");
    line.erase("returns");
    line.erase("authorizations");
    line.erase("captures");
    line.at("order").as_object().erase("children");
  })));
  EXPECT_EQ(order.rows.refunds.front().origin, RefundOrigin::merchant);
  EXPECT_FALSE(order.rows.receipts.front().capture_id);
  EXPECT_EQ(order.rows.receipts.front().ordinal, 0);
  EXPECT_TRUE(order.rows.returns.empty());
  EXPECT_TRUE(order.rows.authorizations.empty());
  EXPECT_TRUE(order.rows.captures.empty());
  EXPECT_EQ(order.rows.order.children, presence_of(order.rows));
  EXPECT_EQ(order.rows.refunds.size(), 2u);
}

TEST(ParseLine, AnUnknownWordIsAnError) {
  EXPECT_FALSE(parse_line(changed_line(
      [](json::object& line) { line.at("cases").as_array().front().as_object()["kind"] = "no_such_kind"; })));
}

TEST(ParseLine, AnUnknownColumnIsAnError) {
  const std::string message = error_of(
      changed_line([](json::object& line) { line.at("payments").as_array().back().as_object()["new_column"] = 1; }));
  EXPECT_TRUE(message.contains("is unknown to this program")) << message;
  EXPECT_FALSE(parse_line(changed_line([](json::object& line) { line["new_table"] = json::array(); })));
}

TEST(ParseLine, AValueThatDoesNotFitItsColumnIsAnError) {
  const std::pair<const char*, json::value> wrong[] = {{"id", nullptr},
                                                       {"id", "1"},
                                                       {"amount", 1.5},
                                                       {"amount", nullptr},
                                                       {"currency", "CN"},
                                                       {"fingerprint", "00"},
                                                       {"parked", 1},
                                                       {"state", "unheard"},
                                                       {"state", nullptr},
                                                       {"subject", 1},
                                                       {"subject", json::object{{"hex", "0"}}},
                                                       {"subject", json::object{{"text", "00"}}}};
  for (const auto& [column, value] : wrong) {
    const std::string message =
        error_of(changed_line([&](json::object& line) { line.at("order").as_object()[column] = value; }));
    EXPECT_TRUE(message.contains(std::string("orders.") + column)) << column << ": " << message;
  }
  EXPECT_TRUE(
      error_of(changed_line([](json::object& line) { line.at("order").as_object().erase("id"); })).contains("id"));
}

TEST(ParseLine, AMalformedLineIsAnError) {
  for (const char* line : {"", "{", "[]", "1", "{}", R"({"order":1})", R"({"order":{}})"})
    EXPECT_FALSE(parse_line(line));
  for (const char* list : {"payments", "events", "deliveries"})
    EXPECT_FALSE(parse_line(changed_line([&](json::object& line) { line[list] = "none"; }))) << list;
  EXPECT_FALSE(parse_line(changed_line([](json::object& line) { line.at("cases").as_array().push_back(1); })));
  EXPECT_FALSE(parse_line(changed_line([](json::object& line) { line.at("deliveries").as_array().push_back(1); })));
}

}  // namespace
}  // namespace finality::store
