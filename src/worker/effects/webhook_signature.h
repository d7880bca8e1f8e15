// The signatures of outgoing notifications, by Standard Webhooks 1.0.0. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "base/time/time.h"

namespace finality {

/// `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`, once for each secret, separated by spaces. The key is
/// what the base64 after `whsec_` decodes to. An error when there is no secret, or one is not of that form.
/// REQUIRES: `id` has no '.'.
Result<std::string> webhook_signature(const std::vector<Secret>& secrets, std::string_view id, Time at,
                                      std::string_view body);

/// The timestamp as the header and the signature have it: seconds since 1970.
std::string webhook_timestamp(Time at);

}  // namespace finality
