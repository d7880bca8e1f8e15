-- One lifecycle in the row-at-a-time design of the seeds, for pgbench -M prepared: SELECT … FOR UPDATE, then UPDATE …
-- WHERE state = … AND version = …. It writes exactly the rows of the engine, in one transaction per step. It is
-- biased in favor of the peer: it does not check whether a number is taken (the unique keys do), reads no merchant,
-- creates the order in its state after sending, and locks the accounts last.
\set m random(1, :merchants)
\set n :n + 1
\set id ((:run * 10000000 + :n) * 1024 + :client_id) * 32
\set payment :id + 1
\set receipt :id + 2
\set entry :id + 3
\set other_entry :id + 4
\set delivery :id + 5
\set answer :id + 6
\set receivable 1000000 + :m * 2
\set payable 1000001 + :m * 2

-- The order with its payment, and the claim to send it.
BEGIN;
INSERT INTO idempotency_keys (hash, merchant_id, record_id) VALUES (decode(md5('i' || :id), 'hex'), :m, :answer);
INSERT INTO keys (hash, merchant_id, id) VALUES (decode(md5('o' || :id), 'hex'), :m, :id);
INSERT INTO orders (id, merchant_id, merchant_order_no, fingerprint, amount, currency, subject, state, close_requested, paid_amount, refunded_amount, capture_method, close_policy, expires_at, notify_url, metadata, parked, due_at, created_at, version, children) VALUES (:id, :m, '20261122140411483' || :id, decode(md5('f' || :id), 'hex'), 8000, 'CNY', 'Tea', 'processing', 0, 0, 0, 'automatic', 'ask', :later, :notify_url, '', 0, :later, :now, 1, 3);
INSERT INTO payments (id, order_id, merchant_id, channel, method, state, amount, currency, paid_amount, reversed_amount, out_trade_no, action_type, payer, outstanding_since, send_deadline, close_pending, last_evidence, due_at, created_at, version, fee_amount, fee_refundable, channel_account_id, sends) VALUES (:payment, :id, :m, 'sandbox', 'web', 'processing', 8000, 'CNY', 0, 0, '0akta7sqm0000' || :payment, 'none', '', :now, :later, 0, 0, :later, :now, 2, 0, 0, 1, 1);
INSERT INTO changes (root_id, id, merchant_id, root_type, root_version, cause, detail, at, steps, is_checked) VALUES (:id, :id::bigint + 7, :m, 'order', 1, 'api', :asked, :now, '[[0,"order",0,"created",null,"pending"],[1,"order",0,"payment_started","pending","processing"],[2,"payment",1,"created",null,"created"],[3,"payment",1,"send","created","processing"]]', 0);
INSERT INTO idempotency_records (id, merchant_id, key_hash, fingerprint, status, body, object_type, object_id, reply_until, created_at) VALUES (:answer, :m, decode(md5('i' || :id), 'hex'), decode(md5('f' || :id), 'hex'), 201, '', 'order', :id, :later, :now);
COMMIT;

-- Evidence: the channel waits for the payer.
BEGIN;
SELECT state AS order_state, version AS order_version FROM orders WHERE id = :id FOR UPDATE \gset
SELECT state AS payment_state, version AS payment_version FROM payments WHERE id = :payment FOR UPDATE \gset
UPDATE payments SET state = 'pending', channel_trade_no = '2026112200' || :payment, outstanding_since = NULL, last_evidence = :payment, due_at = :later, version = version + 1 WHERE id = :payment AND state = 'processing' AND version = :payment_version;
UPDATE orders SET state = 'pending', version = version + 1 WHERE id = :id AND state = 'processing' AND version = :order_version;
INSERT INTO changes (root_id, id, merchant_id, root_type, root_version, cause, detail, at, steps, is_checked) VALUES (:id, :id::bigint + 11, :m, 'order', 2, 'channel_reply', :waiting, :now, '[[0,"payment",1,"waiting","processing","pending"],[1,"order",0,"result_received","processing","pending"]]', 0);
COMMIT;

-- Evidence: paid. The receipt, the order's final state, the delivery to the merchant, the ledger.
BEGIN;
SELECT state AS order_state, version AS order_version FROM orders WHERE id = :id FOR UPDATE \gset
SELECT state AS payment_state, version AS payment_version FROM payments WHERE id = :payment FOR UPDATE \gset
INSERT INTO keys (hash, merchant_id, id) VALUES (decode(md5('r' || :id), 'hex'), :m, :receipt);
INSERT INTO receipts (id, order_id, payment_id, merchant_id, channel, channel_trade_no, amount, currency, state, paid_at, created_at, written_off, refund_numbers, numbered_refunds, reported_refunded, is_refund_unknown, is_total_queried, channel_account_id) VALUES (:receipt, :id, :payment, :m, 'sandbox', '2026112200' || :payment, 8000, 'CNY', 'accepted', :now, :now, 0, '', 0, 0, 0, 0, 1);
UPDATE payments SET state = 'succeeded', paid_amount = 8000, final_evidence_at = :now, last_evidence = :receipt, due_at = NULL, version = version + 1 WHERE id = :payment AND state = 'pending' AND version = :payment_version;
UPDATE orders SET state = 'succeeded', paid_amount = 8000, due_at = NULL, version = version + 1 WHERE id = :id AND state = 'pending' AND version = :order_version;
INSERT INTO changes (root_id, id, merchant_id, root_type, root_version, cause, detail, at, steps, is_checked) VALUES (:id, :id::bigint + 13, :m, 'order', 3, 'notification', :paid, :now, '[[0,"payment",1,"paid","pending","succeeded","move",0,-10],[1,"order",0,"paid","pending","succeeded"]]', 1);
INSERT INTO deliveries (id, merchant_id, order_id, url, acknowledge, type, body, state, attempts, due_at, created_at, version, children) VALUES (:delivery, :m, :id, :notify_url, 'status', 'order.succeeded', :body, 'pending', 1, :later, :now, 1, 0);
INSERT INTO changes (root_id, id, merchant_id, root_type, root_version, cause, detail, at, steps, is_checked) VALUES (:delivery, :id::bigint + 15, :m, 'delivery', 1, 'notification', :paid, :now, '[[0,"delivery",0,"created",null,"pending"]]', 0);
SELECT version AS receivable_version, balance AS receivable_balance, coalesce(last_entry_id, 0) AS receivable_last FROM accounts WHERE id = :receivable FOR UPDATE \gset
SELECT version AS payable_version, balance AS payable_balance, coalesce(last_entry_id, 0) AS payable_last FROM accounts WHERE id = :payable FOR UPDATE \gset
INSERT INTO entries (id, journal_id, merchant_id, account_id, amount, currency, balance_before, balance_after, type, document_type, document_id, root_id, previous_id, created_at) VALUES (:entry, :entry, :m, :receivable, -8000, 'CNY', :receivable_balance, :receivable_balance::bigint - 8000, 'receipt_accepted', 'receipt', :receipt, :id, nullif(:receivable_last::bigint, 0), :now);
INSERT INTO entries (id, journal_id, merchant_id, account_id, amount, currency, balance_before, balance_after, type, document_type, document_id, root_id, previous_id, created_at) VALUES (:other_entry, :entry, :m, :payable, 8000, 'CNY', :payable_balance, :payable_balance::bigint + 8000, 'receipt_accepted', 'receipt', :receipt, :id, nullif(:payable_last::bigint, 0), :now);
UPDATE accounts SET balance = balance - 8000, last_entry_id = :entry, version = version + 1 WHERE id = :receivable AND state = 'open' AND version = :receivable_version;
UPDATE accounts SET balance = balance + 8000, last_entry_id = :other_entry, version = version + 1 WHERE id = :payable AND state = 'open' AND version = :payable_version;
COMMIT;

-- The merchant acknowledges the delivery.
BEGIN;
SELECT state AS delivery_state, version AS delivery_version FROM deliveries WHERE id = :delivery FOR UPDATE \gset
UPDATE deliveries SET state = 'delivered', last_status = 200, due_at = NULL, delivered_at = :now, version = version + 1 WHERE id = :delivery AND state = 'pending' AND version = :delivery_version;
INSERT INTO changes (root_id, id, merchant_id, root_type, root_version, cause, detail, at, steps, is_checked) VALUES (:delivery, :id::bigint + 16, :m, 'delivery', 2, 'timer', :acknowledged, :now, '[[0,"delivery",0,"acknowledged","pending","delivered"]]', 0);
COMMIT;
