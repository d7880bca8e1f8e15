// Optional interface of a channel: requests that the adapter itself needs, such as fetching the channel's certificates.
#pragma once

#include <optional>

#include "base/result.h"
#include "base/time/time.h"
#include "channel/upstream.h"

namespace finality {

/// Thread safe, also while other threads use the channel.
class Maintenance {
 public:
  /// The request that is due at `now`; empty when no request is due.
  virtual std::optional<UpstreamRequest> maintenance_request(Time now) const = 0;
  /// Applies the response to that request. No effect on error.
  virtual Result<void> take_maintenance_reply(const UpstreamResponse& response, Time asked_at) = 0;

 protected:
  ~Maintenance() = default;
};

}  // namespace finality
