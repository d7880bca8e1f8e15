#include "store/archive/line.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

#include "base/check.h"
#include "base/encoding.h"
#include "store/columns.h"

namespace finality::store {
namespace {

namespace json = boost::json;

json::value value_of(std::int64_t value) { return value; }
json::value value_of(bool value) { return value; }
json::value value_of(std::string_view value) {
  if (is_utf8(value)) return json::string(value);
  return json::object{{"hex", to_hex(value)}};
}
json::value value_of(const std::string& value) { return value_of(std::string_view(value)); }
json::value value_of(const Currency& value) { return json::string(value.text()); }
json::value value_of(const Hash16& value) {
  return json::string(to_hex({reinterpret_cast<const char*>(value.data()), value.size()}));
}
json::value value_of(const Secret&) {
  FINALITY_CHECK(false, "secrets must not be archived");
  return nullptr;
}

json::value value_of(const ValueType& type, const void* value) {
  if (type.is_optional()) value = type.get(value);
  if (value == nullptr) return nullptr;
  return visit_value(type, value, [](const auto& one) { return value_of(one); });
}

json::object row_of(const RowType& type, const void* row) {
  json::object out;
  for (const Column& column : type.columns) out[column.name] = value_of(*column.type, column.in(row));
  return out;
}

template <class Row>
json::object row_of(const Row& row) {
  static_assert(
      std::ranges::none_of(kColumns<Row>, [](const Column& one) { return one.type->kind == ValueKind::secret; }),
      "secrets must not be archived");
  return row_of(kRowType<Row>, &row);
}

template <class Row>
json::array rows_of(const std::vector<Row>& rows) {
  json::array out;
  for (const Row& row : rows) out.push_back(row_of(row));
  return out;
}

json::object delivery_of(const WholeDelivery& delivery) {
  return {{"delivery", row_of(delivery.rows.delivery)},
          {"cases", rows_of(delivery.rows.cases)},
          {"events", rows_of(delivery.events)}};
}

std::int64_t count_of(const json::object& object, std::string_view list) {
  return static_cast<std::int64_t>(object.at(list).as_array().size());
}

}  // namespace

std::string line_of(const WholeOrder& order) {
  json::array deliveries;
  for (const WholeDelivery& delivery : order.deliveries) deliveries.push_back(delivery_of(delivery));
  const OrderAggregate& rows = order.rows;
  return json::serialize(json::object{{"order", row_of(rows.order)},
                                      {"payments", rows_of(rows.payments)},
                                      {"receipts", rows_of(rows.receipts)},
                                      {"refunds", rows_of(rows.refunds)},
                                      {"reversals", rows_of(rows.reversals)},
                                      {"returns", rows_of(rows.returns)},
                                      {"cases", rows_of(rows.cases)},
                                      {"events", rows_of(order.events)},
                                      {"deliveries", std::move(deliveries)}});
}

Result<OrderId> Totals::add(const std::string& line) {
  try {
    const json::value parsed = json::parse(line);
    const json::object& whole = parsed.as_object();
    const json::object& order = whole.at("order").as_object();
    Sum& sum = sums_[{MerchantId{order.at("merchant_id").as_int64()}, std::string(order.at("currency").as_string())}];
    sum.orders += 1;
    sum.amount += order.at("amount").as_int64();
    sum.paid += order.at("paid_amount").as_int64();
    sum.refunded += order.at("refunded_amount").as_int64();
    rows_["orders"] += 1;
    for (const char* list : {"payments", "receipts", "refunds", "reversals", "cases", "events", "deliveries"})
      rows_[list] += count_of(whole, list);
    if (whole.contains("returns")) rows_["returns"] += count_of(whole, "returns");  // older lines do not have it
    for (const json::value& delivery : whole.at("deliveries").as_array())
      for (const char* list : {"cases", "events"}) rows_[list] += count_of(delivery.as_object(), list);
    return OrderId{order.at("id").as_int64()};
  } catch (const std::exception&) {
    return fail("no line of an archive");
  }
}

}  // namespace finality::store
