#include "decide/payment/pay_from_account.h"

#include <rapidcheck.h>

#include "decide/testing/account_world.h"

namespace finality::test {
namespace {

constexpr MinorUnits kFunds = kAmount + 1;

class Wallet : public Accounts {
 public:
  Wallet() { fund(payer, kFunds - 1000); }

  static PaymentFields from(AccountId account) {
    return {.channel = std::string(kWallet), .method = "balance", .account_id = account};
  }
  Decision pay(OrderId order, AccountId account, std::optional<std::string> token = {}) {
    StartPayment command{kMerchant, order, from(account), kCny};
    command.fields.lock_token = std::move(token);
    return run(command);
  }
  Decision refund(PaymentId payment, std::optional<MinorUnits> amount) { return run(refund_request(payment, amount)); }
  CreateRefund refund_request(PaymentId payment, std::optional<MinorUnits> amount) {
    return {kMerchant, payment, amount, "R" + std::to_string(++refunds_), {}, std::string(kWallet), kCny, payer};
  }

 private:
  int refunds_ = 0;
};

TEST(PayFromAccount, DebitsOnceWhenRepeated) {
  Wallet world;
  const OrderId order = world.new_order();
  const Decision first = world.pay(order, world.payer);
  ASSERT_TRUE(first && first->created);
  EXPECT_EQ(world.delivery_types(), "order.succeeded");
  for (int again = 0; again < 3; ++again) {
    const Decision same = world.pay(order, world.payer);
    ASSERT_TRUE(same);
    EXPECT_EQ(same->object, first->object);
    EXPECT_FALSE(same->created);
  }
  EXPECT_EQ(world.balance_of(world.payer), 1);
  EXPECT_EQ(world.order(order).state, OrderState::succeeded);
  EXPECT_EQ(world.balance(AccountKind::merchant_direct), kAmount);
  EXPECT_EQ(world.balance(AccountKind::channel_receivable), 0) << "the wallet has no open receivable";
  EXPECT_TRUE(world.effects.empty()) << "no channel is called";
}

// The API looks up the order's currency before it submits the command. The lookup finds nothing when the order is
// created in between, so the command has no currency and no accounts are loaded.
TEST(PayFromAccount, OfAnOrderCreatedMeanwhileIsRefusedAsBusy) {
  Wallet world;
  const OrderId order = world.new_order();
  EXPECT_EQ(world.refusal_of(StartPayment{kMerchant, order, Wallet::from(world.payer), {}}), "busy");
  EXPECT_EQ(world.refusal_of(StartPayment{kMerchant, order, {}, {}}), "busy") << "no route was selected";
  EXPECT_TRUE(world.pay(order, world.payer));
}

TEST(PayFromAccount, IsPaidInTheCommandThatCreatesTheOrder) {
  Wallet world;
  CreateOrder request = world.order_request();
  request.payment = Wallet::from(world.payer);
  const OrderId order = world.new_order(request);
  EXPECT_EQ(world.order(order).state, OrderState::succeeded);
  EXPECT_EQ(world.balance_of(world.payer), 1);
}

TEST(PayFromAccount, FailsWhenTheAccountCannotBeDebited) {
  struct Row {
    std::string_view code;
    std::function<void(Wallet&)> spoil;
  };
  const Row rows[] = {
      {"insufficient_balance", [](Wallet& world) { world.new_hold(2); }},
      {"account_frozen", [](Wallet& world) { world.change(world.payer, AccountEvent::freeze); }},
  };
  for (const Row& row : rows) {
    Wallet world;
    row.spoil(world);
    const OrderId order = world.new_order();
    const Decision made = world.pay(order, world.payer);
    ASSERT_TRUE(made);
    const Payment& payment = world.payment(PaymentId{made->object.value});
    EXPECT_EQ(payment.state, PaymentState::failed);
    EXPECT_EQ(payment.failure_code, row.code);
    EXPECT_EQ(world.order(order).state, OrderState::pending) << "another attempt may follow";
    EXPECT_EQ(world.balance_of(world.payer), kFunds);
    const Transfer& kept = world.store.transfers.rbegin()->second;
    EXPECT_EQ(kept.refusal, row.code) << "the refused debit is stored";
    EXPECT_EQ(world.pay(order, world.source)->created, true);
    EXPECT_EQ(world.order(order).state, OrderState::succeeded);
  }
}

TEST(PayFromAccount, CreatesNoPaymentWhenTheAccountCannotBeUsed) {
  Wallet world;
  const OrderId order = world.new_order();
  EXPECT_EQ(world.pay(order, AccountId{5}).error().code, RefusalCode::not_found);
  EXPECT_EQ(world.pay(order, AccountId{5}).error().param, "account");
  EXPECT_EQ(world.pay(order, world.open("dollars", 0, kUsd)).error().code, RefusalCode::currency_mismatch);
  const std::string token = world.lock(world.payer);
  EXPECT_EQ(world.pay(order, world.payer).error().code, RefusalCode::account_locked);
  EXPECT_TRUE(world.aggregate(order).payments.empty());
  CreateOrder request = world.order_request();
  request.payment = Wallet::from(world.payer);
  EXPECT_EQ(world.refusal_of(request), "account_locked");
  request.payment = Wallet::from(AccountId{5});
  EXPECT_EQ(world.run(request).error().param, "payment.account");
  EXPECT_TRUE(world.pay(order, world.payer, token));
  EXPECT_EQ(world.order(order).state, OrderState::succeeded);
}

TEST(PayFromAccount, SucceedsBeforeAPendingPaymentWhoseLateReceiptIsReversed) {
  Wallet world;
  const OrderId order = world.new_order();
  const PaymentId waiting_payment = world.start(order);
  world.record_evidence(waiting_payment, waiting());
  ASSERT_TRUE(world.pay(order, world.payer));
  EXPECT_EQ(world.order(order).state, OrderState::succeeded);
  EXPECT_TRUE(world.payment(waiting_payment).close_pending);
  world.record_evidence(waiting_payment, paid());
  EXPECT_EQ(world.aggregate(order).reversals.size(), 1u);
  EXPECT_EQ(world.balance(AccountKind::merchant_direct), kAmount);
}

TEST(PayFromAccount, IsRefusedOnceTheOrderIsPaid) {
  Wallet world;
  const OrderId order = world.new_order();
  world.record_evidence(world.start(order), paid());
  EXPECT_EQ(world.pay(order, world.payer).error().code, RefusalCode::order_not_payable);
  EXPECT_EQ(world.balance_of(world.payer), kFunds);
}

TEST(RefundToAccount, CreditsAFrozenOrLockedAccountImmediately) {
  Wallet world;
  const OrderId order = world.new_order();
  const PaymentId payment{world.pay(order, world.payer)->object.value};
  world.change(world.payer, AccountEvent::freeze);
  world.lock(world.payer);
  ASSERT_TRUE(world.refund(payment, 999));
  EXPECT_EQ(world.delivery_types(), "refund.succeeded");
  EXPECT_EQ(world.balance_of(world.payer), 1000);
  ASSERT_TRUE(world.refund(payment, {}));
  EXPECT_EQ(world.balance_of(world.payer), kFunds);
  EXPECT_EQ(world.order(order).refunded_amount, kAmount);
  EXPECT_EQ(world.balance(AccountKind::merchant_direct), 0);
  EXPECT_EQ(world.balance(AccountKind::channel_receivable), 0);
  EXPECT_EQ(world.balance(AccountKind::direct_refunds_in_transit), 0);
  EXPECT_EQ(world.refund(payment, 1).error().code, RefusalCode::refund_exceeds_paid);
}

TEST(RefundToAccount, FailsForAClosedAccount) {
  Wallet world;
  const OrderId order = world.new_order();
  const PaymentId payment{world.pay(order, world.payer)->object.value};
  ASSERT_TRUE(world.run(world.transfer_request(1)));
  world.change(world.payer, AccountEvent::close);
  const Decision made = world.refund(payment, 500);
  ASSERT_TRUE(made);
  const Refund& refund = world.aggregate(order).refunds.at(0);
  EXPECT_EQ(refund.state, RefundState::failed);
  EXPECT_EQ(refund.failure_code, "account_closed");
  EXPECT_EQ(world.balance(AccountKind::merchant_direct), kAmount);
}

TEST(QueryPayment, OfTheWalletCallsNoChannel) {
  Wallet world;
  const OrderId order = world.new_order();
  const PaymentId payment{world.pay(order, world.payer)->object.value};
  ASSERT_TRUE(world.run(QueryPayment{kMerchant, payment}));
  EXPECT_TRUE(world.effects.empty());
}

// A merchant moves balances between its own accounts. Nothing of this may become payable by the platform (ADR 0038).
TEST(PayFromAccount, AndAllOtherCommandsOfAMerchantNeverIncreaseMerchantPayable) {
  EXPECT_TRUE(rc::check([] {
    Wallet world;
    std::vector<PaymentId> payments;
    const int count = *rc::gen::inRange(1, 40);
    for (int i = 0; i < count; ++i) {
      const MinorUnits amount = *rc::gen::inRange<MinorUnits>(1, 3000);
      const AccountId account = *rc::gen::element(world.payer, world.payee, world.source);
      switch (*rc::gen::inRange(0, 5)) {
        case 0: {
          const Decision paid = world.pay(world.new_order(), account);
          if (paid) payments.emplace_back(paid->object.value);
          break;
        }
        case 1:
          if (!payments.empty()) world.try_run(world.refund_request(*rc::gen::elementOf(payments), amount));
          break;
        case 2:
          world.try_run(world.transfer_request(amount, {}, account, world.payer));
          break;
        case 3:
          if (const Decision held = world.try_run(world.hold_request(amount)))
            world.try_run(PostHold{.merchant_id = kMerchant, .hold_id = HoldId{held->object.value}});
          break;
        default:
          world.try_run(world.reverse("F" + std::to_string(*rc::gen::inRange(1, 20))));
      }
      RC_ASSERT(world.balance(AccountKind::merchant_payable) == 0);
    }
  }));
}

// ---- fees ----

TEST(Fee, IsChargedWithTheReceiptAndStoredOnThePayment) {
  Accounts world;
  SetFee fee{.merchant_id = kMerchant, .channel = "sandbox", .basis_points = 60, .fixed = 10};
  ASSERT_TRUE(world.run(fee));
  const OrderId order = world.new_order();
  const PaymentId payment = world.start(order);
  world.record_evidence(payment, paid());
  EXPECT_EQ(world.payment(payment).fee_amount, 22) << "10 + 11.994";
  EXPECT_EQ(world.balance(AccountKind::fee_income), 22);
  EXPECT_EQ(world.balance(AccountKind::merchant_payable), kAmount - 22);
  fee.fixed = 1000;
  ASSERT_TRUE(world.run(fee));
  EXPECT_EQ(world.payment(payment).fee_amount, 22) << "the fee at the time of the payment";
  EXPECT_EQ(world.store.fees.at(kMerchant).size(), 1u);
}

TEST(Fee, IsNotChargedForReversedReceipts) {
  Accounts world;
  ASSERT_TRUE(world.run(SetFee{.merchant_id = kMerchant, .channel = "sandbox", .fixed = 10}));
  const OrderId order = world.new_order();
  const PaymentId payment = world.start(order);
  world.record_evidence(payment, failed());
  world.record_evidence(payment, paid());
  EXPECT_EQ(world.balance(AccountKind::fee_income), 0);
}

TEST(Fee, IsReturnedInProportionToRefundsWhenRefundable) {
  for (const bool refundable : {true, false}) {
    Wallet world;
    ASSERT_TRUE(world.run(
        SetFee{.merchant_id = kMerchant, .channel = std::string(kWallet), .fixed = 100, .refundable = refundable}));
    const OrderId order = world.new_order();
    const PaymentId payment{world.pay(order, world.payer)->object.value};
    MinorUnits refunded = 0;
    for (const MinorUnits part : {1, 19, 980, 999}) {
      ASSERT_TRUE(world.refund(payment, part));
      refunded += part;
      const MinorUnits back = refundable ? 100 * refunded / kAmount : 0;
      EXPECT_EQ(world.balance(AccountKind::fee_income), 100 - back) << refunded;
    }
    EXPECT_EQ(refunded, kAmount);
    EXPECT_EQ(world.balance(AccountKind::fee_income), refundable ? 0 : 100);
    EXPECT_EQ(world.balance(AccountKind::merchant_payable), refundable ? 0 : -100)
        << "the merchant bears a fee that is not returned";
    EXPECT_EQ(world.balance(AccountKind::merchant_direct), 0);
  }
}

}  // namespace
}  // namespace finality::test
