#include "ledger/balance.h"

#include <map>
#include <string>

namespace finality::ledger {
namespace {

// The part of the balance that accounts of that kind belong to; null for other kinds.
MinorUnits Balance::* part_of(AccountKind kind) {
  switch (kind) {
    case AccountKind::merchant_payable:
      return &Balance::available;
    case AccountKind::refunds_in_transit:
      return &Balance::refunds_in_transit;
    case AccountKind::payouts_in_transit:
      return &Balance::payouts_in_transit;
    case AccountKind::disputed:
      return &Balance::disputed;
    default:
      return nullptr;
  }
}

}  // namespace

std::vector<Balance> balances_of(std::span<const Account> accounts) {
  std::map<std::string, Balance> by_currency;
  for (const Account& account : accounts) {
    const auto part = part_of(account.kind);
    if (part == nullptr) continue;
    Balance& balance = by_currency[std::string(account.currency.text())];
    balance.currency = account.currency;
    balance.*part += account.balance;
  }
  std::vector<Balance> balances;
  for (const auto& [currency, balance] : by_currency) balances.push_back(balance);
  return balances;
}

}  // namespace finality::ledger
