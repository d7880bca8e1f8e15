#include "decide/refund/external_refund.h"

#include <functional>

#include "decide/testing/refund_scenario.h"

namespace finality {
namespace {

using namespace test;
using namespace std::chrono_literals;
using K = RefundEvidenceKind;

// The expected balances, amounts and counts after a test case. Fields default to 0.
struct Books {
  MinorUnits payable = 0;     // balance of merchant_payable
  MinorUnits receivable = 0;  // negated balance of channel_receivable
  MinorUnits refunded = 0;    // refunded_amount of the order
  MinorUnits external = 0;    // booked external refunds
  MinorUnits suspense = 0;
  MinorUnits in_transit = 0;
  int external_cases = 0;
  int twice_cases = 0;
  int over_cases = 0;
  bool queries_total = false;
};

struct Row {
  const char* name;
  std::function<void(RefundScenario&)> happens;
  Books books;
};

const Row kRows[] = {
    // External refunds that the channel reports under a refund number.
    {"a number",
     [](RefundScenario& it) {
       it.pays();
       it.number("C1", 300);
     },
     {.payable = 700, .receivable = 700, .refunded = 300, .external = 300, .external_cases = 1}},
    {"a number twice",
     [](RefundScenario& it) {
       it.pays();
       it.number("C1", 300);
       it.number("C1", 300);
     },
     {.payable = 700, .receivable = 700, .refunded = 300, .external = 300, .external_cases = 1}},
    {"two numbers",
     [](RefundScenario& it) {
       it.pays();
       it.number("C1", 300);
       it.number("C2", 200);
     },
     {.payable = 500, .receivable = 500, .refunded = 500, .external = 500, .external_cases = 2}},
    {"a number before the payment is known",
     [](RefundScenario& it) { it.number("C1", 300); },
     {.payable = 700, .receivable = 700, .refunded = 300, .external = 300, .external_cases = 1}},
    {"the whole amount by a number before the payment is known",
     [](RefundScenario& it) { it.number("C1", kPaid); },
     {.refunded = kPaid, .external = kPaid, .external_cases = 1}},
    {"a number while our refund is in progress",
     [](RefundScenario& it) {
       it.pays();
       it.create_refund(100);
       it.number("C1", 300);
     },
     {.payable = 600, .receivable = 700, .refunded = 300, .external = 300, .in_transit = 100, .external_cases = 1}},
    {"a number, then our refund succeeds",
     [](RefundScenario& it) {
       it.pays();
       it.create_refund(100);
       it.number("C1", 300);
       it.own_is(K::refunded);
     },
     {.payable = 600, .receivable = 600, .refunded = 400, .external = 300, .external_cases = 1}},

    // External refunds that the channel reports in the running total of a trade.
    {"a total",
     [](RefundScenario& it) {
       it.pays();
       it.total(300);
     },
     {.payable = 700, .receivable = 700, .refunded = 300, .external = 300, .external_cases = 1}},
    {"a total twice",
     [](RefundScenario& it) {
       it.pays();
       it.total(300);
       it.total(300);
     },
     {.payable = 700, .receivable = 700, .refunded = 300, .external = 300, .external_cases = 1}},
    {"a total that grows",
     [](RefundScenario& it) {
       it.pays();
       it.total(300);
       it.total(450);
     },
     {.payable = 550, .receivable = 550, .refunded = 450, .external = 450, .external_cases = 2}},
    {"an earlier, smaller total after a larger one",
     [](RefundScenario& it) {
       it.pays();
       it.total(450);
       it.total(300);
     },
     {.payable = 550, .receivable = 550, .refunded = 450, .external = 450, .external_cases = 1}},
    {"a total before the payment is known",
     [](RefundScenario& it) { it.total(300); },
     {.payable = 700, .receivable = 700, .refunded = 300, .external = 300, .external_cases = 1}},
    {"a total of the whole amount before the payment is known",
     [](RefundScenario& it) { it.total(kPaid); },
     {.refunded = kPaid, .external = kPaid, .external_cases = 1}},
    {"a total that our own refund explains",
     [](RefundScenario& it) {
       it.pays();
       it.create_refund(300);
       it.own_is(K::refunded);
       it.total(300);
     },
     {.payable = 700, .receivable = 700, .refunded = 300}},
    {"a total that our own refund explains in part",
     [](RefundScenario& it) {
       it.pays();
       it.create_refund(300);
       it.own_is(K::refunded);
       it.total(500);
     },
     {.payable = 500, .receivable = 500, .refunded = 500, .external = 200, .external_cases = 1}},

    // Running totals that arrive while a refund requested by Finality is in progress.
    {"a total waits while our refund is in progress",
     [](RefundScenario& it) {
       it.pays();
       it.create_refund(300);
       it.total(300);
     },
     {.payable = 700, .receivable = kPaid, .in_transit = 300}},
    {"a waiting total is explained by the success of our refund",
     [](RefundScenario& it) {
       it.pays();
       it.create_refund(300);
       it.total(300);
       it.own_is(K::refunded);
       it.total(300);
     },
     {.payable = 700, .receivable = 700, .refunded = 300}},
    {"a waiting total is queried again after the success of our refund",
     [](RefundScenario& it) {
       it.pays();
       it.create_refund(300);
       it.total(200);
       it.own_is(K::refunded);
     },
     {.payable = 700, .receivable = 700, .refunded = 300, .queries_total = true}},
    {"the queried total shows a further refund",
     [](RefundScenario& it) {
       it.pays();
       it.create_refund(300);
       it.total(200);
       it.own_is(K::refunded);
       it.total(500);
     },
     {.payable = 500, .receivable = 500, .refunded = 500, .external = 200, .external_cases = 1}},
    {"the excess over our refund is booked when our refund succeeds",
     [](RefundScenario& it) {
       it.pays();
       it.create_refund(300);
       it.total(500);
       it.own_is(K::refunded);
       it.total(500);
     },
     {.payable = 500, .receivable = 500, .refunded = 500, .external = 200, .external_cases = 1}},
    {"a waiting total is ignored after the failure of our refund",
     [](RefundScenario& it) {
       it.pays();
       it.create_refund(300);
       it.total(300);
       it.own_is(K::refused);
     },
     {.payable = kPaid, .receivable = kPaid, .queries_total = true}},
    {"likewise, and a later total shows no refund",
     [](RefundScenario& it) {
       it.pays();
       it.create_refund(300);
       it.total(300);
       it.own_is(K::refused);
       it.total(0);
     },
     {.payable = kPaid, .receivable = kPaid}},
    {"a total shows a refund after the failure of our refund",
     [](RefundScenario& it) {
       it.pays();
       it.create_refund(300);
       it.own_is(K::refused);
       it.total(300);
     },
     {.payable = 700, .receivable = 700, .refunded = 300, .external = 300, .external_cases = 1}},
    {"a total from before the end of our refund is queried again",
     [](RefundScenario& it) {
       it.pays();
       it.create_refund(300);
       it.own_is(K::refused);
       it.old_total(300);
     },
     {.payable = kPaid, .receivable = kPaid, .queries_total = true}},
    {"a total counts while our refund waits to be sent under a new number",
     [](RefundScenario& it) {
       it.pays();
       it.create_refund(300);
       it.own_is(K::try_again);
       it.total(200);
     },
     {.payable = 500, .receivable = 800, .refunded = 200, .external = 200, .in_transit = 300, .external_cases = 1}},

    // External refunds that the channel reports both by a refund number and in a running total.
    {"a number is set off against a booked total",
     [](RefundScenario& it) {
       it.pays();
       it.total(300);
       it.number("C1", 300);
     },
     {.payable = 700, .receivable = 700, .refunded = 300, .external = 300, .external_cases = 1}},
    {"two numbers are set off against a booked total",
     [](RefundScenario& it) {
       it.pays();
       it.total(300);
       it.number("C1", 100);
       it.number("C2", 200);
     },
     {.payable = 700, .receivable = 700, .refunded = 300, .external = 300, .external_cases = 1}},
    {"only the excess of a number over the booked total is posted",
     [](RefundScenario& it) {
       it.pays();
       it.total(300);
       it.number("C1", 500);
     },
     {.payable = 500, .receivable = 500, .refunded = 500, .external = 500, .external_cases = 2}},
    {"a total that a number explains",
     [](RefundScenario& it) {
       it.pays();
       it.number("C1", 300);
       it.total(300);
     },
     {.payable = 700, .receivable = 700, .refunded = 300, .external = 300, .external_cases = 1}},
    {"a total above a number",
     [](RefundScenario& it) {
       it.pays();
       it.number("C1", 300);
       it.total(400);
     },
     {.payable = 600, .receivable = 600, .refunded = 400, .external = 400, .external_cases = 2}},
    {"a number is set off against the rest of a total after another number",
     [](RefundScenario& it) {
       it.pays();
       it.number("C1", 300);
       it.total(400);
       it.number("C2", 100);
       it.number("C2", 100);
     },
     {.payable = 600, .receivable = 600, .refunded = 400, .external = 400, .external_cases = 2}},
    {"a number and a total, with our refund in between",
     [](RefundScenario& it) {
       it.pays();
       it.number("C1", 300);
       it.create_refund(200);
       it.total(500);
       it.own_is(K::refunded);
       it.total(500);
     },
     {.payable = 500, .receivable = 500, .refunded = 500, .external = 300, .external_cases = 1}},

    // External refunds that are still in progress at the channel when it reports them.
    {"a number in progress is not posted",
     [](RefundScenario& it) {
       it.pays();
       it.number("C1", 300, K::accepted);
     },
     {.payable = kPaid, .receivable = kPaid}},
    {"a number in progress that succeeds by query",
     [](RefundScenario& it) {
       it.pays();
       it.number("C1", 300, K::accepted);
       it.external_is(K::accepted);
       it.external_is(K::refunded);
     },
     {.payable = 700, .receivable = 700, .refunded = 300, .external = 300, .external_cases = 1}},
    {"a number in progress that succeeds by notification",
     [](RefundScenario& it) {
       it.pays();
       it.number("C1", 300, K::accepted);
       it.number("C1", 300);
       it.number("C1", 300);
     },
     {.payable = 700, .receivable = 700, .refunded = 300, .external = 300, .external_cases = 1}},
    {"a number in progress that fails",
     [](RefundScenario& it) {
       it.pays();
       it.number("C1", 300, K::accepted);
       it.external_is(K::try_again);
     },
     {.payable = kPaid, .receivable = kPaid}},
    {"a failed number that is reported as refunded later",
     [](RefundScenario& it) {
       it.pays();
       it.number("C1", 300, K::accepted);
       it.external_is(K::refused);
       it.number("C1", 300);
     },
     {.payable = 700, .receivable = 700, .refunded = 300, .external = 300, .external_cases = 1}},
    {"a total waits while a number is in progress",
     [](RefundScenario& it) {
       it.pays();
       it.number("C1", 300, K::accepted);
       it.total(300);
       it.external_is(K::refunded);
       it.total(300);
     },
     {.payable = 700, .receivable = 700, .refunded = 300, .external = 300, .external_cases = 1}},
    {"the excess over that number is booked with its success, and the total is queried again",
     [](RefundScenario& it) {
       it.pays();
       it.number("C1", 300, K::accepted);
       it.total(400);
       it.external_is(K::refunded);
     },
     {.payable = 600, .receivable = 600, .refunded = 400, .external = 400, .external_cases = 2, .queries_total = true}},
    {"not_found about an unknown number is ignored",
     [](RefundScenario& it) {
       it.pays();
       it.number("C1", 300, K::accepted);
       it.external_is(K::not_found);
       it.external_is(K::refunded);
     },
     {.payable = 700, .receivable = 700, .refunded = 300, .external = 300, .external_cases = 1}},

    // External refunds whose amount the channel does not report.
    {"an unknown amount was refunded",
     [](RefundScenario& it) {
       it.pays();
       it.hidden();
       it.hidden();
       EXPECT_FALSE(it.create_refund(100)) << "refused until the amount is known";
     },
     {.payable = kPaid, .receivable = kPaid, .external_cases = 1}},
    {"an unknown amount, then a number with its amount",
     [](RefundScenario& it) {
       it.hidden();
       it.number("C1", 300);
       EXPECT_TRUE(it.create_refund(700));
     },
     {.receivable = 700, .refunded = 300, .external = 300, .in_transit = 700, .external_cases = 2}},
    {"an unknown amount, explained by our refund",
     [](RefundScenario& it) {
       it.pays();
       it.create_refund(300);
       it.own_is(K::refunded);
       it.hidden();
     },
     {.payable = 700, .receivable = 700, .refunded = 300}},
    {"an unknown amount while our refund is in progress",
     [](RefundScenario& it) {
       it.pays();
       it.create_refund(300);
       it.hidden();
     },
     {.payable = 700, .receivable = kPaid, .in_transit = 300}},
    {"an unknown amount, explained by an earlier number",
     [](RefundScenario& it) {
       it.pays();
       it.number("C1", 300);
       it.hidden();
     },
     {.payable = 700, .receivable = 700, .refunded = 300, .external = 300, .external_cases = 1}},

    {"an unknown amount of a duplicate: no reversal until the amount is known",
     [](RefundScenario& it) {
       it.pays();
       it.hidden("T2");
       EXPECT_TRUE(it.aggregate(it.order).reversals.empty());
       it.number("C1", 400, K::refunded, "T2");
       EXPECT_EQ(it.reversal().amount, 600);
       it.reversal_is(K::refunded);
     },
     {.payable = kPaid, .receivable = kPaid, .external = 400, .external_cases = 2}},

    // Refunds of which a replaced attempt succeeds.
    {"the third attempt succeeds, then the first",
     [](RefundScenario& it) {
       it.pays();
       it.create_refund(300);
       const std::string first = it.own().out_refund_no;
       it.own_is(K::try_again);
       it.own_is_sent_again();
       it.own_is(K::try_again);
       it.own_is_sent_again();
       it.own_is(K::refunded);
       for (int i = 0; i < 2; ++i) it.own_was(K::refunded, first);
     },
     {.payable = 400, .receivable = 400, .refunded = 600, .external = 300, .twice_cases = 1}},
    {"a failed refund is paid",
     [](RefundScenario& it) {
       it.pays();
       it.create_refund(300);
       it.own_is(K::refused);
       for (int i = 0; i < 2; ++i) it.own_is(K::refunded);
     },
     {.payable = 700, .receivable = 700, .refunded = 300, .external = 300, .twice_cases = 1}},
    {"a failed refund is paid after a total has booked it",
     [](RefundScenario& it) {
       it.pays();
       it.create_refund(300);
       it.own_is(K::refused);
       it.total(300);
       it.own_is(K::refunded);
     },
     {.payable = 700, .receivable = 700, .refunded = 300, .external = 300, .external_cases = 1}},
    {"an earlier attempt succeeds while a newer one is in progress, which pays as well",
     [](RefundScenario& it) {
       it.pays();
       it.create_refund(300);
       const std::string first = it.own().out_refund_no;
       it.own_is(K::try_again);
       it.own_is_sent_again();
       const std::string second = it.own().out_refund_no;
       it.own_was(K::refunded, first);
       it.own_was(K::refunded, second);
       it.own_was(K::refunded, second);
     },
     {.payable = 400, .receivable = 400, .refunded = 600, .external = 300, .twice_cases = 1}},
    {"an earlier attempt succeeds while a newer one is in progress, which has not arrived",
     [](RefundScenario& it) {
       it.pays();
       it.create_refund(300);
       const std::string first = it.own().out_refund_no;
       it.own_is(K::try_again);
       it.own_is_sent_again();
       it.own_was(K::refunded, first);
       it.external_is(K::not_found);
     },
     {.payable = 700, .receivable = 700, .refunded = 300}},

    // Requested and external refunds that together exceed the paid amount.
    {"our refund is in progress, and the channel has refunded the whole amount",
     [](RefundScenario& it) {
       it.pays();
       it.create_refund(kPaid);
       it.number("C1", kPaid);
       EXPECT_FALSE(it.create_refund(1)) << "no refundable amount is left";
     },
     {.payable = -kPaid, .refunded = kPaid, .external = kPaid, .in_transit = kPaid, .external_cases = 1}},
    {"likewise, and our refund succeeds too",
     [](RefundScenario& it) {
       it.pays();
       it.create_refund(kPaid);
       it.number("C1", kPaid);
       it.own_is(K::refunded);
     },
     {.payable = -kPaid,
      .receivable = -kPaid,
      .refunded = 2 * kPaid,
      .external = kPaid,
      .external_cases = 1,
      .over_cases = 1}},
    {"the whole amount is refunded by us, then a part by the channel",
     [](RefundScenario& it) {
       it.pays();
       it.create_refund(kPaid);
       it.own_is(K::refunded);
       it.number("C1", 400);
     },
     {.payable = -400,
      .receivable = -400,
      .refunded = kPaid + 400,
      .external = 400,
      .external_cases = 1,
      .over_cases = 1}},

    // Receipts in suspense: T2 is a duplicate, which is reversed.
    {"the whole duplicate by a number, before its receipt is known",
     [](RefundScenario& it) {
       it.pays();
       it.number("C1", kPaid, K::refunded, "T2");
       EXPECT_TRUE(it.aggregate(it.order).reversals.empty());
     },
     {.payable = kPaid, .receivable = kPaid, .external = kPaid, .external_cases = 1}},
    {"a part of a duplicate before its receipt is known: the rest is reversed",
     [](RefundScenario& it) {
       it.pays();
       it.total(400, "T2");
       EXPECT_EQ(it.reversal().amount, 600);
       it.reversal_is(K::refunded);
     },
     {.payable = kPaid, .receivable = kPaid, .external = 400, .external_cases = 1}},
    {"a part of a duplicate while its reversal waits to be sent again",
     [](RefundScenario& it) {
       it.pays();
       it.pays("T2");
       it.reversal_is(K::try_again);
       it.total(400, "T2");
       EXPECT_EQ(it.reversal().amount, 600);
     },
     {.payable = kPaid, .receivable = 2 * kPaid - 400, .external = 400, .suspense = 600, .external_cases = 1}},
    {"the whole duplicate while its reversal is blocked",
     [](RefundScenario& it) {
       it.pays();
       it.pays("T2");
       it.reversal_is(K::refused);
       it.total(kPaid, "T2");
       EXPECT_EQ(it.reversal().state, ReversalState::succeeded);
       EXPECT_EQ(it.payment_now().reversed_amount, kPaid);
     },
     {.payable = kPaid, .receivable = kPaid, .external = kPaid, .external_cases = 1}},
    {"a part of a duplicate by a number while its reversal is in progress, which succeeds in full",
     [](RefundScenario& it) {
       it.pays();
       it.pays("T2");
       it.number("C1", 400, K::refunded, "T2");
       it.reversal_is(K::refunded);
     },
     {.payable = kPaid - 400,
      .receivable = kPaid - 400,
      .external = 800,
      .external_cases = 1,
      .twice_cases = 1,
      .over_cases = 1}},
    {"a part of a duplicate by a number while its reversal is in progress, which is refused",
     [](RefundScenario& it) {
       it.pays();
       it.pays("T2");
       it.number("C1", 400, K::refunded, "T2");
       it.reversal_is(K::refused);
       EXPECT_EQ(it.reversal().amount, 600);
       EXPECT_EQ(it.reversal().state, ReversalState::blocked);
     },
     {.payable = kPaid, .receivable = 2 * kPaid - 400, .external = 400, .suspense = 600, .external_cases = 1}},
    {"a reversal is paid twice",
     [](RefundScenario& it) {
       it.pays();
       it.pays("T2");
       const std::string first = it.reversal().out_refund_no;
       it.reversal_is(K::try_again);
       it.now = it.reversal().due_at.value();
       it.run(ClaimRequest{kMerchant, it.order, it.reversal().id, it.now});
       it.reversal_is(K::refunded);
       it.reversal_was(K::refunded, first);
     },
     {.payable = 0, .receivable = 0, .external = kPaid, .twice_cases = 1, .over_cases = 1}},
};

TEST(ExternalRefund, TheLedgerMatchesTheChannelInAnyOrderOfReports) {
  static_assert(std::size(kRows) >= 40);
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.name);
    RefundScenario it;
    row.happens(it);
    const Order& order = it.aggregate(it.order).order;
    EXPECT_EQ(order.state, OrderState::succeeded);
    EXPECT_EQ(it.balance(AccountKind::merchant_payable), row.books.payable);
    EXPECT_EQ(it.balance(AccountKind::channel_receivable), -row.books.receivable);
    EXPECT_EQ(it.balance(AccountKind::suspense), row.books.suspense);
    EXPECT_EQ(it.balance(AccountKind::refunds_in_transit), row.books.in_transit);
    EXPECT_EQ(order.refunded_amount, row.books.refunded);
    EXPECT_EQ(it.external(), row.books.external);
    EXPECT_EQ(it.cases(CaseKind::external_refund), row.books.external_cases);
    EXPECT_EQ(it.cases(CaseKind::refunded_twice), row.books.twice_cases);
    EXPECT_EQ(it.cases(CaseKind::over_refunded), row.books.over_cases);
    EXPECT_EQ(it.queries_total(), row.books.queries_total);
  }
}

TEST(ExternalRefund, NotifiesTheMerchantAndShowsItsOrigin) {
  RefundScenario it;
  it.pays();
  it.number("C1", 300);
  EXPECT_EQ(it.delivery_types(), "refund.external case.opened");
  const std::string body = it.delivery(it.new_deliveries.front()).body;
  for (const char* part : {R"("origin":"channel")", R"("channel_refund_no":"C1")", R"("amount":300)"})
    EXPECT_NE(body.find(part), std::string::npos) << part;
  EXPECT_EQ(body.find("merchant_refund_no"), std::string::npos);
}

// One command ends the order and then books the external refund. The notification order.succeeded shows the order as it
// was before the refund was booked.
TEST(ExternalRefund, ReportedWithThePaymentIsNotYetInTheOrdersNotification) {
  RefundScenario it;
  it.total(300);
  EXPECT_EQ(it.delivery_types(), "order.succeeded refund.external case.opened");
  EXPECT_EQ(it.aggregate(it.order).order.refunded_amount, 300);
  const std::string body = it.delivery(it.new_deliveries.front()).body;
  EXPECT_NE(body.find(R"("paid_amount":1000,"refunded_amount":0)"), std::string::npos) << body;
  std::size_t sent = 0;
  for (const Effect& effect : it.effects) {
    const auto* attempt = std::get_if<DeliveryAttempt>(&effect);
    if (attempt == nullptr) continue;
    ++sent;
    EXPECT_FALSE(attempt->delivery.body.empty());
    EXPECT_EQ(attempt->delivery.body, it.delivery(attempt->delivery.id).body);
  }
  EXPECT_EQ(sent, it.new_deliveries.size());
}

// An external refund can have two cases that allow charge_platform. The second approval is refused.
TEST(ExternalRefund, CanBeChargedToThePlatformOnce) {
  RefundScenario it;
  it.pays();
  it.create_refund(kPaid);
  it.own_is(K::refunded);
  it.number("C1", 400);
  ASSERT_TRUE(it.resolves(CaseKind::over_refunded, "charge_platform"));
  EXPECT_EQ(it.balance(AccountKind::merchant_payable), 0);
  EXPECT_EQ(it.balance(AccountKind::loss), -400);
  const auto again = it.resolves(CaseKind::external_refund, "charge_platform");
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().code, RefusalCode::illegal_transition);
  EXPECT_EQ(it.balance(AccountKind::loss), -400);
}

// The open case keeps the receipt visible to operators until the channel reports the refunded amount. Only then can the
// remaining amount be reversed.
TEST(ExternalRefund, OfAReceiptInSuspenseCannotBeAcceptedBeforeItsAmountIsKnown) {
  RefundScenario it;
  it.pays();
  it.hidden("T2");
  const auto accepted = it.resolves(CaseKind::external_refund, "accept");
  ASSERT_FALSE(accepted.has_value());
  EXPECT_EQ(accepted.error().code, RefusalCode::illegal_transition);
  it.number("C1", 400, K::refunded, "T2");
  EXPECT_EQ(it.reversal().amount, 600);
}

TEST(ExternalRefund, OfAParkedOrderIsBookedAndNoRequestIsSent) {
  RefundScenario it;
  it.pays();
  it.create_refund(100);
  it.run(ParkOrder{kMerchant, it.order, "1: a finding"});
  it.number("C1", 300);
  it.own_is(K::refunded);
  EXPECT_EQ(it.aggregate(it.order).order.refunded_amount, 400);
  EXPECT_EQ(it.balance(AccountKind::merchant_payable), kPaid - 400);
  for (const Effect& effect : it.effects) EXPECT_TRUE(std::holds_alternative<DeliveryAttempt>(effect));
}

TEST(ExternalRefund, InProgressIsQueriedByItsOwnNumberAndAmount) {
  RefundScenario it;
  it.pays();
  it.total(100);
  it.number("C1", 300, K::accepted);
  const Refund refund = it.aggregate(it.order).refunds.back();
  EXPECT_EQ(refund.amount, 200) << "100 were booked before";
  it.now = refund.due_at.value();
  it.run(ClaimRequest{kMerchant, it.order, refund.id, it.now});
  ASSERT_EQ(it.effects.size(), 1u);
  const auto& call = std::get<RefundCall>(it.effects.front());
  EXPECT_EQ(call.kind, RefundCallKind::query_refund);
  EXPECT_EQ(call.out_refund_no, "C1");
  EXPECT_EQ(call.amount, 300);
}

}  // namespace
}  // namespace finality
