#include "store/audit/questions.h"

namespace finality::audit {

void add_accounts_questions(Questions& questions) {
  questions.push_back({"6 an account's held amount is the sum of its open holds", "account", R"sql(
    SELECT a.id, a.kind || ': held ' || a.held || ', open holds ' || coalesce(h.amount, 0) FROM accounts a
    LEFT JOIN (SELECT merchant_id, account_id, sum(amount) AS amount FROM holds WHERE state = 'held'
               GROUP BY account_id, merchant_id) h
      ON h.account_id = a.id AND h.merchant_id = a.merchant_id
    WHERE a.held <> coalesce(h.amount, 0))sql"});
  questions.push_back({"6 an available balance is never negative", "account", R"sql(
    SELECT id, 'balance ' || balance || ', held ' || held || ', overdraft ' || overdraft FROM accounts
    WHERE kind = 'user' AND balance - held + overdraft < 0)sql"});
  questions.push_back({"6 a closed account is empty", "account", R"sql(
    SELECT id, 'closed with balance ' || balance || ', held ' || held FROM accounts
    WHERE state = 'closed' AND (balance <> 0 OR held <> 0))sql"});
  questions.push_back({"6 a ledger account is open and has no name, overdraft or lock", "account", R"sql(
    SELECT id, kind || ': state ' || state || ', overdraft ' || overdraft || ', lock_number ' || lock_number FROM accounts
    WHERE kind <> 'user'
      AND (state <> 'open' OR overdraft <> 0 OR lock_number <> 0 OR lock_token IS NOT NULL OR name <> '' OR label <> ''))sql"});
  // Entries and events of an account get ids from one rising sequence. So the last event before an entry holds the
  // account's state when the entry was posted. One ordered pass over entries and events finds that event. A look-up per
  // entry would need time quadratic in the entries of a busy account.
  questions.push_back({"6 only an open account is debited, and no closed account is credited", "entry", R"sql(
    SELECT id, amount || ' posted while the account was ' || state FROM (
      SELECT id, amount, coalesce(max(to_state) OVER (PARTITION BY account_id, merchant_id, steps),
        'not created') AS state FROM (
        SELECT account_id, merchant_id, id, amount, to_state,
          count(to_state) OVER (PARTITION BY account_id, merchant_id ORDER BY id) AS steps FROM (
          SELECT e.account_id, e.merchant_id, e.id, e.amount, NULL AS to_state FROM entries e
          JOIN accounts a ON a.id = e.account_id AND a.merchant_id = e.merchant_id WHERE a.kind = 'user'
          UNION ALL SELECT root_id, merchant_id, id, NULL, to_state FROM events
            WHERE object_type = 'account') m) counted) s
    WHERE amount IS NOT NULL AND state <> 'open' AND (amount < 0 OR state <> 'frozen'))sql"});
  questions.push_back({"14 a lock is complete, and lock_number counts the locks", "account", R"sql(
    SELECT a.id, 'lock_number ' || a.lock_number || ', lock events ' || coalesce(v.locked, 0) FROM accounts a
    LEFT JOIN (SELECT root_id, merchant_id, count(*) AS locked FROM events
               WHERE object_type = 'account' AND event = 'locked'
                 GROUP BY root_id, merchant_id) v ON v.root_id = a.id AND v.merchant_id = a.merchant_id
    WHERE a.lock_number <> coalesce(v.locked, 0) OR a.lock_token NOT LIKE a.lock_number || '-%'
      OR (a.lock_owner IS NULL) <> (a.lock_token IS NULL) OR (a.lock_expires_at IS NULL) <> (a.lock_token IS NULL))sql"});
}

void add_holds_questions(Questions& questions) {
  questions.push_back({"6 a hold is between two accounts of its merchant", "hold", R"sql(
    SELECT h.id, h.amount || ' ' || h.currency || ', not between two accounts of its merchant and currency' FROM holds h
    WHERE 2 <> (SELECT count(*) FROM accounts a WHERE a.id IN (h.account_id, h.credit_account_id)
                  AND a.merchant_id = h.merchant_id AND a.currency = h.currency
                  AND CASE WHEN h.source = 'wallet' AND a.id = h.credit_account_id
                           THEN a.kind = 'channel_receivable' AND a.channel = 'wallet' ELSE a.kind = 'user' END))sql"});
  questions.push_back({"6 a hold posts at most its amount, and only in state posted", "hold", R"sql(
    SELECT id, 'hold is ' || state || ', amount ' || amount || ', posted_amount ' || posted_amount FROM holds
    WHERE amount < 1 OR posted_amount NOT BETWEEN CASE state WHEN 'posted' THEN 1 ELSE 0 END
                                              AND CASE state WHEN 'posted' THEN amount ELSE 0 END)sql"});
  questions.push_back({"7 a hold is unique by source and reference", "hold", R"sql(
    SELECT max(id), count(*) || ' holds with reference ' || reference || ' of source ' || source FROM holds
    GROUP BY merchant_id, source, reference HAVING count(*) > 1)sql"});
  // The hold of a wallet authorization never expires by itself: its authorization ends it.
  questions.push_back({"16 a hold is due while it is open", "hold", R"sql(
    SELECT id, 'hold of ' || source || ' is ' || state || ', due_at ' || coalesce(due_at, 0) FROM holds
    WHERE (state = 'held' AND source <> 'wallet') <> (due_at IS NOT NULL))sql"});
}

void add_transfers_questions(Questions& questions) {
  // A transfer that was reversed before it was posted (state reversed, amount 0) has no accounts.
  questions.push_back({"6 a transfer is between two accounts of its merchant", "transfer", R"sql(
    SELECT t.id, 'transfer is ' || t.state || ', ' || t.amount || ' ' || t.currency || ', not between two accounts of its merchant'
    FROM transfers t
    WHERE (SELECT count(*) FROM accounts a WHERE a.id IN (t.debit_account_id, t.credit_account_id)
             AND a.merchant_id = t.merchant_id AND (a.currency = t.currency OR t.state = 'refused')
             AND (a.kind = 'user' OR (t.source = 'wallet' AND a.kind = 'channel_receivable' AND a.channel = 'wallet')))
      <> CASE WHEN t.state = 'reversed' AND t.amount = 0 THEN 0 ELSE 2 END)sql"});
  questions.push_back({"6 a transfer's amount, accounts, price and refusal match its state", "transfer", R"sql(
    SELECT id, 'transfer is ' || state || ', amount ' || amount || ', refusal ' || coalesce(refusal, 'none') FROM transfers
    WHERE amount < CASE state WHEN 'posted' THEN 1 ELSE 0 END OR (state = 'refused') <> (refusal IS NOT NULL)
      OR (price IS NULL) <> (quantity IS NULL)
      OR (state = 'reversed' AND amount = 0) <> (debit_account_id IS NULL AND credit_account_id IS NULL))sql"});
  questions.push_back({"7 a transfer is unique by source and reference", "transfer", R"sql(
    SELECT max(id), count(*) || ' transfers with reference ' || reference || ' of source ' || source FROM transfers
    GROUP BY merchant_id, source, reference HAVING count(*) > 1)sql"});
}

}  // namespace finality::audit
