// Tests the schedule of sends and queries of channel operations, and the cases that are opened, over simulated time.
#include "decide/channel/channel_operation.h"

#include <fmt/format.h>

#include "decide/testing/refund_scenario.h"

namespace finality::test {
namespace {

using K = RefundEvidenceKind;

/// A payment whose sends are answered with an undocumented error code, and whose queries are answered `not_found`.
class Refused : public World {
 public:
  Refused() : order(new_order()), payment_id(start(order)) { take_effects(); }

  /// Advances the clock by `while_`. Claims the payment at each due_at and immediately records the reply.
  void pass(Duration while_) {
    const Time end = now + while_;
    while (payment(payment_id).due_at && *payment(payment_id).due_at <= end) {
      now = *payment(payment_id).due_at;
      run(ClaimRequest{kMerchant, order, payment_id, now});
      take_effects();
    }
    now = end;
  }
  std::int64_t cases(CaseKind kind) { return std::ranges::count(aggregate(order).cases, kind, &Case::kind); }

  OrderId order;
  PaymentId payment_id;
  int sends = 0;
  int queries = 0;

 private:
  void take_effects() {
    for (const ChannelCallKind call : calls()) {
      const bool is_query = call == ChannelCallKind::query_payment;
      ++(is_query ? queries : sends);
      record_evidence(payment_id, is_query ? queried(not_found()) : Evidence{.asked_at = now, .code = "UNLISTED_CODE"});
    }
  }
};

TEST(ChannelOperation, AnUnlistedRefusalIsRetriedAtGrowingIntervals) {
  struct Row {
    Duration age;
    int sends_max;
    int queries_max;
  };
  int sends = 0;
  for (const Row& row : {Row{10s, 1, 4}, Row{1min, 3, 12}, Row{10min, 7, 32}, Row{50min, 8, 75}}) {
    Refused world;
    world.pass(row.age);
    EXPECT_LE(world.sends, row.sends_max) << row.age.count();
    EXPECT_LE(world.queries, row.queries_max) << row.age.count();
    EXPECT_GE(world.sends, sends) << "sends continue";
    sends = world.sends;
  }
  EXPECT_EQ(sends, 8) << "up to sends_max";
}

TEST(ChannelOperation, AfterSendsMaxAPaymentOpensACaseAndIsOnlyQueried) {
  Refused world;
  world.policy.sends_max = 3;
  world.pass(10min);
  EXPECT_EQ(world.sends, 3);
  EXPECT_EQ(world.payment(world.payment_id).state, PaymentState::processing) << "unknown is not failed";
  EXPECT_EQ(world.cases(CaseKind::not_accepted), 1);
  const int queries = world.queries;
  world.pass(10min);
  EXPECT_EQ(world.sends, 3);
  EXPECT_GE(world.queries, queries + 10);
  EXPECT_EQ(world.cases(CaseKind::not_accepted), 1) << "one case";
}

TEST(ChannelOperation, OperatorsCanResolveTheCaseBySendAgain) {
  Refused world;
  world.policy.sends_max = 2;
  world.pass(10min);
  ASSERT_EQ(world.sends, 2);
  const Case row = world.aggregate(world.order).cases.at(0);
  ASSERT_TRUE(world.run(ProposeResolution{kMerchant, world.order, row.id, "send_again", "it was ours", "key_a"}));
  ASSERT_TRUE(
      world.run(world.reviewed(ApproveResolution{kMerchant, world.order, row.id, "key_b", {}, "sandbox", kCny})));
  world.pass(50min);
  EXPECT_EQ(world.sends, 4);
  EXPECT_EQ(world.cases(CaseKind::not_accepted), 2) << "a new case, because the new sends were not accepted either";
}

TEST(ChannelOperation, TheCaseIsSettledOnceTheChannelHasThePayment) {
  Refused world;
  world.policy.sends_max = 2;
  world.pass(10min);
  ASSERT_EQ(world.cases(CaseKind::not_accepted), 1);
  world.record_evidence(world.payment_id, waiting());
  EXPECT_EQ(world.aggregate(world.order).cases.at(0).state, CaseState::resolved);
  EXPECT_EQ(world.payment(world.payment_id).state, PaymentState::pending);
}

TEST(ChannelOperation, APaymentThatIsOnlyQueriedCanBeClosed) {
  Refused world;
  world.policy.sends_max = 2;
  world.pass(10min);
  world.run(CloseOrder{kMerchant, world.order});
  world.record_evidence(world.payment_id, queried(not_found()));
  EXPECT_EQ(world.aggregate(world.order).order.state, OrderState::closed);
  EXPECT_EQ(world.aggregate(world.order).cases.at(0).state, CaseState::resolved);
}

/// A refund or reversal whose temporary refusals are recorded, and which is sent again when it is due.
class RefusedForNow : public RefundScenario {
 public:
  explicit RefusedForNow(ObjectType type) : is_refund_(type == ObjectType::refund) {
    pays();
    if (is_refund_)
      EXPECT_TRUE(create_refund(kPaid));
    else
      pays("T2");
  }
  void is(RefundEvidenceKind kind) { is_refund_ ? own_is(kind) : reversal_is(kind); }
  void is_sent_again() {
    now = std::max(now, due_at());
    run(ClaimRequest{kMerchant, order, is_refund_ ? ObjectRef(own().id) : ObjectRef(reversal().id), now});
  }
  std::string_view state() { return is_refund_ ? name_of(own().state) : name_of(reversal().state); }
  Time due_at() { return (is_refund_ ? own().due_at : reversal().due_at).value(); }
  std::int64_t attempts() { return is_refund_ ? own().attempts : reversal().attempts; }
  std::string number() { return is_refund_ ? own().out_refund_no : reversal().out_refund_no; }
  bool has_failure_code() { return (is_refund_ ? own().failure_code : reversal().failure_code).has_value(); }

 private:
  bool is_refund_;
};

struct TemporaryRefusal {
  ObjectType type;
  K kind;
  bool keeps_number;  // otherwise the refusal proves that the out_refund_no is dead
};
constexpr TemporaryRefusal kTemporaryRefusals[] = {{ObjectType::refund, K::not_now, true},
                                                   {ObjectType::refund, K::try_again, false},
                                                   {ObjectType::reversal, K::not_now, true},
                                                   {ObjectType::reversal, K::try_again, false}};

// No number of temporary refusals ends a row. The pause between sends grows from minutes to hours, and operators get
// one case when the row is overdue.
TEST(ChannelOperation, TemporaryRefusalsAreRetriedAtGrowingIntervalsAndOpenACase) {
  for (const TemporaryRefusal& row : kTemporaryRefusals) {
    SCOPED_TRACE(fmt::format("{} {}", name_of(row.type), name_of(row.kind)));
    RefusedForNow scenario(row.type);
    const std::string number = scenario.number();
    const Time began = scenario.now;
    Duration pause{0};
    for (int time = 1; time <= 16; ++time) {
      scenario.is(row.kind);
      ASSERT_EQ(scenario.state(), "pending") << "after refusal " << time;
      EXPECT_TRUE(scenario.has_failure_code());
      const Duration next = scenario.due_at() - scenario.now;
      EXPECT_GE(next, std::max<Duration>(pause, 1min));
      EXPECT_LE(next, 4h);
      pause = next;
      const bool is_overdue = scenario.now - began > scenario.policy.result_overdue_after;
      EXPECT_EQ(scenario.cases(CaseKind::result_overdue), is_overdue ? 1 : 0) << "after refusal " << time;
      scenario.is_sent_again();
      ASSERT_EQ(scenario.state(), "processing");
      EXPECT_EQ(scenario.attempts(), row.keeps_number ? 1 : time + 1);
      EXPECT_EQ(scenario.number() == number, row.keeps_number);
    }
    EXPECT_EQ(pause, 4h);
    EXPECT_EQ(scenario.cases(CaseKind::result_overdue), 1) << "operators know";
    EXPECT_EQ(scenario.cases(CaseKind::not_accepted), 0) << "the channel has the request";
    EXPECT_EQ(scenario.aggregate(scenario.order).cases.at(0).state, CaseState::open) << "between attempts too";
    scenario.is(K::refunded);
    EXPECT_EQ(scenario.state(), "succeeded");
    EXPECT_FALSE(scenario.has_failure_code());
    EXPECT_EQ(scenario.aggregate(scenario.order).cases.at(0).state, CaseState::resolved);
  }
}

TEST(ChannelOperation, APermanentRefusalAfterTemporaryOnesIsBelievedAtOnce) {
  for (const TemporaryRefusal& row : kTemporaryRefusals) {
    SCOPED_TRACE(fmt::format("{} {}", name_of(row.type), name_of(row.kind)));
    RefusedForNow scenario(row.type);
    scenario.is(row.kind);
    scenario.is_sent_again();
    scenario.is(K::refused);
    EXPECT_EQ(scenario.state(), row.type == ObjectType::refund ? "failed" : "blocked");
  }
}

TEST(ChannelOperation, NotFoundBeforeTheDeadlineOpensNoCase) {
  RefundScenario scenario;
  scenario.policy.sends_max = 1;
  scenario.pays();
  ASSERT_TRUE(scenario.create_refund(500));
  const Refund row = scenario.own();
  scenario.now = row.send_deadline.value();
  scenario.run(RecordRefund{kMerchant,
                            scenario.order,
                            row.id,
                            row.out_refund_no,
                            "sandbox",
                            kCny,
                            row.amount,
                            {.kind = K::not_found, .source = CauseKind::query, .asked_at = scenario.now}});
  EXPECT_EQ(scenario.cases(CaseKind::not_accepted), 0);
  scenario.own_is(K::not_found);
  EXPECT_EQ(scenario.cases(CaseKind::not_accepted), 1);
}

// Hourly sends let the refund succeed after a channel outage without action by operators.
TEST(ChannelOperation, ARefundThatIsNotFoundOpensACaseAndIsSentHourlyUnderTheSameNumber) {
  RefundScenario scenario;
  scenario.policy.sends_max = 2;
  scenario.pays();
  ASSERT_TRUE(scenario.create_refund(500));
  const std::string number = scenario.own().out_refund_no;
  scenario.own_is(K::not_found);
  EXPECT_LT(scenario.own().due_at.value(), scenario.now + 10min);
  EXPECT_EQ(scenario.cases(CaseKind::not_accepted), 0);
  for (int time = 0; time < 3; ++time) {
    scenario.own_is_sent_again();
    scenario.own_is(K::not_found);
    EXPECT_EQ(scenario.own().state, RefundState::pending);
    EXPECT_EQ(scenario.own().due_at, scenario.now + 1h);
    EXPECT_EQ(scenario.cases(CaseKind::not_accepted), 1) << "one case";
  }
  EXPECT_EQ(scenario.own().out_refund_no, number);
  EXPECT_EQ(scenario.own().attempts, 1);
  scenario.own_is_sent_again();
  scenario.own_is(K::accepted);
  EXPECT_EQ(scenario.aggregate(scenario.order).cases.at(0).state, CaseState::resolved);
}

TEST(ChannelOperation, TwoRefundsOfATradeAreSentWithTheChannelsPauseBetweenThem) {
  for (const Duration pause : {Duration{0}, Duration{3s}, Duration{2min}}) {
    RefundScenario scenario;
    scenario.policy.channels["sandbox"].refund_pause = pause;
    scenario.pays();
    scenario.later();
    const auto create_refund = [&](std::string number) {
      return scenario.run(CreateRefund{kMerchant, scenario.payment, 100, std::move(number), {}, "sandbox", kCny});
    };
    ASSERT_TRUE(create_refund("R1"));
    const Time sent = scenario.now;
    scenario.now = scenario.now + 1s;
    ASSERT_TRUE(create_refund("R2"));
    if (pause <= Duration{1s}) {
      EXPECT_EQ(scenario.own(1).state, RefundState::processing);
      continue;
    }
    EXPECT_EQ(scenario.own(1).state, RefundState::pending);
    EXPECT_TRUE(scenario.effects.empty());
    EXPECT_EQ(scenario.own(1).due_at, sent + pause);
    scenario.own_is_sent_again(1);
    EXPECT_EQ(scenario.own(1).state, RefundState::processing);
    EXPECT_FALSE(scenario.effects.empty());
  }
}

}  // namespace
}  // namespace finality::test
