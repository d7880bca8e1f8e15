// Engine without a worker. Commands of the command line use it to write to a store without a running server.
#pragma once

#include <memory>
#include <string>

#include "base/time/time.h"
#include "engine/engine.h"
#include "model/policy.h"
#include "store/store.h"
#include "wire/json_renderer.h"

namespace finality::app {

class OfflineEngine {
 public:
  /// Opens an existing store. Fails if a running server uses the store (the user must then use --server), or if the
  /// store does not exist. Does not create a store, because the path could be mistyped.
  static Result<std::unique_ptr<OfflineEngine>> open(const std::string& store_url) {
    auto store = open_store({.url = store_url, .migrate = false});
    if (!store) return std::unexpected(store.error());
    std::unique_ptr<OfflineEngine> offline(new OfflineEngine(std::move(*store)));
    auto engine = Engine::start(
        *offline->store_,
        {.policy = &offline->policy_, .clock = &offline->clock_, .renderer = &wire::json_renderer(), .perform = {}});
    if (!engine) return std::unexpected(engine.error());
    offline->engine_ = std::move(*engine);
    return offline;
  }
  Engine& engine() { return *engine_; }
  Store& store() { return *store_; }

 private:
  explicit OfflineEngine(std::unique_ptr<Store> store) : store_(std::move(store)) {}

  Policy policy_;
  SystemClock clock_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace finality::app
