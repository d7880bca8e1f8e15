// What the API is built upon.
#pragma once

#include <prometheus/registry.h>

#include <functional>
#include <string_view>

#include "base/net/io_pool.h"
#include "base/time/time.h"
#include "channel/channel.h"
#include "engine/engine.h"
#include "model/policy.h"
#include "store/store.h"

namespace finality::http {

/// All of it outlives the API, and the engine is drained before the API is destroyed: no reply comes after that.
struct Services {
  Engine& engine;
  Store& store;
  const Channels& channels;
  const Policy& policy;
  const Clock& clock;
  net::IoPool& io;
  prometheus::Registry& registry;  // what /metrics shows; the API adds its own families
  /// Whether a channel does not answer at present: a payment that names none goes elsewhere. Thread safe; empty: none
  /// is.
  std::function<bool(std::string_view channel)> is_down{};
  bool access_log = false;  // one line per request
};

}  // namespace finality::http
