// Interface of a payment channel. An adapter builds HTTP requests to the channel and converts its responses into
// evidence. It performs no I/O and uses neither clock nor randomness: callers pass `now`, and a nonce is a digest of
// the content it protects. All functions are thread safe. channel/testing/channel_contract.h tests the contract.
//
// The evidence is `unknown`, never `failed`, after a timeout, a 5xx or a response with an invalid signature.
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

/// Evidence about one refund in a notification.
struct RefundNotice {
  std::string out_refund_no;
  RefundEvidence evidence;
};

/// The content of a verified notification.
struct Notification {
  std::string out_trade_no;  // of the payment, authorization or capture
  Evidence evidence;         // about the payment; if `refund` is set, used only if Finality did not request that refund
  std::optional<RefundNotice> refund{};                  // set if the notification is about a refund
  std::optional<AuthorizationEvidence> authorization{};  // set if it is about an authorization; `evidence` is unused
  bool is_ignored = false;  // verified, and about nothing that Finality books: it is acknowledged
};

class Authorizations;
class Maintenance;
class Refunds;
class ReplaceableKeys;
class Statements;

class Channel {
 public:
  virtual ~Channel() = default;

  /// The channel's name: NAME of [channels.NAME] in the configuration.
  virtual const std::string& name() const = 0;
  virtual const Capabilities& capabilities() const = 0;

  /// Returns the evidence for a call that needs no request by this server, because the payer's browser or app sends the
  /// signed request. Empty if the caller must send the request that request_of() returns.
  virtual std::optional<Evidence> answer_without_asking(const ChannelCall& call, Time now) const;
  /// Returns the signed request for a call. `now` is the time of the signature.
  virtual UpstreamRequest request_of(const ChannelCall& call, Time now) const = 0;
  /// Returns the evidence in the response to `call`. `asked_at` is the time at which the request was sent.
  virtual Evidence evidence_of(const ChannelCall& call, const UpstreamResponse& response, Time asked_at) const = 0;

  /// Returns a hint for operators, "check …", if `code` of a response suggests a misconfiguration. The hint names the
  /// local settings to check and their expected values. Empty for all other codes.
  virtual std::string_view config_hint(std::string_view code) const;

  /// Verifies and parses a notification. The signature covers the raw bytes, so `raw` must be unchanged. The error
  /// states why verification failed; the caller must not use any content of a rejected notification.
  virtual Result<Notification> verify(const net::HttpRequest& raw, Time now) const = 0;
  /// The HTTP responses to a notification: `acknowledgement` after its evidence is committed,
  /// `negative_acknowledgement` if it was rejected or not committed, so that the channel repeats it.
  virtual net::HttpResponse acknowledgement() const = 0;
  virtual net::HttpResponse negative_acknowledgement(int status) const = 0;

  /// The optional interfaces of the channel, each declared in a separate header. Null if the channel does not implement
  /// the interface. The channel owns the returned object.
  const Authorizations* authorizations() const;
  const Refunds* refunds() const;
  const Statements* statements() const;
  Maintenance* maintenance();
  ReplaceableKeys* replaceable_keys();
};

/// Returns channel.capabilities(), with `refunds` set if the channel implements Refunds.
Capabilities capabilities_of(const Channel& channel);

/// All channels of this process. Names are unique.
using Channels = std::vector<std::unique_ptr<Channel>>;
/// Returns the channel with this name; null if the name is unknown.
const Channel* find_channel(const Channels& channels, std::string_view name);

}  // namespace finality
