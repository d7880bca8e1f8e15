// Store contract suites on PostgreSQL: with row locks, without row locks, and with tables distributed by merchant.
#include "store/contract/account_contract.h"
#include "store/contract/expiry_contract.h"
#include "store/postgres/testing/test_server.h"

namespace finality::store_contract {
namespace {

class PostgresPlace : public Place {
 public:
  std::unique_ptr<Store> open() override { return must(open_store({.url = database_.url() + parameters_})); }
  std::unique_ptr<Session> take_over(Store& store, const Session& held) override {
    database_.end_lease(held.node());
    return must(store.open_session());
  }

 protected:
  explicit PostgresPlace(std::string parameters) : parameters_(std::move(parameters)) {}
  explicit PostgresPlace(postgres::TestDatabase (*make)()) : database_(make()) {}

 public:
  PostgresPlace() = default;

 private:
  postgres::TestDatabase database_;
  std::string parameters_;
};

class UnlockedPostgresPlace : public PostgresPlace {
 public:
  UnlockedPostgresPlace() : PostgresPlace("&finality_lock_roots=off") {}
};

/// Opens a distributed store, which has other primary keys and statements. The database records that it is distributed;
/// no URL parameter sets it.
class DistributedPostgresPlace : public PostgresPlace {
 public:
  DistributedPostgresPlace() : PostgresPlace(postgres::TestDatabase::distributed) {}
};

INSTANTIATE_TEST_SUITE_P(Postgres, StoreContract, testing::Values(make_place<PostgresPlace>));
INSTANTIATE_TEST_SUITE_P(Postgres, ReaderContract, testing::Values(make_place<PostgresPlace>));
INSTANTIATE_TEST_SUITE_P(Postgres, AccountContract, testing::Values(make_place<PostgresPlace>));
INSTANTIATE_TEST_SUITE_P(Postgres, ExpiryContract, testing::Values(make_place<PostgresPlace>));
INSTANTIATE_TEST_SUITE_P(PostgresUnlocked, StoreContract, testing::Values(make_place<UnlockedPostgresPlace>));
INSTANTIATE_TEST_SUITE_P(PostgresUnlocked, AccountContract, testing::Values(make_place<UnlockedPostgresPlace>));
INSTANTIATE_TEST_SUITE_P(PostgresUnlocked, ExpiryContract, testing::Values(make_place<UnlockedPostgresPlace>));
INSTANTIATE_TEST_SUITE_P(PostgresDistributed, StoreContract, testing::Values(make_place<DistributedPostgresPlace>));
INSTANTIATE_TEST_SUITE_P(PostgresDistributed, ReaderContract, testing::Values(make_place<DistributedPostgresPlace>));
INSTANTIATE_TEST_SUITE_P(PostgresDistributed, AccountContract, testing::Values(make_place<DistributedPostgresPlace>));
INSTANTIATE_TEST_SUITE_P(PostgresDistributed, ExpiryContract, testing::Values(make_place<DistributedPostgresPlace>));

}  // namespace
}  // namespace finality::store_contract
