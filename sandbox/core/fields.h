// Reads and checks the fields of a JSON body. An invalid field reads as an empty value, and the first error is stored:
// the caller reads all fields and then checks refusal().
#pragma once

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/net/http_message.h"
#include "base/time/time.h"

namespace finality::sandbox {

class Fields {
 public:
  using Check = bool (*)(std::string_view);

  explicit Fields(std::string_view body);

  /// Returns a text that its row in simple_texts() and `is_valid` accept. Null: the row alone decides.
  std::string text(std::string_view name, Check is_valid = nullptr);
  /// Returns an optional field. Empty when the field is absent or null.
  std::optional<std::string> optional_text(std::string_view name, Check is_valid = nullptr);
  std::optional<Time> optional_time(std::string_view name);
  /// Returns an amount in minor units: an integer from 1 to the maximum amount.
  std::int64_t amount(std::string_view name);
  /// Returns a member that is true or false.
  bool flag(std::string_view name);

  /// Returns a 400 response with the first error; empty when the body is valid. Fields that the caller has not read
  /// count as unknown fields, which are errors.
  std::optional<net::HttpResponse> refusal() const;

 private:
  const boost::json::value* find(std::string_view name);
  void blame(std::string_view name, std::string_view message);

  boost::json::value body_;
  std::set<std::string, std::less<>> read_names_;
  std::optional<net::HttpResponse> refusal_;
};

// Predicates for field values. The comments state the valid values.
bool is_currency(std::string_view text);  // three upper-case letters
bool is_one_line(std::string_view text);  // no control characters
bool is_web_url(std::string_view text);   // absolute http or https URL of at most 2048 bytes

}  // namespace finality::sandbox
