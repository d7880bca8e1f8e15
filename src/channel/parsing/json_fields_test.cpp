#include "channel/parsing/json_fields.h"

#include <gtest/gtest.h>

#include <string>

#include "base/limits.h"

namespace finality {
namespace {

TEST(JsonFields, ABodyMustBeAnObject) {
  EXPECT_TRUE(parse_object(R"({"a":1})"));
  for (const char* body : {"", "[]", "1", "null", "\"a\"", "{", "{\"a\":1}}", "{\"a\":\"\xff\"}", "{'a':1}"})
    EXPECT_FALSE(parse_object(body)) << body;
}

TEST(JsonFields, DepthHasALimit) {
  const auto nested = [](std::size_t depth) {
    return std::string(R"({"a":)") + std::string(depth - 1, '[') + std::string(depth - 1, ']') + '}';
  };
  EXPECT_TRUE(parse_object(nested(limits::kJsonDepthMax)));
  EXPECT_FALSE(parse_object(nested(limits::kJsonDepthMax + 1)));
}

TEST(JsonFields, AFieldOfAnotherTypeIsEmpty) {
  const auto body = *parse_object(R"({"text":"ab","empty":"","number":7,"real":7.0,"null":null,"object":{"a":1}})");
  EXPECT_EQ(text_field(body, "text", 2), "ab");
  EXPECT_FALSE(text_field(body, "text", 1));
  for (const char* name : {"empty", "number", "null", "object", "none"})
    EXPECT_FALSE(text_field(body, name, 9)) << name;
  EXPECT_EQ(whole_field(body, "number", 7, 7), 7);
  EXPECT_FALSE(whole_field(body, "number", 8, 9));
  EXPECT_FALSE(whole_field(body, "number", 0, 6));
  for (const char* name : {"text", "real", "null", "none"}) EXPECT_FALSE(whole_field(body, name, 0, 9)) << name;
  EXPECT_NE(object_field(body, "object"), nullptr);
  for (const char* name : {"text", "null", "none"}) EXPECT_EQ(object_field(body, name), nullptr) << name;
}

}  // namespace
}  // namespace finality
