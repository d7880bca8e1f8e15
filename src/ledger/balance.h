// Balance of a merchant at the platform, per currency. Pure: computed from the merchant's ledger accounts.
#pragma once

#include <span>
#include <vector>

#include "model/objects/account.h"

namespace finality::ledger {

/// Amounts in minor units of `currency`. An amount is negative if it is payable by the merchant.
struct Balance {
  Currency currency;
  MinorUnits available = 0;           // merchant_payable
  MinorUnits refunds_in_transit = 0;  // debited to merchant_payable, not paid out by the channel yet
  MinorUnits payouts_in_transit = 0;  // debited to merchant_payable, not received by the merchant yet
  MinorUnits disputed = 0;            // withheld from merchant_payable during disputes
};

/// Returns one balance per currency that has an account of these kinds, sorted by currency. Money that the platform
/// does not hold (merchant_direct) is not included. REQUIRES: all accounts belong to one merchant.
std::vector<Balance> balances_of(std::span<const Account> accounts);

}  // namespace finality::ledger
