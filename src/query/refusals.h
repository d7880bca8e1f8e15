// Refusals of functions that read from the store.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/objects/archived_order.h"
#include "model/refusal.h"

namespace finality::query {

/// Returns the refusal `storage_read_error`: the store could not be read. Logs `error`, which the refusal omits.
Refusal unreadable(const Error& error);
/// Returns the refusal `not_found`: the object does not exist, or belongs to another merchant. `what` is the object's
/// noun, such as "order".
Refusal no_such(std::string_view what);
/// Returns the refusal `archived`: the order was moved to an archive.
Refusal gone(const ArchivedOrder& order);

}  // namespace finality::query
