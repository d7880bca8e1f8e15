// Reads and checks the fields of a request's biz_content. An invalid field reads as an empty value, and the first error
// is stored: the caller reads all fields and then checks refusal(). Unknown fields are ignored, as at Alipay.
#pragma once

#include <boost/json/object.hpp>

#include <optional>
#include <string>
#include <string_view>

#include "base/money.h"
#include "base/time/time.h"
#include "sandbox/alipay/message.h"

namespace finality::sandbox::alipay {

class BizFields {
 public:
  using Check = bool (*)(std::string_view);

  /// `invalid_code`: static sub_code of the refusal of an invalid field.
  explicit BizFields(std::string_view biz_content, std::string_view invalid_code = "ACQ.INVALID_PARAMETER");

  /// Returns a text that its row in alipay_texts() and `is_valid` accept. Null: the row alone decides.
  std::string text(std::string_view name, Check is_valid = nullptr);
  std::optional<std::string> optional_text(std::string_view name, Check is_valid = nullptr);
  /// Returns an amount in fen. The field is a JSON string or number in yuan, from 0.01 to 100000000.
  MinorUnits amount(std::string_view name);
  /// Returns a time. The field has the form `yyyy-MM-dd HH:mm:ss`, in China time. Empty when the field is absent.
  std::optional<Time> optional_time(std::string_view name);
  /// Returns whether query_options, an array of texts, contains `option`. Responses contain some fields only then.
  bool has_query_option(std::string_view option);
  void blame(std::string_view name);

  /// Returns the response node with the first error; empty when all fields are valid.
  const std::optional<boost::json::object>& refusal() const { return refusal_; }

 private:
  std::string_view invalid_code_;
  boost::json::object fields_;
  std::optional<boost::json::object> refusal_;
};

/// Returns the URL in the parameter `name`, which is not in biz_content. Empty if the parameter is absent; blames it if
/// it is invalid.
std::string address_of(BizFields& fields, const Params& params, std::string_view name);

// Predicates for field values. The comments state the valid values.
bool is_word(std::string_view text);       // letters, digits and _
bool is_auth_code(std::string_view text);  // a payer's barcode: 16-24 digits, the first two from 25 to 30

/// Returns the expiry of an order with this `timeout_express`: `90m`, `2h` or `15d` after `now` (1 minute to 15 days),
/// or `1c`, the end of the current day in China. Empty when the text is invalid.
std::optional<Time> end_of_timeout(std::string_view timeout_express, Time now);

}  // namespace finality::sandbox::alipay
