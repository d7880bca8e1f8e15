// Tests that the simulated channel, however hostile, loses no money and executes nothing twice.
#include "sim/upstream/upstream.h"

#include <gtest/gtest.h>

namespace finality::sim {
namespace {

constexpr Time kStart{1'790'000'000'000};
constexpr Currency kCny{{'C', 'N', 'Y'}};

struct Scene {
  /// `profile` is that of the channel "a". Faults in `without` never happen.
  explicit Scene(std::uint64_t seed, const ChannelProfile& profile = {}, FaultMask without = 0)
      : scheduler(seed, kStart, TraceWish::hashed, without),
        upstream(
            scheduler,
            [this](const Trade&, const Evidence& evidence, const std::function<void(bool)>& done) {
              told_of_money += evidence.kind == EvidenceKind::paid;
              told_at.push_back(scheduler.now());
              done(refusals-- <= 0);
            },
            [this](const UpstreamRefund&, const RefundEvidence& evidence, const std::function<void(bool)>& done) {
              returned[evidence.returned.value().number] = evidence.returned->amount;
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
  int told_of_money = 0;
  int refusals = 3;  // notifications left unacknowledged
  std::vector<Time> told_at;
  std::map<std::string, MinorUnits> returned;  // by number of the return
  Upstream upstream;
};

constexpr FaultMask kAllFaults = ~FaultMask{0};

TEST(UpstreamTest, ATradeIsCreatedOncePerNumber) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Scene scene(seed);
    scene.upstream.send("a", "1", 100, kCny);
    const std::size_t made = scene.upstream.trades().size();
    for (int i = 0; i < 5; ++i) scene.upstream.send("a", "1", 100, kCny);
    EXPECT_EQ(scene.upstream.trades().size(), made);
    scene.upstream.send("b", "1", 100, kCny);
    EXPECT_GT(scene.upstream.trades().size(), made);
  }
}

TEST(UpstreamTest, ARefundIsMadeOncePerNumberAndNeverExceedsThePayment) {
  int refunded = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Scene scene(seed);
    const Evidence sent = scene.upstream.send("a", "1", 100, kCny);
    if (sent.kind != EvidenceKind::paid) continue;
    for (int i = 0; i < 3; ++i)
      for (const char* number : {"r1", "r2", "r3"}) scene.upstream.refund("a", *sent.channel_trade_no, number, 40);
    scene.run();
    const Trade& trade = *scene.upstream.find_trade("a", *sent.channel_trade_no);
    EXPECT_LE(trade.ours_back + trade.foreign_back - trade.returned, trade.paid);
    EXPECT_EQ(trade.ours_promised, 0);
    EXPECT_EQ(trade.ours_back % 40, 0);
    refunded += trade.ours_back > 0;
  }
  EXPECT_GT(refunded, 10);
}

TEST(UpstreamTest, AReturnIsNotifiedUntilItIsAcknowledged) {
  int returns = 0;
  for (std::uint64_t seed = 1; seed <= 1200; ++seed) {
    Scene scene(seed);
    const Evidence sent = scene.upstream.send("a", "1", 100, kCny);
    if (sent.kind != EvidenceKind::paid) continue;
    for (const char* number : {"r1", "r2"}) scene.upstream.refund("a", *sent.channel_trade_no, number, 40);
    scene.run();
    const Trade& trade = *scene.upstream.find_trade("a", *sent.channel_trade_no);
    EXPECT_LE(trade.returned, trade.ours_back);
    MinorUnits told = 0;
    for (const auto& [number, amount] : scene.returned) told += amount;
    EXPECT_EQ(told, trade.returned);
    returns += trade.returned > 0;
  }
  EXPECT_GT(returns, 3);
}

TEST(UpstreamTest, APaymentOfATradeReportedAsDeadIsNotified) {
  int late = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Scene scene(seed);
    scene.upstream.send("a", "1", 100, kCny);
    if (scene.upstream.close("a", "1").kind != EvidenceKind::closed) continue;
    scene.run();
    for (const auto& trade : scene.upstream.trades()) {
      if (trade->paid == 0) continue;
      ++late;
      EXPECT_GT(scene.told_of_money, 0) << seed;
    }
  }
  EXPECT_GT(late, 3);
}

TEST(UpstreamTest, ARefundHasNoAmountIfTheChannelHidesIt) {
  int asked = 0;
  for (const bool hides : {false, true}) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      Scene scene(seed, {.hides_refunded_sum = hides}, kAllFaults);
      const Evidence sent = scene.upstream.send("a", "1", 100, kCny);
      if (sent.kind != EvidenceKind::paid) continue;
      scene.upstream.refund("a", *sent.channel_trade_no, "r1", 40);
      scene.run();
      const Evidence partly = scene.upstream.query("a", "1");
      EXPECT_EQ(partly.kind, EvidenceKind::paid);
      EXPECT_EQ(partly.is_refund_unknown, hides);
      EXPECT_EQ(partly.refunded, hides ? 0 : 40);
      scene.upstream.refund("a", *sent.channel_trade_no, "r2", 60);
      scene.run();
      const Evidence whole = scene.upstream.query("a", "1");
      EXPECT_EQ(whole.is_refund_unknown, hides);
      EXPECT_EQ(whole.refunded, hides ? 0 : 100);
      EXPECT_EQ(whole.amount, 100);
      ++asked;
    }
  }
  EXPECT_GT(asked, 10);
}

TEST(UpstreamTest, NotificationsFollowTheScheduleAndEndWithIt) {
  using namespace std::chrono_literals;
  constexpr Duration kPauses[] = {15s, 3min, 6h};
  int heard = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Scene scene(seed, {.notice_pauses = kPauses}, kAllFaults);
    scene.refusals = 100;
    if (scene.upstream.send("a", "1", 100, kCny).kind != EvidenceKind::paid) continue;
    scene.run();
    ASSERT_EQ(scene.told_at.size(), 1 + std::size(kPauses));
    for (std::size_t i = 0; i < std::size(kPauses); ++i) EXPECT_EQ(scene.told_at[i + 1] - scene.told_at[i], kPauses[i]);
    ++heard;
  }
  EXPECT_GT(heard, 5);
}

TEST(UpstreamTest, ADeclinedPaymentIsNotifiedIfTheProfileSpecifiesIt) {
  std::map<Declined, int> failed;
  std::map<Declined, int> told;
  for (const Declined manner : {Declined::told, Declined::silent, Declined::waits}) {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
      Scene scene(seed, {.declined = manner}, kAllFaults);
      scene.upstream.send("a", "1", 100, kCny);
      scene.run();
      const Trade& trade = *scene.upstream.trades().front();
      failed[manner] += trade.state == TradeState::failed;
      told[manner] += trade.state != TradeState::paid && !scene.told_at.empty();
      EXPECT_EQ(scene.upstream.query("a", "1").kind == EvidenceKind::failed, trade.state == TradeState::failed);
    }
  }
  EXPECT_GT(failed[Declined::told], 5);
  EXPECT_GT(told[Declined::told], 5);
  EXPECT_GT(failed[Declined::silent], 5);
  EXPECT_EQ(told[Declined::silent], 0);
  EXPECT_EQ(failed[Declined::waits], 0);
  EXPECT_EQ(told[Declined::waits], 0);
}

TEST(UpstreamTest, AStrandedRefundIsAcceptedAndCompletes) {
  int stranded = 0;
  for (const bool strands : {false, true}) {
    for (std::uint64_t seed = 1; seed <= 800; ++seed) {
      Scene scene(seed, {.strands_refunds = strands}, ~bit_of(Fault::refund_stranded));
      scene.upstream.send("a", "1", 100, kCny);
      scene.run();
      const Evidence sent = scene.upstream.query("a", "1");
      if (sent.kind != EvidenceKind::paid) continue;
      scene.upstream.refund("a", *sent.channel_trade_no, "r1", 40);
      int seen = 0;
      for (int hour = 1; hour <= 24 * 5; ++hour)
        scene.scheduler.after(std::chrono::hours(hour), [&] {
          const RefundEvidence said = scene.upstream.query_refund("a", "r1");
          seen += said.is_stranded;
          if (said.is_stranded) EXPECT_EQ(said.kind, RefundEvidenceKind::accepted);
        });
      scene.run();
      EXPECT_EQ(scene.upstream.query_refund("a", "r1").kind, RefundEvidenceKind::refunded);
      EXPECT_EQ(scene.upstream.find_trade("a", *sent.channel_trade_no)->ours_back, 40);
      EXPECT_TRUE(strands || seen == 0);
      stranded += seen > 0;
    }
  }
  EXPECT_GT(stranded, 0);
}

TEST(UpstreamTest, ARefusedRefundIsNotFoundLaterIfTheChannelForgetsIt) {
  int refused = 0;
  for (const bool forgets : {false, true}) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      Scene scene(seed, {.forgets_refused_refunds = forgets}, kAllFaults);
      const Evidence sent = scene.upstream.send("a", "1", 100, kCny);
      if (sent.kind != EvidenceKind::paid) continue;
      const std::string trade = *sent.channel_trade_no;
      EXPECT_EQ(scene.upstream.refund("a", trade, "more than was paid", 101).kind, RefundEvidenceKind::refused);
      EXPECT_EQ(scene.upstream.query_refund("a", "more than was paid").kind,
                forgets ? RefundEvidenceKind::not_found : RefundEvidenceKind::refused);
      EXPECT_EQ(scene.upstream.refund("a", trade, "more than was paid", 101).kind, RefundEvidenceKind::refused);
      scene.upstream.refund("a", trade, "r1", 100);
      scene.run();
      EXPECT_EQ(scene.upstream.query_refund("a", "r1").kind, RefundEvidenceKind::refunded);
      ++refused;
    }
  }
  EXPECT_GT(refused, 10);
}

}  // namespace
}  // namespace finality::sim
