#include "query/refusals.h"

#include <fmt/format.h>

#include <string>

#include "base/log.h"

namespace finality::query {

Refusal unreadable(const Error& error) {
  log::error("store read failed", {{"error", error.message}});
  return {RefusalCode::storage_read_error, "The store could not be read. Nothing was changed; ask again.", {}, {}};
}

Refusal no_such(std::string_view what) {
  return {RefusalCode::not_found, "There is no such " + std::string(what) + ".", {}, {}};
}

Refusal gone(const ArchivedOrder& order) {
  return {RefusalCode::archived,
          fmt::format("{} was archived at {}. Its operator finds it in the archive {}.", to_text(order.id),
                      to_rfc3339(order.archived_at), order.archive),
          {},
          {}};
}

}  // namespace finality::query
