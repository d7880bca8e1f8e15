#include "worker/maintenance.h"

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "base/log.h"
#include "channel/maintenance.h"

namespace finality {
namespace {

// Maintenance of one channel. Either a timer or a request is outstanding, never both, so that steps do not overlap.
class MaintenanceLoop : public std::enable_shared_from_this<MaintenanceLoop> {
 public:
  MaintenanceLoop(std::shared_ptr<EffectContext> context, const Channel& channel, Maintenance& maintenance)
      : context_(std::move(context)), channel_(channel), maintenance_(maintenance) {}

  /// Sends the next maintenance request if one is due. REQUIRES: called inside the guard.
  void look() {
    const Time now = context_->clock.now();
    std::optional<UpstreamRequest> request = maintenance_.maintenance_request(now);
    if (!request) return look_again_later();
    ++context_->counters.maintenance_calls;
    context_->client.call({.url = std::move(request->url),
                           .method = std::move(request->http.method),
                           .headers = std::move(request->http.headers),
                           .body = std::move(request->http.body),
                           .timeout = limits::kChannelTimeout,
                           .response_bytes_max = limits::kUpstreamBodyMax},
                          [self = shared_from_this(), now](net::CallResult outcome) {
                            self->context_->guard.enter([&] { self->handle_reply(std::move(outcome), now); });
                          });
  }

 private:
  void handle_reply(net::CallResult outcome, Time asked_at) {
    UpstreamResponse response{.http = {}, .failure = std::move(outcome.failure)};
    if (outcome.answered) response.http = std::move(outcome.response);
    const Result<void> taken = maintenance_.take_maintenance_reply(response, asked_at);
    failures_ = taken ? 0 : failures_ + 1;
    if (!taken) {
      ++context_->counters.maintenance_failures;
      log::warn("channel maintenance failed",
                {{"channel", channel_.name()}, {"attempt", failures_}, {"error", taken.error().message}});
    }
    look_again_later();
  }

  void look_again_later() {
    context_->after(maintenance_pause(failures_),
                    [self = shared_from_this()] { self->context_->guard.enter([&] { self->look(); }); });
  }

  std::shared_ptr<EffectContext> context_;
  const Channel& channel_;  // this and `maintenance_` are valid inside the guard only
  Maintenance& maintenance_;
  int failures_ = 0;  // number of consecutive failures
};

}  // namespace

Duration maintenance_pause(int failures) {
  Duration pause = limits::kMaintenanceEvery;
  for (int i = 0; i < failures && pause < limits::kMaintenancePauseMax; ++i) pause *= 2;
  return std::min<Duration>(pause, limits::kMaintenancePauseMax);
}

void begin_maintenance(const std::shared_ptr<EffectContext>& context) {
  for (const auto& channel : context->channels)
    if (Maintenance* maintenance = channel->maintenance())
      std::make_shared<MaintenanceLoop>(context, *channel, *maintenance)->look();
}

}  // namespace finality
