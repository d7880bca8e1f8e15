#include "decide/invariants.h"

#include <functional>

#include "decide/testing/test_world.h"
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

}  // namespace
}  // namespace finality
