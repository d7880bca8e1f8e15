#include "decide/invariants.h"

#include <functional>

#include "decide/testing/authorization_world.h"
#include "ledger/post.h"

namespace finality {
namespace {

using namespace test;

// Fixture with two valid orders: a paid order with a duplicate receipt that is being reversed, and an order with a
// pending payment.
class InvariantsTest : public testing::Test {
 protected:
  InvariantsTest() {
    won_ = world_.new_order();
    winner_ = world_.start(won_);
    world_.record_evidence(winner_, paid("T1"));
    world_.record_evidence(winner_, paid("T2"));
    open_ = world_.new_order();
    waiting_ = world_.start(open_);
    world_.record_evidence(waiting_, waiting());
    for (const auto& [id, aggregate] : world_.store.orders) rows_.orders.load(id, aggregate);
    for (const auto& [id, account] : world_.store.accounts) rows_.accounts.load(id, account);
  }

  // Returns the findings after `break_it` has changed the order and the change is recorded as a new version.
  std::vector<std::string> broken(OrderId id, const std::function<void(OrderAggregate&)>& break_it) {
    OrderAggregate& aggregate = rows_.orders.change(id);
    break_it(aggregate);
    aggregate.order.version += 1;
    Event event;
    event.root_id = id.value;
    event.root_version = aggregate.order.version;
    rows_.events.push_back(event);
    return broken_and_undone();
  }
  std::vector<std::string> broken_and_undone() {
    std::vector<std::string> findings = broken_invariants(rows_);
    rows_.roll_back();
    return findings;
  }
  Account& account(AccountKind kind) {
    for (const auto& [id, row] : world_.store.accounts)
      if (row.kind == kind) return rows_.accounts.change(id);
    throw std::runtime_error("no such account");
  }

  World world_;
  WorkingSet rows_;
  OrderId won_, open_;
  PaymentId winner_, waiting_;
};

void expect_finding(const std::vector<std::string>& findings, std::string_view text) {
  for (const std::string& finding : findings)
    if (finding.find(text) != std::string::npos) return;
  ADD_FAILURE() << "no finding contains `" << text << "`: " << testing::PrintToString(findings);
}

TEST_F(InvariantsTest, HoldAfterCommands) {
  EXPECT_EQ(broken(won_, [](OrderAggregate&) {}), std::vector<std::string>{});
  EXPECT_EQ(broken(open_, [](OrderAggregate&) {}), std::vector<std::string>{});
  for (const auto& [id, aggregate] : world_.store.orders)
    EXPECT_EQ(broken_invariants(aggregate), std::vector<std::string>{});
}

TEST_F(InvariantsTest, AnOrderLeavesNoFinalState) {
  expect_finding(broken(won_, [](OrderAggregate& all) { all.order.state = OrderState::pending; }),
                 "1: " + to_text(won_) + " left its final state succeeded");
}

TEST_F(InvariantsTest, APaymentLeavesNoFinalState) {
  expect_finding(broken(won_, [](OrderAggregate& all) { all.payments[0].state = PaymentState::pending; }),
                 "1: " + to_text(winner_) + " left its final state succeeded");
}

TEST_F(InvariantsTest, ARefundLeavesNoFinalState) {
  world_.aggregate(open_).refunds.push_back({.id = RefundId{5}, .state = RefundState::failed});
  rows_.orders.load(open_, world_.aggregate(open_));
  expect_finding(broken(open_, [](OrderAggregate& all) { all.refunds[0].state = RefundState::pending; }),
                 "left its final state failed");
}

TEST_F(InvariantsTest, AReversalLeavesNoFinalState) {
  world_.aggregate(won_).reversals[0].state = ReversalState::succeeded;
  rows_.orders.load(won_, world_.aggregate(won_));
  expect_finding(broken(won_, [](OrderAggregate& all) { all.reversals[0].state = ReversalState::pending; }),
                 "left its final state succeeded");
}

TEST_F(InvariantsTest, NoRowDisappears) {
  expect_finding(broken(open_, [](OrderAggregate& all) { all.payments.clear(); }),
                 "1: " + to_text(waiting_) + " disappeared");
}

TEST_F(InvariantsTest, AVersionRisesByOneAtMost) {
  expect_finding(broken(open_, [](OrderAggregate& all) { all.order.version += 1; }), "changed from version");
  expect_finding(broken(open_, [](OrderAggregate& all) { all.order.version -= 2; }), "changed from version");
}

TEST_F(InvariantsTest, EveryVersionHasAnEvent) {
  rows_.orders.change(open_).order.version += 1;
  expect_finding(broken_and_undone(), "1: " + to_text(open_) + " has a new version without an event");
}

TEST_F(InvariantsTest, AnOrderHasOneSucceededPaymentExactlyWhenItSucceeded) {
  expect_finding(broken(open_, [](OrderAggregate& all) { all.payments[0].state = PaymentState::succeeded; }),
                 "2: " + to_text(open_) + " is pending with 1 succeeded payments");
  expect_finding(broken(open_, [](OrderAggregate& all) { all.order.state = OrderState::succeeded; }),
                 "2: " + to_text(open_) + " is succeeded with 0 succeeded payments");
  expect_finding(broken(won_,
                        [](OrderAggregate& all) {
                          all.payments.push_back(all.payments[0]);
                          all.payments.back().id = PaymentId{99};
                        }),
                 "with 2 succeeded payments");
}

TEST_F(InvariantsTest, AnOrderThatEndedUnpaidHasNoOpenPayment) {
  for (const OrderState state : {OrderState::closed, OrderState::failed})
    expect_finding(broken(open_, [=](OrderAggregate& all) { all.order.state = state; }), "with an open payment");
}

TEST_F(InvariantsTest, ASucceededPaymentHasExactlyOneAcceptedReceipt) {
  expect_finding(broken(won_, [](OrderAggregate& all) { all.receipts.erase(all.receipts.begin()); }),
                 "3: " + to_text(winner_) + " is succeeded with 0 accepted receipts");
  expect_finding(broken(won_, [](OrderAggregate& all) { all.receipts[1].state = ReceiptState::accepted; }),
                 "is succeeded with 2 accepted receipts");
}

TEST_F(InvariantsTest, NoOtherPaymentHasAnAcceptedReceipt) {
  expect_finding(broken(open_,
                        [this](OrderAggregate& all) {
                          all.receipts.push_back({.id = ReceiptId{9},
                                                  .payment_id = waiting_,
                                                  .amount = kAmount,
                                                  .currency = kCny,
                                                  .state = ReceiptState::accepted});
                        }),
                 "is pending with 1 accepted receipts");
}

TEST_F(InvariantsTest, AnAcceptedReceiptIsThePaymentsAmountAndCurrency) {
  expect_finding(broken(won_, [](OrderAggregate& all) { all.receipts[0].amount -= 1; }),
                 "has an accepted receipt of another amount or currency than its own");
  expect_finding(broken(won_, [](OrderAggregate& all) { all.receipts[0].currency = kUsd; }),
                 "has an accepted receipt of another amount or currency than its own");
}

TEST_F(InvariantsTest, APaymentIsTheOrdersAmountAndCurrency) {
  const std::string finding = "3: " + to_text(waiting_) + " has another amount or currency than its order";
  expect_finding(broken(open_, [](OrderAggregate& all) { all.payments[0].amount -= 1; }), finding);
  expect_finding(broken(open_, [](OrderAggregate& all) { all.payments[0].currency = kUsd; }), finding);
}

TEST_F(InvariantsTest, AReceiptInSuspenseIsOnItsWayBackOrHasACase) {
  expect_finding(broken(won_, [](OrderAggregate& all) { all.reversals.clear(); }),
                 "is in suspense without a reversal or an open case");
  EXPECT_TRUE(broken(won_,
                     [this](OrderAggregate& all) {
                       all.receipts[1].id = ReceiptId{77};  // has no reversal
                       all.cases.push_back({.id = CaseId{1}, .object_id = winner_.value});
                     })
                  .empty())
      << "it has an open case";
  expect_finding(
      broken(won_,
             [this](OrderAggregate& all) {
               all.receipts[1].id = ReceiptId{77};
               all.cases.push_back({.id = CaseId{1}, .object_id = winner_.value, .state = CaseState::resolved});
             }),
      "is in suspense without a reversal or an open case");
}

TEST_F(InvariantsTest, AReversalNeverExceedsItsReceipt) {
  expect_finding(broken(won_, [](OrderAggregate& all) { all.reversals[0].amount += 1; }), "exceeds its receipt");
}

TEST_F(InvariantsTest, RefundsNeverExceedThePaidAmount) {
  const auto refund = [](PaymentId payment, MinorUnits amount, RefundState state) {
    return Refund{.id = RefundId{5}, .payment_id = payment, .amount = amount, .state = state};
  };
  EXPECT_TRUE(broken(won_, [&](OrderAggregate& all) {
                all.refunds.push_back(refund(winner_, kAmount, RefundState::pending));
                all.refunds.push_back(refund(winner_, kAmount, RefundState::failed));
              }).empty());
  expect_finding(broken(won_,
                        [&](OrderAggregate& all) {
                          all.refunds.push_back(refund(winner_, kAmount, RefundState::succeeded));
                          all.refunds.push_back(refund(winner_, 1, RefundState::pending));
                        }),
                 "5: requested refunds of " + to_text(world_.aggregate(won_).receipts[0].id));
  expect_finding(
      broken(open_, [&](OrderAggregate& all) { all.refunds.push_back(refund(waiting_, 1, RefundState::pending)); }),
      "5: " + to_text(open_) + " has refunds without an accepted receipt");
  expect_finding(broken(won_,
                        [&](OrderAggregate& all) {
                          all.refunds.push_back(refund(winner_, 1, RefundState::pending));
                          all.refunds.back().receipt_id = all.receipts[1].id;  // in suspense
                        }),
                 "5: requested refunds of " + to_text(world_.aggregate(won_).receipts[1].id));
}

TEST_F(InvariantsTest, SuspenseIsTheSumOfUnresolvedReceipts) {
  expect_finding(broken(won_, [](OrderAggregate& all) { all.receipts[1].state = ReceiptState::returned; }),
                 "4: suspense and unresolved receipts differ by -19.99 CNY");
  account(AccountKind::suspense).balance += 1;
  expect_finding(broken_and_undone(), "4: suspense and unresolved receipts differ by -0.01 CNY");
}

TEST_F(InvariantsTest, AnEntrysBalancesDifferByItsAmount) {
  rows_.entries.push_back({.id = EntryId{1},
                           .journal_id = EntryId{1},
                           .account_id = AccountId{1},
                           .amount = 5,
                           .balance_before = 10,
                           .balance_after = 14});
  expect_finding(broken_and_undone(),
                 "6: " + to_text(EntryId{1}) + " has a balance_after that does not match its amount");
}

TEST_F(InvariantsTest, AJournalSumsToZero) {
  rows_.entries.push_back({.id = EntryId{1},
                           .journal_id = EntryId{1},
                           .account_id = AccountId{1},
                           .amount = 5,
                           .balance_before = 10,
                           .balance_after = 15});
  expect_finding(broken_and_undone(), "6: journal " + to_text(EntryId{1}) + " does not sum to zero");
}

TEST_F(InvariantsTest, ABalanceMovesByItsEntriesAlone) {
  account(AccountKind::merchant_payable).balance += 1;
  expect_finding(broken_and_undone(), "changed by another amount than the sum of its entries");
}

TEST_F(InvariantsTest, WithoutANewVersionOnlyDueAtDiffers) {
  using Change = void (*)(OrderAggregate&);
  for (const Change change : {Change([](OrderAggregate& order) { order.payments[0].send_deadline = kNow + 1s; }),
                              Change([](OrderAggregate& order) { order.order.paid_amount += 1; }),
                              Change([](OrderAggregate& order) { order.receipts[0].written_off = 1; }),
                              Change([](OrderAggregate& order) { order.reversals[0].send_deadline.reset(); })}) {
    change(rows_.orders.change(won_));
    expect_finding(broken_and_undone(), to_text(won_) + " has changed without a new version");
  }
  rows_.orders.change(open_).order.due_at = kNow + 1h;
  rows_.orders.change(open_).payments[0].due_at = kNow + 1h;
  EXPECT_EQ(broken_and_undone(), std::vector<std::string>{});
}

TEST_F(InvariantsTest, RefundsAboveThePaidAmountHaveACase) {
  const auto refund_too_much = [](OrderAggregate& order) {
    Refund refund;
    refund.id = RefundId{1};
    refund.payment_id = order.receipts[0].payment_id;
    refund.origin = RefundOrigin::channel;
    refund.receipt_id = order.receipts[0].id;
    refund.amount = kAmount + 1;
    refund.state = RefundState::succeeded;
    order.refunds.push_back(refund);
  };
  expect_finding(broken(won_, refund_too_much), "exceed it without a case over_refunded");
  const auto with_case = [&](OrderAggregate& order) {
    refund_too_much(order);
    order.cases.push_back({.kind = CaseKind::over_refunded, .object_type = ObjectType::refund, .object_id = 1});
  };
  EXPECT_EQ(broken(won_, with_case), std::vector<std::string>{});
}

TEST_F(InvariantsTest, OnlyTheCurrentScopeIsChecked) {
  rows_.entries.push_back({.id = EntryId{1}, .journal_id = EntryId{1}, .amount = 5, .balance_after = 5});
  rows_.accept();  // accepted, so that the next scope checks only later changes
  EXPECT_EQ(broken_invariants(rows_), std::vector<std::string>{});
}

// An order with manual capture whose authorization holds the rest after one capture of 700.
TEST(InvariantsOfAuthorizations, AreBroken) {
  struct Row {
    std::string_view finding;
    std::function<void(OrderAggregate&)> change;
  };
  const Row rows[] = {
      {"2: ", [](OrderAggregate& all) { all.payments.push_back({.id = PaymentId{1}}); }},
      {"rows of the other method", [](OrderAggregate& all) { all.order.capture_method = CaptureMethod::automatic; }},
      {"with 0 authorizations that hold for it",
       [](OrderAggregate& all) { all.authorizations[0].state = AuthorizationState::captured; }},
      {"with 1 authorizations that hold for it", [](OrderAggregate& all) { all.order.state = OrderState::pending; }},
      {"2 authorizations that hold or have collected",
       [](OrderAggregate& all) {
         all.authorizations.push_back(all.authorizations[0]);
         all.authorizations.back().id = AuthorizationId{1};
       }},
      {"with 0 captured authorizations", [](OrderAggregate& all) { all.order.state = OrderState::succeeded; }},
      {"with an open authorization", [](OrderAggregate& all) { all.order.state = OrderState::closed; }},
      {"is closed with paid_amount 700", [](OrderAggregate& all) { all.order.state = OrderState::closed; }},
      {"is failed with 1 accepted receipts", [](OrderAggregate& all) { all.captures[0].state = CaptureState::failed; }},
      {"of another amount or currency than its own", [](OrderAggregate& all) { all.captures[0].amount = 701; }},
      {"has no collector, or several", [](OrderAggregate& all) { all.receipts[0].payment_id = PaymentId{1}; }},
      {"has no collector, or several", [](OrderAggregate& all) { all.receipts[0].capture_id = CaptureId{1}; }},
      {"has no authorization", [](OrderAggregate& all) { all.captures[0].authorization_id = AuthorizationId{1}; }},
      {"another channel account than its authorization",
       [](OrderAggregate& all) { all.receipts[0].channel_account_id = ChannelAccountId{1}; }},
      {"currency or channel account than its authorization",
       [](OrderAggregate& all) { all.captures[0].channel_account_id = ChannelAccountId{1}; }},
      {"with 2 open captures",
       [](OrderAggregate& all) {
         for (const std::int64_t id : {1, 2}) {
           all.captures.push_back(all.captures[0]);
           all.captures.back().id = CaptureId{id};
           all.captures.back().state = CaptureState::processing;
         }
       }},
      {"is releasing with 1 open captures",
       [](OrderAggregate& all) {
         all.captures.push_back(all.captures[0]);
         all.captures.back().id = CaptureId{1};
         all.captures.back().state = CaptureState::pending;
         all.authorizations[0].state = AuthorizationState::releasing;
       }},
      {"without a case over_captured", [](OrderAggregate& all) { all.authorizations[0].authorized_amount = 699; }},
      {"without a case over_captured",
       [](OrderAggregate& all) { all.authorizations[0].released_amount = kAmount - 699; }},
      {"a negative released_amount", [](OrderAggregate& all) { all.authorizations[0].released_amount = -1; }},
      {"is captured and still holds an amount",
       [](OrderAggregate& all) { all.authorizations[0].state = AuthorizationState::captured; }},
      {"is captured and does not query its total",
       [](OrderAggregate& all) {
         all.authorizations[0].state = AuthorizationState::captured;
         all.authorizations[0].is_total_waiting = true;
       }},
  };
  for (const Row& row : rows) {
    Authorizations world;
    const OrderId order = world.held_order();
    world.capture(order, 700, false);
    OrderAggregate aggregate = world.aggregate(order);
    ASSERT_EQ(broken_invariants(aggregate), std::vector<std::string>{});
    row.change(aggregate);
    expect_finding(broken_invariants(aggregate), row.finding);
  }
}

TEST(InvariantsOfAuthorizations, NothingIsHeldAfterTheEndExceptWhatIsChased) {
  Authorizations world;
  const OrderId order = world.held_order();
  world.capture(order, 700, true);
  OrderAggregate aggregate = world.aggregate(order);
  Authorization& authorization = aggregate.authorizations[0];
  authorization.released_amount = 0;
  expect_finding(broken_invariants(aggregate), "still holds an amount");
  authorization.close_pending = true;
  authorization.due_at = kNow;
  EXPECT_EQ(broken_invariants(aggregate), std::vector<std::string>{});
  authorization.close_pending = false;
  aggregate.cases.push_back({.kind = CaseKind::release_blocked,
                             .object_type = ObjectType::authorization,
                             .object_id = authorization.id.value});
  EXPECT_EQ(broken_invariants(aggregate), std::vector<std::string>{});
}

TEST(InvariantsOfAuthorizations, ANewCaptureDoesNotExceedWhatIsHeld) {
  Authorizations world;
  const OrderId order = world.held_order();
  WorkingSet rows;
  rows.orders.load(order, world.aggregate(order));
  OrderAggregate& aggregate = rows.orders.change(order);
  Capture capture{.id = CaptureId{1}, .order_id = order, .authorization_id = aggregate.authorizations[0].id};
  capture.currency = kCny;
  capture.amount = kAmount + 1;
  aggregate.captures.push_back(capture);
  expect_finding(broken_invariants(rows), "exceeds what its authorization holds");
}

}  // namespace
}  // namespace finality
