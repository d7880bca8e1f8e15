#include "store/archive/line.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

#include "base/check.h"
#include "base/crypto/encoding.h"
#include "store/sql/column_table.h"

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
json::value value_of(const Bytes&) {
  FINALITY_CHECK(false, "files must not be archived");
  return nullptr;
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
  return row_of(row_type<Row>(), &row);
}

template <class Row>
json::array rows_of(const std::vector<Row>& rows) {
  json::array out;
  for (const Row& row : rows) out.push_back(row_of(row));
  return out;
}

// Builds the JSON object of an aggregate: the root under `name`, each list of children under its name, and the events.
template <class Whole>
json::object aggregate_of(std::string_view name, const Whole& whole) {
  using T = std::remove_cvref_t<decltype(whole.rows)>;
  json::object out{{name, row_of(root_of(whole.rows))}};
  for_each_child_type<T>([&](std::string_view list, auto member) { out[list] = rows_of(whole.rows.*member); });
  out["events"] = rows_of(whole.events);
  return out;
}

std::int64_t count_of(const json::object& object, std::string_view list) {
  return static_cast<std::int64_t>(object.at(list).as_array().size());
}

// Adds the number of rows of each list to `rows`, by table. A line written with an older schema lacks the lists that a
// later schema added.
template <Aggregate T>
void add_lists(const json::object& object, std::map<std::string, std::int64_t>& rows) {
  rows["events"] += count_of(object, "events");
  for_each_child_type<T>([&](std::string_view list, auto) {
    if (object.contains(list)) rows[std::string(list)] += count_of(object, list);
  });
}

}  // namespace

std::string line_of(const WholeOrder& order) {
  json::object whole = aggregate_of("order", order);
  json::array& deliveries = whole["deliveries"].emplace_array();
  for (const WholeDelivery& delivery : order.deliveries) deliveries.push_back(aggregate_of("delivery", delivery));
  return json::serialize(whole);
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
    add_lists<OrderAggregate>(whole, rows_);
    rows_["deliveries"] += count_of(whole, "deliveries");
    for (const json::value& delivery : whole.at("deliveries").as_array())
      add_lists<DeliveryAggregate>(delivery.as_object(), rows_);
    return OrderId{order.at("id").as_int64()};
  } catch (const std::exception&) {
    return fail("not an archive line");
  }
}

}  // namespace finality::store
