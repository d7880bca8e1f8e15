#include "store/audit/questions.h"

namespace finality::audit {

void add_unknown_receipts_questions(Questions& questions) {
  questions.push_back({"3 an unknown receipt is unique by channel and channel_trade_no", "unknown_receipt", R"sql(
    SELECT max(id), count(*) || ' unknown receipts of ' || channel || ' ' || channel_trade_no FROM unknown_receipts
    GROUP BY channel, channel_trade_no HAVING count(*) > 1)sql"});
  questions.push_back({"3 an unknown receipt has a case", "unknown_receipt", R"sql(
    SELECT u.id, u.state || ' without a case' FROM unknown_receipts u
    WHERE NOT EXISTS (SELECT 1 FROM cases c
      WHERE c.root_id = u.id AND c.merchant_id = u.merchant_id AND c.kind = 'unknown_receipt'))sql"});
  questions.push_back(
      {"3 an unknown receipt is contradicted exactly if evidence contradicted it", "unknown_receipt", R"sql(
    SELECT u.id, 'is_contradicted ' || u.is_contradicted FROM unknown_receipts u
    WHERE u.is_contradicted <> (SELECT count(*) FROM events e
      WHERE e.root_id = u.id AND e.merchant_id = u.merchant_id AND e.object_id = u.id
        AND e.event = 'contradicted'))sql"});
  questions.push_back({"3 an assigned receipt has the merchant of its resolved case", "unknown_receipt",
                       R"sql(WITH known AS MATERIALIZED (SELECT id FROM merchants)
    SELECT u.id, u.state || ', merchant ' || coalesce(u.assigned_to, 0) FROM unknown_receipts u
    LEFT JOIN cases c ON c.root_id = u.id AND c.merchant_id = u.merchant_id AND c.kind = 'unknown_receipt'
      AND c.resolution = 'assign'
      AND c.state = 'resolved' AND c.assign_to = u.assigned_to
    LEFT JOIN known m ON m.id = u.assigned_to AND m.id <> u.merchant_id
    WHERE CASE u.state WHEN 'assigned' THEN c.id IS NULL OR m.id IS NULL ELSE u.assigned_to IS NOT NULL END)sql"});
  questions.push_back({"3 a receipt is cancelled exactly if its case was resolved so", "unknown_receipt", R"sql(
    SELECT u.id, u.state || ', its cancellation ' || coalesce(c.state, 'not decided') FROM unknown_receipts u
    LEFT JOIN cases c ON c.root_id = u.id AND c.merchant_id = u.merchant_id AND c.kind = 'unknown_receipt'
      AND c.resolution = 'cancel'
      AND c.state = 'resolved'
    WHERE (u.state = 'cancelled') <> (c.id IS NOT NULL))sql"});
  questions.push_back({"6 the clearing accounts of all merchants sum to zero", "account", R"sql(
    SELECT max(id), 'sum ' || sum(balance) || ' ' || currency FROM accounts WHERE kind = 'clearing'
    GROUP BY currency HAVING sum(balance) <> 0)sql"});
  questions.push_back(
      {"7 an unknown receipt is posted in the books of the platform and of its merchant", "entry",
       R"sql(WITH of_platform AS MATERIALIZED (SELECT id, merchant_id, assigned_to, currency FROM unknown_receipts)
    SELECT e.id, e.type || ' of ' || e.amount || ' ' || e.currency || ' in the books of merchant ' || e.merchant_id
    FROM entries e JOIN of_platform u ON u.id = e.document_id
    WHERE e.document_type = 'unknown_receipt' AND (e.currency <> u.currency
      OR e.merchant_id <> CASE e.type WHEN 'receipt_assigned' THEN coalesce(u.assigned_to, 0) ELSE u.merchant_id END))sql"});
  questions.push_back({"8 the funds of an unknown receipt are those of its channel account", "unknown_receipt", R"sql(
    SELECT u.id, 'funds ' || u.funds || ', of its channel account ' || a.funds
    FROM unknown_receipts u JOIN channel_accounts a ON a.id = u.channel_account_id WHERE u.funds <> a.funds)sql"});
}

}  // namespace finality::audit
