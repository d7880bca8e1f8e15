// Why a read has no result.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/objects/archived_order.h"
#include "model/refusal.h"

namespace finality::query {

/// storage_read_error: the store could not be read. Logs the cause; the client learns only that it may ask again.
Refusal unreadable(const Error& error);
/// not_found: there is no such object, or it is another merchant's. `what` is "order", "payment", …
Refusal no_such(std::string_view what);
/// archived: the order is in an archive.
Refusal gone(const ArchivedOrder& order);

}  // namespace finality::query
