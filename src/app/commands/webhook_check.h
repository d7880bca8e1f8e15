// Verifies incoming webhooks according to Standard Webhooks 1.0.0, like a merchant's server. Pure.
#pragma once

#include <string>

#include "base/net/http_message.h"
#include "base/result.h"
#include "base/secret.h"
#include "base/time/time.h"

namespace finality::app {

/// Succeeds if the request has a `webhook-id`, a `webhook-timestamp` within five minutes of `now`, and a
/// `webhook-signature` that matches `secret` and the raw body. The error states the first failed check.
Result<void> check_webhook(const net::HttpRequest& request, const Secret& secret, Time now);

}  // namespace finality::app
