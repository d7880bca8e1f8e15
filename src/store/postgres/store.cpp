#include "store/postgres/store.h"

#include "store/cache/caching_session.h"
#include "store/postgres/audit.h"
#include "store/postgres/read_guard.h"
#include "store/postgres/reader.h"
#include "store/postgres/schema.h"
#include "store/postgres/session.h"

namespace finality::postgres {
namespace {

class PostgresStore final : public Store {
 public:
  PostgresStore(ConnectionOptions options, bool read_only) : options_(std::move(options)), read_only_(read_only) {}

  std::size_t lanes() const override { return options_.lanes; }

  Result<std::unique_ptr<Session>> open_session() override {
    if (read_only_) return fail("the store was opened for reading only");
    auto session = make_session(options_);
    if (!session) return std::unexpected(session.error());
    return store::cache_rows(std::move(*session), store::Writers::several);
  }
  Result<std::unique_ptr<Reader>> open_reader() override { return make_reader(options_, merchants_); }
  Result<AuditReport> audit(const AuditProgress& progress) override {
    // An audit query may scan whole tables. The reply timeout is therefore much longer than for other statements.
    ConnectionOptions patient = options_;
    patient.timing.silence = std::chrono::hours(24);
    auto connection = Connection::open(patient, Use::read);
    if (!connection) return std::unexpected(connection.error());
    return postgres::audit(**connection, progress);
  }

 private:
  ConnectionOptions options_;
  bool read_only_;
  std::shared_ptr<KnownMerchants> merchants_ = std::make_shared<KnownMerchants>();
};

}  // namespace

Result<std::unique_ptr<Store>> open(const ConnectionOptions& options, bool read_only, bool migrate) {
  auto connection = Connection::open(options, read_only ? Use::read : Use::write);
  if (!connection) return std::unexpected(connection.error());
  if (auto fits = prepare_schema(**connection, migrate && !read_only); !fits) return std::unexpected(fits.error());
  const auto distributed = is_distributed(**connection);
  if (!distributed) return std::unexpected(distributed.error());
  ConnectionOptions found = options;
  found.distributed = *distributed;
  return std::make_unique<PostgresStore>(std::move(found), read_only);
}

Result<std::unique_ptr<Store>> open(const std::string& url, bool read_only, bool migrate, CheckedClock* clock) {
  auto options = parse_target(url);
  if (!options) return std::unexpected(options.error());
  options->clock = clock;
  return open(*options, read_only, migrate);
}

Result<void> distribute_tables(const std::string& url) {
  const auto options = parse_target(url);
  if (!options) return std::unexpected(options.error());
  auto connection = Connection::open(*options, Use::write);
  if (!connection) return std::unexpected(connection.error());
  if (auto fits = prepare_schema(**connection, true); !fits) return fits;
  return distribute_tables(**connection);
}

Result<void> grant_running_role(const std::string& url, const std::string& role) {
  const auto options = parse_target(url);
  if (!options) return std::unexpected(options.error());
  auto connection = Connection::open(*options, Use::write);
  if (!connection) return std::unexpected(connection.error());
  if (auto fits = prepare_schema(**connection, false); !fits) return fits;
  return grant_running_role(**connection, role);
}

}  // namespace finality::postgres
