// Tests that a session reports the true outcome of a COMMIT whose reply was lost.
#include <future>
#include <map>

#include "store/postgres/deadline.h"
#include "store/postgres/store.h"
#include "store/postgres/testing/test_proxy.h"
#include "store/postgres/testing/test_server.h"

namespace finality::postgres {
namespace {

using store_contract::RowFiller;

constexpr Duration kLongEnough = std::chrono::seconds(30);

class PostgresCommitTest : public testing::Test {
 protected:
  /// Opens a session whose connections go through proxy_.
  std::unique_ptr<Session> open(const Timing& timing) {
    store_ = must(postgres::open({.conninfo = proxy_.url(database_.name()), .timing = timing}, false, false));
    auto session = must(store_->open_session());
    ids_ = std::make_unique<IdGenerator>(session->node(), session->ids_not_before());
    return session;
  }
  static Timing quick() {
    Timing timing;
    timing.lock = std::chrono::seconds(1);
    timing.idle_in_transaction = std::chrono::seconds(1);
    timing.reconnect = std::chrono::seconds(1);
    return timing;
  }
  /// Commits a new natural key. is_written() checks later whether the store has it.
  CommitResult commit_something(Session& session) {
    key_ = filler_.row<Key>();
    WorkingSet rows;
    must(session.load({.keys = {{key_.hash, ObjectType::order}}}, rows));
    rows.keys.insert(key_.hash, key_);
    return session.commit(rows, *ids_);
  }
  bool is_written() {
    const auto reader = must(must(postgres::open(database_.url(), true, false))->open_reader());
    return must(reader->named(key_.hash)) != 0;
  }
  void until(const std::string& condition) {
    const Deadline deadline(kLongEnough);
    while (database_.run("SELECT " + condition) != "t") {
      ASSERT_FALSE(deadline.over()) << condition;
      pause_for(Duration(10));
    }
  }
  /// Makes every COMMIT that inserts a natural key wait until release_commits(), and then run `action`.
  void hold_commits(const std::string& action) {
    database_.run(
        "CREATE FUNCTION wait_in_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "PERFORM pg_advisory_lock_shared(7); PERFORM pg_advisory_unlock_shared(7); " +
        action +
        " RETURN NULL; END $$; "
        "CREATE CONSTRAINT TRIGGER wait_in_commit AFTER INSERT ON keys DEFERRABLE INITIALLY DEFERRED "
        "FOR EACH ROW EXECUTE FUNCTION wait_in_commit()");
    holder_.reset(PQconnectdb(database_.url().c_str()));
    PQclear(PQexec(holder_.get(), "SELECT pg_advisory_lock(7)"));
  }
  void release_commits() { PQclear(PQexec(holder_.get(), "SELECT pg_advisory_unlock(7)")); }
  void expect_the_truth(const CommitResult& result, bool written) {
    EXPECT_EQ(result.outcome, written ? CommitOutcome::ok : CommitOutcome::failed) << result.message;
    EXPECT_EQ(is_written(), written);
  }
  /// Expects that the session can still commit.
  void expect_it_works(Session& session) { expect_the_truth(commit_something(session), true); }

  TestDatabase database_;
  TestProxy proxy_{TestServer::instance().socket_path()};
  std::unique_ptr<PGconn, decltype(&PQfinish)> holder_{nullptr, PQfinish};
  std::unique_ptr<Store> store_;
  std::unique_ptr<IdGenerator> ids_;
  RowFiller filler_{true};
  Key key_;
};

// SQL condition: a new connection of the session waits until the transaction of the broken connection ends.
const std::string kAnotherWaits =
    "count(*) > 0 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' "
    "AND query LIKE 'UPDATE nodes%'";
const std::string kWaitsInCommit =
    "count(*) > 0 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'";

TEST_F(PostgresCommitTest, AConnectionCutBeforeTheCommitArrivesWritesNothing) {
  const auto session = open(quick());
  proxy_.set_fate(Fate::cut_before);
  expect_the_truth(commit_something(*session), false);
  EXPECT_TRUE(proxy_.happened());
  expect_it_works(*session);
}

TEST_F(PostgresCommitTest, AConnectionCutBeforeTheReplyArrivesWritesEverything) {
  const auto session = open(quick());
  proxy_.set_fate(Fate::cut_after);
  expect_the_truth(commit_something(*session), true);
  EXPECT_TRUE(proxy_.happened());
  expect_it_works(*session);
}

TEST_F(PostgresCommitTest, ACommitThatTheServerNeverReceivedEndsWithItsIdleTransaction) {
  const auto session = open(quick());
  proxy_.set_fate(Fate::swallow);
  expect_the_truth(commit_something(*session), false);
  EXPECT_TRUE(proxy_.happened());
  expect_it_works(*session);
}

TEST_F(PostgresCommitTest, WaitsForACommitInProgress) {
  struct Case {
    const char* action;
    bool written;
  };
  for (const auto& [action, written] : {Case{"", true}, Case{"RAISE EXCEPTION 'not today';", false}}) {
    SCOPED_TRACE(action);
    database_.run("DROP FUNCTION IF EXISTS wait_in_commit CASCADE");
    hold_commits(action);
    const auto session = open(quick());
    proxy_.set_fate(Fate::cut_during);
    auto result = std::async(std::launch::async, [&] { return commit_something(*session); });
    until(kWaitsInCommit);
    until(kAnotherWaits);
    EXPECT_EQ(result.wait_for(Duration(0)), std::future_status::timeout);
    release_commits();
    expect_the_truth(result.get(), written);
    database_.run("DROP FUNCTION wait_in_commit CASCADE");
    expect_it_works(*session);
  }
}

TEST_F(PostgresCommitTest, ACommitWhoseServerProcessWasTerminatedIsNotWritten) {
  hold_commits("");
  const auto session = open(quick());
  auto result = std::async(std::launch::async, [&] { return commit_something(*session); });
  until(kWaitsInCommit);
  database_.run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
      "AND wait_event = 'advisory'");
  expect_the_truth(result.get(), false);
  release_commits();
  expect_it_works(*session);
}

TEST_F(PostgresCommitTest, ACommitThatTheServerRejectsIsNotWritten) {
  hold_commits("RAISE EXCEPTION 'not today';");
  release_commits();
  const auto session = open(quick());
  const CommitResult result = commit_something(*session);
  expect_the_truth(result, false);
  EXPECT_NE(result.message.find("not today"), std::string::npos) << result.message;
  database_.run("DROP FUNCTION wait_in_commit CASCADE");
  expect_it_works(*session);
}

TEST_F(PostgresCommitTest, WithoutADatabaseTheOutcomeIsLost) {
  Timing timing = quick();
  timing.reconnect = Duration(100);
  timing.commit_outcome = Duration(300);
  const auto session = open(timing);
  proxy_.set_fate(Fate::cut_after);
  auto refuse = std::async(std::launch::async, [&] {
    while (!proxy_.happened()) pause_for(Duration(1));
    proxy_.refuse_all();
  });
  hold_commits("");  // so that the reply arrives after the proxy starts to refuse connections
  auto result = std::async(std::launch::async, [&] { return commit_something(*session); });
  until(kWaitsInCommit);
  refuse.get();
  release_commits();
  EXPECT_EQ(result.get().outcome, CommitOutcome::lost);
}

TEST_F(PostgresCommitTest, WhenTheNodeWasLeasedMeanwhileTheOutcomeIsLost) {
  hold_commits("");
  const auto session = open(quick());
  proxy_.set_fate(Fate::cut_during);
  auto result = std::async(std::launch::async, [&] { return commit_something(*session); });
  until(kAnotherWaits);
  const auto other = std::async(std::launch::async, [&] {
    database_.run("UPDATE nodes SET token = token + 1 WHERE number = 0");  // also waits for the commit
  });
  until(kAnotherWaits + " HAVING count(*) = 2");
  database_.run(
      "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
      "AND query LIKE 'UPDATE nodes SET leased_until%' AND wait_event_type = 'Lock'");
  release_commits();
  EXPECT_EQ(result.get().outcome, CommitOutcome::lost);
}

// Another thread terminates the connections at varying moments, so that they also break at moments that the other tests
// do not cover.
TEST_F(PostgresCommitTest, EveryOutcomeIsTrueWhileConnectionsBreak) {
  constexpr std::size_t kOfEach = 20;
  const auto session = open(quick());
  std::jthread breaker([&](const std::stop_token& ends) {
    for (int i = 0; !ends.stop_requested(); ++i) {
      pause_for(Duration(5 + i % 23));
      database_.run(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
          "AND pid <> pg_backend_pid()");
    }
  });
  std::map<CommitOutcome, std::vector<Hash16>> keys;
  const Deadline deadline(kLongEnough);
  while (!deadline.over() &&
         (keys[CommitOutcome::ok].size() < kOfEach || keys[CommitOutcome::failed].size() < kOfEach)) {
    key_ = filler_.row<Key>();
    WorkingSet rows;
    if (!session->load({.keys = {{key_.hash, ObjectType::order}}}, rows)) continue;
    rows.keys.insert(key_.hash, key_);
    keys[session->commit(rows, *ids_).outcome].push_back(key_.hash);
  }
  breaker.request_stop();
  breaker.join();
  EXPECT_EQ(keys.size(), 2U) << "outcomes other than ok and failed";
  EXPECT_GE(keys[CommitOutcome::ok].size(), kOfEach);
  EXPECT_GE(keys[CommitOutcome::failed].size(), kOfEach);
  const auto reader = must(store_->open_reader());
  for (const auto& [outcome, hashes] : keys)
    for (const Hash16& hash : hashes) EXPECT_EQ(must(reader->named(hash)) != 0, outcome == CommitOutcome::ok);
}

/// Configures synchronous replication to a standby that does not exist. So every COMMIT waits until the test ends the
/// wait.
class PostgresStandbyTest : public PostgresCommitTest {
 protected:
  static void wait_for_standbys(const std::string& names) {
    TestServer::instance().run("ALTER SYSTEM SET synchronous_standby_names = '" + names + "'");
    TestServer::instance().run("SELECT pg_reload_conf()");
    const Deadline deadline(kLongEnough);
    while (TestServer::instance().run("SHOW synchronous_standby_names") != names) {
      ASSERT_FALSE(deadline.over());
      pause_for(Duration(10));
    }
  }
  void TearDown() override { wait_for_standbys(""); }
  static std::string waiting(const std::string& statement) {
    return "pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'SyncRep' AND query LIKE '" +
           statement + "%'";
  }
  void cancel(const std::string& statement) {
    until("count(*) > 0 FROM (SELECT " + waiting(statement) + ") w");
    database_.run("SELECT pg_cancel_backend(pid) FROM (SELECT " + waiting(statement) + ") w");
  }
};

TEST_F(PostgresStandbyTest, ACancelledWaitForAStandbyDoesNotDecideTheOutcome) {
  const auto session = open(quick());
  expect_it_works(*session);
  wait_for_standbys("absent");
  auto result = std::async(std::launch::async, [&] { return commit_something(*session); });
  cancel("COMMIT");
  until("count(*) > 0 FROM (SELECT " + waiting("UPDATE nodes") + ") w");
  EXPECT_EQ(result.wait_for(Duration(0)), std::future_status::timeout);
  wait_for_standbys("");
  expect_the_truth(result.get(), true);
  expect_it_works(*session);
}

TEST_F(PostgresStandbyTest, WithoutAStandbyTheOutcomeIsLost) {
  Timing timing = quick();
  timing.commit_outcome = Duration(1);
  const auto session = open(timing);
  wait_for_standbys("absent");
  auto result = std::async(std::launch::async, [&] { return commit_something(*session); });
  cancel("COMMIT");
  cancel("UPDATE nodes");
  EXPECT_EQ(result.get().outcome, CommitOutcome::lost);
}

}  // namespace
}  // namespace finality::postgres
