// Optional interface of a channel: requests that the adapter needs for itself, as for the channel's certificates.
#pragma once

#include <optional>

#include "base/result.h"
#include "base/time/time.h"
#include "channel/upstream.h"

namespace finality {

/// Thread safe, also while other threads use the channel.
class Maintenance {
 public:
  /// What is to be asked now; empty when nothing is due.
  virtual std::optional<UpstreamRequest> maintenance_request(Time now) const = 0;
  /// Takes the answer. An error changes nothing.
  virtual Result<void> take_maintenance_reply(const UpstreamResponse& response, Time asked_at) = 0;

 protected:
  ~Maintenance() = default;
};

}  // namespace finality
