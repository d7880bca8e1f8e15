#include "decide/record_evidence.h"

#include <boost/json/parse.hpp>
#include <map>
#include <set>
#include <sstream>

#include "decide/test_world.h"

namespace finality {
namespace {

using namespace test;

// Every situation that evidence can meet, by the payment's state and by what became of its order:
//   open     nothing else happened          closing  a close was asked for and is not through
//   taken    another payment of it won      gone     it ended unpaid
class Scene {
 public:
  Scene(std::string_view order, std::string_view payment) {
    CreateOrder request = world.order_request();
    if (order == "gone" && payment == "closed") request.close_policy = ClosePolicy::local;
    if (order == "gone" && payment == "failed") request.attempts = 1;
    order_id = world.new_order(request);
    if (order == "taken" && payment != "succeeded") rival_ = wait(world.start(order_id));
    subject = world.start(order_id);
    if (order == "closing" && payment == "succeeded") close();
    bring_to(payment, order == "gone");
    if (rival_) world.tell(*rival_, paid("T-rival"));
    if (order == "closing" && payment != "succeeded") close();
    world.now = world.now + 1min;
  }

  // `said` is a word of the tables below.
  void tell(const std::string& said) {
    static const std::map<std::string, Evidence (*)()> words = {
        {"waiting", [] { return waiting("T2"); }},
        {"paid", [] { return paid("T2"); }},
        {"paid_less", [] { return paid("T2", kAmount - 1); }},
        {"paid_dollars", [] { return paid("T2", kAmount, kUsd); }},
        {"paid_known", [] { return paid("T1"); }},
        {"paid_rival", [] { return paid("T-rival"); }},
        {"refunded", [] { return refunded("T2"); }},
        {"refunded_known", [] { return refunded("T1"); }},
        {"failed", [] { return failed(); }},
        {"closed", [] { return closed(); }},
        {"absent", [] { return absent(); }},
        {"unknown", [] { return unknown(); }},
        {"stale", [] { return Evidence{.kind = EvidenceKind::failed, .asked_at = kNow}; }},
    };
    ASSERT_TRUE(words.contains(said)) << said;
    world.tell(subject, words.at(said)());
  }

  World world;
  OrderId order_id;
  PaymentId subject;

 private:
  PaymentId wait(PaymentId id) {
    world.tell(id, waiting());
    return id;
  }
  void close() { world.run(CloseOrder{kMerchant, order_id}); }
  void bring_to(std::string_view state, bool gone) {
    world.now = world.now + 1s;
    if (state == "created") {
      world.now = world.now + 1min;  // past the send deadline
      world.tell(subject, absent());
    }
    if (state == "pending") wait(subject);
    if (state == "succeeded") world.tell(subject, paid("T1"));
    if (state == "failed") world.tell(subject, failed());
    if (state == "wrong") world.tell(subject, paid("T1", 1));
    if (state == "unasked") {  // failed, then paid after all
      world.tell(subject, failed());
      world.tell(subject, paid("T1"));
    }
    if (state == "vain") {  // closed, then paid after all
      world.tell(subject, closed());
      world.tell(subject, paid("T1"));
    }
    if (state == "closed" && gone) close();
    if (state == "closed" && !gone) world.tell(subject, closed());
    if (state == "twice") {  // succeeded, and a second trade of it goes back
      world.tell(subject, paid("T0"));
      world.tell(subject, paid("T1"));
    }
  }

  std::optional<PaymentId> rival_;
};

struct Row {
  std::string order, payment, said;                                      // before
  std::string event, payment_after, order_after, receipts, cases, told;  // after
  int reversals = 0;
};

std::vector<Row> read_table(const char* table) {
  std::vector<Row> rows;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    Row row;
    if (words >> row.order >> row.payment >> row.said >> row.event >> row.payment_after >> row.order_after >>
        row.receipts >> row.cases >> row.reversals >> row.told)
      rows.push_back(row);
  }
  return rows;
}

template <class Rows, class Name>
std::string joined(const Rows& rows, Name name) {
  std::string text;
  for (const auto& row : rows) text += (text.empty() ? "" : ",") + std::string(name(row));
  return text.empty() ? "-" : text;
}

std::string receipts_of(const Scene& scene) {
  std::vector<Receipt> own;
  for (const Receipt& receipt : scene.world.order_of(scene.subject).receipts)
    if (receipt.payment_id == scene.subject) own.push_back(receipt);
  return joined(own, [](const Receipt& receipt) { return name_of(receipt.state); });
}

std::string told_by(const Scene& scene) {
  return joined(scene.world.new_deliveries, [&](DeliveryId id) { return scene.world.delivery(id).type; });
}

// One row per situation and word: what came of it. An event in brackets only repeats the last one and is not recorded.
// `unasked`, `vain`, `wrong` and `twice` are the final states failed, closed, failed and succeeded with a receipt (T1)
// that is not accepted; `back` counts the reversals of the order.
constexpr const char* kTable = R"(
  order   payment    said           event                payment    order      receipts          cases              back told
  open    created    waiting        waiting              pending    pending    -                 -                  0    -
  open    created    paid           paid                 succeeded  succeeded  accepted          -                  0    order.succeeded
  open    created    paid_less      paid_wrong           failed     pending    suspense          paid_wrong         0    case.opened
  open    created    paid_dollars   paid_wrong           failed     pending    suspense          paid_wrong         0    case.opened
  open    created    failed         failed               failed     pending    -                 -                  0    -
  open    created    closed         closed               closed     pending    -                 -                  0    -
  open    created    absent         (absent)             created    processing -                 -                  0    -
  open    created    unknown        unknown              processing processing -                 -                  0    -
  open    created    refunded       refunded_foreign     failed     pending    returned          refunded_foreign   0    case.opened
  closing created    absent         absent_while_closing closed     closed     -                 -                  0    order.closed
  closing created    paid           paid                 succeeded  succeeded  accepted          -                  0    order.succeeded
  taken   created    paid           paid_in_vain         closed     succeeded  suspense          -                  1    -
  taken   created    paid_rival     known                created    succeeded  -                 -                  0    -
  taken   created    absent         absent_while_closing closed     succeeded  -                 -                  0    -

  open    processing waiting        waiting              pending    pending    -                 -                  0    -
  open    processing paid           paid                 succeeded  succeeded  accepted          -                  0    order.succeeded
  open    processing paid_less      paid_wrong           failed     pending    suspense          paid_wrong         0    case.opened
  open    processing paid_dollars   paid_wrong           failed     pending    suspense          paid_wrong         0    case.opened
  open    processing failed         failed               failed     pending    -                 -                  0    -
  open    processing closed         closed               closed     pending    -                 -                  0    -
  open    processing absent         absent               created    processing -                 -                  0    -
  open    processing unknown        unknown              processing processing -                 -                  0    -
  open    processing refunded       refunded_foreign     failed     pending    returned          refunded_foreign   0    case.opened
  closing processing waiting        waiting              pending    pending    -                 -                  0    -
  closing processing paid           paid                 succeeded  succeeded  accepted          -                  0    order.succeeded
  closing processing failed         failed               failed     closed     -                 -                  0    order.closed
  closing processing closed         closed               closed     closed     -                 -                  0    order.closed
  closing processing absent         absent_while_closing closed     closed     -                 -                  0    order.closed
  closing processing unknown        unknown              processing processing -                 -                  0    -
  taken   processing paid           paid_in_vain         closed     succeeded  suspense          -                  1    -
  taken   processing paid_less      paid_wrong           failed     succeeded  suspense          paid_wrong         0    case.opened
  taken   processing paid_rival     known                processing succeeded  -                 -                  0    -
  taken   processing waiting        waiting              pending    succeeded  -                 -                  0    -
  taken   processing failed         failed               failed     succeeded  -                 -                  0    -
  taken   processing absent         absent_while_closing closed     succeeded  -                 -                  0    -

  open    pending    waiting        waiting              pending    pending    -                 -                  0    -
  open    pending    paid           paid                 succeeded  succeeded  accepted          -                  0    order.succeeded
  open    pending    paid_less      paid_wrong           failed     pending    suspense          paid_wrong         0    case.opened
  open    pending    paid_dollars   paid_wrong           failed     pending    suspense          paid_wrong         0    case.opened
  open    pending    failed         failed               failed     pending    -                 -                  0    -
  open    pending    closed         closed               closed     pending    -                 -                  0    -
  open    pending    absent         absent               pending    pending    -                 -                  0    -
  open    pending    unknown        unknown              processing processing -                 -                  0    -
  open    pending    refunded       refunded_foreign     failed     pending    returned          refunded_foreign   0    case.opened
  closing pending    waiting        waiting              pending    pending    -                 -                  0    -
  closing pending    paid           paid                 succeeded  succeeded  accepted          -                  0    order.succeeded
  closing pending    closed         closed               closed     closed     -                 -                  0    order.closed
  closing pending    absent         absent_while_closing closed     closed     -                 -                  0    order.closed
  closing pending    paid_less      paid_wrong           failed     closed     suspense          paid_wrong         0    case.opened,order.closed
  taken   pending    paid           paid_in_vain         closed     succeeded  suspense          -                  1    -
  taken   pending    paid_rival     known                pending    succeeded  -                 -                  0    -
  taken   pending    closed         closed               closed     succeeded  -                 -                  0    -
  taken   pending    unknown        unknown              processing succeeded  -                 -                  0    -

  taken   succeeded  waiting        waiting              succeeded  succeeded  accepted          -                  0    -
  taken   succeeded  paid           paid_in_vain         succeeded  succeeded  accepted,suspense -                  1    -
  taken   succeeded  paid_less      paid_wrong           succeeded  succeeded  accepted,suspense paid_wrong         0    case.opened
  taken   succeeded  paid_dollars   paid_wrong           succeeded  succeeded  accepted,suspense paid_wrong         0    case.opened
  taken   succeeded  paid_known     known                succeeded  succeeded  accepted          -                  0    -
  taken   succeeded  failed         failed               succeeded  succeeded  accepted          contradiction      0    case.opened
  taken   succeeded  closed         closed               succeeded  succeeded  accepted          contradiction      0    case.opened
  taken   succeeded  absent         absent               succeeded  succeeded  accepted          contradiction      0    case.opened
  closing succeeded  absent         absent_while_closing succeeded  succeeded  accepted          contradiction      0    case.opened
  taken   succeeded  unknown        unknown              succeeded  succeeded  accepted          -                  0    -
  taken   succeeded  stale          known                succeeded  succeeded  accepted          -                  0    -
  taken   succeeded  refunded_known refunded_foreign     succeeded  succeeded  accepted          refunded_foreign   0    case.opened
  taken   succeeded  refunded       refunded_foreign     succeeded  succeeded  accepted          refunded_foreign   0    case.opened
  open    twice      refunded_known refunded_ours        succeeded  succeeded  accepted,suspense -                  1    -

  open    failed     waiting        waiting              failed     pending    -                 -                  0    -
  open    failed     paid           paid_after_failure   failed     pending    suspense          paid_after_failure 1    case.opened
  gone    failed     paid           paid_after_failure   failed     failed     suspense          paid_after_failure 1    case.opened
  open    failed     paid_less      paid_wrong           failed     pending    suspense          paid_wrong         0    case.opened
  open    wrong      paid_known     known                failed     pending    suspense          paid_wrong         0    -
  open    wrong      paid           paid_after_failure   failed     pending    suspense,suspense paid_wrong,paid_after_failure 1    case.opened
  open    wrong      paid_less      paid_wrong           failed     pending    suspense,suspense paid_wrong         0    -
  open    failed     failed         (failed)             failed     pending    -                 -                  0    -
  open    failed     closed         closed               failed     pending    -                 -                  0    -
  open    failed     absent         absent               failed     pending    -                 -                  0    -
  closing failed     absent         absent_while_closing failed     closed     -                 -                  0    -
  open    failed     unknown        unknown              failed     pending    -                 -                  0    -
  open    failed     stale          known                failed     pending    -                 -                  0    -
  open    failed     refunded       refunded_foreign     failed     pending    -                 refunded_foreign   0    case.opened
  open    unasked    refunded_known refunded_ours        failed     pending    suspense          paid_after_failure 1    -

  open    closed     waiting        waiting              closed     pending    -                 -                  0    -
  open    closed     paid           paid_in_vain         closed     pending    suspense          -                  1    -
  gone    closed     paid           paid_in_vain         closed     closed     suspense          -                  1    -
  taken   closed     paid           paid_in_vain         closed     succeeded  suspense          -                  1    -
  open    vain       paid           paid_in_vain         closed     pending    suspense,suspense -                  2    -
  open    vain       paid_known     known                closed     pending    suspense          -                  1    -
  gone    closed     paid_less      paid_wrong           closed     closed     suspense          paid_wrong         0    case.opened
  open    closed     failed         failed               closed     pending    -                 -                  0    -
  gone    closed     closed         closed               closed     closed     -                 -                  0    -
  open    closed     absent         absent               closed     pending    -                 -                  0    -
  gone    closed     absent         absent_while_closing closed     closed     -                 -                  0    -
  gone    closed     unknown        unknown              closed     closed     -                 -                  0    -
  gone    closed     stale          known                closed     closed     -                 -                  0    -
  open    closed     refunded       refunded_foreign     closed     pending    -                 refunded_foreign   0    case.opened
  open    vain       refunded_known refunded_ours        closed     pending    suspense          -                  1    -
)";

bool is_repeated(const Row& row) { return row.event.starts_with('('); }
std::string event_of(const Row& row) {
  return is_repeated(row) ? row.event.substr(1, row.event.size() - 2) : row.event;
}

std::string event_recorded(const Scene& scene) {
  const Event* event = scene.world.event_of(scene.subject);
  return event != nullptr ? event->event : "nothing";
}

TEST(RecordEvidence, EveryCellOfThePaymentMachineDoesWhatItsTableSays) {
  const std::vector<Row> rows = read_table(kTable);
  ASSERT_GT(rows.size(), 80u);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.order + " order, " + row.payment + " payment, told " + row.said);
    Scene scene(row.order, row.payment);
    scene.tell(row.said);
    const OrderAggregate& aggregate = scene.world.order_of(scene.subject);
    EXPECT_EQ(event_recorded(scene), is_repeated(row) ? "nothing" : row.event);
    EXPECT_EQ(name_of(scene.world.payment(scene.subject).state), row.payment_after);
    EXPECT_EQ(name_of(aggregate.order.state), row.order_after);
    EXPECT_EQ(receipts_of(scene), row.receipts);
    EXPECT_EQ(joined(aggregate.cases, [](const Case& one) { return name_of(one.kind); }), row.cases);
    EXPECT_EQ(static_cast<int>(aggregate.reversals.size()), row.reversals);
    EXPECT_EQ(told_by(scene), row.told);
  }
}

TEST(RecordEvidence, TheTableAboveReachesEveryCellThatEvidenceCan) {
  std::set<std::pair<std::string, std::string>> reached;
  for (const Row& row : read_table(kTable)) {
    const Scene scene(row.order, row.payment);
    reached.insert({std::string(name_of(scene.world.payment(scene.subject).state)), event_of(row)});
  }
  for (const std::string_view state : kNames<PaymentState>)
    for (const std::string_view event : kNames<PaymentEvent>) {
      if (event == "send" || event == "close_locally") continue;  // ours, not evidence
      const auto& cell = payment_machine.at(*parse_enum<PaymentState>(state), *parse_enum<PaymentEvent>(event));
      if (cell.kind == fsm::CellKind::impossible) continue;
      EXPECT_TRUE(reached.contains({std::string(state), std::string(event)})) << state << " × " << event;
    }
}

class RecordEvidenceTest : public testing::Test {
 protected:
  World world_;
  OrderId order_ = world_.new_order();
  PaymentId payment_ = world_.start(order_);
  const Payment& payment() const { return world_.payment(payment_); }
};

TEST_F(RecordEvidenceTest, APaymentThatIsNotTheChannelsOrTheMerchantsIsNotFound) {
  RecordEvidence word = world_.word(payment_, paid());
  word.channel = "by_payer";
  EXPECT_EQ(world_.refusal_of(word), "not_found");
  word = world_.word(payment_, paid());
  word.merchant_id = kOtherMerchant;
  EXPECT_EQ(world_.refusal_of(word), "not_found");
  word = world_.word(payment_, paid());
  word.out_trade_no = out_number(kMerchant, 99);
  EXPECT_EQ(world_.refusal_of(word), "not_found");
  word = world_.word(payment_, paid());
  word.payment_id = PaymentId{99};
  EXPECT_EQ(world_.refusal_of(word), "not_found");
  EXPECT_EQ(payment().state, PaymentState::processing);
  EXPECT_TRUE(world_.order_of(payment_).receipts.empty());
}

TEST_F(RecordEvidenceTest, AcceptedMoneyIsWhatTheMerchantIsOwed) {
  world_.tell(payment_, paid());
  EXPECT_EQ(world_.balance(AccountKind::channel_receivable), -kAmount);
  EXPECT_EQ(world_.balance(AccountKind::merchant_payable), kAmount);
  EXPECT_EQ(world_.balance(AccountKind::suspense), 0);
  EXPECT_EQ(payment().paid_amount, kAmount);
  EXPECT_EQ(payment().channel_trade_no, "T1");
  EXPECT_EQ(world_.order(order_).paid_amount, kAmount);
  ASSERT_EQ(world_.store.entries.size(), 2u);
  EXPECT_EQ(world_.event_of(payment_)->journal_id, world_.store.entries[0].id) << "the event names its posting";
}

TEST_F(RecordEvidenceTest, MoneyThatNobodyMayKeepIsInSuspense) {
  world_.tell(payment_, paid("T1"));
  world_.tell(payment_, paid("T2"));                 // in vain: goes back
  world_.tell(payment_, paid("T3", 5));              // wrong: on the desk
  world_.tell(payment_, paid("T4", kAmount, kUsd));  // wrong: on the desk
  EXPECT_EQ(world_.balance(AccountKind::merchant_payable), kAmount);
  EXPECT_EQ(world_.balance(AccountKind::suspense), kAmount + 5);
  EXPECT_EQ(world_.balance(AccountKind::suspense, kUsd), kAmount);
  EXPECT_EQ(world_.balance(AccountKind::channel_receivable), -2 * kAmount - 5);
  EXPECT_EQ(payment().paid_amount, 2 * kAmount + 5) << "in its own currency";
  EXPECT_EQ(payment().channel_trade_no, "T1") << "the accepted trade stays the payment's";
}

TEST_F(RecordEvidenceTest, AReversalNamesItsOwnReceiptAndNotTheAcceptedOne) {
  world_.tell(payment_, paid("T1"));
  world_.tell(payment_, paid("T2"));
  const OrderAggregate& aggregate = world_.order_of(payment_);
  ASSERT_EQ(aggregate.reversals.size(), 1u);
  const Reversal& reversal = aggregate.reversals[0];
  EXPECT_EQ(reversal.receipt_id, aggregate.receipts[1].id);
  EXPECT_EQ(reversal.amount, kAmount);
  EXPECT_EQ(reversal.state, ReversalState::processing) << "it is claimed in the commit that makes it";
  EXPECT_EQ(reversal.out_refund_no, out_number(kMerchant, reversal.id.value));
}

// Another node's clock is ahead of ours: the accepted receipt keeps the greatest id.
TEST_F(RecordEvidenceTest, AReversalNamesItsOwnReceiptThoughItsIdIsNotTheGreatest) {
  world_.tell(payment_, paid("T1"));
  const ReceiptId ahead{world_.aggregate(order_).receipts[0].id.value + (std::int64_t{1} << 40)};
  world_.aggregate(order_).receipts[0].id = ahead;
  world_.tell(payment_, paid("T2"));
  const OrderAggregate& aggregate = world_.order_of(payment_);
  ASSERT_EQ(aggregate.receipts.size(), 2u);
  EXPECT_EQ(aggregate.receipts[0].channel_trade_no, "T2") << "as it is loaded again";
  EXPECT_EQ(aggregate.receipts[1].id, ahead);
  ASSERT_EQ(aggregate.reversals.size(), 1u);
  EXPECT_EQ(aggregate.reversals[0].receipt_id, aggregate.receipts[0].id);
}

TEST_F(RecordEvidenceTest, ATradeReportedTwiceIsOneReceipt) {
  for (int i = 0; i < 3; ++i) world_.tell(payment_, paid());
  EXPECT_EQ(world_.order_of(payment_).receipts.size(), 1u);
  EXPECT_EQ(world_.balance(AccountKind::merchant_payable), kAmount);
}

TEST_F(RecordEvidenceTest, OneUpstreamTradeIsOneReceiptOverAllOrdersOfTheMerchant) {
  world_.tell(payment_, paid());
  const PaymentId other = world_.start(world_.new_order());
  world_.tell(other, paid());
  EXPECT_EQ(world_.payment(other).state, PaymentState::processing);
  EXPECT_EQ(world_.balance(AccountKind::merchant_payable), kAmount);
}

TEST_F(RecordEvidenceTest, WhatRepeatsTheLastEvidenceMakesNoVersionAndNoEvent) {
  world_.tell(payment_, waiting());
  const std::int64_t version = world_.order(order_).version;
  world_.now = world_.now + 10s;
  world_.tell(payment_, waiting());
  EXPECT_TRUE(world_.events.empty());
  EXPECT_EQ(world_.order(order_).version, version);
  EXPECT_GT(payment().due_at, world_.now) << "and the next look at it is planned";
}

TEST_F(RecordEvidenceTest, EvidenceThatDiffersFromTheLastIsRecordedThoughItChangesNothing) {
  world_.tell(payment_, paid());
  world_.tell(payment_, waiting());
  ASSERT_EQ(world_.events.size(), 1u);
  EXPECT_EQ(world_.events[0].cell, fsm::CellKind::keep);
  world_.tell(payment_, unknown());
  EXPECT_EQ(world_.events.size(), 1u);
}

TEST_F(RecordEvidenceTest, AnEventCarriesWhatTheChannelSaid) {
  RecordEvidence word = world_.word(payment_, failed("insufficient_funds"));
  word.evidence.source = CauseKind::notification;
  world_.run(word);
  const Event& event = *world_.event_of(payment_);
  EXPECT_EQ(event.cause, CauseKind::notification);
  EXPECT_NE(event.detail.find("insufficient_funds"), std::string::npos);
  EXPECT_EQ(event.from_state, "processing");
  EXPECT_EQ(event.to_state, "failed");
  EXPECT_EQ(event.root_version, world_.order(order_).version);
  EXPECT_EQ(payment().failure_code, "insufficient_funds");
  EXPECT_EQ(payment().failure_message, "The bank said no.");
}

TEST_F(RecordEvidenceTest, ALaterWordDoesNotChangeWhyAPaymentFailed) {
  world_.tell(payment_, failed("first"));
  world_.tell(payment_, failed("second"));
  EXPECT_EQ(payment().failure_code, "first");
}

TEST_F(RecordEvidenceTest, AWrongAmountSaysSo) {
  world_.tell(payment_, paid("T1", 1));
  EXPECT_EQ(payment().failure_code, "paid_wrong");
}

TEST_F(RecordEvidenceTest, WhatThePayerMustDoIsKept) {
  Evidence said = waiting();
  said.action_type = ActionType::qr_code;
  said.action_url = "https://pay.example/q";
  said.action_code = "q-1";
  world_.tell(payment_, said);
  EXPECT_EQ(payment().action_type, ActionType::qr_code);
  EXPECT_EQ(payment().action_url, "https://pay.example/q");
  EXPECT_EQ(payment().action_code, "q-1");
}

TEST_F(RecordEvidenceTest, NotificationBeforeReplyAndTheReplyChangesNothing) {
  Evidence reply = waiting();
  reply.asked_at = world_.now;
  world_.now = world_.now + 1s;
  world_.tell(payment_, paid());
  world_.now = world_.now + 1s;
  world_.tell(payment_, reply);
  EXPECT_EQ(payment().state, PaymentState::succeeded);
  EXPECT_EQ(world_.order(order_).state, OrderState::succeeded);
  EXPECT_TRUE(world_.order_of(payment_).cases.empty());
}

TEST_F(RecordEvidenceTest, SuccessThenFailureOpensOneCaseHoweverOftenItIsSaid) {
  world_.tell(payment_, paid());
  world_.tell(payment_, failed("a"));
  world_.tell(payment_, failed("b"));
  world_.tell(payment_, closed());
  const OrderAggregate& aggregate = world_.order_of(payment_);
  ASSERT_EQ(aggregate.cases.size(), 1u);
  EXPECT_EQ(aggregate.cases[0].kind, CaseKind::contradiction);
  EXPECT_EQ(ObjectRef(aggregate.cases[0].object_type, aggregate.cases[0].object_id), ObjectRef(payment_));
  EXPECT_EQ(aggregate.cases[0].version, 3) << "each word is added to it";
  EXPECT_EQ(payment().state, PaymentState::succeeded);
}

TEST_F(RecordEvidenceTest, AbsentBeforeTheSendDeadlineIsNoAnswer) {
  const Time deadline = *payment().send_deadline;
  Evidence said = absent();
  said.asked_at = deadline;
  world_.now = deadline + 1s;
  world_.tell(payment_, said);
  EXPECT_EQ(payment().state, PaymentState::processing);
  EXPECT_TRUE(payment().owed_since.has_value());
}

TEST_F(RecordEvidenceTest, AbsentAfterTheSendDeadlineSendsTheSameNumberAgain) {
  const std::string number = payment().out_trade_no;
  world_.now = *payment().send_deadline + 1s;
  world_.tell(payment_, absent());
  EXPECT_EQ(payment().state, PaymentState::created);
  EXPECT_EQ(payment().due_at, world_.now);
  world_.run(ClaimPayment{kMerchant, order_, payment_, world_.now});
  EXPECT_EQ(payment().state, PaymentState::processing);
  EXPECT_EQ(world_.calls(), std::vector{ChannelCallKind::send_payment});
  EXPECT_EQ(payment().out_trade_no, number);
}

TEST_F(RecordEvidenceTest, UnknownNeverFailsAndOpensOneCaseOnceTheAnswerIsOwedTooLong) {
  const Time since = *payment().owed_since;
  world_.now = since + world_.policy.answer_owed_max;
  world_.tell(payment_, unknown());
  EXPECT_TRUE(world_.order_of(payment_).cases.empty());
  for (int day = 1; day < 60; ++day) {
    world_.now = since + world_.policy.answer_owed_max + 24h * day;
    world_.tell(payment_, unknown());
    EXPECT_EQ(payment().state, PaymentState::processing);
    EXPECT_GT(payment().due_at, world_.now) << "asking goes on";
  }
  ASSERT_EQ(world_.order_of(payment_).cases.size(), 1u);
  EXPECT_EQ(world_.order_of(payment_).cases[0].kind, CaseKind::answer_owed_too_long);
  EXPECT_EQ(world_.order(order_).state, OrderState::processing);
}

TEST_F(RecordEvidenceTest, ALoopOfAbsentAndSendingIsOwedAnAnswerToo) {
  const Time since = *payment().owed_since;
  while (world_.now <= since + world_.policy.answer_owed_max) {
    world_.now = std::max(world_.now + 1h, *payment().send_deadline + 1s);
    world_.tell(payment_, absent());
    ASSERT_EQ(payment().state, PaymentState::created);
    world_.run(ClaimPayment{kMerchant, order_, payment_, *payment().due_at});
    ASSERT_EQ(payment().owed_since, since);
  }
  world_.tell(payment_, unknown());
  EXPECT_EQ(world_.order_of(payment_).cases.at(0).kind, CaseKind::answer_owed_too_long);
}

TEST_F(RecordEvidenceTest, ACaseOfAnAnswerOwedTooLongSettlesItselfWhenTheAnswerComes) {
  world_.now = *payment().owed_since + world_.policy.answer_owed_max + 1s;
  world_.tell(payment_, unknown());
  ASSERT_EQ(world_.order_of(payment_).cases.at(0).state, CaseState::open);
  world_.tell(payment_, waiting());
  const Case& row = world_.order_of(payment_).cases.at(0);
  EXPECT_EQ(row.state, CaseState::resolved);
  EXPECT_EQ(row.resolution, "settled");
}

TEST_F(RecordEvidenceTest, WherePayersPayIsLearntHoweverLateItIsSaid) {
  world_.tell(payment_, waiting());  // a query overtook the reply
  Evidence reply = waiting();
  reply.action_type = ActionType::redirect;
  reply.action_url = "https://pay.example/1";
  world_.tell(payment_, reply);
  EXPECT_EQ(payment().action_url, "https://pay.example/1");
}

TEST_F(RecordEvidenceTest, WhereTheReplyIsLostTheTradeIsSentAgainToLearnWherePayersPay) {
  world_.policy.channels["sandbox"].repeats_action = {"redirect"};
  Evidence word = waiting();
  word.source = CauseKind::query;
  const std::string number = payment().out_trade_no;
  for (int query = 0; query < 2; ++query) {  // also when the repetition is lost
    world_.tell(payment_, word);
    EXPECT_EQ(world_.calls(), std::vector{ChannelCallKind::send_payment});
    EXPECT_EQ(payment().state, PaymentState::pending);
    EXPECT_EQ(payment().out_trade_no, number);
  }
  Evidence reply = waiting();
  reply.action_type = ActionType::redirect;
  world_.tell(payment_, reply);
  world_.tell(payment_, word);
  EXPECT_EQ(world_.calls(), std::vector<ChannelCallKind>{});
}

TEST_F(RecordEvidenceTest, ATradeThatItsPayerMakesIsSentAgainToLearnWherePayersPayThoughItIsAbsent) {
  world_.policy.channels["by_payer"].repeats_action = {"qr_code"};
  const PaymentId other = world_.start(world_.new_order(), {.channel = "by_payer", .method = "qr_code"});
  world_.now = world_.now + 1min;
  Evidence word = absent();
  word.source = CauseKind::query;
  world_.tell(other, word);
  EXPECT_EQ(world_.calls(), std::vector{ChannelCallKind::send_payment});
  Evidence reply = waiting();
  reply.action_type = ActionType::qr_code;
  world_.tell(other, reply);
  world_.tell(other, word);
  EXPECT_EQ(world_.calls(), std::vector<ChannelCallKind>{});
}

TEST_F(RecordEvidenceTest, WhatWasAskedAndAnsweredIsKeptOnceWithTheFirstEvent) {
  world_.cause.detail = R"({"call":"query_payment"})";
  world_.cause.exchange = R"({"request":{"method":"GET"}})";
  world_.tell(payment_, paid());
  ASSERT_GT(world_.events.size(), 1u);
  const boost::json::value first = boost::json::parse(world_.events.front().detail);
  EXPECT_EQ(first.at("exchange").at("request").at("method"), "GET");
  EXPECT_EQ(first.at("via").at("call"), "query_payment");
  for (std::size_t i = 1; i < world_.events.size(); ++i)
    EXPECT_EQ(world_.events[i].detail.find("exchange"), std::string::npos) << i;
}

TEST(AddExchange, MakesAnObjectOfWhateverTheDetailIs) {
  const std::pair<const char*, const char*> cases[] = {{"", R"({"exchange":{"a":1}})"},
                                                       {"{}", R"({"exchange":{"a":1}})"},
                                                       {R"({"b":2})", R"({"b":2,"exchange":{"a":1}})"}};
  for (const auto& [before, after] : cases) {
    Cause cause{.exchange = R"({"a":1})"};
    std::string detail = before;
    add_exchange(detail, cause);
    EXPECT_EQ(detail, after);
    EXPECT_EQ(cause.exchange, "");
  }
}

TEST_F(RecordEvidenceTest, APauseBetweenQueriesGrowsFromTheFirstToTheLongest) {
  std::vector<Duration> pauses;
  for (const Duration age : {0s, 10s, 60s, 600s}) {
    world_.now = *payment().owed_since + age;
    world_.tell(payment_, unknown());
    pauses.push_back(*payment().due_at - world_.now);
  }
  EXPECT_EQ(pauses, (std::vector<Duration>{2s, 5s, 30s, 60s}));
}

TEST_F(RecordEvidenceTest, OnceTheChannelWaitsForThePayerNoAnswerIsOwed) {
  world_.tell(payment_, waiting());
  EXPECT_FALSE(payment().owed_since.has_value());
  EXPECT_EQ(world_.order(order_).state, OrderState::pending);
  world_.tell(payment_, unknown());
  EXPECT_EQ(payment().owed_since, world_.now);
  EXPECT_EQ(world_.order(order_).state, OrderState::processing);
}

TEST_F(RecordEvidenceTest, WhereThePayerMakesTheTradeAbsentIsNotSentAgain) {
  const PaymentId other = world_.start(world_.new_order(), {.channel = "by_payer", .method = "qr_code"});
  world_.now = world_.now + 1min;
  world_.tell(other, absent());
  EXPECT_EQ(world_.payment(other).state, PaymentState::pending);
}

TEST_F(RecordEvidenceTest, WhenOneWinsItsSiblingsAreToBeClosed) {
  world_.tell(payment_, waiting());
  const PaymentId second = world_.start(order_);
  world_.tell(second, waiting());
  const PaymentId third = world_.start(order_);
  world_.tell(second, paid());
  EXPECT_EQ(world_.order(order_).state, OrderState::succeeded);
  for (const PaymentId sibling : {payment_, third}) {
    EXPECT_TRUE(world_.payment(sibling).close_asked);
    EXPECT_EQ(world_.payment(sibling).due_at, world_.now);
  }
  EXPECT_FALSE(world_.payment(second).close_asked);
  EXPECT_FALSE(world_.payment(second).due_at.has_value());
}

TEST_F(RecordEvidenceTest, ASiblingThatPaysTooGoesBack) {
  world_.tell(payment_, waiting());
  const PaymentId second = world_.start(order_);
  world_.tell(second, paid("T2"));
  world_.tell(payment_, paid("T1"));
  EXPECT_EQ(payment().state, PaymentState::closed);
  EXPECT_EQ(world_.order_of(payment_).reversals.size(), 1u);
  EXPECT_EQ(world_.balance(AccountKind::suspense), kAmount);
  EXPECT_FALSE(payment().close_asked) << "it is final upstream: nothing is left to chase";
}

TEST_F(RecordEvidenceTest, NothingIsClosedUpstreamWhileAnotherPaymentIsOwedAnAnswer) {
  world_.tell(payment_, waiting());
  const PaymentId second = world_.start(order_);
  world_.run(CloseOrder{kMerchant, order_});
  world_.tell(payment_, asked(waiting()));
  EXPECT_EQ(world_.calls(), std::vector<ChannelCallKind>{}) << "the second may be paid: only questions go upstream";
  EXPECT_TRUE(payment().due_at.has_value());
  world_.tell(second, waiting("T2"));
  world_.tell(payment_, asked(waiting()));
  EXPECT_EQ(world_.calls(), std::vector{ChannelCallKind::close_payment});
}

TEST_F(RecordEvidenceTest, ATradeThatWaitsForAPayerNobodyWantsIsClosedUpstreamAtOnce) {
  world_.tell(payment_, waiting());
  world_.run(CloseOrder{kMerchant, order_});
  world_.tell(payment_, asked(waiting()));
  EXPECT_EQ(world_.calls(), std::vector{ChannelCallKind::close_payment});
  EXPECT_EQ(payment().state, PaymentState::pending);
  world_.tell(payment_, waiting());
  EXPECT_TRUE(world_.effects.empty()) << "it answers the close with waiting: asked again later, not at once";
  EXPECT_GT(payment().due_at, world_.now);
  world_.tell(payment_, closed());
  EXPECT_EQ(payment().state, PaymentState::closed);
  EXPECT_EQ(world_.order(order_).state, OrderState::closed);
  EXPECT_FALSE(payment().due_at.has_value());
}

TEST_F(RecordEvidenceTest, TheLastAllowedFailureFailsTheOrder) {
  CreateOrder request = world_.order_request();
  request.attempts = 2;
  const OrderId order = world_.new_order(request);
  world_.tell(world_.start(order), failed());
  EXPECT_EQ(world_.order(order).state, OrderState::pending);
  world_.tell(world_.start(order), failed());
  EXPECT_EQ(world_.order(order).state, OrderState::failed);
  EXPECT_EQ(world_.told(), "order.failed");
  EXPECT_FALSE(world_.order(order).due_at.has_value());
}

TEST_F(RecordEvidenceTest, WhatArrivesWhileTheOrderIsParkedIsKeptAndMovesNothing) {
  world_.run(ParkOrder{kMerchant, order_, "1: a finding"});
  world_.tell(payment_, paid());
  EXPECT_EQ(payment().state, PaymentState::processing);
  EXPECT_TRUE(world_.order_of(payment_).receipts.empty());
  ASSERT_EQ(world_.events.size(), 1u);
  EXPECT_EQ(world_.events[0].event, "evidence_while_parked");
  EXPECT_NE(world_.events[0].detail.find("\"paid\""), std::string::npos);
}

TEST_F(RecordEvidenceTest, ASumThatDoesNotFitIsAFindingAndChangesNothing) {
  world_.tell(payment_, paid());
  constexpr MinorUnits kHuge = std::numeric_limits<MinorUnits>::max();
  world_.try_run(world_.word(payment_, paid("T2", kHuge)));
  EXPECT_EQ(world_.findings.size(), 1u);
  EXPECT_TRUE(world_.events.empty());
  EXPECT_EQ(world_.order_of(payment_).receipts.size(), 1u);
}

// ---- chasing a trade whose order is closed already ----

class ChaseTest : public testing::Test {
 protected:
  ChaseTest() {
    CreateOrder request = world_.order_request();
    request.close_policy = ClosePolicy::local;
    order_ = world_.new_order(request);
    payment_ = world_.start(order_);
  }
  void close() { world_.run(CloseOrder{kMerchant, order_}); }
  const Payment& payment() const { return world_.payment(payment_); }

  World world_;
  OrderId order_;
  PaymentId payment_;
};

TEST_F(ChaseTest, GoesOnUntilTheChannelClosesItToo) {
  close();
  EXPECT_EQ(world_.order(order_).state, OrderState::closed);
  EXPECT_TRUE(payment().owed_since.has_value()) << "that an answer is owed outlives a local close";
  world_.now = world_.now + 1min;
  world_.tell(payment_, unknown());
  EXPECT_TRUE(payment().due_at.has_value());
  world_.tell(payment_, asked(waiting()));
  EXPECT_EQ(world_.calls(), std::vector{ChannelCallKind::close_payment});
  world_.tell(payment_, closed());
  EXPECT_FALSE(payment().due_at.has_value());
  EXPECT_FALSE(payment().close_asked);
  EXPECT_EQ(payment().state, PaymentState::closed);
}

TEST_F(ChaseTest, EndsWhenTheTradeIsStillAbsentAfterTheExpiry) {
  close();
  world_.now = world_.now + 1min;
  world_.tell(payment_, absent());
  EXPECT_TRUE(payment().due_at.has_value()) << "before the expiry it may still come into being";
  world_.now = world_.order(order_).expires_at + 1min;
  world_.tell(payment_, absent());
  EXPECT_FALSE(payment().due_at.has_value());
  EXPECT_FALSE(payment().close_asked);
}

TEST_F(ChaseTest, AbsentSaysNothingWhileOurRequestMayStillArrive) {
  const OrderId order = order_;
  world_.tell(payment_, failed());
  world_.now = world_.order(order).expires_at - 1s;
  const PaymentId late = world_.start(order);
  world_.now = world_.order(order).expires_at;
  world_.run(ExpireOrder{kMerchant, order, world_.now});
  ASSERT_EQ(world_.payment(late).state, PaymentState::closed);
  world_.now = world_.now + 1s;
  ASSERT_LT(world_.now, *world_.payment(late).send_deadline);
  world_.tell(late, absent());
  EXPECT_TRUE(world_.payment(late).due_at.has_value());
}

TEST_F(ChaseTest, AbsentSaysNothingWhileItIsSentAgain) {
  world_.policy.channels["sandbox"].repeats_action = {"redirect"};
  world_.now = world_.order(order_).expires_at - 1s;
  world_.tell(payment_, asked(waiting()));
  ASSERT_EQ(world_.calls(), std::vector{ChannelCallKind::send_payment}) << "to learn where the payer pays";
  world_.now = world_.order(order_).expires_at;
  world_.run(ExpireOrder{kMerchant, order_, world_.now});
  ASSERT_EQ(payment().state, PaymentState::closed);
  world_.now = world_.now + 1s;
  world_.tell(payment_, absent());
  EXPECT_TRUE(payment().due_at.has_value()) << "it may still come into being";
  EXPECT_TRUE(payment().close_asked);
  world_.now = *payment().send_deadline + 1s;
  world_.tell(payment_, absent());
  EXPECT_FALSE(payment().due_at.has_value());
}

TEST_F(ChaseTest, ALateSuccessGoesBack) {
  close();
  world_.now = world_.now + 1min;
  world_.tell(payment_, paid());
  EXPECT_EQ(payment().state, PaymentState::closed);
  EXPECT_EQ(world_.order(order_).state, OrderState::closed);
  EXPECT_EQ(world_.order_of(payment_).reversals.size(), 1u);
  EXPECT_EQ(world_.balance(AccountKind::suspense), kAmount);
  EXPECT_EQ(world_.balance(AccountKind::merchant_payable), 0);
}

TEST(RecordEvidence, AnActionWithoutAnAddressHasNone) {
  World world;
  const PaymentId id = world.start(world.new_order());
  Evidence said = waiting();
  said.action_type = ActionType::qr_code;
  said.action_code = "weixin://pay/1";
  world.tell(id, said);
  EXPECT_EQ(world.payment(id).action_code, "weixin://pay/1");
  EXPECT_FALSE(world.payment(id).action_url.has_value());
}

}  // namespace
}  // namespace finality
