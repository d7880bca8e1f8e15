#include "store/audit.h"

#include <fmt/format.h>

#include "base/id.h"
#include "model/machines.h"

namespace finality {
namespace {

// The machines' cells as a table in the query: machine, from, event, cell, to, actions.
std::string cells_table() {
  std::string rows;
  for (const fsm::View& machine : all_machines())
    for (std::size_t s = 0; s < machine.states.size(); ++s)
      for (std::size_t e = 0; e < machine.events.size(); ++e) {
        const auto& cell = machine.cells[s][e];
        const std::string_view to = cell.kind == fsm::CellKind::move ? cell.to : machine.states[s].name;
        const std::string_view type = machine.name == "case" ? std::string_view("dispute_case") : machine.name;
        rows += fmt::format("{}('{}','{}','{}','{}','{}',{})", rows.empty() ? "" : ",", type, machine.states[s].name,
                            machine.events[e], name_of(cell.kind), to, static_cast<int>(cell.actions));
      }
  return "WITH cells(machine, from_state, event, cell, to_state, actions) AS (VALUES " + rows + ") ";
}

// Every row that has a life: its type, its id and the state it is in.
constexpr std::string_view kStates = R"sql(
  SELECT 'order' AS type, id, state FROM orders UNION ALL SELECT 'payment', id, state FROM payments
  UNION ALL SELECT 'refund', id, state FROM refunds UNION ALL SELECT 'reversal', id, state FROM reversals
  UNION ALL SELECT 'dispute_case', id, state FROM cases UNION ALL SELECT 'delivery', id, state FROM deliveries
  UNION ALL SELECT 'webhook_endpoint', id, state FROM webhook_endpoints
  UNION ALL SELECT 'merchant', id, 'active' FROM merchants
  UNION ALL SELECT 'api_key', id, CASE WHEN revoked_at IS NULL THEN 'active' ELSE 'revoked' END FROM api_keys)sql";

// Every root: its id and its version.
constexpr std::string_view kRoots = R"sql(
  SELECT 'order' AS type, id, version FROM orders UNION ALL SELECT 'delivery', id, version FROM deliveries
  UNION ALL SELECT 'webhook_endpoint', id, version FROM webhook_endpoints
  UNION ALL SELECT 'merchant', id, version FROM merchants UNION ALL SELECT 'api_key', id, version FROM api_keys)sql";

// What is in a root and counts its own steps: its id, its root and its version.
constexpr std::string_view kParts = R"sql(
  SELECT 'payment' AS type, id, order_id AS root_id, version FROM payments
  UNION ALL SELECT 'refund', id, order_id, version FROM refunds
  UNION ALL SELECT 'reversal', id, order_id, version FROM reversals
  UNION ALL SELECT 'dispute_case', id, root_id, version FROM cases)sql";

void ask_about_steps(std::vector<AuditQuestion>& questions) {
  questions.push_back({"1 every stored transition is in its table", "event", cells_table() + R"sql(
    SELECT e.id, e.object_type || ': ' || e.event || ' from ' || coalesce(e.from_state, 'nothing') || ' to ' || e.to_state || ' (' || e.cell || ')'
    FROM events e LEFT JOIN cells c ON c.machine = e.object_type AND c.from_state = e.from_state AND c.event = e.event
    WHERE NOT CASE
      WHEN e.from_state IS NULL THEN e.event = 'created' AND e.cell = 'move'
      WHEN c.machine IS NOT NULL
        THEN e.cell IN ('move', 'keep') AND c.cell = e.cell AND c.to_state = e.to_state AND c.actions = e.actions
      WHEN e.cell = 'keep' THEN e.from_state = e.to_state
        AND NOT EXISTS (SELECT 1 FROM cells x WHERE x.machine = e.object_type AND x.event = e.event)
      ELSE e.cell = 'move' AND e.from_state <> e.to_state AND e.object_type NOT IN (SELECT machine FROM cells) END)sql"});
  questions.push_back({"1 each step begins where the last one ended", "event", R"sql(
    SELECT id, object_type || ': ' || event || ' begins in ' || coalesce(from_state, 'nothing') || ', the step before ended in ' || coalesce(before, 'nothing')
    FROM (SELECT id, object_type, event, from_state,
                 lag(to_state) OVER (PARTITION BY root_id, object_type, object_id ORDER BY id) AS before FROM events) s
    WHERE coalesce(from_state, '') <> coalesce(before, ''))sql"});
  questions.push_back({"1 a row is in the state its last step ended in", "",
                       fmt::format(R"sql(
    SELECT s.type || ':' || s.id, s.type || ' is ' || s.state || ', its last step ended in ' || coalesce(l.to_state, 'nothing')
    FROM ({}) s LEFT JOIN (
      SELECT object_type, object_id, to_state,
             row_number() OVER (PARTITION BY object_type, object_id ORDER BY id DESC) AS place FROM events) l
      ON l.object_type = s.type AND l.object_id = s.id AND l.place = 1
    WHERE l.to_state IS NULL OR l.to_state <> s.state)sql",
                                   kStates)});
  questions.push_back({"1 no step without its row", "",
                       fmt::format(R"sql(
    SELECT e.object_type || ':' || e.object_id, 'is not there, though ' || count(*) || ' steps tell of it'
    FROM events e LEFT JOIN ({}) s ON s.type = e.object_type AND s.id = e.object_id
    WHERE s.id IS NULL GROUP BY e.object_type, e.object_id)sql",
                                   kStates)});
  questions.push_back({"1 no step without its root", "",
                       fmt::format(R"sql(
    SELECT e.root_type || ':' || e.root_id, 'is not there, though ' || count(*) || ' steps changed it'
    FROM events e LEFT JOIN ({}) r ON r.type = e.root_type AND r.id = e.root_id
    WHERE r.id IS NULL GROUP BY e.root_type, e.root_id)sql",
                                   kRoots)});
}

void ask_about_versions(std::vector<AuditQuestion>& questions) {
  questions.push_back({"1 a root's version rises by one per change", "",
                       fmt::format(R"sql(
    SELECT r.type || ':' || r.id, 'version ' || r.version || ', events explain ' || count(DISTINCT e.root_version) || ' up to ' || coalesce(max(e.root_version), 0)
    FROM ({}) r LEFT JOIN events e ON e.root_id = r.id
    GROUP BY r.type, r.id, r.version
    HAVING count(DISTINCT e.root_version) <> r.version OR max(e.root_version) <> r.version
      OR min(e.root_version) <> 1)sql",
                                   kRoots)});
  questions.push_back({"1 a part's version counts its steps", "",
                       fmt::format(R"sql(
    SELECT p.type || ':' || p.id, 'version ' || p.version || ', steps ' || count(e.id)
    FROM ({}) p LEFT JOIN events e ON e.root_id = p.root_id AND e.object_type = p.type AND e.object_id = p.id
    GROUP BY p.type, p.id, p.version HAVING count(e.id) <> p.version)sql",
                                   kParts)});
  questions.push_back({"1 a close that was asked for left its step", "order", R"sql(
    SELECT o.id, 'close_requested is ' || o.close_requested || ', steps that asked ' || count(e.id)
    FROM orders o LEFT JOIN events e ON e.root_id = o.id AND e.object_type = 'order' AND e.event = 'close_asked'
    GROUP BY o.id, o.close_requested HAVING o.close_requested <> CASE WHEN count(e.id) > 0 THEN 1 ELSE 0 END)sql"});
}

void ask_about_ends(std::vector<AuditQuestion>& questions) {
  questions.push_back({"2 one succeeded payment exactly when the order succeeded", "order", R"sql(
    SELECT o.id, 'order is ' || o.state || ' with ' || count(p.id) || ' succeeded payments'
    FROM orders o LEFT JOIN payments p ON p.order_id = o.id AND p.state = 'succeeded'
    GROUP BY o.id, o.state HAVING count(p.id) <> CASE o.state WHEN 'succeeded' THEN 1 ELSE 0 END)sql"});
  questions.push_back({"2 an order that ended unpaid has no open payment", "payment", R"sql(
    SELECT p.id, 'payment is ' || p.state || ', its order ' || o.state FROM payments p JOIN orders o ON o.id = p.order_id
    WHERE o.state IN ('closed', 'failed') AND p.state NOT IN ('succeeded', 'failed', 'closed'))sql"});
  questions.push_back({"2 a closed order says when and why", "order", R"sql(
    SELECT id, 'order is ' || state || ', closed_at ' || coalesce(closed_at, 0) || ', reason ' || coalesce(close_reason, 'none')
    FROM orders WHERE (state = 'closed') <> (closed_at IS NOT NULL)
      OR (state = 'closed' AND (close_reason IS NULL OR close_requested = 0)))sql"});
  questions.push_back({"2 no payment without its order", "payment", R"sql(
    SELECT p.id, 'its order is not there' FROM payments p LEFT JOIN orders o ON o.id = p.order_id WHERE o.id IS NULL)sql"});
  questions.push_back({"2 a payment asks for its order's amount", "payment", R"sql(
    SELECT p.id, p.amount || ' ' || p.currency || ', its order ' || o.amount || ' ' || o.currency
    FROM payments p JOIN orders o ON o.id = p.order_id WHERE p.amount <> o.amount OR p.currency <> o.currency)sql"});
  questions.push_back({"2 a merchant_order_no names one order", "order", R"sql(
    SELECT max(id), count(*) || ' orders are called ' || merchant_order_no FROM orders
    GROUP BY merchant_id, merchant_order_no HAVING count(*) > 1)sql"});
}

void ask_about_receipts(std::vector<AuditQuestion>& questions) {
  questions.push_back({"3 one accepted receipt exactly when the payment succeeded", "payment", R"sql(
    SELECT p.id, 'payment is ' || p.state || ' with ' || count(r.id) || ' accepted receipts'
    FROM payments p LEFT JOIN receipts r ON r.order_id = p.order_id AND r.payment_id = p.id AND r.state = 'accepted'
    GROUP BY p.id, p.state HAVING count(r.id) <> CASE p.state WHEN 'succeeded' THEN 1 ELSE 0 END)sql"});
  questions.push_back({"3 no receipt without its payment", "receipt", R"sql(
    SELECT r.id, 'its order has no such payment' FROM receipts r
    LEFT JOIN payments p ON p.id = r.payment_id AND p.order_id = r.order_id WHERE p.id IS NULL)sql"});
  questions.push_back({"3 an accepted receipt equals its order", "receipt", R"sql(
    SELECT r.id, r.amount || ' ' || r.currency || ', its order ' || o.amount || ' ' || o.currency
    FROM receipts r JOIN orders o ON o.id = r.order_id
    WHERE r.state = 'accepted' AND (r.amount <> o.amount OR r.currency <> o.currency))sql"});
  questions.push_back({"3 a receipt nobody accepted goes back or is on the desk", "receipt", R"sql(
    SELECT r.id, 'in suspense, and nothing sends it back' FROM receipts r
    WHERE r.state = 'suspense'
      AND NOT EXISTS (SELECT 1 FROM reversals v WHERE v.order_id = r.order_id AND v.receipt_id = r.id)
      AND NOT EXISTS (SELECT 1 FROM cases c WHERE c.root_id = r.order_id AND c.object_id = r.payment_id AND c.state <> 'resolved'))sql"});
  questions.push_back({"3 only an accepted receipt is written off, and only by the desk", "receipt", R"sql(
    SELECT r.id, 'receipt is ' || r.state || ' over ' || r.amount || ', written off ' || r.written_off FROM receipts r
    WHERE r.written_off <> 0 AND (r.state <> 'accepted' OR r.written_off NOT BETWEEN 1 AND r.amount
      OR NOT EXISTS (SELECT 1 FROM cases c WHERE c.root_id = r.order_id AND c.object_id = r.payment_id
                                             AND c.kind = 'contradiction' AND c.resolution = 'write_off' AND c.state = 'resolved')))sql"});
  questions.push_back({"3 a receipt is unique by channel and upstream number", "receipt", R"sql(
    SELECT max(id), count(*) || ' receipts of ' || channel || ' ' || channel_trade_no FROM receipts
    GROUP BY merchant_id, channel, channel_trade_no HAVING count(*) > 1)sql"});
  questions.push_back({"3 a payment's paid amount is the sum of its receipts", "payment", R"sql(
    SELECT p.id, 'paid_amount ' || p.paid_amount || ', receipts ' || coalesce(sum(r.amount), 0)
    FROM payments p LEFT JOIN receipts r ON r.order_id = p.order_id AND r.payment_id = p.id AND r.currency = p.currency
    GROUP BY p.id, p.paid_amount HAVING coalesce(sum(r.amount), 0) <> p.paid_amount)sql"});
  questions.push_back({"3 an order's paid amount is its accepted receipt", "order", R"sql(
    SELECT o.id, 'paid_amount ' || o.paid_amount || ', accepted ' || coalesce(sum(r.amount), 0)
    FROM orders o LEFT JOIN receipts r ON r.order_id = o.id AND r.state = 'accepted'
    GROUP BY o.id, o.paid_amount HAVING coalesce(sum(r.amount), 0) <> o.paid_amount)sql"});
}

void ask_about_reversals(std::vector<AuditQuestion>& questions) {
  questions.push_back({"3 a reversal never exceeds its receipt", "reversal", R"sql(
    SELECT v.id, 'of its receipt ' || coalesce(max(r.amount), 0) || ' went, reversals send back ' || sum(w.amount)
    FROM reversals v JOIN reversals w ON w.order_id = v.order_id AND w.receipt_id = v.receipt_id
    LEFT JOIN receipts r ON r.order_id = v.order_id AND r.id = v.receipt_id AND r.currency = v.currency
    GROUP BY v.id HAVING coalesce(max(r.amount), 0) < sum(w.amount))sql"});
  questions.push_back({"3 a reversal that succeeded returned its receipt", "reversal", R"sql(
    SELECT v.id, 'reversal is ' || v.state || ', its receipt ' || r.state FROM reversals v
    JOIN receipts r ON r.order_id = v.order_id AND r.id = v.receipt_id
    WHERE (v.state IN ('succeeded', 'paid_otherwise')) <> (r.state = 'returned'))sql"});
  questions.push_back({"3 a payment's reversed amount is what went back", "payment", R"sql(
    SELECT p.id, 'reversed_amount ' || p.reversed_amount || ', returned ' || coalesce(sum(r.amount), 0)
    FROM payments p LEFT JOIN receipts r ON r.order_id = p.order_id AND r.payment_id = p.id AND r.currency = p.currency
      AND r.state = 'returned'
    GROUP BY p.id, p.reversed_amount HAVING coalesce(sum(r.amount), 0) <> p.reversed_amount)sql"});
  questions.push_back({"4 suspense is the sum of unresolved receipts", "merchant", R"sql(
    SELECT merchant_id, currency || ': suspense ' || sum(booked) || ', receipts ' || sum(owed) FROM (
      SELECT merchant_id, currency, balance AS booked, 0 AS owed FROM accounts WHERE kind = 'suspense'
      UNION ALL SELECT merchant_id, currency, 0, amount FROM receipts WHERE state = 'suspense') s
    GROUP BY merchant_id, currency HAVING sum(booked) <> sum(owed))sql"});
}

void ask_about_refunds(std::vector<AuditQuestion>& questions) {
  questions.push_back({"5 refunds never exceed what was captured", "payment", R"sql(
    SELECT f.payment_id, 'refunds ' || sum(f.amount) || ', captured ' || coalesce(max(r.amount), 0) FROM refunds f
    LEFT JOIN receipts r ON r.order_id = f.order_id AND r.payment_id = f.payment_id AND r.state = 'accepted'
      AND r.currency = f.currency
    WHERE f.state <> 'failed' GROUP BY f.payment_id HAVING sum(f.amount) > coalesce(max(r.amount), 0))sql"});
  questions.push_back({"5 an order's refunded amount is the sum of its refunds", "order", R"sql(
    SELECT o.id, 'refunded_amount ' || o.refunded_amount || ', refunds ' || coalesce(sum(f.amount), 0)
    FROM orders o LEFT JOIN refunds f ON f.order_id = o.id AND f.state = 'succeeded'
    GROUP BY o.id, o.refunded_amount HAVING coalesce(sum(f.amount), 0) <> o.refunded_amount)sql"});
  questions.push_back({"5 refunds in transit are those under way", "merchant", R"sql(
    SELECT merchant_id, currency || ': in transit ' || sum(booked) || ', refunds ' || sum(owed) FROM (
      SELECT merchant_id, currency, balance AS booked, 0 AS owed FROM accounts WHERE kind = 'refunds_in_transit'
      UNION ALL SELECT merchant_id, currency, 0, amount FROM refunds WHERE state IN ('pending', 'processing')) s
    GROUP BY merchant_id, currency HAVING sum(booked) <> sum(owed))sql"});
}

void ask_about_the_ledger(std::vector<AuditQuestion>& questions) {
  questions.push_back({"6 a journal sums to zero", "entry", R"sql(
    SELECT journal_id, 'sums to ' || sum(amount) || ' ' || currency FROM entries
    GROUP BY journal_id, currency HAVING sum(amount) <> 0)sql"});
  questions.push_back({"6 an entry adds up", "entry", R"sql(
    SELECT id, balance_before || ' and ' || amount || ' make ' || balance_after FROM entries
    WHERE balance_before + amount <> balance_after)sql"});
  questions.push_back({"6 an entry begins where the last one ended", "entry", R"sql(
    SELECT id, 'begins at ' || balance_before || ', the entry before ended at ' || coalesce(ended, 0) FROM (
      SELECT id, balance_before, previous_id, lag(balance_after) OVER w AS ended, lag(id) OVER w AS before
      FROM entries WINDOW w AS (PARTITION BY account_id ORDER BY id)) s
    WHERE balance_before <> coalesce(ended, 0) OR coalesce(previous_id, 0) <> coalesce(before, 0))sql"});
  questions.push_back({"6 an entry is of its account's merchant and currency", "entry", R"sql(
    SELECT e.id, e.amount || ' ' || e.currency || ' on an account of ' || coalesce(a.currency, 'nobody') FROM entries e
    LEFT JOIN accounts a ON a.id = e.account_id
    WHERE a.id IS NULL OR a.merchant_id <> e.merchant_id OR a.currency <> e.currency)sql"});
  questions.push_back({"6 a balance is the sum of its entries", "account", R"sql(
    SELECT a.id, a.kind || ': balance ' || a.balance || ', entries ' || coalesce(sum(e.amount), 0)
    FROM accounts a LEFT JOIN entries e ON e.account_id = a.id
    GROUP BY a.id, a.kind, a.balance HAVING coalesce(sum(e.amount), 0) <> a.balance)sql"});
  questions.push_back({"6 an account counts its entries", "account", R"sql(
    SELECT a.id, a.kind || ': version ' || a.version || ', entries ' || count(e.id)
    FROM accounts a LEFT JOIN entries e ON e.account_id = a.id
    GROUP BY a.id, a.kind, a.version, a.last_entry_id
    HAVING count(e.id) <> a.version OR coalesce(max(e.id), 0) <> coalesce(a.last_entry_id, 0))sql"});
}

// What every document has posted by the state it is in: its type, its id, the reason and the amount.
constexpr std::string_view kPostings = R"sql(
  SELECT 'receipt' AS type, id, 'receipt_accepted' AS reason, amount FROM receipts WHERE state = 'accepted'
  UNION ALL SELECT 'receipt', id, 'receipt_in_suspense', amount FROM receipts WHERE state = 'suspense'
  UNION ALL SELECT 'receipt', id, 'receipt_written_off', written_off FROM receipts WHERE written_off <> 0
  UNION ALL SELECT 'reversal', id, 'reversal_succeeded', amount FROM reversals WHERE state = 'succeeded'
  UNION ALL SELECT 'reversal', id, 'reversal_paid_otherwise', amount FROM reversals WHERE state = 'paid_otherwise'
  UNION ALL SELECT 'refund', id, 'refund_accepted', amount FROM refunds
  UNION ALL SELECT 'refund', id, 'refund_' || state, amount FROM refunds WHERE state IN ('succeeded', 'failed'))sql";

void ask_about_postings(std::vector<AuditQuestion>& questions) {
  questions.push_back({"7 one posting per document and reason", "entry", R"sql(
    SELECT max(journal_id), type || ' is posted ' || count(DISTINCT journal_id) || ' times' FROM entries
    GROUP BY document_type, document_id, type HAVING count(DISTINCT journal_id) > 1)sql"});
  questions.push_back({"7 every document is posted", "",
                       fmt::format(R"sql(
    SELECT d.type || ':' || d.id, 'no posting of ' || d.amount || ' as ' || d.reason FROM ({}) d
    LEFT JOIN entries e ON e.document_type = d.type AND e.document_id = d.id AND e.type = d.reason AND e.amount = d.amount
    WHERE e.id IS NULL)sql",
                                   kPostings)});
  questions.push_back({"7 no posting without its document", "", R"sql(
    SELECT e.document_type || ':' || e.document_id, 'is not there, though ' || count(*) || ' entries were posted for it'
    FROM entries e LEFT JOIN (
      SELECT 'receipt' AS type, id FROM receipts UNION ALL SELECT 'reversal', id FROM reversals
      UNION ALL SELECT 'refund', id FROM refunds) d ON d.type = e.document_type AND d.id = e.document_id
    WHERE d.id IS NULL GROUP BY e.document_type, e.document_id)sql"});
  questions.push_back({"7 no step without its posting", "event", R"sql(
    SELECT v.id, 'the posting it names is not there' FROM events v LEFT JOIN entries e ON e.id = v.journal_id
    WHERE v.journal_id IS NOT NULL AND e.id IS NULL)sql"});
}

void ask_about_keys(std::vector<AuditQuestion>& questions) {
  constexpr std::string_view kNamed[] = {"orders", "receipts", "refunds", "accounts"};
  std::string all;
  for (const std::string_view table : kNamed) {
    const std::string_view type = table.substr(0, table.size() - 1);
    questions.push_back({fmt::format("9 a natural key names its {}", type), std::string(type),
                         fmt::format(R"sql(
      SELECT t.id, coalesce(k.named, 0) || ' keys name it' FROM {} t
      LEFT JOIN (SELECT id, merchant_id, count(*) AS named FROM keys GROUP BY id, merchant_id) k
        ON k.id = t.id AND k.merchant_id = t.merchant_id
      WHERE coalesce(k.named, 0) <> 1)sql",
                                     table)});
    all += fmt::format("{}SELECT id FROM {}", all.empty() ? "" : " UNION ALL ", table);
  }
  questions.push_back({"9 a natural key names what is there", "",
                       fmt::format(R"sql(
    SELECT 'key:' || k.id, 'names nothing that is there' FROM keys k LEFT JOIN ({}) t ON t.id = k.id
    WHERE t.id IS NULL)sql",
                                   all)});
  questions.push_back({"9 an idempotency key has its answer", "answer", R"sql(
    SELECT k.answer_id, 'the answer is not there' FROM idempotency_keys k
    LEFT JOIN answers a ON a.id = k.answer_id AND a.key_hash = k.hash WHERE a.id IS NULL)sql"});
  questions.push_back({"14 an id is reserved before it is used", "",
                       fmt::format(R"sql(
    SELECT i.type || ':' || i.id, 'made later than any id its node had reserved' FROM (
      SELECT 'event' AS type, id FROM events UNION ALL SELECT 'entry', id FROM entries
      UNION ALL SELECT 'answer', id FROM answers) i
    LEFT JOIN nodes n ON n.number = ((i.id >> {}) & {})
    WHERE n.number IS NULL OR (i.id >> {}) + {} > n.ids_until)sql",
                                   kIdNumberBits, kIdNodesMax - 1, kIdNumberBits + kIdNodeBits, kIdEpochMs)});
}

void ask_about_deliveries(std::vector<AuditQuestion>& questions) {
  questions.push_back({"11 a final order has told its notify_url", "order", R"sql(
    SELECT o.id, 'no delivery of order.' || o.state FROM orders o
    WHERE o.notify_url IS NOT NULL AND o.state IN ('succeeded', 'failed', 'closed')
      AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.order_id = o.id AND d.endpoint_id IS NULL
                                                  AND d.type = 'order.' || o.state))sql"});
  questions.push_back({"11 a delivery is done, in backoff or exhausted", "delivery", R"sql(
    SELECT id, 'pending, and never due' FROM deliveries WHERE state = 'pending' AND due_at IS NULL)sql"});
  questions.push_back({"11 an exhausted delivery is on the desk", "delivery", R"sql(
    SELECT d.id, 'exhausted, and nobody was told' FROM deliveries d
    WHERE d.state = 'exhausted' AND NOT EXISTS (SELECT 1 FROM cases c WHERE c.root_id = d.id AND c.kind = 'delivery_exhausted'))sql"});
  questions.push_back({"11 no delivery without its order", "delivery", R"sql(
    SELECT d.id, 'its order is not there' FROM deliveries d LEFT JOIN orders o ON o.id = d.order_id WHERE o.id IS NULL)sql"});
}

void ask_about_time(std::vector<AuditQuestion>& questions) {
  questions.push_back({"16 an open order is due", "order", R"sql(
    SELECT id, 'order is ' || state || ' and never expires' FROM orders
    WHERE state IN ('pending', 'processing') AND close_requested = 0 AND due_at IS NULL AND parked = 0)sql"});
  questions.push_back({"16 an open payment is due", "payment", R"sql(
    SELECT p.id, 'payment is ' || p.state || ' and never due' FROM payments p JOIN orders o ON o.id = p.order_id
    WHERE p.due_at IS NULL AND o.parked = 0
      AND (p.state IN ('created', 'processing', 'pending') OR (p.state = 'closed' AND p.close_asked = 1)))sql"});
  for (const auto& [type, open] :
       {std::pair("refund", "'pending', 'processing'"), std::pair("reversal", "'pending', 'processing', 'blocked'")})
    questions.push_back({fmt::format("16 an open {} is due", type), type,
                         fmt::format(R"sql(
      SELECT t.id, '{0} is ' || t.state || ' and never due' FROM {0}s t JOIN orders o ON o.id = t.order_id
      WHERE t.due_at IS NULL AND o.parked = 0 AND t.state IN ({1}))sql",
                                     type, open)});
  questions.push_back({"16 no order waits for payments that have all ended", "order", R"sql(
    SELECT o.id, 'a close is asked for and nothing is open' FROM orders o
    WHERE o.state IN ('pending', 'processing') AND o.close_requested = 1 AND o.parked = 0
      AND NOT EXISTS (SELECT 1 FROM payments p WHERE p.order_id = o.id AND p.state IN ('created', 'processing', 'pending')))sql"});
  questions.push_back({"16 a parked order is on the desk", "order", R"sql(
    SELECT o.id, 'parked, and nobody was told' FROM orders o WHERE o.parked = 1 AND NOT (
      EXISTS (SELECT 1 FROM events e WHERE e.root_id = o.id AND e.event = 'parked')
      AND EXISTS (SELECT 1 FROM cases c WHERE c.root_id = o.id AND c.kind = 'parked_row' AND c.state <> 'resolved')))sql"});
}

}  // namespace

std::vector<AuditQuestion> audit_questions() {
  std::vector<AuditQuestion> questions;
  ask_about_steps(questions);
  ask_about_versions(questions);
  ask_about_ends(questions);
  ask_about_receipts(questions);
  ask_about_reversals(questions);
  ask_about_refunds(questions);
  ask_about_the_ledger(questions);
  ask_about_postings(questions);
  ask_about_keys(questions);
  ask_about_deliveries(questions);
  ask_about_time(questions);
  return questions;
}

std::vector<std::string_view> audited_tables() {
  return {"merchants", "orders",  "payments", "receipts",   "refunds",           "reversals", "cases",
          "accounts",  "entries", "events",   "deliveries", "webhook_endpoints", "keys",      "answers"};
}

}  // namespace finality
