#include "worker/statements/statement_rows.h"

#include <gtest/gtest.h>

namespace finality {
namespace {

Difference about(StatementKind kind, ObjectType document, std::int64_t id = 9) {
  Difference row;
  row.kind = kind;
  row.document_type = document;
  row.document_id = id;
  return row;
}

TEST(StatementRowsTest, ADifferenceAboutADocumentOfAnOrderHoldsTheOrder) {
  using enum StatementKind;
  for (const StatementKind kind : {trades, funds})
    for (const ObjectType document : {ObjectType::receipt, ObjectType::refund, ObjectType::reversal})
      EXPECT_TRUE(holds_order(about(kind, document))) << name_of(kind) << " " << name_of(document);
  EXPECT_TRUE(holds_order(about(funds, ObjectType::money_return)));
  EXPECT_FALSE(holds_order(about(funds, ObjectType::receipt, 0)));
  EXPECT_FALSE(holds_order(about(funds, ObjectType::entry)));
  EXPECT_FALSE(holds_order(about(funds, ObjectType::unknown_receipt)));
  EXPECT_FALSE(holds_order(about(bank, ObjectType::entry)));
}

}  // namespace
}  // namespace finality
