// Posts to the ledger: writes the journal first, then the balances (先写流水). Pure: works on loaded rows.
#pragma once

#include <expected>
#include <string>

#include "base/id.h"
#include "ledger/chart.h"
#include "model/read_set.h"
#include "model/working_set.h"

namespace finality::ledger {

/// One journal: the amounts for the template of its entry type.
struct Posting {
  EntryType type = EntryType::receipt_accepted;
  MerchantId merchant_id;  // the owner of the books: all accounts of the journal
  std::string channel;     // of the receivable account, if the posting debits or credits one
  Currency currency;
  MinorUnits amount = 0;  // > 0
  ObjectRef document;     // (document, type, ordinal) is posted once
  std::int64_t root_id = 0;
  // The user accounts, where the chart has AccountKind::user.
  AccountId debit_account{};
  AccountId credit_account{};
  ChannelAccountId channel_account{};  // of `channel`; stored on a receivable account that this posting opens
  Funds funds = Funds::platform;       // of the channel account: selects the lines of the template
  std::int64_t ordinal = 0;  // counts the journals of one type for one document, such as the movements of a dispute
};

/// Adds the keys of the ledger accounts that a posting of `type` can debit and credit, for every owner of the funds.
void add_reads(EntryType type, MerchantId merchant, std::string_view channel, Currency currency, ReadSet& reads);

/// The ledger account of `kind` that the posting debits or credits; opened when it does not exist. REQUIRES: its key
/// was declared.
AccountId find_or_open(AccountKind kind, const Posting& posting, WorkingSet& rows, IdGenerator& ids, Time now);

/// Writes one entry per line of the template, then changes the balances; opens ledger accounts that do not exist.
/// Returns the id of the first entry, or an error when a balance would overflow. REQUIRES: ledger accounts were
/// declared by their keys, user accounts by their ids. The caller checks whether an account may be debited.
std::expected<EntryId, std::string> post(const Posting& posting, WorkingSet& rows, IdGenerator& ids, Time now);

}  // namespace finality::ledger
