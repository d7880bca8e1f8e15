#include "channel/sandbox/sandbox_signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/crypto.h"
#include "base/encoding.h"

namespace finality::sandbox_channel {
namespace {

constexpr const char* kTimestampHeader = "Sandbox-Timestamp";
constexpr const char* kSignatureHeader = "Sandbox-Signature";
constexpr Duration kTimestampTolerance = std::chrono::seconds(300);

std::string signature_of(const Secret& secret, std::string_view text) {
  return to_hex(hmac_sha256(secret.reveal(), text));
}

// Digits only, so that one instant has one spelling.
std::optional<Time> parse_timestamp(std::string_view text) {
  constexpr std::size_t kDigitsMax = 12;
  const bool digits = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  if (text.empty() || text.size() > kDigitsMax || !digits) return std::nullopt;
  std::int64_t seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return Time{seconds * 1000};
}

}  // namespace

void sign_request(const Secret& secret, Time now, net::HttpRequest& request) {
  std::string timestamp = fmt::format("{}", now.ms / 1000);
  const std::string text = fmt::format("{}\n{}\n{}\n{}", request.method, request.target, timestamp, request.body);
  request.headers.add(kSignatureHeader, signature_of(secret, text));
  request.headers.add(kTimestampHeader, std::move(timestamp));
}

Result<void> check_signature(const Secret& secret, const net::Headers& headers, std::string_view body, Time now) {
  const std::string_view timestamp = headers.get(kTimestampHeader);
  const std::string_view signature = headers.get(kSignatureHeader);
  if (timestamp.empty() || signature.empty()) return fail("it is not signed");
  const std::optional<Time> signed_at = parse_timestamp(timestamp);
  if (!signed_at) return fail("its timestamp is not a number of seconds");
  if (std::chrono::abs(now - *signed_at) > kTimestampTolerance) return fail("its timestamp is too far from now");
  const std::string expected = signature_of(secret, fmt::format("{}\n{}", timestamp, body));
  if (!equal_in_constant_time(expected, signature)) return fail("its signature does not match");
  return {};
}

}  // namespace finality::sandbox_channel
