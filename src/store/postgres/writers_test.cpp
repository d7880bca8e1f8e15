// Tests of several writers on one database. Writers of the same rows wait for each other or conflict, and no update is
// lost. Each node number has one holder at a time.
#include <future>

#include "store/postgres/deadline.h"
#include "store/postgres/session.h"
#include "store/postgres/store.h"
#include "store/postgres/testing/test_server.h"

namespace finality::postgres {
namespace {

using store_contract::expect_same;
using store_contract::make_sample_rows;
using store_contract::RowFiller;
using store_contract::SampleRows;

constexpr Duration kLongEnough = std::chrono::seconds(30);

struct Writer {
  std::unique_ptr<Session> session;
  IdGenerator ids{session->node(), session->ids_not_before()};

  explicit Writer(const ConnectionOptions& options) : session(must(make_session(options))) {}
  WorkingSet load(const ReadSet& reads) {
    WorkingSet rows;
    must(session->load(reads, rows));
    return rows;
  }
  CommitOutcome commit(const WorkingSet& rows) { return session->commit(rows, ids).outcome; }
};

class PostgresWritersTest : public testing::Test {
 protected:
  std::unique_ptr<Store> open(const std::string& parameters = "") {
    return must(open_store({.url = database_.url() + parameters}));
  }
  /// Connection options for a session without a row cache. `parameters` are appended to the URL.
  ConnectionOptions options(const std::string& parameters = "") {
    return must(parse_target(database_.url() + parameters));
  }
  SampleRows write_sample_rows(Writer& writer) {
    const SampleRows all = make_sample_rows(filler_);
    WorkingSet rows;
    all.insert_into(rows);
    FINALITY_CHECK(writer.commit(rows) == CommitOutcome::ok, "the commit failed");
    return all;
  }
  void wait_for_lock_waiter() {
    const Deadline deadline(kLongEnough);
    while (database_.run("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                         "AND wait_event_type = 'Lock'") == "0") {
      ASSERT_FALSE(deadline.over());
      pause_for(Duration(10));
    }
  }
  /// Lets `second` load rows that `first` has locked, then commits `change` by `first`. Returns the rows that `second`
  /// loads after the wait.
  WorkingSet load_behind(Writer& first, Writer& second, const ReadSet& reads,
                         const std::function<void(WorkingSet&)>& change) {
    WorkingSet first_rows = first.load(reads);
    auto loaded = std::async(std::launch::async, [&] { return second.load(reads); });
    wait_for_lock_waiter();
    change(first_rows);
    EXPECT_EQ(first.commit(first_rows), CommitOutcome::ok);
    return loaded.get();
  }
  std::string node(const std::string& column, std::int64_t number) {
    return database_.run(fmt::format("SELECT {} FROM nodes WHERE number = {}", column, number));
  }

  TestDatabase database_;
  RowFiller filler_{true};
};

/// A read set that loads a root, and a change of the root.
struct Root {
  const char* name;
  ReadSet reads;
  std::function<void(WorkingSet&)> change;
  std::function<std::int64_t(const WorkingSet&)> version;
};

std::vector<Root> locked_roots(const SampleRows& all) {
  const OrderId order = all.order.order.id;
  const DeliveryId delivery = all.delivery.delivery.id;
  const AccountId account = all.account.id;
  const TransferId transfer = all.transfer.id;
  const auto change_order = [=](WorkingSet& rows) { rows.orders.change(order).order.version += 1; };
  const auto order_version = [=](const WorkingSet& rows) { return rows.orders.find(order)->order.version; };
  const auto change_account = [=](WorkingSet& rows) { rows.accounts.change(account).version += 1; };
  const auto account_version = [=](const WorkingSet& rows) { return rows.accounts.find(account)->version; };
  return {{"an order by its id", {.orders = {order}}, change_order, order_version},
          {"an order by its number", {.keys = {{all.order_key.hash, ObjectType::order}}}, change_order, order_version},
          {"an order by a payment", {.payments = {all.order.payments.front().id}}, change_order, order_version},
          {"an account by its id", {.accounts = {account}}, change_account, account_version},
          {"an account by its key",
           {.keys = {{all.account_key.hash, ObjectType::account}}},
           change_account,
           account_version},
          {"an account by a hold", {.holds = {all.hold.id}}, change_account, account_version},
          {"an account by a hold's key",
           {.keys = {{all.hold_key.hash, ObjectType::hold}}},
           change_account,
           account_version},
          {"a delivery",
           {.deliveries = {delivery}},
           [=](WorkingSet& rows) { rows.deliveries.change(delivery).delivery.version += 1; },
           [=](const WorkingSet& rows) { return rows.deliveries.find(delivery)->delivery.version; }},
          {"a transfer",
           {.keys = {{all.transfer_key.hash, ObjectType::transfer}}},
           [=](WorkingSet& rows) { rows.transfers.change(transfer).version += 1; },
           [=](const WorkingSet& rows) { return rows.transfers.find(transfer)->version; }}};
}

TEST_F(PostgresWritersTest, AnOrderThatIsArchivedDuringTheLoadOfItsPaymentIsAbsent) {
  const auto store = open();
  Writer writer(options());
  const SampleRows all = write_sample_rows(writer);
  const std::unique_ptr<PGconn, decltype(&PQfinish)> archiver(PQconnectdb(database_.url().c_str()), PQfinish);
  PQclear(PQexec(archiver.get(), fmt::format("BEGIN; DELETE FROM payments WHERE order_id = {0}; "
                                             "DELETE FROM orders WHERE id = {0}",
                                             all.order.order.id.value)
                                     .c_str()));
  const PaymentId payment = all.order.payments.front().id;
  auto loaded = std::async(std::launch::async, [&] { return writer.load({.payments = {payment}}); });
  wait_for_lock_waiter();
  PQclear(PQexec(archiver.get(), "COMMIT"));
  const WorkingSet rows = loaded.get();
  ASSERT_NE(rows.order_of_payment.find(payment), nullptr) << "the order's id was read before";
  EXPECT_EQ(rows.orders.find(all.order.order.id), nullptr);
}

TEST_F(PostgresWritersTest, ALoadThatWaitedForAnAccountSeesItsNewHold) {
  const auto store = open();
  Writer first(options());
  Writer second(options());
  const SampleRows all = write_sample_rows(first);
  Hold hold = all.hold;
  hold.id = filler_.row<Hold>().id;
  Key key = filler_.row<Key>();
  key.id = hold.id.value;
  const ReadSet reads{.keys = {{key.hash, ObjectType::hold}}, .accounts = {hold.account_id, hold.credit_account_id}};
  const WorkingSet second_rows = load_behind(first, second, reads, [&](WorkingSet& first_rows) {
    first_rows.holds.insert(hold.id, hold);
    first_rows.keys.insert(key.hash, key);
    first_rows.accounts.change(hold.account_id).version += 1;
  });
  ASSERT_NE(second_rows.keys.find(key.hash), nullptr);
  EXPECT_NE(second_rows.holds.find(hold.id), nullptr);
}

TEST_F(PostgresWritersTest, ALoadThatWaitedForAnAccountSeesItsNewTransfer) {
  const auto store = open();
  Writer first(options());
  Writer second(options());
  const SampleRows all = write_sample_rows(first);
  Transfer transfer = all.transfer;
  transfer.id = filler_.row<Transfer>().id;
  Key key = filler_.row<Key>();
  key.id = transfer.id.value;
  const ReadSet reads{.keys = {{key.hash, ObjectType::transfer}}, .accounts = {all.account.id, all.credited.id}};
  const ReadSet only_the_number{.keys = {{key.hash, ObjectType::transfer}}};
  const WorkingSet second_rows = load_behind(first, second, reads, [&](WorkingSet& first_rows) {
    first_rows.transfers.insert(transfer.id, transfer);
    first_rows.keys.insert(key.hash, key);
    first_rows.accounts.change(all.account.id).version += 1;
  });
  ASSERT_NE(second_rows.keys.find(key.hash), nullptr);
  EXPECT_NE(second_rows.transfers.find(transfer.id), nullptr);
  second.session->discard();
  EXPECT_NE(second.load(only_the_number).accounts.find(all.credited.id), nullptr)
      << "a transfer is loaded with its accounts";
}

// The load must read transfers after accounts. A lock on the table `holds` delays its statement for accounts until
// `first` has committed a change of a transfer and its account.
TEST_F(PostgresWritersTest, WithoutLocksATransferIsNoOlderThanItsAccounts) {
  const auto store = open("&finality_lock_roots=off");
  Writer first(options("&finality_lock_roots=off"));
  Writer second(options("&finality_lock_roots=off"));
  const SampleRows all = write_sample_rows(first);
  const auto locker = must(Connection::open({.conninfo = database_.url()}, Use::write));
  const ReadSet reads{.keys = {{all.transfer_key.hash, ObjectType::transfer}}};
  WorkingSet first_rows = first.load(reads);
  first.session->discard();  // ends its transaction, which would block the lock on `holds`
  ASSERT_TRUE(locker->execute("BEGIN"));
  ASSERT_TRUE(locker->execute("LOCK TABLE holds IN ACCESS EXCLUSIVE MODE"));
  auto loaded = std::async(std::launch::async, [&] { return second.load(reads); });
  wait_for_lock_waiter();
  first_rows.transfers.change(all.transfer.id).version += 1;
  first_rows.accounts.change(all.account.id).version += 1;
  EXPECT_EQ(first.commit(first_rows), CommitOutcome::ok);
  ASSERT_TRUE(locker->execute("COMMIT"));
  const WorkingSet second_rows = loaded.get();
  EXPECT_EQ(second_rows.accounts.find(all.account.id)->version, all.account.version + 1);
  EXPECT_EQ(second_rows.transfers.find(all.transfer.id)->version, all.transfer.version + 1);
}

TEST_F(PostgresWritersTest, TheSecondWriterWaitsForTheFirstAndThenSeesItsCommit) {
  const auto store = open();
  Writer first(options());
  Writer second(options());
  const SampleRows all = write_sample_rows(first);
  for (const Root& root : locked_roots(all)) {
    SCOPED_TRACE(root.name);
    WorkingSet first_rows = first.load(root.reads);
    auto loaded = std::async(std::launch::async, [&] { return second.load(root.reads); });
    wait_for_lock_waiter();
    root.change(first_rows);
    ASSERT_EQ(first.commit(first_rows), CommitOutcome::ok);
    WorkingSet second_rows = loaded.get();
    EXPECT_EQ(root.version(second_rows), root.version(first_rows));
    root.change(second_rows);
    EXPECT_EQ(second.commit(second_rows), CommitOutcome::ok);
  }
}

TEST_F(PostgresWritersTest, TheSecondWriterSeesWhatTheFirstAddedToAnOrder) {
  const auto store = open();
  Writer first(options());
  Writer second(options());
  SampleRows all = write_sample_rows(first);
  const ReadSet reads{.orders = {all.order.order.id}};
  WorkingSet first_rows = first.load(reads);
  auto loaded = std::async(std::launch::async, [&] { return second.load(reads); });
  wait_for_lock_waiter();
  OrderAggregate& order = first_rows.orders.change(all.order.order.id);
  Payment payment = filler_.row<Payment>();
  payment.order_id = order.order.id;
  order.payments.push_back(payment);
  order.order.version += 1;
  const OrderAggregate expected = order;
  ASSERT_EQ(first.commit(first_rows), CommitOutcome::ok);
  const WorkingSet second_rows = loaded.get();
  expect_same(second_rows.orders.find(expected.order.id), expected);
  second.session->discard();
}

TEST_F(PostgresWritersTest, ADiscardReleasesTheLocksOfALoad) {
  const auto store = open();
  Writer first(options());
  Writer second(options());
  const SampleRows all = write_sample_rows(first);
  const ReadSet reads{.accounts = {all.account.id}};
  static_cast<void>(first.load(reads));
  auto loaded = std::async(std::launch::async, [&] { return second.load(reads); });
  wait_for_lock_waiter();
  first.session->discard();
  expect_same(loaded.get().accounts.find(all.account.id), all.account);
  second.session->discard();
}

TEST_F(PostgresWritersTest, WithoutLocksTheSecondWriterConflictsAndWritesNothing) {
  const auto store = open("&finality_lock_roots=off");
  Writer first(options("&finality_lock_roots=off"));
  Writer second(options("&finality_lock_roots=off"));
  const SampleRows all = write_sample_rows(first);
  for (const Root& root : locked_roots(all)) {
    SCOPED_TRACE(root.name);
    WorkingSet first_rows = first.load(root.reads);
    WorkingSet second_rows = second.load(root.reads);
    root.change(first_rows);
    root.change(second_rows);
    second_rows.events.push_back(filler_.row<Event>());
    EXPECT_EQ(first.commit(first_rows), CommitOutcome::ok);
    EXPECT_EQ(second.commit(second_rows), CommitOutcome::conflict);
    EXPECT_TRUE(must(must(store->open_reader())->events(second_rows.events.back().root_id, {}, {}, true)).rows.empty());
    EXPECT_EQ(root.version(second.load(root.reads)), root.version(first_rows));
    second.session->discard();
  }
}

// Without locks, loaded children may be newer than their root. A reply from such rows would describe a state that never
// existed, so the commit must conflict.
TEST_F(PostgresWritersTest, WithoutLocksABatchThatOnlyReadAnOrderOrDeliveryConflictsWhenItWasChanged) {
  const auto store = open("&finality_lock_roots=off");
  Writer first(options("&finality_lock_roots=off"));
  Writer second(options("&finality_lock_roots=off"));
  const SampleRows all = write_sample_rows(first);
  for (const Root& root : locked_roots(all)) {
    if (root.reads.orders.empty() && root.reads.deliveries.empty()) continue;
    SCOPED_TRACE(root.name);
    const WorkingSet unchanged = second.load(root.reads);
    EXPECT_EQ(second.commit(unchanged), CommitOutcome::ok);
    const WorkingSet stale = second.load(root.reads);
    EXPECT_TRUE(stale.any_recalled()) << "otherwise the engine would not commit, and so not compare the version";
    WorkingSet first_rows = first.load(root.reads);
    root.change(first_rows);
    ASSERT_EQ(first.commit(first_rows), CommitOutcome::ok);
    EXPECT_EQ(second.commit(stale), CommitOutcome::conflict);
  }
}

TEST_F(PostgresWritersTest, OfTwoWritersThatTakeOneKeyConcurrentlyTheSecondConflicts) {
  const auto store = open();
  Writer first(options());
  Writer second(options());
  const SampleRows all = write_sample_rows(first);
  // A deferred trigger delays the COMMIT of the first writer until the test releases an advisory lock.
  database_.run(
      "CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock_shared(7); "
      "RETURN NULL; END $$; CREATE CONSTRAINT TRIGGER wait AFTER INSERT ON keys DEFERRABLE INITIALLY DEFERRED "
      "FOR EACH ROW EXECUTE FUNCTION wait()");
  const auto connection = must(Connection::open({.conninfo = database_.url()}, Use::write));
  ASSERT_TRUE(connection->execute("SELECT pg_advisory_lock(7)"));
  const Key key = filler_.row<Key>();
  const auto take = [&](Writer& writer) {
    WorkingSet rows = writer.load({.keys = {{key.hash, ObjectType::order}}});
    rows.keys.insert(key.hash, key);
    return writer.commit(rows);
  };
  auto one = std::async(std::launch::async, [&] { return take(first); });
  wait_for_lock_waiter();
  auto other = std::async(std::launch::async, [&] { return take(second); });
  const Deadline deadline(kLongEnough);
  while (database_.run("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                       "AND wait_event = 'transactionid'") == "0") {
    ASSERT_FALSE(deadline.over());
    pause_for(Duration(10));
  }
  ASSERT_TRUE(connection->execute("SELECT pg_advisory_unlock(7)"));
  EXPECT_EQ(one.get(), CommitOutcome::ok);
  EXPECT_EQ(other.get(), CommitOutcome::conflict);
}

TEST_F(PostgresWritersTest, ManyWritersOnOneAccountLoseNoUpdate) {
  const auto store = open();
  Writer writer(options());
  const SampleRows all = write_sample_rows(writer);
  constexpr int kWriters = 4;
  constexpr int kEach = 50;
  const auto work = [&] {
    Writer writer(options());
    for (int i = 0; i < kEach; ++i) {
      WorkingSet rows = writer.load({.accounts = {all.account.id}});
      Account& account = rows.accounts.change(all.account.id);
      account.balance += 1;
      account.version += 1;
      FINALITY_CHECK(writer.commit(rows) == CommitOutcome::ok, "a writer that held the lock conflicted");
    }
  };
  {
    std::vector<std::future<void>> writers;
    for (int i = 0; i < kWriters; ++i) writers.push_back(std::async(std::launch::async, work));
    for (auto& one : writers) one.get();
  }
  const auto account = must(must(store->open_reader())->account(all.account.id));
  ASSERT_TRUE(account);
  EXPECT_EQ(account->balance, all.account.balance + kWriters * kEach);
}

TEST_F(PostgresWritersTest, ALoadThatLostItsConnectionIsRetried) {
  const auto store = open();
  Writer writer(options());
  const SampleRows all = write_sample_rows(writer);
  const auto reader = must(store->open_reader());
  database_.run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
      "AND pid <> pg_backend_pid()");
  WorkingSet rows = writer.load(all.reads());
  expect_same(rows.orders.find(all.order.order.id), all.order);
  EXPECT_TRUE(must(reader->order(all.order.order.id)));
  rows.accounts.change(all.account.id).version += 1;
  EXPECT_EQ(writer.commit(rows), CommitOutcome::ok);
}

TEST_F(PostgresWritersTest, AWriteThatLostItsConnectionWritesNothing) {
  const auto store = open();
  Writer writer(options());
  const SampleRows all = write_sample_rows(writer);
  WorkingSet rows = writer.load(all.reads());
  database_.run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
      "AND pid <> pg_backend_pid()");
  rows.accounts.change(all.account.id).version += 1;
  EXPECT_EQ(writer.commit(rows), CommitOutcome::failed);
  EXPECT_EQ(must(must(store->open_reader())->account(all.account.id))->version, all.account.version);
  EXPECT_EQ(writer.commit(rows), CommitOutcome::ok);  // the lock is lost, but the version is unchanged
}

TEST_F(PostgresWritersTest, ALoadOfARowThatStaysLockedTimesOut) {
  Timing timing;
  timing.lock = Duration(50);
  const ConnectionOptions impatient{.conninfo = database_.url(), .timing = timing};
  Writer first(impatient);
  Writer second(impatient);
  const SampleRows all = write_sample_rows(first);
  static_cast<void>(first.load({.accounts = {all.account.id}}));
  WorkingSet rows;
  const auto loaded = second.session->load({.accounts = {all.account.id}}, rows);
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().message.find("lock timeout"), std::string::npos) << loaded.error().message;
  first.session->discard();
  EXPECT_TRUE(second.load({.accounts = {all.account.id}}).accounts.find(all.account.id));
}

TEST_F(PostgresWritersTest, EveryLaneLeasesItsOwnNumberAndReleasesIt) {
  const auto store = open("&finality_lanes=3");
  ASSERT_EQ(store->lanes(), 3U);
  {
    const Writer writers[] = {Writer(options()), Writer(options()), Writer(options())};
    for (int i = 0; i < 3; ++i) EXPECT_EQ(writers[i].session->node(), i);
  }
  EXPECT_EQ(Writer(options()).session->node(), 0);
}

TEST_F(PostgresWritersTest, ConcurrentLeasesGetDifferentNumbers) {
  const auto store = open();
  constexpr int kCount = 16;
  std::vector<std::future<std::unique_ptr<Session>>> opened;
  for (int i = 0; i < kCount; ++i)
    opened.push_back(std::async(std::launch::async, [&] { return must(store->open_session()); }));
  std::vector<std::unique_ptr<Session>> sessions;
  for (auto& one : opened) sessions.push_back(one.get());
  std::vector<std::int64_t> numbers;
  for (const auto& session : sessions) numbers.push_back(session->node());
  std::ranges::sort(numbers);
  for (int i = 0; i < kCount; ++i) EXPECT_EQ(numbers[static_cast<std::size_t>(i)], i);
}

TEST_F(PostgresWritersTest, AnExpiredLeaseIsTakenOverAndItsOldHolderIsFenced) {
  const auto store = open();
  auto old = std::make_unique<Writer>(options());
  const SampleRows all = write_sample_rows(*old);
  WorkingSet late = old->load({.accounts = {all.account.id}});
  late.accounts.change(all.account.id).version += 1;
  old->session->discard();

  database_.end_lease(old->session->node());
  Writer successor(options());
  ASSERT_EQ(successor.session->node(), old->session->node());
  EXPECT_GT(successor.session->ids_not_before(), old->ids.latest());

  EXPECT_EQ(old->commit(late), CommitOutcome::fenced);
  EXPECT_EQ(old->session->renew().outcome, CommitOutcome::fenced);
  EXPECT_EQ(successor.session->renew().outcome, CommitOutcome::ok);
  EXPECT_EQ(must(must(store->open_reader())->account(all.account.id))->version, all.account.version);

  must(old->session->lease());
  EXPECT_NE(old->session->node(), successor.session->node());
  EXPECT_EQ(old->commit(late), CommitOutcome::ok);
  const std::int64_t number = successor.session->node();
  old.reset();  // releases its new node number; must not release the number that the successor holds
  EXPECT_NE(node("leased_until", number), "0");
}

TEST_F(PostgresWritersTest, AnExpiredLeaseThatWasNotTakenOverIsRenewedByTheNextCommit) {
  const auto store = open();
  Writer writer(options());
  database_.end_lease(writer.session->node());
  write_sample_rows(writer);
  EXPECT_NE(node("leased_until", 0), "0");
  database_.end_lease(writer.session->node());
  EXPECT_EQ(writer.session->renew().outcome, CommitOutcome::ok);
  EXPECT_NE(node("leased_until", 0), "0");
}

TEST_F(PostgresWritersTest, TheNextHolderOfAReleasedNumberContinuesAfterItsLastId) {
  const auto store = open();
  auto writer = std::make_unique<Writer>(options());
  writer->ids.advance(SystemClock().now());
  write_sample_rows(*writer);
  const Time last = writer->ids.latest();
  const std::int64_t number = writer->session->node();
  EXPECT_GT(node("ids_until", number), std::to_string(last.ms));
  writer.reset();
  for (int i = 0; i < 2; ++i) {  // a session that never commits must not change ids_until
    const auto next = must(store->open_session());
    EXPECT_EQ(next->node(), number);
    EXPECT_EQ(next->ids_not_before(), last);
  }
}

TEST_F(PostgresWritersTest, LeasingFailsWhenAllNumbersAreLeased) {
  database_.run(
      "INSERT INTO nodes (number, token, ids_until, last_batch, leased_until) "
      "SELECT n, 1, 0, 0, 9000000000000 FROM generate_series(0, 1023) n");
  const auto refused = open()->open_session();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("all 1024 node numbers"), std::string::npos) << refused.error().message;
}

TEST_F(PostgresWritersTest, TextThatPostgresCannotStoreIsReplaced) {
  const auto store = open();
  Writer writer(options());
  SampleRows all = make_sample_rows(filler_);
  all.order.payments.front().failure_message = std::string("bad \0 byte \xFF\xC3( \xE6\x94\xAF", 18);
  WorkingSet rows;
  all.insert_into(rows);
  ASSERT_EQ(writer.commit(rows), CommitOutcome::ok);
  all.order.payments.front().failure_message = "bad \xEF\xBF\xBD byte \xEF\xBF\xBD\xEF\xBF\xBD( \xE6\x94\xAF";
  const WorkingSet found = writer.load(all.reads());
  expect_same(found.orders.find(all.order.order.id), all.order);
}

}  // namespace
}  // namespace finality::postgres
