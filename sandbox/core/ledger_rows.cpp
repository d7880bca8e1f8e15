#include "sandbox/core/ledger_rows.h"

#include <array>

namespace finality::sandbox {
namespace {

// trades.next_at is the earlier of the planned event and the expiry of a waiting trade; null if both are absent, and
// while the planned event waits for the first attempt of a notification. holds.next_at is the same for holds, with the
// end of a hold instead of its expiry. notifications.next_at is the time of the next attempt; null after the
// acknowledgement or the last attempt. A notification has a trade_no or a hold_no; the other one is empty.
constexpr const char* kSchema = R"sql(
CREATE TABLE IF NOT EXISTS trades (
  trade_no TEXT PRIMARY KEY, channel TEXT NOT NULL, out_trade_no TEXT NOT NULL, state TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0), currency TEXT NOT NULL,
  paid INTEGER NOT NULL CHECK (paid >= 0), refunded INTEGER NOT NULL CHECK (refunded >= 0),
  payer TEXT NOT NULL, subject TEXT NOT NULL, scenario TEXT NOT NULL, notify_url TEXT NOT NULL, return_url TEXT,
  created_at INTEGER NOT NULL, paid_at INTEGER, expires_at INTEGER, act TEXT NOT NULL, act_at INTEGER,
  refund_refusals INTEGER NOT NULL, next_at INTEGER, product TEXT NOT NULL DEFAULT '', details TEXT NOT NULL DEFAULT '',
  opened INTEGER NOT NULL DEFAULT 1, outlives_decline INTEGER NOT NULL DEFAULT 0,
  returned INTEGER NOT NULL DEFAULT 0 CHECK (returned BETWEEN 0 AND refunded),
  reports_settlement INTEGER NOT NULL DEFAULT 0, settlement TEXT NOT NULL DEFAULT '',
  hold_no TEXT NOT NULL DEFAULT '', reported_no TEXT NOT NULL DEFAULT '', is_final INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS trades_number ON trades (channel, out_trade_no);
CREATE INDEX IF NOT EXISTS trades_next ON trades (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS trades_paid ON trades (channel, paid_at) WHERE paid_at IS NOT NULL;
CREATE TABLE IF NOT EXISTS outages (
  channel TEXT NOT NULL, out_trade_no TEXT NOT NULL, ends_at INTEGER NOT NULL, PRIMARY KEY (channel, out_trade_no));
CREATE TABLE IF NOT EXISTS refunds (
  refund_no TEXT PRIMARY KEY, channel TEXT NOT NULL, out_refund_no TEXT NOT NULL,
  trade_no TEXT NOT NULL REFERENCES trades, amount INTEGER NOT NULL CHECK (amount > 0), currency TEXT NOT NULL,
  state TEXT NOT NULL, created_at INTEGER NOT NULL, details TEXT NOT NULL DEFAULT '',
  settles_at INTEGER NOT NULL DEFAULT 0, stranded_at INTEGER, return_no TEXT NOT NULL DEFAULT '',
  settlement TEXT NOT NULL DEFAULT '', returned_at INTEGER, is_debited INTEGER NOT NULL DEFAULT 0,
  UNIQUE (channel, out_refund_no));
CREATE INDEX IF NOT EXISTS refunds_of_trade ON refunds (trade_no);
CREATE TABLE IF NOT EXISTS holds (
  hold_no TEXT PRIMARY KEY, channel TEXT NOT NULL, out_order_no TEXT NOT NULL, state TEXT NOT NULL,
  ended_by TEXT NOT NULL, amount INTEGER NOT NULL CHECK (amount > 0),
  authorized INTEGER NOT NULL CHECK (authorized >= 0), captured INTEGER NOT NULL CHECK (captured >= 0),
  released INTEGER NOT NULL CHECK (released BETWEEN 0 AND authorized), currency TEXT NOT NULL,
  is_unfunded INTEGER NOT NULL, shares_trade_no INTEGER NOT NULL, payer TEXT NOT NULL, subject TEXT NOT NULL,
  scenario TEXT NOT NULL, product TEXT NOT NULL, details TEXT NOT NULL, notify_url TEXT NOT NULL, return_url TEXT,
  created_at INTEGER NOT NULL, authorized_at INTEGER, capture_before INTEGER, expires_at INTEGER,
  reports_settlement INTEGER NOT NULL, act TEXT NOT NULL, act_at INTEGER, capture_faults INTEGER NOT NULL,
  release_faults INTEGER NOT NULL, next_at INTEGER, opened INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS holds_number ON holds (channel, out_order_no);
CREATE INDEX IF NOT EXISTS holds_next ON holds (next_at) WHERE next_at IS NOT NULL;
CREATE TABLE IF NOT EXISTS hold_releases (
  channel TEXT NOT NULL, out_request_no TEXT NOT NULL, hold_no TEXT NOT NULL REFERENCES holds,
  amount INTEGER NOT NULL CHECK (amount > 0), is_refused INTEGER NOT NULL, created_at INTEGER NOT NULL,
  PRIMARY KEY (channel, out_request_no));
CREATE INDEX IF NOT EXISTS hold_releases_of_hold ON hold_releases (hold_no);
CREATE TABLE IF NOT EXISTS movements (
  line_id TEXT PRIMARY KEY, channel TEXT NOT NULL, currency TEXT NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount <> 0), memo TEXT NOT NULL, withdrawal_day TEXT,
  UNIQUE (channel, currency, withdrawal_day));
CREATE TABLE IF NOT EXISTS statement_faults (
  channel TEXT NOT NULL, date TEXT NOT NULL, fault TEXT NOT NULL, PRIMARY KEY (channel, date, fault));
CREATE TABLE IF NOT EXISTS automatic_withdrawals (
  channel TEXT PRIMARY KEY, enabled INTEGER NOT NULL, since INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS notifications (
  id TEXT PRIMARY KEY, trade_no TEXT NOT NULL, type TEXT NOT NULL, url TEXT NOT NULL,
  body TEXT NOT NULL, created_at INTEGER NOT NULL, attempts INTEGER NOT NULL, copies INTEGER NOT NULL,
  forgery TEXT NOT NULL, next_at INTEGER, acknowledged_at INTEGER, hold_no TEXT NOT NULL DEFAULT '');
CREATE INDEX IF NOT EXISTS notifications_next ON notifications (next_at, id) WHERE next_at IS NOT NULL;
)sql";

// Columns to add to databases that an earlier version created: table, column, type.
constexpr std::array<std::array<const char*, 3>, 18> kNewColumns{
    {{"trades", "product", "TEXT NOT NULL DEFAULT ''"},
     {"trades", "details", "TEXT NOT NULL DEFAULT ''"},
     {"trades", "opened", "INTEGER NOT NULL DEFAULT 1"},
     {"trades", "outlives_decline", "INTEGER NOT NULL DEFAULT 0"},
     {"refunds", "details", "TEXT NOT NULL DEFAULT ''"},
     {"refunds", "settles_at", "INTEGER NOT NULL DEFAULT 0"},
     {"refunds", "stranded_at", "INTEGER"},
     {"refunds", "return_no", "TEXT NOT NULL DEFAULT ''"},
     {"trades", "returned", "INTEGER NOT NULL DEFAULT 0"},
     {"trades", "reports_settlement", "INTEGER NOT NULL DEFAULT 0"},
     {"trades", "settlement", "TEXT NOT NULL DEFAULT ''"},
     {"refunds", "settlement", "TEXT NOT NULL DEFAULT ''"},
     {"refunds", "returned_at", "INTEGER"},
     {"refunds", "is_debited", "INTEGER NOT NULL DEFAULT 0"},
     {"trades", "hold_no", "TEXT NOT NULL DEFAULT ''"},
     {"trades", "reported_no", "TEXT NOT NULL DEFAULT ''"},
     {"trades", "is_final", "INTEGER NOT NULL DEFAULT 0"},
     {"notifications", "hold_no", "TEXT NOT NULL DEFAULT ''"}}};

// Executed after the new columns exist. Fills the columns of returned refunds that an earlier version stored, and
// creates the indexes of new columns.
constexpr const char* kAfterColumns = R"sql(
UPDATE refunds SET returned_at = settles_at + 300 WHERE return_no <> '' AND returned_at IS NULL;
CREATE INDEX IF NOT EXISTS notifications_unsent ON notifications (trade_no || hold_no) WHERE attempts = 0;
CREATE INDEX IF NOT EXISTS trades_of_hold ON trades (hold_no) WHERE hold_no <> '';
CREATE INDEX IF NOT EXISTS trades_reported ON trades (reported_no) WHERE reported_no <> '';
)sql";

// Selected columns. read_trade() and read_refund() read them by position.
constexpr std::string_view kTradeColumns =
    "trade_no, channel, out_trade_no, state, amount, currency, paid, refunded, payer, subject, scenario, notify_url, "
    "return_url, created_at, paid_at, expires_at, act, act_at, refund_refusals, product, details, opened, "
    "outlives_decline, returned, reports_settlement, settlement, hold_no, reported_no, is_final";
constexpr std::string_view kRefundColumns =
    "refund_no, channel, out_refund_no, trade_no, amount, currency, state, created_at, details, settles_at, "
    "stranded_at, return_no, settlement, returned_at, is_debited";

}  // namespace

std::string select_trades(std::string_view rest) {
  return "SELECT " + std::string(kTradeColumns) + " FROM trades " + std::string(rest);
}

std::string select_refunds(std::string_view rest) {
  return "SELECT " + std::string(kRefundColumns) + " FROM refunds " + std::string(rest);
}

std::string insert_of_refund() {
  return "INSERT INTO refunds (" + std::string(kRefundColumns) + ") VALUES (" + parameters_of(kRefundColumns) + ")";
}

std::string parameters_of(std::string_view columns) {
  std::string parameters = "?";
  for (const char c : columns)
    if (c == ',') parameters += ", ?";
  return parameters;
}

Trade read_trade(const Rows& rows) {
  return {.trade_no = rows.text(0),
          .channel = rows.text(1),
          .out_trade_no = rows.text(2),
          .hold_no = rows.text(26),
          .reported_no = rows.text(27),
          .is_final = rows.integer(28) != 0,
          .state = read_enum<TradeState>(rows, 3),
          .amount = rows.integer(4),
          .currency = rows.text(5),
          .paid = rows.integer(6),
          .refunded = rows.integer(7),
          .returned = rows.integer(23),
          .payer = rows.text(8),
          .subject = rows.text(9),
          .scenario = rows.text(10),
          .product = rows.text(19),
          .details = rows.text(20),
          .notify_url = rows.text(11),
          .return_url = rows.text_or_null(12),
          .created_at = rows.time(13),
          .paid_at = rows.time_or_null(14),
          .settlement = rows.text(25),
          .expires_at = rows.time_or_null(15),
          .opened = rows.integer(21) != 0,
          .outlives_decline = rows.integer(22) != 0,
          .reports_settlement = rows.integer(24) != 0,
          .act = read_enum<Act>(rows, 16),
          .act_at = rows.time_or_null(17),
          .refund_refusals = rows.integer(18)};
}

Refund read_refund(const Rows& rows) {
  return {.refund_no = rows.text(0),
          .channel = rows.text(1),
          .out_refund_no = rows.text(2),
          .trade_no = rows.text(3),
          .amount = rows.integer(4),
          .currency = rows.text(5),
          .state = rows.text(6),
          .return_no = rows.text(11),
          .returned_at = rows.time_or_null(13),
          .is_debited = rows.integer(14) != 0,
          .details = rows.text(8),
          .notify_url = {},
          .created_at = rows.time(7),
          .stranded_at = rows.time_or_null(10),
          .settles_at = rows.time(9),
          .settlement = rows.text(12)};
}

Database open_with_schema(const std::string& path) {
  Database database(path);
  database.execute(kSchema);
  for (const auto& [table, column, type] : kNewColumns) {
    SqlStatement found = database.prepare("SELECT 1 FROM pragma_table_info(?) WHERE name = ?");
    if (Rows rows = found.rows(table, column); rows.next()) continue;
    database.execute(("ALTER TABLE " + std::string(table) + " ADD COLUMN " + column + " " + type).c_str());
  }
  database.execute(kAfterColumns);
  return database;
}

}  // namespace finality::sandbox
