// Checks whether an account can be debited or credited, for transfers, holds and wallet payments.
#pragma once

#include <optional>
#include <string>

#include "decide/context.h"

namespace finality {

/// Returns the merchant's user account with that id; null when it does not exist or belongs to another merchant.
/// REQUIRES: the command's add_reads() added the account.
const Account* find_user_account(const Context& context, MerchantId merchant, AccountId id);

/// Refuses with `account_locked` (the account is locked and `token` is empty, or `token` is not the token of the
/// current lock). `param`: the name of the request field that contained the token, used in the refusal.
std::expected<void, Refusal> check_lock(const Account& account, const std::optional<std::string>& token, Time now,
                                        std::string_view param = "lock_token");

/// Returns the code that refuses a debit of `amount` (minor units): `currency_mismatch`, `account_frozen`,
/// `account_closed` or `insufficient_balance`. Empty when the debit is allowed. Does not check the account's lock.
std::optional<RefusalCode> refused_debit(const Context& context, const Account& account, MinorUnits amount,
                                         Currency currency);
/// Returns the code that refuses a credit: `currency_mismatch` or `account_closed`. Empty when the credit is allowed.
std::optional<RefusalCode> refused_credit(const Context& context, const Account& account, Currency currency);

/// Returns the refusal's `detail` for a code of refused_debit() or refused_credit() on this account.
std::string explain(RefusalCode code, const Account& account);

}  // namespace finality
