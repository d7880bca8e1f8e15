// Compares the table of audiences (wire/audience.h) with openapi.yaml, in both directions.
#include <gtest/gtest.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <map>
#include <ranges>
#include <set>
#include <string>

#include "http/server/openapi.h"
#include "wire/audience.h"

namespace finality::http {
namespace {

namespace json = boost::json;

struct Fields {
  std::set<std::string> everyone;
  std::set<std::string> operators;

  bool operator==(const Fields&) const = default;
};

std::set<std::string> split(std::string_view names) {
  std::set<std::string> set;
  for (const auto name : names | std::views::split(' '))
    if (!name.empty()) set.emplace(name.begin(), name.end());
  return set;
}

std::map<std::string, Fields> fields_of_table() {
  std::map<std::string, Fields> fields;
  for (const wire::ObjectFields& row : wire::object_fields())
    fields[std::string(row.object)] = {split(row.everyone), split(row.operators)};
  return fields;
}

bool is_for_operators(const json::object& schema) {
  const json::value* audience = schema.if_contains("x-audience");
  if (audience != nullptr) {
    EXPECT_EQ(json::serialize(*audience), R"(["operator"])");
  }
  return audience != nullptr;
}

// Returns the value of the field `object` of the schema; "cause" for the cause of an event; empty for a schema of no
// object.
std::string object_of(std::string_view name, const json::object& schema) {
  if (name == "Cause") return "cause";
  const json::value* properties = schema.if_contains("properties");
  const json::value* object = properties != nullptr ? properties->as_object().if_contains("object") : nullptr;
  return object != nullptr ? std::string(object->as_object().at("const").as_string()) : std::string();
}

// Adds the fields of a schema. `at`: prefix of the fields of a nested object. Returns the number of x-audience read.
int add_fields(const json::object& schema, const std::string& at, bool is_hidden, Fields& fields) {
  int marks = 0;
  for (const auto& member : schema.at("properties").as_object()) {
    const std::string name{std::string_view(member.key())};
    const json::object& property = member.value().as_object();
    const bool is_marked = is_for_operators(property);
    marks += is_marked ? 1 : 0;
    if (is_marked || is_hidden)
      fields.operators.insert(at + name);
    else if (at.empty())
      fields.everyone.insert(name);
    if (at.empty() && property.contains("properties")) marks += add_fields(property, name + ".", false, fields);
  }
  return marks;
}

int count_marks(const json::value& value) {
  int marks = 0;
  if (const json::array* items = value.if_array())
    for (const json::value& item : *items) marks += count_marks(item);
  if (const json::object* members = value.if_object())
    for (const auto& member : *members) marks += (member.key() == "x-audience" ? 1 : 0) + count_marks(member.value());
  return marks;
}

TEST(AudienceContract, TheTableHasTheObjectsAndFieldsOfTheContract) {
  const json::value document = json::parse(kOpenApiJson);
  std::map<std::string, Fields> documented;
  int marks = 0;
  for (const auto& member : document.at("components").at("schemas").as_object()) {
    const json::object& schema = member.value().as_object();
    const std::string object = object_of(member.key(), schema);
    if (object.empty()) continue;
    const bool is_hidden = is_for_operators(schema);
    marks += (is_hidden ? 1 : 0) + add_fields(schema, "", is_hidden, documented[object]);
    for (const json::value& required : schema.at("required").as_array()) {
      if (is_hidden) continue;
      EXPECT_FALSE(documented[object].operators.contains(std::string(required.as_string())))
          << object << " requires " << json::serialize(required) << ", which merchants do not receive";
    }
  }
  const std::map<std::string, Fields> table = fields_of_table();
  for (const auto& [object, fields] : documented) {
    ASSERT_TRUE(table.contains(object)) << "wire/audience.cpp lacks the object " << object;
    EXPECT_EQ(table.at(object).everyone, fields.everyone) << object;
    EXPECT_EQ(table.at(object).operators, fields.operators) << object;
  }
  for (const auto& [object, fields] : table) EXPECT_TRUE(documented.contains(object)) << object;
  EXPECT_EQ(count_marks(document), marks) << "x-audience is only at objects of the API and their fields";
}

}  // namespace
}  // namespace finality::http
