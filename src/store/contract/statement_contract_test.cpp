// Store contract tests of statements, their files and matches, and of differences.
#include <fmt/format.h>

#include "store/contract/reader_contract.h"

namespace finality::store_contract {
namespace {

constexpr ChannelAccountId kAccount{5};

class Statements {
 public:
  Statements(RowFiller& filler, IdGenerator& ids) : filler_(filler), ids_(ids) {}

  Statement& add(const std::string& date, StatementState state) {
    Statement& row = rows.emplace_back(filler_.row<Statement>());
    row.id = StatementId{ids_.next()};
    row.merchant_id = kPlatform;
    row.channel_account_id = kAccount;
    row.kind = StatementKind::trades;
    row.funds_account.clear();
    row.date = date;
    row.state = state;
    row.due_at.reset();
    row.children = 0;
    return row;
  }
  void insert_into(WorkingSet& changes) const {
    for (const Statement& row : rows) changes.statements.insert(row.id, {row, {}, {}});
  }

  std::vector<Statement> rows;

 private:
  RowFiller& filler_;
  IdGenerator& ids_;
};

TEST_P(ReaderContract, ListsStatementsByDayAndState) {
  Statements all(this->filler_, *this->ids_);
  all.add("2026-09-19", StatementState::matched);
  all.add("2026-09-20", StatementState::matched);
  all.add("2026-09-20", StatementState::received).file_version = 2;
  all.rows[1].file_version = 1;
  WorkingSet rows;
  all.insert_into(rows);
  ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
  const auto id = [&](std::size_t i) { return all.rows[i].id.value; };
  const auto found = [&](const StatementFilter& filter) {
    return [this, filter](const Page& page) {
      return ids_of(must(this->reader_->statements(filter, page)), [](const Statement& row) { return row.id; });
    };
  };
  expect_pages({id(2), id(1), id(0)}, found({}));
  expect_pages({id(2), id(1)}, found({.channel_account_id = kAccount, .from = "2026-09-20", .to = "2026-09-20"}));
  expect_pages({id(0)}, found({.to = "2026-09-19"}));
  expect_pages({id(1), id(0)}, found({.kind = StatementKind::trades, .state = StatementState::matched}));
  EXPECT_TRUE(found({.channel_account_id = ChannelAccountId{6}})({.limit = 9}).first.empty());
}

TEST_P(ReaderContract, FindsTheNewestStatementOfADayAndSource) {
  Statements all(this->filler_, *this->ids_);
  const auto add = [&](const std::string& date, StatementSource source, std::int64_t file_version) {
    Statement& row = all.add(date, StatementState::matched);
    row.source = source;
    row.file_version = file_version;
  };
  add("2026-09-19", StatementSource::fetched, 9);
  add("2026-09-20", StatementSource::fetched, 2);
  add("2026-09-20", StatementSource::fetched, 1);
  add("2026-09-20", StatementSource::uploaded, 3);
  WorkingSet rows;
  all.insert_into(rows);
  ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
  const auto newest = [&](StatementKind kind, const std::string& date, StatementSource source) {
    return must(this->reader_->newest_statement(kAccount, kind, "", date, source));
  };
  expect_same(newest(StatementKind::trades, "2026-09-20", StatementSource::fetched).value(), all.rows[1]);
  expect_same(newest(StatementKind::trades, "2026-09-20", StatementSource::uploaded).value(), all.rows[3]);
  EXPECT_FALSE(newest(StatementKind::trades, "2026-09-19", StatementSource::uploaded));
  EXPECT_FALSE(newest(StatementKind::funds, "2026-09-20", StatementSource::fetched));
}

TEST_P(ReaderContract, FindsDueStatementsOldestFirst) {
  Statements all(this->filler_, *this->ids_);
  all.add("2026-09-18", StatementState::expected).due_at = kNow;
  all.add("2026-09-19", StatementState::expected).due_at = kNow - std::chrono::seconds(1);
  all.add("2026-09-20", StatementState::expected).due_at = kNow + std::chrono::seconds(1);
  all.add("2026-09-21", StatementState::matched);
  WorkingSet rows;
  all.insert_into(rows);
  ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
  const auto due = must(this->reader_->due_statements(kNow, 10, {}));
  ASSERT_EQ(due.size(), 2U);
  EXPECT_EQ(due[0].id, all.rows[1].id);
  EXPECT_EQ(due[1].id, all.rows[0].id);
  EXPECT_EQ(must(this->reader_->due_statements(kNow, 1, {})).size(), 1U);
}

TEST_P(ReaderContract, PagesReachEachDueStatement) {
  Statements all(this->filler_, *this->ids_);
  for (const int seconds : {2, 1, 1, 0, 1}) {  // several are due at the same instant
    Statement& row = all.add(fmt::format("2026-09-{}", 10 + all.rows.size()), StatementState::expected);
    row.due_at = kNow - std::chrono::seconds(seconds);
  }
  WorkingSet rows;
  all.insert_into(rows);
  ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
  std::vector<StatementId> found;
  DuePlace behind;
  while (true) {
    const auto page = must(this->reader_->due_statements(kNow, 2, behind));
    for (const Statement& row : page) found.push_back(row.id);
    if (page.size() < 2) break;
    behind = {page.back().due_at.value(), page.back().id.value};
  }
  const auto id = [&](std::size_t i) { return all.rows[i].id; };
  EXPECT_EQ(found, (std::vector{id(0), id(1), id(2), id(4), id(3)}));
}

TEST_P(ReaderContract, ReadsAStatementWithItsTotalsAndParts) {
  StatementAggregate made = make_aggregate<StatementAggregate>(this->filler_);
  made.statement.merchant_id = kPlatform;
  for (StatementTotal& total : made.totals) total.merchant_id = kPlatform;
  for (StatementMovement& movement : made.movements) movement.merchant_id = kPlatform;
  StatementPart part{made.statement.id, 1, kPlatform, {std::string("\0\xFFpart", 6)}};
  WorkingSet rows;
  rows.statements.insert(made.statement.id, made);
  rows.statement_parts.push_back(part);
  ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
  const auto found = must(this->reader_->statement(made.statement.id));
  ASSERT_TRUE(found.has_value());
  expect_same(&*found, made);
  expect_same(must(this->reader_->statement_part(made.statement.id, 1)).value(), part);
  EXPECT_FALSE(must(this->reader_->statement_part(made.statement.id, 0)));
  EXPECT_FALSE(must(this->reader_->statement(StatementId{kLargestId})));
}

TEST_P(ReaderContract, ListsDifferencesOfAllMerchantsOrOfOne) {
  std::vector<Difference> written;
  WorkingSet rows;
  for (int i = 0; i < 3; ++i) {
    Difference& row = written.emplace_back(this->filler_.row<Difference>());
    row.id = DifferenceId{this->ids_->next()};
    row.merchant_id = i == 1 ? kOtherMerchant : kMerchant;
    row.channel_account_id = kAccount;
    row.date = i == 2 ? "2026-09-21" : "2026-09-20";
    row.difference_class = i == 0 ? DifferenceClass::day_cut : DifferenceClass::amount_mismatch;
    row.state = i == 0 ? DifferenceState::carried : DifferenceState::open;
    row.changes_balance = i == 2;
    row.kind = i == 1 ? StatementKind::funds : StatementKind::trades;
    row.children = 0;
    rows.differences.insert(row.id, {row, {}});
  }
  ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
  const auto id = [&](std::size_t i) { return written[i].id.value; };
  const auto found = [&](const DifferenceFilter& filter) {
    return [this, filter](const Page& page) {
      return ids_of(must(this->reader_->differences(filter, page)), [](const Difference& row) { return row.id; });
    };
  };
  expect_pages({id(2), id(1), id(0)}, found({}));
  expect_pages({id(2), id(0)}, found({.merchant_id = kMerchant}));
  expect_pages({id(1), id(0)}, found({.channel_account_id = kAccount, .from = "2026-09-20", .to = "2026-09-20"}));
  expect_pages({id(0)}, found({.difference_class = DifferenceClass::day_cut}));
  expect_pages({id(2), id(1)}, found({.state = DifferenceState::open}));
  expect_pages({id(2)}, found({.changes_balance = true}));
  expect_pages({id(1), id(0)}, found({.changes_balance = false}));
  expect_pages({id(1)}, found({.kind = StatementKind::funds}));
  expect_same(must(this->reader_->difference(written[0].id)).value().difference, written[0]);
}

TEST_P(ReaderContract, FindsTheEntriesOfAChannelAccountWithoutAMatch) {
  WorkingSet rows;
  std::vector<Entry> entries;
  Account account = this->filler_.row<Account>();
  account.kind = AccountKind::channel_receivable;
  account.channel_account_id = kAccount;
  rows.accounts.insert(account.id, account);
  for (int i = 0; i < 5; ++i) {
    Entry& entry = entries.emplace_back(this->filler_.row<Entry>());
    entry.id = EntryId{this->ids_->next()};
    entry.account_id = account.id;
    entry.document_type = ObjectType::receipt;
    entry.type = EntryType::receipt_accepted;
    if (i == 4) entry.document_id = entries[2].document_id;
    if (i == 4) entry.type = EntryType::receipt_written_off;  // the line of the document does not report it
    rows.entries.push_back(entry);
  }
  StatementMatch match = this->filler_.row<StatementMatch>();
  match.document_id = entries[1].document_id;
  rows.statement_matches.insert(match.document_id, match);
  FundsMatch funds_match = this->filler_.row<FundsMatch>();
  funds_match.document_id = entries[2].document_id;
  rows.funds_matches.insert(funds_match.document_id, funds_match);
  ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
  const EntrySpan all{EntryId{entries.front().id.value - 1}, entries.back().id};
  const auto unmatched = [&](StatementKind kind, const EntrySpan& span, std::size_t limit) {
    return must(this->reader_->unmatched_entries(kAccount, kind, span, limit));
  };
  expect_same(unmatched(StatementKind::trades, all, 10), {entries[0], entries[2], entries[3], entries[4]});
  expect_same(unmatched(StatementKind::trades, {entries[0].id, entries[2].id}, 10), {entries[2]});
  expect_same(unmatched(StatementKind::funds, all, 10), {entries[0], entries[1], entries[3], entries[4]});
  EXPECT_EQ(unmatched(StatementKind::trades, all, 2).size(), 2U);
  EXPECT_TRUE(must(this->reader_->unmatched_entries(ChannelAccountId{6}, StatementKind::trades, all, 10)).empty());
}

TEST_P(ReaderContract, ListsTheFundsMatchesOfAStatementByLine) {
  WorkingSet rows;
  std::vector<FundsMatch> matches;
  for (int i = 0; i < 3; ++i) {
    FundsMatch& match = matches.emplace_back(this->filler_.row<FundsMatch>());
    match.statement_id = StatementId{i == 1 ? 8 : 7};
    match.line_no = 10 - i;
    rows.funds_matches.insert(match.document_id, match);
  }
  ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
  expect_same(must(this->reader_->funds_matches(StatementId{7}, 10)), {matches[2], matches[0]});
  expect_same(must(this->reader_->funds_matches(StatementId{7}, 1)), {matches[2]});
}

TEST_P(ReaderContract, FindsTheRootOfThePostingOfADocument) {
  const RefundId refund{first_id_at(Time{1'790'000'000'000})};
  const EntryId late{first_id_at(Time{1'790'000'001'000})};
  WorkingSet rows;
  for (const EntryId id : {EntryId{refund.value + 1}, EntryId{refund.value + 2}, late}) {
    Entry entry = this->filler_.row<Entry>();
    entry.id = id;
    entry.merchant_id = MerchantId{7};
    entry.document_id = id == EntryId{refund.value + 1} ? 5 : refund.value;
    entry.root_id = id == late ? 9 : 8;
    rows.entries.push_back(entry);
  }
  ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
  EXPECT_EQ(must(this->reader_->root_of_posting(MerchantId{7}, refund)), 8);
  EXPECT_EQ(must(this->reader_->root_of_posting(MerchantId{6}, refund)), 0) << "of another merchant";
  EXPECT_EQ(must(this->reader_->root_of_posting(MerchantId{7}, RefundId{refund.value + 2})), 0) << "posted later";
}

TEST_P(ReaderContract, SumsTheEntriesOfAChannelAccountByType) {
  WorkingSet rows;
  Account account = this->filler_.row<Account>();
  account.kind = AccountKind::channel_receivable;
  account.channel_account_id = kAccount;
  rows.accounts.insert(account.id, account);
  const Time start{1'790'000'000'000};
  const EntryType types[] = {EntryType::receipt_accepted, EntryType::receipt_accepted, EntryType::refund_succeeded,
                             EntryType::receipt_accepted};
  for (int i = 0; i < 4; ++i) {
    Entry entry = this->filler_.row<Entry>();
    entry.created_at = start + std::chrono::minutes(i);
    const Duration ahead = std::chrono::hours(i == 1 ? 30 : 0);  // the clock was ahead and has been set back
    entry.id = EntryId{first_id_at(entry.created_at + ahead)};
    entry.account_id = account.id;
    entry.type = types[i];
    entry.currency = *parse_currency("CNY");
    entry.amount = i == 2 ? 5 : -10;
    rows.entries.push_back(entry);
  }
  ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
  const auto sums = must(this->reader_->entry_sums(kAccount, start, start + std::chrono::minutes(3)));
  ASSERT_EQ(sums.size(), 2U);
  EXPECT_EQ(sums[0].type, EntryType::receipt_accepted);
  EXPECT_EQ(sums[0].entries, 2);
  EXPECT_EQ(sums[0].amount, -20);
  EXPECT_EQ(sums[1].type, EntryType::refund_succeeded);
  EXPECT_EQ(sums[1].amount, 5);
  EXPECT_EQ(sums[1].currency, *parse_currency("CNY"));
  EXPECT_TRUE(must(this->reader_->entry_sums(ChannelAccountId{6}, start, start + std::chrono::hours(1))).empty());
  expect_same(must(this->reader_->accounts_of_channel_account(kAccount)), {account});
}

TEST_P(ReaderContract, FindsTheMatchOfALine) {
  const StatementMatch match = this->filler_.row<StatementMatch>();
  WorkingSet rows;
  rows.statement_matches.insert(match.document_id, match);
  ASSERT_EQ(this->commit(rows), CommitOutcome::ok);
  expect_same(must(this->reader_->match_of_line(match.merchant_id, match.line)).value(), match);
  EXPECT_FALSE(must(this->reader_->match_of_line(kPlatform, match.line)));
  EXPECT_FALSE(must(this->reader_->match_of_line(match.merchant_id, Hash16{})));
}

TEST_P(ReaderContract, AnOrderThatIsNotArchivedCannotBeRestored) {
  const SampleRows all = make_sample_rows(this->filler_);
  auto order = std::make_shared<const WholeOrder>(WholeOrder{.rows = all.order});
  WorkingSet rows;
  rows.restored_orders.push_back({order, "year-1-0a1b2c3d"});
  rows.accept();
  EXPECT_TRUE(rows.changed());
  EXPECT_EQ(this->commit(rows), CommitOutcome::conflict);
  EXPECT_FALSE(must(this->reader_->order(all.order.order.id)));
}

TEST_P(ReaderContract, LoadsReadSetsLikeASession) {
  const SampleRows all = make_sample_rows(this->filler_);
  this->write(all);
  ReadSet reads;
  reads.owners = all.owners();
  reads.payments = {all.order.payments.front().id, PaymentId{1}};
  reads.statement_matches = {all.statement_match.document_id, 1};
  reads.funds_matches = {all.funds_match.document_id, 1};
  reads.keys = {{all.receipt_key.hash}};
  WorkingSet rows;
  ASSERT_TRUE(this->reader_->load(reads, rows).has_value());
  expect_same(rows.orders.find(all.order.order.id), all.order);
  EXPECT_EQ(rows.order_of_payment.find(PaymentId{1}), nullptr);
  expect_same(rows.statement_matches.find(all.statement_match.document_id), all.statement_match);
  EXPECT_EQ(rows.statement_matches.find(1), nullptr);
  expect_same(rows.funds_matches.find(all.funds_match.document_id), all.funds_match);
  EXPECT_EQ(rows.funds_matches.find(1), nullptr);
  expect_same(rows.keys.find(all.receipt_key.hash), all.receipt_key);
}

}  // namespace
}  // namespace finality::store_contract
