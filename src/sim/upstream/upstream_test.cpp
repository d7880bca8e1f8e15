// Tests of the simulated channel: with any faults, it loses no money and executes no request twice.
#include "sim/upstream/upstream.h"

#include <gtest/gtest.h>

namespace finality::sim {
namespace {

constexpr Time kStart{1'790'000'000'000};
constexpr Currency kCny{{'C', 'N', 'Y'}};

struct UpstreamFixture {
  /// `profile`: profile of the channel "a". `without`: fault types that never happen.
  explicit UpstreamFixture(std::uint64_t seed, const ChannelProfile& profile = {}, FaultMask without = 0)
      : scheduler(seed, kStart, TraceWish::hashed, without),
        upstream(
            scheduler,
            [this](const Trade&, const Evidence& evidence, const std::function<void(bool)>& done) {
              paid_notifications += evidence.kind == EvidenceKind::paid;
              notified_at.push_back(scheduler.now());
              done(refusals-- <= 0);
            },
            [this](const UpstreamRefund&, const RefundEvidence& evidence, const std::function<void(bool)>& done) {
              returned[evidence.returned.value().number] = evidence.returned->amount;
              done(refusals-- <= 0);
            },
            [this](const UpstreamHold& hold, const AuthorizationEvidence& evidence,
                   const std::function<void(bool)>& done) {
              notified_holds[hold.out_trade_no] = evidence;
              done(refusals-- <= 0);
            },
            {{"a", profile}}) {
    scheduler.start_faults();
  }

  void run() {
    const Time until = scheduler.now() + std::chrono::hours(24 * 30);
    while (scheduler.step(until)) continue;
  }
  SimScheduler scheduler;
  int paid_notifications = 0;
  int refusals = 3;  // number of notifications that are not acknowledged
  std::vector<Time> notified_at;
  std::map<std::string, MinorUnits> returned;                   // amount by identifier of the return
  std::map<std::string, AuthorizationEvidence> notified_holds;  // last notification by out_trade_no
  Upstream upstream;
};

constexpr FaultMask kAllFaults = ~FaultMask{0};

TEST(UpstreamTest, ATradeIsCreatedOncePerNumber) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    UpstreamFixture fixture(seed);
    fixture.upstream.send("a", "1", 100, kCny);
    const std::size_t made = fixture.upstream.trades().size();
    for (int i = 0; i < 5; ++i) fixture.upstream.send("a", "1", 100, kCny);
    EXPECT_EQ(fixture.upstream.trades().size(), made);
    fixture.upstream.send("b", "1", 100, kCny);
    EXPECT_GT(fixture.upstream.trades().size(), made);
  }
}

TEST(UpstreamTest, ARefundIsMadeOncePerNumberAndNeverExceedsThePayment) {
  int refunded = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    UpstreamFixture fixture(seed);
    const Evidence sent = fixture.upstream.send("a", "1", 100, kCny);
    if (sent.kind != EvidenceKind::paid) continue;
    for (int i = 0; i < 3; ++i)
      for (const char* number : {"r1", "r2", "r3"}) fixture.upstream.refund("a", *sent.channel_trade_no, number, 40);
    fixture.run();
    const Trade& trade = *fixture.upstream.find_trade("a", *sent.channel_trade_no);
    EXPECT_LE(trade.requested_refunds + trade.external_refunds - trade.returned, trade.paid);
    EXPECT_EQ(trade.accepted_refunds, 0);
    EXPECT_EQ(trade.requested_refunds % 40, 0);
    refunded += trade.requested_refunds > 0;
  }
  EXPECT_GT(refunded, 10);
}

TEST(UpstreamTest, AReturnIsNotifiedUntilItIsAcknowledged) {
  int returns = 0;
  for (std::uint64_t seed = 1; seed <= 1200; ++seed) {
    UpstreamFixture fixture(seed);
    const Evidence sent = fixture.upstream.send("a", "1", 100, kCny);
    if (sent.kind != EvidenceKind::paid) continue;
    for (const char* number : {"r1", "r2"}) fixture.upstream.refund("a", *sent.channel_trade_no, number, 40);
    fixture.run();
    const Trade& trade = *fixture.upstream.find_trade("a", *sent.channel_trade_no);
    EXPECT_LE(trade.returned, trade.requested_refunds);
    MinorUnits notified = 0;
    for (const auto& [number, amount] : fixture.returned) notified += amount;
    EXPECT_EQ(notified, trade.returned - trade.external_returned);  // an external refund is notified with its trade
    returns += trade.returned > 0;
  }
  EXPECT_GT(returns, 3);
}

TEST(UpstreamTest, APaymentOfATradeReportedAsUnpaidIsNotified) {
  int late = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    UpstreamFixture fixture(seed);
    fixture.upstream.send("a", "1", 100, kCny);
    if (fixture.upstream.close("a", "1").kind != EvidenceKind::closed) continue;
    fixture.run();
    for (const auto& trade : fixture.upstream.trades()) {
      if (trade->paid == 0) continue;
      ++late;
      EXPECT_GT(fixture.paid_notifications, 0) << seed;
    }
  }
  EXPECT_GT(late, 3);
}

TEST(UpstreamTest, ARefundHasNoAmountIfTheChannelHidesIt) {
  int queried = 0;
  for (const bool hides : {false, true}) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      UpstreamFixture fixture(seed, {.hides_refunded_sum = hides}, kAllFaults);
      const Evidence sent = fixture.upstream.send("a", "1", 100, kCny);
      if (sent.kind != EvidenceKind::paid) continue;
      fixture.upstream.refund("a", *sent.channel_trade_no, "r1", 40);
      fixture.run();
      const Evidence partly = fixture.upstream.query("a", "1");
      EXPECT_EQ(partly.kind, EvidenceKind::paid);
      EXPECT_EQ(partly.is_refund_unknown, hides);
      EXPECT_EQ(partly.refunded, hides ? 0 : 40);
      fixture.upstream.refund("a", *sent.channel_trade_no, "r2", 60);
      fixture.run();
      const Evidence whole = fixture.upstream.query("a", "1");
      EXPECT_EQ(whole.is_refund_unknown, hides);
      EXPECT_EQ(whole.refunded, hides ? 0 : 100);
      EXPECT_EQ(whole.amount, 100);
      ++queried;
    }
  }
  EXPECT_GT(queried, 10);
}

TEST(UpstreamTest, NotificationsFollowTheScheduleAndEndWithIt) {
  using namespace std::chrono_literals;
  constexpr Duration kPauses[] = {15s, 3min, 6h};
  int checked = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    UpstreamFixture fixture(seed, {.notice_pauses = kPauses}, kAllFaults);
    fixture.refusals = 100;
    if (fixture.upstream.send("a", "1", 100, kCny).kind != EvidenceKind::paid) continue;
    fixture.run();
    ASSERT_EQ(fixture.notified_at.size(), 1 + std::size(kPauses));
    for (std::size_t i = 0; i < std::size(kPauses); ++i)
      EXPECT_EQ(fixture.notified_at[i + 1] - fixture.notified_at[i], kPauses[i]);
    ++checked;
  }
  EXPECT_GT(checked, 5);
}

TEST(UpstreamTest, ADeclinedPaymentIsNotifiedIfTheProfileSpecifiesIt) {
  std::map<Declined, int> failed;
  std::map<Declined, int> notified;
  for (const Declined manner : {Declined::notified, Declined::not_notified, Declined::waits}) {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
      UpstreamFixture fixture(seed, {.declined = manner}, kAllFaults);
      fixture.upstream.send("a", "1", 100, kCny);
      fixture.run();
      const Trade& trade = *fixture.upstream.trades().front();
      failed[manner] += trade.state == TradeState::failed;
      notified[manner] += trade.state != TradeState::paid && !fixture.notified_at.empty();
      EXPECT_EQ(fixture.upstream.query("a", "1").kind == EvidenceKind::failed, trade.state == TradeState::failed);
    }
  }
  EXPECT_GT(failed[Declined::notified], 5);
  EXPECT_GT(notified[Declined::notified], 5);
  EXPECT_GT(failed[Declined::not_notified], 5);
  EXPECT_EQ(notified[Declined::not_notified], 0);
  EXPECT_EQ(failed[Declined::waits], 0);
  EXPECT_EQ(notified[Declined::waits], 0);
}

TEST(UpstreamTest, AStrandedRefundIsAcceptedAndCompletes) {
  int stranded = 0;
  for (const bool strands : {false, true}) {
    for (std::uint64_t seed = 1; seed <= 800; ++seed) {
      UpstreamFixture fixture(seed, {.strands_refunds = strands}, ~bit_of(Fault::refund_stranded));
      fixture.upstream.send("a", "1", 100, kCny);
      fixture.run();
      const Evidence sent = fixture.upstream.query("a", "1");
      if (sent.kind != EvidenceKind::paid) continue;
      fixture.upstream.refund("a", *sent.channel_trade_no, "r1", 40);
      int stranded_replies = 0;
      for (int hour = 1; hour <= 24 * 5; ++hour)
        fixture.scheduler.after(std::chrono::hours(hour), [&] {
          const RefundEvidence reported = fixture.upstream.query_refund("a", "r1");
          stranded_replies += reported.is_stranded;
          if (reported.is_stranded) EXPECT_EQ(reported.kind, RefundEvidenceKind::accepted);
        });
      fixture.run();
      EXPECT_EQ(fixture.upstream.query_refund("a", "r1").kind, RefundEvidenceKind::refunded);
      EXPECT_EQ(fixture.upstream.find_trade("a", *sent.channel_trade_no)->requested_refunds, 40);
      EXPECT_TRUE(strands || stranded_replies == 0);
      stranded += stranded_replies > 0;
    }
  }
  EXPECT_GT(stranded, 0);
}

TEST(UpstreamTest, ARefusedRefundIsNotFoundLaterIfTheChannelHidesIt) {
  int refused = 0;
  for (const bool hides : {false, true}) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      UpstreamFixture fixture(seed, {.hides_refused_refunds = hides}, kAllFaults);
      const Evidence sent = fixture.upstream.send("a", "1", 100, kCny);
      if (sent.kind != EvidenceKind::paid) continue;
      const std::string trade = *sent.channel_trade_no;
      EXPECT_EQ(fixture.upstream.refund("a", trade, "more than was paid", 101).kind, RefundEvidenceKind::refused);
      EXPECT_EQ(fixture.upstream.query_refund("a", "more than was paid").kind,
                hides ? RefundEvidenceKind::not_found : RefundEvidenceKind::refused);
      EXPECT_EQ(fixture.upstream.refund("a", trade, "more than was paid", 101).kind, RefundEvidenceKind::refused);
      fixture.upstream.refund("a", trade, "r1", 100);
      fixture.run();
      EXPECT_EQ(fixture.upstream.query_refund("a", "r1").kind, RefundEvidenceKind::refunded);
      ++refused;
    }
  }
  EXPECT_GT(refused, 10);
}

}  // namespace
}  // namespace finality::sim
