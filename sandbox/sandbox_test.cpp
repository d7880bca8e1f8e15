#include "sandbox/sandbox.h"

#include "base/time/movable_clock.h"
#include "sandbox/core/ledger.h"
#include "sandbox/testing/test_world.h"

namespace finality::sandbox {
namespace {

class SandboxTest : public TestWorld {
 protected:
  // Writes a trade as a crash would leave it: created, but with its planned event still to be performed.
  void enter_before_crash(const std::function<void(Trade&, Time)>& change) {
    Ledger ledger(directory_ / "sandbox.db");
    Trade trade;
    trade.channel = "sandbox";
    trade.out_trade_no = "order-1";
    trade.amount = 1234;
    trade.currency = "CNY";
    trade.notify_url = receiver_.url();
    trade.act = Act::pay;
    ledger.begin(SystemClock().now());
    change(trade, ledger.now());
    ledger.create_trade(trade);
    ledger.commit();
  }
};

TEST_F(SandboxTest, KeepsItsDataAcrossARestart) {
  const SandboxReply made = create(order("order-1"));
  create(order("order-2", "pays"));
  const std::string paid_no = wait_for_state("order-2", "paid").trade_no();
  refund("refund-1", paid_no, 100);
  const SandboxReply ledger = visit("GET", "/ledger");
  stop();
  start();
  EXPECT_EQ(visit("GET", "/ledger").json, ledger.json);
  EXPECT_EQ(create(order("order-1")).trade(), made.trade());
  EXPECT_EQ(refund("refund-2", paid_no, 1135).text("code"), "refund_exceeds_paid");
}

TEST_F(SandboxTest, MigratesDatabasesThatLackNewerColumns) {
  create(order("order-1", "pays"));
  const std::string paid_no = wait_for_state("order-1", "paid").trade_no();
  refund("refund-1", paid_no, 100);
  const SandboxReply made = create(order("order-2"));
  stop();
  {
    Database ledger(directory_ / "sandbox.db");
    ledger.execute(
        "ALTER TABLE trades DROP COLUMN product; ALTER TABLE trades DROP COLUMN details;"
        "ALTER TABLE trades DROP COLUMN opened; ALTER TABLE refunds DROP COLUMN details;"
        "ALTER TABLE refunds DROP COLUMN settles_at; ALTER TABLE refunds DROP COLUMN settlement;"
        "ALTER TABLE refunds DROP COLUMN returned_at; ALTER TABLE refunds DROP COLUMN is_debited;"
        "DROP TABLE movements; DROP TABLE statement_faults; DROP TABLE automatic_withdrawals;"
        "DROP INDEX notifications_unsent; DROP INDEX trades_of_hold; DROP INDEX trades_reported; DROP TABLE "
        "hold_releases; DROP TABLE holds;"
        "ALTER TABLE trades DROP COLUMN hold_no; ALTER TABLE trades DROP COLUMN reported_no;"
        "ALTER TABLE trades DROP COLUMN is_final; ALTER TABLE notifications DROP COLUMN hold_no;"
        "ALTER TABLE trades DROP COLUMN settlement; ALTER TABLE trades DROP COLUMN reports_settlement;");
  }
  start();
  EXPECT_EQ(query("order-2").trade(), made.trade());
  EXPECT_EQ(call("GET", "/sandbox/refunds/refund-1").json.at("refund").at("amount").as_int64(), 100);
  EXPECT_EQ(visit("POST", "/wallet/" + made.trade_no() + "/pay").status, 200);
}

TEST_F(SandboxTest, Trade_expires_when_the_clock_is_moved) {
  stop();
  const std::shared_ptr<MovableClock> clock = std::move(*MovableClock::open(directory_ / "clock"));
  clock_ = clock;
  start();
  auto body = order("order-1", "never_pays");
  body["expires_at"] = to_rfc3339(SystemClock().now() + std::chrono::hours(1));
  EXPECT_EQ(create(body).state(), "waiting");
  ASSERT_TRUE(clock->advance(std::chrono::hours(2)));
  const auto received = receiver_.wait_for(1);
  EXPECT_EQ(boost::json::parse(received[0].body).at("type"), "trade.closed");
}

TEST_F(SandboxTest, APayerPaysAfterACrash) {
  stop();
  enter_before_crash([](Trade& trade, Time now) { trade.act_at = now + Duration{50}; });
  start();
  receiver_.wait_for(1);
  EXPECT_EQ(query("order-1").state(), "paid");
}

TEST_F(SandboxTest, ATradeThatExpiredDuringTheDowntimeIsClosed) {
  stop();
  enter_before_crash([](Trade& trade, Time now) { trade.expires_at = trade.act_at = now - Duration{1}; });
  start();
  EXPECT_EQ(query("order-1").state(), "closed");
}

TEST_F(SandboxTest, ANotificationIsRepeatedAfterARestart) {
  receiver_.reply_with([](std::size_t n) -> net::HttpResponse {
    return {.status = n == 0 ? 503 : 200, .headers = {}, .body = "success"};
  });
  create(order("order-1", "pays"));
  receiver_.wait_for(1);
  stop();
  start();
  const auto received = receiver_.wait_for(2);
  EXPECT_EQ(received[0].body, received[1].body);
}

TEST_F(SandboxTest, TwoSandboxesCannotShareADatabase) {
  const auto second = Sandbox::start(io_, options());
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("sandbox.db"), std::string::npos) << second.error().message;
}

TEST_F(SandboxTest, RejectsInvalidOptions) {
  Options no_secret = options();
  no_secret.secret = Secret();
  Options no_scale = options();
  no_scale.time_scale = 0;
  Options taken = options();
  taken.data_directory = directory_ / "other";
  taken.port = sandbox_->port();
  for (const Options& bad : {no_secret, no_scale, taken}) EXPECT_FALSE(Sandbox::start(io_, bad));
}

TEST_F(SandboxTest, AnswersReceivedRequestsBeforeItEnds) {
  auto answer = std::async(std::launch::async, [&] { return create(order("order-1", "slow")); });
  while (query("order-1").status == 404) std::this_thread::yield();
  std::promise<void> drained;
  sandbox_->drain(kPatience, [&] { drained.set_value(); });
  EXPECT_EQ(answer.get().status, 200);
  drained.get_future().get();
}

}  // namespace
}  // namespace finality::sandbox
