// Tests of the archive: final orders move from the populated store to an archive and back. The store stays consistent,
// wherever the work is interrupted.
#include "store/archive/archive.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <ostream>
#include <set>
#include <sstream>

#include "base/check.h"
#include "base/testing/temporary_directory.h"
#include "damaged_store.h"
#include "populated_store.h"
#include "store/archive/files.h"
#include "store/archive/manifest.h"
#include "store/archive/parse_line.h"
#include "store/archive/unarchive.h"
#include "store/postgres/testing/test_server.h"
#include "store/sql/waiting_orders.h"
#include "store/sqlite/database.h"
#include "store/store.h"
#include "store/testing/sample_rows.h"

namespace finality {

void PrintTo(const Violation& violation, std::ostream* out);  // audit_test.cpp

}  // namespace finality

namespace finality::audit {
namespace {

using store::Archivist;
using store::WholeOrder;
using store_contract::must;

constexpr Time kLater{1'995'000'000'000};  // after every event in the populated store

/// A populated store that one test owns.
class OwnStore {
 public:
  explicit OwnStore(Place place) {
    if (place == Place::postgres) database_.emplace();
    write_populated_store(url());
  }
  std::string url() const { return database_ ? database_->url() : "sqlite:" + file(); }
  std::unique_ptr<Store> read() const { return must(open_store({.url = url(), .read_only = true, .migrate = false})); }
  std::vector<Violation> violations() const { return must(read()->audit()).violations; }
  /// Returns the number of rows of each table.
  std::map<std::string, std::int64_t> rows() const {
    std::string counts;
    for (const std::string_view table : audited_tables())
      counts += fmt::format("{}(SELECT count(*) FROM {})", counts.empty() ? "" : " || ' ' || ", table);
    std::istringstream numbers(ask("SELECT " + counts));
    std::map<std::string, std::int64_t> rows;
    for (const std::string_view table : audited_tables()) numbers >> rows[std::string(table)];
    FINALITY_CHECK(!numbers.fail(), "no number for each table");
    return rows;
  }
  std::filesystem::path archive(const std::string& name) const { return directory_.file(name); }
  std::string file() const { return directory_.file("finality.db"); }
  void run(const std::string& sql) const {
    if (database_) {
      database_->run(sql);
      return;
    }
    must(must(sqlite::Database::open(file(), sqlite::Database::Mode::write)).execute(sql));
  }
  /// Returns the value of a query for one column and one row, as text.
  std::string ask(const std::string& query) const {
    if (database_) return database_->run(query);
    sqlite::Database database = must(sqlite::Database::open(file(), sqlite::Database::Mode::read));
    sqlite::SqlStatement statement = database.prepare(query);
    FINALITY_CHECK(statement.step() == sqlite::StepResult::row, "no row: " + query);
    return statement.read<std::string>();
  }

 private:
  TemporaryDirectory directory_;
  std::optional<postgres::TestDatabase> database_;
};

/// Fails at the n-th call, before or after executing it, like a process that is killed at that point.
class Interrupted final : public Archivist {
 public:
  Interrupted(Archivist& inner, int calls, bool after) : inner_(inner), calls_left_(calls), after_(after) {}
  bool has_failed() const { return has_failed_; }

  Result<std::vector<OrderId>> candidates(OrderId after, Time before, std::size_t limit) override {
    return interrupt([&] { return inner_.candidates(after, before, limit); });
  }
  Result<std::vector<OrderId>> waiting(const std::vector<OrderId>& ids) override {
    return interrupt([&] { return inner_.waiting(ids); });
  }
  Result<std::vector<WholeOrder>> read(const std::vector<OrderId>& ids) override {
    return interrupt([&] { return inner_.read(ids); });
  }
  Result<std::vector<ArchivedOrder>> archived(const std::vector<OrderId>& ids) override {
    return interrupt([&] { return inner_.archived(ids); });
  }
  Result<std::vector<OrderId>> remove(const std::vector<OrderId>& ids, const std::string& archive, Time now,
                                      const IsRemovable& is_removable) override {
    return interrupt([&] { return inner_.remove(ids, archive, now, is_removable); });
  }
  Result<void> restore(const WholeOrder& order, const std::string& archive) override {
    return interrupt([&] { return inner_.restore(order, archive); });
  }

 private:
  template <class Call>
  std::invoke_result_t<Call> interrupt(Call call) {
    if (--calls_left_ != 0) return call();
    has_failed_ = true;
    if (after_) static_cast<void>(call());
    return fail("killed");
  }

  Archivist& inner_;
  int calls_left_;
  bool after_;
  bool has_failed_ = false;
};

Result<ArchiveReport> archive(const OwnStore& store, const std::string& name, Time before = kLater) {
  return archive_orders(*must(store::open_archivist(store.url())), {before, store.archive(name), kLater});
}

std::set<OrderId> orders_in(const std::filesystem::path& directory) {
  std::set<OrderId> orders;
  store::Totals totals;
  must(store::read_lines(directory / store::kLinesFile, [&](const std::string& line) -> Result<void> {
    EXPECT_TRUE(orders.insert(must(totals.add(line))).second) << "duplicate: " << line;
    return {};
  }));
  return orders;
}

class ArchiveTest : public testing::TestWithParam<Place> {};

INSTANTIATE_TEST_SUITE_P(Every, ArchiveTest, testing::Values(Place::sqlite, Place::postgres),
                         [](const auto& info) { return info.param == Place::sqlite ? "Sqlite" : "Postgres"; });

TEST_P(ArchiveTest, FinishedOrdersAreArchivedAndTheStoreStaysConsistent) {
  const OwnStore store(GetParam());
  const auto before = store.rows();
  const ArchiveReport done = must(archive(store, "first"));
  EXPECT_TRUE(done.archive.starts_with("first-")) << done.archive;
  EXPECT_TRUE(done.left.empty());
  const std::set<OrderId> gone = orders_in(store.archive("first"));
  ASSERT_FALSE(gone.empty());
  EXPECT_EQ(done.orders, gone.size());

  const auto after = store.rows();
  const auto count = static_cast<std::int64_t>(gone.size());
  EXPECT_EQ(after.at("orders"), before.at("orders") - count);
  EXPECT_EQ(after.at("archived_orders"), before.at("archived_orders") + count);
  for (const char* table : {"entries", "keys", "accounts", "transfers", "idempotency_records"})
    EXPECT_EQ(after.at(table), before.at(table)) << table;
  EXPECT_EQ(testing::PrintToString(store.violations()), "{}");

  const auto reader = must(store.read()->open_reader());
  for (const OrderId id : gone) {
    EXPECT_FALSE(must(reader->order(id)));
    EXPECT_EQ(must(reader->archived_order(id))->archive, done.archive);
  }
  EXPECT_TRUE(must(archive(store, "second")).archive.empty()) << "an order was archived twice";
}

TEST_P(ArchiveTest, AnInterruptedArchiveResumes) {
  for (const bool after : {false, true}) {
    bool failed = true;
    for (int call = 1; failed; ++call) {
      SCOPED_TRACE(testing::Message() << (after ? "after" : "before") << " call " << call);
      const OwnStore store(GetParam());
      const auto before = store.rows();
      {
        const auto archivist = must(store::open_archivist(store.url()));
        Interrupted interrupted(*archivist, call, after);
        static_cast<void>(archive_orders(interrupted, {kLater, store.archive("old"), kLater}));
        failed = interrupted.has_failed();
        ASSERT_LT(call, 50);
      }
      const ArchiveReport done = must(archive(store, "old"));
      EXPECT_TRUE(done.left.empty());
      const std::set<OrderId> gone = orders_in(store.archive("old"));
      const auto rows = store.rows();
      EXPECT_EQ(rows.at("orders") + static_cast<std::int64_t>(gone.size()), before.at("orders"));
      EXPECT_TRUE(must(store::read_manifest(store.archive("old"))).done);
      EXPECT_EQ(testing::PrintToString(store.violations()), "{}");
      if (GetParam() == Place::postgres && call > 3) break;  // each run needs a database; SQLite covers all calls
    }
  }
}

TEST(ArchiveOnSqlite, AnOrderChangedDuringTheArchiveStays) {
  const OwnStore store(Place::sqlite);
  {
    const auto archivist = must(store::open_archivist(store.url()));
    Interrupted interrupted(*archivist, 7, false);
    ASSERT_FALSE(archive_orders(interrupted, {kLater, store.archive("old"), kLater}));
  }
  ASSERT_TRUE(std::filesystem::exists(store.archive("old") / store::kManifestFile))
      << "the interruption came too early";
  const std::set<OrderId> lines = orders_in(store.archive("old"));
  const OrderId changed = *lines.begin();
  store.run("UPDATE orders SET return_url = 'https://shop.example/back' WHERE id = " + std::to_string(changed.value));
  const ArchiveReport done = must(archive(store, "old"));
  EXPECT_EQ(done.left, std::vector{changed});
  const auto reader = must(store.read()->open_reader());
  EXPECT_TRUE(must(reader->order(changed)));
  EXPECT_FALSE(must(reader->archived_order(changed)));
  EXPECT_EQ(testing::PrintToString(store.violations()), "{}");
  EXPECT_EQ(must(archive(store, "next")).orders, 1u) << "the next archive must contain it";
}

TEST(ArchiveOnSqlite, LinesThatDifferFromTheManifestRemoveNothing) {
  const OwnStore store(Place::sqlite);
  {
    const auto archivist = must(store::open_archivist(store.url()));
    Interrupted interrupted(*archivist, 7, false);
    ASSERT_FALSE(archive_orders(interrupted, {kLater, store.archive("old"), kLater}));
  }
  const auto before = store.rows();
  std::ofstream(store.archive("old") / store::kLinesFile, std::ios::app) << ' ';
  const auto done = archive(store, "old");
  ASSERT_FALSE(done);
  EXPECT_EQ(store.rows(), before);
}

TEST(ArchiveOnSqlite, ADirectoryWithOtherFilesIsNotChanged) {
  const OwnStore store(Place::sqlite);
  std::filesystem::create_directory(store.archive("full"));
  std::ofstream(store.archive("full") / "letter.txt") << "text";
  const auto full = archive(store, "full");
  ASSERT_FALSE(full);
  EXPECT_NE(full.error().message.find("letter.txt"), std::string::npos) << full.error().message;
  EXPECT_FALSE(std::filesystem::exists(store.archive("full") / store::kLinesFile));
  EXPECT_FALSE(archive(store, "no/such/place"));

  must(archive(store, "done"));
  const auto other_date = archive(store, "done", kLater - std::chrono::hours(1));
  ASSERT_FALSE(other_date);
  EXPECT_NE(other_date.error().message.find("another directory"), std::string::npos) << other_date.error().message;
  EXPECT_TRUE(archive(store, "done")) << "a finished archive must stay finished";
}

TEST(ArchiveOnSqlite, AnArchiveOfAnotherStoreRemovesNothing) {
  const OwnStore one(Place::sqlite);
  {
    const auto archivist = must(store::open_archivist(one.url()));
    Interrupted interrupted(*archivist, 7, false);
    ASSERT_FALSE(archive_orders(interrupted, {kLater, one.archive("old"), kLater}));
  }
  const OwnStore other(Place::sqlite);
  other.run("UPDATE orders SET id = id + 1; UPDATE payments SET order_id = order_id + 1");
  const auto archivist = must(store::open_archivist(other.url()));
  const auto done = archive_orders(*archivist, {kLater, one.archive("old"), kLater});
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("another"), std::string::npos) << done.error().message;
  EXPECT_EQ(other.rows().at("archived_orders"), one.rows().at("archived_orders"));
}

/// SQL that matches all documents of a table with lines of statements, in one of the tables of matches.
std::string match_all(const std::string& matches, const std::string& table, const std::string& type) {
  const bool is_funds = matches == "funds_matches";
  return "INSERT INTO " + matches + " (document_type, document_id, merchant_id, channel_account_id, statement_id, " +
         (is_funds ? "amount, " : "") + "line_no, line, created_at) SELECT '" + type +
         "', id, merchant_id, 0, (SELECT max(id) FROM statements WHERE state = 'matched'), " +
         (is_funds ? "amount, " : "") + "0, randomblob(16), 1 FROM " + table +
         " WHERE id NOT IN (SELECT document_id FROM " + matches + "); ";
}

/// SQL after which the channel accounts provide statements of that kind since before the payments.
std::string provide(const std::string& kind) {
  return "UPDATE statements SET date = '2026-01-01' WHERE kind = '" + kind + "'";
}

struct Matches {
  const char* kind;
  const char* table;
};
constexpr Matches kMatches[] = {{"trades", "statement_matches"}, {"funds", "funds_matches"}};

TEST(ArchiveOnSqlite, OrdersWaitUntilStatementsConfirmTheirPaymentsAndRefunds) {
  const OwnStore other(Place::sqlite);
  const std::size_t all = must(archive(other, "all")).orders;
  for (const auto& [kind, matches] : kMatches) {
    SCOPED_TRACE(kind);
    const OwnStore store(Place::sqlite);
    store.run(provide(kind));
    const ArchiveReport first = must(archive(store, "first"));
    EXPECT_GT(first.waiting, 0U);
    EXPECT_EQ(first.orders + first.waiting, all);

    store.run(match_all(matches, "receipts", "receipt") + match_all(matches, "returns", "money_return"));
    const ArchiveReport second = must(archive(store, "second"));
    EXPECT_GT(second.waiting, 0U) << "a succeeded refund waits too";
    store.run(match_all(matches, "refunds", "refund") + match_all(matches, "reversals", "reversal"));
    const ArchiveReport third = must(archive(store, "third"));
    EXPECT_EQ(third.waiting, 0U);
    EXPECT_EQ(first.orders + second.orders + third.orders, all);
  }
}

TEST(ArchiveOnSqlite, AReturnWaitsForFundsStatementsOnly) {
  for (const auto& [kind, matches] : kMatches) {
    const OwnStore store(Place::sqlite);
    store.run(provide(kind));
    store.run(
        "INSERT INTO returns SELECT id + 1, order_id, id, merchant_id, 1, currency, 'returned', 0, 0, 1 FROM refunds "
        "WHERE state = 'succeeded'");
    store.run(match_all(matches, "receipts", "receipt") + match_all(matches, "refunds", "refund") +
              match_all(matches, "reversals", "reversal"));
    const auto archivist = must(store::open_archivist(store.url()));
    const auto ids = must(archivist->candidates({}, kLater, 100));
    EXPECT_EQ(must(archivist->waiting(ids)).empty(), kind == std::string_view("trades"));
    store.run(match_all(matches, "returns", "money_return"));
    EXPECT_TRUE(must(archivist->waiting(ids)).empty());
  }
}

TEST(ArchiveOnSqlite, OrdersWaitForBothKindsOfStatements) {
  const OwnStore store(Place::sqlite);
  store.run("UPDATE statements SET date = '2026-01-01'");
  const auto archivist = must(store::open_archivist(store.url()));
  const auto ids = must(archivist->candidates({}, kLater, 100));
  const auto match = [&](const std::string& matches) {
    for (const auto& [table, type] : {std::pair("receipts", "receipt"), std::pair("refunds", "refund"),
                                      std::pair("reversals", "reversal"), std::pair("returns", "money_return")})
      store.run(match_all(matches, table, type));
  };
  match("statement_matches");
  EXPECT_FALSE(must(archivist->waiting(ids)).empty());
  match("funds_matches");
  EXPECT_TRUE(must(archivist->waiting(ids)).empty());
}

TEST(ArchiveOnSqlite, DocumentsFromBeforeTheFirstStatementDoNotWait) {
  for (const auto& [kind, matches] : kMatches) {
    const OwnStore store(Place::sqlite);
    store.run("UPDATE statements SET date = '2034-01-01' WHERE kind = '" + std::string(kind) + "'");
    EXPECT_EQ(must(archive(store, "old")).waiting, 0U) << kind;
  }
}

TEST_P(ArchiveTest, WaitingOrdersAreFoundInEveryStore) {
  const OwnStore store(GetParam());
  store.run("UPDATE statements SET date = '2026-01-01'");
  const auto archivist = must(store::open_archivist(store.url()));
  EXPECT_FALSE(must(archivist->waiting(must(archivist->candidates({}, kLater, 100)))).empty());
}

TEST(ArchiveOnSqlite, WaitingOrdersAreFoundByIndexesOnly) {
  const OwnStore store(Place::sqlite);
  auto database = must(sqlite::Database::open(store.file(), sqlite::Database::Mode::write));
  for (const StatementKind kind : {StatementKind::trades, StatementKind::funds}) {
    sqlite::SqlStatement plan = database.prepare(
        "EXPLAIN QUERY PLAN " + store::waiting_orders_sql(kind, {.is_order = "= ?1", .account = "?2", .since = "?3"}));
    std::string text;
    while (plan.step() == sqlite::StepResult::row) {
      for (int ignored = 0; ignored < 3; ++ignored) plan.read<std::int64_t>();
      text += plan.read<std::string>() + "\n";
    }
    EXPECT_TRUE(text.contains("differences_by_document")) << text;
    EXPECT_FALSE(text.contains("SCAN")) << text;
    EXPECT_FALSE(text.contains("_by_merchant")) << text;
  }
}

TEST(ArchiveOnSqlite, AnUploadedFileMakesNoOrderWait) {
  const OwnStore store(Place::sqlite);
  store.run("UPDATE statements SET date = '2026-01-01', source = 'uploaded'");
  EXPECT_EQ(must(archive(store, "old")).waiting, 0U);
}

/// SQL that makes a difference without a document one about this document.
std::string name_document(std::int64_t document, const std::string& change) {
  return "UPDATE differences SET document_id = " + std::to_string(document) + ", " + change +
         " WHERE id = (SELECT min(id) FROM differences WHERE document_id = 0); ";
}

/// The ids of the documents of an order that wait for lines.
std::vector<std::int64_t> documents_of(const WholeOrder& order) {
  std::vector<std::int64_t> ids;
  for (const Receipt& row : order.rows.receipts) ids.push_back(row.id.value);
  for (const Refund& row : order.rows.refunds) ids.push_back(row.id.value);
  for (const Reversal& row : order.rows.reversals) ids.push_back(row.id.value);
  return ids;
}

TEST(ArchiveOnSqlite, AnEndedDifferenceReplacesTheMatchOfItsDocument) {
  const std::string other_class = "difference_class = 'missing_at_channel', ";
  const std::string mismatch = "difference_class = 'amount_mismatch', ";
  const struct {
    const char* kind;        // of the statements
    std::string difference;  // its kind, class and state
    bool waits;
  } kRows[] = {{"trades", other_class + "kind = 'trades', state = 'open'", true},
               {"trades", other_class + "kind = 'trades', state = 'carried'", true},
               {"trades", other_class + "kind = 'trades', state = 'repaired'", false},
               {"trades", other_class + "kind = 'trades', state = 'resolved'", false},
               {"trades", other_class + "kind = 'funds', state = 'resolved'", true},
               {"funds", other_class + "kind = 'funds', state = 'open'", true},
               {"funds", other_class + "kind = 'funds', state = 'repaired'", false},
               {"funds", other_class + "kind = 'trades', state = 'resolved'", true},
               {"funds", mismatch + "kind = 'trades', state = 'resolved'", false}};
  for (const auto& [kind, difference, waits] : kRows) {
    SCOPED_TRACE(kind + (": " + difference));
    const OwnStore store(Place::sqlite);
    store.run(provide(kind));
    const auto archivist = must(store::open_archivist(store.url()));
    const auto waiting = must(archivist->waiting(must(archivist->candidates({}, kLater, 100))));
    ASSERT_FALSE(waiting.empty());
    const auto orders = must(archivist->read({waiting.front()}));
    for (const std::int64_t document : documents_of(orders.front())) store.run(name_document(document, difference));
    EXPECT_EQ(!must(archivist->waiting({waiting.front()})).empty(), waits);
  }
}

TEST(ArchiveOnSqlite, OrdersStayDuringTheRefundWindow) {
  const OwnStore other(Place::sqlite);
  const std::size_t all = must(archive(other, "all")).orders;
  const OwnStore store(Place::sqlite);
  const auto archivist = must(store::open_archivist(store.url()));
  ArchiveRequest request{.before = kLater, .directory = store.archive("old"), .now = kLater};
  request.refund_window = kLater - Time{};
  const ArchiveReport done = must(archive_orders(*archivist, request));
  EXPECT_GT(done.refundable, 0U);
  EXPECT_EQ(done.orders + done.refundable, all);
}

// Restoring.

Result<UnarchiveReport> unarchive(const OwnStore& store, const std::string& name, std::vector<OrderId> orders,
                                  std::vector<PaymentId> payments = {}) {
  return unarchive_orders(*must(store::open_archivist(store.url())),
                          {store.archive(name), std::move(orders), std::move(payments)});
}

/// Archives the final orders and returns their ids, oldest first.
std::vector<OrderId> archive_all(const OwnStore& store, const std::string& name) {
  must(archive(store, name));
  const std::set<OrderId> gone = orders_in(store.archive(name));
  return {gone.begin(), gone.end()};
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator(stream), {}};
}

std::string error_of(const Result<UnarchiveReport>& done) { return done ? "" : done.error().message; }

TEST_P(ArchiveTest, RestoredOrdersEqualTheOriginals) {
  const OwnStore store(GetParam());
  const auto before = store.rows();
  const std::vector<OrderId> gone = archive_all(store, "first");
  const UnarchiveReport done = must(unarchive(store, "first", gone));
  EXPECT_EQ(done.restored, gone);
  EXPECT_TRUE(done.present.empty());
  EXPECT_EQ(store.rows(), before);
  EXPECT_EQ(testing::PrintToString(store.violations()), "{}");

  const UnarchiveReport again = must(unarchive(store, "first", gone));
  EXPECT_TRUE(again.restored.empty());
  EXPECT_EQ(again.present, gone);
  EXPECT_EQ(store.rows(), before);

  const std::string second = must(archive(store, "second")).archive;
  EXPECT_EQ(text_of(store.archive("second") / store::kLinesFile), text_of(store.archive("first") / store::kLinesFile));
  EXPECT_EQ(testing::PrintToString(store.violations()), "{}");
  const auto elsewhere = unarchive(store, "first", {gone.front()});
  EXPECT_TRUE(error_of(elsewhere).contains(second)) << error_of(elsewhere);
  EXPECT_EQ(must(unarchive(store, "second", {gone.front()})).restored, std::vector{gone.front()});
  EXPECT_EQ(testing::PrintToString(store.violations()), "{}");
}

TEST_P(ArchiveTest, AnInterruptedRestoreResumes) {
  const OwnStore store(GetParam());
  const auto before = store.rows();
  const std::vector<OrderId> gone = archive_all(store, "old");
  const auto orders = [](const auto& rows) { return rows.at("orders") + rows.at("archived_orders"); };
  bool failed = true;
  for (int call = 1; failed; ++call)
    for (const bool after : {false, true}) {
      SCOPED_TRACE(testing::Message() << (after ? "after" : "before") << " call " << call);
      {
        const auto archivist = must(store::open_archivist(store.url()));
        Interrupted interrupted(*archivist, call, after);
        static_cast<void>(unarchive_orders(interrupted, {store.archive("old"), gone, {}}));
        failed = interrupted.has_failed();
      }
      EXPECT_EQ(orders(store.rows()), orders(before));
      EXPECT_EQ(testing::PrintToString(store.violations()), "{}");
      ASSERT_LT(call, 50);
    }
  EXPECT_EQ(store.rows(), before);
}

TEST(ArchiveOnSqlite, APaymentNamesTheOrderToRestore) {
  const OwnStore store(Place::sqlite);
  archive_all(store, "old");
  std::optional<Payment> payment;
  must(store::read_lines(store.archive("old") / store::kLinesFile, [&](const std::string& line) -> Result<void> {
    const auto order = must(store::parse_line(line));
    if (!order.rows.payments.empty()) payment = order.rows.payments.back();
    return {};
  }));
  ASSERT_TRUE(payment);
  EXPECT_EQ(must(unarchive(store, "old", {}, {payment->id})).restored, std::vector{payment->order_id});
  EXPECT_EQ(testing::PrintToString(store.violations()), "{}");
}

TEST(ArchiveOnSqlite, IdsThatAreNotInTheArchiveRestoreNothing) {
  const OwnStore store(Place::sqlite);
  const std::vector<OrderId> gone = archive_all(store, "old");
  const auto before = store.rows();
  EXPECT_TRUE(error_of(unarchive(store, "old", {gone.front(), OrderId{1}})).contains(to_text(OrderId{1})));
  EXPECT_TRUE(error_of(unarchive(store, "old", {gone.front()}, {PaymentId{1}})).contains(to_text(PaymentId{1})));
  EXPECT_FALSE(unarchive(store, "no/such/place", gone));
  EXPECT_EQ(store.rows(), before);
}

TEST(ArchiveOnSqlite, ADamagedArchiveRestoresNothing) {
  const OwnStore store(Place::sqlite);
  const std::vector<OrderId> gone = archive_all(store, "old");
  const auto before = store.rows();
  const std::filesystem::path file = store.archive("old") / store::kLinesFile;
  const std::string lines = text_of(file);
  std::string other_amount = lines;
  other_amount[other_amount.find("\"amount\":") + 9] = '7';
  for (const std::string& damaged : {lines + " ", lines.substr(0, lines.size() / 2), other_amount, std::string()}) {
    std::ofstream(file, std::ios::trunc) << damaged;
    EXPECT_FALSE(unarchive(store, "old", gone));
    EXPECT_EQ(store.rows(), before);
  }
  std::ofstream(file, std::ios::trunc) << lines;
  EXPECT_EQ(must(unarchive(store, "old", gone)).restored, gone);
}

TEST(ArchiveOnSqlite, AnUnfinishedArchiveRestoresNothing) {
  const OwnStore store(Place::sqlite);
  {
    const auto archivist = must(store::open_archivist(store.url()));
    Interrupted interrupted(*archivist, 7, true);
    ASSERT_FALSE(archive_orders(interrupted, {kLater, store.archive("old"), kLater}));
  }
  const std::set<OrderId> lines = orders_in(store.archive("old"));
  const auto before = store.rows();
  const auto done = unarchive(store, "old", {lines.begin(), lines.end()});
  EXPECT_TRUE(error_of(done).contains("finality archive again")) << error_of(done);
  EXPECT_EQ(store.rows(), before);
}

TEST(ArchiveOnSqlite, AnArchiveOfAnotherStoreRestoresNothing) {
  const OwnStore one(Place::sqlite);
  const std::vector<OrderId> gone = archive_all(one, "old");
  const OwnStore other(Place::sqlite);
  other.run("UPDATE orders SET id = id + 1; UPDATE payments SET order_id = order_id + 1");
  const auto before = other.rows();
  const auto archivist = must(store::open_archivist(other.url()));
  const auto done = unarchive_orders(*archivist, {one.archive("old"), gone, {}});
  EXPECT_TRUE(error_of(done).contains("another")) << error_of(done);
  EXPECT_EQ(other.rows(), before);
}

}  // namespace
}  // namespace finality::audit
