// Signs webhooks according to Standard Webhooks 1.0.0. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "base/time/time.h"

namespace finality {

/// Returns the value of the header `webhook-signature`: for each secret, `v1,` and the base64 of the HMAC-SHA256 of
/// `id.timestamp.body`, separated by spaces. The key is the decoded base64 after `whsec_`. Returns an error if
/// `secrets` is empty or contains an invalid secret. REQUIRES: `id` contains no '.'.
Result<std::string> webhook_signature(const std::vector<Secret>& secrets, std::string_view id, Time at,
                                      std::string_view body);

/// Returns the timestamp for the header and the signed text, in seconds since 1970-01-01 UTC.
std::string webhook_timestamp(Time at);

}  // namespace finality
