#include "store/audit/questions.h"

namespace finality::audit {

void add_statements_questions(Questions& questions) {
  questions.push_back({"17 a statement is due exactly while there is work on it", "statement", R"sql(
    SELECT id, state || ', due_at ' || coalesce(due_at, 0) FROM statements
    WHERE (due_at IS NOT NULL) <> (state IN ('expected', 'downloading', 'received', 'matching')
      OR is_fetched_again = 1))sql"});
  questions.push_back({"17 a statement has all parts of its file", "statement", R"sql(
    SELECT s.id, s.state || ' with ' || count(p.part_no) || ' of ' || s.parts || ' parts' FROM statements s
    LEFT JOIN statement_parts p ON p.statement_id = s.id AND p.merchant_id = s.merchant_id
      AND p.part_no BETWEEN 0 AND s.parts - 1
    GROUP BY s.id, s.state, s.parts, s.sha256, s.received_at
    HAVING (count(p.part_no) <> s.parts AND NOT (count(p.part_no) = 0
        AND s.received_at <= coalesce((SELECT until FROM expired WHERE kind = 'statement_files'), 0)))
      OR (s.parts = 0) <> (s.sha256 = '')
      OR (s.parts = 0) <> (s.state IN ('expected', 'downloading', 'empty')))sql"});
  questions.push_back({"17 a statement has all parts of the index of its lines", "statement", R"sql(
    SELECT s.id, s.state || ' with ' || count(p.part_no) || ' of ' || s.index_parts || ' parts of its index'
    FROM statements s
    LEFT JOIN statement_parts p ON p.statement_id = s.id AND p.merchant_id = s.merchant_id
      AND p.part_no BETWEEN -s.index_parts AND -1
    GROUP BY s.id, s.state, s.index_parts, s.received_at
    HAVING count(p.part_no) <> s.index_parts AND NOT (count(p.part_no) = 0
        AND s.received_at <= coalesce((SELECT until FROM expired WHERE kind = 'statement_files'), 0)))sql"});
  questions.push_back({"17 a part belongs to the file of a statement", "", R"sql(
    SELECT 'statement:' || p.statement_id, 'part ' || p.part_no FROM statement_parts p
    LEFT JOIN statements s ON s.id = p.statement_id AND s.merchant_id = p.merchant_id
      AND p.part_no BETWEEN -s.index_parts AND s.parts - 1
    WHERE s.id IS NULL)sql"});
  questions.push_back({"17 the totals of a statement count its lines", "statement", R"sql(
    SELECT s.id, s.lines || ' lines, in the totals ' || coalesce(t.lines, 0) FROM statements s
    LEFT JOIN (SELECT statement_id, merchant_id, sum(lines) AS lines FROM statement_totals
               GROUP BY statement_id, merchant_id) t
      ON t.statement_id = s.id AND t.merchant_id = s.merchant_id
    WHERE coalesce(t.lines, 0) <> s.lines)sql"});
  questions.push_back({"17 a total belongs to a matched statement", "statement_total", R"sql(
    SELECT t.id, 'total of ' || t.lines || ' lines in ' || t.currency FROM statement_totals t
    LEFT JOIN statements s ON s.id = t.statement_id AND s.merchant_id = t.merchant_id AND s.state = 'matched'
    WHERE s.id IS NULL OR t.payments + t.refunds > t.lines)sql"});
  // The matches of an empty day are of lines of other days. Its comparison can be interrupted before they are counted.
  questions.push_back({"17 a matched statement counts its matches", "statement", R"sql(WITH
    trades AS MATERIALIZED (SELECT statement_id, count(*) AS matches FROM statement_matches GROUP BY statement_id),
    funds AS MATERIALIZED (SELECT statement_id, count(*) AS matches FROM funds_matches GROUP BY statement_id)
    SELECT s.id, s.state || ', ' || coalesce(trades.matches, 0) + coalesce(funds.matches, 0)
      || ' matches, counted ' || s.recorded
    FROM statements s LEFT JOIN trades ON trades.statement_id = s.id LEFT JOIN funds ON funds.statement_id = s.id
    WHERE s.state <> 'matching' AND (s.kind <> 'funds' OR s.state IN ('matched', 'empty')) AND (
      coalesce(trades.matches, 0) + coalesce(funds.matches,
        0) <> CASE WHEN s.state IN ('matched', 'empty') THEN s.recorded ELSE 0 END
      OR (s.recorded > s.lines AND s.kind = 'trades')))sql"});
  questions.push_back(
      {"17 a match about funds has an entry of its amount", "",
       R"sql(WITH platform_statements AS MATERIALIZED (SELECT id, channel_account_id, kind FROM statements)
    SELECT 'match:' || m.document_id, m.document_type || ' of ' || m.amount || ', posted ' || coalesce(d.amount, 0)
    FROM funds_matches m
    LEFT JOIN (
      SELECT CASE a.kind WHEN 'bank' THEN 'entry' ELSE e.document_type END AS type,
        CASE a.kind WHEN 'bank' THEN e.id ELSE e.document_id END AS id, e.merchant_id, a.channel_account_id,
        CASE WHEN e.amount < 0 THEN -1 ELSE 1 END AS side, sum(e.amount) AS amount
      FROM entries e JOIN accounts a ON a.id = e.account_id AND a.merchant_id = e.merchant_id
        WHERE a.kind IN ('channel_receivable', 'bank')
      GROUP BY 1, 2, 3, 4, 5) d
      ON d.id = m.document_id AND d.type = m.document_type AND d.merchant_id = m.merchant_id
      AND d.channel_account_id = m.channel_account_id AND d.side = CASE WHEN m.amount < 0 THEN 1 ELSE -1 END
    LEFT JOIN platform_statements s ON s.id = m.statement_id AND s.channel_account_id = m.channel_account_id
      AND s.kind <> 'trades'
    WHERE s.id IS NULL OR d.amount IS NULL OR d.amount <> -m.amount)sql"});
  // Later versions contain lines of earlier ones that were withdrawn.
  questions.push_back({"17 the movements of a funds statement count its matched lines", "statement", R"sql(
    SELECT s.id, s.matched || ' lines agree, in the movements ' || coalesce(v.lines, 0) FROM statements s
    LEFT JOIN (SELECT statement_id, merchant_id, sum(lines) AS lines FROM statement_movements
               GROUP BY statement_id, merchant_id) v
      ON v.statement_id = s.id AND v.merchant_id = s.merchant_id
    WHERE s.kind <> 'trades' AND s.file_version = 1 AND coalesce(v.lines, 0) <> s.matched)sql"});
  questions.push_back({"17 a movement belongs to a matched statement of funds", "statement_movement", R"sql(
    SELECT v.id, v.lines || ' lines of ' || v.amount || ' ' || v.currency FROM statement_movements v
    LEFT JOIN statements s ON s.id = v.statement_id AND s.merchant_id = v.merchant_id AND s.state = 'matched'
      AND s.kind <> 'trades'
    LEFT JOIN entries e ON e.id = v.journal_id AND e.merchant_id = v.merchant_id AND e.document_type = 'statement'
      AND e.document_id = v.statement_id
      AND e.currency = v.currency AND abs(e.amount) = abs(v.amount)
    WHERE s.id IS NULL OR v.lines < 0 OR (v.journal_id IS NOT NULL AND (v.lines = 0 OR e.id IS NULL)))sql"});
  questions.push_back(
      {"17 a match names a document of its merchant and channel account", "",
       R"sql(WITH platform_statements AS MATERIALIZED (SELECT id, channel_account_id, kind FROM statements)
    SELECT 'match:' || m.document_id, m.document_type || ' of merchant ' || m.merchant_id FROM statement_matches m
    LEFT JOIN (
      SELECT id, 'receipt' AS type, merchant_id, channel_account_id FROM receipts
      UNION ALL SELECT id, 'refund', merchant_id, channel_account_id FROM refunds
      UNION ALL SELECT id, 'reversal', merchant_id, channel_account_id FROM reversals
      UNION ALL SELECT id, 'unknown_receipt', merchant_id, channel_account_id FROM unknown_receipts) d
      ON d.id = m.document_id AND d.type = m.document_type AND d.merchant_id = m.merchant_id
      AND d.channel_account_id = m.channel_account_id
    LEFT JOIN platform_statements s ON s.id = m.statement_id AND s.channel_account_id = m.channel_account_id
    WHERE s.id IS NULL OR (d.id IS NULL AND NOT EXISTS (
      SELECT 1 FROM entries e JOIN archived_orders a ON a.id = e.root_id AND a.merchant_id = e.merchant_id
      WHERE e.document_id = m.document_id AND e.document_type = m.document_type AND e.merchant_id = m.merchant_id)))sql"});
  questions.push_back({"17 a difference has an unresolved case exactly while it is open", "difference", R"sql(
    SELECT d.id, d.state || ', ' || count(c.id) || ' unresolved cases' FROM differences d
    LEFT JOIN cases c ON c.root_id = d.id AND c.merchant_id = d.merchant_id AND c.kind = 'difference'
      AND c.state <> 'resolved'
    GROUP BY d.id, d.state HAVING count(c.id) <> CASE WHEN d.state = 'open' THEN 1 ELSE 0 END)sql"});
  questions.push_back({"17 a difference is resolved exactly if operators resolved its case", "difference", R"sql(
    SELECT d.id, d.state || ', its resolution ' || coalesce(c.resolution, 'not decided') FROM differences d
    LEFT JOIN cases c ON c.root_id = d.id AND c.merchant_id = d.merchant_id AND c.kind = 'difference'
      AND c.state = 'resolved'
      AND c.resolution <> 'settled'
    WHERE (d.state = 'resolved') <> (c.id IS NOT NULL))sql"});
  questions.push_back({"17 an adjusted difference posts its amount", "difference", R"sql(
    SELECT d.id, d.amount || ' ' || d.currency || ', posted ' || coalesce(e.posted, 0) FROM differences d
    LEFT JOIN (SELECT e.document_id, e.merchant_id, sum(-e.amount) AS posted
        FROM entries e JOIN accounts a ON a.id = e.account_id AND a.merchant_id = e.merchant_id
        WHERE e.document_type = 'difference' AND a.kind IN ('channel_receivable', 'bank')
        GROUP BY e.document_id, e.merchant_id) e
      ON e.document_id = d.id AND e.merchant_id = d.merchant_id
    LEFT JOIN cases c ON c.root_id = d.id AND c.merchant_id = d.merchant_id AND c.kind = 'difference'
      AND c.state = 'resolved'
      AND c.resolution = 'adjust'
    WHERE coalesce(e.posted, 0) <> CASE WHEN c.id IS NULL THEN 0 ELSE d.amount END)sql"});
}

}  // namespace finality::audit
