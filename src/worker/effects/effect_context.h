// Dependencies of effects. Responses and timers can run after the worker has stopped, when the references are invalid.
// They must therefore enter `guard` before they use a reference.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/net/http_client.h"
#include "channel/channel.h"
#include "engine/engine.h"
#include "worker/effects/config_warnings.h"
#include "worker/effects/mask.h"
#include "worker/in_flight/circuit_breakers.h"
#include "worker/in_flight/in_flight_effects.h"
#include "worker/in_flight/shutdown_guard.h"
#include "worker/worker_counters.h"

namespace finality {

struct WorkerOptions {
  std::string version;  // version of Finality, sent to webhook receivers in User-Agent
  /// Maximum time that Worker::stop() waits for effects in flight.
  Duration stop_wait{2'000};
  /// Called for each channel reply that suggests misconfiguration. Must be thread safe.
  ConfigWarnings::Count count_config_warning{};
  /// Hides secrets and personal data in requests to channels and in responses, before they are stored or logged.
  Mask mask{};
  /// The time that signatures of webhooks state. Receivers compare it with their own clocks, so it must be that of the
  /// machine, also with a movable clock. Null: the worker's clock. Must outlive the worker.
  const Clock* signing_clock = nullptr;
};

struct EffectContext {
  Engine& engine;
  const Channels& channels;
  const Policy& policy;
  const Clock& clock;
  net::HttpClient& client;
  /// Runs a task on an I/O thread after a delay. Does not block. The task must enter `guard`.
  std::function<void(Duration, std::function<void()>)> after;
  WorkerOptions options;

  ShutdownGuard guard;
  WorkerCounters counters;
  CircuitBreakers breakers{channels, policy};
  ConfigWarnings config_warnings{options.count_config_warning};
};

}  // namespace finality
