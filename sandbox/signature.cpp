#include "sandbox/signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/crypto.h"
#include "base/encoding.h"

namespace finality::sandbox {
namespace {

// Digits only: what a lenient parser lets through would be signed in one form and understood in another.
std::optional<Time> parse_timestamp(std::string_view text) {
  constexpr std::size_t kDigitsMax = 12;
  const bool digits = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  if (text.empty() || text.size() > kDigitsMax || !digits) return std::nullopt;
  std::int64_t seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return Time{seconds * 1000};
}

}  // namespace

std::string request_signature(const Secret& secret, std::string_view method, std::string_view target,
                              std::string_view timestamp, std::string_view body) {
  return to_hex(hmac_sha256(secret.reveal(), fmt::format("{}\n{}\n{}\n{}", method, target, timestamp, body)));
}

std::string message_signature(const Secret& secret, std::string_view timestamp, std::string_view body) {
  return to_hex(hmac_sha256(secret.reveal(), fmt::format("{}\n{}", timestamp, body)));
}

bool is_signed(const Secret& secret, const net::HttpRequest& request, Time now) {
  const std::string_view timestamp = request.headers.get(kTimestampHeader);
  const std::optional<Time> signed_at = parse_timestamp(timestamp);
  if (!signed_at || std::chrono::abs(now - *signed_at) > kTimestampTolerance) return false;
  const std::string expected = request_signature(secret, request.method, request.target, timestamp, request.body);
  return equal_in_constant_time(expected, request.headers.get(kSignatureHeader));
}

void sign_message(const Secret& secret, Time now, std::string_view body, net::Headers& headers) {
  const std::string timestamp = fmt::format("{}", now.ms / 1000);
  headers.add(kSignatureHeader, message_signature(secret, timestamp, body));
  headers.add(kTimestampHeader, timestamp);
}

}  // namespace finality::sandbox
