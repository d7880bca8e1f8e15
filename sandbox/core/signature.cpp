#include "sandbox/core/signature.h"

#include <fmt/format.h>

#include <optional>

#include "base/crypto/crypto.h"
#include "base/crypto/encoding.h"
#include "base/time/unix_time.h"

namespace finality::sandbox {

std::string request_signature(const Secret& secret, std::string_view method, std::string_view target,
                              std::string_view timestamp, std::string_view body) {
  return to_hex(hmac_sha256(secret.reveal(), fmt::format("{}\n{}\n{}\n{}", method, target, timestamp, body)));
}

std::string message_signature(const Secret& secret, std::string_view timestamp, std::string_view body) {
  return to_hex(hmac_sha256(secret.reveal(), fmt::format("{}\n{}", timestamp, body)));
}

bool is_signed(const Secret& secret, const net::HttpRequest& request, Time now) {
  const std::string_view timestamp = request.headers.get(kTimestampHeader);
  const std::optional<Time> signed_at = parse_unix_seconds(timestamp);
  if (!signed_at || std::chrono::abs(now - *signed_at) > kTimestampTolerance) return false;
  const std::string expected = request_signature(secret, request.method, request.target, timestamp, request.body);
  return equal_in_constant_time(expected, request.headers.get(kSignatureHeader));
}

void sign_message(const Secret& secret, Time now, std::string_view body, net::Headers& headers) {
  const std::string timestamp = to_unix_seconds(now);
  headers.add(kSignatureHeader, message_signature(secret, timestamp, body));
  headers.add(kTimestampHeader, timestamp);
}

}  // namespace finality::sandbox
