#include "http/server/rate_limits.h"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <utility>

namespace finality::http {
namespace {

using namespace std::chrono_literals;

struct Wording {
  std::string_view caller;
  std::string_view requests;
};
constexpr std::array<Wording, kCount<RateLimit>> kWordings{{
    {"The client address", "reads"},
    {"The client address", "writes"},
    {"The client address", "notifications of channels"},
    {"The client address", "failed authentications"},
    {"The API key", "reads"},
    {"The API key", "writes"},
    {"The merchant", "reads"},
    {"The merchant", "writes"},
}};

Duration burst_of(std::size_t limit) {
  return static_cast<RateLimit>(limit) == RateLimit::failed_authentications ? limits::kFailedKeyBurst
                                                                            : limits::kRateBurst;
}

template <std::size_t... limit>
std::array<RateLimiter, sizeof...(limit)> make_limiters(const RateLimitSettings& settings,
                                                        std::index_sequence<limit...>) {
  return {RateLimiter(settings.per_second[limit], burst_of(limit))...};
}

}  // namespace

RateLimits::RateLimits(const RateLimitSettings& settings, Metrics& metrics)
    : settings_(settings), limiters_(make_limiters(settings, std::make_index_sequence<kCount<RateLimit>>())) {
  for (std::size_t i = 0; i < refused_.size(); ++i) refused_[i] = &metrics.add_rate_limit(kNames<RateLimit>[i]);
}

std::optional<Refusal> RateLimits::take(RateLimit limit, std::uint64_t caller, Instant now) {
  return refusal_of(limit, limiters_[static_cast<std::size_t>(limit)].take(caller, now));
}

std::optional<Refusal> RateLimits::check(RateLimit limit, std::uint64_t caller, Instant now) {
  return refusal_of(limit, limiters_[static_cast<std::size_t>(limit)].wait(caller, now));
}

std::optional<Refusal> RateLimits::refusal_of(RateLimit limit, RateLimiter::Wait wait) {
  if (wait == 0ns) return std::nullopt;
  const auto i = static_cast<std::size_t>(limit);
  refused_[i]->Increment();
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait).count();
  return Refusal{
      .code = RefusalCode::rate_limited,
      .detail = fmt::format("{} exceeds {} {} per second, the limit of the server's setting rate_limits.{}. "
                            "Nothing was changed. Retry after {} s.",
                            kWordings[i].caller, settings_[limit], kWordings[i].requests, name_of(limit), seconds),
      .param = {},
      .state = {},
      .retry_after_seconds = static_cast<int>(seconds)};
}

}  // namespace finality::http
