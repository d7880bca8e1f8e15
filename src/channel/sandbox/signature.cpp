#include "channel/sandbox/signature.h"

#include <fmt/format.h>

#include <optional>

#include "base/crypto/crypto.h"
#include "base/crypto/encoding.h"
#include "base/time/unix_time.h"

namespace finality::sandbox_channel {
namespace {

constexpr const char* kTimestampHeader = "Sandbox-Timestamp";
constexpr const char* kSignatureHeader = "Sandbox-Signature";
constexpr Duration kTimestampTolerance = std::chrono::seconds(300);

std::string signature_of(const Secret& secret, std::string_view text) {
  return to_hex(hmac_sha256(secret.reveal(), text));
}

}  // namespace

void sign_request(const Secret& secret, Time now, net::HttpRequest& request) {
  std::string timestamp = to_unix_seconds(now);
  const std::string text = fmt::format("{}\n{}\n{}\n{}", request.method, request.target, timestamp, request.body);
  request.headers.add(kSignatureHeader, signature_of(secret, text));
  request.headers.add(kTimestampHeader, std::move(timestamp));
}

Result<void> check_signature(const Secret& secret, const net::Headers& headers, std::string_view body, Time now) {
  const std::string_view timestamp = headers.get(kTimestampHeader);
  const std::string_view signature = headers.get(kSignatureHeader);
  if (timestamp.empty() || signature.empty()) return fail("it has no Sandbox-Timestamp or Sandbox-Signature header");
  const std::optional<Time> signed_at = parse_unix_seconds(timestamp);
  if (!signed_at) return fail("Sandbox-Timestamp is not a Unix time in seconds");
  if (std::chrono::abs(now - *signed_at) > kTimestampTolerance)
    return fail("Sandbox-Timestamp differs from the current time by more than 300 s");
  const std::string expected = signature_of(secret, fmt::format("{}\n{}", timestamp, body));
  if (!equal_in_constant_time(expected, signature)) return fail("its signature does not match");
  return {};
}

}  // namespace finality::sandbox_channel
