// Looks up and ends holds. Used by the commands that post, void or expire a hold.
#pragma once

#include <optional>

#include "decide/record.h"

namespace finality {

/// Returns the refusal `not_found` for a hold that does not exist or belongs to another merchant.
std::unexpected<Refusal> no_such_hold();

/// Returns the merchant's hold with that id; null when it does not exist or belongs to another merchant. REQUIRES: the
/// command's add_reads() added the hold.
const Hold* find_hold(const Context& context, MerchantId merchant, HoldId id);

/// Ends the hold by `event` and releases its amount from the account's `held`. `journal`: id of the posting's first
/// entry; empty when nothing is posted.
void end_hold(Context& context, HoldId id, HoldEvent event, std::optional<EntryId> journal = {});

/// Returns the refusal `hold_not_open` for the hold of a wallet authorization, which only SettleWalletHold ends;
/// otherwise empty.
std::optional<Refusal> refused_for_authorization(const Hold& hold);

/// Returns the refusal `hold_not_open` when the hold has ended, has reached its expiry or belongs to an authorization;
/// otherwise empty. An open hold that has reached its expiry is changed to `expired`, and that change is committed with
/// the refusal.
std::optional<Refusal> refused_when_not_open(Context& context, const Hold& hold, HoldEvent event);

}  // namespace finality
