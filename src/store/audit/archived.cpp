#include <fmt/format.h>

#include "model/row_types.h"
#include "store/audit/questions.h"

namespace finality::audit {

void add_archived_orders_questions(Questions& questions) {
  std::string rows =
      "SELECT id, merchant_id FROM orders UNION ALL SELECT root_id, merchant_id FROM events "
      "UNION ALL SELECT order_id, merchant_id FROM deliveries";
  for_each_row_type<ChildRows<OrderAggregate>>([&]<class Row>(std::type_identity<Row>) {
    rows +=
        fmt::format(" UNION ALL SELECT {}, merchant_id FROM {}", RowTraits<Row>::options.parent, RowTraits<Row>::table);
  });
  questions.push_back({"1 an archived order has no rows left", "order",
                       fmt::format(R"sql(
    SELECT a.id, 'archived in ' || a.archive || ', rows left ' || count(*) FROM archived_orders a
    JOIN ({}) r ON r.id = a.id AND r.merchant_id = a.merchant_id
    GROUP BY a.id, a.archive)sql",
                                   rows)});
  // The order has a natural key, and so has each of its posted receipts and refunds. The keys stay in the store. An
  // order that was archived before schema 23 has no number of them.
  questions.push_back({"9 the numbers of an archived order stay reserved", "order", R"sql(
    SELECT a.id, 'natural keys ' || coalesce(k.named, 0) || ', expected at least ' ||
      CASE WHEN a.natural_keys > 0 THEN a.natural_keys ELSE 1 + coalesce(d.documents, 0) END
    FROM archived_orders a
    LEFT JOIN (SELECT id, merchant_id, count(*) AS named FROM keys GROUP BY id, merchant_id) k
      ON k.id = a.id AND k.merchant_id = a.merchant_id
    LEFT JOIN (SELECT root_id, merchant_id, count(DISTINCT document_id) AS documents FROM entries
               WHERE document_type IN ('receipt', 'refund')
                 GROUP BY root_id, merchant_id) d ON d.root_id = a.id AND d.merchant_id = a.merchant_id
    WHERE coalesce(k.named, 0) <
      CASE WHEN a.natural_keys > 0 THEN a.natural_keys ELSE 1 + coalesce(d.documents, 0) END)sql"});
  questions.push_back({"4 an archived order has nothing in suspense or in transit", "order", R"sql(
    SELECT e.root_id, sum(e.amount) || ' left in ' || c.kind FROM entries e
    JOIN archived_orders a ON a.id = e.root_id AND a.merchant_id = e.merchant_id
      JOIN accounts c ON c.id = e.account_id AND c.merchant_id = e.merchant_id
    WHERE c.kind IN ('suspense', 'refunds_in_transit', 'direct_refunds_in_transit')
    GROUP BY e.root_id, c.kind, e.currency HAVING sum(e.amount) <> 0)sql"});
}

}  // namespace finality::audit
