// Optional interface of a channel: periodic requests that concern no payment, such as fetching the channel's
// certificates.
#pragma once

#include <optional>

#include "base/result.h"
#include "base/time/time.h"
#include "channel/upstream.h"

namespace finality {

/// Periodic requests of a channel. Thread safe, also while other threads use the channel.
class Maintenance {
 public:
  /// Returns the request that is due at `now`; empty if no request is due.
  virtual std::optional<UpstreamRequest> maintenance_request(Time now) const = 0;
  /// Applies the response to a request of maintenance_request(), sent at `asked_at`. On error, nothing changes.
  virtual Result<void> take_maintenance_reply(const UpstreamResponse& response, Time asked_at) = 0;

 protected:
  ~Maintenance() = default;
};

}  // namespace finality
