#include "store/store.h"

#include <fmt/format.h>

#include "store/sqlite/sqlite_store.h"

namespace finality {

Result<std::unique_ptr<Store>> open_store(const StoreOptions& options) {
  constexpr std::string_view kSqlite = "sqlite:";
  if (options.url.starts_with(kSqlite) && options.url.size() > kSqlite.size())
    return sqlite::open(options.url.substr(kSqlite.size()), options.read_only, options.migrate);
  return fail(fmt::format("'{}' names no store: use sqlite:PATH", options.url));
}

}  // namespace finality
