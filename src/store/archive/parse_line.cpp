#include "store/archive/parse_line.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>

#include "base/crypto/encoding.h"
#include "store/archive/line.h"
#include "store/sql/columns.h"

namespace finality::store {
namespace {

namespace json = boost::json;

/// A column value parsed from JSON. Has the members that read_value() (store/sql/columns.h) requires of a source.
struct StoredValue {
  bool null = false;
  std::int64_t value = 0;
  std::string text;

  bool is_null() const { return null; }
  std::int64_t number() const { return value; }
  std::string_view bytes() const { return text; }
};

// Returns the text of a JSON string, or of {"hex": "…"}, which encodes text that is not valid UTF-8. Empty for any
// other JSON value.
std::optional<std::string> text_in(const json::value& value) {
  if (const json::string* text = value.if_string()) return std::string(*text);
  const json::object* object = value.if_object();
  const json::value* hex = object == nullptr ? nullptr : object->if_contains("hex");
  const json::string* digits = hex == nullptr ? nullptr : hex->if_string();
  return digits == nullptr ? std::nullopt : from_hex(std::string_view(*digits));
}

// Returns the bytes that a store holds for the value: text as it is, a hash decoded from hexadecimal.
std::optional<std::string> bytes_in(const ValueType& type, const json::value& value) {
  std::optional<std::string> bytes = text_in(value);
  return bytes && type.kind == ValueKind::hash ? from_hex(*bytes) : bytes;
}

// Converts a JSON value of a column. Returns empty if the value's JSON type does not match the column's type.
std::optional<StoredValue> stored_value_in(const ValueType& type, const json::value& value) {
  StoredValue stored;
  if (value.is_null()) {
    if (!type.is_optional()) return std::nullopt;
    stored.null = true;
  } else if (type.kind == ValueKind::number) {
    if (!value.is_int64()) return std::nullopt;
    stored.value = value.get_int64();
  } else if (type.kind == ValueKind::flag) {
    if (!value.is_bool()) return std::nullopt;
    stored.value = value.get_bool() ? 1 : 0;
  } else {
    std::optional<std::string> bytes = bytes_in(type, value);
    if (!bytes) return std::nullopt;
    stored.text = std::move(*bytes);
  }
  return stored;
}

Result<void> parse_row(const RowType& type, const json::value& value, void* row) {
  const json::object* columns = value.if_object();
  if (columns == nullptr) return fail(fmt::format("a row of {} is not an object", type.table));
  for (const Column& column : type.columns) {
    const json::value* found = columns->if_contains(column.name);
    if (found == nullptr && !column.is_key) continue;  // the column was added to the schema after the line was written
    const std::optional<StoredValue> stored = found == nullptr ? std::nullopt : stored_value_in(*column.type, *found);
    if (!stored || !read_value(*column.type, column.in(row), *stored))
      return fail(fmt::format("{}.{} has a value that this program cannot read", type.table, column.name));
  }
  return {};
}

template <class Row>
Result<void> parse_rows(const json::object& parent, std::string_view name, std::vector<Row>& rows) {
  const json::value* found = parent.if_contains(name);
  if (found == nullptr) return {};  // the list was added to the schema after the line was written
  const json::array* list = found->if_array();
  if (list == nullptr) return fail(fmt::format("{} is not a list", name));
  for (const json::value& one : *list)
    if (auto parsed = parse_row(row_type<Row>(), one, &rows.emplace_back()); !parsed) return parsed;
  return {};
}

/// Parses the member `name` of `parent` as a row. Fails if the member is missing.
template <class Row>
Result<void> parse_member(const json::object& parent, std::string_view name, Row& row) {
  const json::value* found = parent.if_contains(name);
  if (found == nullptr) return fail(fmt::format("{} is missing", name));
  return parse_row(row_type<Row>(), *found, &row);
}

// Parses a root, its children and its events. Computes the root's presence bits, because older lines lack them.
template <class Whole>
Result<void> parse_aggregate(const json::object& object, std::string_view name, Whole& whole) {
  using T = decltype(whole.rows);
  Result<void> parsed = parse_member(object, name, root_of(whole.rows));
  for_each_child_type<T>([&](std::string_view list, auto member) {
    if (parsed) parsed = parse_rows(object, list, whole.rows.*member);
  });
  if (parsed) root_of(whole.rows).children = presence_of(whole.rows);
  return parsed ? parse_rows(object, "events", whole.events) : parsed;
}

Result<void> parse_order(const json::object& object, WholeOrder& order) {
  if (auto parsed = parse_aggregate(object, "order", order); !parsed) return parsed;
  const json::value* found = object.if_contains("deliveries");
  const json::array* list = found == nullptr ? nullptr : found->if_array();
  if (list == nullptr) return fail("deliveries is not a list");
  for (const json::value& one : *list) {
    const json::object* delivery = one.if_object();
    if (delivery == nullptr) return fail("a delivery is not an object");
    if (auto parsed = parse_aggregate(*delivery, "delivery", order.deliveries.emplace_back()); !parsed) return parsed;
  }
  return {};
}

// Whether `made` contains every value of `line`. `made` may contain more columns and lists, which were added to the
// schema after `line` was written.
bool has_all_of(const json::value& line, const json::value& made) {
  if (line.is_object() && made.is_object())
    return std::ranges::all_of(line.get_object(), [&](const json::key_value_pair& member) {
      const json::value* found = made.get_object().if_contains(member.key());
      return found != nullptr && has_all_of(member.value(), *found);
    });
  if (line.is_array() && made.is_array()) return std::ranges::equal(line.get_array(), made.get_array(), has_all_of);
  return line == made;
}

}  // namespace

Result<WholeOrder> parse_line(const std::string& line) {
  boost::system::error_code error;
  json::value parsed = json::parse(line, error);
  if (error || !parsed.is_object()) return fail("it is not a JSON object");
  WholeOrder order;
  if (auto done = parse_order(parsed.get_object(), order); !done) return std::unexpected(done.error());
  const std::string made = line_of(order);
  if (made != line && !has_all_of(parsed, json::parse(made)))
    return fail("it has a column that is unknown to this program, or a column that contradicts its rows");
  return order;
}

}  // namespace finality::store
