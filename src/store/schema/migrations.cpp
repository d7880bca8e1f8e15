#include "store/schema/migrations.h"

#include <fmt/format.h>

namespace finality::store {
namespace {

// Times are milliseconds since 1970 UTC, money is in minor units, states are the words of the machines.
// Primary keys lead with a time-ordered id, so that writing goes on at the end of every table; what the world names is
// in `keys` and `idempotency_keys`, and both are narrow.
constexpr std::string_view kFirst = R"sql(
CREATE TABLE merchants (
  id {id}, name text NOT NULL, webhook_secret text NOT NULL, previous_webhook_secret text,
  previous_webhook_secret_until {int}, link_secret text NOT NULL, created_at {int} NOT NULL, version {int} NOT NULL);

CREATE TABLE api_keys (
  id {id}, merchant_id {int}, role text NOT NULL, name text NOT NULL, hash {bytes} NOT NULL,
  created_at {int} NOT NULL, revoked_at {int}, version {int} NOT NULL);
CREATE UNIQUE INDEX api_keys_by_hash ON api_keys (hash);

CREATE TABLE orders (
  id {id}, merchant_id {int} NOT NULL, merchant_order_no text NOT NULL, fingerprint {bytes} NOT NULL,
  amount {int} NOT NULL, currency text NOT NULL, subject text NOT NULL, state text NOT NULL,
  close_requested {int} NOT NULL, close_reason text, paid_amount {int} NOT NULL, refunded_amount {int} NOT NULL,
  capture_method text NOT NULL, attempts {int}, close_policy text NOT NULL, expires_at {int} NOT NULL,
  return_url text, notify_url text, metadata text NOT NULL, parked {int} NOT NULL, due_at {int},
  created_at {int} NOT NULL, closed_at {int}, version {int} NOT NULL);
CREATE INDEX orders_by_merchant ON orders (merchant_id, id);
CREATE INDEX orders_due ON orders (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE payments (
  id {id}, order_id {int} NOT NULL, merchant_id {int} NOT NULL, merchant_payment_no text, channel text NOT NULL,
  method text NOT NULL, state text NOT NULL, amount {int} NOT NULL, currency text NOT NULL,
  paid_amount {int} NOT NULL, reversed_amount {int} NOT NULL, out_trade_no text NOT NULL, channel_trade_no text,
  action_type text NOT NULL, action_url text, action_code text, failure_code text, failure_message text,
  scenario text, payer text NOT NULL, owed_since {int}, send_deadline {int}, final_evidence_at {int},
  close_asked {int} NOT NULL, last_evidence {int} NOT NULL, due_at {int}, created_at {int} NOT NULL,
  version {int} NOT NULL);
CREATE INDEX payments_by_order ON payments (order_id);
CREATE INDEX payments_due ON payments (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE receipts (
  id {int} NOT NULL, order_id {int} NOT NULL, payment_id {int} NOT NULL, merchant_id {int} NOT NULL,
  channel text NOT NULL, channel_trade_no text NOT NULL, amount {int} NOT NULL, currency text NOT NULL,
  state text NOT NULL, paid_at {int} NOT NULL, created_at {int} NOT NULL,
  PRIMARY KEY (order_id, id)) {clustered};

CREATE TABLE refunds (
  id {id}, order_id {int} NOT NULL, payment_id {int} NOT NULL, merchant_id {int} NOT NULL,
  merchant_refund_no text NOT NULL, amount {int} NOT NULL, currency text NOT NULL, state text NOT NULL, reason text,
  failure_code text, failure_message text, attempts {int} NOT NULL, out_refund_no text NOT NULL,
  send_deadline {int}, due_at {int}, created_at {int} NOT NULL, version {int} NOT NULL);
CREATE INDEX refunds_by_order ON refunds (order_id);
CREATE INDEX refunds_due ON refunds (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE reversals (
  id {id}, order_id {int} NOT NULL, payment_id {int} NOT NULL, receipt_id {int} NOT NULL,
  merchant_id {int} NOT NULL, amount {int} NOT NULL, currency text NOT NULL, state text NOT NULL,
  failure_code text, failure_message text, attempts {int} NOT NULL, out_refund_no text NOT NULL,
  send_deadline {int}, due_at {int}, created_at {int} NOT NULL, version {int} NOT NULL);
CREATE INDEX reversals_by_order ON reversals (order_id);
CREATE INDEX reversals_due ON reversals (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE cases (
  id {id}, root_id {int} NOT NULL, merchant_id {int} NOT NULL, kind text NOT NULL, object_type text NOT NULL,
  object_id {int} NOT NULL, state text NOT NULL, evidence text NOT NULL, resolution text, note text,
  proposed_by text, approved_by text, created_at {int} NOT NULL, due_at {int} NOT NULL, version {int} NOT NULL);
CREATE INDEX cases_by_root ON cases (root_id);

CREATE TABLE accounts (
  id {id}, merchant_id {int} NOT NULL, kind text NOT NULL, channel text NOT NULL, currency text NOT NULL,
  balance {int} NOT NULL, state text NOT NULL, last_entry_id {int}, created_at {int} NOT NULL,
  version {int} NOT NULL);

CREATE TABLE entries (
  id {id}, journal_id {int} NOT NULL, merchant_id {int} NOT NULL, account_id {int} NOT NULL, amount {int} NOT NULL,
  currency text NOT NULL, balance_before {int} NOT NULL, balance_after {int} NOT NULL, type text NOT NULL,
  document_type text NOT NULL, document_id {int} NOT NULL, root_id {int} NOT NULL, previous_id {int},
  created_at {int} NOT NULL);

CREATE TABLE events (
  root_id {int} NOT NULL, id {int} NOT NULL, merchant_id {int} NOT NULL, root_type text NOT NULL,
  root_version {int} NOT NULL, object_type text NOT NULL, object_id {int} NOT NULL, event text NOT NULL,
  from_state text, to_state text NOT NULL, cell text NOT NULL, actions {int} NOT NULL, cause text NOT NULL,
  detail text NOT NULL, journal_id {int}, at {int} NOT NULL,
  PRIMARY KEY (root_id, id)) {clustered};

CREATE TABLE webhook_endpoints (
  id {id}, merchant_id {int} NOT NULL, url text NOT NULL, types text NOT NULL, acknowledge text NOT NULL,
  state text NOT NULL, secret text NOT NULL, previous_secret text, previous_secret_until {int},
  created_at {int} NOT NULL, version {int} NOT NULL);
CREATE INDEX webhook_endpoints_by_merchant ON webhook_endpoints (merchant_id);

CREATE TABLE deliveries (
  id {id}, merchant_id {int} NOT NULL, order_id {int} NOT NULL, endpoint_id {int}, url text NOT NULL,
  acknowledge text NOT NULL, type text NOT NULL, body text NOT NULL, state text NOT NULL, attempts {int} NOT NULL,
  last_status {int}, last_error text, due_at {int}, created_at {int} NOT NULL, delivered_at {int},
  version {int} NOT NULL);
CREATE INDEX deliveries_by_order ON deliveries (order_id);
CREATE INDEX deliveries_due ON deliveries (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE keys (hash {bytes} NOT NULL PRIMARY KEY, merchant_id {int} NOT NULL, id {int} NOT NULL) {clustered};

CREATE TABLE idempotency_keys (
  hash {bytes} NOT NULL PRIMARY KEY, merchant_id {int} NOT NULL, answer_id {int} NOT NULL) {clustered};

CREATE TABLE answers (
  id {id}, merchant_id {int} NOT NULL, key_hash {bytes} NOT NULL, fingerprint {bytes} NOT NULL, status {int} NOT NULL,
  body text NOT NULL, object_type text NOT NULL, object_id {int} NOT NULL, answer_until {int},
  created_at {int} NOT NULL);

-- A node number belongs to whoever holds its token. Every commit writes its batch into the row of its node, so that a
-- commit whose answer was lost can be looked up, and one by a node that lost its lease changes nothing.
CREATE TABLE nodes (
  number {id}, token {int} NOT NULL, ids_until {int} NOT NULL, last_batch {int} NOT NULL);
)sql";

constexpr std::string_view kWrittenOff = R"sql(
ALTER TABLE receipts ADD COLUMN written_off {int} NOT NULL DEFAULT 0;
)sql";

constexpr std::string_view kAccounts = R"sql(
ALTER TABLE accounts ADD COLUMN name text NOT NULL DEFAULT '';
ALTER TABLE accounts ADD COLUMN label text NOT NULL DEFAULT '';
ALTER TABLE accounts ADD COLUMN held {int} NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN overdraft {int} NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN lock_owner text;
ALTER TABLE accounts ADD COLUMN lock_token text;
ALTER TABLE accounts ADD COLUMN lock_expires_at {int};
ALTER TABLE accounts ADD COLUMN lock_number {int} NOT NULL DEFAULT 0;
CREATE INDEX accounts_by_merchant ON accounts (merchant_id, id);
CREATE INDEX entries_by_account ON entries (account_id, id);

CREATE TABLE transfers (
  id {id}, merchant_id {int} NOT NULL, debit_account_id {int}, credit_account_id {int}, amount {int} NOT NULL,
  currency text NOT NULL, source text NOT NULL, reference text NOT NULL, fingerprint {bytes} NOT NULL,
  state text NOT NULL, refusal text, price text, quantity {int}, by_user text, info text, source_ip text,
  created_at {int} NOT NULL, version {int} NOT NULL);

CREATE TABLE holds (
  id {id}, merchant_id {int} NOT NULL, account_id {int} NOT NULL, credit_account_id {int} NOT NULL,
  amount {int} NOT NULL, posted_amount {int} NOT NULL, currency text NOT NULL, source text NOT NULL,
  reference text NOT NULL, fingerprint {bytes} NOT NULL, state text NOT NULL, source_ip text,
  expires_at {int} NOT NULL, due_at {int}, created_at {int} NOT NULL, version {int} NOT NULL);
CREATE INDEX holds_by_account ON holds (account_id, id);
CREATE INDEX holds_due ON holds (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE prices (
  id {id}, merchant_id {int} NOT NULL, name text NOT NULL, amount {int} NOT NULL, currency text NOT NULL, note text,
  created_at {int} NOT NULL, changed_at {int} NOT NULL, version {int} NOT NULL);
CREATE INDEX prices_by_merchant ON prices (merchant_id, id);

CREATE TABLE fees (
  id {id}, merchant_id {int} NOT NULL, channel text NOT NULL, basis_points {int} NOT NULL, fixed {int} NOT NULL,
  minimum {int}, maximum {int}, refundable {int} NOT NULL, created_at {int} NOT NULL, changed_at {int} NOT NULL,
  version {int} NOT NULL);
CREATE UNIQUE INDEX fees_by_merchant ON fees (merchant_id, channel);

ALTER TABLE payments ADD COLUMN account_id {int};
ALTER TABLE payments ADD COLUMN fee_amount {int} NOT NULL DEFAULT 0;
ALTER TABLE payments ADD COLUMN fee_refundable {int} NOT NULL DEFAULT 0;
ALTER TABLE refunds ADD COLUMN fee_returned {int} NOT NULL DEFAULT 0;
)sql";

// Where several processes share a database, a node number is leased until an instant of the database's clock.
constexpr std::string_view kLeases = R"sql(
ALTER TABLE nodes ADD COLUMN leased_until {int} NOT NULL DEFAULT 0;
)sql";

// What is left of what is not here any more: of an archived order its row, of the deliveries that were kept long
// enough the instant up to which they may be gone.
constexpr std::string_view kKeeping = R"sql(
CREATE TABLE archived_orders (
  id {id}, merchant_id {int} NOT NULL, archived_at {int} NOT NULL, archive text NOT NULL);

CREATE TABLE expired (kind text NOT NULL PRIMARY KEY, until {int} NOT NULL);
)sql";

// As payments have it: which word of a channel about money going back was the last to be recorded.
constexpr std::string_view kRefundWords = R"sql(
ALTER TABLE refunds ADD COLUMN last_evidence {int} NOT NULL DEFAULT 0;
ALTER TABLE reversals ADD COLUMN last_evidence {int} NOT NULL DEFAULT 0;
)sql";

// Under which bytes keys are kept: what is in `hash`, not how the tables look.
constexpr std::string_view kOtherKeys = "SELECT 1;";

// A statement is read from entry to entry, and the index knows where to begin: one entry of 61, since with many
// merchants each row of an index by account changes a page of its own. A prime, so that only a rhythm of 61 leaves an
// account out. The entries whose id is more than a quarter of an hour ahead of their time are all known, there are
// hardly any: so a statement of long ago need not be read from today on.
constexpr std::string_view kSomeEntries = R"sql(
DROP INDEX entries_by_account;
CREATE INDEX entries_by_account ON entries (account_id, id) WHERE id % 61 = 0;
CREATE INDEX entries_ahead ON entries (account_id, id) WHERE id / 4194304 + 1704067200000 - created_at > 900000;
)sql";

// What the channel refunds by itself (model/objects/refund.h, model/objects/receipt.h).
constexpr std::string_view kExternalRefunds = R"sql(
ALTER TABLE refunds ADD COLUMN origin text NOT NULL DEFAULT 'merchant';
ALTER TABLE refunds ADD COLUMN channel_refund_no text;
ALTER TABLE refunds ADD COLUMN receipt_id {int};
ALTER TABLE refunds ADD COLUMN reported_amount {int} NOT NULL DEFAULT 0;
ALTER TABLE refunds ADD COLUMN from_suspense {int} NOT NULL DEFAULT 0;
ALTER TABLE receipts ADD COLUMN refund_numbers text NOT NULL DEFAULT '';
ALTER TABLE receipts ADD COLUMN numbered_refunds {int} NOT NULL DEFAULT 0;
ALTER TABLE refunds ADD COLUMN charged {int} NOT NULL DEFAULT 0;
ALTER TABLE receipts ADD COLUMN reported_refunded {int} NOT NULL DEFAULT 0;
ALTER TABLE receipts ADD COLUMN is_refund_unknown {int} NOT NULL DEFAULT 0;
ALTER TABLE receipts ADD COLUMN refund_ended_at {int};
ALTER TABLE receipts ADD COLUMN is_total_asked {int} NOT NULL DEFAULT 0;
ALTER TABLE payments ADD COLUMN ask_total_of text;
UPDATE cases SET kind = 'external_refund' WHERE kind = 'refunded_foreign';
UPDATE cases SET resolution = 'accept' WHERE kind = 'external_refund' AND resolution = 'acknowledge';
)sql";

// Money that channels return after a refund had succeeded (model/objects/return.h).
constexpr std::string_view kReturns = R"sql(
ALTER TABLE refunds ADD COLUMN returned_amount {int} NOT NULL DEFAULT 0;
ALTER TABLE refunds ADD COLUMN fee_charged_again {int} NOT NULL DEFAULT 0;
CREATE TABLE returns (
  id {int} NOT NULL, order_id {int} NOT NULL, refund_id {int} NOT NULL, merchant_id {int} NOT NULL,
  amount {int} NOT NULL, currency text NOT NULL, channel_no text NOT NULL, to_platform {int} NOT NULL,
  fee_charged {int} NOT NULL, created_at {int} NOT NULL, PRIMARY KEY (order_id, id)) {clustered};
)sql";

// Which child types exist of a root, a bit each (model/aggregate.h), so that the others need not be looked for.
constexpr std::string_view kChildren = R"sql(
ALTER TABLE orders ADD COLUMN children {int} NOT NULL DEFAULT 0;
ALTER TABLE deliveries ADD COLUMN children {int} NOT NULL DEFAULT 0;
UPDATE orders SET children = c.bits FROM (
  SELECT root_id, merchant_id, sum(bit) AS bits FROM (
    SELECT DISTINCT order_id AS root_id, merchant_id, 1 AS bit FROM payments
    UNION ALL SELECT DISTINCT order_id, merchant_id, 2 FROM receipts
    UNION ALL SELECT DISTINCT order_id, merchant_id, 4 FROM refunds
    UNION ALL SELECT DISTINCT order_id, merchant_id, 8 FROM reversals
    UNION ALL SELECT DISTINCT root_id, merchant_id, 16 FROM cases
    UNION ALL SELECT DISTINCT order_id, merchant_id, 32 FROM returns) p
  GROUP BY root_id, merchant_id) c WHERE c.root_id = orders.id AND c.merchant_id = orders.merchant_id;
UPDATE deliveries SET children = 16 WHERE EXISTS
  (SELECT 1 FROM cases c WHERE c.root_id = deliveries.id AND c.merchant_id = deliveries.merchant_id);
)sql";

// Accounts at channels are rows: those of which the store already has payments get the ids 1, 2, 3, … and the version
// 0, and the next server that has them in its configuration fills in what they are, which is their first step.
constexpr std::string_view kChannelAccounts = R"sql(
CREATE TABLE channel_accounts (
  id {id}, channel text NOT NULL, kind text NOT NULL, identity text NOT NULL, merchants text NOT NULL,
  funds text NOT NULL, settings text NOT NULL, state text NOT NULL, created_at {int} NOT NULL, version {int} NOT NULL);
CREATE UNIQUE INDEX channel_accounts_by_channel ON channel_accounts (channel);
ALTER TABLE payments ADD COLUMN channel_account_id {int} NOT NULL DEFAULT 0;
ALTER TABLE receipts ADD COLUMN channel_account_id {int} NOT NULL DEFAULT 0;
ALTER TABLE refunds ADD COLUMN channel_account_id {int} NOT NULL DEFAULT 0;
ALTER TABLE reversals ADD COLUMN channel_account_id {int} NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN channel_account_id {int};
INSERT INTO channel_accounts (id, channel, kind, identity, merchants, funds, settings, state, created_at, version)
  SELECT row_number() OVER (ORDER BY c.channel), c.channel, '', '', '',
    CASE WHEN c.channel = 'wallet' THEN 'internal' ELSE 'platform' END, '', 'enabled', c.created_at, 0
  FROM (SELECT channel, min(created_at) AS created_at FROM
    (SELECT channel, created_at FROM payments UNION ALL
     SELECT channel, created_at FROM accounts WHERE channel <> '') n GROUP BY channel) c;
UPDATE payments SET channel_account_id = a.id FROM channel_accounts a WHERE a.channel = payments.channel;
UPDATE receipts SET channel_account_id = a.id FROM channel_accounts a WHERE a.channel = receipts.channel;
UPDATE accounts SET channel_account_id = a.id FROM channel_accounts a WHERE a.channel = accounts.channel;
UPDATE refunds SET channel_account_id = p.channel_account_id FROM payments p
  WHERE p.id = refunds.payment_id AND p.merchant_id = refunds.merchant_id;
UPDATE reversals SET channel_account_id = p.channel_account_id FROM payments p
  WHERE p.id = reversals.payment_id AND p.merchant_id = reversals.merchant_id;
)sql";

// How often a request was sent to a channel.
constexpr std::string_view kSends = R"sql(
ALTER TABLE payments ADD COLUMN sends {int} NOT NULL DEFAULT 0;
ALTER TABLE refunds ADD COLUMN sends {int} NOT NULL DEFAULT 0;
ALTER TABLE reversals ADD COLUMN sends {int} NOT NULL DEFAULT 0;
)sql";

constexpr Migration kMigrations[] = {{1, "first", kFirst},
                                     {2, "written off", kWrittenOff},
                                     {3, "accounts", kAccounts},
                                     {4, "leases", kLeases},
                                     {5, "keeping", kKeeping},
                                     {6, "refund words", kRefundWords},
                                     {7, "keys side by side", kOtherKeys},
                                     {8, "keys by time", kOtherKeys},
                                     {9, "some entries", kSomeEntries},
                                     {10, "external refunds", kExternalRefunds},
                                     {11, "returns", kReturns},
                                     {12, "children", kChildren},
                                     {13, "channel accounts", kChannelAccounts},
                                     {14, "sends", kSends}};

}  // namespace

std::span<const Migration> migrations() { return kMigrations; }

std::string refusal_of_other_keys(std::string_view place, int version) {
  return fmt::format(
      "{} has schema {}, from before version 0.1.0: this program would not find its orders by their numbers. It is "
      "unchanged; use the program that made it, or name a new store.",
      place, version);
}

std::string schema_sql(int number, const Dialect& dialect) {
  std::string sql;
  for (const Migration& migration : migrations().first(static_cast<std::size_t>(number)))
    sql += in_dialect(migration.sql, dialect);
  return sql;
}

std::string in_dialect(std::string_view sql, const Dialect& dialect) {
  std::string out;
  while (!sql.empty()) {
    const std::size_t open = sql.find('{');
    out += sql.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = sql.find('}', open);
    const std::string_view word = sql.substr(open + 1, close - open - 1);
    out += word == "id"      ? dialect.id
           : word == "int"   ? dialect.integer
           : word == "bytes" ? dialect.bytes
                             : dialect.clustered;
    sql.remove_prefix(close + 1);
  }
  return out;
}

}  // namespace finality::store
