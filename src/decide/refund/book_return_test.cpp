#include "decide/refund/book_return.h"

#include <functional>

#include "decide/merchant/set_fee.h"
#include "decide/testing/refund_scenario.h"

namespace finality {
namespace {

using namespace test;
using K = RefundEvidenceKind;

// The expected balances, amounts and counts after a test case. Fields default to 0.
struct Books {
  MinorUnits payable = 0;     // balance of merchant_payable
  MinorUnits receivable = 0;  // negated balance of channel_receivable
  MinorUnits refunded = 0;    // refunded_amount of the order
  MinorUnits loss = 0;        // external refunds charged to the platform
  std::size_t returns = 0;
  int contradictions = 0;
  int over_cases = 0;  // unresolved cases over_refunded
};

struct Row {
  const char* name;
  std::function<void(RefundScenario&)> happens;
  Books books;
};

void refunds(RefundScenario& it, MinorUnits amount) {
  it.pays();
  it.create_refund(amount);
  it.own_is(K::refunded);
}

const Row kRows[] = {
    {"the whole refund",
     [](RefundScenario& it) {
       refunds(it, 300);
       it.returns("B1", 300);
     },
     {.payable = 1000, .receivable = 1000, .returns = 1}},
    {"a part of a refund",
     [](RefundScenario& it) {
       refunds(it, 300);
       it.returns("B1", 100);
     },
     {.payable = 800, .receivable = 800, .refunded = 200, .returns = 1}},
    {"the same return twice",
     [](RefundScenario& it) {
       refunds(it, 300);
       it.returns("B1", 100);
       it.returns("B1", 100);
     },
     {.payable = 800, .receivable = 800, .refunded = 200, .returns = 1}},
    {"two returns of one refund, the first one reported again",
     [](RefundScenario& it) {
       refunds(it, 300);
       it.returns("B1", 100);
       it.returns("B2", 200);
       it.returns("B1", 100);
     },
     {.payable = 1000, .receivable = 1000, .returns = 2}},
    {"one number is one return, whatever refund it is reported for",
     [](RefundScenario& it) {
       refunds(it, 300);
       it.create_refund(200);
       it.own_is(K::refunded, 1);
       it.returns("B1", 300, 0);
       it.returns("B1", 200, 1);
     },
     {.payable = 800, .receivable = 800, .refunded = 200, .returns = 1}},
    {"before the refund is known to have succeeded",
     [](RefundScenario& it) {
       it.pays();
       it.create_refund(300);
       it.returns("B1", 300);
     },
     {.payable = 1000, .receivable = 1000, .returns = 1}},
    {"and a further refund",
     [](RefundScenario& it) {
       refunds(it, kPaid);
       it.returns("B1", kPaid);
       ASSERT_TRUE(it.create_refund(kPaid));
       it.own_is(K::refunded, 1);
     },
     {.payable = 0, .receivable = 0, .refunded = kPaid, .returns = 1}},
    {"more than the refund",
     [](RefundScenario& it) {
       refunds(it, 300);
       it.returns("B1", 301);
       it.returns("B1", 301);
     },
     {.payable = 700, .receivable = 700, .refunded = 300, .contradictions = 1}},
    {"more than is left of the refund",
     [](RefundScenario& it) {
       refunds(it, 300);
       it.returns("B1", 200);
       it.returns("B2", 101);
     },
     {.payable = 900, .receivable = 900, .refunded = 100, .returns = 1, .contradictions = 1}},
    {"of an unknown refund",
     [](RefundScenario& it) {
       it.pays();
       it.number_returns("C1", 300, "B1", 300);
     },
     {.payable = 1000, .receivable = 1000, .returns = 1}},
    {"of an external refund, by its number",
     [](RefundScenario& it) {
       it.pays();
       it.number("C1", 300);
       it.number_returns("C1", 300, "B1", 100);
       it.number_returns("C1", 300, "B1", 100);
     },
     {.payable = 800, .receivable = 800, .refunded = 200, .returns = 1}},
    {"of an external refund that was booked from a total",
     [](RefundScenario& it) {
       it.pays();
       it.total(300);
       it.number_returns("C1", 300, "B1", 300);
     },
     {.payable = 1000, .receivable = 1000, .returns = 1}},
    {"of a number that a total had booked in part",
     [](RefundScenario& it) {
       it.pays();
       it.total(40);
       it.number("C1", 100);
       it.number_returns("C1", 100, "B1", 100);
       it.number_returns("C1", 100, "B1", 100);
     },
     {.payable = 1000, .receivable = 1000, .returns = 2}},
    {"of a number that several totals had booked",
     [](RefundScenario& it) {
       it.pays();
       it.total(50);
       it.total(150);
       it.number("C1", 150);
       it.number_returns("C1", 150, "B1", 120);
     },
     {.payable = 970, .receivable = 970, .refunded = 30, .returns = 2}},
    {"of a second payout that a total had booked",
     [](RefundScenario& it) {
       const std::string first = it.pays_and_refunds_by_a_second_attempt(300);
       it.total(600);
       it.own_was(K::refunded, first);
       it.attempt_returns(first, "B1", 300);
     },
     {.payable = 700, .receivable = 700, .refunded = 300, .returns = 1}},
    {"of a second payout that two totals had booked",
     [](RefundScenario& it) {
       const std::string first = it.pays_and_refunds_by_a_second_attempt(300);
       it.total(400);
       it.total(600);
       it.own_was(K::refunded, first);
       it.attempt_returns(first, "B1", 300);
       it.attempt_returns(first, "B1", 300);
     },
     {.payable = 700, .receivable = 700, .refunded = 300, .returns = 2}},
    {"of a number in progress again, after it had failed",
     [](RefundScenario& it) {
       it.pays();
       it.number("C1", 300, K::accepted);
       it.external_is(K::refused);
       it.number("C1", 300, K::accepted);
       it.number_returns("C1", 300, "B1", 300);
     },
     {.payable = 1000, .receivable = 1000, .returns = 1}},
    {"the platform is credited for the refund that succeeded last",
     [](RefundScenario& it) {
       it.pays();
       it.create_refund(kPaid);
       it.number("C1", 400);
       it.own_is(K::refunded);
       ASSERT_TRUE(it.resolves(CaseKind::over_refunded, "charge_platform"));
       it.number_returns("C1", 400, "B1", 400);
     },
     {.payable = 0, .receivable = 0, .refunded = kPaid, .returns = 1}},
    {"the case over_refunded is settled, whichever refund it is about",
     [](RefundScenario& it) {
       it.pays();
       it.create_refund(kPaid);
       it.number("C1", 400);
       it.own_is(K::refunded);
       it.number_returns("C1", 400, "B1", 400);
     },
     {.payable = 0, .receivable = 0, .refunded = kPaid, .returns = 1}},
    {"the total still counts a returned refund",
     [](RefundScenario& it) {
       refunds(it, 300);
       it.returns("B1", 300);
       it.total(300);
     },
     {.payable = 1000, .receivable = 1000, .returns = 1}},
    {"a later external refund is detected by the total",
     [](RefundScenario& it) {
       refunds(it, 300);
       it.returns("B1", 300);
       it.total(400);
     },
     {.payable = 900, .receivable = 900, .refunded = 100, .returns = 1}},
    {"of a second payout",
     [](RefundScenario& it) {
       const std::string first = it.pays_and_refunds_by_a_second_attempt(300);
       it.own_was(K::refunded, first);
       it.attempt_returns(first, "B1", 300);
     },
     {.payable = 700, .receivable = 700, .refunded = 300, .returns = 1}},
    {"the excess of the refunds is returned",
     [](RefundScenario& it) {
       refunds(it, kPaid);
       it.number("C1", 400);
       it.number_returns("C1", 400, "B1", 400);
     },
     {.payable = 0, .receivable = 0, .refunded = kPaid, .returns = 1}},
    {"the merchant is credited before the platform",
     [](RefundScenario& it) {
       refunds(it, 700);
       it.number("C1", 600);
       ASSERT_TRUE(it.resolves(CaseKind::over_refunded, "charge_platform"));  // charges 300 of them
       it.number_returns("C1", 600, "B1", 500);
     },
     {.payable = 300, .receivable = 200, .refunded = 800, .loss = 100, .returns = 1}},
    {"the whole amount that the platform bore",
     [](RefundScenario& it) {
       it.pays();
       it.number("C1", 400);
       ASSERT_TRUE(it.resolves(CaseKind::external_refund, "charge_platform"));
       it.number_returns("C1", 400, "B1", 400);
     },
     {.payable = 1000, .receivable = 1000, .returns = 1}},
    {"of a parked order",
     [](RefundScenario& it) {
       refunds(it, 300);
       it.run(ParkOrder{kMerchant, it.order, "1: a finding"});
       it.returns("B1", 300);
     },
     {.payable = 1000, .receivable = 1000, .returns = 1}},
    {"of the refund of a duplicate, which was the payer's money",
     [](RefundScenario& it) {
       it.pays();
       it.pays("T2");
       it.number("C1", 300, K::refunded, "T2");
       Evidence evidence = test::paid("T2", kPaid);
       evidence.refund = ReportedRefund{"C1", 300, K::refunded, ReportedReturn{"B1", 300}};
       it.record_later(evidence);
     },
     {.payable = 1000, .receivable = 1700, .contradictions = 1}},
};

TEST(Return, TheLedgerMatchesTheChannelInAnyOrderOfReports) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.name);
    RefundScenario it;
    row.happens(it);
    const OrderAggregate& aggregate = it.aggregate(it.order);
    EXPECT_EQ(it.balance(AccountKind::merchant_payable), row.books.payable);
    EXPECT_EQ(it.balance(AccountKind::channel_receivable), -row.books.receivable);
    EXPECT_EQ(it.balance(AccountKind::loss), -row.books.loss);
    EXPECT_EQ(it.balance(AccountKind::refunds_in_transit), 0);
    EXPECT_EQ(aggregate.order.refunded_amount, row.books.refunded);
    EXPECT_EQ(aggregate.returns.size(), row.books.returns);
    EXPECT_EQ(it.cases(CaseKind::conflicting_result), row.books.contradictions);
    EXPECT_EQ(std::ranges::count_if(aggregate.cases,
                                    [](const Case& one) {
                                      return one.kind == CaseKind::over_refunded && one.state != CaseState::resolved;
                                    }),
              row.books.over_cases);
  }
}

// A duplicate receipt has no fee, so a return of its refund charges none.
TEST(Return, OfARefundOfADuplicateChargesNoFee) {
  RefundScenario it(SetFee{.merchant_id = kMerchant, .channel = "sandbox", .basis_points = 250, .refundable = true});
  it.pays();
  it.pays("T2");
  it.reversal_is(K::refunded);
  it.number("C1", 300, K::refunded, "T2");
  it.number("C2", 400, K::refunded, "T2");
  Evidence evidence = test::paid("T2", kPaid);
  evidence.refund = ReportedRefund{"C1", 300, K::refunded, ReportedReturn{"B1", 300}};
  it.record_later(evidence);
  EXPECT_EQ(it.aggregate(it.order).returns.size(), 1u);
  EXPECT_EQ(it.balance(AccountKind::fee_income), 25);
  EXPECT_EQ(it.balance(AccountKind::merchant_payable), kPaid - 25 - 400);
}

TEST(Return, KeepsTheRefundSucceededAndNotifiesTheMerchant) {
  RefundScenario it;
  refunds(it, 300);
  ASSERT_TRUE(it.returns("B1", 100));
  EXPECT_EQ(it.own().state, RefundState::succeeded);
  EXPECT_EQ(it.own().returned_amount, 100);
  EXPECT_EQ(it.delivery_types(), "refund.returned");
  const std::string body = it.delivery(it.new_deliveries.front()).body;
  EXPECT_NE(body.find(R"("returned_amount":100)"), std::string::npos) << body;
  const Return& row = it.aggregate(it.order).returns.front();
  EXPECT_EQ(row.refund_id, it.own().id);
  EXPECT_EQ(row.channel_no, "B1");
}

// Refunds return shares of the fee (25 on 1000), rounded down. A return charges its share again. The returned fee is
// therefore always the share of the refunded amount.
TEST(Return, ChargesTheReturnedFeeAgain) {
  struct Row {
    std::vector<MinorUnits> refunded;
    std::vector<std::pair<std::size_t, MinorUnits>> returned;  // index of the refund, amount
    MinorUnits income;
  };
  for (const Row& row : {Row{{1000}, {}, 0}, Row{{1000}, {{0, 1000}}, 25}, Row{{300}, {{0, 300}}, 25},
                         Row{{300}, {{0, 150}}, 22}, Row{{30, 30}, {{0, 30}}, 25}, Row{{30, 30}, {{1, 30}}, 25},
                         Row{{999, 1}, {{0, 999}}, 25}, Row{{500, 500}, {{0, 1}, {1, 1}}, 1}}) {
    RefundScenario it(SetFee{.merchant_id = kMerchant, .channel = "sandbox", .basis_points = 250, .refundable = true});
    it.pays();
    for (std::size_t i = 0; i < row.refunded.size(); ++i) {
      it.create_refund(row.refunded[i]);
      it.own_is(K::refunded, i);
    }
    MinorUnits net_refunded = 0;
    for (const MinorUnits amount : row.refunded) net_refunded += amount;
    for (std::size_t i = 0; i < row.returned.size(); ++i) {
      it.returns("B" + std::to_string(i), row.returned[i].second, row.returned[i].first);
      net_refunded -= row.returned[i].second;
    }
    EXPECT_EQ(it.balance(AccountKind::fee_income), row.income) << row.refunded.size() << ' ' << net_refunded;
    EXPECT_EQ(it.balance(AccountKind::merchant_payable), kPaid - net_refunded - row.income);
  }
}

}  // namespace
}  // namespace finality
