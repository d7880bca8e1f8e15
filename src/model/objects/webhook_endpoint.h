// Webhook endpoint: a URL that receives webhooks of a merchant, and the secret that signs them (Standard Webhooks).
#pragma once

#include <optional>
#include <string>

#include "base/secret.h"
#include "base/time/time.h"
#include "model/ids.h"
#include "model/row.h"

namespace finality {

/// How the receiver acknowledges a webhook. `status`: with any 2xx status. `success_body`: with a 2xx status and a body
/// of exactly `success`, as Alipay requires of its merchants.
enum class Acknowledge : std::uint8_t { status, success_body };
BOOST_DESCRIBE_ENUM(Acknowledge, status, success_body)

enum class EndpointState : std::uint8_t { enabled, disabled, deleted };
BOOST_DESCRIBE_ENUM(EndpointState, enabled, disabled, deleted)

struct WebhookEndpoint {
  WebhookEndpointId id;
  MerchantId merchant_id;
  std::string url;
  std::string types;  // event types to send, space separated; empty: all types
  Acknowledge acknowledge = Acknowledge::status;
  EndpointState state = EndpointState::enabled;
  Secret secret;  // `whsec_` and the base64 of the key
  std::optional<Secret> previous_secret;
  std::optional<Time> previous_secret_until;
  Time created_at;
  std::int64_t version = 1;
};
BOOST_DESCRIBE_STRUCT(WebhookEndpoint, (),
                      (id, merchant_id, url, types, acknowledge, state, secret, previous_secret, previous_secret_until,
                       created_at, version))
FINALITY_ROW(WebhookEndpoint, "webhook_endpoints", root, "id", "merchant_id url types acknowledge created_at",
             .about = "a URL that receives a merchant's webhooks, with its secrets", .filter = "state <> 'deleted'")

}  // namespace finality
