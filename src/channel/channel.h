// A payment channel: turns our requests into its HTTP requests, and what it says into evidence. No I/O, no clock, no
// randomness: `now` and nonces are handed in. Contract suite: channel/channel_contract.h.
//
// What cannot be believed is `unknown`: a timeout, a 5xx, an answer whose signature does not verify. Never `failed`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/net/http_message.h"
#include "base/result.h"
#include "model/effect.h"
#include "model/evidence.h"
#include "model/policy.h"

namespace finality {

/// A request to the channel, ready to be sent.
struct UpstreamRequest {
  std::string url;
  net::HttpRequest http;  // method, headers, body
};

/// What came back: empty when nothing did before the deadline.
struct UpstreamResponse {
  std::optional<net::HttpResponse> http;
  std::string failure;  // why nothing came
};

/// A notification that proved to be the channel's.
struct Notification {
  std::string out_trade_no;
  Evidence evidence;
};

class Channel {
 public:
  virtual ~Channel() = default;

  virtual const std::string& name() const = 0;
  virtual const Capabilities& capabilities() const = 0;

  virtual UpstreamRequest request_of(const ChannelCall& call, Time now) const = 0;
  /// `asked_at` is when the request left.
  virtual Evidence evidence_of(const ChannelCall& call, const UpstreamResponse& response, Time asked_at) const = 0;
  virtual UpstreamRequest request_of(const RefundCall& call, Time now) const = 0;
  virtual RefundEvidence evidence_of(const RefundCall& call, const UpstreamResponse& response, Time asked_at) const = 0;

  /// Verifies raw bytes. An error says why they are not believed; nothing in them may be used then.
  virtual Result<Notification> verify(const net::HttpRequest& raw, Time now) const = 0;
  /// What the channel wants to hear once a notification is committed, and when it could not be.
  virtual net::HttpResponse acknowledgement() const = 0;
  virtual net::HttpResponse negative_acknowledgement(int status) const = 0;
};

/// All channels of this process, by name.
using Channels = std::vector<std::unique_ptr<Channel>>;
const Channel* find_channel(const Channels& channels, std::string_view name);

}  // namespace finality
