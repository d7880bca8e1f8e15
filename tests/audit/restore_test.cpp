// Tests of orders that a running server restores from an archive: by OrderRestorer, and for lines of statements.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/testing/temporary_directory.h"
#include "damaged_store.h"
#include "populated_store.h"
#include "store/archive/archive.h"
#include "store/archive/files.h"
#include "store/archive/find_orders.h"
#include "store/archive/manifest.h"
#include "store/postgres/testing/test_server.h"
#include "store/store.h"
#include "store/testing/sample_rows.h"
#include "wire/json_renderer.h"
#include "worker/engine_command_sender.h"
#include "worker/restore/order_restorer.h"
#include "worker/statements/line_matcher.h"

namespace finality::audit {
namespace {

using store_contract::must;

constexpr Time kLater{1'995'000'000'000};  // after every event in the populated store

/// A populated store whose final orders are archived, with an engine and a restorer.
class RestoreTest : public testing::TestWithParam<Place> {
 protected:
  RestoreTest() {
    if (GetParam() == Place::postgres) database_.emplace();
    write_populated_store(url());
    std::filesystem::create_directory(archives());
    name_ = archive("year-1");
    open();
  }
  ~RestoreTest() override { close(); }

  std::string url() const { return database_ ? database_->url() : "sqlite:" + directory_.file("finality.db"); }
  std::filesystem::path archives() const { return directory_.file("archives"); }
  std::string archive(const std::string& directory) const {
    const auto archivist = must(store::open_archivist(url()));
    return must(archive_orders(*archivist, {.before = kLater, .directory = archives() / directory, .now = kLater}))
        .archive;
  }
  void open() {
    store_ = must(open_store({.url = url()}));
    engine_ = must(Engine::start(
        *store_, {.policy = &policy_, .clock = &clock_, .renderer = &wire::json_renderer(), .perform = {}}));
    reader_ = must(store_->open_reader());
    restorer_ = std::make_unique<OrderRestorer>(*engine_, archives());
  }
  void close() {
    restorer_.reset();
    if (engine_) engine_->drain();
    engine_.reset();
    reader_.reset();
    store_.reset();
  }

  /// Returns the archived orders that `is_wanted` accepts.
  template <class IsWanted>
  std::vector<WholeOrder> archived(IsWanted is_wanted) {
    std::vector<OrderId> ids;
    must(store::read_lines(archives() / "year-1" / store::kLinesFile, [&](const std::string& line) -> Result<void> {
      store::Totals totals;
      ids.push_back(must(totals.add(line)));
      return {};
    }));
    std::vector<WholeOrder> orders;
    for (auto& [id, order] : must(store::find_orders(archives() / "year-1", ids, {})).orders)
      if (is_wanted(order)) orders.push_back(std::move(order));
    return orders;
  }
  ArchivedOrder row_of(OrderId id) { return must(reader_->archived_order(id)).value(); }

  /// Compares a line with the books, as a part of the statement that the populated store is matching.
  MatchCounts compare(const StatementLine& line, bool restores = true, StatementKind kind = StatementKind::trades) {
    const auto statements = must(reader_->statements({.state = StatementState::matching}, {.limit = 1}));
    Statement statement = statements.rows.at(0);
    statement.kind = kind;
    const ChannelAccount account = must(reader_->channel_account(statement.channel_account_id)).value();
    const StatementPlan plan{};
    EngineCommandSender commands(*engine_, [](Duration) { return false; }, CauseKind::statement);
    MatchTask task{.statement = statement,
                   .account = account,
                   .plan = plan,
                   .rates = {},
                   .earlier = {},
                   .reader = *reader_,
                   .commands = commands};
    if (restores)
      task.restore = [this](auto orders) {
        (void)restorer_->restore_and_wait(orders);
        return Result<void>{};
      };
    const auto matcher = make_matcher(task, nullptr);
    must(matcher->add(line));
    must(matcher->finish_lines());
    return matcher->counts();
  }
  Result<void> restore(const ArchivedOrder& order) { return restorer_->restore_and_wait({&order, 1}); }
  bool has_match(const Receipt& receipt) {
    ReadSet reads;
    reads.statement_matches.push_back(receipt.id.value);
    WorkingSet rows;
    must(reader_->load(reads, rows));
    return rows.statement_matches.find(receipt.id.value) != nullptr;
  }
  /// A receipt over the sandbox that no statement has confirmed, with its order.
  WholeOrder unmatched() {
    const auto orders = archived([this](const WholeOrder& order) {
      return !order.rows.receipts.empty() && order.rows.receipts.front().channel == "sandbox" &&
             !has_match(order.rows.receipts.front());
    });
    FINALITY_CHECK(!orders.empty(), "the populated store archives no unmatched receipt");
    return orders.front();
  }
  static StatementLine line_of(const WholeOrder& order) {
    const Receipt& receipt = order.rows.receipts.front();
    const Payment* payment = find_row(order.rows.payments, receipt.payment_id);
    return {.line_no = 1,
            .kind = LineKind::payment,
            .channel_trade_no = receipt.channel_trade_no,
            .out_trade_no = payment->out_trade_no,
            .currency = receipt.currency,
            .amount = receipt.amount,
            .at = receipt.paid_at,
            .text = "paid"};
  }
  std::size_t violations() { return must(store_->audit()).violations.size(); }

  TemporaryDirectory directory_;
  std::optional<postgres::TestDatabase> database_;
  Policy policy_;
  SystemClock clock_;
  std::string name_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Reader> reader_;
  std::unique_ptr<OrderRestorer> restorer_;
};

INSTANTIATE_TEST_SUITE_P(Every, RestoreTest, testing::Values(Place::sqlite, Place::postgres),
                         [](const auto& info) { return info.param == Place::sqlite ? "Sqlite" : "Postgres"; });

TEST_P(RestoreTest, AnArchivedOrderIsRestoredOnce) {
  const auto orders = archived([](const WholeOrder& order) { return !order.rows.refunds.empty(); });
  ASSERT_FALSE(orders.empty());
  const OrderId id = orders.front().rows.order.id;
  const ArchivedOrder row = row_of(id);
  EXPECT_EQ(row.archive, name_);
  EXPECT_TRUE(restore(row));
  EXPECT_FALSE(must(reader_->archived_order(id)));
  const auto order = must(reader_->order(id));
  ASSERT_TRUE(order);
  EXPECT_EQ(order->refunds.size(), orders.front().rows.refunds.size());
  EXPECT_EQ(order->order.version, orders.front().rows.order.version);
  EXPECT_EQ(must(reader_->events(id.value, {}, {.limit = 1000}, true)).rows.size(), orders.front().events.size());
  EXPECT_TRUE(restore(row)) << "another server has restored it meanwhile";
  EXPECT_EQ(violations(), 0U);
}

TEST_P(RestoreTest, AllOrdersOfAnArchiveAreRestored) {
  const auto orders = archived([](const WholeOrder&) { return true; });
  for (const WholeOrder& order : orders) EXPECT_TRUE(restore(row_of(order.rows.order.id)));
  EXPECT_EQ(restorer_->counters().restored, orders.size());
  EXPECT_EQ(violations(), 0U);
}

TEST_P(RestoreTest, WithoutTheArchiveNothingIsRestored) {
  const OrderId id = unmatched().rows.order.id;
  std::filesystem::rename(archives() / "year-1", archives() / "elsewhere");
  EXPECT_FALSE(restore(row_of(id)));
  EXPECT_EQ(restorer_->counters().failures, 1U);
  EXPECT_TRUE(must(reader_->archived_order(id)));
  std::filesystem::rename(archives() / "elsewhere", archives() / "year-1");
  EXPECT_TRUE(restore(row_of(id)));
}

TEST_P(RestoreTest, ALineOfAnArchivedOrderMatchesAfterItsRestore) {
  const WholeOrder order = unmatched();
  const MatchCounts counts = compare(line_of(order));
  EXPECT_EQ(counts.matched, 1);
  EXPECT_EQ(counts.differences, 0);
  EXPECT_TRUE(must(reader_->order(order.rows.order.id)));
  EXPECT_TRUE(has_match(order.rows.receipts.front()));
  EXPECT_EQ(violations(), 0U);
}

TEST_P(RestoreTest, AFundsLineOfAnArchivedOrderIsComparedAfterItsRestore) {
  const WholeOrder order = unmatched();
  StatementLine line = line_of(order);
  line.amount += 1;
  const MatchCounts counts = compare(line, true, StatementKind::funds);
  EXPECT_EQ(counts.differences, 1);
  EXPECT_TRUE(must(reader_->order(order.rows.order.id)));
  const auto found = must(reader_->differences({.difference_class = DifferenceClass::amount_mismatch}, {.limit = 10}));
  EXPECT_EQ(std::ranges::count(found.rows, order.rows.receipts.front().id.value, &Difference::document_id), 1);
  EXPECT_EQ(violations(), 0U);
}

TEST_P(RestoreTest, AFundsLineOfARefundFindsItsArchivedOrder) {
  const auto is_own = [](const Refund& row) {
    return row.state == RefundState::succeeded && row.origin == RefundOrigin::merchant;
  };
  const auto orders = archived([&](const WholeOrder& order) {
    return order.rows.receipts.size() == 1 && order.rows.receipts.front().channel == "sandbox" &&
           std::ranges::count_if(order.rows.refunds, is_own) == 1;
  });
  ASSERT_FALSE(orders.empty());
  const WholeOrder& order = orders.front();
  const Refund& refund = *std::ranges::find_if(order.rows.refunds, is_own);
  StatementLine by_number{.line_no = 1,
                          .kind = LineKind::refund,
                          .out_refund_no = refund.out_refund_no,
                          .currency = refund.currency,
                          .amount = -refund.amount,
                          .at = refund.created_at};
  StatementLine by_trade = by_number;
  by_trade.out_refund_no.clear();
  by_trade.channel_trade_no = order.rows.receipts.front().channel_trade_no;
  const MatchCounts unknown = compare(by_number, false, StatementKind::funds);
  EXPECT_EQ(unknown.differences, 1) << "without the archive";
  for (const StatementLine& line : {by_number, by_trade}) {
    const MatchCounts counts = compare(line, true, StatementKind::funds);
    EXPECT_TRUE(must(reader_->order(order.rows.order.id)));
    EXPECT_EQ(counts.matched + counts.differences, 1);
    close();
    archive(line.out_refund_no.empty() ? "year-3" : "year-2");
    open();
    EXPECT_TRUE(must(reader_->archived_order(order.rows.order.id)));
  }
  EXPECT_EQ(violations(), 1U) << "the match is in a statement that the store has as one of trades";
}

TEST_P(RestoreTest, ALineWithAMatchRestoresNothing) {
  const WholeOrder order = unmatched();
  compare(line_of(order));
  close();
  archive("year-2");
  open();
  ASSERT_TRUE(must(reader_->archived_order(order.rows.order.id)));
  const MatchCounts counts = compare(line_of(order));
  EXPECT_EQ(counts.matched, 1);
  EXPECT_EQ(counts.recorded, 1);
  EXPECT_FALSE(must(reader_->order(order.rows.order.id)));
}

TEST_P(RestoreTest, WithoutARestoreALineOfAnArchivedOrderIsADifference) {
  const WholeOrder order = unmatched();
  const MatchCounts counts = compare(line_of(order), false);
  EXPECT_EQ(counts.differences, 1);
  EXPECT_TRUE(must(reader_->archived_order(order.rows.order.id)));
  EXPECT_EQ(violations(), 0U);
}

}  // namespace
}  // namespace finality::audit
