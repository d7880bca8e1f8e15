// Our identifiers at a channel: out_trade_no of a payment, out_refund_no of a refund or reversal. Each contains the
// object and its merchant, so that a notification can be routed to the merchant's shard. The first 26 characters are of
// [0-9a-z], which is within the limits of every channel.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "model/ids.h"

namespace finality {

/// The out_trade_no of a payment, or the first out_refund_no of a refund or reversal: `object` is its id.
inline std::string out_number(MerchantId merchant, std::int64_t object) {
  return to_base32(merchant.value) + to_base32(object);
}

/// The out_refund_no of an attempt of a refund or reversal. After a refusal that invalidates it, the next attempt's
/// out_refund_no ends with "x2", then "x3", …
inline std::string out_refund_number(MerchantId merchant, std::int64_t object, std::int64_t attempt) {
  std::string number = out_number(merchant, object);
  if (attempt > 1) number += 'x' + std::to_string(attempt);
  return number;
}

/// The parts of an out_trade_no.
struct OutTradeNo {
  MerchantId merchant_id;
  PaymentId payment_id;
};

/// Empty when `text` does not have the format of an out_trade_no.
inline std::optional<OutTradeNo> parse_out_trade_no(std::string_view text) {
  if (text.size() != 26) return std::nullopt;
  const auto merchant = from_base32(text.substr(0, 13));
  const auto payment = from_base32(text.substr(13));
  if (!merchant || !payment) return std::nullopt;
  return OutTradeNo{MerchantId{*merchant}, PaymentId{*payment}};
}

/// The parts of an out_refund_no.
struct OutRefundNo {
  MerchantId merchant_id;
  std::int64_t object = 0;   // the refund or the reversal
  std::int64_t attempt = 1;  // from 1; a later attempt has a suffix (out_refund_number())
};

/// Empty when `text` does not have the format of an out_refund_no.
inline std::optional<OutRefundNo> parse_out_refund_no(std::string_view text) {
  const auto base = parse_out_trade_no(text.substr(0, 26));
  if (!base) return std::nullopt;
  OutRefundNo number{base->merchant_id, base->payment_id.value};
  if (text.size() == 26) return number;
  const std::string_view digits = text.substr(27);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number.attempt);
  const bool whole = error == std::errc{} && end == digits.data() + digits.size();
  if (text[26] != 'x' || !whole || digits.starts_with('0') || number.attempt < 2) return std::nullopt;
  return number;
}

}  // namespace finality
