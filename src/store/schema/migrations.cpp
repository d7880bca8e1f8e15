#include "store/schema/migrations.h"

#include <fmt/format.h>

namespace finality::store {
namespace {

// Times are milliseconds since 1970 UTC. Money is in minor units. States are stored as names of the state machines'
// states. The first column of a primary key is a time-ordered id, so that inserts append to the table. Only the narrow
// tables `keys` and `idempotency_keys` are looked up by identifiers that merchants and channels choose; they store
// hashes.
constexpr std::string_view kBaselineSql = R"sql(
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
  created_at {int} NOT NULL, closed_at {int}, version {int} NOT NULL, children {int} NOT NULL);
CREATE INDEX orders_by_merchant ON orders (merchant_id, id);
CREATE INDEX orders_due ON orders (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE payments (
  id {id}, order_id {int} NOT NULL, merchant_id {int} NOT NULL, merchant_payment_no text, channel text NOT NULL,
  method text NOT NULL, state text NOT NULL, amount {int} NOT NULL, currency text NOT NULL,
  paid_amount {int} NOT NULL, reversed_amount {int} NOT NULL, out_trade_no text NOT NULL, channel_trade_no text,
  action_type text NOT NULL, action_url text, action_code text, failure_code text, failure_message text,
  scenario text, payer text NOT NULL, outstanding_since {int}, send_deadline {int}, final_evidence_at {int},
  close_pending {int} NOT NULL, last_evidence {int} NOT NULL, due_at {int}, created_at {int} NOT NULL,
  version {int} NOT NULL, account_id {int}, fee_amount {int} NOT NULL, fee_refundable {int} NOT NULL,
  query_total_of text, channel_account_id {int} NOT NULL, sends {int} NOT NULL);
CREATE INDEX payments_by_order ON payments (order_id);
CREATE INDEX payments_due ON payments (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE receipts (
  id {int} NOT NULL, order_id {int} NOT NULL, payment_id {int} NOT NULL, merchant_id {int} NOT NULL,
  channel text NOT NULL, channel_trade_no text NOT NULL, amount {int} NOT NULL, currency text NOT NULL,
  state text NOT NULL, paid_at {int} NOT NULL, created_at {int} NOT NULL, written_off {int} NOT NULL,
  refund_numbers text NOT NULL, numbered_refunds {int} NOT NULL, reported_refunded {int} NOT NULL,
  is_refund_unknown {int} NOT NULL, refund_ended_at {int}, is_total_queried {int} NOT NULL,
  channel_account_id {int} NOT NULL,
  PRIMARY KEY (order_id, id)) {clustered};

CREATE TABLE refunds (
  id {id}, order_id {int} NOT NULL, payment_id {int} NOT NULL, merchant_id {int} NOT NULL,
  merchant_refund_no text NOT NULL, amount {int} NOT NULL, currency text NOT NULL, state text NOT NULL, reason text,
  failure_code text, failure_message text, attempts {int} NOT NULL, out_refund_no text NOT NULL, send_deadline {int},
  due_at {int}, created_at {int} NOT NULL, version {int} NOT NULL, fee_returned {int} NOT NULL,
  last_evidence {int} NOT NULL, origin text NOT NULL, channel_refund_no text, receipt_id {int},
  reported_amount {int} NOT NULL, from_suspense {int} NOT NULL, charged {int} NOT NULL,
  returned_amount {int} NOT NULL, fee_charged_again {int} NOT NULL, channel_account_id {int} NOT NULL,
  sends {int} NOT NULL);
CREATE INDEX refunds_by_order ON refunds (order_id);
CREATE INDEX refunds_due ON refunds (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE reversals (
  id {id}, order_id {int} NOT NULL, payment_id {int} NOT NULL, receipt_id {int} NOT NULL, merchant_id {int} NOT NULL,
  amount {int} NOT NULL, currency text NOT NULL, state text NOT NULL, failure_code text, failure_message text,
  attempts {int} NOT NULL, out_refund_no text NOT NULL, send_deadline {int}, due_at {int}, created_at {int} NOT NULL,
  version {int} NOT NULL, last_evidence {int} NOT NULL, channel_account_id {int} NOT NULL, sends {int} NOT NULL);
CREATE INDEX reversals_by_order ON reversals (order_id);
CREATE INDEX reversals_due ON reversals (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE cases (
  id {id}, root_id {int} NOT NULL, merchant_id {int} NOT NULL, kind text NOT NULL, object_type text NOT NULL,
  object_id {int} NOT NULL, state text NOT NULL, evidence text NOT NULL, resolution text, note text, proposed_by text,
  approved_by text, created_at {int} NOT NULL, due_at {int} NOT NULL, version {int} NOT NULL);
CREATE INDEX cases_by_root ON cases (root_id);

CREATE TABLE accounts (
  id {id}, merchant_id {int} NOT NULL, kind text NOT NULL, channel text NOT NULL, currency text NOT NULL,
  balance {int} NOT NULL, state text NOT NULL, last_entry_id {int}, created_at {int} NOT NULL, version {int} NOT NULL,
  name text NOT NULL, label text NOT NULL, held {int} NOT NULL, overdraft {int} NOT NULL, lock_owner text,
  lock_token text, lock_expires_at {int}, lock_number {int} NOT NULL, channel_account_id {int});
CREATE INDEX accounts_by_merchant ON accounts (merchant_id, id);

CREATE TABLE entries (
  id {id}, journal_id {int} NOT NULL, merchant_id {int} NOT NULL, account_id {int} NOT NULL, amount {int} NOT NULL,
  currency text NOT NULL, balance_before {int} NOT NULL, balance_after {int} NOT NULL, type text NOT NULL,
  document_type text NOT NULL, document_id {int} NOT NULL, root_id {int} NOT NULL, previous_id {int},
  created_at {int} NOT NULL);
-- An account statement is read from entry to entry (ADR 0026). The first index holds one entry of 61, as a starting
-- point. The second holds the few entries whose id is more than 15 minutes ahead of their time.
CREATE INDEX entries_by_account ON entries (account_id, id) WHERE id % 61 = 0;
CREATE INDEX entries_ahead ON entries (account_id, id) WHERE id / 4194304 + 1704067200000 - created_at > 900000;

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
  version {int} NOT NULL, children {int} NOT NULL);
CREATE INDEX deliveries_by_order ON deliveries (order_id);
CREATE INDEX deliveries_due ON deliveries (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE keys (hash {bytes} NOT NULL PRIMARY KEY, merchant_id {int} NOT NULL, id {int} NOT NULL) {clustered};

CREATE TABLE idempotency_keys (
  hash {bytes} NOT NULL PRIMARY KEY, merchant_id {int} NOT NULL, record_id {int} NOT NULL) {clustered};

CREATE TABLE idempotency_records (
  id {id}, merchant_id {int} NOT NULL, key_hash {bytes} NOT NULL, fingerprint {bytes} NOT NULL, status {int} NOT NULL,
  body text NOT NULL, object_type text NOT NULL, object_id {int} NOT NULL, reply_until {int},
  created_at {int} NOT NULL);

-- The holder of the token holds the lease on the node number. Every commit writes its batch number into the row of its
-- node. So a commit with a lost reply can be looked up, and a commit by a node that lost its lease changes nothing.
CREATE TABLE nodes (
  number {id}, token {int} NOT NULL, ids_until {int} NOT NULL, last_batch {int} NOT NULL, leased_until {int} NOT NULL DEFAULT 0);

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

CREATE TABLE returns (
  id {int} NOT NULL, order_id {int} NOT NULL, refund_id {int} NOT NULL, merchant_id {int} NOT NULL,
  amount {int} NOT NULL, currency text NOT NULL, channel_no text NOT NULL, to_platform {int} NOT NULL,
  fee_charged {int} NOT NULL, created_at {int} NOT NULL, PRIMARY KEY (order_id, id)) {clustered};

CREATE TABLE channel_accounts (
  id {id}, channel text NOT NULL, kind text NOT NULL, identity text NOT NULL, merchants text NOT NULL,
  funds text NOT NULL, settings text NOT NULL, state text NOT NULL, created_at {int} NOT NULL, version {int} NOT NULL);
CREATE UNIQUE INDEX channel_accounts_by_channel ON channel_accounts (channel);

CREATE TABLE archived_orders (
  id {id}, merchant_id {int} NOT NULL, archived_at {int} NOT NULL, archive text NOT NULL);

CREATE TABLE expired (kind text NOT NULL PRIMARY KEY, until {int} NOT NULL);
)sql";

// Payments of the baseline were posted to merchant_payable, whatever account collected them (ADR 0038). All of them,
// also archived ones, have ids below the time up to which the nodes have reserved ids (base/id.h).
constexpr std::string_view kJournalsSql = R"sql(
ALTER TABLE payments ADD COLUMN funds text NOT NULL DEFAULT 'platform';
ALTER TABLE entries ADD COLUMN ordinal {int} NOT NULL DEFAULT 0;
CREATE INDEX ledger_accounts_by_merchant ON accounts (merchant_id, id) WHERE kind <> 'user';
ALTER TABLE channel_accounts ADD COLUMN platform_until {int} NOT NULL DEFAULT 0;
UPDATE channel_accounts
  SET platform_until = (SELECT coalesce(max(ids_until) - 1704067200000, 0) * 4194304 + 4194303 FROM nodes)
  WHERE funds <> 'platform';
)sql";

constexpr std::string_view kBooksSql = R"sql(
ALTER TABLE channel_accounts ADD COLUMN merchant_currency text NOT NULL DEFAULT 'presentment';
CREATE TABLE channel_settlements (
  id {int} NOT NULL, order_id {int} NOT NULL, payment_id {int} NOT NULL, merchant_id {int} NOT NULL,
  channel text NOT NULL, document_type text NOT NULL, document_id {int} NOT NULL, transaction_no text NOT NULL,
  amount {int} NOT NULL, currency text NOT NULL, settled_amount {int} NOT NULL, settled_currency text NOT NULL, fee {int} NOT NULL,
  merchant_amount {int} NOT NULL, merchant_settled {int} NOT NULL, exchange_rate text NOT NULL, available_on {int},
  created_at {int} NOT NULL, PRIMARY KEY (order_id, id)) {clustered};
CREATE TABLE channel_rates (
  id {id}, channel_account_id {int} NOT NULL, method text, currency text, basis_points {int} NOT NULL,
  fixed {int} NOT NULL, minimum {int}, maximum {int}, from_date text NOT NULL, created_at {int} NOT NULL,
  version {int} NOT NULL);
CREATE UNIQUE INDEX channel_rates_by_account
  ON channel_rates (channel_account_id, coalesce(method, ''), coalesce(currency, ''), from_date);
)sql";

// The platform is the merchant with id 1 (kPlatform, ADR 0039). Its id and that of its event are from before all ids
// that nodes create, because the first instant of ids is its time of creation.
constexpr std::string_view kPlatformSql = R"sql(
CREATE TABLE unknown_receipts (
  id {id}, merchant_id {int} NOT NULL, channel text NOT NULL, channel_account_id {int} NOT NULL,
  channel_trade_no text NOT NULL, out_trade_no text NOT NULL, amount {int} NOT NULL, currency text NOT NULL,
  funds text NOT NULL, state text NOT NULL, assigned_to {int}, is_contradicted {int} NOT NULL,
  last_evidence {int} NOT NULL, paid_at {int} NOT NULL, created_at {int} NOT NULL, children {int} NOT NULL,
  version {int} NOT NULL);
ALTER TABLE cases ADD COLUMN assign_to {int};
INSERT INTO merchants (id, name, webhook_secret, link_secret, created_at, version)
  VALUES (1, 'platform', '', '', 1704067200000, 1);
INSERT INTO events (root_id, id, merchant_id, root_type, root_version, object_type, object_id, event, to_state, cell,
    actions, cause, detail, at)
  VALUES (1, 1, 1, 'merchant', 1, 'merchant', 1, 'created', 'active', 'move', 0, 'operator_', '', 1704067200000);
)sql";

constexpr std::string_view kAdjustmentsSql = R"sql(
CREATE TABLE adjustments (
  id {id}, merchant_id {int} NOT NULL, type text NOT NULL, account text NOT NULL, channel text NOT NULL,
  channel_account_id {int}, funds text NOT NULL, currency text NOT NULL, amount {int} NOT NULL, note text NOT NULL,
  state text NOT NULL, proposed_by text NOT NULL, decided_by text, created_at {int} NOT NULL, version {int} NOT NULL);
CREATE INDEX adjustments_by_merchant ON adjustments (merchant_id, id);
)sql";

constexpr std::string_view kStatementsSql = R"sql(
CREATE TABLE statements (
  id {id}, merchant_id {int} NOT NULL, channel_account_id {int} NOT NULL, channel text NOT NULL, kind text NOT NULL,
  funds_account text NOT NULL, date text NOT NULL, file_version {int} NOT NULL, source text NOT NULL,
  state text NOT NULL, sha256 text NOT NULL, bytes {int} NOT NULL, parts {int} NOT NULL, lines {int} NOT NULL,
  matched {int} NOT NULL, repaired {int} NOT NULL, carried {int} NOT NULL, differences {int} NOT NULL, recorded {int} NOT NULL, failure text,
  tries {int} NOT NULL, is_fetched_again {int} NOT NULL, due_at {int}, received_at {int}, created_at {int} NOT NULL,
  children {int} NOT NULL, version {int} NOT NULL);
CREATE INDEX statements_due ON statements (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX statements_by_day ON statements (channel_account_id, date);
CREATE TABLE statement_totals (
  id {int} NOT NULL, statement_id {int} NOT NULL, merchant_id {int} NOT NULL, currency text NOT NULL,
  lines {int} NOT NULL, payments {int} NOT NULL, paid {int} NOT NULL, refunds {int} NOT NULL, refunded {int} NOT NULL,
  fee_e5 {int} NOT NULL, credits {int} NOT NULL, debits {int} NOT NULL, opening_balance {int}, closing_balance {int},
  PRIMARY KEY (statement_id, id)) {clustered};
CREATE TABLE statement_parts (
  statement_id {int} NOT NULL, part_no {int} NOT NULL, merchant_id {int} NOT NULL, content {bytes} NOT NULL,
  PRIMARY KEY (statement_id, part_no));
CREATE TABLE statement_matches (
  document_id {id}, document_type text NOT NULL, merchant_id {int} NOT NULL, channel_account_id {int} NOT NULL,
  statement_id {int} NOT NULL, line_no {int} NOT NULL, line {bytes} NOT NULL, created_at {int} NOT NULL);
CREATE UNIQUE INDEX statement_matches_by_line ON statement_matches (line, merchant_id);
CREATE INDEX statement_matches_by_statement ON statement_matches (statement_id);
CREATE TABLE differences (
  id {id}, merchant_id {int} NOT NULL, channel_account_id {int} NOT NULL, date text NOT NULL,
  difference_class text NOT NULL, also text NOT NULL, state text NOT NULL, order_id {int},
  document_type text NOT NULL, document_id {int} NOT NULL, statement_id {int}, line_no {int} NOT NULL, ours {int},
  theirs {int}, amount {int} NOT NULL, currency text NOT NULL, subject text NOT NULL, missed {int} NOT NULL,
  repaired_by_type text NOT NULL, repaired_by_id {int} NOT NULL, created_at {int} NOT NULL, children {int} NOT NULL,
  version {int} NOT NULL);
CREATE INDEX differences_by_merchant ON differences (merchant_id, id);
CREATE INDEX differences_by_account ON differences (channel_account_id, date);
)sql";

constexpr std::string_view kFundsSql = R"sql(
CREATE TABLE statement_movements (
  id {int} NOT NULL, statement_id {int} NOT NULL, merchant_id {int} NOT NULL, currency text NOT NULL,
  kind text NOT NULL, booked_on text NOT NULL, lines {int} NOT NULL, amount {int} NOT NULL,
  journal_id {int}, PRIMARY KEY (statement_id, id)) {clustered};
CREATE TABLE funds_matches (
  document_id {id}, document_type text NOT NULL, merchant_id {int} NOT NULL, channel_account_id {int} NOT NULL,
  statement_id {int} NOT NULL, line_no {int} NOT NULL, line {bytes} NOT NULL, amount {int} NOT NULL,
  created_at {int} NOT NULL);
CREATE UNIQUE INDEX funds_matches_by_line ON funds_matches (line, merchant_id);
CREATE INDEX funds_matches_by_statement ON funds_matches (statement_id);
ALTER TABLE differences ADD COLUMN kind text NOT NULL DEFAULT 'trades';
ALTER TABLE differences ADD COLUMN changes_balance {int} NOT NULL DEFAULT 1;
ALTER TABLE differences ADD COLUMN ended_at {int};
ALTER TABLE differences ADD COLUMN line {bytes};
CREATE INDEX differences_by_state ON differences (channel_account_id, state, id);
CREATE INDEX accounts_by_channel_account ON accounts (channel_account_id, id) WHERE channel_account_id IS NOT NULL;
)sql";

// The first index contains the events after which an order is checked against the money identities: the postings, and
// the documents that succeed. Schema 25 replaces it.
constexpr std::string_view kIdentitiesSql = R"sql(
CREATE TABLE identity_checks (
  id {id}, merchant_id {int} NOT NULL, checked_until {int} NOT NULL, claimed_until {int} NOT NULL,
  created_at {int} NOT NULL, version {int} NOT NULL);
CREATE INDEX events_to_check ON events (id)
  WHERE root_type = 'order' AND (journal_id IS NOT NULL OR to_state = 'succeeded');
CREATE INDEX cases_of_identities ON cases (id) WHERE kind = 'identity' AND state <> 'resolved';
)sql";

constexpr std::string_view kAuthorizationsSql = R"sql(
CREATE TABLE authorizations (
  id {id}, order_id {int} NOT NULL, merchant_id {int} NOT NULL, merchant_payment_no text, channel text NOT NULL,
  channel_account_id {int} NOT NULL, funds text NOT NULL, method text NOT NULL, state text NOT NULL,
  amount {int} NOT NULL, currency text NOT NULL, ordinal {int} NOT NULL, authorized_amount {int} NOT NULL,
  captured_amount {int} NOT NULL, released_amount {int} NOT NULL, out_trade_no text NOT NULL, channel_trade_no text,
  channel_payer text NOT NULL, action_type text NOT NULL, action_url text, action_code text, failure_code text,
  failure_message text, end_reason text, unfunded {int} NOT NULL, scenario text, account_id {int},
  payer text NOT NULL, authorized_at {int}, channel_capture_before {int}, capture_before {int},
  is_expiring_notified {int} NOT NULL, outstanding_since {int}, send_deadline {int}, final_evidence_at {int},
  close_pending {int} NOT NULL, sends {int} NOT NULL, release_attempts {int} NOT NULL,
  release_amount {int} NOT NULL, capture_ended_at {int}, is_total_waiting {int} NOT NULL, last_evidence {int} NOT NULL,
  due_at {int}, created_at {int} NOT NULL, version {int} NOT NULL);
CREATE INDEX authorizations_by_order ON authorizations (order_id);
CREATE INDEX authorizations_due ON authorizations (due_at) WHERE due_at IS NOT NULL;
CREATE TABLE captures (
  id {id}, order_id {int} NOT NULL, authorization_id {int} NOT NULL, merchant_id {int} NOT NULL,
  channel_account_id {int} NOT NULL, origin text NOT NULL, merchant_capture_no text NOT NULL, ordinal {int} NOT NULL,
  amount {int} NOT NULL, currency text NOT NULL, is_final {int} NOT NULL, state text NOT NULL,
  out_trade_no text NOT NULL, channel_trade_no text, failure_code text, failure_message text,
  fee_amount {int} NOT NULL, fee_refundable {int} NOT NULL, paid_amount {int} NOT NULL,
  reversed_amount {int} NOT NULL, refunded_amount {int} NOT NULL, is_total_queried {int} NOT NULL,
  send_deadline {int}, sends {int} NOT NULL, last_evidence {int} NOT NULL, due_at {int}, created_at {int} NOT NULL,
  version {int} NOT NULL);
CREATE INDEX captures_by_order ON captures (order_id);
CREATE INDEX captures_due ON captures (due_at) WHERE due_at IS NOT NULL;
ALTER TABLE orders ADD COLUMN capture_within {int};
ALTER TABLE orders ADD COLUMN on_capture_deadline text NOT NULL DEFAULT 'release';
ALTER TABLE receipts ADD COLUMN capture_id {int};
ALTER TABLE receipts ADD COLUMN ordinal {int} NOT NULL DEFAULT 0;
ALTER TABLE refunds ADD COLUMN authorization_id {int};
ALTER TABLE refunds ADD COLUMN capture_id {int};
ALTER TABLE reversals ADD COLUMN capture_id {int};
ALTER TABLE channel_settlements ADD COLUMN capture_id {int};
ALTER TABLE archived_orders ADD COLUMN natural_keys {int} NOT NULL DEFAULT 0;
)sql";

// Erases the payer's data where it is no longer needed: in every state after which the request is never sent.
constexpr std::string_view kPayersSql = R"sql(
UPDATE payments SET payer = '' WHERE payer <> '' AND state IN ('succeeded', 'failed', 'closed');
UPDATE authorizations SET payer = ''
  WHERE payer <> '' AND state IN ('authorized', 'releasing', 'captured', 'released', 'failed', 'closed');
)sql";

// An order waits with its archive for the differences of its documents (store/sql/waiting_orders.h).
// The second index contains the events after which an order is checked against the money identities: the postings, and
// the final states that can require a posting. Schema 29 replaces it.
constexpr std::string_view kDocumentsSql = R"sql(
CREATE INDEX differences_by_document ON differences (document_id);
DROP INDEX events_to_check;
CREATE INDEX events_to_check ON events (id)
  WHERE root_type = 'order' AND (journal_id IS NOT NULL OR
    to_state IN ('succeeded', 'failed', 'returned', 'settled_offline', 'resolved'));
)sql";

// The index of the lines of a statement consists of the parts with negative numbers. Statements without one get it from
// the server (worker/statements/statement_service.h).
constexpr std::string_view kLineIndexSql = R"sql(
ALTER TABLE statements ADD COLUMN index_parts {int} NOT NULL DEFAULT 0;
)sql";

constexpr std::string_view kMismatchesSql = R"sql(
ALTER TABLE receipts ADD COLUMN accepted_difference {int} NOT NULL DEFAULT 0;
)sql";

// The methods that the checkout page offers, and what it shows of the merchant.
constexpr std::string_view kCheckoutSql = R"sql(
ALTER TABLE orders ADD COLUMN methods text NOT NULL DEFAULT '';
ALTER TABLE merchants ADD COLUMN brand_name text;
ALTER TABLE merchants ADD COLUMN brand_support text;
ALTER TABLE merchants ADD COLUMN brand_color text;
ALTER TABLE merchants ADD COLUMN brand_logo {bytes};
)sql";

// The events of one version of a root become one row (docs/adr/0062-changes.md), and `events` a view. An event that has
// another detail than the others of its commit begins a row, unless it is the first of the commit.
constexpr std::string_view kChangesSql = R"sql(
CREATE TABLE changes (
  root_id {int} NOT NULL, id {int} NOT NULL, merchant_id {int} NOT NULL, root_type text NOT NULL,
  root_version {int} NOT NULL, cause text NOT NULL, detail text NOT NULL, first_detail text, at {int} NOT NULL,
  steps text NOT NULL, is_checked {int} NOT NULL,
  PRIMARY KEY (root_id, id)) {clustered};
WITH shared AS (
  SELECT e.*, CASE WHEN id = min(id) OVER of_commit THEN coalesce(lead(detail) OVER of_commit, detail) ELSE detail END
    AS shared_detail
  FROM events e WINDOW of_commit AS (PARTITION BY root_id, root_version, cause, at ORDER BY id)),
grouped AS (
  SELECT s.*, min(id) OVER (PARTITION BY root_id, root_version, cause, at, shared_detail) AS first_id FROM shared s),
steps AS (
  SELECT g.*, '[' || (id - first_id) || ',"' || object_type || '",' || (object_id - root_id) || ',"' || event || '",'
      || CASE WHEN from_state IS NULL THEN 'null' ELSE '"' || from_state || '"' END || ',"' || to_state || '"'
      || CASE WHEN cell = 'move' AND actions = 0 AND journal_id IS NULL THEN ''
           ELSE ',"' || cell || '",' || actions END
      || CASE WHEN journal_id IS NULL THEN '' ELSE ',' || (journal_id - first_id) END || ']' AS step,
    CASE WHEN root_type = 'order' AND (journal_id IS NOT NULL OR to_state IN ('succeeded', 'failed', 'returned',
      'settled_offline', 'resolved')) THEN 1 ELSE 0 END AS checked
  FROM grouped g),
joined AS (
  SELECT p.*, {join}(step, ',') OVER of_row AS joined_steps, max(checked) OVER of_row AS any_checked FROM steps p
  WINDOW of_row AS (PARTITION BY root_id, root_version, cause, at, shared_detail ORDER BY id
    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING))
INSERT INTO changes (root_id, id, merchant_id, root_type, root_version, cause, detail, first_detail, at, steps,
    is_checked)
  SELECT root_id, id, merchant_id, root_type, root_version, cause, shared_detail,
    CASE WHEN detail = shared_detail THEN NULL ELSE detail END, at, '[' || joined_steps || ']', any_checked
  FROM joined WHERE id = first_id ORDER BY root_id, id;
DROP TABLE events;
CREATE INDEX changes_to_check ON changes (id) WHERE is_checked = 1;
CREATE VIEW events AS SELECT c.root_id, c.id + CAST(s.value ->> 0 AS {int}) AS id, c.merchant_id, c.root_type,
    c.root_version, s.value ->> 1 AS object_type, c.root_id + CAST(s.value ->> 2 AS {int}) AS object_id,
    s.value ->> 3 AS event, s.value ->> 4 AS from_state, s.value ->> 5 AS to_state,
    coalesce(s.value ->> 6, 'move') AS cell, coalesce(CAST(s.value ->> 7 AS {int}), 0) AS actions, c.cause,
    CASE WHEN CAST(s.value ->> 0 AS {int}) = 0 THEN coalesce(c.first_detail, c.detail) ELSE c.detail END AS detail,
    c.id + CAST(s.value ->> 8 AS {int}) AS journal_id, c.at, c.id AS change_id
  FROM changes c CROSS JOIN {steps};
)sql";

constexpr Migration kMigrations[] = {{kBaselineSchema, "baseline", kBaselineSql},
                                     {16, "journals", kJournalsSql},
                                     {17, "books", kBooksSql},
                                     {18, "platform", kPlatformSql},
                                     {19, "adjustments", kAdjustmentsSql},
                                     {20, "statements", kStatementsSql},
                                     {21, "funds", kFundsSql},
                                     {22, "identities", kIdentitiesSql},
                                     {23, "authorizations", kAuthorizationsSql},
                                     {24, "payers", kPayersSql},
                                     {25, "documents", kDocumentsSql},
                                     {26, "line_index", kLineIndexSql},
                                     {27, "mismatches", kMismatchesSql},
                                     {28, "checkout", kCheckoutSql},
                                     {29, "changes", kChangesSql}};

}  // namespace

std::span<const Migration> migrations() { return kMigrations; }

int newest_schema() { return kMigrations[std::size(kMigrations) - 1].number; }

std::string refusal_of_older_schema(std::string_view place, int version) {
  return fmt::format(
      "{} has schema {}, from before version 0.1.0. This program reads schema {} and newer. The store is unchanged: "
      "use "
      "the program that wrote it, or name a new store.",
      place, version, kBaselineSchema);
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
           : word == "steps" ? dialect.steps
           : word == "join"  ? dialect.join
                             : dialect.clustered;
    sql.remove_prefix(close + 1);
  }
  return out;
}

}  // namespace finality::store
