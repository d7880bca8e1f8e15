#include <fmt/format.h>

#include "store/audit/collectors.h"
#include "store/audit/questions.h"

namespace finality::audit {
namespace {

// States as SQL lists. Open authorizations and captures still have work to do.
constexpr std::string_view kOpenAuthorization = "('created', 'processing', 'pending', 'authorized', 'releasing')";
constexpr std::string_view kOpenCapture = "('pending', 'processing')";

// SQL condition that the authorization `a` holds its amount for its order. A late hold is only released.
constexpr std::string_view kIsHolder =
    "(a.state = 'authorized' OR (a.state = 'releasing' AND coalesce(a.end_reason, '') <> 'late'))";

// SQL expression for the sum of the receipts, in any state, of the captures of the authorization `a`. Receipts in
// another currency were not taken from the amount that it holds.
std::string receipts_of_captures() {
  return fmt::format(R"sql(coalesce((
      SELECT sum(r.amount) FROM captures c
        JOIN receipts r ON r.order_id = c.order_id AND r.merchant_id = c.merchant_id AND {} = c.id
        AND r.currency = a.currency
      WHERE c.order_id = a.order_id AND c.merchant_id = a.merchant_id AND c.authorization_id = a.id), 0))sql",
                     collector_of("r"));
}

}  // namespace

void add_authorizations_questions(Questions& questions) {
  for (const auto& [type, method] :
       {std::pair("payment", "automatic"), std::pair("authorization", "manual"), std::pair("capture", "manual")})
    questions.push_back({fmt::format("2 only an order with {} capture has {}s", method, type), type,
                         fmt::format(R"sql(
    SELECT t.id, '{0} of an order whose capture_method is ' || o.capture_method
    FROM {0}s t JOIN orders o ON o.id = t.order_id AND o.merchant_id = t.merchant_id
      WHERE o.capture_method <> '{1}')sql",
                                     type, method)});
  questions.push_back({"2 every authorization has its order", "authorization", R"sql(
    SELECT a.id, 'its order does not exist' FROM authorizations a
      LEFT JOIN orders o ON o.id = a.order_id AND o.merchant_id = a.merchant_id
    WHERE o.id IS NULL)sql"});
  questions.push_back({"2 an authorization has its order's amount", "authorization", R"sql(
    SELECT a.id, a.amount || ' ' || a.currency || ', its order ' || o.amount || ' ' || o.currency
    FROM authorizations a JOIN orders o ON o.id = a.order_id AND o.merchant_id = a.merchant_id
    WHERE a.amount <> o.amount OR a.currency <> o.currency)sql"});
  questions.push_back({"2 every capture has its authorization", "capture", R"sql(
    SELECT c.id, 'its order has no such authorization' FROM captures c
    LEFT JOIN authorizations a ON a.order_id = c.order_id AND a.id = c.authorization_id
      AND a.merchant_id = c.merchant_id AND a.currency = c.currency
    WHERE a.id IS NULL)sql"});
  for (const std::string_view type : {"authorization", "capture"})
    questions.push_back({fmt::format("2 the ordinal of each {} is unique in its order", type), std::string(type),
                         fmt::format(R"sql(
    SELECT max(id), count(*) || ' {0}s of one order with ordinal ' || ordinal FROM {0}s
    GROUP BY order_id, ordinal HAVING count(*) > 1 OR ordinal < 1)sql",
                                     type)});
  questions.push_back({"2 a manual order has one captured authorization exactly if it succeeded", "order", R"sql(
    SELECT o.id, 'order is ' || o.state || ' with ' || count(a.id) || ' captured authorizations'
    FROM orders o LEFT JOIN authorizations a ON a.order_id = o.id AND a.merchant_id = o.merchant_id
      AND a.state = 'captured'
    WHERE o.capture_method = 'manual'
    GROUP BY o.id, o.state HAVING count(a.id) <> CASE o.state WHEN 'succeeded' THEN 1 ELSE 0 END)sql"});
  questions.push_back({"2 an order is authorized exactly if one authorization holds its amount", "order",
                       fmt::format(R"sql(
    SELECT o.id, 'order is ' || o.state || ', and ' || count(a.id) || ' authorizations hold its amount'
    FROM orders o LEFT JOIN authorizations a ON a.order_id = o.id AND a.merchant_id = o.merchant_id AND {}
    GROUP BY o.id, o.state HAVING count(a.id) <> CASE o.state WHEN 'authorized' THEN 1 ELSE 0 END)sql",
                                   kIsHolder)});
  questions.push_back({"2 a closed or failed order has no open authorization", "authorization",
                       fmt::format(R"sql(
    SELECT a.id, 'authorization is ' || a.state || ', its order ' || o.state
    FROM authorizations a JOIN orders o ON o.id = a.order_id AND o.merchant_id = a.merchant_id
    WHERE o.state IN ('closed', 'failed') AND a.state IN {})sql",
                                   kOpenAuthorization)});
  questions.push_back({"2 a closed or failed order has no paid amount", "order", R"sql(
    SELECT id, 'order is ' || state || ', paid_amount ' || paid_amount FROM orders
    WHERE state IN ('closed', 'failed') AND paid_amount <> 0)sql"});
  questions.push_back({"2 an authorization whose hold ends has a reason", "authorization", R"sql(
    SELECT id, 'authorization is ' || state || ' without end_reason' FROM authorizations
    WHERE state IN ('releasing', 'captured', 'released') AND end_reason IS NULL)sql"});
  questions.push_back({"2 an authorization keeps no data of its payer after its request", "authorization", R"sql(
    SELECT id, 'authorization is ' || state || ' and has a payer' FROM authorizations
    WHERE payer <> '' AND state NOT IN ('created', 'processing', 'pending'))sql"});
  questions.push_back({"2 a capture is unique by merchant_capture_no", "capture", R"sql(
    SELECT max(id), count(*) || ' captures with merchant_capture_no ' || merchant_capture_no FROM captures
    WHERE origin = 'merchant' GROUP BY merchant_id, merchant_capture_no HAVING count(*) > 1)sql"});
  questions.push_back({"2 only a requested capture has a merchant_capture_no", "capture", R"sql(
    SELECT id, 'origin ' || origin || ', merchant_capture_no ' || merchant_capture_no FROM captures
    WHERE (origin = 'merchant') <> (merchant_capture_no <> ''))sql"});
}

void add_captures_questions(Questions& questions) {
  // Refunds of captured money name the authorization. Those of a trade of several captures do not name a capture.
  questions.push_back({"3 collected money has a payment or a capture, never both", "", R"sql(
    SELECT t.type || ':' || t.id, 'payment_id ' || t.payment_id || ', capture ' || coalesce(t.capture_id, 0) FROM (
      SELECT 'receipt' AS type, id, payment_id, capture_id, capture_id AS other_id FROM receipts
      UNION ALL SELECT 'reversal', id, payment_id, capture_id, capture_id FROM reversals
      UNION ALL SELECT 'channel_settlement', id, payment_id, capture_id, capture_id FROM channel_settlements
      UNION ALL SELECT 'refund', id, payment_id, capture_id, authorization_id FROM refunds) t
    WHERE (t.payment_id <> 0) = (t.other_id IS NOT NULL) OR (t.payment_id <> 0 AND t.capture_id IS NOT NULL))sql"});
  questions.push_back({"3 a refund of a capture names the authorization of its receipt", "refund",
                       fmt::format(R"sql(
    SELECT f.id, 'authorization ' || f.authorization_id || ', of its receipt ' || coalesce(c.authorization_id, 0)
    FROM refunds f LEFT JOIN receipts r ON r.order_id = f.order_id AND r.merchant_id = f.merchant_id
      AND r.id = f.receipt_id
    LEFT JOIN captures c ON c.order_id = r.order_id AND c.merchant_id = r.merchant_id AND c.id = {}
    WHERE f.authorization_id IS NOT NULL AND f.authorization_id <> coalesce(c.authorization_id, 0))sql",
                                   collector_of("r"))});
  questions.push_back({"3 the ordinal of a receipt is 0 or that of its capture", "receipt", R"sql(
    SELECT r.id, 'ordinal ' || r.ordinal || ', its capture ' || coalesce(c.ordinal, 0) FROM receipts r
    LEFT JOIN captures c ON c.order_id = r.order_id AND c.merchant_id = r.merchant_id AND c.id = r.capture_id
    WHERE r.ordinal <> 0 AND r.ordinal <> coalesce(c.ordinal, 0))sql"});
  questions.push_back({"3 an authorization's captured amount is the sum of its accepted receipts", "authorization",
                       fmt::format(R"sql(
    SELECT a.id, 'captured_amount ' || a.captured_amount || ', accepted ' || coalesce(s.amount, 0)
    FROM authorizations a LEFT JOIN (
      SELECT c.merchant_id, c.order_id, c.authorization_id, sum(r.amount) AS amount
      FROM captures c JOIN receipts r ON r.order_id = c.order_id AND r.merchant_id = c.merchant_id AND {} = c.id
        AND r.state = 'accepted'
      GROUP BY c.merchant_id, c.order_id, c.authorization_id) s ON s.order_id = a.order_id
        AND s.merchant_id = a.merchant_id AND s.authorization_id = a.id
    WHERE coalesce(s.amount, 0) <> a.captured_amount)sql",
                                   collector_of("r"))});
  questions.push_back({"3 a capture without a number at the channel has an external_capture case", "capture", R"sql(
    SELECT c.id, 'captured by the channel without a number and without a case' FROM captures c
    WHERE c.out_trade_no = '' AND NOT EXISTS (
      SELECT 1 FROM cases k
        WHERE k.root_id = c.order_id AND k.merchant_id = c.merchant_id AND k.kind = 'external_capture'))sql"});
  // Refunds of a trade are allocated to its accepted receipts in their order; the last one has an excess.
  questions.push_back({"5 a capture's refunded amount is the sum of its refunds", "capture",
                       fmt::format(R"sql(
    SELECT c.id, 'refunded_amount ' || c.refunded_amount || ', refunds ' || coalesce(s.refunded, 0)
    FROM captures c LEFT JOIN (
      SELECT merchant_id, order_id, capture_id, CASE WHEN total <= earlier THEN 0 WHEN later > 0
        AND total - earlier > amount
                                        THEN amount ELSE total - earlier END AS refunded FROM (
        SELECT r.merchant_id, r.order_id, r.capture_id, r.amount, {} AS earlier, {} AS later,
          coalesce((SELECT sum(f.amount - f.returned_amount) FROM receipts k
                    JOIN refunds f ON f.order_id = k.order_id AND f.merchant_id = k.merchant_id
                      AND f.state = 'succeeded' AND f.receipt_id = k.id
                    WHERE k.order_id = r.order_id AND k.merchant_id = r.merchant_id AND k.state = 'accepted'
                      AND {}), 0) AS total
        FROM receipts r WHERE r.state = 'accepted' AND r.capture_id IS NOT NULL) w) s
      ON s.order_id = c.order_id AND s.merchant_id = c.merchant_id AND s.capture_id = c.id
    WHERE coalesce(s.refunded, 0) <> c.refunded_amount)sql",
                                   accepted_before("r"), accepted_after("r"), is_same_trade("k", "r"))});
}

void add_hold_amounts_questions(Questions& questions) {
  questions.push_back({"5 at most one capture of an authorization is open", "authorization",
                       fmt::format(R"sql(
    SELECT authorization_id, count(*) || ' captures are open' FROM captures WHERE state IN {}
    GROUP BY order_id, authorization_id HAVING count(*) > 1)sql",
                                   kOpenCapture)});
  questions.push_back({"5 a capture is open only while its authorization holds an amount", "capture",
                       fmt::format(R"sql(
    SELECT c.id, 'capture is ' || c.state || ', its authorization ' || a.state
    FROM captures c JOIN authorizations a ON a.order_id = c.order_id AND a.merchant_id = c.merchant_id
      AND a.id = c.authorization_id
    WHERE c.state IN {} AND a.state <> 'authorized')sql",
                                   kOpenCapture)});
  questions.push_back({"5 requested captures never exceed the authorized amount", "authorization", R"sql(
    SELECT a.id, 'authorized ' || a.authorized_amount || ', requested captures ' || s.amount
    FROM authorizations a JOIN (
      SELECT merchant_id, order_id, authorization_id, sum(amount) AS amount, min(amount) AS least FROM captures
      WHERE origin <> 'channel' AND state <> 'failed' GROUP BY order_id, authorization_id, merchant_id) s
      ON s.order_id = a.order_id AND s.merchant_id = a.merchant_id AND s.authorization_id = a.id
    WHERE s.amount > a.authorized_amount OR s.least < 1)sql"});
  questions.push_back({"5 an amount captured above the authorized amount has an over_captured case", "authorization",
                       R"sql(
    SELECT a.id, 'authorized ' || a.authorized_amount || ', captured ' || a.captured_amount || ', released '
      || a.released_amount || ', no case'
    FROM authorizations a
    WHERE a.captured_amount > 0 AND a.captured_amount + a.released_amount > a.authorized_amount AND NOT EXISTS (
      SELECT 1 FROM cases k
        WHERE k.root_id = a.order_id AND k.merchant_id = a.merchant_id AND k.object_id = a.id
        AND k.kind = 'over_captured'))sql"});
  questions.push_back({"5 a released amount is a part of the authorized amount", "authorization", R"sql(
    SELECT id, 'authorized ' || authorized_amount || ', released ' || released_amount FROM authorizations
    WHERE released_amount < 0 OR released_amount > authorized_amount)sql"});
  // A receipt in suspense was taken from the hold too.
  questions.push_back({"5 nothing is held after the end of an authorization, or it is still being released",
                       "authorization",
                       fmt::format(R"sql(
    SELECT h.id, 'authorization is ' || h.state || ', authorized ' || h.authorized_amount || ', captured ' || h.received
      || ', released ' || h.released_amount FROM (
      SELECT a.id, a.merchant_id, a.order_id, a.state, a.authorized_amount, a.released_amount, a.close_pending,
        a.due_at,
        {} AS received FROM authorizations a WHERE a.state NOT IN {}) h
    JOIN orders o ON o.id = h.order_id AND o.merchant_id = h.merchant_id
    WHERE h.authorized_amount - h.received - h.released_amount > 0
      AND NOT (h.close_pending = 1 AND (h.due_at IS NOT NULL OR o.parked = 1))
      AND NOT EXISTS (SELECT 1 FROM cases k
        WHERE k.root_id = h.order_id AND k.merchant_id = h.merchant_id AND k.object_id = h.id
                                              AND k.state <> 'resolved'))sql",
                                   receipts_of_captures(), kOpenAuthorization)});
}

void add_authorization_deliveries_questions(Questions& questions) {
  questions.push_back({"11 an authorized order has one delivery of it to its notify_url", "order", R"sql(
    SELECT o.id, count(d.id) || ' deliveries of order.authorized' FROM orders o
    LEFT JOIN deliveries d ON d.order_id = o.id AND d.merchant_id = o.merchant_id AND d.endpoint_id IS NULL
      AND d.type = 'order.authorized'
    WHERE o.notify_url IS NOT NULL AND EXISTS (
      SELECT 1 FROM events e
        WHERE e.root_id = o.id AND e.merchant_id = o.merchant_id AND e.object_type = 'order' AND e.event = 'authorized'
        AND e.cell = 'move' AND e.at > coalesce((SELECT until FROM expired WHERE kind = 'deliveries'), 0))
    GROUP BY o.id HAVING count(d.id) <> 1)sql"});
  questions.push_back({"11 each succeeded capture has a delivery to its order's notify_url", "order", R"sql(
    SELECT o.id, s.captures || ' captures succeeded, ' || count(d.id) || ' deliveries of capture.succeeded'
    FROM orders o JOIN (
      SELECT root_id, merchant_id, count(*) AS captures FROM events
      WHERE object_type = 'capture' AND to_state = 'succeeded' AND cell = 'move'
        AND at > coalesce((SELECT until FROM expired WHERE kind = 'deliveries'), 0)
      GROUP BY root_id, merchant_id) s ON s.root_id = o.id AND s.merchant_id = o.merchant_id
    LEFT JOIN deliveries d ON d.order_id = o.id AND d.merchant_id = o.merchant_id AND d.endpoint_id IS NULL
      AND d.type = 'capture.succeeded'
    WHERE o.notify_url IS NOT NULL GROUP BY o.id, s.captures HAVING count(d.id) < s.captures)sql"});
}

void add_authorization_time_questions(Questions& questions) {
  questions.push_back({"16 an open authorization is due", "authorization",
                       fmt::format(R"sql(
    SELECT a.id, 'authorization is ' || a.state || ' without due_at' FROM authorizations a
    JOIN orders o ON o.id = a.order_id AND o.merchant_id = a.merchant_id
    WHERE a.due_at IS NULL AND o.parked = 0 AND (a.state IN {} OR a.close_pending = 1))sql",
                                   kOpenAuthorization)});
  // At the deadline, the rest is captured or released. An open capture is waited for.
  questions.push_back({"16 an amount that is held is due before its deadline", "authorization",
                       fmt::format(R"sql(
    SELECT a.id, 'due_at ' || a.due_at || ', capture_before ' || coalesce(a.capture_before, 0) FROM authorizations a
    JOIN orders o ON o.id = a.order_id AND o.merchant_id = a.merchant_id
    WHERE a.state = 'authorized' AND o.parked = 0 AND a.due_at > coalesce(a.capture_before, 0) AND NOT EXISTS (
      SELECT 1 FROM captures c
        WHERE c.order_id = a.order_id AND c.merchant_id = a.merchant_id AND c.authorization_id = a.id
        AND c.state IN {}))sql",
                                   kOpenCapture)});
}

}  // namespace finality::audit
