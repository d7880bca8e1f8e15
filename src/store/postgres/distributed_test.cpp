// Tests of the distribution of tables over shards. They use a stand-in for the Citus extension that has one machine and
// rejects the statements that Citus rejects.
#include <fmt/ranges.h>

#include <set>

#include "model/row_types.h"
#include "store/postgres/store.h"
#include "store/postgres/testing/test_server.h"

namespace finality::postgres {
namespace {

using store_contract::expect_same;
using store_contract::make_sample_rows;
using store_contract::RowFiller;
using store_contract::SampleRows;

class PostgresDistributedTest : public testing::Test {
 protected:
  std::string refusal(bool migrate) const {
    const auto store = open_store({.url = database_.url(), .migrate = migrate});
    return store ? "" : store.error().message;
  }
  std::string distribute() const {
    const auto done = finality::distribute_tables(database_.url());
    return done ? "" : done.error().message;
  }
  void stand_in() const { TestServer::instance().stand_in_for_citus(database_.name()); }
  /// Returns the names of the tables that are distributed by `column`, separated by spaces. For an empty `column`,
  /// returns the reference tables.
  std::string tables_by(const std::string& column) const {
    return database_.run("SELECT string_agg(logicalrelid::text, ' ' ORDER BY logicalrelid::text) " +
                         fmt::format("FROM pg_dist_partition WHERE coalesce(partkey, '') = '{}'", column));
  }
  std::string key_of(const std::string& table) const {
    return database_.run("SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'p' AND conrelid = '" +
                         table + "'::regclass");
  }
  /// Whether sessions leave loaded orders unlocked: another transaction can lock an order that a session has loaded.
  bool roots_stay_free() {
    const auto store = must(open_store({.url = database_.url()}));
    const SampleRows all = make_sample_rows(filler_);
    const auto first = must(store->open_session());
    WorkingSet made;
    all.insert_into(made);
    FINALITY_CHECK(
        first->commit(made, IdGenerator(first->node(), first->ids_not_before())).outcome == CommitOutcome::ok,
        "the commit failed");
    const auto second = must(store->open_session());  // its cache is empty, so that it must load
    WorkingSet mine;
    must(second->load({.orders = {all.order.order.id}}, mine));
    const auto waiting =
        "SELECT 1 FROM orders WHERE id = " + std::to_string(all.order.order.id.value) + " FOR UPDATE SKIP LOCKED";
    return database_.run(waiting) == "1";
  }

  TestDatabase database_;
  RowFiller filler_{true};
};

TEST_F(PostgresDistributedTest, TheRowsOfEachMerchantAreColocated) {
  stand_in();
  ASSERT_EQ(distribute(), "");
  EXPECT_EQ(tables_by("id"), "merchants");
  EXPECT_EQ(tables_by("number"), "nodes");
  EXPECT_EQ(tables_by(""), "api_keys channel_accounts channel_rates expired");
  std::set<std::string_view> of_merchants;
  for_each_row_type<RowTypes>([&]<class Row>(std::type_identity<Row>) {
    if (RowTraits<Row>::options.owner == Owner::merchant) of_merchants.insert(RowTraits<Row>::table);
  });
  EXPECT_EQ(tables_by("merchant_id"), fmt::format("{}", fmt::join(of_merchants, " ")));
  EXPECT_EQ(database_.run("SELECT count(DISTINCT colocationid) FROM pg_dist_partition WHERE partmethod = 'h'"), "2");
  EXPECT_EQ(key_of("orders"), "PRIMARY KEY (id, merchant_id)");
  EXPECT_EQ(key_of("changes"), "PRIMARY KEY (root_id, id, merchant_id)");
  EXPECT_EQ(key_of("keys"), "PRIMARY KEY (hash, merchant_id)");
  EXPECT_EQ(key_of("merchants"), "PRIMARY KEY (id)");
}

TEST_F(PostgresDistributedTest, EveryTableOfTheStoreIsDistributed) {
  stand_in();
  ASSERT_EQ(distribute(), "");
  EXPECT_EQ(database_.run("SELECT string_agg(relname::text, ' ') FROM pg_class c WHERE relkind = 'r' "
                          "AND relnamespace = 'public'::regnamespace "
                          "AND NOT EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = c.oid)"),
            "finality_schema");
}

TEST_F(PostgresDistributedTest, AnOpenedDistributedStoreLocksNoRoots) {
  EXPECT_FALSE(roots_stay_free());
  stand_in();
  ASSERT_EQ(distribute(), "");
  EXPECT_TRUE(roots_stay_free());
}

TEST_F(PostgresDistributedTest, ExistingRowsAreKept) {
  const SampleRows all = make_sample_rows(filler_);
  {
    const auto store = must(open_store({.url = database_.url()}));
    const auto session = must(store->open_session());
    WorkingSet made;
    all.insert_into(made);
    ASSERT_EQ(session->commit(made, IdGenerator(session->node(), session->ids_not_before())).outcome,
              CommitOutcome::ok);
  }
  stand_in();
  ASSERT_EQ(distribute(), "");
  const auto store = must(open_store({.url = database_.url()}));
  WorkingSet rows;
  must(must(store->open_session())->load(all.reads(), rows));
  expect_same(rows.orders.find(all.order.order.id), all.order);
  expect_same(rows.idempotency_records.find(all.answer.key_hash), all.answer);
}

TEST_F(PostgresDistributedTest, DistributingAgainHasNoEffect) {
  stand_in();
  ASSERT_EQ(distribute(), "");
  EXPECT_EQ(distribute(), "");
  EXPECT_EQ(refusal(true), "");
  EXPECT_EQ(refusal(false), "");
}

TEST_F(PostgresDistributedTest, WithoutCitusItFailsWithAdviceAndChangesNothing) {
  const std::string message = distribute();
  EXPECT_TRUE(message.ends_with(" does not have the citus extension. Run there: CREATE EXTENSION citus")) << message;
  EXPECT_EQ(refusal(false), "");
  EXPECT_EQ(key_of("orders"), "PRIMARY KEY (id)");
}

TEST_F(PostgresDistributedTest, AFailedDistributionChangesNothing) {
  stand_in();
  database_.run("CREATE UNIQUE INDEX one_number ON orders (merchant_order_no)");
  const std::string message = distribute();
  EXPECT_NE(message.find("cannot create constraint on \"orders\""), std::string::npos) << message;
  EXPECT_EQ(tables_by("merchant_id"), "");
  EXPECT_EQ(key_of("merchants") + key_of("keys"), "PRIMARY KEY (id)PRIMARY KEY (hash)");
  EXPECT_EQ(refusal(false), "");
}

TEST_F(PostgresDistributedTest, MigrateDistributesATableOfALaterMigration) {
  stand_in();
  ASSERT_EQ(distribute(), "");
  database_.run(
      "DELETE FROM pg_dist_partition WHERE logicalrelid = 'fees'::regclass; "
      "ALTER TABLE fees DROP CONSTRAINT fees_pkey, ADD PRIMARY KEY (id)");
  const std::string message = refusal(false);
  EXPECT_TRUE(message.starts_with("The table fees in ")) << message;
  EXPECT_TRUE(message.ends_with(" is not distributed. Run: finality migrate --store URL")) << message;
  EXPECT_EQ(refusal(true), "");
  EXPECT_EQ(key_of("fees"), "PRIMARY KEY (id, merchant_id)");
  EXPECT_EQ(refusal(false), "");
}

TEST_F(PostgresDistributedTest, AnUnknownEngineIsRejected) {
  database_.run("ALTER TABLE finality_schema ADD distributed text; UPDATE finality_schema SET distributed = 'other'");
  const std::string message = refusal(false);
  EXPECT_TRUE(message.ends_with(" is distributed by other, which this program does not support. Use a newer program."))
      << message;
}

TEST_F(PostgresDistributedTest, OnlyPostgresCanBeDistributed) {
  const auto done = finality::distribute_tables("sqlite:/tmp/none.db");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "only a PostgreSQL store can be distributed. Use a postgres:// URL.");
}

}  // namespace
}  // namespace finality::postgres
