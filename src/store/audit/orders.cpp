#include <fmt/format.h>

#include "store/audit/collectors.h"
#include "store/audit/questions.h"

namespace finality::audit {
namespace {

// Types of the rows that collect receipts, and store sums of them.
constexpr std::string_view kCollectorTypes[] = {"payment", "capture"};

}  // namespace

void add_ends_questions(Questions& questions) {
  questions.push_back({"2 an automatic order has one succeeded payment exactly if it succeeded", "order", R"sql(
    SELECT o.id, 'order is ' || o.state || ' with ' || count(p.id) || ' succeeded payments'
    FROM orders o LEFT JOIN payments p ON p.order_id = o.id AND p.merchant_id = o.merchant_id AND p.state = 'succeeded'
    WHERE o.capture_method = 'automatic'
    GROUP BY o.id, o.state HAVING count(p.id) <> CASE o.state WHEN 'succeeded' THEN 1 ELSE 0 END)sql"});
  questions.push_back({"2 a closed or failed order has no open payment", "payment", R"sql(
    SELECT p.id, 'payment is ' || p.state || ', its order ' || o.state FROM payments p
      JOIN orders o ON o.id = p.order_id AND o.merchant_id = p.merchant_id
    WHERE o.state IN ('closed', 'failed') AND p.state NOT IN ('succeeded', 'failed', 'closed'))sql"});
  questions.push_back({"2 a closed order has a time and a reason", "order", R"sql(
    SELECT id, 'order is ' || state || ', closed_at ' || coalesce(closed_at, 0) || ', close_reason ' || coalesce(close_reason, 'none')
    FROM orders WHERE (state = 'closed') <> (closed_at IS NOT NULL)
      OR (state = 'closed' AND (close_reason IS NULL OR close_requested = 0)))sql"});
  questions.push_back({"2 every payment has its order", "payment", R"sql(
    SELECT p.id, 'its order does not exist' FROM payments p
      LEFT JOIN orders o ON o.id = p.order_id AND o.merchant_id = p.merchant_id WHERE o.id IS NULL)sql"});
  questions.push_back({"2 a payment has its order's amount", "payment", R"sql(
    SELECT p.id, p.amount || ' ' || p.currency || ', its order ' || o.amount || ' ' || o.currency
    FROM payments p JOIN orders o ON o.id = p.order_id AND o.merchant_id = p.merchant_id
      WHERE p.amount <> o.amount OR p.currency <> o.currency)sql"});
  questions.push_back({"2 a final payment keeps no data of its payer", "payment", R"sql(
    SELECT id, 'payment is ' || state || ' and has a payer' FROM payments
    WHERE payer <> '' AND state IN ('succeeded', 'failed', 'closed'))sql"});
  questions.push_back({"2 an order is unique by merchant_order_no", "order", R"sql(
    SELECT max(id), count(*) || ' orders with merchant_order_no ' || merchant_order_no FROM orders
    GROUP BY merchant_id, merchant_order_no HAVING count(*) > 1)sql"});
}

void add_receipts_questions(Questions& questions) {
  questions.push_back({"3 a payment or capture has one accepted receipt exactly if it succeeded", "",
                       fmt::format(R"sql(WITH {}
    SELECT p.type || ':' || p.id, p.type || ' is ' || p.state || ' with ' || count(r.id) || ' accepted receipts'
    FROM collectors p
      LEFT JOIN receipts r ON r.order_id = p.order_id AND r.merchant_id = p.merchant_id AND {} = p.id
      AND r.state = 'accepted'
    GROUP BY p.type, p.id, p.state HAVING count(r.id) <> CASE p.state WHEN 'succeeded' THEN 1 ELSE 0 END)sql",
                                   kCollectors, collector_of("r"))});
  questions.push_back({"3 every receipt has its payment or capture", "receipt",
                       fmt::format(R"sql(WITH {}
    SELECT r.id, 'its order has no such payment or capture' FROM receipts r
    WHERE NOT EXISTS (SELECT 1 FROM collectors p
      WHERE p.id = {} AND p.order_id = r.order_id AND p.merchant_id = r.merchant_id))sql",
                                   kCollectors, collector_of("r"))});
  questions.push_back({"3 an accepted receipt has the amount of its payment or capture", "receipt",
                       fmt::format(R"sql(WITH {}
    SELECT r.id, r.amount || ' ' || r.currency || ', its ' || p.type || ' ' || p.amount || ' ' || p.currency
    FROM receipts r JOIN collectors p ON p.id = {} AND p.order_id = r.order_id AND p.merchant_id = r.merchant_id
    WHERE r.state = 'accepted' AND (r.amount - r.accepted_difference <> p.amount OR r.currency <> p.currency))sql",
                                   kCollectors, collector_of("r"))});
  questions.push_back({"3 only operators accept a receipt of another amount than its payment's", "receipt", R"sql(
    SELECT r.id, 'receipt is ' || r.state || ', accepted_difference ' || r.accepted_difference FROM receipts r
    WHERE r.accepted_difference <> 0 AND (r.state <> 'accepted' OR r.payment_id = 0
      OR NOT EXISTS (SELECT 1 FROM cases c
        WHERE c.root_id = r.order_id AND c.merchant_id = r.merchant_id AND c.object_id = r.payment_id
          AND c.kind = 'amount_mismatch' AND c.resolution = 'accept' AND c.state = 'resolved')))sql"});
  questions.push_back(
      {"3 a payment under review has a receipt in suspense, an open case and a processing order", "payment", R"sql(
    SELECT p.id, 'under review; its order is ' || coalesce(o.state, 'missing') FROM payments p
      LEFT JOIN orders o ON o.id = p.order_id AND o.merchant_id = p.merchant_id
    WHERE p.state = 'under_review' AND (o.state IS NULL OR o.state <> 'processing'
      OR NOT EXISTS (SELECT 1 FROM receipts r
        WHERE r.order_id = p.order_id AND r.merchant_id = p.merchant_id AND r.payment_id = p.id
          AND r.state IN ('suspense', 'returned') AND (r.amount <> p.amount OR r.currency <> p.currency))
      OR NOT EXISTS (SELECT 1 FROM cases c
        WHERE c.root_id = p.order_id AND c.merchant_id = p.merchant_id AND c.object_id = p.id
          AND c.kind = 'amount_mismatch' AND c.state <> 'resolved')))sql"});
  questions.push_back({"3 a receipt in suspense has a reversal or an open case", "receipt",
                       fmt::format(R"sql(
    SELECT r.id, 'in suspense without a reversal or an open case' FROM receipts r
    WHERE r.state = 'suspense'
      AND NOT EXISTS (SELECT 1 FROM reversals v
        WHERE v.order_id = r.order_id AND v.merchant_id = r.merchant_id AND v.receipt_id = r.id)
      AND NOT EXISTS (SELECT 1 FROM cases c
        WHERE c.root_id = r.order_id AND c.merchant_id = r.merchant_id AND c.object_id = {}
        AND c.state <> 'resolved'))sql",
                                   collector_of("r"))});
  questions.push_back({"3 only an accepted receipt is written off, and only by operators", "receipt",
                       fmt::format(R"sql(
    SELECT r.id, 'receipt is ' || r.state || ', amount ' || r.amount || ', written_off ' || r.written_off FROM receipts r
    WHERE r.written_off <> 0 AND (r.state <> 'accepted' OR r.written_off NOT BETWEEN 1 AND r.amount
      OR NOT EXISTS (SELECT 1 FROM cases c
        WHERE c.root_id = r.order_id AND c.merchant_id = r.merchant_id AND c.object_id = {}
                                             AND c.kind = 'conflicting_result' AND c.resolution = 'write_off' AND c.state = 'resolved')))sql",
                                   collector_of("r"))});
  questions.push_back({"3 a receipt is unique by channel, channel_trade_no and ordinal", "receipt", R"sql(
    SELECT max(id), count(*) || ' receipts of ' || channel || ' ' || channel_trade_no FROM receipts
    GROUP BY merchant_id, channel, channel_trade_no, ordinal HAVING count(*) > 1)sql"});
  for (const std::string_view type : kCollectorTypes)
    questions.push_back({fmt::format("3 a {}'s paid amount is the sum of its receipts", type), std::string(type),
                         fmt::format(R"sql(
    SELECT p.id, 'paid_amount ' || p.paid_amount || ', receipts ' || coalesce(sum(r.amount), 0)
    FROM {}s p LEFT JOIN receipts r ON r.order_id = p.order_id AND r.merchant_id = p.merchant_id AND {} = p.id
      AND r.currency = p.currency
    GROUP BY p.id, p.paid_amount HAVING coalesce(sum(r.amount), 0) <> p.paid_amount)sql",
                                     type, collector_of("r"))});
  questions.push_back({"3 an order's paid amount is the sum of its accepted receipts", "order", R"sql(
    SELECT o.id, 'paid_amount ' || o.paid_amount || ', accepted ' || coalesce(sum(r.amount), 0)
    FROM orders o LEFT JOIN receipts r ON r.order_id = o.id AND r.merchant_id = o.merchant_id AND r.state = 'accepted'
    GROUP BY o.id, o.paid_amount HAVING coalesce(sum(r.amount), 0) <> o.paid_amount)sql"});
}

void add_reversals_questions(Questions& questions) {
  questions.push_back({"3 the reversals of a receipt never exceed it", "reversal", R"sql(
    SELECT v.id, 'of its receipt ' || coalesce(max(r.amount), 0) || ' went, reversals send back ' || sum(w.amount)
    FROM reversals v JOIN reversals w ON w.order_id = v.order_id AND w.merchant_id = v.merchant_id
      AND w.receipt_id = v.receipt_id
    LEFT JOIN receipts r ON r.order_id = v.order_id AND r.merchant_id = v.merchant_id AND r.id = v.receipt_id
      AND r.currency = v.currency
    GROUP BY v.id HAVING coalesce(max(r.amount), 0) < sum(w.amount))sql"});
  questions.push_back({"3 a receipt is returned exactly if its reversal succeeded", "reversal", R"sql(
    SELECT v.id, 'reversal is ' || v.state || ', its receipt ' || r.state FROM reversals v
    JOIN receipts r ON r.order_id = v.order_id AND r.merchant_id = v.merchant_id AND r.id = v.receipt_id
    WHERE (v.state IN ('succeeded', 'settled_offline')) <> (r.state = 'returned')
      AND NOT (v.state = 'processing' AND r.amount = (SELECT coalesce(sum(f.from_suspense), 0) FROM refunds f
                                                      WHERE f.order_id = r.order_id AND f.merchant_id = r.merchant_id
                                                        AND f.receipt_id = r.id)))sql"});
  for (const std::string_view type : kCollectorTypes)
    questions.push_back({fmt::format("3 a {}'s reversed amount is the sum of its returned receipts", type),
                         std::string(type),
                         fmt::format(R"sql(
    SELECT p.id, 'reversed_amount ' || p.reversed_amount || ', returned ' || coalesce(sum(r.amount), 0)
    FROM {}s p LEFT JOIN receipts r ON r.order_id = p.order_id AND r.merchant_id = p.merchant_id AND {} = p.id
      AND r.currency = p.currency
      AND r.state = 'returned'
    GROUP BY p.id, p.reversed_amount HAVING coalesce(sum(r.amount), 0) <> p.reversed_amount)sql",
                                     type, collector_of("r"))});
  questions.push_back({"4 suspense is the sum of unresolved receipts", "merchant", R"sql(
    SELECT merchant_id, currency || ': suspense ' || sum(booked) || ', receipts ' || sum(owed) FROM (
      SELECT merchant_id, currency, balance AS booked, 0 AS owed FROM accounts WHERE kind = 'suspense'
      UNION ALL SELECT merchant_id, currency, 0, amount FROM receipts WHERE state = 'suspense'
      UNION ALL SELECT merchant_id, currency, 0, amount FROM unknown_receipts WHERE state = 'unassigned'
      UNION ALL SELECT f.merchant_id, f.currency, 0, -f.from_suspense FROM refunds f
        JOIN receipts r ON r.order_id = f.order_id AND r.merchant_id = f.merchant_id AND r.id = f.receipt_id
          AND r.state = 'suspense') s
    GROUP BY merchant_id, currency HAVING sum(booked) <> sum(owed))sql"});
}

void add_refunds_questions(Questions& questions) {
  questions.push_back({"5 refunds never exceed the captured amount", "",
                       fmt::format(R"sql(
    SELECT {0}, 'refunds ' || sum(f.amount - f.returned_amount) || ', captured ' || coalesce(max(r.amount), 0) FROM refunds f
    LEFT JOIN receipts r ON r.order_id = f.order_id AND r.merchant_id = f.merchant_id AND {1} = {2}
      AND r.state = 'accepted' AND r.currency = f.currency
    WHERE f.state <> 'failed' AND f.origin = 'merchant' AND (f.payment_id <> 0 OR f.capture_id IS NOT NULL)
    GROUP BY {0} HAVING sum(f.amount - f.returned_amount) > coalesce(max(r.amount), 0))sql",
                                   collector_name("f"), collector_of("r"), collector_of("f"))});
  questions.push_back({"5 refunds of an authorization never exceed what was captured of it", "authorization", R"sql(
    SELECT a.id, 'refunds ' || s.amount || ', captured ' || a.captured_amount FROM authorizations a JOIN (
      SELECT merchant_id, order_id, authorization_id, sum(amount - returned_amount) AS amount FROM refunds
      WHERE payment_id = 0 AND capture_id IS NULL AND state <> 'failed' AND origin = 'merchant'
      GROUP BY order_id, authorization_id, merchant_id) s ON s.order_id = a.order_id AND s.merchant_id = a.merchant_id
        AND s.authorization_id = a.id
    WHERE s.amount > a.captured_amount)sql"});
  questions.push_back({"5 a refund of an authorization names the first accepted receipt of its trade", "refund",
                       fmt::format(R"sql(
    SELECT f.id, 'receipt ' || coalesce(f.receipt_id, 0) FROM refunds f
    LEFT JOIN receipts r ON r.order_id = f.order_id AND r.merchant_id = f.merchant_id AND r.id = f.receipt_id
      AND r.state = 'accepted'
    WHERE f.payment_id = 0 AND f.capture_id IS NULL AND f.origin = 'merchant' AND (r.id IS NULL OR {} <> 0))sql",
                                   accepted_before("r"))});
  questions.push_back({"5 an order's refunded amount is the sum of its refunds", "order", R"sql(
    SELECT o.id, 'refunded_amount ' || o.refunded_amount || ', refunds ' || coalesce(sum(f.amount - f.returned_amount), 0)
    FROM orders o LEFT JOIN refunds f ON f.order_id = o.id AND f.merchant_id = o.merchant_id AND f.state = 'succeeded'
      AND NOT EXISTS (
      SELECT 1 FROM receipts r
        WHERE r.order_id = f.order_id AND r.merchant_id = f.merchant_id AND r.id = f.receipt_id
        AND r.state <> 'accepted')
    GROUP BY o.id, o.refunded_amount HAVING coalesce(sum(f.amount - f.returned_amount), 0) <> o.refunded_amount)sql"});
  questions.push_back({"5 refunds in transit is the sum of the open refunds", "merchant",
                       fmt::format(R"sql(WITH {}
    SELECT merchant_id, currency || ': ' || kind || ' ' || sum(booked) || ', refunds ' || sum(owed) FROM (
      SELECT merchant_id, currency, kind, balance AS booked, 0 AS owed FROM accounts
        WHERE kind IN ('refunds_in_transit', 'direct_refunds_in_transit')
      UNION ALL SELECT f.merchant_id, f.currency,
          CASE p.funds WHEN 'platform' THEN 'refunds_in_transit' ELSE 'direct_refunds_in_transit' END, 0, f.amount
        FROM refunds f JOIN collectors p ON p.id = {} AND p.order_id = f.order_id AND p.merchant_id = f.merchant_id
        WHERE f.state IN ('pending', 'processing') AND f.origin = 'merchant') s
    GROUP BY merchant_id, currency, kind HAVING sum(booked) <> sum(owed))sql",
                                   kCollectors, collector_of_refund("f"))});
}

void add_external_refunds_questions(Questions& questions) {
  // External refunds (made at the channel, not through Finality) may exceed the receipts of the trade. The store must
  // then have an over_refunded case for one of the trade's refunds, open or resolved.
  questions.push_back({"5 an excess over a receipt has an over_refunded case", "receipt",
                       fmt::format(R"sql(
    SELECT b.id, 'receipt ' || b.amount || ', refunds and reversals ' || b.back || ', no over_refunded case' FROM (
      SELECT r.id, r.merchant_id, r.order_id,
        (SELECT sum(k.amount) FROM receipts k
          WHERE k.order_id = r.order_id AND k.merchant_id = r.merchant_id AND {0}) AS amount,
        coalesce((SELECT sum(f.amount - f.returned_amount) FROM receipts k
                  JOIN refunds f ON f.order_id = k.order_id AND f.merchant_id = k.merchant_id
                    AND f.state = 'succeeded' AND {1}
                  WHERE k.order_id = r.order_id AND k.merchant_id = r.merchant_id AND {0}), 0)
        + coalesce((SELECT sum(v.amount) FROM receipts k
                    JOIN reversals v ON v.order_id = k.order_id AND v.merchant_id = k.merchant_id
                      AND v.receipt_id = k.id
                                    AND v.state IN ('succeeded', 'settled_offline')
                    WHERE k.order_id = r.order_id AND k.merchant_id = r.merchant_id AND {0}), 0) AS back
      FROM receipts r WHERE {2}) b
    WHERE b.back > b.amount AND NOT EXISTS (
      SELECT 1 FROM cases c
        JOIN refunds f ON f.order_id = b.order_id AND f.merchant_id = b.merchant_id AND f.id = c.object_id
        AND f.merchant_id = c.merchant_id
      JOIN receipts r ON r.order_id = b.order_id AND r.merchant_id = b.merchant_id AND r.id = b.id
      JOIN receipts k ON k.order_id = b.order_id AND k.merchant_id = b.merchant_id AND {0} AND {1}
      WHERE c.root_id = b.order_id AND c.merchant_id = b.merchant_id AND c.kind = 'over_refunded'))sql",
                                   is_same_trade("k", "r"), is_refund_of("f", "k"), is_first_of_trade("r"))});
  questions.push_back({"5 a refund by the channel or of a capture names its receipt, and only an own refund is sent",
                       "refund",
                       fmt::format(R"sql(
    SELECT f.id, 'origin ' || f.origin || ', state ' || f.state || ', receipt ' || coalesce(f.receipt_id, 0) FROM refunds f
    LEFT JOIN receipts r ON r.order_id = f.order_id AND r.merchant_id = f.merchant_id AND r.id = f.receipt_id
      AND {} = {} AND r.currency = f.currency
    WHERE CASE WHEN f.origin = 'channel' OR f.payment_id = 0 THEN r.id IS NULL ELSE f.receipt_id IS NOT NULL END OR (f.origin = 'channel' AND f.state = 'pending')
      OR (f.origin = 'merchant' AND (f.from_suspense <> 0 OR f.reported_amount <> 0 OR f.channel_refund_no IS NOT NULL)))sql",
                                   collector_of("r"), collector_of_refund("f"))});
  questions.push_back({"5 an external refund has a case", "refund", R"sql(
    SELECT f.id, 'refunded by the channel without a case' FROM refunds f
    WHERE f.origin = 'channel' AND f.state = 'succeeded' AND NOT EXISTS (
      SELECT 1 FROM cases c WHERE c.root_id = f.order_id AND c.merchant_id = f.merchant_id AND c.object_id = f.id
                              AND c.kind IN ('external_refund', 'refunded_twice')))sql"});
  questions.push_back({"5 a reported refund number is counted once", "refund", R"sql(
    SELECT max(f.id), count(*) || ' refunds with channel_refund_no ' || f.channel_refund_no FROM refunds f
    WHERE f.origin = 'channel' AND f.state <> 'failed' AND f.channel_refund_no IS NOT NULL
    GROUP BY f.order_id, f.receipt_id, f.channel_refund_no HAVING count(*) > 1)sql"});
  questions.push_back({"5 every refund with a reported number is booked", "receipt",
                       fmt::format(R"sql(
    SELECT r.id, 'numbered_refunds ' || r.numbered_refunds || ', booked ' || coalesce(sum(f.amount), 0) FROM receipts r
    LEFT JOIN receipts k ON k.order_id = r.order_id AND k.merchant_id = r.merchant_id AND {}
    LEFT JOIN refunds f ON f.order_id = k.order_id AND f.merchant_id = k.merchant_id AND f.receipt_id = k.id
      AND f.state <> 'failed'
    WHERE r.numbered_refunds <> 0
    GROUP BY r.order_id, r.id, r.numbered_refunds HAVING coalesce(sum(f.amount), 0) < r.numbered_refunds)sql",
                                   is_same_trade("k", "r"))});
  questions.push_back({"5 the platform is charged at most the refund, and only by operators", "refund", R"sql(
    SELECT f.id, 'amount ' || f.amount || ', from suspense ' || f.from_suspense || ', charged ' || f.charged FROM refunds f
    WHERE f.charged < 0 OR f.from_suspense < 0 OR f.charged > f.amount - f.from_suspense
      OR (f.charged <> 0 AND NOT EXISTS (
        SELECT 1 FROM cases c
          WHERE c.root_id = f.order_id AND c.merchant_id = f.merchant_id AND c.object_id = f.id
          AND c.resolution = 'charge_platform'
                                AND c.state = 'resolved')))sql"});
}

void add_returns_questions(Questions& questions) {
  questions.push_back({"5 a refund's returned amount is the sum of its returns", "refund", R"sql(
    SELECT f.id, f.state || ' over ' || f.amount || ', came back ' || f.returned_amount || ', returns '
                 || coalesce(sum(t.amount), 0)
    FROM refunds f LEFT JOIN returns t ON t.order_id = f.order_id AND t.refund_id = f.id
      AND t.merchant_id = f.merchant_id AND t.currency = f.currency
    GROUP BY f.id, f.state, f.amount, f.from_suspense, f.returned_amount
    HAVING coalesce(sum(t.amount), 0) <> f.returned_amount
      OR f.returned_amount > CASE f.state WHEN 'succeeded' THEN f.amount - f.from_suspense ELSE 0 END)sql"});
  questions.push_back({"5 a return has a positive amount and names its refund", "money_return", R"sql(
    SELECT t.id, 'amount ' || t.amount || ', refund ' || coalesce(f.id, 0) || ', to_platform ' || t.to_platform FROM returns t
    LEFT JOIN refunds f ON f.order_id = t.order_id AND f.merchant_id = t.merchant_id AND f.id = t.refund_id
    WHERE f.id IS NULL OR t.amount < 1 OR t.to_platform NOT BETWEEN 0 AND t.amount OR t.fee_charged < 0)sql"});
  questions.push_back({"5 the platform bears at most the external refunds less their returns", "receipt",
                       fmt::format(R"sql(
    SELECT s.id, 'external refunds less returns ' || s.external || ', borne by the platform ' || s.borne FROM (
      SELECT r.merchant_id, r.order_id, r.id, sum(CASE WHEN f.origin = 'channel' AND f.state = 'succeeded'
                                        THEN f.amount - f.from_suspense - f.returned_amount ELSE 0 END) AS external,
        sum(f.charged) - coalesce(sum(t.to_platform), 0) AS borne
      FROM receipts r JOIN receipts k ON k.order_id = r.order_id AND k.merchant_id = r.merchant_id AND {}
      JOIN refunds f ON f.order_id = k.order_id AND f.merchant_id = k.merchant_id AND {}
      LEFT JOIN (SELECT order_id, refund_id, merchant_id, sum(to_platform) AS to_platform FROM returns
                 GROUP BY order_id, refund_id, merchant_id) t ON t.order_id = f.order_id
                   AND t.merchant_id = f.merchant_id AND t.refund_id = f.id
      WHERE {} GROUP BY r.merchant_id, r.order_id, r.id) s
    WHERE s.borne < 0 OR s.borne > s.external)sql",
                                   is_same_trade("k", "r"), is_refund_of("f", "k"), is_first_of_trade("r"))});
  questions.push_back({"5 a return is counted once", "money_return", R"sql(
    SELECT max(id), count(*) || ' returns with channel_no ' || channel_no FROM returns
    GROUP BY order_id, refund_id, channel_no HAVING count(*) > 1)sql"});
  questions.push_back({"5 a refund's fee_charged_again is the sum over its returns", "refund", R"sql(
    SELECT f.id, 'fee_charged_again ' || f.fee_charged_again || ', returns ' || coalesce(sum(t.fee_charged), 0)
    FROM refunds f LEFT JOIN returns t ON t.order_id = f.order_id AND t.merchant_id = f.merchant_id
      AND t.refund_id = f.id
    GROUP BY f.id, f.fee_charged_again HAVING coalesce(sum(t.fee_charged), 0) <> f.fee_charged_again)sql"});
}

void add_channel_settlements_questions(Questions& questions) {
  questions.push_back({"5 a channel settlement has the amount of its document", "channel_settlement",
                       fmt::format(R"sql(
    SELECT c.id, c.amount || ' ' || c.currency || ' of a ' || c.document_type || ', whose amount is '
      || coalesce(d.amount || ' ' || d.currency, 'unknown') FROM channel_settlements c
    LEFT JOIN (
      SELECT 'receipt' AS type, id, merchant_id, {} AS collector_id, amount, currency,
        CASE state WHEN 'accepted' THEN amount ELSE 0 END AS owned
        FROM receipts WHERE written_off = 0
      UNION ALL SELECT 'refund', id, merchant_id, {}, amount, currency, amount - from_suspense FROM refunds
        WHERE state = 'succeeded'
      UNION ALL SELECT 'reversal', id, merchant_id, {}, amount, currency, 0 FROM reversals WHERE state = 'succeeded') d
      ON d.type = c.document_type AND d.id = c.document_id AND d.merchant_id = c.merchant_id AND d.collector_id = {}
    WHERE d.id IS NULL OR d.amount <> c.amount OR d.currency <> c.currency OR c.settled_amount < 1
      OR (c.currency = c.settled_currency AND (c.amount <> c.settled_amount OR c.merchant_amount <> 0))
      OR c.merchant_amount NOT IN (0, d.owned) OR (c.merchant_amount = 0) <> (c.merchant_settled = 0)
      OR c.merchant_settled NOT BETWEEN 0 AND c.settled_amount)sql",
                                   collector_of("receipts"), collector_of_refund("refunds"), collector_of("reversals"),
                                   collector_of("c"))});
  questions.push_back({"5 a document is settled once", "channel_settlement", R"sql(
    SELECT max(id), count(*) || ' settlements of one ' || document_type FROM channel_settlements
    GROUP BY document_type, document_id HAVING count(*) > 1)sql"});
  questions.push_back({"5 a transaction number is counted once", "channel_settlement", R"sql(
    SELECT max(id), count(*) || ' settlements have the number ' || transaction_no FROM channel_settlements
    GROUP BY channel, transaction_no HAVING count(*) > 1)sql"});
}

void add_deliveries_questions(Questions& questions) {
  questions.push_back({"11 a final order has a delivery to its notify_url", "order", R"sql(
    SELECT o.id, 'no delivery of order.' || o.state FROM orders o
    WHERE o.notify_url IS NOT NULL AND o.state IN ('succeeded', 'failed', 'closed')
      AND NOT EXISTS (SELECT 1 FROM events e
        WHERE e.root_id = o.id AND e.merchant_id = o.merchant_id AND e.object_type = 'order' AND e.cell = 'move'
                        AND e.to_state = o.state AND e.at <= (SELECT until FROM expired WHERE kind = 'deliveries'))
      AND NOT EXISTS (SELECT 1 FROM deliveries d
        WHERE d.order_id = o.id AND d.merchant_id = o.merchant_id AND d.endpoint_id IS NULL
                                                  AND d.type = 'order.' || o.state))sql"});
  questions.push_back({"11 a pending delivery is due", "delivery", R"sql(
    SELECT id, 'pending without due_at' FROM deliveries WHERE state = 'pending' AND due_at IS NULL)sql"});
  questions.push_back({"11 an exhausted delivery has a case", "delivery", R"sql(
    SELECT d.id, 'exhausted without a case' FROM deliveries d
    WHERE d.state = 'exhausted' AND NOT EXISTS (SELECT 1 FROM cases c
      WHERE c.root_id = d.id AND c.merchant_id = d.merchant_id AND c.kind = 'delivery_exhausted'))sql"});
  questions.push_back({"11 every delivery has its order", "delivery", R"sql(
    SELECT d.id, 'its order does not exist' FROM deliveries d
      LEFT JOIN orders o ON o.id = d.order_id AND o.merchant_id = d.merchant_id WHERE o.id IS NULL)sql"});
}

void add_time_questions(Questions& questions) {
  questions.push_back({"16 an open order is due", "order", R"sql(
    SELECT id, 'order is ' || state || ' without due_at' FROM orders
    WHERE state IN ('pending', 'processing') AND close_requested = 0 AND due_at IS NULL AND parked = 0)sql"});
  questions.push_back({"16 an open payment is due", "payment", R"sql(
    SELECT p.id, 'payment is ' || p.state || ' without due_at' FROM payments p
      JOIN orders o ON o.id = p.order_id AND o.merchant_id = p.merchant_id
    WHERE p.due_at IS NULL AND o.parked = 0
      AND (p.state IN ('created', 'processing', 'pending') OR (p.state = 'closed' AND p.close_pending = 1)))sql"});
  for (const auto& [type, open] :
       {std::pair("refund", "'pending', 'processing'"), std::pair("reversal", "'pending', 'processing', 'blocked'"),
        std::pair("capture", "'pending', 'processing'")})
    questions.push_back({fmt::format("16 an open {} is due", type), type,
                         fmt::format(R"sql(
      SELECT t.id, '{0} is ' || t.state || ' without due_at' FROM {0}s t
        JOIN orders o ON o.id = t.order_id AND o.merchant_id = t.merchant_id
      WHERE t.due_at IS NULL AND o.parked = 0 AND t.state IN ({1}))sql",
                                     type, open)});
  questions.push_back({"16 a closing order has an open payment or authorization", "order", R"sql(
    SELECT o.id, 'close requested, but no payment and no authorization is open' FROM orders o
    WHERE o.state IN ('pending', 'processing', 'authorized') AND o.close_requested = 1 AND o.parked = 0
      AND NOT EXISTS (SELECT 1 FROM payments p
        WHERE p.order_id = o.id AND p.merchant_id = o.merchant_id AND p.state NOT IN ('succeeded', 'failed', 'closed'))
      AND NOT EXISTS (SELECT 1 FROM authorizations a WHERE a.order_id = o.id AND a.merchant_id = o.merchant_id
                        AND a.state IN ('created', 'processing', 'pending', 'authorized', 'releasing')))sql"});
  questions.push_back({"16 a parked order has an open case", "order", R"sql(
    SELECT o.id, 'parked without an event or an open case' FROM orders o WHERE o.parked = 1 AND NOT (
      EXISTS (SELECT 1 FROM events e WHERE e.root_id = o.id AND e.merchant_id = o.merchant_id AND e.event = 'parked')
      AND EXISTS (SELECT 1 FROM cases c
        WHERE c.root_id = o.id AND c.merchant_id = o.merchant_id AND c.kind = 'invariant_violation'
        AND c.state <> 'resolved')))sql"});
}

}  // namespace finality::audit
