// The lines of statements of funds (资金账单): every change of the merchant's balance at a channel.
//
// The balance is the sum of all changes. Payments, refunds and their fees are derived from the trades; all other
// changes are rows of StatementTables.
#pragma once

#include <boost/describe/enum.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/core/ledger.h"
#include "sandbox/statements/statement_rules.h"

namespace finality::sandbox {

/// The first five are changes by trades; the others are those of MovementType.
BOOST_DEFINE_ENUM_CLASS(FundsType, payment, refund, refund_returned, fee, fee_returned, withdrawal, top_up, penalty,
                        other)

/// One change of a balance.
struct FundsLine {
  std::string line_id;  // unique per account
  Time at;
  FundsType type = FundsType::other;
  std::optional<Trade> trade{};    // only changes by trades
  std::optional<Refund> refund{};  // only changes by refunds
  std::string currency;
  MinorUnits amount = 0;   // a credit is positive
  MinorUnits balance = 0;  // after the line, as the statement reports it
  std::string memo;
};

/// Balances by currency.
using Balances = std::map<std::string, MinorUnits>;

/// Calls `visit` with each change of the account's balances before `end`, without balances, in no particular order.
void for_each_change(Ledger& ledger, std::string_view channel, Time end, const std::function<void(FundsLine&&)>& visit);

/// Returns the account's balances immediately before `end`.
Balances balances_at(Ledger& ledger, std::string_view channel, Time end);

struct FundsDay {
  std::vector<FundsLine> lines;  // oldest first
  Balances opening;              // balances at the start of the day, of all currencies with lines until its end
};
/// Returns the changes in `span`, the day or month `date`. Inserts the automatic withdrawals that are due. With
/// DayFault::balance_break on `date`, all balances are 100 minor units too high.
FundsDay funds_day(Ledger& ledger, std::string_view channel, std::string_view date, const Day& span);

}  // namespace finality::sandbox
