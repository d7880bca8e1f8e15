// Rate limits of the API: which limits exist, and the refusal `rate_limited` of a request above one of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/described.h"
#include "http/server/metrics.h"
#include "http/server/rate_limiter.h"
#include "model/refusal.h"

namespace finality::http {

/// A rate limit. The name is that of its setting in [rate_limits] and of its label in the metrics. `reads` limit
/// requests with GET or HEAD, `writes` all other requests, `notifications` those of channels.
enum class RateLimit : std::uint8_t {
  address_reads,
  address_writes,
  notifications,
  failed_authentications,
  api_key_reads,
  api_key_writes,
  merchant_reads,
  merchant_writes,
};
BOOST_DESCRIBE_ENUM(RateLimit, address_reads, address_writes, notifications, failed_authentications, api_key_reads,
                    api_key_writes, merchant_reads, merchant_writes)

inline constexpr std::int64_t kRatePerSecondMax = 1'000'000;

/// Allowed requests per second of each limit, for one address, key or merchant. 0 means no limit.
///
/// The limits of addresses are higher than those of keys and merchants, because all merchants share one address behind
/// a proxy that the server does not trust. The limit of notifications is higher than the rate of payments of a channel,
/// and still bounds the signatures that an address can make the server verify: a notification is evidence about money,
/// and a refused one arrives late, because the channel repeats it only after seconds or minutes.
struct RateLimitSettings {
  std::array<std::int64_t, kCount<RateLimit>> per_second{20'000, 20'000, 10'000, 20, 5'000, 5'000, 5'000, 5'000};

  std::int64_t& operator[](RateLimit limit) { return per_second[static_cast<std::size_t>(limit)]; }
  std::int64_t operator[](RateLimit limit) const { return per_second[static_cast<std::size_t>(limit)]; }
};

/// Checks requests against the rate limits. Thread safe.
class RateLimits {
 public:
  using Instant = RateLimiter::Instant;

  /// Adds a counter per limit to `metrics`, which must outlive this object.
  RateLimits(const RateLimitSettings& settings, Metrics& metrics);

  /// Counts a request of `caller`: a net::client_number(), the id of a key, or that of a merchant. Returns the refusal
  /// if the limit is exceeded.
  std::optional<Refusal> take(RateLimit limit, std::uint64_t caller, Instant now);
  /// Like take(), but does not count the request.
  std::optional<Refusal> check(RateLimit limit, std::uint64_t caller, Instant now);

 private:
  std::optional<Refusal> refusal_of(RateLimit limit, RateLimiter::Wait wait);

  RateLimitSettings settings_;
  std::array<RateLimiter, kCount<RateLimit>> limiters_;
  std::array<prometheus::Counter*, kCount<RateLimit>> refused_{};
};

}  // namespace finality::http
