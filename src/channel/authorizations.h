// Optional interface of a channel: authorizations, which reserve an amount, and their captures. The channel states
// their terms in Capabilities::authorization. For a channel without this interface, Finality accepts no authorizations.
#pragma once

#include <optional>

#include "base/time/time.h"
#include "channel/upstream.h"
#include "model/effect.h"
#include "model/evidence.h"

namespace finality {

/// Requests for authorizations and captures, and the evidence in their responses. Pure and thread safe, like Channel.
class Authorizations {
 public:
  /// Returns the evidence for a call that needs no request by this server, as Channel::answer_without_asking().
  virtual std::optional<AuthorizationEvidence> answer_without_asking(const AuthorizationCall& call, Time now) const = 0;
  /// Returns the signed request for a call. `now` is the time of the signature.
  virtual UpstreamRequest request_of(const AuthorizationCall& call, Time now) const = 0;
  virtual UpstreamRequest request_of(const CaptureCall& call, Time now) const = 0;
  /// Return the evidence in the response to `call`. `asked_at` is the time at which the request was sent.
  virtual AuthorizationEvidence evidence_of(const AuthorizationCall& call, const UpstreamResponse& response,
                                            Time asked_at) const = 0;
  virtual Evidence evidence_of(const CaptureCall& call, const UpstreamResponse& response, Time asked_at) const = 0;

 protected:
  ~Authorizations() = default;
};

}  // namespace finality
