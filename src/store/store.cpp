#include "store/store.h"

#include <fmt/format.h>

#include "store/damage_report.h"
#include "store/postgres/audit.h"
#include "store/postgres/store.h"
#include "store/sqlite/audit.h"
#include "store/sqlite/store.h"

namespace finality {
namespace {

constexpr std::string_view kSqlite = "sqlite:";

bool is_postgres(const std::string& url) { return url.starts_with("postgres://") || url.starts_with("postgresql://"); }

}  // namespace

Result<std::unique_ptr<Store>> open_store(const StoreOptions& options) {
  if (options.url.starts_with(kSqlite) && options.url.size() > kSqlite.size())
    return sqlite::open(options.url.substr(kSqlite.size()), options.read_only, options.migrate);
  if (is_postgres(options.url)) return postgres::open(options.url, options.read_only, options.migrate, options.clock);
  return fail(fmt::format("invalid store URL: use {}", kStoreUrls));  // the URL may contain a password
}

Result<DamageReport> find_damage(const std::string& url, const AuditProgress& progress) {
  if (is_postgres(url)) return postgres::find_damage(url, progress);
  if (progress) progress(0, 1, "every table and index");
  return sqlite::find_damage(url.substr(kSqlite.size()));
}

Result<void> distribute_tables(const std::string& url) {
  if (!is_postgres(url)) return fail("only a PostgreSQL store can be distributed. Use a postgres:// URL.");
  return postgres::distribute_tables(url);
}

Result<void> grant_running_role(const std::string& url, const std::string& role) {
  if (!is_postgres(url)) return fail("only a PostgreSQL store has roles. Use a postgres:// URL.");
  return postgres::grant_running_role(url, role);
}

}  // namespace finality
