// Archives from before channel accounts were rows (schema 13): their lines name channels only.
#pragma once

#include <span>

#include "base/result.h"
#include "model/objects/channel_account.h"
#include "store/archive/archivist.h"

namespace finality::store {

/// Whether the line of the order was written before payments had a channel account.
bool lacks_channel_accounts(const WholeOrder& order);

/// Gives the order's payments, and all that belongs to them, the accounts of their channels. An error where a channel
/// has no account; it says what to do.
Result<void> give_channel_accounts(std::span<const ChannelAccount> accounts, WholeOrder& order);

}  // namespace finality::store
