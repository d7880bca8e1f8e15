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
  /// Yuan, as text or as a number, from 0.01 to 100000000.
  MinorUnits amount(std::string_view name);
  /// `yyyy-MM-dd HH:mm:ss` in China time.
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

/// `90m`, `2h`, `15d`: a minute to 15 days; `1c`: until the end of the day in China.
std::optional<Time> end_of_timeout(std::string_view timeout_express, Time now);

}  // namespace finality::sandbox::alipay
