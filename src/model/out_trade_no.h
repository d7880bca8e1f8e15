// The identifiers that we send to channels: out_trade_no of a payment, authorization or capture, out_refund_no of a
// refund or reversal. Each contains the ids of the merchant and of the object, so that a notification can be routed to
// the merchant's shard. These ids take 26 characters of [0-9a-z], a format that all channels accept. Numbers of
// authorizations and captures contain the id of the order, and end with a letter and an ordinal:
//
//   …a2     the second authorization of the order, and the request to hold its amount at channels that name requests
//   …a2r1   its first request to release what is held
//   …c3     the third capture of the order
//   …h      the hold of a wallet authorization (reference)
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "model/ids.h"

namespace finality {

/// Returns the out_trade_no of a payment, or the first out_refund_no of a refund or reversal. `object` is the id of the
/// payment, refund or reversal.
inline std::string out_number(MerchantId merchant, std::int64_t object) {
  return to_base32(merchant.value) + to_base32(object);
}

/// Returns the out_refund_no of one attempt of a refund or reversal. The first attempt has no suffix; a new attempt
/// after a refusal has the suffix "x2", then "x3", and so on.
inline std::string out_refund_number(MerchantId merchant, std::int64_t object, std::int64_t attempt) {
  std::string number = out_number(merchant, object);
  if (attempt > 1) number += 'x' + std::to_string(attempt);
  return number;
}

/// The ids that an out_trade_no contains.
struct OutTradeNo {
  MerchantId merchant_id;
  PaymentId payment_id;
};

/// Parses an out_trade_no. Returns empty if `text` has another format. Does not check that the payment exists.
inline std::optional<OutTradeNo> parse_out_trade_no(std::string_view text) {
  if (text.size() != 26) return std::nullopt;
  const auto merchant = from_base32(text.substr(0, 13));
  const auto payment = from_base32(text.substr(13));
  if (!merchant || !payment) return std::nullopt;
  return OutTradeNo{MerchantId{*merchant}, PaymentId{*payment}};
}

/// The ids and the attempt that an out_refund_no contains.
struct OutRefundNo {
  MerchantId merchant_id;
  std::int64_t object = 0;   // id of the refund or reversal
  std::int64_t attempt = 1;  // 1 for the first attempt
};

/// Parses an out_refund_no. Returns empty if `text` has another format. Does not check that the object exists.
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

/// Returns the out_trade_no of the n-th authorization of the order.
inline std::string out_authorization_no(MerchantId merchant, OrderId order, std::int64_t ordinal) {
  return out_number(merchant, order.value) + 'a' + std::to_string(ordinal);
}

/// Returns the number of a request to release what the authorization with that out_trade_no holds. `attempt`: from 1.
inline std::string out_release_no(std::string_view out_authorization_no, std::int64_t attempt) {
  return std::string(out_authorization_no) + 'r' + std::to_string(attempt);
}

/// Returns the out_trade_no of the n-th capture of the order.
inline std::string out_capture_no(MerchantId merchant, OrderId order, std::int64_t ordinal) {
  return out_number(merchant, order.value) + 'c' + std::to_string(ordinal);
}

/// Returns the reference of the hold with which the wallet authorization of the order reserves its amount. The source
/// of the hold is `wallet`.
inline std::string out_hold_reference(MerchantId merchant, OrderId order) {
  return out_number(merchant, order.value) + 'h';
}

/// The ids and the ordinal that the number of an authorization, a release or a capture contains.
struct OrdinalNo {
  MerchantId merchant_id;
  OrderId order_id;
  std::int64_t ordinal = 0;  // of the authorization or capture within its order
  std::int64_t release = 0;  // attempt of the release; 0: the number is not that of a release
};

/// Parses the number of an authorization or of one of its releases. Returns empty if `text` has another format. Does
/// not check that the authorization exists.
std::optional<OrdinalNo> parse_out_authorization_no(std::string_view text);

/// Parses the out_trade_no of a capture. Returns empty if `text` has another format. Does not check that it exists.
std::optional<OrdinalNo> parse_out_capture_no(std::string_view text);

/// Returns the order whose authorization, release or capture has the number; empty if `text` has another format.
std::optional<OrdinalNo> parse_ordinal_no(std::string_view text);

}  // namespace finality
