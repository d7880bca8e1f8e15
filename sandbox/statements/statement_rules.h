// Rules of the channels' statements (对账单): when files are available, which fees they contain, and in which currency
// the account is. Pure, except file_state().
#pragma once

#include <string_view>

#include "base/money.h"
#include "sandbox/core/china_time.h"
#include "sandbox/core/ledger.h"

namespace finality::sandbox {

struct StatementRules {
  std::string_view channel;        // channel_name() of the accounts; empty: all channels without other rules
  Duration ready_after;            // from the end of the day until the files are available
  bool processes_refunds;          // refunds are listed when they are accepted; otherwise when they succeed
  std::string_view currency = {};  // money in other currencies has no lines of funds; empty: all currencies have
};

/// Returns the rules of Trade::channel.
const StatementRules& statement_rules_of(std::string_view channel);

/// Returns the channel's fee for a payment: 0.60 %, rounded half up to the minor unit. A refund returns the fee of its
/// own amount.
MinorUnits channel_fee(MinorUnits amount);

/// Returns by how much a wrong fee of a payment is too high: 1 % of the amount, and one minor unit.
MinorUnits fee_error(MinorUnits amount);

/// State of the files of a day:
///   not_ready      the day is not over, the file is not written yet, late or missing
///   first_version  available; another version replaces it later
///   final          available
///   shortened      available; it has replaced a first version that was right
enum class FileState : std::uint8_t { not_ready, first_version, final, shortened };

/// Returns the state of the files at Ledger::now(). `date` is the text of the day or month `span`.
FileState file_state(Ledger& ledger, std::string_view channel, std::string_view date, const Day& span);

}  // namespace finality::sandbox
