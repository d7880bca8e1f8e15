// Ledger accounts, per merchant and currency. A credit is positive: what we owe somebody is a positive balance, what
// somebody owes us a negative one.
#pragma once

#include <optional>
#include <string>

#include "base/money.h"
#include "base/time.h"
#include "model/ids.h"
#include "model/row.h"

namespace finality {

/// The chart of accounts (blueprint §7).
enum class AccountKind : std::uint8_t {
  channel_receivable,  // what the channel collected and owes us; one per channel
  merchant_payable,    // what we owe the merchant
  fee_income,
  suspense,  // receipts that nobody may keep: what is still owed back to payers
  refunds_in_transit,
  payouts_in_transit,
  bank,
  loss,  // what a channel turned out not to owe us, once the desk has written it off
  channel_fee_expense,
  disputed,
};
BOOST_DESCRIBE_ENUM(AccountKind, channel_receivable, merchant_payable, fee_income, suspense, refunds_in_transit,
                    payouts_in_transit, bank, loss, channel_fee_expense, disputed)

enum class AccountState : std::uint8_t { open, frozen, closed };
BOOST_DESCRIBE_ENUM(AccountState, open, frozen, closed)

struct Account {
  AccountId id;
  MerchantId merchant_id;
  AccountKind kind = AccountKind::merchant_payable;
  std::string channel;  // of a receivable; else empty
  Currency currency;
  MinorUnits balance = 0;
  AccountState state = AccountState::open;
  std::optional<EntryId> last_entry_id;  // the entries of an account are a chain, newest first
  Time created_at;
  std::int64_t version = 1;
};
BOOST_DESCRIBE_STRUCT(Account, (),
                      (id, merchant_id, kind, channel, currency, balance, state, last_entry_id, created_at, version))
FINALITY_ROW(Account, "accounts", root, "id", "merchant_id kind channel currency created_at")

}  // namespace finality
