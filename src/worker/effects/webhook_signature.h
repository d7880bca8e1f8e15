// Signatures of outgoing notifications according to Standard Webhooks 1.0.0. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "base/time/time.h"

namespace finality {

/// Returns `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`, once per secret, separated by spaces. The key
/// is the decoded base64 after `whsec_`. Returns an error if there is no secret or one is invalid. REQUIRES: `id`
/// contains no '.'.
Result<std::string> webhook_signature(const std::vector<Secret>& secrets, std::string_view id, Time at,
                                      std::string_view body);

/// The timestamp in the header and in the signed text: seconds since 1970.
std::string webhook_timestamp(Time at);

}  // namespace finality
