// For tests of migrations: what later schemas added is taken away again.
#pragma once

namespace finality::store {

/// A store of today, empty, as schema 7 had it; but for the number of its schema.
inline constexpr const char* kBackToSchema7 = R"sql(
DROP INDEX entries_ahead;
ALTER TABLE refunds DROP COLUMN origin;
ALTER TABLE refunds DROP COLUMN channel_refund_no;
ALTER TABLE refunds DROP COLUMN receipt_id;
ALTER TABLE refunds DROP COLUMN reported_amount;
ALTER TABLE refunds DROP COLUMN from_suspense;
ALTER TABLE refunds DROP COLUMN charged;
ALTER TABLE receipts DROP COLUMN refund_numbers;
ALTER TABLE receipts DROP COLUMN numbered_refunds;
ALTER TABLE receipts DROP COLUMN reported_refunded;
ALTER TABLE receipts DROP COLUMN is_total_asked;
ALTER TABLE receipts DROP COLUMN is_refund_unknown;
ALTER TABLE receipts DROP COLUMN refund_ended_at;
ALTER TABLE payments DROP COLUMN ask_total_of;
ALTER TABLE refunds DROP COLUMN returned_amount;
ALTER TABLE refunds DROP COLUMN fee_charged_again;
DROP TABLE returns;
ALTER TABLE orders DROP COLUMN children;
ALTER TABLE deliveries DROP COLUMN children;
)sql";

}  // namespace finality::store
