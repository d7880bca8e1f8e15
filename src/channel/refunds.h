// Optional interface of a channel: refunds to the payer. A channel without it accepts no refunds, and a payment over it
// that must be reversed opens an exception case.
#pragma once

#include "base/time/time.h"
#include "channel/upstream.h"
#include "model/effect.h"
#include "model/evidence.h"

namespace finality {

/// Pure and thread safe, like Channel.
class Refunds {
 public:
  virtual UpstreamRequest request_of(const RefundCall& call, Time now) const = 0;
  /// `asked_at` is when the request was sent.
  virtual RefundEvidence evidence_of(const RefundCall& call, const UpstreamResponse& response, Time asked_at) const = 0;

 protected:
  ~Refunds() = default;
};

}  // namespace finality
