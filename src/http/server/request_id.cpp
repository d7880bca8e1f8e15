#include "http/server/request_id.h"

#include <algorithm>

#include "base/crypto/encoding.h"
#include "base/crypto/random.h"

namespace finality::http {
namespace {

constexpr int kCountBits = 20;

bool is_lower_hex(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_zero(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c == '0'; });
}

}  // namespace

RequestIds::RequestIds() : process_(random_hex(5)) {}

std::string RequestIds::next(Time now) {
  const std::uint64_t count = count_.fetch_add(1, std::memory_order_relaxed) & ((1u << kCountBits) - 1);
  const std::int64_t number = (now.ms << kCountBits) | static_cast<std::int64_t>(count);
  return "req_" + to_base32(number) + process_;
}

std::string_view valid_traceparent(std::string_view header) {
  // Format: version "-" trace-id "-" parent-id "-" flags. Later versions can append "-" and more fields.
  constexpr std::size_t kLength = 55;
  if (header.size() < kLength || header.size() > 2 * kLength) return {};
  const std::string_view version = header.substr(0, 2);
  const std::string_view trace_id = header.substr(3, 32);
  const std::string_view parent_id = header.substr(36, 16);
  const std::string_view flags = header.substr(53, 2);
  if (header[2] != '-' || header[35] != '-' || header[52] != '-') return {};
  if (!is_lower_hex(version) || !is_lower_hex(trace_id) || !is_lower_hex(parent_id) || !is_lower_hex(flags)) return {};
  if (version == "ff" || is_zero(trace_id) || is_zero(parent_id)) return {};
  if (header.size() > kLength && (version == "00" || header[kLength] != '-')) return {};
  return header.substr(0, kLength);
}

}  // namespace finality::http
