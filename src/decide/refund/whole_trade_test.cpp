// Refunds of authorizations whose captures share a trade number: the channel refunds all of them as one trade.
#include <functional>

#include "decide/merchant/set_fee.h"
#include "decide/refund/create_refund.h"
#include "decide/refund/record_refund_notice.h"
#include "decide/testing/authorization_world.h"

namespace finality::test {
namespace {

using K = RefundEvidenceKind;

constexpr const char* kTrade = "AUTH-1";

// A hold of which 700 and 300 were captured, with a refundable fee of 1 %.
class TradeWorld : public Authorizations {
 public:
  TradeWorld() {
    terms().shares_trade_no = true;
    terms().refund_by = RefundBy::authorization;
    run(SetFee{.merchant_id = kMerchant, .channel = "sandbox", .basis_points = 100, .refundable = true});
    order = held_order();
    captures(700);
    captures(300);
  }

  const OrderAggregate& rows() { return aggregate(order); }
  void later() { now = now + 1min; }
  void captures(MinorUnits amount) {
    later();
    run(capture_request(order, amount, false));
    report_capture(order, paid(kTrade, amount));
  }
  // Records evidence about the capture with that index.
  void reports(std::size_t which, Evidence evidence) {
    later();
    evidence.asked_at = now;
    evidence.amount = rows().captures.at(which).amount;
    run(RecordCapture{kMerchant, order, "sandbox", rows().captures[which].out_trade_no, std::move(evidence)});
  }
  void total(MinorUnits refunded, std::size_t which = 0) {
    Evidence evidence = paid(kTrade);
    evidence.refunded = refunded;
    reports(which, evidence);
  }
  void number(std::string number, MinorUnits amount, std::size_t which = 0) {
    Evidence evidence = paid(kTrade);
    evidence.refund = ReportedRefund{std::move(number), amount, K::refunded};
    reports(which, evidence);
  }

  // The channel reports that it refunded a part of the trade, but not how much.
  void hidden() {
    Evidence evidence = paid(kTrade);
    evidence.is_refund_unknown = true;
    reports(0, evidence);
  }
  // The channel captures after the end of the hold: the third capture, whose money is returned.
  void late_capture(MinorUnits amount) {
    run(ReleaseAuthorization{kMerchant, order, authorization(order).id});
    AuthorizationEvidence evidence = holds();
    evidence.kind = AuthorizationEvidenceKind::released;
    evidence.captured = 1000;
    evidence.released = kAmount - 1000;
    later();
    report(order, evidence);
    ASSERT_EQ(authorization(order).state, AuthorizationState::captured);
    evidence.captured = 1000 + amount;
    evidence.released = kAmount - 1000 - amount;
    evidence.captures = {{"CONSOLE-1", kTrade, amount, kCny, kNow}};
    later();
    report(order, evidence);
    ASSERT_EQ(balance(AccountKind::suspense), amount);
  }
  void reversal_is(K kind) {
    later();
    const Reversal row = rows().reversals.back();
    run(RecordRefund{
        kMerchant, order, row.id, row.out_refund_no, "sandbox", kCny, row.amount, {.kind = kind, .asked_at = now}});
  }
  std::vector<CaseKind> open_cases() {
    std::vector<CaseKind> cases;
    for (const Case& one : rows().cases)
      if (one.state != CaseState::resolved) cases.push_back(one.kind);
    return cases;
  }

  CreateRefund request(std::optional<MinorUnits> amount) {
    CreateRefund refund{.merchant_id = kMerchant, .amount = amount, .channel = "sandbox", .currency = kCny};
    refund.merchant_refund_no = "R" + std::to_string(++refunds_);
    refund.collected = authorization(order).id;
    refund.order_id = order;
    return refund;
  }
  void refund(std::optional<MinorUnits> amount) {
    later();
    ASSERT_TRUE(run(request(amount)));
    is(K::refunded);
  }
  // Records the result of the newest refund.
  void is(K kind, std::optional<ReportedReturn> returned = {}) {
    later();
    const Refund row = rows().refunds.back();
    run(RecordRefund{kMerchant,
                     order,
                     row.id,
                     row.out_refund_no,
                     "sandbox",
                     kCny,
                     row.amount,
                     {.kind = kind, .asked_at = now, .returned = std::move(returned)}});
  }

  std::vector<MinorUnits> refunded_amounts() {
    std::vector<MinorUnits> amounts;
    for (const Capture& capture : rows().captures) amounts.push_back(capture.refunded_amount);
    return amounts;
  }
  MinorUnits fees_returned() {
    MinorUnits sum = 0;
    for (const Refund& refund : rows().refunds) sum += refund.fee_returned - refund.fee_charged_again;
    return sum;
  }

  OrderId order;

 private:
  int refunds_ = 0;
};

struct Row {
  std::string what;
  std::function<void(TradeWorld&)> happens;
  std::vector<MinorUnits> refunded;  // refunded_amount of the captures
  MinorUnits fees = 0;               // returned
  std::size_t refunds = 1;
  std::vector<CaseKind> cases = {};
};

const Row kRows[] = {
    {"nothing is refunded", [](TradeWorld&) {}, {0, 0}, 0, 0},
    {"less than the first capture", [](TradeWorld& world) { world.refund(350); }, {350, 0}, 3},
    {"the first capture", [](TradeWorld& world) { world.refund(700); }, {700, 0}, 7},
    {"more than the first capture", [](TradeWorld& world) { world.refund(800); }, {700, 100}, 8},
    {"everything", [](TradeWorld& world) { world.refund({}); }, {700, 300}, 10},
    {"in two parts",
     [](TradeWorld& world) {
       world.refund(500);
       world.refund(400);
     },
     {700, 200},
     9,
     2},
    {"a refund that fails",
     [](TradeWorld& world) {
       ASSERT_TRUE(world.run(world.request(900)));
       world.is(K::refused);
     },
     {0, 0}},
    {"a part came back",
     [](TradeWorld& world) {
       world.refund(800);
       world.is(K::refunded, ReportedReturn{"B1", 200});
     },
     {600, 0},
     6},
    {"captured again after everything was refunded",
     [](TradeWorld& world) {
       world.refund({});
       world.captures(500);
       world.refund({});
     },
     {700, 300, 500},
     15,
     2},
    {"an external refund in the total of any capture",
     [](TradeWorld& world) {
       world.total(800, 1);
       world.total(800, 0);
     },
     {700, 100},
     8,
     1,
     {CaseKind::external_refund}},
    {"an external refund with a number, reported for every capture",
     [](TradeWorld& world) {
       world.number("C1", 800, 0);
       world.number("C1", 800, 1);
     },
     {700, 100},
     8,
     1,
     {CaseKind::external_refund}},
    {"a total that contains an own refund",
     [](TradeWorld& world) {
       world.refund(300);
       world.total(300, 1);
       world.total(500, 1);
     },
     {500, 0},
     5,
     2,
     {CaseKind::external_refund}},
    {"refunded twice by the channel",
     [](TradeWorld& world) { world.total(1100); },
     {700, 400},
     10,
     1,
     {CaseKind::external_refund, CaseKind::over_refunded}},
};

TEST(WholeTrade, RefundsAreAllocatedToTheFirstCaptures) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.what);
    TradeWorld world;
    row.happens(world);
    EXPECT_EQ(world.refunded_amounts(), row.refunded);
    EXPECT_EQ(world.fees_returned(), row.fees);
    MinorUnits sum = 0;
    for (const MinorUnits amount : row.refunded) sum += amount;
    EXPECT_EQ(world.rows().order.refunded_amount, sum);
    ASSERT_EQ(world.rows().refunds.size(), row.refunds);
    for (const Refund& refund : world.rows().refunds) {
      EXPECT_EQ(refund.receipt_id, world.rows().receipts.at(0).id);
      EXPECT_EQ(refund.authorization_id, world.authorization(world.order).id);
      EXPECT_FALSE(refund.capture_id) << "the refund is of all captures";
    }
    std::vector<CaseKind> cases;
    for (const Case& one : world.rows().cases) cases.push_back(one.kind);
    EXPECT_EQ(cases, row.cases);
  }
}

TEST(WholeTrade, AtMostWhatWasCapturedIsRefunded) {
  TradeWorld world;
  EXPECT_EQ(world.refusal_of(world.request(1001)), "refund_exceeds_paid");
  world.refund(800);
  EXPECT_EQ(world.refusal_of(world.request(201)), "refund_exceeds_paid");
  world.refund({});
  EXPECT_EQ(world.rows().refunds.back().amount, 200);
  EXPECT_EQ(world.refusal_of(world.request({})), "refund_exceeds_paid");
}

TEST(WholeTrade, ARefundIsRequestedForTheAmountOfTheTrade) {
  TradeWorld world;
  ASSERT_TRUE(world.run(world.request(800)));
  const auto at = std::ranges::find_if(world.effects,
                                       [](const Effect& effect) { return std::holds_alternative<RefundCall>(effect); });
  ASSERT_NE(at, world.effects.end());
  EXPECT_EQ(std::get<RefundCall>(*at).channel_trade_no, kTrade);
  EXPECT_EQ(std::get<RefundCall>(*at).amount, 800);
  EXPECT_EQ(std::get<RefundCall>(*at).trade_amount, 1000);
}

TEST(WholeTrade, ANotificationCanNameAnyCapture) {
  TradeWorld world;
  ASSERT_TRUE(world.run(world.request(800)));
  const Refund refund = world.rows().refunds.back();
  world.later();
  Evidence trade = paid(kTrade, 300);
  trade.asked_at = world.now;
  const Decision noticed = world.run(RecordRefundNotice{
      RecordCapture{kMerchant, world.order, "sandbox", world.rows().captures.at(1).out_trade_no, trade},
      refund.out_refund_no,
      {.kind = K::refunded, .asked_at = world.now}});
  ASSERT_TRUE(noticed);
  EXPECT_EQ(world.rows().refunds.back().state, RefundState::succeeded);
}

// A capture after the end of the hold is returned. What the channel returned itself is taken from it first.
TEST(WholeTrade, AnExternalRefundEmptiesAReceiptInSuspenseFirst) {
  TradeWorld world;
  world.late_capture(200);
  world.number("C1", 500);
  EXPECT_EQ(world.balance(AccountKind::suspense), 0);
  EXPECT_EQ(world.refunded_amounts(), (std::vector<MinorUnits>{300, 0, 0}));
  ASSERT_EQ(world.rows().refunds.size(), 2u);
  EXPECT_EQ(world.rows().refunds[0].receipt_id, world.rows().receipts.at(2).id);
  EXPECT_EQ(world.rows().refunds[0].from_suspense, 200);
  EXPECT_EQ(world.rows().refunds[1].receipt_id, world.rows().receipts.at(0).id);
  EXPECT_EQ(world.rows().refunds[1].amount, 300);
  world.number("C1", 500, 1);
  EXPECT_EQ(world.rows().refunds.size(), 2u);
}

// The refund of accepted receipts and the reversal of the one in suspense return no money twice, in any order of their
// results.
TEST(WholeTrade, AReversalReturnsItsReceiptWhileARefundHasNoResult) {
  for (const bool is_refund_first : {true, false}) {
    TradeWorld world;
    ASSERT_TRUE(world.run(world.request({})));
    world.is(K::unknown);
    world.late_capture(200);
    ASSERT_EQ(world.rows().reversals.size(), 1u);
    EXPECT_EQ(world.rows().reversals[0].receipt_id, world.rows().receipts.at(2).id);
    EXPECT_EQ(world.rows().reversals[0].amount, 200);
    EXPECT_EQ(world.rows().reversals[0].state, ReversalState::processing);
    world.total(1200);  // it contains both, so nothing is booked from it yet
    EXPECT_EQ(world.rows().refunds.size(), 1u);
    if (is_refund_first) world.is(K::refunded);
    world.reversal_is(K::refunded);
    if (!is_refund_first) world.is(K::refunded);
    world.total(1200);
    EXPECT_EQ(world.rows().refunds.size(), 1u);
    EXPECT_EQ(world.balance(AccountKind::suspense), 0);
    EXPECT_EQ(world.refunded_amounts(), (std::vector<MinorUnits>{700, 300, 0}));
    EXPECT_EQ(world.refusal_of(world.request({})), "refund_exceeds_paid");
    EXPECT_TRUE(world.open_cases().empty());
  }
}

// The channel refunded a part of the trade without a request and hides how much. A receipt in suspense could be that
// part, so its reversal waits, with a case about its own capture.
TEST(WholeTrade, AReversalWaitsForTheAmountOfAnExternalRefundOfTheTrade) {
  struct Variant {
    MinorUnits refunded;
    MinorUnits reversed;  // 0: no reversal
  };
  for (const auto& [refunded, reversed] : {Variant{500, 0}, Variant{150, 50}}) {
    TradeWorld world;
    world.hidden();
    world.late_capture(200);
    EXPECT_TRUE(world.rows().reversals.empty());
    ASSERT_EQ(world.open_cases(), (std::vector{CaseKind::external_refund, CaseKind::external_refund}));
    EXPECT_EQ(world.rows().cases[0].object_id, world.rows().captures.at(0).id.value);
    EXPECT_EQ(world.rows().cases[1].object_id, world.rows().captures.at(2).id.value);
    world.number("C1", refunded);
    EXPECT_EQ(world.balance(AccountKind::suspense), std::max<MinorUnits>(200 - refunded, 0));
    ASSERT_EQ(world.rows().reversals.size(), reversed > 0 ? 1u : 0u);
    if (reversed > 0) EXPECT_EQ(world.rows().reversals[0].amount, reversed);
    EXPECT_EQ(world.rows().cases[0].state, CaseState::resolved);
    EXPECT_EQ(world.rows().cases[1].state, CaseState::resolved);
  }
}

}  // namespace
}  // namespace finality::test
