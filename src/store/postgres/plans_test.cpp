// Tests that the server plans the statements of a session with indexes only, even for empty tables without statistics.
#include "store/postgres/load.h"
#include "store/postgres/node_lease.h"
#include "store/postgres/testing/test_server.h"
#include "store/postgres/write.h"

namespace finality::postgres {
namespace {

using store_contract::make_sample_rows;
using store_contract::RowFiller;
using store_contract::SampleRows;

class PostgresPlansTest : public testing::Test {
 protected:
  /// Runs every statement of a session's loads and commits at least once.
  void report_all() {
    RowFiller filler(true);
    SampleRows all = make_sample_rows(filler);
    ReadSet reads = all.reads();
    reads.channel_rates = {all.channel_rate.id};  // a session reads them in a second step, by their keys
    load(reads);
    WorkingSet made;
    all.insert_into(made);
    write(made);
    WorkingSet changed = load(reads);
    change_everything(filler, all);
    changed.orders.change(all.order.order.id) = all.order;
    changed.deliveries.change(all.delivery.delivery.id) = all.delivery;
    changed.unknown_receipts.change(all.unknown_receipt.unknown_receipt.id) = all.unknown_receipt;
    changed.statements.change(all.statement.statement.id) = all.statement;
    changed.differences.change(all.difference.difference.id) = all.difference;
    changed.accounts.change(all.account.id) = all.account;
    changed.transfers.change(all.transfer.id) = all.transfer;
    changed.holds.change(all.hold.id) = all.hold;
    changed.prices.change(all.price.id) = all.price;
    changed.adjustments.change(all.adjustment.id) = all.adjustment;
    changed.merchants.change(all.merchant.id) = all.merchant;
    changed.api_keys.change(all.api_key.id) = all.api_key;
    changed.channel_accounts.change(all.channel_account.id) = all.channel_account;
    changed.channel_rates.change(all.channel_rate.id) = all.channel_rate;
    changed.identity_checks.change(all.identity_check.id) = all.identity_check;
    changed.endpoints.change(all.merchant.id) = all.endpoints;
    changed.fees.change(all.merchant.id) = all.fees;
    changed.idempotency_records.change(all.answer.key_hash).id = IdempotencyRecordId{filler.number()};
    write(changed);
    WorkingSet claimed = load(reads);
    OrderAggregate& order = claimed.orders.change(all.order.order.id);
    for (Payment& row : order.payments) row.due_at = Time{1};
    for (Authorization& row : order.authorizations) row.due_at = Time{1};
    for (Capture& row : order.captures) row.due_at = Time{1};
    for (Refund& row : order.refunds) row.due_at = Time{1};
    for (Reversal& row : order.reversals) row.due_at = Time{1};
    claimed.deliveries.change(all.delivery.delivery.id).delivery.due_at = Time{1};
    write(claimed);
  }
  WorkingSet load(const ReadSet& reads) {
    WorkingSet rows;
    Loader loader(*connection_, reads, Form::locking);
    loader.send();
    const auto loaded = loader.finish(0, rows);
    FINALITY_CHECK(loaded.has_value(), loaded.error().message);
    return rows;
  }
  void write(const WorkingSet& rows) {
    send_batch(*connection_, node_, Time{1}, Duration(1000));
    send_changes(*connection_, rows, Form::plain);
    const Replies replies = connection_->finish();
    FINALITY_CHECK(replies.has_value(), replies.error().message);
  }
  std::vector<std::string> lines(const std::string& sql) {
    const auto reply = connection_->execute(sql);
    FINALITY_CHECK(reply.has_value(), reply.error().message);
    std::vector<std::string> found;
    for (int i = 0; i < reply->rows(); ++i) found.emplace_back(PQgetvalue(reply->raw(), i, 0));
    return found;
  }

  TestDatabase database_;
  std::unique_ptr<Connection> connection_ = must(Connection::open({.conninfo = database_.url()}, Use::write));
  NodeLease node_ = must(lease_node(*connection_, Duration(1000)));
};

TEST_F(PostgresPlansTest, EveryStatementReadsTablesByIndexScans) {
  report_all();
  const std::vector<std::string> statements = lines(
      "SELECT name || CASE WHEN cardinality(parameter_types) = 0 THEN '' ELSE '(' || "
      "array_to_string(array_fill('NULL'::text, ARRAY[cardinality(parameter_types)]), ',') || ')' END "
      "FROM pg_prepared_statements WHERE statement ~ '^(SELECT .* FROM|UPDATE|INSERT|DELETE)' "
      "AND statement !~ 'FROM nodes ORDER BY number'");  // lists all numbers, once per process
  EXPECT_GT(statements.size(), 50U);
  for (const std::string& statement : statements) {
    const std::vector<std::string> plan = lines("EXPLAIN EXECUTE " + statement);
    std::string text;
    for (const std::string& line : plan) text += line + "\n";
    std::size_t scans = 0;
    std::size_t conditions = 0;
    for (const std::string& line : plan) {
      if (line.contains("Index Scan") || line.contains("Index Only Scan")) ++scans;
      if (line.contains("Index Cond")) ++conditions;
    }
    EXPECT_FALSE(text.contains("Seq Scan")) << text;
    EXPECT_EQ(scans, conditions) << text;
    EXPECT_FALSE(text.contains("_due on ")) << text;  // many rows may have the same due_at
  }
}

}  // namespace
}  // namespace finality::postgres
