// Interface of a payment channel: builds HTTP requests to the channel and turns its responses into evidence. No I/O, no
// clock, no randomness: callers pass `now`, and a nonce is a digest of the content it protects. Thread safe. Contract
// suite: channel/testing/channel_contract.h.
//
// A response that cannot be trusted (a timeout, a 5xx, a signature that does not verify) is `unknown`, never `failed`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/net/http_message.h"
#include "base/result.h"
#include "channel/upstream.h"
#include "model/effect.h"
#include "model/evidence.h"
#include "model/policy.h"

namespace finality {

/// A channel's report about one refund.
struct RefundNotice {
  std::string out_refund_no;
  RefundEvidence evidence;
};

/// A verified notification.
struct Notification {
  std::string out_trade_no;
  Evidence evidence;  // about the payment; with `refund`, used only if that refund was not requested here
  std::optional<RefundNotice> refund{};  // set when the notification is about a refund
};

class Maintenance;
class Refunds;
class ReplaceableKeys;
class Statements;

class Channel {
 public:
  virtual ~Channel() = default;

  /// NAME of [channels.NAME] in the configuration.
  virtual const std::string& name() const = 0;
  virtual const Capabilities& capabilities() const = 0;

  /// Evidence for a call for which the adapter sends no request, because the payer's browser or app carries the request
  /// (a signed page). Empty: the caller must send `request_of`.
  virtual std::optional<Evidence> answer_without_asking(const ChannelCall& call, Time now) const;
  /// The signed request for a call.
  virtual UpstreamRequest request_of(const ChannelCall& call, Time now) const = 0;
  /// The evidence that the response to `call` gives. `asked_at` is when the request was sent.
  virtual Evidence evidence_of(const ChannelCall& call, const UpstreamResponse& response, Time asked_at) const = 0;

  /// A hint for operators when `code` of a response suggests a misconfiguration: the local settings to check and their
  /// expected values, "check …". Empty for all other codes.
  virtual std::string_view config_hint(std::string_view code) const;

  /// Verifies the raw bytes of a notification. The error states why verification failed; the caller must then not use
  /// any of the content.
  virtual Result<Notification> verify(const net::HttpRequest& raw, Time now) const = 0;
  /// The responses to a notification: `acknowledgement` after its commit, the other when it was rejected or not
  /// committed.
  virtual net::HttpResponse acknowledgement() const = 0;
  virtual net::HttpResponse negative_acknowledgement(int status) const = 0;

  /// The optional interfaces of the channel, each declared in its own header. Null when the channel's class does not
  /// derive from the interface.
  const Refunds* refunds() const;
  const Statements* statements() const;
  Maintenance* maintenance();
  ReplaceableKeys* replaceable_keys();
};

/// The channel's capabilities, with `refunds` set from its optional interfaces.
Capabilities capabilities_of(const Channel& channel);

/// All channels of this process, by name.
using Channels = std::vector<std::unique_ptr<Channel>>;
/// The channel with this name; null when there is none.
const Channel* find_channel(const Channels& channels, std::string_view name);

}  // namespace finality
