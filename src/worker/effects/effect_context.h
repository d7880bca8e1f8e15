// What performing an effect needs of the outside. Whatever may run late (an answer, a timer) enters the guard first:
// the references are good inside it only.
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
  std::string version;  // of Finality: the receiver of a webhook is told
  /// How long stop() waits for effects under way.
  Duration stop_wait{2'000};
  /// Told of each answer that makes our settings doubtful.
  ConfigWarnings::Count doubted{};
  /// What of exchanges with channels is stored and logged.
  Mask mask{};
};

struct EffectContext {
  Engine& engine;
  const Channels& channels;
  const Policy& policy;
  const Clock& clock;
  net::HttpClient& client;
  /// Runs a task on an I/O thread after a while.
  std::function<void(Duration, std::function<void()>)> after;
  WorkerOptions options;

  ShutdownGuard guard;
  WorkerCounters counters;
  CircuitBreakers breakers{channels, policy};
  ConfigWarnings config_warnings{options.doubted};
};

}  // namespace finality
