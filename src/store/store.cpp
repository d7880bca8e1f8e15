#include "store/store.h"

#include <fmt/format.h>

#include "store/postgres/postgres_store.h"
#include "store/sqlite/sqlite_store.h"

namespace finality {

Result<std::unique_ptr<Store>> open_store(const StoreOptions& options) {
  constexpr std::string_view kSqlite = "sqlite:";
  if (options.url.starts_with(kSqlite) && options.url.size() > kSqlite.size())
    return sqlite::open(options.url.substr(kSqlite.size()), options.read_only, options.migrate);
  for (const std::string_view scheme : {"postgres://", "postgresql://"})
    if (options.url.starts_with(scheme)) return postgres::open(options.url, options.read_only, options.migrate);
  return fail(fmt::format("'{}' names no store: use sqlite:PATH or postgres://USER@HOST/DATABASE", options.url));
}

}  // namespace finality
