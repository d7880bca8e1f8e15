// Objects that the HTTP API uses, passed to its constructor.
#pragma once

#include <prometheus/registry.h>

#include <functional>
#include <string_view>

#include "base/limits.h"
#include "base/net/io_pool.h"
#include "base/secret.h"
#include "base/time/time.h"
#include "channel/channel.h"
#include "channel/statement_sources.h"
#include "engine/engine.h"
#include "http/limits/upload_budget.h"
#include "http/server/rate_limits.h"
#include "model/policy.h"
#include "query/statement_quota.h"
#include "store/store.h"
#include "worker/restore/order_restorer.h"

namespace finality::http {

/// The referenced objects must outlive the API. The engine must be drained before the API is destroyed, so that it
/// sends no reply to a destroyed handler.
struct Services {
  Engine& engine;
  Store& store;
  const Channels& channels;
  const Policy& policy;
  const Clock& clock;
  net::IoPool& io;
  prometheus::Registry& registry;  // exposed by /metrics; the API adds its metric families
  /// Returns true if a channel is currently unavailable; routing then skips the channel. Must be thread safe. If the
  /// function is empty, all channels are available.
  std::function<bool(std::string_view channel)> is_down{};
  bool access_log = false;  // logs one line per request
  Secret statement_key{};   // encrypts the files of statements; empty: this server stores none
  /// The parsers of statements of the channel accounts of this server.
  StatementSources statement_sources{};
  OrderRestorer* restorer = nullptr;  // null: evidence about an archived order, and refunds of one, are refused until
                                      // operators restore it
  bool private_metrics = false;       // /metrics is only on the listener for health and metrics
  Duration metrics_kept = limits::kMetricsKept;              // requests within this time get the same metrics
  Duration readiness_kept = std::chrono::milliseconds(100);  // /readyz probes the store at most this often
  RateLimitSettings rate_limits{};
  query::StatementQuota statement_quota{};  // of each channel account
  UploadSettings uploads{};
};

}  // namespace finality::http
