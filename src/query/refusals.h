// Refusals of reads.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/objects/archived_order.h"
#include "model/refusal.h"

namespace finality::query {

/// storage_read_error: the store could not be read. Logs the cause, which the refusal does not contain.
Refusal unreadable(const Error& error);
/// not_found: the object does not exist, or belongs to another merchant. `what`: "order", "payment", …
Refusal no_such(std::string_view what);
/// archived: the order was moved to an archive.
Refusal gone(const ArchivedOrder& order);

}  // namespace finality::query
