// Tests of batches on a distributed PostgreSQL store whose shards fail. A proxy fails the statements of one merchant,
// as a Citus coordinator does when it cannot reach the worker of the merchant.
#include <future>

#include "engine/test_batches.h"
#include "store/postgres/deadline.h"
#include "store/postgres/store.h"
#include "store/postgres/testing/test_proxy.h"
#include "store/postgres/testing/test_server.h"

namespace finality {
namespace {

using namespace test;
using postgres::ShardFate;
using postgres::TestDatabase;
using postgres::TestProxy;
using postgres::TestServer;
using store_contract::must;
using Statuses = std::vector<int>;

class ShardsTest : public testing::Test {
 protected:
  ShardsTest() {
    postgres::Timing timing;
    timing.silence = 2s;
    timing.part_probe = 1s;
    timing.part_refused_for = 2s;  // of readers; lanes use the clock of the test
    store_ =
        must(postgres::open({.conninfo = proxy_.url(database_.name()), .lanes = 1, .timing = timing}, false, false));
    batches_ = std::make_unique<Batches>(must(store_->open_session()));
    make_merchants();
  }
  std::string worker_of(MerchantId merchant) const {
    return database_.run(
        fmt::format("SELECT groupid FROM pg_dist_placement WHERE shardid = "
                    "get_shard_id_for_distribution_column('merchants', {}::bigint)",
                    merchant.value));
  }
  /// Creates three merchants: `one` and `beside` on one worker, `other` on another.
  void make_merchants() {
    while (one_.value == 0 || beside_.value == 0 || other_.value == 0) {
      const std::vector<Reply> replies =
          batches_->run({{.command = CreateMerchant{"Tea", Secret("whsec_dGVh"), Secret("link")}}});
      const MerchantId made{replies[0].object->value};
      if (one_.value == 0)
        one_ = made;
      else
        (worker_of(made) == worker_of(one_) ? beside_ : other_) = made;
    }
  }
  std::string orders_of(MerchantId merchant) const {
    return database_.run(fmt::format("SELECT count(*) FROM orders WHERE merchant_id = {}", merchant.value));
  }
  /// Creates an order of the merchant.
  OrderId make_order(MerchantId merchant) {
    const std::vector<Reply> replies = batches_->run({batches_->order_of(merchant)});
    return OrderId{replies[0].object->value};
  }
  /// The merchants of the due rows, sorted, one per row. Reads rows that are due in a year.
  static std::vector<MerchantId> due_merchants(Reader& reader) {
    std::vector<MerchantId> merchants;
    for (const DueRow& row : must(reader.due(kNow + std::chrono::hours(9000), 100, {})))
      merchants.push_back(row.merchant_id);
    std::ranges::sort(merchants);
    return merchants;
  }
  void end_pause() { batches_->clock.advance(limits::kStorePartRefusedFor); }

  TestDatabase database_ = TestDatabase::distributed();
  TestProxy proxy_{TestServer::instance().socket_path()};
  std::unique_ptr<Store> store_;
  std::unique_ptr<Batches> batches_;
  MerchantId one_;
  MerchantId beside_;
  MerchantId other_;
};

TEST_F(ShardsTest, OtherMerchantsAreCommittedAndTheFailedOnesAreAcceptedAgain) {
  for (const ShardFate fate : {ShardFate::error, ShardFate::silence}) {
    proxy_.fail_merchant(one_, fate);
    EXPECT_EQ(batches_->create_orders({one_, other_, one_, other_}), (Statuses{503, 201, 503, 201}));
    EXPECT_EQ(orders_of(one_), "0");
    proxy_.restore_shards();
    EXPECT_EQ(batches_->create_orders({one_, other_}), (Statuses{503, 201})) << "before the pause ends";
    end_pause();
  }
  EXPECT_EQ(batches_->create_orders({one_, other_}), (Statuses{201, 201}));
  EXPECT_EQ(orders_of(one_), "1");
  EXPECT_EQ(orders_of(other_), "7");
  EXPECT_TRUE(must(store_->audit()).violations.empty());
}

TEST_F(ShardsTest, AWorkerThatIsDownIsTriedOncePerPauseForAllItsMerchants) {
  proxy_.fail_merchant(one_);
  proxy_.fail_merchant(beside_);
  const std::vector<MerchantId> all = {one_, beside_, other_, one_, beside_};
  const Statuses expected = {503, 503, 201, 503, 503};
  EXPECT_EQ(batches_->create_orders(all), expected);
  EXPECT_EQ(proxy_.failed_statements(), 2) << "in the batch, and for the worker alone";
  for (int window = 1; window <= 3; ++window) {
    for (int i = 0; i < 5; ++i) EXPECT_EQ(batches_->create_orders(all), expected);
    EXPECT_EQ(proxy_.failed_statements(), 1 + window);
    end_pause();
  }
}

TEST_F(ShardsTest, ACommandThatFailsInTheCommitIsNotBookedTwice) {
  const Request request = batches_->order_of(one_);
  proxy_.fail_text("INSERT INTO orders ");
  EXPECT_EQ(batches_->run({request})[0].status, 503);
  EXPECT_EQ(orders_of(one_), "0");
  proxy_.restore_shards();
  end_pause();
  EXPECT_EQ(batches_->run({request})[0].status, 201);
  const Reply again = batches_->run({request})[0];
  EXPECT_TRUE(again.replayed);
  EXPECT_EQ(orders_of(one_), "1");
}

TEST_F(ShardsTest, ALaneWhoseNodeNumberIsOnAFailedShardLeasesAnother) {
  proxy_.fail_node(0);
  EXPECT_EQ(batches_->create_orders({one_, other_}), (Statuses{201, 201}));
  EXPECT_EQ(database_.run("SELECT string_agg(number::text, ' ' ORDER BY number) FROM nodes"), "0 1");
  EXPECT_EQ(batches_->counts.part_failures, 0u);
}

TEST_F(ShardsTest, TheBriefReplyTimeoutEndsWithTheStatementsItIsFor) {
  postgres::Timing timing;
  timing.part_probe = 100ms;
  timing.part_refused_for = 50ms;
  const auto store =
      must(postgres::open({.conninfo = proxy_.url(database_.name()), .lanes = 1, .timing = timing}, false, false));
  const auto session = must(store->open_session());
  proxy_.fail_merchant(one_);
  WorkingSet rows;
  EXPECT_FALSE(session->load({.owners = {one_}, .merchants = {one_}}, rows));
  EXPECT_TRUE(session->load({.owners = {other_}, .merchants = {other_}}, rows)) << "with the brief timeout";
  session->discard();
  postgres::pause_for(2 * timing.part_refused_for);
  // The reply to the renewal takes longer than the brief timeout.
  const auto held = std::async(std::launch::async, [&] {
    database_.run(fmt::format("BEGIN; SELECT 1 FROM nodes WHERE number = {} FOR UPDATE; SELECT pg_sleep(0.8); COMMIT",
                              session->node()));
  });
  while (database_.run("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'") == "0")
    postgres::pause_for(10ms);
  EXPECT_EQ(session->renew().outcome, CommitOutcome::ok);
}

TEST_F(ShardsTest, AReaderRefusesTheMerchantsOfAFailedShardAtOnce) {
  const auto reader = must(store_->open_reader());
  proxy_.fail_merchant(one_);
  EXPECT_FALSE(reader->orders(one_, {}, {}));
  EXPECT_FALSE(reader->orders(one_, {}, {}));
  EXPECT_FALSE(reader->accounts(one_, {})) << "another read of the shard";
  EXPECT_EQ(proxy_.failed_statements(), 1);
  EXPECT_TRUE(reader->orders(other_, {}, {}));
  EXPECT_TRUE(reader->ping());
  proxy_.restore_shards();
  const postgres::Deadline deadline(kPatience);
  while (!reader->orders(one_, {}, {}) && !deadline.over()) postgres::pause_for(10ms);
  EXPECT_TRUE(reader->orders(one_, {}, {}));
  EXPECT_EQ(proxy_.failed_statements(), 1);
}

TEST_F(ShardsTest, DueRowsOfTheOtherWorkersAreFoundWhileAWorkerIsDown) {
  make_order(one_);
  make_order(other_);
  const auto reader = must(store_->open_reader());
  std::vector<MerchantId> all = {one_, other_};
  std::ranges::sort(all);
  ASSERT_EQ(due_merchants(*reader), all);
  for (const ShardFate fate : {ShardFate::error, ShardFate::silence}) {
    const int failed_before = proxy_.failed_statements();
    proxy_.fail_worker_of(one_, fate);
    EXPECT_EQ(due_merchants(*reader), std::vector{other_});
    EXPECT_EQ(proxy_.failed_statements(), failed_before + 2) << "the scan of all shards, and that of the worker";
    EXPECT_EQ(due_merchants(*reader), std::vector{other_});
    // Without a reply, the first scan takes as long as the pause.
    if (fate == ShardFate::error) EXPECT_EQ(proxy_.failed_statements(), failed_before + 2) << "within the pause";
    proxy_.restore_shards();
    const postgres::Deadline deadline(kPatience);
    while (due_merchants(*reader) != all && !deadline.over()) postgres::pause_for(10ms);
    EXPECT_EQ(due_merchants(*reader), all);
  }
}

TEST_F(ShardsTest, AServerThatStartsWhileAWorkerIsDownFindsDueRowsOfMerchantsWithKeys) {
  make_order(one_);
  make_order(other_);
  batches_->run({{.command = CreateApiKey{other_, Role::merchant, "key", sha256_16("other")}}});
  const auto reader = must(store_->open_reader());
  proxy_.fail_worker_of(one_);
  EXPECT_EQ(due_merchants(*reader), std::vector{other_});
}

TEST_F(ShardsTest, ReadsOfAKnownMerchantUseItsShardAlone) {
  const OrderId order = make_order(other_);
  const OrderId failed = make_order(one_);
  const auto reader = must(store_->open_reader());
  proxy_.fail_worker_of(one_);
  const ReadScope own_rows(*reader, other_);
  EXPECT_TRUE(must(reader->order(order)));
  EXPECT_FALSE(must(reader->order(failed))) << "of another merchant";
  EXPECT_EQ(must(reader->order_of(order)), order);
  EXPECT_EQ(must(reader->merchant_of(order)), other_);
  EXPECT_EQ(must(reader->named(key_of_order_no(other_, must(reader->order(order))->order.merchant_order_no))),
            order.value);
  EXPECT_FALSE(must(reader->events(order.value, {}, {}, true)).rows.empty());
  EXPECT_TRUE(reader->archived_order(order));
  for (const ObjectType type : {ObjectType::payment, ObjectType::refund, ObjectType::exception_case})
    EXPECT_TRUE(reader->order_of(ObjectRef(type, 1)));
  EXPECT_TRUE(reader->delivery({}));
  EXPECT_TRUE(reader->unknown_receipt({}));
  EXPECT_TRUE(reader->difference({}));
  EXPECT_TRUE(reader->journal(EntryId{1}));
  EXPECT_TRUE(reader->account({}));
  EXPECT_TRUE(reader->transfer({}));
  EXPECT_TRUE(reader->hold({}));
  EXPECT_TRUE(reader->holds({}, {}, {}));
  EXPECT_TRUE(reader->price({}));
  EXPECT_TRUE(reader->adjustment({}));
  EXPECT_TRUE(reader->find_case({}));
  WorkingSet rows;
  EXPECT_TRUE(reader->load({.owners = {other_}, .orders = {order}}, rows));
  EXPECT_NE(rows.orders.find(order), nullptr);
  EXPECT_EQ(proxy_.failed_statements(), 0);
}

TEST_F(ShardsTest, ALookUpWithoutAMerchantAsksTheOtherWorkers) {
  const OrderId order = make_order(other_);
  const OrderId failed = make_order(one_);
  const auto reader = must(store_->open_reader());
  due_merchants(*reader);  // remembers the merchants
  proxy_.fail_worker_of(one_);
  EXPECT_EQ(must(reader->merchant_of(order)), other_);
  EXPECT_FALSE(reader->merchant_of(failed)) << "must not be reported as absent";
  EXPECT_EQ(must(reader->merchant_of(order)), other_);
}

}  // namespace
}  // namespace finality
