#include "decide/payment/book_channel_settlement.h"

#include <gtest/gtest.h>

#include "decide/testing/refund_scenario.h"

namespace finality::test {
namespace {

// A rate of 0.14 with rounding that no rate reproduces.
ReportedSettlement in_dollars(std::string number, MinorUnits amount, MinorUnits fee = 0) {
  return {.transaction_no = std::move(number), .amount = amount, .currency = kUsd, .fee = fee, .exchange_rate = "0.14"};
}

class SettledPayment : public RefundScenario {
 public:
  explicit SettledPayment(MerchantCurrency currency = MerchantCurrency::presentment, Funds funds = Funds::platform) {
    policy.accounts["sandbox"].merchant_currency = currency;
    aggregate(order).payments.front().funds = funds;
  }
  void settles(const ReportedSettlement& reported, std::string trade = "T1", Currency currency = kCny) {
    Evidence evidence = finality::test::paid(std::move(trade), kPaid, currency);
    evidence.settlement = reported;
    record_later(evidence);
  }
  Decision refund_settles(const ReportedSettlement& reported) {
    later();
    const Refund row = own();
    return run(RecordRefund{kMerchant,
                            order,
                            row.id,
                            row.out_refund_no,
                            "sandbox",
                            kCny,
                            row.amount,
                            {.kind = RefundEvidenceKind::refunded, .asked_at = now, .settlement = reported}});
  }
  void refunds(MinorUnits amount) {
    create_refund(amount);
    own_is(RefundEvidenceKind::refunded);
  }
  MinorUnits in(Currency currency, AccountKind kind) { return balance(kind, currency); }
  const std::vector<ChannelSettlement>& settlements() { return aggregate(order).channel_settlements; }
};

TEST(ChannelSettlement, ConvertsTheReceivableWithItsAmounts) {
  SettledPayment world;
  world.pays();
  world.settles(in_dollars("B1", 143, 5));
  ASSERT_EQ(world.settlements().size(), 1u);
  const ChannelSettlement& row = world.settlements().front();
  EXPECT_EQ(row.amount, kPaid);
  EXPECT_EQ(row.settled_amount, 143) << "not 1000 x 0.14";
  EXPECT_EQ(row.merchant_amount, 0);
  EXPECT_EQ(world.in(kCny, AccountKind::channel_receivable), 0);
  EXPECT_EQ(world.in(kUsd, AccountKind::channel_receivable), -(143 - 5)) << "what the channel will pay out";
  EXPECT_EQ(world.in(kCny, AccountKind::fx), -kPaid);
  EXPECT_EQ(world.in(kUsd, AccountKind::fx), 143);
  EXPECT_EQ(world.in(kUsd, AccountKind::channel_fee_expense), -5);
  EXPECT_EQ(world.in(kCny, AccountKind::merchant_payable), kPaid) << "the merchant keeps the presentment currency";
}

TEST(ChannelSettlement, ConvertsTheMerchantsBalanceIfConfigured) {
  SettledPayment world(MerchantCurrency::settlement);
  world.pays();
  world.settles(in_dollars("B1", 143, 5));
  EXPECT_EQ(world.in(kCny, AccountKind::merchant_payable), 0);
  EXPECT_EQ(world.in(kUsd, AccountKind::merchant_payable), 143);
  EXPECT_EQ(world.in(kCny, AccountKind::fx), 0);
  EXPECT_EQ(world.in(kUsd, AccountKind::fx), 0);
}

TEST(ChannelSettlement, OfFundsOfTheMerchantChargesTheFeeToTheMerchant) {
  SettledPayment world(MerchantCurrency::settlement, Funds::merchant);
  world.pays();
  world.settles(in_dollars("B1", 143, 5));
  EXPECT_EQ(world.in(kUsd, AccountKind::merchant_direct), 143 - 5);
  EXPECT_EQ(world.in(kUsd, AccountKind::channel_fee_expense), 0);
  EXPECT_EQ(world.in(kUsd, AccountKind::merchant_payable), 0);
}

TEST(ChannelSettlement, OfARefundMirrorsTheConversionWithItsOwnAmounts) {
  SettledPayment world(MerchantCurrency::settlement);
  world.pays();
  world.settles(in_dollars("B1", 143, 5));
  world.refunds(kPaid);
  ASSERT_TRUE(world.refund_settles(in_dollars("B2", 150, -5)));
  EXPECT_EQ(world.settlements().size(), 2u);
  EXPECT_EQ(world.in(kCny, AccountKind::channel_receivable), 0);
  EXPECT_EQ(world.in(kUsd, AccountKind::channel_receivable), 150 - 143) << "the rate changed; the fee was returned";
  EXPECT_EQ(world.in(kUsd, AccountKind::merchant_payable), 143 - 150);
  EXPECT_EQ(world.in(kCny, AccountKind::merchant_payable), 0);
  EXPECT_EQ(world.in(kUsd, AccountKind::channel_fee_expense), 0);
}

TEST(ChannelSettlement, OfARefundFollowsTheConversionOfItsReceipt) {
  SettledPayment world(MerchantCurrency::settlement);
  world.pays();
  world.settles(in_dollars("B1", 143));
  world.policy.accounts["sandbox"].merchant_currency = MerchantCurrency::presentment;
  world.refunds(kPaid);
  ASSERT_TRUE(world.refund_settles(in_dollars("B2", 143)));
  EXPECT_EQ(world.in(kUsd, AccountKind::merchant_payable), 0);
  EXPECT_EQ(world.in(kCny, AccountKind::merchant_payable), 0);
}

TEST(ChannelSettlement, InTheCurrencyOfThePaymentPostsOnlyTheFee) {
  SettledPayment world(MerchantCurrency::settlement);
  world.pays();
  world.settles({.transaction_no = "B1", .amount = kPaid, .currency = kCny, .fee = 6});
  EXPECT_EQ(world.in(kCny, AccountKind::channel_receivable), -kPaid + 6);
  EXPECT_EQ(world.in(kCny, AccountKind::channel_fee_expense), -6);
  EXPECT_EQ(world.in(kCny, AccountKind::fx), 0);
  EXPECT_EQ(world.in(kCny, AccountKind::merchant_payable), kPaid);
}

TEST(ChannelSettlement, IsBookedWithTheFirstReportOfThePayment) {
  SettledPayment world;
  world.settles(in_dollars("B1", 143));
  EXPECT_EQ(world.payment_now().state, PaymentState::succeeded);
  EXPECT_EQ(world.settlements().size(), 1u);
}

TEST(ChannelSettlement, IsBookedOnce) {
  SettledPayment world;
  world.pays();
  for (int i = 0; i < 3; ++i) world.settles(in_dollars("B1", 143, 5));
  world.total(0);
  world.settles(in_dollars("B1", 143, 5));
  EXPECT_EQ(world.settlements().size(), 1u);
  EXPECT_EQ(world.in(kUsd, AccountKind::channel_receivable), -138);
  EXPECT_EQ(world.cases(CaseKind::report_mismatch), 0);
}

TEST(ChannelSettlement, ThatContradictsTheBooksOpensACaseAndPostsNothing) {
  const struct {
    const char* name;
    ReportedSettlement second;
  } rows[] = {
      {"another amount", in_dollars("B1", 150, 5)},
      {"another fee", in_dollars("B1", 143, 6)},
      {"another transaction", in_dollars("B9", 143, 5)},
      {"another currency", {.transaction_no = "B1", .amount = kPaid, .currency = kCny, .fee = 5}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    SettledPayment world;
    world.pays();
    world.settles(in_dollars("B1", 143, 5));
    world.settles(row.second);
    EXPECT_EQ(world.cases(CaseKind::report_mismatch), 1);
    EXPECT_EQ(world.settlements().size(), 1u);
    EXPECT_EQ(world.in(kUsd, AccountKind::channel_receivable), -138);
    EXPECT_EQ(world.in(kCny, AccountKind::channel_receivable), 0);
  }
}

TEST(ChannelSettlement, InTheCurrencyOfThePaymentWithAnotherAmountOpensACase) {
  SettledPayment world;
  world.pays();
  world.settles({.transaction_no = "B1", .amount = kPaid - 1, .currency = kCny});
  EXPECT_EQ(world.cases(CaseKind::report_mismatch), 1);
  EXPECT_TRUE(world.settlements().empty());
}

TEST(ChannelSettlement, OfTwoDocumentsWithOneTransactionNumberIsBookedForTheFirst) {
  SettledPayment world;
  world.pays();
  world.settles(in_dollars("B1", 143));
  world.refunds(500);
  ASSERT_TRUE(world.refund_settles(in_dollars("B1", 70)));
  EXPECT_EQ(world.settlements().size(), 1u);
  EXPECT_EQ(world.cases(CaseKind::report_mismatch), 1);
}

TEST(ChannelSettlement, AfterAWriteOffOpensACaseAndPostsNothing) {
  SettledPayment world;
  world.pays();
  world.record_later(failed());
  ASSERT_TRUE(world.resolves(CaseKind::conflicting_result, "write_off"));
  world.settles(in_dollars("B1", 143));
  EXPECT_TRUE(world.settlements().empty());
  EXPECT_EQ(world.cases(CaseKind::report_mismatch), 1);
  EXPECT_EQ(world.in(kUsd, AccountKind::channel_receivable), 0);
}

TEST(ChannelSettlement, OfADuplicateDoesNotDecideTheConversionOfThePayment) {
  SettledPayment world(MerchantCurrency::settlement);
  world.pays();
  world.settles(in_dollars("B2", 143), "T2");
  world.settles(in_dollars("B1", 143));
  EXPECT_EQ(world.in(kCny, AccountKind::merchant_payable), 0);
  EXPECT_EQ(world.in(kUsd, AccountKind::merchant_payable), 143);
}

TEST(ChannelSettlement, InAReportThatContradictsTheReceiptIsNotBooked) {
  SettledPayment world;
  world.pays();
  Evidence evidence = paid("T1", kPaid - 100);
  evidence.settlement = in_dollars("B1", 120);
  world.record_later(evidence);
  EXPECT_TRUE(world.settlements().empty());
  EXPECT_EQ(world.cases(CaseKind::report_mismatch), 1);
}

TEST(ChannelSettlement, OfAReceiptInSuspenseLeavesTheMerchantsBalance) {
  SettledPayment world(MerchantCurrency::settlement);
  world.pays();
  world.settles(in_dollars("B2", 143), "T2");
  EXPECT_EQ(world.settlements().size(), 1u);
  EXPECT_EQ(world.in(kCny, AccountKind::merchant_payable), kPaid);
  EXPECT_EQ(world.in(kUsd, AccountKind::merchant_payable), 0);
  EXPECT_EQ(world.in(kCny, AccountKind::suspense), kPaid);
  EXPECT_EQ(world.in(kCny, AccountKind::channel_receivable), -kPaid);
  EXPECT_EQ(world.in(kUsd, AccountKind::channel_receivable), -143);
}

TEST(ChannelSettlement, OfAReversalConvertsTheReceivableOnly) {
  SettledPayment world(MerchantCurrency::settlement);
  world.pays();
  world.pays("T2");
  world.reversal_is(RefundEvidenceKind::refunded);
  const Reversal row = world.reversal();
  world.later();
  ASSERT_TRUE(world.run(RecordRefund{
      kMerchant,
      world.order,
      row.id,
      row.out_refund_no,
      "sandbox",
      kCny,
      row.amount,
      {.kind = RefundEvidenceKind::refunded, .asked_at = world.now, .settlement = in_dollars("B3", 144)}}));
  ASSERT_EQ(world.settlements().size(), 1u);
  EXPECT_EQ(world.settlements().front().merchant_amount, 0);
  EXPECT_EQ(world.in(kUsd, AccountKind::channel_receivable), 144);
}

TEST(ChannelSettlement, OfAnExternalRefundIsReportedWithItsNumber) {
  SettledPayment world(MerchantCurrency::settlement);
  world.pays();
  world.settles(in_dollars("B1", 143));
  Evidence evidence = paid("T1", kPaid);
  evidence.refund = ReportedRefund{"C1", 400};
  evidence.refund->settlement = in_dollars("B2", 57);
  world.record_later(evidence);
  EXPECT_EQ(world.external(), 400);
  ASSERT_EQ(world.settlements().size(), 2u);
  EXPECT_EQ(world.in(kUsd, AccountKind::merchant_payable), 143 - 57);
  EXPECT_EQ(world.in(kUsd, AccountKind::channel_receivable), -(143 - 57));
}

TEST(ChannelSettlement, OfTheReceiptForbidsItsWriteOff) {
  SettledPayment world;
  world.pays();
  world.record_later(failed());
  world.settles(in_dollars("B1", 143));
  const Decision decision = world.resolves(CaseKind::conflicting_result, "write_off");
  ASSERT_FALSE(decision);
  EXPECT_EQ(decision.error().code, RefusalCode::illegal_transition);
}

}  // namespace
}  // namespace finality::test
