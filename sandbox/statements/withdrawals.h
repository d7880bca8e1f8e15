// Withdrawals from the merchant's accounts at the channels to a bank account.
//
// At 02:00 of each day, in China time, a channel withdraws the balance of the day before. Such withdrawals are computed
// when they are first needed: they depend only on changes of the past, so the result does not depend on that time.
#pragma once

#include <optional>
#include <string_view>

#include "sandbox/core/ledger.h"

namespace finality::sandbox {

/// Inserts the automatic withdrawals that are due at Ledger::now(). Call it before reading movements or balances.
void make_due_withdrawals(Ledger& ledger, std::string_view channel);

/// Withdraws `amount`, or the whole balance if it is empty, at Ledger::now(). Returns the movement; empty if the amount
/// exceeds the balance, or there is nothing to withdraw.
std::optional<Movement> withdraw(Ledger& ledger, std::string_view channel, std::string_view currency,
                                 std::optional<MinorUnits> amount);

/// Turns the automatic withdrawals on or off, from now on.
void set_automatic_withdrawals(Ledger& ledger, std::string_view channel, bool is_enabled);

/// Inserts a movement at Ledger::now() and returns it.
Movement add_movement(Ledger& ledger, std::string_view channel, std::string_view currency, MovementType type,
                      MinorUnits amount, std::string_view memo);

}  // namespace finality::sandbox
