// Account of one merchant in one currency. Finality opens the ledger accounts, such as `merchant_payable`; the merchant
// opens user accounts over the API. Credits are positive: a liability has a positive balance, a receivable a negative
// balance.
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
  channel_receivable,  // amounts that the channel collected but has not settled to us; one per channel
  merchant_payable,    // amounts that the platform holds and must pay to the merchant
  merchant_direct,     // amounts that the merchant received directly or in its user accounts; never paid out
  fee_income,
  suspense,  // receipts that were not accepted and are to be returned to the payers
  refunds_in_transit,
  direct_refunds_in_transit,  // refunds in transit that were debited to merchant_direct
  payouts_in_transit,
  bank,  // money in bank accounts of the platform; one per bank account, and one for amounts that name no bank account
  loss,  // receivables that operators wrote off, and refunds charged to the platform
  channel_fee_expense,
  disputed,
  clearing,  // receipts assigned from the platform's books to a merchant's; the sum over all merchants is 0
  equity,    // counterpart of opening balances
  fx,        // conversions into settlement currencies: the amounts given in one currency and received in another
  user,      // account of a user of the merchant, opened over the API
};
BOOST_DESCRIBE_ENUM(AccountKind, channel_receivable, merchant_payable, merchant_direct, fee_income, suspense,
                    refunds_in_transit, direct_refunds_in_transit, payouts_in_transit, bank, loss, channel_fee_expense,
                    disputed, clearing, equity, fx, user)

enum class AccountState : std::uint8_t { open, frozen, closed };
BOOST_DESCRIBE_ENUM(AccountState, open, frozen, closed)

/// Operations on an account that its state allows or refuses.
enum class AccountEvent : std::uint8_t {
  debit,   // money leaves the account or is reserved by a hold
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
  std::string channel;  // of channel_receivable: the channel; of bank: the bank account or empty; otherwise empty
  std::optional<ChannelAccountId> channel_account_id;  // of `channel`, if it has one
  Currency currency;
  std::string name;   // only for user accounts: unique name that the merchant chose
  std::string label;  // only for user accounts: category that the merchant chose
  MinorUnits balance = 0;
  MinorUnits held = 0;       // sum of the open holds on the account
  MinorUnits overdraft = 0;  // amount by which debits may exceed the balance
  AccountState state = AccountState::open;
  // The lock (账户锁) is a lease: it ends at `lock_expires_at` and then has no effect, so no cleanup is needed.
  std::optional<std::string> lock_owner;
  std::optional<std::string> lock_token;  // "{lock_number}-{nonce}": increases with each lock
  std::optional<Time> lock_expires_at;
  std::int64_t lock_number = 0;          // fencing token: incremented each time the account is locked
  std::optional<EntryId> last_entry_id;  // newest entry; each entry refers to the previous entry of the account
  Time created_at;
  std::int64_t version = 1;  // incremented by each entry and by each other change

  /// Returns the amount that can be debited: balance plus overdraft, minus held amounts.
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
