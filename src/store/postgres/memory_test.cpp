// Tests of a session's row cache on a database with several writers: a commit that used an outdated row conflicts.
#include <future>

#include "store/postgres/deadline.h"
#include "store/postgres/store.h"
#include "store/postgres/testing/test_server.h"

namespace finality::postgres {
namespace {

using store_contract::make_sample_rows;
using store_contract::RowFiller;
using store_contract::SampleRows;

constexpr Duration kLongEnough = std::chrono::seconds(30);

/// A session with its row cache and an id generator.
struct Lane {
  std::unique_ptr<Session> session;
  IdGenerator ids{session->node(), session->ids_not_before()};

  explicit Lane(Store& store) : session(must(store.open_session())) {}
  WorkingSet load(const ReadSet& reads) {
    WorkingSet rows;
    must(session->load(reads, rows));
    return rows;
  }
  CommitOutcome commit(const WorkingSet& rows) { return session->commit(rows, ids).outcome; }
};

class PostgresMemoryTest : public testing::Test {
 protected:
  PostgresMemoryTest() {
    WorkingSet rows;
    all_.insert_into(rows);
    FINALITY_CHECK(first_.commit(rows) == CommitOutcome::ok, "the commit failed");
  }
  static void raise(WorkingSet& rows, AccountId id) {
    Account& account = rows.accounts.change(id);
    account.balance += 1;
    account.version += 1;
  }
  /// Changes the account through `lane`. The cache of `lane` then contains the account.
  void change_by(Lane& lane) {
    WorkingSet rows = lane.load(needs_);
    raise(rows, all_.account.id);
    ASSERT_EQ(lane.commit(rows), CommitOutcome::ok);
  }
  std::int64_t stored_version() { return must(must(store_->open_reader())->account(all_.account.id))->version; }

  TestDatabase database_;
  std::unique_ptr<Store> store_ = must(open_store({.url = database_.url()}));
  RowFiller filler_{true};
  const SampleRows all_ = make_sample_rows(filler_);
  const ReadSet needs_{.accounts = {all_.account.id}};
  Lane first_{*store_};
  Lane second_{*store_};
};

TEST_F(PostgresMemoryTest, AWrittenRowIsLoadedFromTheCache) {
  change_by(first_);
  const WorkingSet rows = first_.load(needs_);
  EXPECT_TRUE(rows.any_recalled());
  EXPECT_EQ(rows.accounts.find(all_.account.id)->version, stored_version());
}

TEST_F(PostgresMemoryTest, AChangeOfAnOutdatedRowConflictsAndWritesNothing) {
  change_by(first_);
  change_by(second_);
  WorkingSet old = first_.load(needs_);
  raise(old, all_.account.id);
  EXPECT_EQ(first_.commit(old), CommitOutcome::conflict);
  const std::int64_t version = stored_version();
  const WorkingSet fresh = first_.load(needs_);
  EXPECT_FALSE(fresh.any_recalled());
  EXPECT_EQ(fresh.accounts.find(all_.account.id)->version, version);
}

TEST_F(PostgresMemoryTest, ADecisionThatOnlyReadAnOutdatedRowConflictsToo) {
  change_by(first_);
  change_by(second_);
  const WorkingSet refused = first_.load(needs_);
  EXPECT_FALSE(refused.changed());
  EXPECT_EQ(first_.commit(refused), CommitOutcome::conflict);
}

TEST_F(PostgresMemoryTest, ADecisionThatOnlyReadACurrentRowCommits) {
  change_by(first_);
  EXPECT_EQ(first_.commit(first_.load(needs_)), CommitOutcome::ok);
  EXPECT_EQ(first_.commit(first_.load(needs_)), CommitOutcome::ok);
}

TEST_F(PostgresMemoryTest, OrdersAndDeliveriesThatWereOnlyReadAreComparedToo) {
  const OrderId order = all_.order.order.id;
  const DeliveryId delivery = all_.delivery.delivery.id;
  for (const ReadSet& reads : {ReadSet{.orders = {order}}, ReadSet{.deliveries = {delivery}}}) {
    const auto change = [&](Lane& lane) {
      WorkingSet rows = lane.load(reads);
      if (!reads.orders.empty()) {
        Order& row = rows.orders.change(order).order;
        row.due_at = Time{1};  // a final order is cached only while it is due
        row.version += 1;
      } else {
        Delivery& row = rows.deliveries.change(delivery).delivery;
        row.due_at = Time{1};
        row.version += 1;
      }
      ASSERT_EQ(lane.commit(rows), CommitOutcome::ok);
    };
    Lane lane(*store_);
    change(lane);
    change(second_);
    const WorkingSet old = lane.load(reads);
    ASSERT_TRUE(old.any_recalled());
    EXPECT_EQ(lane.commit(old), CommitOutcome::conflict);
  }
}

TEST_F(PostgresMemoryTest, AfterAConflictALoadTakesTheLockInsteadOfUsingTheCache) {
  change_by(first_);
  change_by(second_);
  WorkingSet old = first_.load(needs_);
  raise(old, all_.account.id);
  ASSERT_EQ(first_.commit(old), CommitOutcome::conflict);

  WorkingSet rows_of_first = first_.load(needs_);  // locks the account
  raise(rows_of_first, all_.account.id);
  Lane third(*store_);
  auto loaded = std::async(std::launch::async, [&] { return third.load(needs_); });
  const Deadline deadline(kLongEnough);
  while (database_.run("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                       "AND wait_event_type = 'Lock'") == "0") {
    ASSERT_FALSE(deadline.over());
    pause_for(Duration(10));
  }
  EXPECT_EQ(first_.commit(rows_of_first), CommitOutcome::ok);
  EXPECT_EQ(loaded.get().accounts.find(all_.account.id)->version, stored_version());
  EXPECT_FALSE(first_.load(needs_).any_recalled());
}

TEST_F(PostgresMemoryTest, AConflictOnAnAccountKeepsOrdersInTheCache) {
  const OrderId id = all_.order.order.id;
  const ReadSet both{.orders = {id}, .accounts = needs_.accounts};
  const auto change_both = [&] {
    WorkingSet rows = first_.load(both);
    Order& order = rows.orders.change(id).order;
    order.due_at = Time{1};  // a final order is cached only while it is due
    order.version += 1;
    raise(rows, all_.account.id);
    return first_.commit(rows);
  };
  ASSERT_EQ(change_both(), CommitOutcome::ok);
  change_by(second_);
  ASSERT_EQ(change_both(), CommitOutcome::conflict);
  ASSERT_EQ(change_both(), CommitOutcome::ok);
  const WorkingSet rows = first_.load(both);
  EXPECT_TRUE(rows.orders.any_recalled());
  EXPECT_FALSE(rows.accounts.any_recalled());
}

TEST_F(PostgresMemoryTest, TheCacheIsUsedAgainAfterSomeBatches) {
  change_by(first_);
  change_by(second_);
  WorkingSet old = first_.load(needs_);
  raise(old, all_.account.id);
  ASSERT_EQ(first_.commit(old), CommitOutcome::conflict);
  int batches = 0;
  for (bool recalled = false; !recalled; ++batches) {
    ASSERT_LT(batches, 1000);
    WorkingSet rows = first_.load(needs_);
    recalled = rows.any_recalled();
    raise(rows, all_.account.id);
    ASSERT_EQ(first_.commit(rows), CommitOutcome::ok);
  }
  EXPECT_GT(batches, 10);
}

TEST_F(PostgresMemoryTest, RowsThatNoVersionGuardsAreAlwaysReadAgain) {
  const ReadSet reads{.merchants = {all_.merchant.id}};
  static_cast<void>(first_.load(reads));
  first_.session->discard();
  database_.run("UPDATE fees SET basis_points = 77");
  const WorkingSet rows = first_.load(reads);
  for (const Fee& fee : *rows.fees.find(all_.merchant.id)) EXPECT_EQ(fee.basis_points, 77);
}

}  // namespace
}  // namespace finality::postgres
