// Optional interface of a channel: refunds to the payer. For a channel without this interface, Finality accepts no
// refunds, and opens an exception case for a payment that must be reversed.
#pragma once

#include "base/time/time.h"
#include "channel/upstream.h"
#include "model/effect.h"
#include "model/evidence.h"

namespace finality {

/// Requests for refunds and the evidence in their responses. Pure and thread safe, like Channel.
class Refunds {
 public:
  /// Returns the signed request for a refund call. `now` is the time of the signature.
  virtual UpstreamRequest request_of(const RefundCall& call, Time now) const = 0;
  /// Returns the evidence in the response to `call`. `asked_at` is the time at which the request was sent.
  virtual RefundEvidence evidence_of(const RefundCall& call, const UpstreamResponse& response, Time asked_at) const = 0;

 protected:
  ~Refunds() = default;
};

}  // namespace finality
