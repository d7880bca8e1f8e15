#include "sandbox/core/notifier.h"

#include <set>
#include "sandbox/testing/test_world.h"

namespace finality::sandbox {
namespace {

using NotifierTest = TestWorld;

TEST_F(NotifierTest, RepeatsTheSameNotificationUntilItIsAcknowledged) {
  // Each of these responses resembles an acknowledgement, but is not one.
  receiver_.reply_with([](std::size_t n) -> net::HttpResponse {
    if (n == 0) return {.status = 500, .headers = {}, .body = "success"};
    if (n == 1) return {.status = 200, .headers = {}, .body = "success\n"};
    return {.status = 200, .headers = {}, .body = "success"};
  });
  create(order("order-1", "pays"));
  create(order("order-2"));
  const auto received = receiver_.wait_for(3);
  EXPECT_EQ(received[0].body, received[1].body);
  EXPECT_EQ(received[1].body, received[2].body);
  expect_signed(received[2].headers, received[2].body);
  // The fourth notification is about order-2, so the acknowledged notification about the first order was not repeated.
  visit("POST", "/wallet/" + query("order-2").trade_no() + "/decline");
  EXPECT_EQ(boost::json::parse(receiver_.wait_for(4)[3].body).at("type"), "trade.failed");
}

TEST_F(NotifierTest, ATradeEndsEvenIfTheMerchantIsUnreachable) {
  auto body = order("order-1", "pays");
  body["notify_url"] = "http://127.0.0.1:1/nobody";
  create(body);
  wait_for_state("order-1", "paid");
}

TEST_F(NotifierTest, TheLedgerCountsOutstandingNotifications) {
  receiver_.reply_with([](std::size_t n) -> net::HttpResponse {
    return {.status = n == 0 ? 500 : 200, .headers = {}, .body = "success"};
  });
  create(order("order-1", "pays"));
  receiver_.wait_for(1);
  EXPECT_EQ(outstanding_count(), 1);
  receiver_.wait_for(2);
  wait([this] { return outstanding_count() == 0; });
  EXPECT_EQ(outstanding_count(), 0);
}

TEST_F(NotifierTest, SendsManyConcurrentlyAndEachOnce) {
  constexpr std::size_t kTrades = 300;
  for (std::size_t i = 0; i < kTrades; ++i) create(order("order-" + std::to_string(i), "pays"));
  std::set<std::string> ids;
  for (const auto& received : receiver_.wait_for(kTrades))
    ids.insert(std::string(boost::json::parse(received.body).at("id").as_string()));
  EXPECT_EQ(ids.size(), kTrades);
}

}  // namespace
}  // namespace finality::sandbox
