// The lines of statements of trades (交易对账单), as all channels report them.
#pragma once

#include <boost/describe/enum.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/core/ledger.h"
#include "sandbox/statements/statement_rules.h"

namespace finality::sandbox {

/// Status of a payment or refund at the end of its day. A line never changes later.
BOOST_DEFINE_ENUM_CLASS(LineStatus, success, processing, failed)

/// A payment or, if `refund` is set, a refund.
struct TradeLine {
  Time at;      // when the payment succeeded, or the refund was accepted
  Trade trade;  // identifies the payment; the amounts of the line are those below
  std::optional<Refund> refund{};
  LineStatus status = LineStatus::success;
  std::string currency;
  MinorUnits amount = 0;    // before discount and fee, positive
  MinorUnits discount = 0;  // part of `amount` that the merchant bears and the channel does not settle
  MinorUnits fee = 0;       // kept by the channel; negative for a refund: returned
};

/// Returns the fee that the channel keeps of a payment of `amount`, or returns with a refund of `amount`. 0 if it
/// settles the trade in another currency: the settlement then contains the fee. Pure.
MinorUnits fee_of(const Trade& trade, MinorUnits amount);

/// Returns the lines of the account's payments and refunds in `span`, oldest first. The trades' scenarios can make
/// lines wrong (LineFault). `state` is the state of the file; the first version of a file with two versions lacks the
/// day's last payment and contains the first payment twice. A shortened file lacks the day's last payment, unless it is
/// the only one.
std::vector<TradeLine> trade_lines(Ledger& ledger, std::string_view channel, const Day& span, FileState state);

}  // namespace finality::sandbox
