// A channel that reports only a captured total shows captures of ours in it, too: those that it refused and made all
// the same. Their late results number the trade that was booked from the total.
#include <functional>

#include "decide/refund/create_refund.h"
#include "decide/testing/authorization_world.h"

namespace finality::test {
namespace {

constexpr MinorUnits kPart = 700;

// One hold at a channel that reports captured totals.
class TotalWorld : public Authorizations {
 public:
  TotalWorld() : order(held_order()) {}

  const OrderAggregate& rows() { return aggregate(order); }
  void is_refused(MinorUnits amount) {
    run(capture_request(order, amount, false));
    report_capture(order, failed());
  }
  void total(MinorUnits captured) {
    now = now + 1s;
    AuthorizationEvidence evidence = holds();
    evidence.captured = captured;
    report(order, evidence);
  }
  // Records that the channel captured the first of our captures with that ordinal.
  Decision is_captured(std::int64_t ordinal, Evidence evidence) {
    now = now + 1s;
    evidence.asked_at = now;
    const Capture& capture = rows().captures.at(static_cast<std::size_t>(ordinal - 1));
    return run(RecordCapture{kMerchant, order, "sandbox", capture.out_trade_no, std::move(evidence)});
  }

  OrderId order;
};

struct Row {
  std::string what;
  std::function<void(TotalWorld&)> happens;
  MinorUnits payable = kPart;
  MinorUnits suspense = 0;
  std::optional<std::string> number = "T1";  // of the capture from the total
  std::vector<CaseKind> cases = {CaseKind::external_capture, CaseKind::conflicting_result};
  bool is_explained = true;  // the cases external_capture are settled
};

const Row kRows[] = {
    {"refused, shown in a total, and reported late",
     [](TotalWorld& world) {
       world.is_refused(kPart);
       world.total(kPart);
       for (int i = 0; i < 2; ++i) world.is_captured(1, paid("T1", kPart));
     }},
    {"reported late in the list of captures",
     [](TotalWorld& world) {
       world.is_refused(kPart);
       world.total(kPart);
       AuthorizationEvidence evidence = Authorizations::holds();
       evidence.captured = kPart;
       evidence.captures = {{world.rows().captures.at(0).out_trade_no, "T1", kPart, kCny, kNow}};
       for (int i = 0; i < 2; ++i) {
         world.now = world.now + 1s;
         evidence.asked_at = world.now;
         world.report(world.order, evidence);
       }
     }},
    {"with the trade number that all captures share",
     [](TotalWorld& world) {
       world.terms().shares_trade_no = true;
       world.is_refused(kPart);
       world.total(kPart);
       for (int i = 0; i < 2; ++i) world.is_captured(1, paid("AUTH-1", kPart));
     },
     kPart, 0, "AUTH-1"},
    {"two trades of one amount",
     [](TotalWorld& world) {
       world.is_refused(kPart);
       world.total(kPart);
       world.is_captured(1, paid("T1", kPart));
       world.is_refused(kPart);
       world.total(2 * kPart);
       world.is_captured(3, paid("T3", kPart));
       world.is_captured(1, paid("T1", kPart));
       EXPECT_EQ(world.rows().captures.at(3).channel_trade_no, "T3");
     },
     2 * kPart,
     0,
     "T1",
     {CaseKind::external_capture, CaseKind::conflicting_result, CaseKind::external_capture,
      CaseKind::conflicting_result}},
    {"no total has shown it: returned to the payer",
     [](TotalWorld& world) {
       world.total(kPart);
       world.is_refused(kPart);
       world.is_captured(2, paid("T2", kPart));
     },
     kPart,
     kPart,
     std::nullopt,
     {CaseKind::external_capture, CaseKind::paid_after_failure},
     false},
    {"one total contains two of them",
     [](TotalWorld& world) {
       world.is_refused(kPart);
       world.is_refused(300);
       world.total(kPart + 300);
       for (int i = 0; i < 2; ++i) {
         world.is_captured(1, paid("T1", kPart));
         world.is_captured(2, paid("T2", 300));
       }
     },
     kPart + 300,
     0,
     std::nullopt,
     {CaseKind::external_capture, CaseKind::conflicting_result, CaseKind::conflicting_result}},
    {"the total contains only one of two: the other is returned to the payer",
     [](TotalWorld& world) {
       world.is_refused(kPart);
       world.is_refused(kPart);
       world.total(kPart + 1);
       world.is_captured(2, paid("T2", kPart));
       world.is_captured(1, paid("T1", kPart));
     },
     kPart + 1,
     kPart,
     std::nullopt,
     {CaseKind::external_capture, CaseKind::conflicting_result, CaseKind::paid_after_failure},
     false},
    {"the total is less: returned to the payer",
     [](TotalWorld& world) {
       world.is_refused(kPart);
       world.total(kPart - 1);
       world.is_captured(1, paid("T1", kPart));
     },
     kPart - 1,
     kPart,
     std::nullopt,
     {CaseKind::external_capture, CaseKind::paid_after_failure},
     false},
};

const Capture& first_from_total(const OrderAggregate& rows) {
  return *std::ranges::find(rows.captures, CaptureOrigin::channel, &Capture::origin);
}

TEST(CapturedTotal, IsNumberedByTheLateResultOfACapture) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.what);
    TotalWorld world;
    row.happens(world);
    EXPECT_EQ(world.balance(AccountKind::merchant_payable), row.payable);
    EXPECT_EQ(world.balance(AccountKind::suspense), row.suspense);
    EXPECT_EQ(world.rows().order.paid_amount, row.payable);
    EXPECT_EQ(first_from_total(world.rows()).channel_trade_no, row.number);
    std::vector<CaseKind> cases;
    for (const Case& one : world.rows().cases) {
      cases.push_back(one.kind);
      const bool is_settled = one.kind == CaseKind::external_capture && row.is_explained;
      EXPECT_EQ(one.state == CaseState::resolved, is_settled);
    }
    EXPECT_EQ(cases, row.cases);
  }
}

TEST(CapturedTotal, ARepeatedResultChangesNothing) {
  TotalWorld world;
  world.is_refused(kPart);
  world.total(kPart);
  world.is_captured(1, paid("T1", kPart));
  const std::int64_t version = world.rows().order.version;
  world.is_captured(1, paid("T1", kPart));
  EXPECT_EQ(world.rows().order.version, version);
  EXPECT_EQ(world.rows().captures.at(0).state, CaptureState::failed);
}

// The channel can capture in spite of its refusal after the total was booked, which then contains another capture.
TEST(CapturedTotal, IsQueriedAgain) {
  TotalWorld world;
  world.is_refused(kPart);
  world.total(kPart);
  world.is_captured(1, paid("T1", kPart));
  EXPECT_TRUE(world.authorization(world.order).is_total_waiting);
  EXPECT_EQ(world.authorization(world.order).due_at, world.now);
  world.total(2 * kPart);
  EXPECT_FALSE(world.authorization(world.order).is_total_waiting);
  EXPECT_EQ(world.balance(AccountKind::merchant_payable), 2 * kPart);
}

// The hold is queried again only because of its captured total. The merchant knows that it has ended.
TEST(CapturedTotal, OfAReleasedHoldIsQueriedWithoutASecondNotification) {
  TotalWorld world;
  world.is_refused(kPart);
  ASSERT_TRUE(world.run(CloseOrder{kMerchant, world.order}));
  world.now = world.now + 1min;
  AuthorizationEvidence evidence = Authorizations::holds();
  evidence.kind = AuthorizationEvidenceKind::released;
  evidence.released = kAmount;
  world.report(world.order, evidence);
  EXPECT_EQ(world.delivery_types(), "order.closed authorization.released");
  world.now = world.now + 1min;
  evidence.captured = kPart;
  evidence.released = kAmount - kPart;
  world.report(world.order, evidence);
  world.is_captured(1, paid("T1", kPart));
  EXPECT_TRUE(world.authorization(world.order).is_total_waiting);
  EXPECT_TRUE(world.authorization(world.order).close_pending);
  world.now = world.now + 1min;
  world.report(world.order, evidence);
  EXPECT_FALSE(world.authorization(world.order).close_pending);
  EXPECT_EQ(world.delivery_types(), "");
}

// The total is two trades of the channel. It has one receipt, so its money is refunded at the channel.
TEST(CapturedTotal, ThatIsExplainedIsNotOfAnotherTrade) {
  TotalWorld world;
  world.is_refused(kPart);
  world.is_refused(300);
  world.total(kPart + 300);
  world.is_captured(1, paid("T1", kPart));
  world.is_captured(2, paid("T2", 300));
  CreateRefund refund{.merchant_id = kMerchant, .merchant_refund_no = "R1", .channel = "sandbox", .currency = kCny};
  refund.collected = world.last_capture(world.order).id;
  refund.order_id = world.order;
  EXPECT_EQ(world.refusal_of(refund), "payment_not_refundable");

  world.now = world.now + 1s;
  AuthorizationEvidence evidence = Authorizations::holds();
  evidence.captured = 2 * (kPart + 300);
  evidence.captures = {{"console-9", "T9", kPart + 300, kCny, kNow}};
  world.report(world.order, evidence);
  ASSERT_EQ(world.rows().captures.size(), 4u);
  EXPECT_EQ(world.rows().captures[2].channel_trade_no, std::nullopt);
  EXPECT_EQ(world.rows().captures[3].channel_trade_no, "T9");
  EXPECT_EQ(world.balance(AccountKind::merchant_payable), 2 * (kPart + 300));
}

TEST(CapturedTotal, ARefundNamesTheTradeThatWasReportedLate) {
  TotalWorld world;
  world.is_refused(kPart);
  world.total(kPart);
  CreateRefund refund{.merchant_id = kMerchant, .merchant_refund_no = "R1", .channel = "sandbox", .currency = kCny};
  refund.collected = world.last_capture(world.order).id;
  refund.order_id = world.order;
  EXPECT_EQ(world.refusal_of(refund), "payment_not_refundable") << "the trade is not known yet";
  world.is_captured(1, paid("T1", kPart));
  refund.merchant_refund_no = "R2";
  ASSERT_TRUE(world.run(refund));
  const auto at = std::ranges::find_if(world.effects,
                                       [](const Effect& effect) { return std::holds_alternative<RefundCall>(effect); });
  ASSERT_NE(at, world.effects.end());
  EXPECT_EQ(std::get<RefundCall>(*at).channel_trade_no, "T1");
}

TEST(CapturedTotal, RefundsOfTheTradeAreBookedForItsReceipt) {
  TotalWorld world;
  world.is_refused(kPart);
  world.total(kPart);
  Evidence evidence = paid("T1", kPart);
  world.is_captured(1, evidence);
  evidence.refunded = 200;
  for (const std::int64_t refunded : {200, 200}) {
    EXPECT_TRUE(world.is_captured(1, evidence));
    EXPECT_EQ(world.rows().order.refunded_amount, refunded);
  }
  ASSERT_EQ(world.rows().refunds.size(), 1u);
  EXPECT_EQ(world.rows().refunds[0].receipt_id, world.rows().receipts[0].id);
  EXPECT_EQ(world.rows().captures.at(1).refunded_amount, 200);
}

// A capture that was booked from a total has no number of ours: evidence about it names its trade.
TEST(CapturedTotal, EvidenceAboutItNamesItsTrade) {
  TotalWorld world;
  world.is_refused(kPart);
  world.total(kPart);
  world.is_captured(1, paid("T1", kPart));
  Evidence evidence = paid("T1", kPart);
  evidence.refunded = kPart;
  ASSERT_TRUE(world.is_captured(2, evidence));
  EXPECT_EQ(world.rows().order.refunded_amount, kPart);
  EXPECT_EQ(world.rows().receipts.size(), 1u);
  EXPECT_FALSE(world.is_captured(2, paid("T9", kPart))) << "the channel has no such capture";
}

// A report that is newer than the end and says that a rest is held contradicts the end. Its totals are the truth.
TEST(ReportedAmounts, OfAContradictedEndReplaceWhatWasReleased) {
  Authorizations world;
  const OrderId order = world.held_order();
  world.capture(order, kPart, true);
  ASSERT_EQ(world.authorization(order).released_amount, kAmount - kPart);
  world.now = world.now + 1min;
  AuthorizationEvidence evidence = Authorizations::holds();
  evidence.captured = kPart;
  evidence.released = 100;
  world.report(order, evidence);
  EXPECT_EQ(world.authorization(order).state, AuthorizationState::captured);
  EXPECT_EQ(world.authorization(order).authorized_amount, kAmount);
  EXPECT_EQ(world.authorization(order).released_amount, 100);
  EXPECT_EQ(world.authorization(order).release_amount, kAmount - kPart - 100) << "the rest is released again";
  world.now = world.now + 1min;
  evidence.kind = AuthorizationEvidenceKind::released;
  evidence.released = kAmount - kPart;
  world.report(order, evidence);
  EXPECT_EQ(world.authorization(order).released_amount, kAmount - kPart);
}

}  // namespace
}  // namespace finality::test
