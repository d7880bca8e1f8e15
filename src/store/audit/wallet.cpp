#include <fmt/format.h>

#include "store/audit/collectors.h"
#include "store/audit/questions.h"

namespace finality::audit {

// A wallet payment or refund moves money through a transfer whose reference is the out_trade_no or out_refund_no. Once
// the order is archived, the payment and refund rows are gone. Then the query only checks that the archived order has
// an entry with the transfer's amount and time. A refused transfer has no entries, so no such check is possible.
void add_wallet_questions(Questions& questions) {
  questions.push_back({"3 a wallet payment has exactly one transfer from its account", "payment", R"sql(
    SELECT p.id, 'payment over ' || p.channel || ' is ' || p.state || ', and ' || count(t.id) || ' transfers say so'
    FROM payments p LEFT JOIN transfers t ON t.source = 'wallet' AND t.reference = p.out_trade_no
      AND t.state = CASE p.state WHEN 'succeeded' THEN 'posted' WHEN 'failed' THEN 'refused' END
      AND t.debit_account_id = p.account_id AND t.merchant_id = p.merchant_id AND t.amount = p.amount AND t.currency = p.currency
    GROUP BY p.id, p.channel, p.state, p.account_id
    HAVING count(t.id) <> CASE p.channel WHEN 'wallet' THEN 1 ELSE 0 END
      OR (p.channel = 'wallet') <> (p.account_id IS NOT NULL))sql"});
  questions.push_back({"5 a wallet refund has exactly one transfer to the account", "refund",
                       fmt::format(R"sql(WITH {}
    SELECT f.id, 'refund over ' || p.channel || ' is ' || f.state || ' with ' || count(t.id) || ' matching transfers'
    FROM refunds f JOIN collectors p ON p.order_id = f.order_id AND p.merchant_id = f.merchant_id AND p.id = {}
    LEFT JOIN transfers t ON t.source = 'wallet' AND t.reference = f.out_refund_no AND t.state = 'posted'
      AND t.credit_account_id = p.account_id AND t.merchant_id = f.merchant_id AND t.amount = f.amount AND t.currency = f.currency
    GROUP BY f.id, f.state, p.channel
    HAVING count(t.id) <> CASE WHEN p.channel = 'wallet' AND f.state = 'succeeded' THEN 1 ELSE 0 END)sql",
                                   kCollectors, collector_of_refund("f"))});
  questions.push_back({"7 a wallet transfer is for a payment or a refund", "transfer", R"sql(
    SELECT t.id, 'wallet transfer is ' || t.state || ', from ' || coalesce(d.kind, 'no account') || ' to '
                 || coalesce(c.kind, 'no account') || ', reference ' || t.reference
    FROM transfers t LEFT JOIN accounts d ON d.id = t.debit_account_id AND d.merchant_id = t.merchant_id
      LEFT JOIN accounts c ON c.id = t.credit_account_id AND c.merchant_id = t.merchant_id
    LEFT JOIN payments p ON p.out_trade_no = t.reference AND p.merchant_id = t.merchant_id
      LEFT JOIN refunds f ON f.out_refund_no = t.reference AND f.merchant_id = t.merchant_id
    LEFT JOIN (SELECT DISTINCT e.merchant_id, e.created_at, abs(e.amount) AS amount FROM entries e
               JOIN archived_orders a ON a.id = e.root_id AND a.merchant_id = e.merchant_id
               WHERE e.type IN ('receipt_accepted', 'refund_succeeded')) x
      ON x.merchant_id = t.merchant_id AND x.created_at = t.created_at AND x.amount = t.amount
    WHERE t.source = 'wallet' AND CASE
      WHEN p.id IS NOT NULL THEN t.state NOT IN ('posted', 'refused') OR coalesce(c.kind, '') <> 'channel_receivable'
      WHEN f.id IS NOT NULL THEN t.state <> 'posted' OR coalesce(d.kind, '') <> 'channel_receivable'
      WHEN t.state = 'refused' THEN NOT EXISTS (SELECT 1 FROM archived_orders a WHERE a.merchant_id = t.merchant_id AND a.id < t.id)
      ELSE t.state <> 'posted' OR x.amount IS NULL END)sql"});
}

// A wallet authorization reserves its amount with a hold, whose reference contains the ids of the merchant and of the
// order: the first 26 characters of the out_trade_no. Only an authorization that was refused has no hold. Once the
// order is archived, only the hold is left, and its posting agrees with that of a receipt of the archived order.
void add_wallet_holds_questions(Questions& questions) {
  constexpr std::string_view kStates = "('authorized', 'releasing', 'captured', 'released')";
  questions.push_back({"6 a wallet authorization has the hold that its state requires", "authorization",
                       fmt::format(R"sql(
    SELECT a.id, 'authorization of ' || a.channel || ' is ' || a.state || ', authorized ' || a.authorized_amount
      || ', captured ' || a.captured_amount || ', and ' || count(h.id) || ' holds say so'
    FROM authorizations a LEFT JOIN holds h ON h.source = 'wallet' AND h.merchant_id = a.merchant_id
      AND h.reference = substr(a.out_trade_no, 1, 26) || 'h' AND h.account_id = a.account_id
      AND h.amount = a.authorized_amount AND h.currency = a.currency
      AND h.state = CASE WHEN a.state = 'captured' THEN 'posted' WHEN a.state = 'released' AND a.close_pending = 0
                         THEN 'voided' ELSE 'held' END
      AND h.posted_amount = CASE a.state WHEN 'captured' THEN a.captured_amount ELSE 0 END
    GROUP BY a.id, a.channel, a.state, a.authorized_amount, a.captured_amount, a.account_id
    HAVING count(h.id) <> CASE WHEN a.channel = 'wallet' AND a.state IN {} THEN 1 ELSE 0 END
      OR (a.channel = 'wallet') <> (a.account_id IS NOT NULL))sql",
                                   kStates)});
  questions.push_back({"7 a wallet hold is for an authorization", "hold",
                       fmt::format(R"sql(
    SELECT h.id, 'wallet hold is ' || h.state || ', posted ' || h.posted_amount || ', reference ' || h.reference
    FROM holds h LEFT JOIN authorizations a ON a.merchant_id = h.merchant_id AND a.channel = 'wallet'
      AND a.state IN {} AND substr(a.out_trade_no, 1, 26) || 'h' = h.reference
    WHERE h.source = 'wallet' AND a.id IS NULL AND CASE h.state
      WHEN 'posted' THEN NOT EXISTS (
        SELECT 1 FROM entries p JOIN entries e ON e.merchant_id = p.merchant_id AND e.created_at = p.created_at
          AND e.amount = p.amount AND e.type = 'receipt_accepted'
        JOIN archived_orders o ON o.id = e.root_id AND o.merchant_id = e.merchant_id
        WHERE p.document_type = 'hold' AND p.document_id = h.id AND p.merchant_id = h.merchant_id
          AND p.amount = h.posted_amount)
      WHEN 'voided' THEN NOT EXISTS (
        SELECT 1 FROM archived_orders o WHERE o.merchant_id = h.merchant_id AND o.id < h.id)
      ELSE TRUE END)sql",
                                   kStates)});
}

namespace {

// The returned share of a fee must be floor(fee * refunded / amount). The product can need 100 bits, but both databases
// have 64-bit integers. The share equals that floor exactly if 0 <= fee * refunded - share * amount < amount. Each
// number x is split into x_1 * 10^8 + x_0. The difference is then high * 10^16 + mid * 10^8 + low. With amounts up to
// 10^15, each of the three terms fits in 54 bits. The query adds them from `high` to `low`. It stops when a partial sum
// is so large that the remaining terms cannot bring the result into range.
//
// Refunds of a trade are allocated to its accepted receipts in their order. So the fees of the first collectors are
// returned in full, and that of one collector in part: the last to which an amount is allocated. The query compares the
// share of that one.
std::string shares() {
  return fmt::format(R"sql(
  SELECT type, id, fee, refundable, amount, refunded, share,
    (fee / 100000000) * (refunded / 100000000) - (share / 100000000) * (amount / 100000000) AS high,
    (fee / 100000000) * (refunded % 100000000) + (fee % 100000000) * (refunded / 100000000)
      - (share / 100000000) * (amount % 100000000) - (share % 100000000) * (amount / 100000000) AS mid,
    (fee % 100000000) * (refunded % 100000000) - (share % 100000000) * (amount % 100000000) AS low
  FROM (SELECT type, id, fee, refundable, amount, CAST(returned - earlier_fees AS bigint) AS share,
          CAST(CASE WHEN total - earlier > amount THEN amount ELSE total - earlier END AS bigint) AS refunded FROM (
          SELECT p.type, p.id, p.fee_amount AS fee, p.fee_refundable AS refundable,
            coalesce(r.amount, p.amount) AS amount,
            CASE WHEN r.id IS NULL THEN 0 ELSE {earlier} END AS earlier,
            CASE WHEN r.id IS NULL THEN 0 ELSE {later} END AS later,
            coalesce((SELECT sum(q.fee_amount) FROM receipts k
                      JOIN collectors q ON q.order_id = k.order_id AND q.merchant_id = k.merchant_id
                        AND q.id = {collector_of_k}
                      WHERE k.order_id = p.order_id AND k.merchant_id = p.merchant_id AND k.state = 'accepted'
                        AND k.id < r.id
                        AND q.fee_refundable = 1 AND {same}), 0) AS earlier_fees,
            coalesce((SELECT sum(f.amount - f.returned_amount) FROM refunds f
                      LEFT JOIN receipts k ON k.order_id = f.order_id AND k.merchant_id = f.merchant_id
                        AND k.id = f.receipt_id
                      WHERE f.order_id = p.order_id AND f.merchant_id = p.merchant_id AND f.state = 'succeeded'
                        AND CASE WHEN k.id IS NULL THEN {collector_of_f} = p.id
                                 ELSE k.state = 'accepted' AND {same} END), 0) AS total,
            coalesce((SELECT sum(f.fee_returned - f.fee_charged_again) FROM refunds f
                      LEFT JOIN receipts k ON k.order_id = f.order_id AND k.merchant_id = f.merchant_id
                        AND k.id = f.receipt_id
                      WHERE f.order_id = p.order_id AND f.merchant_id = p.merchant_id
                        AND ({collector_of_refund} = p.id OR {same})), 0) AS returned
          FROM collectors p
          LEFT JOIN receipts r ON r.order_id = p.order_id AND r.merchant_id = p.merchant_id
            AND {collector_of_r} = p.id AND r.state = 'accepted') w
        WHERE (earlier = 0 OR total > earlier) AND (later = 0 OR total <= earlier + amount)) s
  WHERE fee <> 0 OR share <> 0)sql",
                     fmt::arg("earlier", accepted_before("r")), fmt::arg("later", accepted_after("r")),
                     fmt::arg("same", is_same_trade("k", "r")), fmt::arg("collector_of_k", collector_of("k")),
                     fmt::arg("collector_of_r", collector_of("r")), fmt::arg("collector_of_f", collector_of("f")),
                     fmt::arg("collector_of_refund", collector_of_refund("f")));
}

}  // namespace

void add_fees_questions(Questions& questions) {
  questions.push_back({"3 only a succeeded payment or capture is charged a fee, at most its amount", "",
                       fmt::format(R"sql(WITH {}
    SELECT type || ':' || id, type || ' is ' || state || ' over ' || amount || ', fee ' || fee_amount FROM collectors p
    WHERE fee_amount NOT BETWEEN 0 AND CASE state
      WHEN 'succeeded' THEN coalesce((SELECT sum(r.amount) FROM receipts r
        WHERE r.order_id = p.order_id AND r.merchant_id = p.merchant_id AND {} = p.id AND r.state = 'accepted'), amount)
      ELSE 0 END)sql",
                                   kCollectors, collector_of("r"))});
  questions.push_back({"5 a fee is returned in proportion to the refunds", "",
                       fmt::format(R"sql(WITH {}
    SELECT type || ':' || id, 'fee ' || fee || ', returned ' || share || ', amount ' || amount || ', refunded ' || refunded
    FROM ({}) d
    WHERE CASE
      WHEN refundable = 0 THEN share <> 0
      WHEN high NOT BETWEEN -100000000 AND 100000000 THEN TRUE
      WHEN high * 100000000 + mid NOT BETWEEN -1000000000 AND 1000000000 THEN TRUE
      ELSE (high * 100000000 + mid) * 100000000 + low NOT BETWEEN 0 AND amount - 1 END)sql",
                                   kCollectors, shares())});
}

}  // namespace finality::audit
