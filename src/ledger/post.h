// Posts to the ledger: creates the journal entries first, then updates the balances (先写流水). Pure: changes only
// loaded rows.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "base/id.h"
#include "ledger/chart.h"
#include "model/read_set.h"
#include "model/working_set.h"

namespace finality::ledger {

/// One journal: the values that its template (ledger/chart.h) needs.
struct Posting {
  EntryType type = EntryType::receipt_accepted;
  MerchantId merchant_id;  // owner of all accounts of the journal
  std::string channel;     // channel of the receivable account, if the template has one
  Currency currency;
  MinorUnits amount = 0;  // must be positive
  ObjectRef document;     // object that causes the journal; (document, type, ordinal) is posted at most once
  std::int64_t root_id = 0;
  // The accounts to use where the chart of accounts has AccountKind::user.
  AccountId debit_account{};
  AccountId credit_account{};
  ChannelAccountId channel_account{};  // account at `channel`; stored in a receivable account that the posting opens
  Funds funds = Funds::platform;       // owner of the money at the channel account; selects the lines of the template
  std::int64_t ordinal = 0;            // counts from 0 the journals of one type for one document
  MinorUnits settled_amount = 0;       // amount of the lines with Money::settled; positive if there are any
  Currency settled_currency{};
  AccountKind adjusted = AccountKind::merchant_payable;  // account kind of the adjusted line, if the template has one
  /// NAME of the bank account, if the template has an account of the kind `bank`. Empty: the account of that kind that
  /// belongs to no bank account.
  std::string bank_account{};
  ChannelAccountId bank_account_id{};  // row of `bank_account`; stored in an account of the kind `bank` that opens
};

/// Adds to `reads` the natural keys of the ledger accounts that a posting of `type` debits and credits, for each owner
/// of the money. The caller adds user accounts by their ids. `settled`: the settlement currency, if the template has
/// lines in it. `adjusted` and `bank_account`: as in Posting.
void add_reads(EntryType type, MerchantId merchant, std::string_view channel, Currency currency, ReadSet& reads,
               std::optional<Currency> settled = {}, AccountKind adjusted = AccountKind::merchant_payable,
               std::string_view bank_account = {});

/// Returns the ledger account of `kind` for the merchant, the channel or bank account of the posting and the currency;
/// opens the account if it does not exist. REQUIRES: add_reads() has declared the key of the account.
AccountId find_or_open(AccountKind kind, Currency currency, const Posting& posting, WorkingSet& rows, IdGenerator& ids,
                       Time now);

/// Adds one entry per line of the template to `rows`, updates the balances, and opens ledger accounts that do not
/// exist. Returns the id of the first entry, or an error if a balance would overflow; `rows` may then be partly
/// changed. Does not check whether an account has sufficient balance. REQUIRES: add_reads() has declared the ledger
/// accounts, and user accounts were declared by their ids.
std::expected<EntryId, std::string> post(const Posting& posting, WorkingSet& rows, IdGenerator& ids, Time now);

}  // namespace finality::ledger
