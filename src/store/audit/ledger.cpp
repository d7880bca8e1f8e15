#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/row_types.h"
#include "store/audit/collectors.h"
#include "store/audit/questions.h"

namespace finality::audit {

void add_ledger_questions(Questions& questions) {
  questions.push_back({"6 a journal sums to zero", "entry", R"sql(
    SELECT journal_id, 'sums to ' || sum(amount) || ' ' || currency FROM entries
    GROUP BY journal_id, currency HAVING sum(amount) <> 0)sql"});
  questions.push_back({"6 an entry's balance_after is balance_before plus amount", "entry", R"sql(
    SELECT id, 'balance_before ' || balance_before || ', amount ' || amount || ', balance_after ' || balance_after FROM entries
    WHERE balance_before + amount <> balance_after)sql"});
  questions.push_back({"6 an entry continues from the previous entry of its account", "entry", R"sql(
    SELECT id, 'balance_before ' || balance_before || ', previous balance_after ' || coalesce(ended, 0) FROM (
      SELECT id, balance_before, previous_id, lag(balance_after) OVER w AS ended, lag(id) OVER w AS before
      FROM entries WINDOW w AS (PARTITION BY account_id, merchant_id ORDER BY id)) s
    WHERE balance_before <> coalesce(ended, 0) OR coalesce(previous_id, 0) <> coalesce(before, 0))sql"});
  questions.push_back({"6 an entry has its account's merchant and currency", "entry", R"sql(
    SELECT e.id, e.amount || ' ' || e.currency || ', its account ' || coalesce(a.currency, 'does not exist') FROM entries e
    LEFT JOIN accounts a ON a.id = e.account_id AND a.merchant_id = e.merchant_id
    WHERE a.id IS NULL OR a.currency <> e.currency)sql"});
  questions.push_back({"6 an account's balance is the sum of its entries", "account", R"sql(
    SELECT a.id, a.kind || ': balance ' || a.balance || ', entries ' || coalesce(e.amount, 0)
    FROM accounts a LEFT JOIN (SELECT account_id, merchant_id, sum(amount) AS amount FROM entries
                               GROUP BY account_id, merchant_id) e
      ON e.account_id = a.id AND e.merchant_id = a.merchant_id
    WHERE coalesce(e.amount, 0) <> a.balance)sql"});
  // The version of a user account is the number of its entries and events. The version of any other account is the
  // number of its entries.
  questions.push_back({"6 an account's version counts its entries and events", "account", R"sql(
    SELECT a.id, a.kind || ': version ' || a.version || ', entries ' || coalesce(n.entries, 0) || ', events '
                 || coalesce(v.steps, 0) || ' from version ' || coalesce(v.first_step, 0) || ' to ' || coalesce(v.last_step, 0)
    FROM accounts a
    LEFT JOIN (SELECT account_id, merchant_id, count(*) AS entries, max(id) AS last_entry FROM entries
               GROUP BY account_id, merchant_id) n
      ON n.account_id = a.id AND n.merchant_id = a.merchant_id
    LEFT JOIN (SELECT root_id, merchant_id, count(*) AS steps, count(DISTINCT root_version) AS versions,
                      min(root_version) AS first_step, max(root_version) AS last_step
               FROM events WHERE root_type = 'account'
                 GROUP BY root_id, merchant_id) v ON v.root_id = a.id AND v.merchant_id = a.merchant_id
    WHERE a.version <> coalesce(n.entries, 0) + coalesce(v.steps, 0) OR v.steps <> v.versions OR v.last_step > a.version
      OR coalesce(v.first_step, 0) <> CASE a.kind WHEN 'user' THEN 1 ELSE 0 END
      OR coalesce(n.last_entry, 0) <> coalesce(a.last_entry_id, 0))sql"});
}

namespace {

// Selects the movements that the state of each transfer and hold implies: type, id, reason, debited account, credited
// account, amount, merchant.
constexpr std::string_view kMoves = R"sql(
  SELECT 'transfer' AS type, t.id, CASE WHEN t.source <> 'wallet' THEN 'transfer'
      WHEN a.kind = 'channel_receivable' THEN 'wallet_paid' ELSE 'wallet_refunded' END AS reason,
    t.debit_account_id AS debit, t.credit_account_id AS credit, t.amount, t.merchant_id
  FROM transfers t LEFT JOIN accounts a ON a.id = t.credit_account_id AND a.merchant_id = t.merchant_id
  WHERE t.state = 'posted' OR (t.state = 'reversed' AND t.amount <> 0)
  UNION ALL SELECT 'transfer', id, 'transfer_reversed', credit_account_id, debit_account_id, amount,
    merchant_id FROM transfers
    WHERE state = 'reversed' AND amount <> 0
  UNION ALL SELECT 'hold', id, CASE source WHEN 'wallet' THEN 'wallet_paid' ELSE 'hold_posted' END, account_id,
    credit_account_id, posted_amount, merchant_id FROM holds WHERE state = 'posted')sql";

// Returns a query for the postings that the state of each document implies: type, id, reason, amount, merchant. Omits
// receipt_assigned, whose books are not those of the document (kAssigned). Requires the table expression kCollectors.
std::string postings() {
  return fmt::format(R"sql(
  SELECT 'receipt' AS type, id, 'receipt_accepted' AS reason, amount, merchant_id FROM receipts
    WHERE state = 'accepted' AND accepted_difference = 0
  UNION ALL SELECT 'receipt', id, 'receipt_in_suspense', amount, merchant_id FROM receipts
    WHERE state = 'suspense' OR accepted_difference <> 0
  UNION ALL SELECT 'receipt', id, 'mismatch_accepted', amount, merchant_id FROM receipts WHERE accepted_difference <> 0
  UNION ALL SELECT 'receipt', id, 'receipt_written_off', written_off, merchant_id FROM receipts WHERE written_off <> 0
  UNION ALL SELECT 'reversal', id, 'reversal_succeeded', amount, merchant_id FROM reversals
    WHERE state = 'succeeded' AND amount <> 0
  UNION ALL SELECT 'reversal', id, 'reversal_settled_offline', amount, merchant_id FROM reversals
    WHERE state = 'settled_offline'
  UNION ALL SELECT 'refund', id, 'refund_accepted', amount, merchant_id FROM refunds WHERE origin = 'merchant'
  UNION ALL SELECT 'refund', id, 'refund_' || state, amount, merchant_id FROM refunds
    WHERE origin = 'merchant' AND state IN ('succeeded', 'failed')
  UNION ALL SELECT 'refund', id, 'external_refund', amount - from_suspense, merchant_id FROM refunds
    WHERE origin = 'channel' AND state = 'succeeded' AND amount <> from_suspense
  UNION ALL SELECT 'refund', id, 'external_refund_from_suspense', from_suspense, merchant_id FROM refunds
    WHERE from_suspense <> 0
  UNION ALL SELECT 'refund', id, 'external_refund_charged', charged, merchant_id FROM refunds WHERE charged <> 0
  UNION ALL SELECT type, id, 'fee_charged', fee_amount, merchant_id FROM collectors WHERE fee_amount <> 0
  UNION ALL SELECT 'refund', id, 'fee_returned', fee_returned, merchant_id FROM refunds WHERE fee_returned <> 0
  UNION ALL SELECT 'money_return', id, 'refund_returned', amount - to_platform, merchant_id FROM returns
    WHERE amount <> to_platform
  UNION ALL SELECT 'money_return', id, 'charged_refund_returned', to_platform, merchant_id FROM returns
    WHERE to_platform <> 0
  UNION ALL SELECT 'money_return', id, 'fee_charged_again', fee_charged, merchant_id FROM returns WHERE fee_charged <> 0
  UNION ALL SELECT 'channel_settlement', id, CASE document_type WHEN 'receipt' THEN 'receipt' ELSE 'refund' END || reason,
      posted, merchant_id FROM (
    SELECT id, document_type, '_converted' AS reason, amount AS posted, merchant_id FROM channel_settlements
      WHERE currency <> settled_currency
    UNION ALL SELECT id, document_type, '_converted', settled_amount, merchant_id FROM channel_settlements
      WHERE currency <> settled_currency
    UNION ALL SELECT id, document_type, '_converted_for_merchant', merchant_amount, merchant_id FROM channel_settlements
      WHERE merchant_amount <> 0
    UNION ALL SELECT id, document_type, '_converted_for_merchant', merchant_settled, merchant_id
      FROM channel_settlements
      WHERE merchant_amount <> 0) c
  UNION ALL SELECT 'channel_settlement', id, 'channel_fee', fee, merchant_id FROM channel_settlements WHERE fee > 0
  UNION ALL SELECT 'channel_settlement', id, 'channel_fee_returned', -fee, merchant_id FROM channel_settlements
    WHERE fee < 0
  UNION ALL SELECT 'unknown_receipt', id, 'unknown_receipt', amount, merchant_id FROM unknown_receipts
  UNION ALL SELECT 'unknown_receipt', id, 'receipt_assigned_from', amount, merchant_id FROM unknown_receipts
    WHERE state = 'assigned'
  UNION ALL SELECT 'unknown_receipt', id, 'unknown_receipt_cancelled', amount, merchant_id FROM unknown_receipts
    WHERE state = 'cancelled'
  UNION ALL SELECT 'adjustment', id, CASE type WHEN 'penalty' THEN 'penalty'
      WHEN 'rounding' THEN CASE WHEN amount > 0 THEN 'rounding_loss' ELSE 'rounding_gain' END
      ELSE CASE WHEN amount > 0 THEN 'opening_balance_credited' ELSE 'opening_balance_debited' END END, abs(amount),
        merchant_id
    FROM adjustments WHERE state = 'posted'
  UNION ALL SELECT 'statement', statement_id, CASE WHEN kind IN ('fee', 'fee_returned')
        THEN CASE WHEN amount < 0 THEN 'channel_fee' ELSE 'channel_fee_returned' END
      WHEN kind IN ('withdrawal', 'top_up')
        THEN CASE WHEN amount < 0 THEN 'channel_withdrawal' ELSE 'channel_top_up' END
      ELSE CASE WHEN amount < 0 THEN 'channel_deduction' ELSE 'channel_compensation' END END, abs(amount), merchant_id
    FROM statement_movements WHERE journal_id IS NOT NULL
  UNION ALL SELECT 'difference', d.id, CASE d.kind WHEN 'bank'
        THEN CASE WHEN d.amount > 0 THEN 'bank_surplus' ELSE 'bank_shortage' END
        ELSE CASE WHEN d.amount > 0 THEN 'rounding_gain' ELSE 'rounding_loss' END END,
      abs(d.amount), d.merchant_id FROM differences d
        JOIN cases c ON c.root_id = d.id AND c.merchant_id = d.merchant_id AND c.kind = 'difference'
      AND c.state = 'resolved' AND c.resolution = 'adjust'
  UNION ALL SELECT type, id, reason, amount, merchant_id FROM ({}) m)sql",
                     kMoves);
}

// Table expression of the unknown receipts that were assigned to a merchant. They are rows of the platform and are
// posted in the books of the merchant too. MATERIALIZED: a distributed store joins its few rows with those of all
// shards.
constexpr std::string_view kAssigned = R"sql(assigned AS MATERIALIZED (
    SELECT id, assigned_to AS merchant_id, amount, CASE funds WHEN 'platform' THEN 'platform' ELSE 'direct' END AS owner
    FROM unknown_receipts WHERE state = 'assigned'))sql";

/// The accounts of a journal, as `-debited` and `+credited` kinds. `owner` of the funds: platform, direct or any.
struct AuditedJournal {
  std::string_view reason;
  std::string_view owner;
  std::string_view lines;
};

// Written independently of ledger/chart.h: an error there is a violation here.
constexpr AuditedJournal kChart[] = {
    {"receipt_accepted", "platform", "-channel_receivable +merchant_payable"},
    {"receipt_accepted", "direct", "-channel_receivable +merchant_direct"},
    {"receipt_in_suspense", "any", "-channel_receivable +suspense"},
    {"mismatch_accepted", "platform", "-suspense +merchant_payable"},
    {"mismatch_accepted", "direct", "-suspense +merchant_direct"},
    {"receipt_written_off", "platform", "-loss +channel_receivable"},
    {"receipt_written_off", "direct", "-merchant_direct +channel_receivable"},
    {"reversal_succeeded", "any", "-suspense +channel_receivable"},
    {"reversal_settled_offline", "platform", "-suspense +bank"},
    {"reversal_settled_offline", "direct", "-suspense +merchant_direct"},
    {"refund_accepted", "platform", "-merchant_payable +refunds_in_transit"},
    {"refund_accepted", "direct", "-merchant_direct +direct_refunds_in_transit"},
    {"refund_succeeded", "platform", "-refunds_in_transit +channel_receivable"},
    {"refund_succeeded", "direct", "-direct_refunds_in_transit +channel_receivable"},
    {"refund_failed", "platform", "-refunds_in_transit +merchant_payable"},
    {"refund_failed", "direct", "-direct_refunds_in_transit +merchant_direct"},
    {"external_refund", "platform", "-merchant_payable +channel_receivable"},
    {"external_refund", "direct", "-merchant_direct +channel_receivable"},
    {"external_refund_from_suspense", "any", "-suspense +channel_receivable"},
    {"external_refund_charged", "any", "-loss +merchant_payable"},
    {"transfer", "any", "-user +user"},
    {"transfer_reversed", "any", "-user +user"},
    {"hold_posted", "any", "-user +user"},
    {"wallet_paid", "any", "-user +channel_receivable"},
    {"wallet_refunded", "any", "-channel_receivable +user"},
    {"fee_charged", "any", "-merchant_payable +fee_income"},
    {"fee_returned", "any", "-fee_income +merchant_payable"},
    {"refund_returned", "platform", "-channel_receivable +merchant_payable"},
    {"refund_returned", "direct", "-channel_receivable +merchant_direct"},
    {"charged_refund_returned", "platform", "-channel_receivable +loss"},
    {"charged_refund_returned", "direct", "-channel_receivable +merchant_direct -merchant_payable +loss"},
    {"fee_charged_again", "any", "-merchant_payable +fee_income"},
    {"receipt_converted", "any", "-fx +channel_receivable -channel_receivable +fx"},
    {"refund_converted", "any", "-fx +channel_receivable -channel_receivable +fx"},
    {"receipt_converted_for_merchant", "platform", "-merchant_payable +fx -fx +merchant_payable"},
    {"receipt_converted_for_merchant", "direct", "-merchant_direct +fx -fx +merchant_direct"},
    {"refund_converted_for_merchant", "platform", "-merchant_payable +fx -fx +merchant_payable"},
    {"refund_converted_for_merchant", "direct", "-merchant_direct +fx -fx +merchant_direct"},
    {"channel_fee", "platform", "-channel_fee_expense +channel_receivable"},
    {"channel_fee", "direct", "-merchant_direct +channel_receivable"},
    {"channel_fee_returned", "platform", "-channel_receivable +channel_fee_expense"},
    {"channel_fee_returned", "direct", "-channel_receivable +merchant_direct"},
    {"unknown_receipt", "any", "-channel_receivable +suspense"},
    {"receipt_assigned_from", "any", "-suspense +clearing"},
    {"receipt_assigned", "platform", "-clearing +merchant_payable"},
    {"receipt_assigned", "direct", "-clearing +merchant_direct"},
    // One journal for each account that an opening balance can adjust.
    {"opening_balance_credited", "any", "-equity +merchant_payable"},
    {"opening_balance_credited", "any", "-equity +merchant_direct"},
    {"opening_balance_credited", "any", "-equity +channel_receivable"},
    {"opening_balance_credited", "any", "-equity +bank"},
    {"opening_balance_debited", "any", "-merchant_payable +equity"},
    {"opening_balance_debited", "any", "-merchant_direct +equity"},
    {"opening_balance_debited", "any", "-channel_receivable +equity"},
    {"opening_balance_debited", "any", "-bank +equity"},
    {"penalty", "platform", "-loss +channel_receivable"},
    {"penalty", "direct", "-merchant_direct +channel_receivable"},
    {"rounding_loss", "platform", "-loss +channel_receivable"},
    {"rounding_loss", "direct", "-merchant_direct +channel_receivable"},
    {"rounding_gain", "platform", "-channel_receivable +loss"},
    {"rounding_gain", "direct", "-channel_receivable +merchant_direct"},
    {"unknown_receipt_cancelled", "any", "-suspense +channel_receivable"},
    {"channel_withdrawal", "platform", "-bank +channel_receivable"},
    {"channel_withdrawal", "direct", "-merchant_direct +channel_receivable"},
    {"channel_top_up", "platform", "-channel_receivable +bank"},
    {"channel_top_up", "direct", "-channel_receivable +merchant_direct"},
    {"channel_deduction", "platform", "-loss +channel_receivable"},
    {"channel_deduction", "direct", "-merchant_direct +channel_receivable"},
    {"channel_compensation", "platform", "-channel_receivable +loss"},
    {"channel_compensation", "direct", "-channel_receivable +merchant_direct"},
    {"bank_shortage", "any", "-loss +bank"},
    {"bank_surplus", "any", "-bank +loss"},
};

// The chart as a table expression: one row per line of a journal and owner of the funds.
std::string chart() {
  std::vector<std::string> rows;
  for (const AuditedJournal& journal : kChart)
    for (const std::string_view owner : {"platform", "direct"}) {
      if (journal.owner != "any" && journal.owner != owner) continue;
      std::vector<std::string_view> lines;
      for (std::string_view rest = journal.lines; !rest.empty();) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        lines.push_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
      for (const std::string_view line : lines)
        rows.push_back(fmt::format("('{}', '{}', '{}', '{}', {})", journal.reason, owner, line.substr(0, 1),
                                   line.substr(1), lines.size()));
    }
  return fmt::format("chart(reason, owner, side, kind, lines) AS (VALUES {})", fmt::join(rows, ", "));
}

// Returns a table expression with the owner of the funds of each document: platform or direct. Requires kCollectors.
std::string owners() {
  return fmt::format(R"sql(owners AS (
    SELECT d.type, d.id, d.merchant_id, CASE p.funds WHEN 'platform' THEN 'platform' ELSE 'direct' END AS owner FROM (
      SELECT 'receipt' AS type, id, {} AS collector_id, merchant_id FROM receipts
      UNION ALL SELECT 'refund', id, {}, merchant_id FROM refunds
      UNION ALL SELECT 'reversal', id, {}, merchant_id FROM reversals
      UNION ALL SELECT 'channel_settlement', id, {}, merchant_id FROM channel_settlements
      UNION ALL SELECT 'money_return', r.id, {}, r.merchant_id FROM returns r
        JOIN refunds f ON f.id = r.refund_id AND f.merchant_id = r.merchant_id) d
    JOIN collectors p ON p.id = d.collector_id AND p.merchant_id = d.merchant_id
    UNION ALL SELECT type, id, merchant_id, CASE funds WHEN 'platform' THEN 'platform' ELSE 'direct' END FROM collectors
    UNION ALL SELECT 'unknown_receipt', id, merchant_id, CASE funds WHEN 'platform' THEN 'platform' ELSE 'direct' END
    FROM unknown_receipts
    UNION ALL SELECT 'adjustment', id, merchant_id, CASE funds WHEN 'platform' THEN 'platform' ELSE 'direct' END
      FROM adjustments
    UNION ALL SELECT 'difference', d.id, d.merchant_id, CASE a.funds WHEN 'platform' THEN 'platform' ELSE 'direct' END
    FROM differences d JOIN channel_accounts a ON a.id = d.channel_account_id
    UNION ALL SELECT 'statement', s.id, s.merchant_id, CASE a.funds WHEN 'platform' THEN 'platform' ELSE 'direct' END
    FROM statements s JOIN channel_accounts a ON a.id = s.channel_account_id))sql",
                     collector_of("receipts"), collector_of_refund("refunds"), collector_of("reversals"),
                     collector_of("channel_settlements"), collector_of_refund("f"));
}

}  // namespace

void add_postings_questions(Questions& questions) {
  questions.push_back({"7 one journal per document, reason and ordinal", "entry", R"sql(
    SELECT max(journal_id), type || ' was posted ' || count(DISTINCT journal_id) || ' times, with ordinals up to '
      || max(ordinal) FROM entries
    GROUP BY document_type, document_id, type
    HAVING count(DISTINCT journal_id) <> count(DISTINCT ordinal) OR count(DISTINCT ordinal) <> max(ordinal) + 1)sql"});
  questions.push_back({"7 every document is posted", "",
                       fmt::format(R"sql(WITH {}, {}
    SELECT d.type || ':' || d.id, 'no posting of ' || d.amount || ' as ' || d.reason FROM ({}) d
    LEFT JOIN entries e ON e.document_type = d.type AND e.document_id = d.id AND e.merchant_id = d.merchant_id
      AND e.type = d.reason AND e.amount = d.amount
    WHERE e.id IS NULL
    UNION ALL SELECT 'unknown_receipt:' || u.id, 'no posting of ' || u.amount || ' as receipt_assigned'
    FROM assigned u LEFT JOIN entries e ON u.id = e.document_id AND u.merchant_id = e.merchant_id
      AND e.document_type = 'unknown_receipt' AND e.type = 'receipt_assigned'
      AND e.amount = u.amount WHERE e.id IS NULL)sql",
                                   kCollectors, kAssigned, postings())});
  // Does not require a receipt in state suspense for a posting receipt_in_suspense. The posting remains in the ledger
  // after the receipt was returned and is no longer in suspense.
  questions.push_back({"7 every posting matches the state of its document", "entry",
                       fmt::format(R"sql(WITH {}, {}
    SELECT e.id, e.amount || ' as ' || e.type || ', contrary to its ' || e.document_type FROM entries e
    LEFT JOIN ({}) d ON d.type = e.document_type AND d.id = e.document_id AND d.merchant_id = e.merchant_id
      AND d.reason = e.type AND d.amount = abs(e.amount)
    LEFT JOIN assigned u ON u.id = e.document_id AND u.merchant_id = e.merchant_id
      AND e.document_type = 'unknown_receipt' AND e.type = 'receipt_assigned'
      AND u.amount = abs(e.amount)
    WHERE d.id IS NULL AND u.id IS NULL AND e.type <> 'receipt_in_suspense' AND NOT EXISTS (
      SELECT 1 FROM archived_orders a WHERE a.id = e.root_id AND a.merchant_id = e.merchant_id))sql",
                                   kCollectors, kAssigned, postings())});
  // The funds of documents in archived orders are unknown, so their journals may have the lines of either owner.
  questions.push_back({"7 a posting uses the account kinds of its reason", "entry",
                       fmt::format(R"sql(WITH {}, {}, {}, {}
    SELECT e.id, e.amount || ' as ' || e.type || ' on an account of kind ' || a.kind FROM entries e
    JOIN accounts a ON a.id = e.account_id AND a.merchant_id = e.merchant_id
      LEFT JOIN owners o ON o.type = e.document_type AND o.id = e.document_id AND o.merchant_id = e.merchant_id
    LEFT JOIN assigned u ON u.id = e.document_id AND u.merchant_id = e.merchant_id
      AND e.document_type = 'unknown_receipt' AND e.type = 'receipt_assigned'
    LEFT JOIN chart c ON c.reason = e.type AND c.kind = a.kind AND c.owner = coalesce(o.owner, u.owner, 'platform')
      AND c.side = CASE WHEN e.amount < 0 THEN '-' ELSE '+' END
    LEFT JOIN chart d ON o.owner IS NULL AND u.owner IS NULL AND d.reason = e.type AND d.kind = a.kind
      AND d.owner = 'direct'
      AND d.side = CASE WHEN e.amount < 0 THEN '-' ELSE '+' END
    WHERE c.reason IS NULL AND d.reason IS NULL)sql",
                                   chart(), kCollectors, owners(), kAssigned)});
  questions.push_back({"7 a journal has one entry for each line of its template", "entry",
                       fmt::format(R"sql(WITH {}, {}, {}, {}
    SELECT j.journal_id, j.entries || ' entries, ' || j.lines || ' accounts, as ' || j.type FROM (
      SELECT e.journal_id, e.merchant_id, min(e.type) AS type, min(e.document_type) AS document_type,
        min(e.document_id) AS document_id, count(*) AS entries,
        count(DISTINCT CASE WHEN e.amount < 0 THEN '-' ELSE '+' END || a.kind) AS lines
      FROM entries e JOIN accounts a ON a.id = e.account_id AND a.merchant_id = e.merchant_id
        GROUP BY e.journal_id, e.merchant_id) j
    LEFT JOIN owners o ON o.type = j.document_type AND o.id = j.document_id AND o.merchant_id = j.merchant_id
    LEFT JOIN assigned u ON u.id = j.document_id AND u.merchant_id = j.merchant_id
      AND j.document_type = 'unknown_receipt' AND j.type = 'receipt_assigned'
    WHERE j.entries <> j.lines OR NOT EXISTS (
      SELECT 1 FROM chart c
        WHERE c.reason = j.type AND c.lines = j.lines AND coalesce(o.owner, u.owner, c.owner) = c.owner))sql",
                                   chart(), kCollectors, owners(), kAssigned)});
  questions.push_back({"7 a transfer or hold posts to its own accounts", "entry",
                       fmt::format(R"sql(
    SELECT e.id, e.amount || ' as ' || e.type || ' on an account that its ' || m.type || ' does not name' FROM entries e
    JOIN ({}) m ON m.type = e.document_type AND m.id = e.document_id AND m.merchant_id = e.merchant_id
      AND m.reason = e.type
    WHERE e.account_id <> CASE WHEN e.amount < 0 THEN m.debit ELSE m.credit END)sql",
                                   kMoves)});
  // Both directions of a conversion use the same accounts, so the amount of each currency is checked too.
  questions.push_back({"7 a conversion moves the reported amounts in their currencies", "entry", R"sql(
    SELECT e.id, e.amount || ' ' || e.currency || ' as ' || e.type || ', reported ' || c.amount || ' ' || c.currency
      || ' as ' || c.settled_amount || ' ' || c.settled_currency || ', fee ' || c.fee
    FROM entries e JOIN accounts a ON a.id = e.account_id AND a.merchant_id = e.merchant_id
    JOIN channel_settlements c ON e.document_type = 'channel_settlement' AND c.id = e.document_id
      AND c.merchant_id = e.merchant_id
    WHERE (a.kind = 'channel_receivable' OR a.kind IN ('merchant_payable', 'merchant_direct')
                                            AND e.type NOT IN ('channel_fee', 'channel_fee_returned'))
      AND e.amount <> CASE
        WHEN e.currency NOT IN (c.currency, c.settled_currency) THEN 0
        WHEN e.type IN ('channel_fee', 'channel_fee_returned') THEN
          CASE e.currency WHEN c.settled_currency THEN c.fee ELSE 0 END
        WHEN e.type = 'receipt_converted' THEN CASE e.currency WHEN c.currency THEN c.amount ELSE -c.settled_amount END
        WHEN e.type = 'refund_converted' THEN CASE e.currency WHEN c.currency THEN -c.amount ELSE c.settled_amount END
        WHEN e.type = 'receipt_converted_for_merchant' THEN
          CASE e.currency WHEN c.currency THEN -c.merchant_amount ELSE c.merchant_settled END
        WHEN e.type = 'refund_converted_for_merchant' THEN
          CASE e.currency WHEN c.currency THEN c.merchant_amount ELSE -c.merchant_settled END
        ELSE 0 END)sql"});
  questions.push_back({"7 an adjustment posts to its own account", "adjustment", R"sql(
    SELECT d.id, 'no entry of ' || d.amount || ' ' || d.currency || ' on ' || d.account || ' ' || d.channel
    FROM adjustments d LEFT JOIN (
      SELECT e.document_id, e.amount, e.currency, e.merchant_id, a.kind, a.channel
      FROM entries e JOIN accounts a ON a.id = e.account_id AND a.merchant_id = e.merchant_id
        WHERE e.document_type = 'adjustment') p
      ON p.document_id = d.id AND p.amount = d.amount AND p.currency = d.currency AND p.merchant_id = d.merchant_id
        AND p.kind = d.account AND p.channel = d.channel
    WHERE d.state = 'posted' AND p.document_id IS NULL)sql"});
  questions.push_back({"7 an adjustment's account, channel and amount match its type", "adjustment", R"sql(
    SELECT id, type || ' of ' || amount || ' on ' || account || ' ' || channel FROM adjustments
    WHERE amount = 0 OR (type = 'penalty' AND amount < 0)
      OR account NOT IN ('merchant_payable', 'merchant_direct', 'channel_receivable', 'bank')
      OR (type <> 'opening_balance' AND account <> 'channel_receivable')
      OR CASE account WHEN 'channel_receivable' THEN channel = '' WHEN 'bank' THEN FALSE ELSE channel <> '' END)sql"});
  using Documents = boost::mp11::mp_push_back<boost::mp11::mp_remove<ChildRows<OrderAggregate>, Case>, Transfer, Hold,
                                              UnknownReceipt, Adjustment, Difference, Statement>;
  std::string documents;
  for_each_row_type<Documents>([&]<class Row>(std::type_identity<Row>) {
    documents += fmt::format("{}SELECT '{}' AS type, id, merchant_id FROM {}", documents.empty() ? "" : " UNION ALL ",
                             name_of(decltype(Row::id)::type), RowTraits<Row>::table);
  });
  questions.push_back({"7 every posting has its document", "",
                       fmt::format(R"sql(WITH {}
    SELECT e.document_type || ':' || e.document_id, 'has ' || count(*) || ' entries but no row'
    FROM entries e LEFT JOIN ({}) d ON d.type = e.document_type AND d.id = e.document_id
      AND d.merchant_id = e.merchant_id
    LEFT JOIN assigned u ON u.id = e.document_id AND u.merchant_id = e.merchant_id
      AND e.document_type = 'unknown_receipt' AND e.type = 'receipt_assigned'
    WHERE d.id IS NULL AND u.id IS NULL AND NOT EXISTS (
      SELECT 1 FROM archived_orders a WHERE a.id = e.root_id AND a.merchant_id = e.merchant_id)
    GROUP BY e.document_type, e.document_id)sql",
                                   kAssigned, documents)});
  questions.push_back({"7 every posting has its event", "entry", R"sql(WITH of_platform AS MATERIALIZED (
      SELECT v.id, v.journal_id FROM unknown_receipts u
        JOIN events v ON v.root_id = u.id AND v.merchant_id = u.merchant_id
      WHERE v.journal_id IS NOT NULL)
    SELECT e.id, e.type || ' for a ' || e.document_type || ' without an event' FROM entries e JOIN (
      SELECT id, merchant_id FROM entries e WHERE id = journal_id AND type <> 'receipt_assigned' AND NOT EXISTS (
        SELECT 1 FROM archived_orders a WHERE a.id = e.root_id AND a.merchant_id = e.merchant_id)
      EXCEPT SELECT journal_id, merchant_id FROM events
        WHERE journal_id IS NOT NULL) untold ON untold.id = e.id AND untold.merchant_id = e.merchant_id
    UNION ALL SELECT e.id, e.type || ' without an event' FROM entries e
    LEFT JOIN of_platform v ON v.journal_id = e.journal_id
    WHERE e.type = 'receipt_assigned' AND e.id = e.journal_id AND v.id IS NULL)sql"});
  questions.push_back({"7 every posting named by an event exists", "event", R"sql(WITH of_platform AS MATERIALIZED (
      SELECT v.id, v.journal_id FROM unknown_receipts u
        JOIN events v ON v.root_id = u.id AND v.merchant_id = u.merchant_id
      WHERE v.journal_id IS NOT NULL),
    posted AS MATERIALIZED (
      SELECT journal_id FROM entries WHERE document_type = 'unknown_receipt' AND id = journal_id)
    SELECT v.id, 'its posting does not exist' FROM events v
      LEFT JOIN entries e ON e.id = v.journal_id AND e.merchant_id = v.merchant_id
    WHERE v.journal_id IS NOT NULL AND e.id IS NULL AND v.root_type <> 'unknown_receipt'
    UNION ALL SELECT v.id, 'its posting does not exist' FROM of_platform v
    LEFT JOIN posted e ON e.journal_id = v.journal_id WHERE e.journal_id IS NULL)sql"});
}

}  // namespace finality::audit
