// Posting: the journal first, then the balances (先写流水). Pure: works on loaded rows.
#pragma once

#include <expected>
#include <string>

#include "base/id.h"
#include "model/read_set.h"
#include "model/working_set.h"

namespace finality::ledger {

struct Posting {
  EntryType type = EntryType::receipt_accepted;
  MerchantId merchant_id;
  std::string channel;  // whose receivable, where one is moved
  Currency currency;
  MinorUnits amount = 0;  // > 0
  ObjectRef document;     // (document, type) is posted once
  std::int64_t root_id = 0;
  // Where the chart says `user`: whose account.
  AccountId debit_account{};
  AccountId credit_account{};
  ChannelAccountId channel_account{};  // that `channel` is, where the receivable may not be there yet
};

/// Adds the keys of the accounts of the books that a posting of `type` moves.
void add_reads(EntryType type, MerchantId merchant, std::string_view channel, Currency currency, ReadSet& reads);

/// The account of the books that the posting moves; it is opened when it is not there yet. REQUIRES: its key was
/// declared.
AccountId find_or_open(AccountKind kind, const Posting& posting, WorkingSet& rows, IdGenerator& ids, Time now);

/// Writes the entries, then moves the balances; opens an account of the books that is not there yet. The answer is the
/// first entry's id, or why it cannot be (a sum that does not fit). REQUIRES: the accounts of the books were declared
/// by their keys, users' accounts by their ids. Whether an account may be debited is for the caller to know.
std::expected<EntryId, std::string> post(const Posting& posting, WorkingSet& rows, IdGenerator& ids, Time now);

}  // namespace finality::ledger
