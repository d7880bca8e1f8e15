#include <fmt/format.h>

#include "base/id.h"
#include "model/objects/merchant.h"
#include "store/audit/questions.h"

namespace finality::audit {

void add_keys_questions(Questions& questions) {
  // Tables, the condition for their rows that have a natural key, and the merchant of the key. An account that a
  // merchant opened through the API has no natural key.
  struct Named {
    std::string_view table;
    std::string_view is_named = "1 = 1";
    std::string_view merchant = "t.merchant_id";
  };
  constexpr Named kNamed[] = {{.table = "orders"},
                              {.table = "receipts"},
                              {.table = "refunds", .is_named = "t.origin = 'merchant'"},
                              {.table = "captures", .is_named = "t.origin = 'merchant'"},
                              {.table = "accounts", .is_named = "t.kind <> 'user'"},
                              {.table = "transfers"},
                              {.table = "holds"},
                              {.table = "prices"},
                              {.table = "channel_settlements"},
                              {.table = "unknown_receipts"},
                              {.table = "statements"},
                              {.table = "differences"},
                              {.table = "channel_rates", .merchant = "0"}};
  std::string all;
  for (const auto& [table, is_named, merchant] : kNamed) {
    const std::string_view type = table.substr(0, table.size() - 1);
    questions.push_back({fmt::format("9 each {} has its natural key", type), std::string(type),
                         fmt::format(R"sql(
      SELECT t.id, 'natural keys ' || coalesce(k.named, 0) FROM {} t
      LEFT JOIN (SELECT id, merchant_id, count(*) AS named FROM keys GROUP BY id, merchant_id) k
        ON k.id = t.id AND k.merchant_id = {}
      WHERE coalesce(k.named, 0) <> CASE WHEN {} THEN 1 ELSE 0 END)sql",
                                     table, merchant, is_named)});
    all += fmt::format("{}SELECT t.id, {} AS merchant_id FROM {} t", all.empty() ? "" : " UNION ALL ", merchant, table);
  }
  all += " UNION ALL SELECT id, merchant_id FROM archived_orders";
  // A capture that was booked from a captured total has no separate number. A trade that was an unknown receipt
  // before keeps the key of that receipt.
  questions.push_back(
      {"9 each trade of a console capture is reserved", "capture",
       fmt::format(R"sql(WITH of_platform AS MATERIALIZED (SELECT channel, channel_trade_no FROM unknown_receipts),
    reserved AS MATERIALIZED (SELECT id, count(*) AS reserved FROM keys WHERE merchant_id = {} GROUP BY id)
    SELECT max(c.id), count(DISTINCT c.channel_trade_no) || ' trades, keys ' || coalesce(max(k.reserved), 0)
    FROM captures c JOIN authorizations a ON a.order_id = c.order_id AND a.merchant_id = c.merchant_id
      AND a.id = c.authorization_id
    LEFT JOIN of_platform u ON u.channel = a.channel AND u.channel_trade_no = c.channel_trade_no
    LEFT JOIN reserved k ON k.id = c.order_id
    WHERE c.origin = 'channel' AND c.out_trade_no <> '' AND c.channel_trade_no IS NOT NULL AND u.channel IS NULL
    GROUP BY c.order_id, c.merchant_id HAVING count(DISTINCT c.channel_trade_no) > coalesce(max(k.reserved), 0))sql",
                   kPlatform.value)});
  questions.push_back({"9 a price is unique by name", "price", R"sql(
    SELECT max(id), count(*) || ' prices are named ' || name FROM prices GROUP BY merchant_id, name HAVING count(*) > 1)sql"});
  questions.push_back(
      {"9 a natural key refers to an existing object", "",
       fmt::format(R"sql(WITH of_platform AS MATERIALIZED (SELECT DISTINCT id FROM keys WHERE merchant_id = {}),
    reserved AS MATERIALIZED (
      SELECT p.id FROM of_platform p JOIN orders o ON o.id = p.id
      UNION ALL SELECT p.id FROM of_platform p JOIN archived_orders a ON a.id = p.id)
    SELECT 'key:' || k.id, 'its object does not exist' FROM keys k
      LEFT JOIN ({}) t ON t.id = k.id AND t.merchant_id = k.merchant_id
    LEFT JOIN reserved r ON r.id = k.id AND k.merchant_id = {}
    WHERE t.id IS NULL AND r.id IS NULL)sql",
                   kPlatform.value, all, kPlatform.value)});
  questions.push_back({"9 an idempotency key has its record", "idempotency_record", R"sql(
    SELECT k.record_id, 'its record does not exist' FROM idempotency_keys k
    LEFT JOIN idempotency_records a ON a.id = k.record_id AND a.merchant_id = k.merchant_id AND a.key_hash = k.hash
      WHERE a.id IS NULL)sql"});
  // The event of the platform was written by a migration, not by a node.
  questions.push_back({"14 an id is reserved before it is used", "",
                       fmt::format(R"sql(WITH reservations AS MATERIALIZED (SELECT number, ids_until FROM nodes)
    SELECT i.type || ':' || i.id, 'outside the ids that its node reserved' FROM (
      SELECT 'event' AS type, id FROM events WHERE id > 1 UNION ALL SELECT 'entry', id FROM entries
      UNION ALL SELECT 'idempotency_record', id FROM idempotency_records) i
    LEFT JOIN reservations n ON n.number = ((i.id >> {}) & {})
    WHERE n.number IS NULL OR (i.id >> {}) + {} > n.ids_until)sql",
                                   kIdNumberBits, kIdNodesMax - 1, kIdNumberBits + kIdNodeBits, kIdEpochMs)});
}

}  // namespace finality::audit
