// Whether money may leave an account, or come in: one rule for transfers, holds and wallet payments.
#pragma once

#include <optional>
#include <string>

#include "decide/context.h"

namespace finality {

/// A user's account of that merchant, or null. REQUIRES: it was declared.
const Account* find_user_account(const Context& context, MerchantId merchant, AccountId id);

/// Refuses a debit while somebody else holds the account's lock, and always when `token` is not the current lock's: a
/// stale token cannot write. The refusal is account_locked; `param` is where the token stood.
std::expected<void, Refusal> check_lock(const Account& account, const std::optional<std::string>& token, Time now,
                                        std::string_view param = "lock_token");

/// Why `amount` may not leave the account, by its state and what is available; empty when it may.
std::optional<RefusalCode> refused_debit(const Context& context, const Account& account, MinorUnits amount,
                                         Currency currency);
/// Why nothing may come in.
std::optional<RefusalCode> refused_credit(const Context& context, const Account& account, Currency currency);

/// For people: what a code of the two means for this account.
std::string explain(RefusalCode code, const Account& account);

}  // namespace finality
