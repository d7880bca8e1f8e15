#include "sandbox/scenario.h"

#include <set>

#include "sandbox/test_world.h"

namespace finality::sandbox {
namespace {

class ScenarioTest : public TestWorld {
 protected:
  // The one notification of a trade that ended, with its signature checked.
  boost::json::object only_notification() {
    const auto heard = receiver_.wait_for(1);
    EXPECT_EQ(heard.size(), 1u);
    expect_signed(heard[0].headers, heard[0].body);
    EXPECT_EQ(heard[0].headers.get("Content-Type"), "application/json");
    return boost::json::parse(heard[0].body).as_object();
  }
};

TEST_F(ScenarioTest, NamesAreUniqueAndTheDefaultExists) {
  std::set<std::string_view> names;
  for (const Scenario& scenario : scenarios()) EXPECT_TRUE(names.insert(scenario.name).second) << scenario.name;
  EXPECT_NE(find_scenario(kDefaultScenario), nullptr);
  EXPECT_EQ(find_scenario("wonder"), nullptr);
}

TEST_F(ScenarioTest, PaysByItself) {
  const Answer made = create(order("order-1", "pays"));
  EXPECT_EQ(made.state(), "waiting");
  const boost::json::object event = only_notification();
  EXPECT_EQ(event.at("type"), "trade.paid");
  EXPECT_TRUE(event.contains("id") && event.contains("created_at"));
  EXPECT_EQ(event.at("trade").at("paid").as_int64(), 1234);
  const Answer paid = query("order-1");
  EXPECT_EQ(paid.trade(), event.at("trade").as_object());
  EXPECT_TRUE(paid.trade().contains("paid_at"));
}

TEST_F(ScenarioTest, DeclinesByItself) {
  create(order("order-1", "declines"));
  const boost::json::object event = only_notification();
  EXPECT_EQ(event.at("type"), "trade.failed");
  EXPECT_EQ(event.at("trade").at("state"), "failed");
  EXPECT_EQ(query("order-1").trade().at("paid").as_int64(), 0);
}

TEST_F(ScenarioTest, SlowIsCarriedOutAtOnceAndAnsweredLate) {
  const auto began = std::chrono::steady_clock::now();
  auto answer = std::async(std::launch::async, [&] { return create(order("order-1", "slow")); });
  while (query("order-1").status == 404 && answer.wait_for(Duration{10}) == std::future_status::timeout) {
  }
  EXPECT_EQ(query("order-1").state(), "waiting");
  EXPECT_EQ(answer.wait_for(Duration{0}), std::future_status::timeout) << "it was found before it was answered";
  EXPECT_EQ(answer.get().status, 200);
  EXPECT_GE(std::chrono::steady_clock::now() - began, Duration{2900});
  EXPECT_EQ(only_notification().at("type"), "trade.paid");
}

TEST_F(ScenarioTest, ManualAndNeverPaysWaitUntilTheTradeIsOver) {
  for (const char* scenario : {"manual", "never_pays"}) {
    auto body = order(scenario, scenario);
    body["expires_at"] = to_rfc3339(SystemClock().now() + Duration{1000});
    EXPECT_EQ(create(body).state(), "waiting");
  }
  for (const auto& heard : receiver_.wait_for(2))
    EXPECT_EQ(boost::json::parse(heard.body).at("type"), "trade.closed") << "nobody paid before the expiry";
}

}  // namespace
}  // namespace finality::sandbox
