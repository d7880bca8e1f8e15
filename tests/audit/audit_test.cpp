// Tests of the auditor: a store written by real commands has no violation, and for every corruption the auditor reports
// the invalid row.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>
#include <tuple>

#include "base/check.h"
#include "corruptions.h"
#include "damaged_store.h"
#include "model/ids.h"
#include "store/audit/readable_id.h"

namespace finality {

void PrintTo(const Violation& violation, std::ostream* out) {
  *out << violation.invariant << ": " << violation.object_id << ": " << violation.detail;
}

}  // namespace finality

namespace finality::audit {
void PrintTo(const Corruption& corruption, std::ostream* out) { *out << corruption.name; }

namespace {

std::string place_name(Place place) { return place == Place::sqlite ? "Sqlite" : "Postgres"; }

class AuditTest : public testing::Test {
 protected:
  void SetUp() override { store_ = make_damaged_store(place()); }
  virtual Place place() const { return Place::sqlite; }

  std::vector<Violation> audit() { return store_->audit(); }
  /// Asks one question of the auditor.
  std::vector<Violation> violations_of(const std::string& invariant) {
    const auto question = std::ranges::find(questions_, invariant, &AuditQuestion::invariant);
    FINALITY_CHECK(question != questions_.end(), "the auditor has no such question: " + invariant);
    const std::string reported = "WITH reported(id, detail) AS (" + question->sql + ") SELECT ";
    const std::vector<std::string> ids = ask(reported + "id FROM reported ORDER BY id, detail");
    const std::vector<std::string> details = ask(reported + "detail FROM reported ORDER BY id, detail");
    std::vector<Violation> violations;
    for (std::size_t i = 0; i < ids.size(); ++i)
      violations.push_back({invariant, readable_id(question->object_type, ids[i]), details[i]});
    return violations;
  }
  /// Returns whether any question of the auditor reports a violation. Asks the question that reported the last one
  /// first: similar damage is reported by the same question.
  bool is_damage_reported() {
    const auto reporting = std::ranges::find_if(questions_, [this](const AuditQuestion& question) {
      return !ask("SELECT 1 FROM (" + question.sql + ") LIMIT 1").empty();
    });
    if (reporting == questions_.end()) return false;
    std::rotate(questions_.begin(), reporting, reporting + 1);
    return true;
  }
  void damage(const std::string& sql) { store_->damage(sql); }
  std::vector<std::string> ask(const std::string& query) { return store_->ask(query); }
  /// Returns the row's name in the auditor's reports.
  std::string name_of_row(const Finding& finding) {
    const std::vector<std::string> ids = ask("SELECT " + finding.id);
    FINALITY_CHECK(ids.size() == 1 && !ids.front().empty(), "the store has no such row: " + finding.id);
    const auto type = parse_enum<ObjectType>(finding.type);
    return type ? to_text(ObjectRef(*type, std::stoll(ids.front()))) : finding.type + ":" + ids.front();
  }

 private:
  std::unique_ptr<DamagedStore> store_;
  std::vector<AuditQuestion> questions_ = audit_questions();
};

using PlacedCorruption = std::tuple<Place, Corruption>;

class AuditCorruptionTest : public AuditTest, public testing::WithParamInterface<PlacedCorruption> {
 protected:
  Place place() const override { return std::get<Place>(GetParam()); }
};

/// Whether the corruption is the first one of its group of invariants.
bool is_sample(const Corruption& corruption) {
  const auto group_of = [](const Corruption& one) {
    const std::string& invariant = one.findings.front().invariant;
    return invariant.substr(0, invariant.find(' '));
  };
  static const std::vector<Corruption> all = corruptions();
  const auto first = std::ranges::find(all, group_of(corruption), group_of);
  return first->name == corruption.name;
}

// On SQLite the whole audit runs. PostgreSQL plans all queries anew for each corruption, so the whole audit runs there
// for one corruption of each group; for the others, only the expected questions are asked.
TEST_P(AuditCorruptionTest, IsReportedWithItsRow) {
  const Corruption& corruption = std::get<Corruption>(GetParam());
  std::vector<std::string> rows;
  for (const Finding& finding : corruption.findings) rows.push_back(name_of_row(finding));
  damage(corruption.sql);
  std::vector<Violation> violations;
  const bool is_whole = place() == Place::sqlite || is_sample(corruption);
  if (is_whole) violations = audit();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string& invariant = corruption.findings[i].invariant;
    if (!is_whole) violations = violations_of(invariant);
    EXPECT_TRUE(std::ranges::any_of(violations,
                                    [&](const Violation& violation) {
                                      return violation.invariant == invariant && violation.object_id == rows[i] &&
                                             !violation.detail.empty();
                                    }))
        << "not found: " << invariant << ": " << rows[i] << "\nfound: " << testing::PrintToString(violations);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, AuditCorruptionTest,
                         testing::Combine(testing::Values(Place::sqlite, Place::postgres),
                                          testing::ValuesIn(corruptions())),
                         [](const auto& info) {
                           return place_name(std::get<Place>(info.param)) + std::get<Corruption>(info.param).name;
                         });

class AuditPlaceTest : public AuditTest, public testing::WithParamInterface<Place> {
 protected:
  Place place() const override { return GetParam(); }
};

INSTANTIATE_TEST_SUITE_P(Every, AuditPlaceTest, testing::Values(Place::sqlite, Place::postgres),
                         [](const auto& info) { return place_name(info.param); });

TEST_P(AuditPlaceTest, AStoreWrittenByRealCommandsHasNoViolations) {
  EXPECT_EQ(testing::PrintToString(audit()), "{}");
  for (const std::string_view name : audited_tables()) {
    const std::string table(name);
    EXPECT_NE(ask("SELECT count(*) FROM " + table).front(), "0") << table;
  }
}

TEST_P(AuditPlaceTest, TheStoreHasRowsInEveryState) {
  const auto states_of = [&](const std::string& rows) {
    return ask("SELECT DISTINCT state FROM " + rows + " ORDER BY 1");
  };
  EXPECT_EQ(states_of("accounts WHERE kind='user'"), (std::vector<std::string>{"closed", "frozen", "open"}));
  EXPECT_EQ(states_of("transfers"), (std::vector<std::string>{"posted", "refused", "reversed"}));
  EXPECT_EQ(states_of("holds"), (std::vector<std::string>{"expired", "held", "posted", "voided"}));
  EXPECT_EQ(states_of("adjustments"), (std::vector<std::string>{"posted", "proposed", "rejected"}));
  EXPECT_EQ(states_of("unknown_receipts"), (std::vector<std::string>{"assigned", "cancelled", "unassigned"}));
  EXPECT_EQ(states_of("statements"), (std::vector<std::string>{"downloading", "empty", "expected", "matched",
                                                               "matching", "received", "rejected"}));
  EXPECT_EQ(states_of("differences"), (std::vector<std::string>{"carried", "open", "repaired", "resolved"}));
  EXPECT_EQ(states_of("captures"), (std::vector<std::string>{"failed", "processing", "succeeded"}));
  EXPECT_EQ(states_of("authorizations WHERE channel='wallet'"),
            (std::vector<std::string>{"authorized", "captured", "failed", "released"}));
  EXPECT_EQ(states_of("payments WHERE channel='wallet'"), (std::vector<std::string>{"failed", "succeeded"}));
  EXPECT_EQ(
      ask("SELECT count(DISTINCT type) FROM entries WHERE type IN ('transfer', 'transfer_reversed', 'hold_posted', "
          "'wallet_paid', 'wallet_refunded', 'fee_charged', 'fee_returned')"),
      std::vector<std::string>{"7"});
}

TEST_F(AuditTest, EveryQuestionHasACorruptionThatTriggersIt) {
  std::set<std::string> triggered;
  for (const Corruption& corruption : corruptions())
    for (const Finding& finding : corruption.findings) triggered.insert(finding.invariant);
  std::set<std::string> asked;
  for (const AuditQuestion& question : audit_questions()) EXPECT_TRUE(asked.insert(question.invariant).second);
  EXPECT_EQ(triggered, asked);
}

/// The column that identifies a row of the table.
std::string key_of(std::string_view table) {
  if (table == "keys") return "hash";
  if (table == "statement_matches" || table == "funds_matches") return "document_id";
  return table == "statement_parts" ? "rowid" : "id";
}

TEST_F(AuditTest, EveryDeletedRowIsDetected) {
  for (const std::string_view table : audited_tables()) {
    if (table == "events") continue;  // see EveryDeletedStepIsDetected
    const std::string name(table);
    const std::string key = key_of(name);
    for (const std::string& id : ask("SELECT quote(" + key + ") FROM " + name)) {
      damage("BEGIN; DELETE FROM " + name + " WHERE " + key + "=" + id);
      EXPECT_TRUE(is_damage_reported()) << name << " " << id << " was deleted, and the auditor reported nothing";
      damage("ROLLBACK");
    }
  }
  EXPECT_FALSE(is_damage_reported());
}

TEST_F(AuditTest, EveryDeletedStepIsDetected) {
  for (const std::string& id : ask("SELECT id FROM events")) {
    const auto event =
        ask("SELECT object_type || ' ' || event || ' from ' || coalesce(from_state, '') FROM events WHERE id=" + id);
    damage("BEGIN; DELETE FROM events WHERE id=" + id);
    EXPECT_TRUE(is_damage_reported()) << event.front() << " was deleted, and the auditor reported nothing";
    damage("ROLLBACK");
  }
  EXPECT_FALSE(is_damage_reported());
}

/// The columns that define the kinds of rows in a table. Rows of one kind are written by the same code and audited by
/// the same question, so testing one row of each kind is enough.
const std::map<std::string, std::string> kKinds = {
    {"orders", "state, close_requested, parked"},
    {"payments", "state, channel"},
    {"authorizations", "state, channel"},
    {"captures", "state, origin"},
    {"holds", "source, state"},
    {"accounts", "kind, state"},
    {"transfers", "source, state"},
    {"fees", "channel"},
    {"prices", "name"},
    {"channel_rates", "from_date"},
    {"adjustments", "type, account, state"},
    {"archived_orders", "archive"},
    {"entries", "type, amount > 0"},
    {"events", "object_type, from_state IS NULL, journal_id IS NULL"},
    {"keys", "(SELECT object_type FROM events WHERE object_id = keys.id)"},
};

/// Builds a query for the keys of the first row of each kind, among the rows that match `where`.
std::string one_of_each_kind(const std::string& table, const std::string& key, const std::string& where) {
  const auto kind = kKinds.find(table);
  return fmt::format(
      "SELECT quote({1}) FROM (SELECT {1}, row_number() OVER (PARTITION BY {2} ORDER BY {1}) AS place FROM {0} "
      "WHERE {3}) WHERE place = 1",
      table, key, kind == kKinds.end() ? "state" : kind->second, where);
}

/// A column and the expression for its new value. The test changes it in one row after the other.
struct ChangedColumn {
  std::string table;
  std::string column;
  std::string value;
  std::string where = "1";  // rows in which the auditor must detect the change
};

TEST_F(AuditTest, EveryChangedStateAmountOrVersionIsDetected) {
  const std::string has_payment =
      "EXISTS (SELECT 1 FROM payments p WHERE p.order_id=orders.id) OR "
      "EXISTS (SELECT 1 FROM authorizations a WHERE a.order_id=orders.id)";
  std::vector<ChangedColumn> columns = {
      {"orders", "amount", "amount+1", has_payment},  // otherwise the amount is stored only here
      {"orders", "currency", "'JPY'", has_payment},
      {"orders", "paid_amount", "paid_amount+1"},
      {"orders", "refunded_amount", "refunded_amount+1"},
      {"orders", "merchant_id", "merchant_id+1"},
      {"orders", "close_requested", "1-close_requested"},
      {"orders", "parked", "1-parked", "parked=0"},
      {"payments", "amount", "amount-1"},
      {"payments", "currency", "'JPY'"},
      {"payments", "order_id", "order_id+1"},
      {"payments", "paid_amount", "paid_amount-1"},
      {"payments", "reversed_amount", "reversed_amount+1"},
      {"receipts", "amount", "amount-1"},
      {"receipts", "currency", "'JPY'"},
      {"receipts", "payment_id", "payment_id+1"},
      {"receipts", "order_id", "order_id+1"},
      {"receipts", "merchant_id", "merchant_id+1"},
      {"refunds", "amount", "amount+1"},
      {"reversals", "amount", "amount+1"},
      {"reversals", "receipt_id", "receipt_id+1"},
      {"payments", "account_id", "account_id+1", "account_id IS NOT NULL"},
      {"payments", "channel", "'elsewhere'"},
      {"payments", "channel_account_id", "channel_account_id+1"},
      {"payments", "funds", "'merchant'"},
      {"receipts", "channel_account_id", "channel_account_id+1"},
      {"refunds", "channel_account_id", "channel_account_id+1"},
      {"reversals", "channel_account_id", "channel_account_id+1"},
      {"authorizations", "amount", "amount-1"},
      {"authorizations", "currency", "'JPY'"},
      {"authorizations", "order_id", "order_id+1"},
      {"authorizations", "authorized_amount", "authorized_amount+1", "state='captured' OR state='released'"},
      {"authorizations", "captured_amount", "captured_amount+1"},
      {"authorizations", "released_amount", "released_amount+1", "released_amount=authorized_amount"},
      {"authorizations", "ordinal", "0"},
      {"authorizations", "account_id", "coalesce(account_id, 0)+1", "state<>'failed'"},  // a refused one has no hold
      {"authorizations", "channel", "'elsewhere'"},
      {"authorizations", "channel_account_id", "channel_account_id+1"},
      {"authorizations", "funds", "'merchant'"},
      {"authorizations", "end_reason", "NULL", "state='captured' OR state='released'"},
      {"captures", "amount", "amount+1", "state='succeeded'"},  // only this column stores other amounts
      {"captures", "currency", "'JPY'"},
      {"captures", "order_id", "order_id+1"},
      {"captures", "authorization_id", "authorization_id+1"},
      {"captures", "merchant_capture_no", "''", "origin='merchant'"},
      {"captures", "ordinal", "0"},
      {"captures", "channel_account_id", "channel_account_id+1"},
      {"captures", "paid_amount", "paid_amount+1"},
      {"captures", "reversed_amount", "reversed_amount+1"},
      {"captures", "refunded_amount", "refunded_amount+1"},
      {"captures", "fee_amount", "fee_amount+1"},
      {"receipts", "capture_id", "coalesce(capture_id, 0)+1"},
      {"receipts", "ordinal", "ordinal+1", "capture_id IS NULL"},
      {"refunds", "authorization_id", "coalesce(authorization_id, 0)+1"},
      {"refunds", "capture_id", "coalesce(capture_id, 0)+1"},
      {"accounts", "channel_account_id", "coalesce(channel_account_id, 0)+1"},
      {"channel_accounts", "state", "'nowhere'"},
      {"channel_accounts", "version", "version+1"},
      {"channel_rates", "channel_account_id", "channel_account_id+1"},
      {"channel_rates", "version", "version+1"},
      {"payments", "fee_amount", "fee_amount+1"},
      {"payments", "fee_refundable", "1-fee_refundable", "order_id IN (SELECT order_id FROM refunds) AND fee_amount>0"},
      {"refunds", "fee_returned", "fee_returned+1"},
      {"accounts", "balance", "balance-1"},
      {"accounts", "held", "held+1"},
      {"accounts", "kind", "'bank'", "kind<>'bank'"},
      {"accounts", "lock_number", "lock_number+1"},
      {"accounts", "state", "'nowhere'"},
      {"accounts", "currency", "'JPY'", "last_entry_id IS NOT NULL"},  // an unused account may have any currency
      {"accounts", "merchant_id", "merchant_id+1"},
      {"accounts", "last_entry_id", "coalesce(last_entry_id, 0)+1"},
      {"accounts", "version", "version-1"},
      {"transfers", "amount", "amount+1", "state<>'refused'"},  // only this column stores a refused amount
      {"transfers", "currency", "'JPY'", "state='posted'"},
      {"transfers", "debit_account_id", "debit_account_id+1", "debit_account_id IS NOT NULL"},
      {"transfers", "credit_account_id", "credit_account_id+1", "credit_account_id IS NOT NULL"},
      {"transfers", "merchant_id", "merchant_id+1"},
      {"transfers", "source", "'elsewhere'", "source='wallet'"},
      {"transfers", "reference", "'elsewhere'", "source='wallet'"},
      {"transfers", "refusal", "CASE WHEN refusal IS NULL THEN 'account_frozen' END"},
      {"holds", "amount", "amount+1", "state='held'"},  // only this column stores the amount of a closed hold
      {"holds", "posted_amount", "posted_amount+1"},
      {"holds", "currency", "'JPY'"},
      {"holds", "account_id", "account_id+1"},
      {"holds", "credit_account_id", "credit_account_id+1"},
      {"holds", "merchant_id", "merchant_id+1"},
      {"holds", "due_at", "CASE WHEN due_at IS NULL THEN 1 END"},
      {"prices", "merchant_id", "merchant_id+1"},
      {"adjustments", "merchant_id", "merchant_id+1"},
      {"adjustments", "amount", "amount+1", "state='posted'"},  // only this column stores an amount that is not posted
      {"adjustments", "currency", "'JPY'", "state='posted'"},
      {"adjustments", "account", "'bank'", "account<>'bank'"},
      {"adjustments", "type", "'rounding'", "state='posted' AND type<>'rounding'"},
      {"adjustments", "channel", "'elsewhere'"},
      {"adjustments", "channel_account_id", "coalesce(channel_account_id, 0)+1"},
      {"adjustments", "funds", "'merchant'", "channel<>''"},
      {"adjustments", "decided_by", "proposed_by", "state<>'rejected'"},
      {"cases", "approved_by", "proposed_by", "approved_by IS NOT NULL"},
      {"cases", "proposed_by", "approved_by", "approved_by IS NOT NULL"},
      {"fees", "merchant_id", "merchant_id+1"},
      {"events", "merchant_id", "merchant_id+1"},
      {"entries", "type", "'receipt_written_off'"},
      {"entries", "amount", "amount+1"},
      {"entries", "currency", "'JPY'"},
      {"entries", "account_id", "account_id+1"},
      {"entries", "balance_before", "balance_before+1"},
      {"entries", "balance_after", "balance_after+1"},
      {"entries", "previous_id", "coalesce(previous_id, 0)+1"},
      {"entries", "journal_id", "journal_id+1"},
      {"entries", "document_id", "document_id+1"},
      {"entries", "ordinal", "ordinal+1"},
      {"events", "root_version", "root_version+100"},
      {"events", "root_type", "'receipt'"},
      {"events", "root_id", "root_id+1"},
      {"events", "object_type", "'receipt'"},
      {"events", "object_id", "object_id+1"},
      {"events", "from_state", "'nowhere'"},
      {"events", "to_state", "'nowhere'"},
      {"events", "cell", "CASE cell WHEN 'keep' THEN 'move' ELSE 'keep' END"},
      {"keys", "id", "id+1"},
      {"keys", "merchant_id", "merchant_id+1"},
      {"archived_orders", "merchant_id", "merchant_id+1"},
      {"unknown_receipts", "amount", "amount+1"},
      {"unknown_receipts", "currency", "'JPY'"},
      {"unknown_receipts", "merchant_id", "merchant_id+1"},
      {"unknown_receipts", "channel", "'elsewhere'"},
      {"unknown_receipts", "channel_account_id", "channel_account_id+1"},
      {"unknown_receipts", "funds", "'merchant'"},
      {"unknown_receipts", "assigned_to", "coalesce(assigned_to, 0)+1"},
      {"unknown_receipts", "is_contradicted", "1-is_contradicted"},
      {"statements", "merchant_id", "merchant_id+1"},
      {"statements", "parts", "parts+1"},
      {"statements", "lines", "lines+1"},
      {"statements", "recorded", "recorded+1", "state IN ('matched', 'empty')"},
      {"statements", "due_at", "CASE WHEN due_at IS NULL THEN 1 END"},
      {"differences", "merchant_id", "merchant_id+1"},
      {"differences", "amount", "amount+1", "subject='line adjusted'"},  // only this column stores other amounts
  };
  for (const std::string table : {"prices", "fees"}) columns.push_back({table, "version", "version+1"});
  for (const std::string table :
       {"orders", "payments", "authorizations", "captures", "receipts", "refunds", "reversals", "cases", "transfers",
        "holds", "deliveries", "webhook_endpoints", "unknown_receipts", "adjustments", "statements", "differences"}) {
    columns.push_back({table, "state", "'nowhere'"});
    if (table != "receipts") columns.push_back({table, "version", "version+1"});
  }
  for (const ChangedColumn& change : columns) {
    const std::string key = change.table == "keys" ? "hash" : "id";
    const auto rows = ask(one_of_each_kind(change.table, key, change.where));
    EXPECT_FALSE(rows.empty()) << change.table;
    for (const std::string& row : rows) {
      damage(
          fmt::format("BEGIN; UPDATE {} SET {}={} WHERE {}={}", change.table, change.column, change.value, key, row));
      EXPECT_TRUE(is_damage_reported()) << change.table << "." << change.column << " of " << row;
      damage("ROLLBACK");
    }
  }
  EXPECT_EQ(testing::PrintToString(audit()), "{}");
}

}  // namespace
}  // namespace finality::audit
