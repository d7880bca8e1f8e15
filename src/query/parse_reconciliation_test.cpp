// Tests that a reconciliation survives its JSON.
#include "query/parse_reconciliation.h"

#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include "query/render_reconciliation.h"

namespace finality::query {
namespace {

namespace json = boost::json;

ChannelAccount account() { return {.id = ChannelAccountId{1}, .channel = "alipay", .kind = "alipay"}; }

Reconciliation full_row() {
  Reconciliation row;
  row.date = "2026-11-02";
  row.currency = *parse_currency("CNY");
  row.funds_account = "basic fees";
  row.statements.push_back({.id = StatementId{2},
                            .kind = StatementKind::trades,
                            .file_version = 3,
                            .state = StatementState::matched,
                            .lines = 4,
                            .received_at = parse_rfc3339("2026-11-03T09:00:00Z")});
  row.statements.push_back({.id = StatementId{5}, .kind = StatementKind::funds, .state = StatementState::received});
  row.missing = {StatementKind::funds};
  row.our_payments = {1, 100};
  row.our_refunds = {2, 30};
  row.their_payments = {3, 110};
  row.their_refunds = {4, 31};
  row.their_fee_e5 = -123'456;
  row.funds = {{LineKind::refund, {5, -31}}};
  row.proof = ledger::Proof{1, 2, 3, 4, 5, 6, 7};
  row.unknown_since = "2026-11-01";
  row.open.push_back({.id = DifferenceId{6},
                      .date = "2026-11-02",
                      .difference_class = DifferenceClass::day_cut,
                      .state = DifferenceState::carried,
                      .amount = -8,
                      .subject = "trade 1",
                      .changes_balance = true});
  row.unlisted = {.count = 9, .proof_count = 8, .proof_amount = 7};
  row.open_count = 10;
  row.carried_count = 11;
  row.result = ReconciliationResult::differences;
  return row;
}

Result<Reconciliation> parsed(const Reconciliation& row) {
  return parse_reconciliation(json::parse(reconciliation_json(account(), row)).as_object());
}

TEST(ParsedReconciliation, RendersTheSameJsonAndPage) {
  for (const Reconciliation& row : {full_row(), Reconciliation{.date = "2026-11-02"}}) {
    const auto read = parsed(row);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(reconciliation_json(account(), *read), reconciliation_json(account(), row));
    EXPECT_EQ(reconciliation_page(account(), std::vector{*read}), reconciliation_page(account(), std::vector{row}));
  }
}

TEST(ParsedReconciliation, OtherJsonIsAnError) {
  json::object object = json::parse(reconciliation_json(account(), full_row())).as_object();
  for (const char* field :
       {"date", "currency", "statements", "missing", "funds", "differences", "listed_differences", "result"}) {
    json::object without = object;
    without.erase(field);
    EXPECT_FALSE(parse_reconciliation(without)) << field;
    without[field] = 7;
    EXPECT_FALSE(parse_reconciliation(without)) << field;
  }
  object["result"] = "no result";
  EXPECT_TRUE(parse_reconciliation(object).error().message.starts_with("the server returned no reconciliation"));
}

}  // namespace
}  // namespace finality::query
