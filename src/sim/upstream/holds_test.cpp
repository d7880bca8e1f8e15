// Tests of the holds of a simulated channel: with any faults, no amount is lost and no request is executed twice.
#include "sim/upstream/holds.h"

#include <gtest/gtest.h>

#include "sim/upstream/upstream.h"

namespace finality::sim {
namespace {

using std::chrono::hours;

constexpr Time kStart{1'790'000'000'000};
constexpr Currency kCny{{'C', 'N', 'Y'}};
constexpr FaultMask kAllFaults = ~FaultMask{0};
const std::string kNumber = "00000000000010000000000002a1";

ChannelProfile profile_with(AuthorizationTerms terms = {}) {
  terms.methods = {"redirect"};
  terms.capture_within_max = hours(24);
  ChannelProfile profile;
  profile.capabilities.authorization = terms;
  return profile;
}

struct HoldsFixture {
  explicit HoldsFixture(std::uint64_t seed, const ChannelProfile& profile = profile_with(), FaultMask without = 0)
      : scheduler(seed, kStart, TraceWish::hashed, without),
        upstream(
            scheduler, [](const Trade&, const Evidence&, const std::function<void(bool)>& done) { done(true); },
            [](const UpstreamRefund&, const RefundEvidence&, const std::function<void(bool)>& done) { done(true); },
            [this](const UpstreamHold&, const AuthorizationEvidence& evidence, const std::function<void(bool)>& done) {
              notified.push_back(evidence);
              done(true);
            },
            {{"a", profile}}) {
    scheduler.start_faults();
  }

  AuthorizationEvidence send() { return upstream.holds().send("a", kNumber, 100, kCny); }
  Evidence capture(const std::string& number, MinorUnits amount, bool is_final = false) {
    return upstream.capture({"a", kNumber, number, amount, is_final});
  }
  const UpstreamHold& hold() const { return *upstream.holds().find("a", kNumber); }
  void run(Duration time) {
    const Time until = scheduler.now() + time;
    while (scheduler.step(until)) continue;
  }

  SimScheduler scheduler;
  std::vector<AuthorizationEvidence> notified;
  Upstream upstream;
};

/// Calls test(fixture) with a held amount for seeds without faults, and returns how often.
template <class Test>
int with_hold(const ChannelProfile& profile, Test test) {
  int count = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    HoldsFixture fixture(seed, profile, kAllFaults);
    fixture.send();
    fixture.run(hours(1));
    if (fixture.hold().state != UpstreamHoldState::held) continue;
    test(fixture);
    ++count;
  }
  return count;
}

TEST(HoldsTest, WithAnyFaultsEveryAmountIsCapturedOrReleasedInTheEnd) {
  int held = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    HoldsFixture fixture(seed);
    fixture.send();
    fixture.capture("c1", 40);
    fixture.run(hours(1));
    fixture.capture("c2", 30);
    fixture.upstream.holds().release("a", kNumber, "r1", 20);
    fixture.run(hours(24 * 10));
    const UpstreamHold& hold = fixture.hold();
    EXPECT_EQ(hold.held(), 0) << seed;
    EXPECT_GE(hold.captured + hold.released, hold.authorized) << seed;
    MinorUnits paid = 0;
    for (const auto& trade : fixture.upstream.trades()) paid += trade->paid;
    EXPECT_EQ(paid, hold.captured) << seed;
    held += hold.authorized > 0;
  }
  EXPECT_GT(held, 50);
}

TEST(HoldsTest, ACaptureIsExecutedOncePerNumber) {
  EXPECT_GT(with_hold(profile_with(),
                      [](HoldsFixture& fixture) {
                        for (int i = 0; i < 3; ++i) EXPECT_EQ(fixture.capture("c1", 40).kind, EvidenceKind::paid);
                        EXPECT_EQ(fixture.hold().captured, 40);
                        EXPECT_EQ(fixture.hold().held(), 60);
                        EXPECT_EQ(fixture.capture("c2", 61).kind, EvidenceKind::failed);
                        EXPECT_EQ(fixture.capture("c2", 60).kind, EvidenceKind::failed);  // the number stays refused
                        EXPECT_EQ(fixture.capture("c3", 60).kind, EvidenceKind::paid);
                        EXPECT_EQ(fixture.hold().state, UpstreamHoldState::ended);
                      }),
            10);
}

TEST(HoldsTest, AFinalCaptureReleasesTheRestIfTheChannelHasTheFlag) {
  for (const bool has_flag : {false, true})
    EXPECT_GT(with_hold(profile_with({.has_final_flag = has_flag}),
                        [&](HoldsFixture& fixture) {
                          fixture.capture("c1", 40, true);
                          EXPECT_EQ(fixture.hold().held(), has_flag ? 0 : 60);
                          EXPECT_EQ(fixture.hold().released, has_flag ? 60 : 0);
                        }),
              10);
}

TEST(HoldsTest, AReleaseIsExecutedOncePerNumber) {
  EXPECT_GT(with_hold(profile_with(),
                      [](HoldsFixture& fixture) {
                        for (int i = 0; i < 3; ++i) fixture.upstream.holds().release("a", kNumber, "r1", 30);
                        EXPECT_EQ(fixture.hold().held(), 70);
                        const auto reply = fixture.upstream.holds().release("a", kNumber, "r2", 71);
                        EXPECT_EQ(reply.kind, AuthorizationEvidenceKind::release_again);
                        const auto last = fixture.upstream.holds().release("a", kNumber, "r3", 70);
                        EXPECT_EQ(last.kind, AuthorizationEvidenceKind::released);
                      }),
            10);
}

TEST(HoldsTest, AHoldLapsesAtItsTime) {
  EXPECT_GT(with_hold(profile_with(),
                      [](HoldsFixture& fixture) {
                        fixture.capture("c1", 40);
                        fixture.run(hours(25));
                        EXPECT_TRUE(fixture.hold().has_lapsed);
                        EXPECT_EQ(fixture.hold().released, 60);
                        const auto reported = fixture.upstream.holds().query("a", kNumber);
                        EXPECT_EQ(reported.kind, AuthorizationEvidenceKind::expired);
                        EXPECT_EQ(reported.captured, 40);
                      }),
            10);
}

TEST(HoldsTest, AHoldThatWasDeniedIsNotified) {
  int late = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    HoldsFixture fixture(seed);
    fixture.send();
    if (fixture.upstream.holds().close("a", kNumber).kind != AuthorizationEvidenceKind::closed) continue;
    fixture.run(hours(24 * 10));
    if (fixture.hold().authorized == 0) continue;
    ++late;
    EXPECT_FALSE(fixture.notified.empty()) << seed;
    EXPECT_GT(fixture.notified.back().authorized, 0) << seed;
  }
  EXPECT_GT(late, 3);
}

TEST(HoldsTest, AHoldInAnotherCurrencyIsReportedAndReleasedInIt) {
  const FaultMask others = ~(bit_of(Fault::hold_currency_wrong) | bit_of(Fault::captured_elsewhere));
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    HoldsFixture fixture(seed, profile_with(), others);
    fixture.send();
    fixture.run(hours(1));
    if (fixture.hold().held() == 0 || fixture.hold().currency == kCny) continue;
    ++wrong;
    const Currency currency = fixture.hold().currency;
    EXPECT_EQ(fixture.upstream.holds().query("a", kNumber).currency, currency);
    const auto reply = fixture.upstream.holds().release("a", kNumber, "r1", 100);
    EXPECT_EQ(reply.kind, AuthorizationEvidenceKind::released);
    EXPECT_EQ(reply.currency, currency);
    fixture.run(hours(80));
    EXPECT_EQ(fixture.hold().captured, 0) << seed;
  }
  EXPECT_GT(wrong, 3);
}

TEST(HoldsTest, CapturesShareTheNumberOfTheHoldAndAreRefundedAsOneTrade) {
  EXPECT_GT(with_hold(profile_with({.refund_by = RefundBy::authorization, .shares_trade_no = true}),
                      [](HoldsFixture& fixture) {
                        const Evidence first = fixture.capture("c1", 40);
                        const Evidence second = fixture.capture("c2", 60);
                        ASSERT_EQ(first.channel_trade_no, second.channel_trade_no);
                        const std::string& trade = *first.channel_trade_no;
                        EXPECT_EQ(fixture.upstream.find_trade("a", trade, "c2")->paid, 60);
                        fixture.upstream.refund("a", trade, "x1", 90);
                        fixture.run(hours(24));
                        EXPECT_EQ(fixture.upstream.find_trade("a", trade)->requested_refunds, 90);
                        EXPECT_EQ(fixture.upstream.refund("a", trade, "x2", 20).kind, RefundEvidenceKind::refused);
                      }),
            10);
}

}  // namespace
}  // namespace finality::sim
