#include "query/refusals.h"

#include <fmt/format.h>

#include <string>

#include "base/log.h"

namespace finality::query {

Refusal unreadable(const Error& error) {
  log::error("store read failed", {{"error", error.message}});
  return {
      RefusalCode::storage_read_error, "The store could not be read. Nothing was changed. Retry the request.", {}, {}};
}

Refusal no_such(std::string_view what) {
  return {RefusalCode::not_found, "The " + std::string(what) + " does not exist.", {}, {}};
}

Refusal gone(const ArchivedOrder& order) {
  return {RefusalCode::archived,
          fmt::format("{} was archived at {} in the archive {}. Ask the operator of the server to restore it with "
                      "finality unarchive.",
                      to_text(order.id), to_rfc3339(order.archived_at), order.archive),
          {},
          {}};
}

}  // namespace finality::query
