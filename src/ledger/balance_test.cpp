#include "ledger/balance.h"

#include <gtest/gtest.h>

namespace finality::ledger {
namespace {

const Currency kCny = *parse_currency("CNY");
const Currency kUsd = *parse_currency("USD");

Account account(AccountKind kind, MinorUnits balance, Currency currency = kCny) {
  return {.kind = kind, .currency = currency, .balance = balance};
}

TEST(Balance, HasOneRowPerCurrencyOfMoneyThatThePlatformHolds) {
  using enum AccountKind;
  const Account accounts[] = {account(merchant_payable, 700, kUsd),
                              account(merchant_payable, 1000),
                              account(refunds_in_transit, 20),
                              account(payouts_in_transit, 300),
                              account(disputed, 4),
                              account(merchant_direct, 50'000),
                              account(direct_refunds_in_transit, 60'000),
                              account(channel_receivable, -70'000),
                              account(suspense, 80'000),
                              account(merchant_direct, 5, *parse_currency("JPY"))};
  const std::vector<Balance> balances = balances_of(accounts);
  ASSERT_EQ(balances.size(), 2u);
  EXPECT_EQ(balances[0].currency, kCny);
  EXPECT_EQ(balances[0].available, 1000);
  EXPECT_EQ(balances[0].refunds_in_transit, 20);
  EXPECT_EQ(balances[0].payouts_in_transit, 300);
  EXPECT_EQ(balances[0].disputed, 4);
  EXPECT_EQ(balances[1].currency, kUsd);
  EXPECT_EQ(balances[1].available, 700);
}

TEST(Balance, IsEmptyWithoutAccounts) { EXPECT_TRUE(balances_of({}).empty()); }

}  // namespace
}  // namespace finality::ledger
