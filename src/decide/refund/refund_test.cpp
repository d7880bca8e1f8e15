// Tests the states and balances of refunds and reversals after commands, channel evidence and case resolutions.
#include <gtest/gtest.h>

#include <optional>

#include "decide/exception/resolution.h"
#include "decide/testing/test_world.h"

namespace finality::test {
namespace {

using K = RefundEvidenceKind;

class Refunds : public World {
 public:
  Refunds() : order(new_order()), payment_id(start(order)) { record_evidence(payment_id, paid()); }

  Decision create_refund(MinorUnits amount, std::string number) {
    return run(CreateRefund{kMerchant, payment_id, amount, std::move(number), {}, "sandbox", kCny});
  }
  Refund& refund(std::size_t at = 0) { return aggregate(order).refunds.at(at); }

  /// Records evidence about the refund's current attempt, after its send deadline.
  Decision record_result(K kind, std::optional<std::string> number = {}) {
    const Refund& row = refund();
    now = std::max(now, row.send_deadline.value_or(now) + 1s);
    RefundEvidence evidence{.kind = kind, .source = CauseKind::query, .asked_at = now, .code = "", .message = ""};
    return run(RecordRefund{kMerchant, order, row.id, number.value_or(row.out_refund_no), "sandbox", kCny, row.amount,
                            evidence});
  }
  /// Advances the clock to the refund's due_at and claims the next request of the refund.
  void wait() {
    now = *refund().due_at;
    run(ClaimRequest{kMerchant, order, refund().id, now});
  }
  std::size_t sent() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        effects, [](const Effect& effect) { return std::holds_alternative<RefundCall>(effect); }));
  }

  OrderId order;
  PaymentId payment_id;
};

TEST(CreateRefund, DebitsPayableAndSendsImmediately) {
  Refunds world;
  ASSERT_TRUE(world.create_refund(500, "R1"));
  EXPECT_EQ(world.refund().state, RefundState::processing);
  EXPECT_EQ(world.sent(), 1u);
  EXPECT_EQ(world.balance(AccountKind::merchant_payable), kAmount - 500);
  EXPECT_EQ(world.balance(AccountKind::refunds_in_transit), 500);
}

// The API looks up the payment's channel before it submits the command. If the payment is created in between, the
// command has no channel and the channel's accounts are not loaded.
TEST(CreateRefund, OfAPaymentCreatedMeanwhileIsRefusedAsBusy) {
  Refunds world;
  EXPECT_EQ(world.refusal_of(CreateRefund{kMerchant, world.payment_id, 500, "R1", {}, "", {}}), "busy");
  EXPECT_EQ(world.refusal_of(CreateRefund{kMerchant, world.payment_id, 500, "R1", {}, "sandbox2", kCny}), "busy");
  EXPECT_TRUE(world.aggregate(world.order).refunds.empty());
  EXPECT_TRUE(world.create_refund(500, "R1"));
}

TEST(CreateRefund, IsRefusedWhenTheChannelDoesNotSupportRefunds) {
  Refunds world;
  world.policy.channels["sandbox"].refunds = false;
  EXPECT_EQ(world.refusal_of(CreateRefund{kMerchant, world.payment_id, 500, "R1", {}, "sandbox", kCny}),
            "payment_not_refundable");
  EXPECT_TRUE(world.aggregate(world.order).refunds.empty());
  EXPECT_EQ(world.sent(), 0u);
  world.policy.channels["sandbox"].refunds = true;
  EXPECT_TRUE(world.create_refund(500, "R1"));
}

TEST(CreateRefund, IsLimitedToAThousandPerOrder) {
  Refunds world;
  ASSERT_TRUE(world.create_refund(1, "R0"));
  std::vector<Refund>& refunds = world.aggregate(world.order).refunds;
  while (refunds.size() < limits::kRefundsMax) {
    Refund copy = refunds.front();
    copy.id = RefundId{refunds.back().id.value + 1};
    copy.merchant_refund_no = "R" + std::to_string(refunds.size());
    copy.state = RefundState::failed;
    copy.due_at.reset();
    refunds.push_back(copy);
  }
  EXPECT_EQ(world.refusal_of(CreateRefund{kMerchant, world.payment_id, 1, "one more", {}, "sandbox", kCny}),
            "payment_not_refundable");
  EXPECT_TRUE(world.create_refund(1, "R0")) << "a repeated request returns its refund";
}

TEST(CreateRefund, NeverExceedsThePaidAmount) {
  Refunds world;
  struct Row {
    MinorUnits amount;
    std::string number;
    std::string answer;
  };
  for (const Row& row :
       {Row{1000, "R1", "ok"}, Row{1000, "R2", "refund_exceeds_paid"}, Row{999, "R3", "ok"},
        Row{1, "R4", "refund_exceeds_paid"}, Row{1000, "R1", "ok"}, Row{999, "R1", "merchant_refund_no_conflict"}}) {
    const Decision decision = world.create_refund(row.amount, row.number);
    EXPECT_EQ(decision ? "ok" : std::string(name_of(decision.error().code)), row.answer) << row.number;
  }
  CreateRefund rest{kMerchant, world.payment_id, {}, "R1", {}, "sandbox", kCny};
  EXPECT_TRUE(world.run(rest)) << "a repetition without amount names none";
  EXPECT_EQ(world.aggregate(world.order).refunds.size(), 2u);
}

// Two servers receive the same request. The second server reads the keys before the first has committed, and then waits
// for the order's lock. Its order therefore contains the refund although its keys do not.
TEST(CreateRefund, ReturnsTheRefundThatAnotherServerCreatedMeanwhile) {
  Refunds world;
  const Decision first = world.create_refund(kAmount, "R1");
  ASSERT_TRUE(first);
  world.store.keys.erase(key_of_refund_no(kMerchant, "R1"));
  const Decision second = world.create_refund(kAmount, "R1");
  ASSERT_TRUE(second) << name_of(second.error().code);
  EXPECT_EQ(second->object, first->object);
  EXPECT_EQ(world.aggregate(world.order).refunds.size(), 1u);
}

TEST(CreateRefund, RequiresASucceededPayment) {
  World world;
  const PaymentId payment = world.start(world.new_order());
  EXPECT_EQ(world.refusal_of(CreateRefund{kMerchant, payment, 1, "R1", {}, "sandbox", kCny}), "payment_not_refundable");
  EXPECT_EQ(world.refusal_of(CreateRefund{kOtherMerchant, payment, 1, "R1", {}, "sandbox", kCny}), "not_found");
}

TEST(RecordRefund, FollowsTheEvidence) {
  struct Row {
    K kind;
    RefundState state;
    MinorUnits payable;
    MinorUnits in_transit;
    std::string delivery_types;
  };
  for (const Row& row : {Row{K::refunded, RefundState::succeeded, kAmount - 500, 0, "refund.succeeded"},
                         Row{K::refused, RefundState::failed, kAmount, 0, "refund.failed"},
                         Row{K::accepted, RefundState::processing, kAmount - 500, 500, ""},
                         Row{K::unknown, RefundState::processing, kAmount - 500, 500, ""},
                         Row{K::try_again, RefundState::pending, kAmount - 500, 500, ""},
                         Row{K::not_found, RefundState::pending, kAmount - 500, 500, ""}}) {
    Refunds world;
    ASSERT_TRUE(world.create_refund(500, "R1"));
    ASSERT_TRUE(world.record_result(row.kind));
    EXPECT_EQ(world.refund().state, row.state) << name_of(row.kind);
    EXPECT_EQ(world.balance(AccountKind::merchant_payable), row.payable) << name_of(row.kind);
    EXPECT_EQ(world.balance(AccountKind::refunds_in_transit), row.in_transit) << name_of(row.kind);
    EXPECT_EQ(world.delivery_types(), row.delivery_types) << name_of(row.kind);
    EXPECT_EQ(world.refund().due_at.has_value(), !refund_machine.is_final(row.state)) << name_of(row.kind);
  }
}

TEST(RecordRefund, KeepsTheNumberAfterUnknownAndReplacesItAfterARefusal) {
  Refunds world;
  ASSERT_TRUE(world.create_refund(500, "R1"));
  const std::string first = world.refund().out_refund_no;
  world.record_result(K::unknown);
  world.record_result(K::not_found);
  world.wait();
  EXPECT_EQ(world.refund().out_refund_no, first) << "not_found: the same number again";
  world.record_result(K::try_again);
  world.wait();
  EXPECT_NE(world.refund().out_refund_no, first);
  EXPECT_EQ(world.refund().attempts, 2);
}

// New evidence creates one event and one version of the order; repeated evidence creates neither.
TEST(RecordRefund, RecordsNewEvidenceOnce) {
  Refunds world;
  ASSERT_TRUE(world.create_refund(500, "R1"));
  const auto shows = [&](K kind) {
    const std::int64_t before = world.aggregate(world.order).order.version;
    EXPECT_TRUE(world.record_result(kind));
    return world.aggregate(world.order).order.version > before;
  };
  EXPECT_TRUE(shows(K::accepted)) << "first evidence";
  EXPECT_FALSE(shows(K::accepted)) << "repeated evidence";
  EXPECT_TRUE(shows(K::unknown));
  EXPECT_FALSE(shows(K::unknown));
  EXPECT_TRUE(shows(K::accepted));
  EXPECT_TRUE(world.refund().due_at.has_value());
  EXPECT_TRUE(shows(K::refunded));
  EXPECT_FALSE(shows(K::accepted)) << "evidence after the end";
}

TEST(RecordRefund, PassesTheReasonToTheChannel) {
  Refunds world;
  world.run(CreateRefund{kMerchant, world.payment_id, 500, "R1", "broken", "sandbox", kCny});
  ASSERT_EQ(world.sent(), 1u);
  EXPECT_EQ(std::get<RefundCall>(world.effects.front()).reason, "broken");
}

// The worker limits concurrent requests per channel account, so the claimed request contains the account's id.
TEST(ClaimRefund, HasTheChannelAccountOfTheRefund) {
  Refunds world;
  ASSERT_TRUE(world.create_refund(500, "R1"));
  world.refund().channel_account_id = ChannelAccountId{3};
  world.wait();
  ASSERT_EQ(world.sent(), 1u);
  EXPECT_EQ(std::get<RefundCall>(world.effects.front()).channel_account_id, ChannelAccountId{3});
}

TEST(RecordRefund, IgnoresTryAgainAfterSuccess) {
  Refunds world;
  ASSERT_TRUE(world.create_refund(500, "R1"));
  world.record_result(K::refunded);
  world.record_result(K::try_again);
  EXPECT_EQ(world.refund().state, RefundState::succeeded);
  EXPECT_TRUE(world.aggregate(world.order).cases.empty());
}

// Earlier releases ended a refund as failed when its fifth number was refused temporarily, sent again within seconds,
// and opened no case about a refund between two numbers. A stored refund of them continues under the current rules.
TEST(RecordRefund, ContinuesARefundOfAnEarlierReleaseBetweenItsNumbers) {
  struct Row {
    std::int64_t attempts;  // stored by the earlier release
    Duration age;
    bool opens_case;
  };
  for (const Row& row : {Row{1, 10s, false}, Row{4, 10s, false}, Row{4, 25h, true}}) {
    Refunds world;
    ASSERT_TRUE(world.create_refund(500, "R1"));
    world.refund().state = RefundState::pending;
    world.refund().attempts = row.attempts;
    world.refund().out_refund_no.clear();
    world.refund().sends = 1;
    world.refund().due_at = world.refund().created_at + row.age;
    world.wait();
    EXPECT_EQ(world.refund().attempts, row.attempts + 1);
    EXPECT_EQ(world.refund().sends, 1) << "of the new number";
    world.record_result(K::try_again);
    EXPECT_EQ(world.refund().state, RefundState::pending);
    EXPECT_GE(world.refund().due_at.value(), world.now + 1min);
    EXPECT_EQ(world.balance(AccountKind::refunds_in_transit), 500);
    EXPECT_EQ(world.aggregate(world.order).cases.size(), row.opens_case ? 1u : 0u);
  }
}

TEST(RecordRefund, ALatePayoutOfAnEarlierAttemptOpensACase) {
  Refunds world;
  ASSERT_TRUE(world.create_refund(500, "R1"));
  const std::string first = world.refund().out_refund_no;
  world.record_result(K::try_again);
  world.wait();
  world.record_result(K::refunded, first);
  EXPECT_EQ(world.refund().state, RefundState::succeeded);
  ASSERT_EQ(world.aggregate(world.order).cases.size(), 1u);
  const Case& conflicting = world.aggregate(world.order).cases.front();
  EXPECT_EQ(conflicting.kind, CaseKind::conflicting_result);
  EXPECT_EQ(resolutions_of(conflicting, nullptr), std::vector<std::string_view>{"keep"}) << "a refund has no write_off";
}

TEST(RecordRefund, IgnoresTheRefusalOfAnEarlierAttempt) {
  Refunds world;
  ASSERT_TRUE(world.create_refund(500, "R1"));
  const std::string first = world.refund().out_refund_no;
  world.record_result(K::try_again);
  world.wait();
  world.record_result(K::refused, first);
  EXPECT_EQ(world.refund().state, RefundState::processing);
}

/// A refund or reversal that the channel has accepted but does not complete until an operator acts at the channel.
class Stranded : public World {
 public:
  explicit Stranded(ObjectType type) : order(new_order()), type_(type) {
    const PaymentId payment = start(order);
    record_evidence(payment, paid());
    if (type == ObjectType::refund)
      EXPECT_TRUE(run(CreateRefund{kMerchant, payment, 500, "R1", {}, "sandbox", kCny}));
    else
      record_evidence(payment, paid("T2"));
  }

  void record_result(K kind, bool is_stranded = false) {
    now = std::max(now, deadline().value_or(now)) + 1s;
    RefundEvidence evidence{.kind = kind,
                            .source = CauseKind::query,
                            .asked_at = now,
                            .code = "ABNORMAL",
                            .message = "",
                            .is_stranded = is_stranded};
    const MinorUnits amount = type_ == ObjectType::refund ? 500 : kAmount;
    ASSERT_TRUE(run(RecordRefund{kMerchant, order, row(), number(), "sandbox", kCny, amount, evidence}));
  }
  void record_stranded() { record_result(K::accepted, true); }
  void send_again() {
    now = due_at().value();
    run(ClaimRequest{kMerchant, order, row(), now});
  }
  void resolve(std::string resolution) {
    const CaseId id = cases().back().id;
    ASSERT_TRUE(run(ProposeResolution{kMerchant, order, id, std::move(resolution), "we are on it", "key_a"}));
    ASSERT_TRUE(run(reviewed(ApproveResolution{kMerchant, order, id, "key_b", {}, "sandbox", kCny})));
  }

  std::string_view state() { return type_ == ObjectType::refund ? name_of(refund().state) : name_of(reversal().state); }
  ObjectRef row() { return type_ == ObjectType::refund ? ObjectRef(refund().id) : ObjectRef(reversal().id); }
  std::optional<Time> due_at() { return type_ == ObjectType::refund ? refund().due_at : reversal().due_at; }
  const std::vector<Case>& cases() { return aggregate(order).cases; }

  OrderId order;

 private:
  Refund& refund() { return aggregate(order).refunds.at(0); }
  Reversal& reversal() { return aggregate(order).reversals.at(0); }
  std::optional<Time> deadline() {
    return type_ == ObjectType::refund ? refund().send_deadline : reversal().send_deadline;
  }
  const std::string& number() {
    return type_ == ObjectType::refund ? refund().out_refund_no : reversal().out_refund_no;
  }

  ObjectType type_;
};

TEST(Stranded, OpensOneCaseWithTheEvidenceWhenRepeated) {
  for (const ObjectType type : {ObjectType::refund, ObjectType::reversal}) {
    Stranded world(type);
    world.record_result(K::accepted);
    EXPECT_TRUE(world.cases().empty()) << "the channel is processing it";
    for (int time = 0; time < 3; ++time) {
      world.record_stranded();
      EXPECT_EQ(world.delivery_types(), time == 0 ? "case.opened" : "") << time;
      EXPECT_EQ(world.state(), "processing");
      EXPECT_TRUE(world.due_at().has_value()) << "queries continue";
    }
    ASSERT_EQ(world.cases().size(), 1u);
    const Case& row = world.cases().front();
    EXPECT_EQ(row.kind, CaseKind::result_overdue);
    EXPECT_EQ(ObjectRef(row.object_type, row.object_id), world.row());
    EXPECT_TRUE(row.evidence.contains(R"("code":"ABNORMAL")")) << row.evidence;
    EXPECT_EQ(row.version, 1) << "repeated evidence is not added";
    EXPECT_EQ(resolutions_of(row, nullptr), std::vector<std::string_view>{"keep_querying"})
        << "confirm_unpaid applies to payments only";
  }
}

TEST(Stranded, ItsCaseIsSettledByTheResult) {
  struct Row {
    ObjectType type;
    K kind;
    std::string_view state;
    std::size_t open;  // number of open cases of other kinds
  };
  for (const Row& row :
       {Row{ObjectType::refund, K::refunded, "succeeded", 0}, Row{ObjectType::refund, K::refused, "failed", 0},
        Row{ObjectType::refund, K::try_again, "pending", 0}, Row{ObjectType::reversal, K::refunded, "succeeded", 0},
        Row{ObjectType::reversal, K::try_again, "pending", 0}, Row{ObjectType::reversal, K::refused, "blocked", 1}}) {
    Stranded world(row.type);
    world.record_stranded();
    world.record_result(row.kind);
    EXPECT_EQ(world.state(), row.state);
    EXPECT_EQ(world.cases().front().state, CaseState::resolved) << name_of(row.kind);
    EXPECT_EQ(world.cases().front().resolution, "settled") << name_of(row.kind);
    EXPECT_EQ(world.cases().size(), 1 + row.open) << name_of(row.kind);
  }
}

TEST(Stranded, ItsCaseStaysOpenWithoutAResult) {
  Stranded world(ObjectType::refund);
  world.record_stranded();
  world.record_result(K::unknown);
  world.record_result(K::accepted);
  EXPECT_EQ(world.cases().front().state, CaseState::open);
}

TEST(Stranded, OpensASecondCaseOnlyAfterAResend) {
  Stranded world(ObjectType::refund);
  world.record_stranded();
  world.resolve("keep_querying");
  world.record_stranded();
  EXPECT_EQ(world.cases().size(), 1u);
  world.record_result(K::try_again);
  world.send_again();
  world.record_stranded();
  ASSERT_EQ(world.cases().size(), 2u);
  EXPECT_EQ(world.cases().back().state, CaseState::open);
}

// A result can be overdue because the channel does not respond or was removed from the configuration.
TEST(Stranded, OpensACaseWhenTheResultIsOverdue) {
  for (const ObjectType type : {ObjectType::refund, ObjectType::reversal}) {
    Stranded world(type);
    const Duration day = world.policy.result_overdue_after;
    world.record_result(K::unknown);
    EXPECT_TRUE(world.cases().empty());
    world.now = world.now + day;
    world.record_result(K::unknown);
    ASSERT_EQ(world.cases().size(), 1u);
    EXPECT_EQ(world.cases()[0].kind, CaseKind::result_overdue);
    world.now = world.now + day;
    world.record_result(K::unknown);
    EXPECT_EQ(world.cases().size(), 1u) << "the case is still open";
    world.resolve("keep_querying");
    world.record_result(K::unknown);
    EXPECT_EQ(world.cases().size(), 2u) << "the period has passed again";
    world.resolve("keep_querying");
    world.record_result(K::unknown);
    EXPECT_EQ(world.cases().size(), 2u);
    world.now = world.now + day;
    world.record_result(K::refunded);
    EXPECT_EQ(world.state(), "succeeded");
    EXPECT_EQ(world.cases().size(), 2u) << "the refund has succeeded";
  }
}

TEST(Stranded, IsIgnoredAfterSuccess) {
  for (const ObjectType type : {ObjectType::refund, ObjectType::reversal}) {
    Stranded world(type);
    world.record_result(K::refunded);
    world.record_stranded();
    EXPECT_TRUE(world.cases().empty());
  }
}

// The reversal of a payment's second trade is sent with the channel_trade_no of that trade.
TEST(Reversal, RefersToItsReceiptAndClearsSuspense) {
  Refunds world;
  world.record_evidence(world.payment_id, paid("T2"));
  ASSERT_EQ(world.sent(), 1u);
  const auto& call = std::get<RefundCall>(world.effects.front());
  EXPECT_EQ(call.channel_trade_no, "T2");
  EXPECT_EQ(world.balance(AccountKind::suspense), kAmount);

  const Reversal row = world.aggregate(world.order).reversals.at(0);
  world.now = *row.send_deadline + 1s;
  RefundEvidence evidence{
      .kind = K::refunded, .source = CauseKind::query, .asked_at = world.now, .code = "", .message = ""};
  world.run(RecordRefund{kMerchant, world.order, row.id, row.out_refund_no, "sandbox", kCny, row.amount, evidence});
  EXPECT_EQ(world.aggregate(world.order).reversals.at(0).state, ReversalState::succeeded);
  EXPECT_EQ(world.balance(AccountKind::suspense), 0);
  EXPECT_EQ(world.payment(world.payment_id).paid_amount, 2 * kAmount);
  EXPECT_EQ(world.payment(world.payment_id).reversed_amount, kAmount);
  EXPECT_EQ(world.delivery_types(), "payment.reversed");
}

TEST(Reversal, PermanentlyRefusedOpensACaseAndIsRetried) {
  Refunds world;
  world.record_evidence(world.payment_id, paid("T2"));
  const Reversal row = world.aggregate(world.order).reversals.at(0);
  world.now = *row.send_deadline + 1s;
  RefundEvidence evidence{
      .kind = K::refused, .source = CauseKind::query, .asked_at = world.now, .code = "no", .message = ""};
  world.run(RecordRefund{kMerchant, world.order, row.id, row.out_refund_no, "sandbox", kCny, row.amount, evidence});
  const Reversal& blocked = world.aggregate(world.order).reversals.at(0);
  EXPECT_EQ(blocked.state, ReversalState::blocked);
  EXPECT_TRUE(blocked.due_at.has_value());
  EXPECT_EQ(world.aggregate(world.order).cases.at(0).kind, CaseKind::reversal_blocked);
  EXPECT_EQ(world.balance(AccountKind::suspense), kAmount) << "still to be returned to the payer";

  // One operator proposes and another approves that the payer was paid outside the channel.
  const CaseId id = world.aggregate(world.order).cases.at(0).id;
  ASSERT_TRUE(world.run(ProposeResolution{kMerchant, world.order, id, "settled_offline", "by transfer", "key_a"}));
  EXPECT_EQ(
      world.refusal_of(world.reviewed(ApproveResolution{kMerchant, world.order, id, "key_a", {}, "sandbox", kCny})),
      "forbidden");
  ASSERT_TRUE(world.run(world.reviewed(ApproveResolution{kMerchant, world.order, id, "key_b", {}, "sandbox", kCny})));
  EXPECT_EQ(world.aggregate(world.order).reversals.at(0).state, ReversalState::settled_offline);
  EXPECT_EQ(world.balance(AccountKind::suspense), 0);
  EXPECT_EQ(world.balance(AccountKind::bank), kAmount);
}

// A reversal that is in progress again cannot be approved as settled_offline, because the payer would be paid twice.
TEST(Reversal, InProgressAgainIsNotApprovedAsSettledOffline) {
  Refunds world;
  world.record_evidence(world.payment_id, paid("T2"));
  const auto reversal = [&]() -> const Reversal& { return world.aggregate(world.order).reversals.at(0); };
  const auto record_result = [&](K kind) {
    world.now = *reversal().send_deadline + 1s;
    RefundEvidence evidence{
        .kind = kind, .source = CauseKind::query, .asked_at = world.now, .code = "no", .message = ""};
    world.run(RecordRefund{kMerchant, world.order, reversal().id, reversal().out_refund_no, "sandbox", kCny,
                           reversal().amount, evidence});
  };
  record_result(K::refused);
  const CaseId id = world.aggregate(world.order).cases.at(0).id;
  for (const char* resolution : {"settled_offline", "retry"}) {
    ASSERT_TRUE(world.run(ProposeResolution{kMerchant, world.order, id, resolution, "by transfer", "key_a"}));
    world.now = *reversal().due_at;
    world.run(ClaimRequest{kMerchant, world.order, reversal().id, world.now});
    ASSERT_EQ(reversal().state, ReversalState::processing);
    const ApproveResolution approve = world.reviewed({kMerchant, world.order, id, "key_b", {}, "sandbox", kCny});
    EXPECT_EQ(world.refusal_of(approve), "illegal_transition") << resolution;
    EXPECT_TRUE(world.events.empty());
    EXPECT_EQ(world.aggregate(world.order).cases.at(0).state, CaseState::proposed);
    EXPECT_EQ(world.balance(AccountKind::bank), 0);
    record_result(K::refused);
    ASSERT_EQ(reversal().state, ReversalState::blocked);
  }
  EXPECT_EQ(world.refusal_of(world.reviewed(ApproveResolution{kMerchant, world.order, id, "key_b", {}, "", {}})), "ok")
      << "a retry moves no money";
}

TEST(Reversal, SettledOfflineRequiresTheAccountsOfItsReceipt) {
  Refunds world;
  world.record_evidence(world.payment_id, paid("T2"));
  const Reversal& reversal = world.aggregate(world.order).reversals.at(0);
  world.now = *reversal.send_deadline + 1s;
  RefundEvidence evidence{
      .kind = K::refused, .source = CauseKind::query, .asked_at = world.now, .code = "no", .message = ""};
  world.run(RecordRefund{kMerchant, world.order, reversal.id, reversal.out_refund_no, "sandbox", kCny, reversal.amount,
                         evidence});
  const CaseId id = world.aggregate(world.order).cases.at(0).id;
  ASSERT_TRUE(world.run(ProposeResolution{kMerchant, world.order, id, "settled_offline", "by transfer", "key_a"}));
  EXPECT_EQ(world.refusal_of(world.reviewed(ApproveResolution{kMerchant, world.order, id, "key_b", {}, "", {}})),
            "busy");
  EXPECT_EQ(world.balance(AccountKind::suspense), kAmount);
}

// The engine checks the invariants of all changed rows after a decision, so a refused approval must not change rows.
TEST(Reversal, ARefusedApprovalChangesNoRows) {
  Refunds world;
  world.record_evidence(world.payment_id, paid("T2"));
  const Reversal& reversal = world.aggregate(world.order).reversals.at(0);
  world.now = *reversal.send_deadline + 1s;
  RefundEvidence evidence{
      .kind = K::refused, .source = CauseKind::query, .asked_at = world.now, .code = "no", .message = ""};
  world.run(RecordRefund{kMerchant, world.order, reversal.id, reversal.out_refund_no, "sandbox", kCny, reversal.amount,
                         evidence});
  const CaseId id = world.aggregate(world.order).cases.at(0).id;
  ASSERT_TRUE(world.run(ProposeResolution{kMerchant, world.order, id, "settled_offline", "by transfer", "key_a"}));

  const Command approve = world.reviewed(ApproveResolution{kMerchant, world.order, id, "key_b", {}, "", {}});
  WorkingSet rows;
  ReadSet reads;
  add_reads(approve, reads);
  world.store.load(reads, rows);
  IdGenerator ids(1, world.now);
  ids.advance(world.now);
  std::vector<Effect> effects;
  std::vector<std::string> findings;
  Context context{rows, ids, world.policy, world.now, world.cause, effects, findings};
  const Decision decision = decide(approve, context);
  ASSERT_FALSE(decision);
  EXPECT_EQ(decision.error().code, RefusalCode::busy);
  EXPECT_EQ(rows.orders.find(world.order)->cases.at(0).state, CaseState::proposed);
  EXPECT_TRUE(rows.events.empty());
  EXPECT_TRUE(broken_invariants(rows).empty());
}

// Proposes and approves a resolution of the open case of that kind.
void resolve(World& world, OrderId order, CaseKind kind, std::string resolution) {
  const auto& cases = world.aggregate(order).cases;
  const auto row =
      std::ranges::find_if(cases, [&](const Case& one) { return one.kind == kind && one.state == CaseState::open; });
  ASSERT_NE(row, cases.end());
  const CaseId id = row->id;
  ASSERT_TRUE(world.run(ProposeResolution{kMerchant, order, id, std::move(resolution), "we asked them", "key_a"}));
  ASSERT_TRUE(world.run(world.reviewed(ApproveResolution{kMerchant, order, id, "key_b", {}, "sandbox", kCny})));
}

TEST(CaseContext, ApprovesOnlyTheProposalThatTheApproverHasRead) {
  Refunds world;
  world.now = world.now + 1s;
  world.record_evidence(world.payment_id, failed());
  const CaseId id = world.aggregate(world.order).cases.at(0).id;
  const auto propose = [&](std::string resolution, std::string by) {
    return world.refusal_of(ProposeResolution{kMerchant, world.order, id, std::move(resolution), "why", by});
  };
  const auto approve = [&](std::optional<std::string> read, std::string by) {
    return world.refusal_of(
        world.reviewed(ApproveResolution{kMerchant, world.order, id, by, std::move(read), "sandbox", kCny}));
  };
  EXPECT_EQ(approve({}, "key_b"), "illegal_transition") << "no resolution is proposed";
  EXPECT_EQ(propose("write_off", "key_a"), "ok");
  EXPECT_EQ(propose("keep", "key_b"), "ok") << "another operator can replace the proposal";
  EXPECT_EQ(approve("write_off", "key_a"), "illegal_transition") << "the proposal was replaced";
  EXPECT_EQ(approve("keep", "key_b"), "forbidden");
  EXPECT_EQ(approve("keep", "key_a"), "ok");
  EXPECT_EQ(propose("write_off", "key_a"), "illegal_transition") << "it is resolved";
  EXPECT_EQ(world.balance(AccountKind::loss), 0);
}

TEST(Contradiction, IsBookedByItsResolution) {
  struct Row {
    std::string resolution;
    MinorUnits refunded;  // amount refunded over the API before
    MinorUnits receivable;
    MinorUnits loss;
  };
  for (const Row& row : {Row{"keep", 0, -kAmount, 0}, Row{"write_off", 0, 0, -kAmount},
                         Row{"write_off", 500, -500, 500 - kAmount}, Row{"write_off", kAmount, -kAmount, 0}}) {
    Refunds world;
    if (row.refunded > 0) {
      ASSERT_TRUE(world.create_refund(row.refunded, "R1"));
    }
    world.now = world.now + 1s;
    world.record_evidence(world.payment_id, failed());
    resolve(world, world.order, CaseKind::conflicting_result, row.resolution);
    EXPECT_EQ(world.balance(AccountKind::channel_receivable), row.receivable) << row.resolution;
    EXPECT_EQ(world.balance(AccountKind::loss), row.loss) << row.resolution;
    EXPECT_EQ(world.balance(AccountKind::merchant_payable), kAmount - row.refunded) << "the merchant keeps its money";
    EXPECT_EQ(world.aggregate(world.order).receipts.at(0).written_off, -row.loss);
    EXPECT_EQ(world.aggregate(world.order).order.state, OrderState::succeeded);
  }
}

TEST(Contradiction, IsWrittenOffOnce) {
  Refunds world;
  for (int time = 0; time < 2; ++time) {
    world.now = world.now + 1s;
    world.record_evidence(world.payment_id, time == 0 ? failed() : closed());
    resolve(world, world.order, CaseKind::conflicting_result, "write_off");
    EXPECT_EQ(world.balance(AccountKind::loss), -kAmount);
  }
}

}  // namespace
}  // namespace finality::test
