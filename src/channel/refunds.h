// Optional interface of a channel: money goes back to the payer. A channel without it takes no refunds, and a payment
// that has to be reversed there becomes a case.
#pragma once

#include "base/time/time.h"
#include "channel/upstream.h"
#include "model/effect.h"
#include "model/evidence.h"

namespace finality {

/// As pure and as thread safe as the channel that has it.
class Refunds {
 public:
  virtual UpstreamRequest request_of(const RefundCall& call, Time now) const = 0;
  /// `asked_at` is when the request left.
  virtual RefundEvidence evidence_of(const RefundCall& call, const UpstreamResponse& response, Time asked_at) const = 0;

 protected:
  ~Refunds() = default;
};

}  // namespace finality
