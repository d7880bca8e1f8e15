#include "decide/payment/classify_evidence.h"

#include "decide/testing/test_world.h"

namespace finality {
namespace {

using namespace test;

using enum PaymentState;
using K = EvidenceKind;
using E = PaymentEvent;

constexpr Time kDeadline = kNow;         // send deadline of the payment
constexpr Time kFinalAt{kNow.ms + 100};  // when the final evidence was recorded

// Optional inputs of a test case, with defaults.
struct More {
  MinorUnits amount = kAmount;
  bool known = false;             // Classified::receipt_known
  Time asked_at{kNow.ms + 1000};  // after the deadline and the final evidence
  bool close_pending = false;
  bool close_requested = false;
  bool made_by_payer = false;
  Currency currency = kCny;
  const char* because = "";
};

struct Row {
  PaymentState payment;
  OrderState order;
  K kind;
  E is;
  More more = {};
};

E classified(const Row& row) {
  OrderAggregate aggregate;
  aggregate.order.state = row.order;
  aggregate.order.close_requested = row.more.close_requested;
  aggregate.order.amount = kAmount;
  aggregate.order.currency = kCny;
  Payment payment;
  payment.id = PaymentId{5};
  payment.state = row.payment;
  payment.amount = kAmount;
  payment.currency = kCny;
  payment.close_pending = row.more.close_pending;
  payment.send_deadline = kDeadline;
  if (payment_machine.is_final(row.payment) || is_under_review(payment)) payment.final_evidence_at = kFinalAt;
  if (row.more.known)
    aggregate.receipts.push_back(Receipt{
        .id = ReceiptId{7},
        .payment_id = payment.id,
        .channel_trade_no = "T",
        .state = row.payment == succeeded ? ReceiptState::accepted : ReceiptState::suspense,
    });
  aggregate.payments.push_back(payment);
  Evidence evidence = row.kind == K::paid ? paid("T", row.more.amount, row.more.currency) : Evidence{.kind = row.kind};
  evidence.asked_at = row.more.asked_at;
  return classify({aggregate, payment, evidence, row.more.known, row.more.made_by_payer});
}

void check(const std::vector<Row>& rows) {
  for (const Row& row : rows)
    EXPECT_EQ(classified(row), row.is) << name_of(row.kind) << " on a payment " << name_of(row.payment)
                                       << " of an order " << name_of(row.order) << ": " << row.more.because;
}

TEST(Classify, APaidTradeIsAcceptedOnlyForAnOpenPaymentOfAnOpenOrder) {
  using O = OrderState;
  check({
      {created, O::pending, K::paid, E::paid},
      {processing, O::processing, K::paid, E::paid},
      {pending, O::pending, K::paid, E::paid},
      {pending,
       O::processing,
       K::paid,
       E::paid,
       {.because = "the outstanding result of another payment does not matter"}},
      {pending,
       O::pending,
       K::paid,
       E::paid,
       {.close_requested = true, .because = "a requested close has not taken effect yet"}},
      {processing, O::succeeded, K::paid, E::paid_unexpectedly},
      {pending, O::closed, K::paid, E::paid_unexpectedly},
      {pending, O::failed, K::paid, E::paid_unexpectedly},
      {closed, O::pending, K::paid, E::paid_unexpectedly},
      {closed, O::closed, K::paid, E::paid_unexpectedly},
      {succeeded, O::succeeded, K::paid, E::paid_unexpectedly, {.because = "a second trade of one payment"}},
      {failed, O::pending, K::paid, E::paid_after_failure},
      {failed, O::failed, K::paid, E::paid_after_failure},
  });
}

TEST(Classify, AnotherAmountOrCurrencyIsAMismatchInEveryState) {
  using O = OrderState;
  for (const PaymentState state : {created, processing, pending, under_review, succeeded, failed, closed})
    check({
        {state, O::pending, K::paid, E::paid_mismatch, {.amount = kAmount - 1}},
        {state, O::pending, K::paid, E::paid_mismatch, {.amount = kAmount + 1}},
        {state, O::pending, K::paid, E::paid_mismatch, {.amount = 1, .because = "1 pays 1999"}},
        {state, O::pending, K::paid, E::paid_mismatch, {.currency = kUsd}},
    });
}

TEST(Classify, ATradeWithAReceiptIsAlreadyKnownInEveryState) {
  using O = OrderState;
  for (const PaymentState state : {created, processing, pending, under_review, succeeded, failed, closed})
    check({
        {state, O::pending, K::paid, E::already_known, {.known = true}},
        {state, O::pending, K::paid, E::already_known, {.amount = 1, .known = true}},
    });
}

TEST(Classify, EvidenceOlderThanTheFinalEvidenceIsStale) {
  using O = OrderState;
  constexpr Time kBefore{kFinalAt.ms - 1};
  for (const PaymentState state : {under_review, succeeded, failed, closed})
    for (const K kind : {K::waiting, K::failed, K::closed, K::not_found, K::unknown})
      check({{state, O::pending, kind, E::already_known, {.asked_at = kBefore}}});
  check({
      {succeeded, O::succeeded, K::failed, E::failed, {.asked_at = kFinalAt, .because = "queried at the same instant"}},
      {closed, O::closed, K::paid, E::paid_unexpectedly, {.asked_at = kBefore, .because = "a receipt is never stale"}},
      {pending,
       O::pending,
       K::failed,
       E::failed,
       {.asked_at = kBefore, .because = "the payment has no final evidence"}},
  });
}

TEST(Classify, DirectEvidenceMapsToTheSameEvent) {
  using O = OrderState;
  for (const PaymentState state : {created, processing, pending, under_review, succeeded, failed, closed})
    check({
        {state, O::pending, K::waiting, E::waiting},
        {state, O::pending, K::failed, E::failed},
        {state, O::pending, K::closed, E::closed},
        {state, O::pending, K::unknown, E::unknown},
    });
}

TEST(Classify, NotFoundCountsOnlyAfterTheSendDeadline) {
  using O = OrderState;
  check({
      {processing, O::processing, K::not_found, E::unknown, {.asked_at = {kDeadline.ms - 1}}},
      {processing,
       O::processing,
       K::not_found,
       E::unknown,
       {.asked_at = kDeadline, .because = "the deadline itself is not after the deadline"}},
      {processing, O::processing, K::not_found, E::unknown, {.asked_at = kDeadline, .close_pending = true}},
      {processing, O::processing, K::not_found, E::unknown, {.asked_at = kDeadline, .made_by_payer = true}},
      {processing, O::processing, K::not_found, E::not_found, {.asked_at = {kDeadline.ms + 1}}},
      {created, O::processing, K::not_found, E::not_found},
      {pending, O::pending, K::not_found, E::not_found},
      {succeeded, O::succeeded, K::not_found, E::not_found},
      {failed, O::pending, K::not_found, E::not_found},
      {closed, O::closed, K::not_found, E::not_found},
  });
}

TEST(Classify, NotFoundEndsAPaymentThatIsClosing) {
  using O = OrderState;
  check({
      {processing, O::processing, K::not_found, E::not_found_while_closing, {.close_pending = true}},
      {pending, O::pending, K::not_found, E::not_found_while_closing, {.close_requested = true}},
      {pending, O::pending, K::not_found, E::not_found_while_closing, {.close_pending = true, .made_by_payer = true}},
  });
}

TEST(Classify, NotFoundMeansWaitingWhenThePayerCreatesTheTrade) {
  check({
      {processing, OrderState::processing, K::not_found, E::waiting, {.made_by_payer = true}},
      {pending, OrderState::pending, K::not_found, E::waiting, {.made_by_payer = true}},
  });
}

}  // namespace
}  // namespace finality
