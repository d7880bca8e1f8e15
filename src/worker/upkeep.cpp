#include "worker/upkeep.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "channel/maintenance.h"
#include "engine/log.h"

namespace finality {
namespace {

// One channel's upkeep: one thing at a time, so that its timer and its answers never overlap.
class Upkeep : public std::enable_shared_from_this<Upkeep> {
 public:
  Upkeep(std::shared_ptr<Outside> outside, const Channel& channel, Maintenance& maintenance)
      : outside_(std::move(outside)), channel_(channel), maintenance_(maintenance) {}

  /// Inside the gate.
  void look() {
    const Time now = outside_->clock.now();
    std::optional<UpstreamRequest> request = maintenance_.upkeep_request(now);
    if (!request) return look_again_later();
    ++outside_->counters.upkeep_calls;
    outside_->client.call({.url = std::move(request->url),
                           .method = std::move(request->http.method),
                           .headers = std::move(request->http.headers),
                           .body = std::move(request->http.body),
                           .timeout = limits::kChannelTimeout,
                           .response_bytes_max = limits::kUpstreamBodyMax},
                          [self = shared_from_this(), now](net::Outcome outcome) {
                            self->outside_->gate.pass([&] { self->hear(std::move(outcome), now); });
                          });
  }

 private:
  void hear(net::Outcome outcome, Time asked_at) {
    UpstreamResponse response{.http = {}, .failure = std::move(outcome.failure)};
    if (outcome.answered) response.http = std::move(outcome.response);
    const Result<void> taken = maintenance_.take_upkeep(response, asked_at);
    failures_ = taken ? 0 : failures_ + 1;
    if (!taken) {
      ++outside_->counters.upkeep_failures;
      spdlog::warn("the upkeep of the channel {} failed, try {}: {}", channel_.name(), failures_,
                   taken.error().message);
    }
    look_again_later();
  }

  void look_again_later() {
    outside_->after(upkeep_pause(failures_),
                    [self = shared_from_this()] { self->outside_->gate.pass([&] { self->look(); }); });
  }

  std::shared_ptr<Outside> outside_;
  const Channel& channel_;  // good inside the gate, as the next
  Maintenance& maintenance_;
  int failures_ = 0;  // in a row
};

}  // namespace

Duration upkeep_pause(int failures) {
  Duration pause = limits::kUpkeepEvery;
  for (int i = 0; i < failures && pause < limits::kUpkeepPauseMax; ++i) pause *= 2;
  return std::min<Duration>(pause, limits::kUpkeepPauseMax);
}

void begin_upkeep(const std::shared_ptr<Outside>& outside) {
  for (const auto& channel : outside->channels)
    if (Maintenance* maintenance = channel->maintenance())
      std::make_shared<Upkeep>(outside, *channel, *maintenance)->look();
}

}  // namespace finality
