// Reads and checks the fields of a request's biz_content. Stores the first error, which the caller gets at the end with
// refusal(). Invalid fields read as empty values. Unknown fields are ignored, as by Alipay.
#pragma once

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>

#include "base/money.h"
#include "base/time/time.h"

namespace finality::sandbox::alipay {

class BizFields {
 public:
  using Check = bool (*)(std::string_view);

  explicit BizFields(std::string_view biz_content);

  std::string text(std::string_view name, Check is_valid);
  std::optional<std::string> optional_text(std::string_view name, Check is_valid);
  /// An amount in yuan, as a JSON string or number, from 0.01 to 100000000; returned in fen.
  MinorUnits amount(std::string_view name);
  /// A time in the form `yyyy-MM-dd HH:mm:ss`, in China time. Empty when the field is absent.
  std::optional<Time> optional_time(std::string_view name);
  void blame(std::string_view name);

  /// The response node with the error; empty when all fields are valid.
  const std::optional<boost::json::object>& refusal() const { return refusal_; }

 private:
  boost::json::object fields_;
  std::optional<boost::json::object> refusal_;
};

// Checks for field values.
bool is_out_trade_no(std::string_view text);  // 1-64 of [A-Za-z0-9_]
bool is_subject(std::string_view text);       // 1-256 characters, none of / = &
bool is_any_text(std::string_view text);      // 1-512 bytes

/// When an order expires by its `timeout_express`: `90m`, `2h` or `15d` after `now`, from a minute to 15 days; `1c`: at
/// the end of the day in China. Empty when the text is invalid.
std::optional<Time> end_of_timeout(std::string_view timeout_express, Time now);

}  // namespace finality::sandbox::alipay
