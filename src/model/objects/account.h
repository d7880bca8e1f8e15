// Accounts, per merchant and currency: those of the books, one per kind, and those that a merchant opens for its users.
// A credit is positive: what we owe somebody is a positive balance, what somebody owes us a negative one.
#pragma once

#include <optional>
#include <string>

#include "base/money.h"
#include "base/time/time.h"
#include "fsm/table.h"
#include "model/ids.h"
#include "model/row.h"

namespace finality {

/// The kinds of accounts. Which two each posting moves money between: ledger/chart.h.
enum class AccountKind : std::uint8_t {
  channel_receivable,  // what the channel collected and owes us; one per channel
  merchant_payable,    // what we owe the merchant
  fee_income,
  suspense,  // receipts that nobody may keep: what is still owed back to payers
  refunds_in_transit,
  payouts_in_transit,
  bank,
  loss,  // what a channel turned out not to owe us, once operators have written it off
  channel_fee_expense,
  disputed,
  user,  // opened over the API: any number of them
};
BOOST_DESCRIBE_ENUM(AccountKind, channel_receivable, merchant_payable, fee_income, suspense, refunds_in_transit,
                    payouts_in_transit, bank, loss, channel_fee_expense, disputed, user)

enum class AccountState : std::uint8_t { open, frozen, closed };
BOOST_DESCRIBE_ENUM(AccountState, open, frozen, closed)

/// What is done to an account, and what is done with it: the table says which state allows what.
enum class AccountEvent : std::uint8_t {
  debit,   // money leaves, or is held
  credit,  // money comes in
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
  std::string channel;                                 // of a receivable; else empty
  std::optional<ChannelAccountId> channel_account_id;  // likewise
  Currency currency;
  std::string name;   // of a user's account, as its merchant calls it; else empty
  std::string label;  // of a user's account: the merchant's own word for its kind; else empty
  MinorUnits balance = 0;
  MinorUnits held = 0;       // sum of its open holds
  MinorUnits overdraft = 0;  // how far below zero it may go
  AccountState state = AccountState::open;
  // The lock (账户锁): a lease. It is held while `lock_expires_at` lies ahead; nobody has to clean up after it.
  std::optional<std::string> lock_owner;
  std::optional<std::string> lock_token;  // begins with its number: a later lock has a higher one
  std::optional<Time> lock_expires_at;
  std::int64_t lock_number = 0;          // fencing: rises with every lock
  std::optional<EntryId> last_entry_id;  // the entries of an account are a chain, newest first
  Time created_at;
  std::int64_t version = 1;  // counts its entries and its own steps

  /// What may leave it now.
  MinorUnits available() const { return balance - held + overdraft; }
};
BOOST_DESCRIBE_STRUCT(Account, (),
                      (id, merchant_id, kind, channel, channel_account_id, currency, name, label, balance, held,
                       overdraft, state, lock_owner, lock_token, lock_expires_at, lock_number, last_entry_id,
                       created_at, version))
FINALITY_ROW(Account, "accounts", root, "id",
             "merchant_id kind channel channel_account_id currency name label created_at",
             .about =
                 "an account of one merchant and currency: of the books, or one that the merchant opened for a user; "
                 "with its balance and what of it is held")

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
