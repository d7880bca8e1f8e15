#include "decide/payment/record_evidence.h"

#include <boost/json/parse.hpp>

#include "decide/testing/test_world.h"

namespace finality {
namespace {

using namespace test;

class RecordEvidenceTest : public testing::Test {
 protected:
  World world_;
  OrderId order_ = world_.new_order();
  PaymentId payment_ = world_.start(order_);
  const Payment& payment() const { return world_.payment(payment_); }
};

TEST_F(RecordEvidenceTest, APaymentOfAnotherChannelOrMerchantIsNotFound) {
  RecordEvidence command = world_.evidence_command(payment_, paid());
  command.channel = "by_payer";
  EXPECT_EQ(world_.refusal_of(command), "not_found");
  command = world_.evidence_command(payment_, paid());
  command.merchant_id = kOtherMerchant;
  EXPECT_EQ(world_.refusal_of(command), "not_found");
  command = world_.evidence_command(payment_, paid());
  command.out_trade_no = out_number(kMerchant, 99);
  EXPECT_EQ(world_.refusal_of(command), "not_found");
  command = world_.evidence_command(payment_, paid());
  command.payment_id = PaymentId{99};
  EXPECT_EQ(world_.refusal_of(command), "not_found");
  EXPECT_EQ(payment().state, PaymentState::processing);
  EXPECT_TRUE(world_.order_of(payment_).receipts.empty());
}

TEST_F(RecordEvidenceTest, AnAcceptedReceiptIsPostedToPayable) {
  world_.record_evidence(payment_, paid());
  EXPECT_EQ(world_.balance(AccountKind::channel_receivable), -kAmount);
  EXPECT_EQ(world_.balance(AccountKind::merchant_payable), kAmount);
  EXPECT_EQ(world_.balance(AccountKind::suspense), 0);
  EXPECT_EQ(payment().paid_amount, kAmount);
  EXPECT_EQ(payment().channel_trade_no, "T1");
  EXPECT_EQ(world_.order(order_).paid_amount, kAmount);
  ASSERT_EQ(world_.store.entries.size(), 2u);
  EXPECT_EQ(world_.event_of(payment_)->journal_id, world_.store.entries[0].id) << "the event refers to its posting";
}

TEST_F(RecordEvidenceTest, AKnownTradeWithAnotherAmountOrCurrencyOpensACaseAndPostsNothing) {
  world_.record_evidence(payment_, paid());
  world_.record_evidence(payment_, paid("T1", kAmount - 1));
  ASSERT_EQ(world_.order_of(payment_).cases.size(), 1u);
  EXPECT_EQ(world_.order_of(payment_).cases.front().kind, CaseKind::report_mismatch);
  world_.record_evidence(payment_, paid("T1", kAmount, kUsd));
  EXPECT_EQ(world_.order_of(payment_).cases.size(), 1u) << "one case collects the evidence";
  EXPECT_EQ(world_.order_of(payment_).receipts.size(), 1u);
  EXPECT_EQ(world_.store.entries.size(), 2u);
}

TEST_F(RecordEvidenceTest, AReceiptThatIsNotAcceptedIsPostedToSuspense) {
  world_.record_evidence(payment_, paid("T1"));
  world_.record_evidence(payment_, paid("T2"));                 // unexpected: reversed
  world_.record_evidence(payment_, paid("T3", 5));              // mismatch: opens a case
  world_.record_evidence(payment_, paid("T4", kAmount, kUsd));  // mismatch: opens a case
  EXPECT_EQ(world_.balance(AccountKind::merchant_payable), kAmount);
  EXPECT_EQ(world_.balance(AccountKind::suspense), kAmount + 5);
  EXPECT_EQ(world_.balance(AccountKind::suspense, kUsd), kAmount);
  EXPECT_EQ(world_.balance(AccountKind::channel_receivable), -2 * kAmount - 5);
  EXPECT_EQ(payment().paid_amount, 2 * kAmount + 5) << "only receipts in the payment's currency";
  EXPECT_EQ(payment().channel_trade_no, "T1") << "the number of the accepted trade is kept";
}

TEST_F(RecordEvidenceTest, AReversalRefersToItsOwnReceipt) {
  world_.record_evidence(payment_, paid("T1"));
  world_.record_evidence(payment_, paid("T2"));
  const OrderAggregate& aggregate = world_.order_of(payment_);
  ASSERT_EQ(aggregate.reversals.size(), 1u);
  const Reversal& reversal = aggregate.reversals[0];
  EXPECT_EQ(reversal.receipt_id, aggregate.receipts[1].id);
  EXPECT_EQ(reversal.amount, kAmount);
  EXPECT_EQ(reversal.state, ReversalState::processing) << "the commit that creates it claims its send";
  EXPECT_EQ(reversal.out_refund_no, out_number(kMerchant, reversal.id.value));
}

// The accepted receipt has a greater id than the later receipt: a node whose clock is ahead created it.
TEST_F(RecordEvidenceTest, AReversalRefersToItsOwnReceiptWhenIdsAreOutOfOrder) {
  world_.record_evidence(payment_, paid("T1"));
  const ReceiptId ahead{world_.aggregate(order_).receipts[0].id.value + (std::int64_t{1} << 40)};
  world_.aggregate(order_).receipts[0].id = ahead;
  world_.record_evidence(payment_, paid("T2"));
  const OrderAggregate& aggregate = world_.order_of(payment_);
  ASSERT_EQ(aggregate.receipts.size(), 2u);
  EXPECT_EQ(aggregate.receipts[0].channel_trade_no, "T2") << "ordered by id, as after loading";
  EXPECT_EQ(aggregate.receipts[1].id, ahead);
  ASSERT_EQ(aggregate.reversals.size(), 1u);
  EXPECT_EQ(aggregate.reversals[0].receipt_id, aggregate.receipts[0].id);
}

TEST_F(RecordEvidenceTest, ARepeatedTradeCreatesOneReceipt) {
  for (int i = 0; i < 3; ++i) world_.record_evidence(payment_, paid());
  EXPECT_EQ(world_.order_of(payment_).receipts.size(), 1u);
  EXPECT_EQ(world_.balance(AccountKind::merchant_payable), kAmount);
}

TEST_F(RecordEvidenceTest, ATradeCreatesOneReceiptOverAllOrdersOfTheMerchant) {
  world_.record_evidence(payment_, paid());
  const PaymentId other = world_.start(world_.new_order());
  world_.record_evidence(other, paid());
  EXPECT_EQ(world_.payment(other).state, PaymentState::processing);
  EXPECT_EQ(world_.balance(AccountKind::merchant_payable), kAmount);
}

TEST_F(RecordEvidenceTest, RepeatedEvidenceMakesNoVersionAndNoEvent) {
  world_.record_evidence(payment_, waiting());
  const std::int64_t version = world_.order(order_).version;
  world_.now = world_.now + 10s;
  world_.record_evidence(payment_, waiting());
  EXPECT_TRUE(world_.events.empty());
  EXPECT_EQ(world_.order(order_).version, version);
  EXPECT_GT(payment().due_at, world_.now) << "the next query is scheduled";
}

TEST_F(RecordEvidenceTest, NewEvidenceIsRecordedEvenWithoutAChangeOfState) {
  world_.record_evidence(payment_, paid());
  world_.record_evidence(payment_, waiting());
  ASSERT_EQ(world_.events.size(), 1u);
  EXPECT_EQ(world_.events[0].cell, fsm::CellKind::keep);
  world_.record_evidence(payment_, unknown());
  EXPECT_EQ(world_.events.size(), 1u);
}

TEST_F(RecordEvidenceTest, AnEventContainsTheEvidence) {
  RecordEvidence command = world_.evidence_command(payment_, failed("insufficient_funds"));
  command.evidence.source = CauseKind::notification;
  world_.run(command);
  const Event& event = *world_.event_of(payment_);
  EXPECT_EQ(event.cause, CauseKind::notification);
  EXPECT_NE(event.detail.find("insufficient_funds"), std::string::npos);
  EXPECT_EQ(event.from_state, "processing");
  EXPECT_EQ(event.to_state, "failed");
  EXPECT_EQ(event.root_version, world_.order(order_).version);
  EXPECT_EQ(payment().failure_code, "insufficient_funds");
  EXPECT_EQ(payment().failure_message, "The bank said no.");
}

TEST_F(RecordEvidenceTest, LaterEvidenceDoesNotChangeTheFailureCode) {
  world_.record_evidence(payment_, failed("first"));
  world_.record_evidence(payment_, failed("second"));
  EXPECT_EQ(payment().failure_code, "first");
}

TEST_F(RecordEvidenceTest, AnotherAmountIsAFailureOnlyAfterTheReview) {
  world_.record_evidence(payment_, paid("T1", 1));
  EXPECT_EQ(payment().failure_code, std::nullopt);
  EXPECT_TRUE(payment().final_evidence_at);
  EXPECT_FALSE(payment().due_at);
}

TEST_F(RecordEvidenceTest, ThePayersActionIsStored) {
  Evidence evidence = waiting();
  evidence.action_type = ActionType::qr_code;
  evidence.action_url = "https://pay.example/q";
  evidence.action_code = "q-1";
  world_.record_evidence(payment_, evidence);
  EXPECT_EQ(payment().action_type, ActionType::qr_code);
  EXPECT_EQ(payment().action_url, "https://pay.example/q");
  EXPECT_EQ(payment().action_code, "q-1");
}

TEST_F(RecordEvidenceTest, AReplyAfterTheNotificationChangesNothing) {
  Evidence reply = waiting();
  reply.asked_at = world_.now;
  world_.now = world_.now + 1s;
  world_.record_evidence(payment_, paid());
  world_.now = world_.now + 1s;
  world_.record_evidence(payment_, reply);
  EXPECT_EQ(payment().state, PaymentState::succeeded);
  EXPECT_EQ(world_.order(order_).state, OrderState::succeeded);
  EXPECT_TRUE(world_.order_of(payment_).cases.empty());
}

TEST_F(RecordEvidenceTest, FailureAfterSuccessOpensOneCaseWhenRepeated) {
  world_.record_evidence(payment_, paid());
  world_.record_evidence(payment_, failed("a"));
  world_.record_evidence(payment_, failed("b"));
  world_.record_evidence(payment_, closed());
  const OrderAggregate& aggregate = world_.order_of(payment_);
  ASSERT_EQ(aggregate.cases.size(), 1u);
  EXPECT_EQ(aggregate.cases[0].kind, CaseKind::conflicting_result);
  EXPECT_EQ(ObjectRef(aggregate.cases[0].object_type, aggregate.cases[0].object_id), ObjectRef(payment_));
  EXPECT_EQ(aggregate.cases[0].version, 3) << "further evidence is added to it";
  EXPECT_EQ(payment().state, PaymentState::succeeded);
}

TEST_F(RecordEvidenceTest, NotFoundBeforeTheSendDeadlineIsIgnored) {
  const Time deadline = *payment().send_deadline;
  Evidence evidence = not_found();
  evidence.asked_at = deadline;
  world_.now = deadline + 1s;
  world_.record_evidence(payment_, evidence);
  EXPECT_EQ(payment().state, PaymentState::processing);
  EXPECT_TRUE(payment().outstanding_since.has_value());
}

TEST_F(RecordEvidenceTest, NotFoundAfterTheSendDeadlineResendsTheSameNumberAfterAPause) {
  const std::string number = payment().out_trade_no;
  const Duration age = *payment().send_deadline + 1s - world_.now;
  world_.now = world_.now + age;
  world_.record_evidence(payment_, not_found());
  EXPECT_EQ(payment().state, PaymentState::created);
  EXPECT_EQ(payment().due_at, world_.now + age);
  world_.now = *payment().due_at;
  world_.run(ClaimRequest{kMerchant, order_, payment_, world_.now});
  EXPECT_EQ(payment().state, PaymentState::processing);
  EXPECT_EQ(world_.calls(), std::vector{ChannelCallKind::send_payment});
  EXPECT_EQ(payment().out_trade_no, number);
}

TEST_F(RecordEvidenceTest, UnknownNeverFailsAndOpensOneCaseWhenTheResultIsOverdue) {
  const Time since = *payment().outstanding_since;
  world_.now = since + world_.policy.result_overdue_after;
  world_.record_evidence(payment_, unknown());
  EXPECT_TRUE(world_.order_of(payment_).cases.empty());
  for (int day = 1; day < 60; ++day) {
    world_.now = since + world_.policy.result_overdue_after + 24h * day;
    world_.record_evidence(payment_, unknown());
    EXPECT_EQ(payment().state, PaymentState::processing);
    EXPECT_GT(payment().due_at, world_.now) << "queries continue";
  }
  ASSERT_EQ(world_.order_of(payment_).cases.size(), 1u);
  EXPECT_EQ(world_.order_of(payment_).cases[0].kind, CaseKind::result_overdue);
  EXPECT_EQ(world_.order(order_).state, OrderState::processing);
}

TEST_F(RecordEvidenceTest, TheResultIsOverdueInALoopOfNotFoundAndResend) {
  const Time since = *payment().outstanding_since;
  world_.policy.sends_max = 100;
  while (world_.now <= since + world_.policy.result_overdue_after) {
    world_.now = std::max(world_.now + 1h, *payment().send_deadline + 1s);
    world_.record_evidence(payment_, not_found());
    ASSERT_EQ(payment().state, PaymentState::created);
    world_.run(ClaimRequest{kMerchant, order_, payment_, *payment().due_at});
    ASSERT_EQ(payment().outstanding_since, since);
  }
  world_.record_evidence(payment_, unknown());
  EXPECT_EQ(world_.order_of(payment_).cases.at(0).kind, CaseKind::result_overdue);
}

TEST_F(RecordEvidenceTest, TheCaseOfAnOverdueResultIsSettledByTheResult) {
  world_.now = *payment().outstanding_since + world_.policy.result_overdue_after + 1s;
  world_.record_evidence(payment_, unknown());
  ASSERT_EQ(world_.order_of(payment_).cases.at(0).state, CaseState::open);
  world_.record_evidence(payment_, waiting());
  const Case& row = world_.order_of(payment_).cases.at(0);
  EXPECT_EQ(row.state, CaseState::resolved);
  EXPECT_EQ(row.resolution, "settled");
}

TEST_F(RecordEvidenceTest, ThePayersActionIsStoredFromALateReply) {
  world_.record_evidence(payment_, waiting());  // the result of a query, before the reply
  Evidence reply = waiting();
  reply.action_type = ActionType::redirect;
  reply.action_url = "https://pay.example/1";
  world_.record_evidence(payment_, reply);
  EXPECT_EQ(payment().action_url, "https://pay.example/1");
}

TEST_F(RecordEvidenceTest, AfterALostReplyThePaymentIsResentToObtainTheAction) {
  world_.policy.channels["sandbox"].repeats_action = {"redirect"};
  Evidence evidence = waiting();
  evidence.source = CauseKind::query;
  const std::string number = payment().out_trade_no;
  for (int query = 0; query < 2; ++query) {  // the second query: the reply to the first resend is lost too
    const std::int64_t version = world_.order(order_).version;
    world_.record_evidence(payment_, evidence);
    EXPECT_EQ(world_.order(order_).version, version + 1) << "the send deadline is stored with it";
    EXPECT_EQ(world_.calls(), std::vector{ChannelCallKind::send_payment});
    EXPECT_EQ(payment().state, PaymentState::pending);
    EXPECT_EQ(payment().out_trade_no, number);
  }
  Evidence reply = waiting();
  reply.action_type = ActionType::redirect;
  world_.record_evidence(payment_, reply);
  world_.record_evidence(payment_, evidence);
  EXPECT_EQ(world_.calls(), std::vector<ChannelCallKind>{});
}

TEST_F(RecordEvidenceTest, ATradeCreatedByItsPayerIsResentToObtainTheActionWhenNotFound) {
  world_.policy.channels["by_payer"].repeats_action = {"qr_code"};
  const PaymentId other = world_.start(world_.new_order(), {.channel = "by_payer", .method = "qr_code"});
  world_.now = world_.now + 1min;
  Evidence evidence = not_found();
  evidence.source = CauseKind::query;
  world_.record_evidence(other, evidence);
  EXPECT_EQ(world_.calls(), std::vector{ChannelCallKind::send_payment});
  Evidence reply = waiting();
  reply.action_type = ActionType::qr_code;
  world_.record_evidence(other, reply);
  world_.record_evidence(other, evidence);
  EXPECT_EQ(world_.calls(), std::vector<ChannelCallKind>{});
}

// The payment has a code of its payer that the channel accepts in one request only.
class PayerDataTest : public RecordEvidenceTest {
 protected:
  static constexpr const char* kPayer = R"({"auth_code":"286512345678901234"})";

  PayerDataTest() { payment_ = world_.start(world_.new_order(), fields("redirect")); }
  static PaymentFields fields(std::string method) {
    return {.channel = "sandbox", .method = std::move(method), .payer = kPayer};
  }
};

TEST_F(PayerDataTest, EveryFinalStateAndAReviewEraseThePayer) {
  for (const Evidence& evidence : {paid(), failed(), closed(), paid("T2", kAmount - 1)}) {
    const PaymentId id = world_.start(world_.new_order(), fields("redirect"));
    for (const Evidence& earlier : {unknown(), waiting(), unknown()}) {
      world_.record_evidence(id, earlier);
      EXPECT_EQ(world_.payment(id).payer, kPayer) << "the request can be sent again";
    }
    world_.record_evidence(id, evidence);
    EXPECT_TRUE(payment_machine.is_final(world_.payment(id).state) || is_under_review(world_.payment(id)));
    EXPECT_EQ(world_.payment(id).payer, "") << name_of(world_.payment(id).state);
  }
}

TEST_F(PayerDataTest, ALocalCloseErasesThePayer) {
  CreateOrder request = world_.order_request();
  request.close_policy = ClosePolicy::local;
  const OrderId order = world_.new_order(request);
  const PaymentId id = world_.start(order, fields("redirect"));
  world_.record_evidence(id, waiting());
  world_.run(CloseOrder{kMerchant, order});
  EXPECT_EQ(world_.payment(id).state, PaymentState::closed);
  EXPECT_EQ(world_.payment(id).payer, "");
}

TEST_F(PayerDataTest, ACodeIsErasedWhenTheChannelHasReportedItsTrade) {
  world_.policy.channels["sandbox"].uses_up_payer = {"redirect"};
  world_.record_evidence(payment_, unknown());
  EXPECT_EQ(payment().payer, kPayer) << "the channel may not have received it";
  const std::int64_t version = payment().version;
  world_.record_evidence(payment_, waiting());
  EXPECT_EQ(payment().payer, "");
  EXPECT_EQ(payment().version, version + 1);
}

TEST_F(PayerDataTest, APaymentWithoutItsCodeIsQueriedInsteadOfSentAgain) {
  world_.policy.channels["sandbox"].uses_up_payer = {"redirect"};
  const PaymentId other = world_.start(world_.new_order(), fields("redirect"));
  for (const PaymentId id : {payment_, other}) {
    const bool has_code = id == other;
    if (!has_code) world_.record_evidence(id, waiting());
    world_.record_evidence(id, unknown());
    world_.now = world_.now + 1min;
    world_.record_evidence(id, queried(not_found()));
    EXPECT_EQ(world_.payment(id).state, has_code ? PaymentState::created : PaymentState::processing);
    EXPECT_TRUE(world_.payment(id).due_at);
  }
  world_.record_evidence(payment_, paid());
  EXPECT_EQ(payment().state, PaymentState::succeeded);
}

TEST_F(RecordEvidenceTest, TheExchangeIsStoredOnceWithTheFirstEvent) {
  world_.cause.trigger = CallResult{.call = "query_payment", .status = 200};
  world_.cause.exchange = R"({"request":{"method":"GET"}})";
  world_.record_evidence(payment_, paid());
  ASSERT_GT(world_.events.size(), 1u);
  const boost::json::value first = boost::json::parse(world_.events.front().detail);
  EXPECT_EQ(first.at("exchange").at("request").at("method"), "GET");
  EXPECT_EQ(first.at("via").at("call"), "query_payment");
  for (std::size_t i = 1; i < world_.events.size(); ++i)
    EXPECT_EQ(world_.events[i].detail.find("exchange"), std::string::npos) << i;
}

TEST_F(RecordEvidenceTest, ThePauseBetweenQueriesGrowsWithinItsLimits) {
  std::vector<Duration> pauses;
  for (const Duration age : {0s, 10s, 60s, 600s}) {
    world_.now = *payment().outstanding_since + age;
    world_.record_evidence(payment_, unknown());
    pauses.push_back(*payment().due_at - world_.now);
  }
  EXPECT_EQ(pauses, (std::vector<Duration>{2s, 5s, 30s, 60s}));
}

TEST_F(RecordEvidenceTest, NoResultIsOutstandingWhileTheChannelWaitsForThePayer) {
  world_.record_evidence(payment_, waiting());
  EXPECT_FALSE(payment().outstanding_since.has_value());
  EXPECT_EQ(world_.order(order_).state, OrderState::pending);
  world_.record_evidence(payment_, unknown());
  EXPECT_EQ(payment().outstanding_since, world_.now);
  EXPECT_EQ(world_.order(order_).state, OrderState::processing);
}

TEST_F(RecordEvidenceTest, ATradeCreatedByItsPayerIsNotResentWhenNotFound) {
  const PaymentId other = world_.start(world_.new_order(), {.channel = "by_payer", .method = "qr_code"});
  world_.now = world_.now + 1min;
  world_.record_evidence(other, not_found());
  EXPECT_EQ(world_.payment(other).state, PaymentState::pending);
}

TEST_F(RecordEvidenceTest, ASuccessRequestsTheCloseOfTheOtherPayments) {
  world_.record_evidence(payment_, waiting());
  const PaymentId second = world_.start(order_);
  world_.record_evidence(second, waiting());
  const PaymentId third = world_.start(order_);
  world_.record_evidence(second, paid());
  EXPECT_EQ(world_.order(order_).state, OrderState::succeeded);
  for (const PaymentId sibling : {payment_, third}) {
    EXPECT_TRUE(world_.payment(sibling).close_pending);
    EXPECT_EQ(world_.payment(sibling).due_at, world_.now);
  }
  EXPECT_FALSE(world_.payment(second).close_pending);
  EXPECT_FALSE(world_.payment(second).due_at.has_value());
}

TEST_F(RecordEvidenceTest, AReceiptOfAnotherPaymentIsReversed) {
  world_.record_evidence(payment_, waiting());
  const PaymentId second = world_.start(order_);
  world_.record_evidence(second, paid("T2"));
  world_.record_evidence(payment_, paid("T1"));
  EXPECT_EQ(payment().state, PaymentState::closed);
  EXPECT_EQ(world_.order_of(payment_).reversals.size(), 1u);
  EXPECT_EQ(world_.balance(AccountKind::suspense), kAmount);
  EXPECT_FALSE(payment().close_pending) << "a paid trade is final and needs no close";
}

TEST_F(RecordEvidenceTest, NoTradeIsClosedWhileTheResultOfAnotherPaymentIsOutstanding) {
  world_.record_evidence(payment_, waiting());
  const PaymentId second = world_.start(order_);
  world_.run(CloseOrder{kMerchant, order_});
  world_.record_evidence(payment_, queried(waiting()));
  EXPECT_EQ(world_.calls(), std::vector<ChannelCallKind>{}) << "the second may be paid: only queries are sent";
  EXPECT_TRUE(payment().due_at.has_value());
  world_.record_evidence(second, waiting("T2"));
  world_.record_evidence(payment_, queried(waiting()));
  EXPECT_EQ(world_.calls(), std::vector{ChannelCallKind::close_payment});
}

TEST_F(RecordEvidenceTest, AnUnwantedWaitingTradeIsClosedAtTheChannelImmediately) {
  world_.record_evidence(payment_, waiting());
  world_.run(CloseOrder{kMerchant, order_});
  world_.record_evidence(payment_, queried(waiting()));
  EXPECT_EQ(world_.calls(), std::vector{ChannelCallKind::close_payment});
  EXPECT_EQ(payment().state, PaymentState::pending);
  world_.record_evidence(payment_, waiting());
  EXPECT_TRUE(world_.effects.empty()) << "a close answered with waiting is repeated later, not immediately";
  EXPECT_GT(payment().due_at, world_.now);
  world_.record_evidence(payment_, closed());
  EXPECT_EQ(payment().state, PaymentState::closed);
  EXPECT_EQ(world_.order(order_).state, OrderState::closed);
  EXPECT_FALSE(payment().due_at.has_value());
}

TEST_F(RecordEvidenceTest, TheFailureOfTheLastAttemptFailsTheOrder) {
  CreateOrder request = world_.order_request();
  request.attempts = 2;
  const OrderId order = world_.new_order(request);
  world_.record_evidence(world_.start(order), failed());
  EXPECT_EQ(world_.order(order).state, OrderState::pending);
  world_.record_evidence(world_.start(order), failed());
  EXPECT_EQ(world_.order(order).state, OrderState::failed);
  EXPECT_EQ(world_.delivery_types(), "order.failed");
  EXPECT_FALSE(world_.order(order).due_at.has_value());
}

TEST_F(RecordEvidenceTest, EvidenceAboutAParkedOrderIsBookedAndNoRequestIsSent) {
  world_.run(ParkOrder{kMerchant, order_, "1: a finding"});
  world_.record_evidence(payment_, paid());
  EXPECT_EQ(payment().state, PaymentState::succeeded);
  EXPECT_EQ(world_.order_of(payment_).receipts.size(), 1u);
  world_.record_evidence(payment_, paid("T2"));
  EXPECT_TRUE(world_.effects.empty());
  const OrderAggregate& order = world_.order_of(payment_);
  ASSERT_EQ(order.reversals.size(), 1u);
  EXPECT_EQ(order.reversals[0].state, ReversalState::pending);
  EXPECT_FALSE(order.reversals[0].due_at.has_value());
}

TEST_F(RecordEvidenceTest, AReleasedOrderContinuesItsReversalsAndQueries) {
  world_.record_evidence(payment_, paid());
  world_.run(ParkOrder{kMerchant, order_, "1: a finding"});
  for (int i = 0; i < 3; ++i) world_.record_evidence(payment_, paid("T2"));
  EXPECT_TRUE(world_.events.empty()) << "repeated evidence is recorded once";
  const CaseId id = world_.order_of(payment_).cases.at(0).id;
  ASSERT_TRUE(world_.run(ProposeResolution{kMerchant, order_, id, "release", "mended", "key_a"}));
  ASSERT_TRUE(world_.run(world_.reviewed(ApproveResolution{kMerchant, order_, id, "key_b", {}, {}, {}})));
  ASSERT_EQ(world_.effects.size(), 1u) << "a payment without due_at is queried at the release";
  EXPECT_EQ(std::get<ChannelCall>(world_.effects[0]).kind, ChannelCallKind::query_payment);
  ASSERT_EQ(world_.order_of(payment_).reversals.size(), 1u);
  EXPECT_EQ(world_.order_of(payment_).reversals[0].due_at, world_.now);
}

TEST_F(RecordEvidenceTest, AnOverflowIsAFindingAndChangesNothing) {
  world_.record_evidence(payment_, paid());
  constexpr MinorUnits kHuge = std::numeric_limits<MinorUnits>::max();
  world_.try_run(world_.evidence_command(payment_, paid("T2", kHuge)));
  EXPECT_EQ(world_.findings.size(), 1u);
  EXPECT_TRUE(world_.events.empty());
  EXPECT_EQ(world_.order_of(payment_).receipts.size(), 1u);
}

TEST(RecordEvidence, AnActionWithoutAUrlStoresNone) {
  World world;
  const PaymentId id = world.start(world.new_order());
  Evidence evidence = waiting();
  evidence.action_type = ActionType::qr_code;
  evidence.action_code = "weixin://pay/1";
  world.record_evidence(id, evidence);
  EXPECT_EQ(world.payment(id).action_code, "weixin://pay/1");
  EXPECT_FALSE(world.payment(id).action_url.has_value());
}

}  // namespace
}  // namespace finality
