// Checks whether an account can be debited or credited, for transfers, holds and wallet payments.
#pragma once

#include <optional>
#include <string>

#include "decide/context.h"

namespace finality {

/// The merchant's user account with that id, or null. REQUIRES: it was declared.
const Account* find_user_account(const Context& context, MerchantId merchant, AccountId id);

/// Refuses with account_locked when the account is locked and `token` is empty, or when `token` is not the token of the
/// current lock, so that a stale token cannot be used. `param`: the request field that contained the token.
std::expected<void, Refusal> check_lock(const Account& account, const std::optional<std::string>& token, Time now,
                                        std::string_view param = "lock_token");

/// The refusal code that prevents a debit of `amount`: by currency, state or available amount. Empty when the debit is
/// allowed.
std::optional<RefusalCode> refused_debit(const Context& context, const Account& account, MinorUnits amount,
                                         Currency currency);
/// The refusal code that prevents a credit. Empty when the credit is allowed.
std::optional<RefusalCode> refused_credit(const Context& context, const Account& account, Currency currency);

/// Explains a code of refused_debit() or refused_credit() for this account. The result is the refusal's `detail`.
std::string explain(RefusalCode code, const Account& account);

}  // namespace finality
