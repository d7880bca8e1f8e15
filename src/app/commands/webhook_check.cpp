#include "app/commands/webhook_check.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>

#include "base/crypto/crypto.h"
#include "worker/effects/webhook_signature.h"

namespace finality::app {
namespace {

constexpr Duration kTolerance = std::chrono::minutes(5);

Result<Time> time_of(std::string_view timestamp) {
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(timestamp.data(), timestamp.data() + timestamp.size(), seconds);
  constexpr std::int64_t kSecondsMax = 253'402'300'799;  // the end of the year 9999
  if (error != std::errc() || end != timestamp.data() + timestamp.size() || seconds < 0 || seconds > kSecondsMax)
    return fail(fmt::format("webhook-timestamp '{}' is not a Unix timestamp in seconds", timestamp));
  return Time{seconds * 1000};
}

// True if `signatures`, a list separated by spaces, contains `expected`.
bool contains(std::string_view signatures, std::string_view expected) {
  while (!signatures.empty()) {
    const std::size_t end = std::min(signatures.find(' '), signatures.size());
    if (equal_in_constant_time(signatures.substr(0, end), expected)) return true;
    signatures.remove_prefix(std::min(end + 1, signatures.size()));
  }
  return false;
}

}  // namespace

Result<void> check_webhook(const net::HttpRequest& request, const Secret& secret, Time now) {
  for (const std::string_view name : {"webhook-id", "webhook-timestamp", "webhook-signature"})
    if (request.headers.get(name).empty()) return fail(fmt::format("header {} is missing", name));
  const Result<Time> at = time_of(request.headers.get("webhook-timestamp"));
  if (!at) return std::unexpected(at.error());
  if (now - *at > kTolerance || *at - now > kTolerance)
    return fail(fmt::format("webhook-timestamp {} is more than five minutes from the current time", to_rfc3339(*at)));
  const Result<std::string> expected =
      webhook_signature({secret}, request.headers.get("webhook-id"), *at, request.body);
  if (!expected) return std::unexpected(expected.error());
  if (!contains(request.headers.get("webhook-signature"), *expected))
    return fail("webhook-signature does not match the body: the secret is wrong, or the body was changed");
  return {};
}

}  // namespace finality::app
