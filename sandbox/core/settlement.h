// Settlement of payments and refunds between the channel and the merchant, in another currency than the payer's. Pure.
#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/money.h"
#include "base/time/time.h"

namespace finality::sandbox {

/// Exchange rate and fee of a settlement.
struct SettlementTerms {
  std::int64_t rate_millionths;    // settled minor units per million minor units of the payment or refund
  std::string_view reported_rate;  // the rate that the channel reports: rounded to four decimal digits
  std::int64_t fee_per_mille;      // fee as a part of the settled amount
};

inline constexpr SettlementTerms kPaymentTerms{
    .rate_millionths = 138'742, .reported_rate = "0.1387", .fee_per_mille = 29};
inline constexpr SettlementTerms kRefundTerms{
    .rate_millionths = 139'155, .reported_rate = "0.1392", .fee_per_mille = 0};

/// Identifies a settlement: its currency, its number at the channel and its time.
struct SettlementEntry {
  std::string_view currency;
  std::string_view transaction_no;
  Time settled_at;
};

/// Content of a settlement that moves money.
struct SettledMoney {
  Time at;
  std::string currency;
  MinorUnits amount = 0;
  MinorUnits fee = 0;
};
/// Reads the settlement that settlement_of() has returned, as JSON text.
SettledMoney settled_money(std::string_view settlement);

/// Returns the settlement of `amount` as the JSON object that the channel reports. The settled amount is rounded down
/// and is at least 1, the fee is rounded up, and net is the amount minus the fee. The money is available two days after
/// the settlement.
boost::json::object settlement_of(MinorUnits amount, const SettlementTerms& terms, const SettlementEntry& entry);

}  // namespace finality::sandbox
