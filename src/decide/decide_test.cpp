#include "decide/decide.h"

#include <rapidcheck.h>

#include <functional>
#include <set>

#include "decide/testing/test_world.h"

namespace finality {
namespace {

using namespace test;

// A random sequence of commands and channel evidence on one order. The evidence may contradict itself.
class Walk {
 public:
  explicit Walk(bool local) {
    CreateOrder request = world.order_request();
    request.close_policy = local ? ClosePolicy::local : ClosePolicy::ask;
    request.attempts = *rc::gen::element(std::optional<std::int64_t>{}, std::optional<std::int64_t>{2});
    order = world.new_order(request);
  }

  void step(const Command& command) {
    const std::map<PaymentId, PaymentState> finals_before = finals();
    const OrderState order_before = world.order(order).state;
    world.try_run(command);
    if (!world.findings.empty()) RC_FAIL(world.findings.front());
    for (const auto& [id, state] : finals_before) RC_ASSERT(world.payment(id).state == state);
    if (order_machine.is_final(order_before)) RC_ASSERT(world.order(order).state == order_before);
  }

  void random_step() {
    world.now = world.now + Duration{*rc::gen::inRange<std::int64_t>(0, 20'000)};
    const auto what = *rc::gen::inRange(0, 14);
    const auto& payments = world.aggregate(order).payments;
    if (what == 0) return step(StartPayment{kMerchant, order, {.channel = "sandbox"}});
    if (what == 1 && *rc::gen::inRange(0, 4) == 0) return step(CloseOrder{kMerchant, order});
    if (payments.empty()) return;
    const PaymentId id = payments[*rc::gen::inRange<std::size_t>(0, payments.size())].id;
    if (what == 2) return step(QueryPayment{kMerchant, id});
    if (what == 3) return claim_due();
    if (what == 4) return refund(id);
    if (what == 5) return record_refund_evidence();
    if (what == 6) return decide_reviews(*rc::gen::element<std::string>("accept", "refund"));
    step(world.evidence_command(id, *any_evidence()));
  }

  // Two operators decide about every payment under review.
  void decide_reviews(const std::string& resolution) {
    const OrderAggregate before = world.aggregate(order);
    for (const Case& row : before.cases) {
      const Payment* payment = find_row(before.payments, PaymentId{row.object_id});
      if (row.kind != CaseKind::amount_mismatch || case_machine.is_final(row.state) || payment == nullptr ||
          !is_under_review(*payment))
        continue;
      step(ProposeResolution{kMerchant, order, row.id, resolution, "checked", "key_a"});
      step(world.reviewed(ApproveResolution{kMerchant, order, row.id, "key_b", {}, "sandbox", kCny}));
    }
  }

  void refund(PaymentId payment) {
    const std::string number = "R-" + std::to_string(*rc::gen::inRange(0, 5));
    step(CreateRefund{kMerchant, payment, *rc::gen::inRange<MinorUnits>(1, kAmount), number, {}, "sandbox", kCny});
  }
  void record_refund_evidence() {
    const auto calls = refund_results();
    if (calls.empty()) return;
    RecordRefund command = calls[*rc::gen::inRange<std::size_t>(0, calls.size())];
    command.evidence.kind = static_cast<RefundEvidenceKind>(*rc::gen::inRange<int>(0, kCount<RefundEvidenceKind>));
    command.evidence.asked_at = world.now - Duration{*rc::gen::inRange<std::int64_t>(0, 15'000)};
    step(command);
  }

  // Returns one RecordRefund command per refund and reversal, each with its current out_refund_no.
  std::vector<RecordRefund> refund_results() {
    const OrderAggregate& all = world.aggregate(order);
    std::vector<RecordRefund> calls;
    const auto add = [&](const auto& rows) {
      for (const auto& row : rows)
        calls.push_back({kMerchant, order, row.id, row.out_refund_no, "sandbox", row.currency, row.amount, {}});
    };
    add(all.refunds);
    add(all.reversals);
    return calls;
  }

  // Claims the rows that are due at `now`, as the worker does; `then` runs after each claim.
  void claim_due(const std::function<void()>& then = [] {}) {
    const auto is_due = [this](const auto& row) { return row.due_at && *row.due_at <= world.now; };
    const OrderAggregate before = world.aggregate(order);
    const auto claim = [&](const Command& command) {
      step(command);
      then();
    };
    if (is_due(before.order)) claim(ExpireOrder{kMerchant, order, *before.order.due_at});
    for (const Payment& row : before.payments)
      if (is_due(row)) claim(ClaimRequest{kMerchant, order, row.id, *row.due_at});
    for (const Refund& row : before.refunds)
      if (is_due(row)) claim(ClaimRequest{kMerchant, order, row.id, *row.due_at});
    for (const Reversal& row : before.reversals)
      if (is_due(row)) claim(ClaimRequest{kMerchant, order, row.id, *row.due_at});
  }

  rc::Gen<Evidence> any_evidence() {
    const Time queried_at = world.now - Duration{*rc::gen::inRange<std::int64_t>(0, 15'000)};
    const std::string trade = "T" + std::to_string(*rc::gen::inRange(0, 6));
    const Evidence choices[] = {waiting(trade),  paid(trade), paid(trade, 7), paid(trade, kAmount, kUsd),
                                refunded(trade), failed(),    closed(),       not_found(),
                                unknown(),       unknown()};
    Evidence evidence = choices[*rc::gen::inRange<std::size_t>(0, std::size(choices))];
    evidence.asked_at = queried_at;
    return rc::gen::just(evidence);
  }

  std::map<PaymentId, PaymentState> finals() const {
    std::map<PaymentId, PaymentState> states;
    for (const Payment& payment : world.store.orders.at(order).payments)
      if (payment_machine.is_final(payment.state)) states[payment.id] = payment.state;
    return states;
  }

  World world;
  OrderId order;
};

void walk_around(Walk& walk) {
  const int steps = *rc::gen::inRange(1, 60);
  for (int i = 0; i < steps; ++i) walk.random_step();
}

TEST(Decide, NoSequenceOfCommandsBreaksAnInvariantOrChangesAFinalState) {
  EXPECT_TRUE(rc::check([](bool local) {
    Walk walk(local);
    walk_around(walk);
  }));
}

// A channel without faults: its replies are correct, and it closes trades on request.
class HonestChannel {
 public:
  explicit HonestChannel(Walk& walk) : walk_(walk) {
    for (const Payment& payment : walk.world.store.orders.at(walk.order).payments) waiting_.insert(payment.id);
  }

  // Records replies to the requests of the last command, and to the requests that these replies cause.
  void answer() {
    const std::vector<Effect> effects = walk_.world.effects;
    for (const Effect& effect : effects) {
      walk_.world.now = walk_.world.now + 100ms;
      if (const auto* call = std::get_if<ChannelCall>(&effect)) answer_call(*call);
      if (const auto* call = std::get_if<RefundCall>(&effect)) answer_call(*call);
    }
  }

 private:
  void answer_call(const ChannelCall& call) {
    const PaymentId id = call.payment.id;
    if (call.kind == ChannelCallKind::send_payment) waiting_.insert(id);
    if (call.kind == ChannelCallKind::close_payment) waiting_.erase(id);
    const bool open = waiting_.contains(id);
    Evidence evidence = open ? waiting("H" + std::to_string(id.value)) : closed();
    for (const Receipt& receipt : walk_.world.store.orders.at(walk_.order).receipts)
      if (receipt.channel_trade_no == call.payment.query_total_of)
        evidence = paid(receipt.channel_trade_no, receipt.amount, receipt.currency);
    if (call.kind == ChannelCallKind::query_payment) evidence = queried(evidence);
    walk_.step(walk_.world.evidence_command(id, evidence));
    answer();
  }
  void answer_call(const RefundCall& call) {
    const RefundEvidence done{.kind = RefundEvidenceKind::refunded, .asked_at = walk_.world.now};
    walk_.step(RecordRefund{kMerchant, walk_.order, call.row, call.out_refund_no, call.channel, call.currency,
                            call.amount, done});
  }

  Walk& walk_;
  std::set<PaymentId> waiting_;
};

std::optional<Time> next_due(const OrderAggregate& aggregate) {
  std::optional<Time> first = aggregate.order.due_at;
  const auto look = [&](const auto& rows) {
    for (const auto& row : rows)
      if (row.due_at && (!first || *row.due_at < *first)) first = row.due_at;
  };
  look(aggregate.payments);
  look(aggregate.refunds);
  look(aggregate.reversals);
  return first;
}

void check_that_all_is_final(const OrderAggregate& aggregate) {
  RC_ASSERT(order_machine.is_final(aggregate.order.state));
  for (const Refund& refund : aggregate.refunds) RC_ASSERT(refund_machine.is_final(refund.state));
  for (const Reversal& reversal : aggregate.reversals) RC_ASSERT(reversal_machine.is_final(reversal.state));
  for (const Payment& payment : aggregate.payments) {
    RC_ASSERT(payment_machine.is_final(payment.state));
    RC_ASSERT(payment.state != PaymentState::closed || !payment.close_pending);
    // 支付金额 − 冲退金额 (paid amount minus reversed amount): the payment's amount if it succeeded, otherwise zero.
    // Orders with exception cases are exempt.
    const MinorUnits kept = payment.state == PaymentState::succeeded ? payment.amount : 0;
    if (aggregate.cases.empty()) RC_ASSERT(payment.paid_amount - payment.reversed_amount == kept);
  }
}

TEST(Decide, AfterFaultsStopEverythingBecomesFinalAndNothingStaysDue) {
  EXPECT_TRUE(rc::check([](bool local) {
    Walk walk(local);
    walk_around(walk);
    walk.decide_reviews("accept");
    walk.decide_reviews("refund");  // those that could not be accepted
    HonestChannel channel(walk);
    int looks = 0;
    while (const auto due = next_due(walk.world.aggregate(walk.order))) {
      if (++looks > 2000) RC_FAIL("a row stays due after 2000 claims");
      walk.world.now = std::max(walk.world.now, *due);
      walk.claim_due([&] { channel.answer(); });
    }
    check_that_all_is_final(walk.world.aggregate(walk.order));
  }));
}

TEST(Decide, IsDeterministic) {
  // After a commit conflict the engine decides a command again, which requires the same result for the same input.
  const auto decide_once = [] {
    World world;
    const OrderId order = world.new_order();
    const PaymentId payment = world.start(order);
    world.record_evidence(payment, waiting());
    world.record_evidence(payment, paid());
    std::vector<std::string> trace;
    for (const Event& event : world.store.events) trace.push_back(to_text(event.id) + event.event + event.detail);
    for (const auto& [id, delivery] : world.store.deliveries) trace.push_back(delivery.delivery.body);
    return trace;
  };
  EXPECT_EQ(decide_once(), decide_once());
}

}  // namespace
}  // namespace finality
