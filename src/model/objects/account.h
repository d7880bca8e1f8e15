// Accounts, each of one merchant and currency: ledger accounts, one per kind, and user accounts that the merchant
// opens. Credits are positive: a liability has a positive balance, a receivable a negative one.
#pragma once

#include <optional>
#include <string>

#include "base/money.h"
#include "base/time/time.h"
#include "fsm/table.h"
#include "model/ids.h"
#include "model/row.h"

namespace finality {

/// The kinds of accounts. ledger/chart.h lists the accounts that each entry type debits and credits.
enum class AccountKind : std::uint8_t {
  channel_receivable,  // collected by the channel and not settled to us yet; one per channel
  merchant_payable,    // payable to the merchant: collected by the platform
  merchant_direct,     // collected by the merchant, or internal: the platform does not hold it and never pays it out
  fee_income,
  suspense,  // receipts that were not accepted and must be returned to payers
  refunds_in_transit,
  direct_refunds_in_transit,  // of merchant_direct
  payouts_in_transit,
  bank,
  loss,  // receivables that operators have written off, and refunds charged to the platform
  channel_fee_expense,
  disputed,
  user,  // opened over the API: any number of them
};
BOOST_DESCRIBE_ENUM(AccountKind, channel_receivable, merchant_payable, merchant_direct, fee_income, suspense,
                    refunds_in_transit, direct_refunds_in_transit, payouts_in_transit, bank, loss, channel_fee_expense,
                    disputed, user)

enum class AccountState : std::uint8_t { open, frozen, closed };
BOOST_DESCRIBE_ENUM(AccountState, open, frozen, closed)

/// Changes of an account, and uses of it that a state can refuse.
enum class AccountEvent : std::uint8_t {
  debit,   // money leaves the account, or is held
  credit,  // money enters the account
  lock,
  freeze,
  unfreeze,
  close,
};
BOOST_DESCRIBE_ENUM(AccountEvent, debit, credit, lock, freeze, unfreeze, close)

enum class AccountEffect : std::uint8_t { none };
BOOST_DESCRIBE_ENUM(AccountEffect, none)

struct Account {
  AccountId id;
  MerchantId merchant_id;
  AccountKind kind = AccountKind::merchant_payable;
  std::string channel;                                 // of a receivable account; otherwise empty
  std::optional<ChannelAccountId> channel_account_id;  // of a receivable account; otherwise empty
  Currency currency;
  std::string name;   // of a user account, chosen by the merchant; otherwise empty
  std::string label;  // of a user account: its kind as the merchant names it; otherwise empty
  MinorUnits balance = 0;
  MinorUnits held = 0;       // sum of its open holds
  MinorUnits overdraft = 0;  // maximum negative balance
  AccountState state = AccountState::open;
  // The lock (账户锁) is a lease, held until `lock_expires_at`. An expired lock needs no cleanup.
  std::optional<std::string> lock_owner;
  std::optional<std::string> lock_token;  // begins with lock_number, so a later lock has a higher token
  std::optional<Time> lock_expires_at;
  std::int64_t lock_number = 0;          // fencing: incremented by every lock
  std::optional<EntryId> last_entry_id;  // head of the account's chain of entries, newest first
  Time created_at;
  std::int64_t version = 1;  // counts its entries and its own steps

  /// The amount that can be debited now.
  MinorUnits available() const { return balance - held + overdraft; }
};
BOOST_DESCRIBE_STRUCT(Account, (),
                      (id, merchant_id, kind, channel, channel_account_id, currency, name, label, balance, held,
                       overdraft, state, lock_owner, lock_token, lock_expires_at, lock_number, last_entry_id,
                       created_at, version))
FINALITY_ROW(Account, "accounts", root, "id",
             "merchant_id kind channel channel_account_id currency name label created_at",
             .about =
                 "an account of one merchant and currency: a ledger account, or a user account that the merchant "
                 "opened; with its balance and held amount")

inline constexpr auto account_machine = [] {
  using enum AccountState;
  using E = AccountEvent;
  using namespace fsm;
  Table<AccountState, AccountEvent, AccountEffect> t{.name = "account", .title = "账户"};
  t.initial(open);
  t.final_state(closed);
  // clang-format off
  //                open             frozen           closed
  t.on(E::debit,    {keep,            refuse,          refuse});
  t.on(E::credit,   {keep,            keep,            refuse});
  t.on(E::lock,     {keep,            keep,            refuse});
  t.on(E::freeze,   {move_to(frozen), keep,            refuse});
  t.on(E::unfreeze, {keep,            move_to(open),   refuse});
  t.on(E::close,    {move_to(closed), move_to(closed), keep});
  // clang-format on
  return t;
}();
constexpr const auto& machine_of(AccountState) { return account_machine; }

}  // namespace finality
