// Merchant: a customer of the platform. Each order, payment, account and webhook belongs to exactly one merchant.
#pragma once

#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/secret.h"
#include "base/time/time.h"
#include "model/ids.h"
#include "model/row.h"

namespace finality {

/// The platform itself, as a merchant row that the migration inserts (docs/adr/0039-platform-books.md). Its books
/// contain what belongs to no merchant, such as unknown receipts. It has no orders and no merchant keys.
inline constexpr MerchantId kPlatform{1};

struct Merchant {
  MerchantId id;
  std::string name;
  Secret webhook_secret;  // key that signs webhooks to the notify_url of orders
  std::optional<Secret> previous_webhook_secret;
  std::optional<Time> previous_webhook_secret_until;
  Secret link_secret;  // HMAC key for the tokens of checkout and return links
  Time created_at;
  std::optional<std::string> brand_name;     // shown to payers instead of `name`
  std::optional<std::string> brand_support;  // how payers reach the merchant, such as a telephone number
  std::optional<std::string> brand_color;    // "#rrggbb" in lower case
  std::optional<Bytes> brand_logo;           // PNG, JPEG or WebP
  std::int64_t version = 1;
};
BOOST_DESCRIBE_STRUCT(Merchant, (),
                      (id, name, webhook_secret, previous_webhook_secret, previous_webhook_secret_until, link_secret,
                       created_at, brand_name, brand_support, brand_color, brand_logo, version))
FINALITY_ROW(Merchant, "merchants", root, "id", "created_at link_secret", .about = "a merchant and its secrets",
             .owner = Owner::self)

}  // namespace finality
