// Our number at a channel (out_trade_no, out_refund_no): carries the merchant, so that a notification finds its shard,
// and the object. 26 characters of [0-9a-z]: within every channel's limits.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/ids.h"

namespace finality {

inline std::string out_number(MerchantId merchant, std::int64_t object) {
  return to_base32(merchant.value) + to_base32(object);
}

struct OutTradeNo {
  MerchantId merchant_id;
  PaymentId payment_id;
};

/// Empty when `text` cannot be one of ours.
inline std::optional<OutTradeNo> parse_out_trade_no(std::string_view text) {
  if (text.size() != 26) return std::nullopt;
  const auto merchant = from_base32(text.substr(0, 13));
  const auto payment = from_base32(text.substr(13));
  if (!merchant || !payment) return std::nullopt;
  return OutTradeNo{MerchantId{*merchant}, PaymentId{*payment}};
}

}  // namespace finality
