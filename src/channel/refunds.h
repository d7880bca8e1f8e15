// Optional interface of a channel: refunds to the payer. A channel that does not implement it accepts no refunds, and a
// payment that must be reversed over such a channel opens an exception case.
#pragma once

#include "base/time/time.h"
#include "channel/upstream.h"
#include "model/effect.h"
#include "model/evidence.h"

namespace finality {

/// Pure and thread safe, like Channel.
class Refunds {
 public:
  /// The signed request for a refund call.
  virtual UpstreamRequest request_of(const RefundCall& call, Time now) const = 0;
  /// The evidence that the response to `call` gives. `asked_at` is when the request was sent.
  virtual RefundEvidence evidence_of(const RefundCall& call, const UpstreamResponse& response, Time asked_at) const = 0;

 protected:
  ~Refunds() = default;
};

}  // namespace finality
