// A payment channel: turns our requests into its HTTP requests, and what it says into evidence. No I/O, no clock, no
// randomness: `now` is handed in, and a nonce is a digest of what it protects. Safe to use from several threads.
// Contract suite: channel/testing/channel_contract.h.
//
// What cannot be believed is `unknown`: a timeout, a 5xx, an answer whose signature does not verify. Never `failed`.
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

/// A channel's word about money going back.
struct RefundNotice {
  std::string out_refund_no;
  RefundEvidence evidence;
};

/// A notification that proved to be the channel's.
struct Notification {
  std::string out_trade_no;
  Evidence evidence;  // of the payment; where `refund` is set, used only if that refund was not requested here
  std::optional<RefundNotice> refund{};  // of one refund, where the notification is about one
};

class Maintenance;
class Refunds;
class ReplaceableKeys;
class Statements;

class Channel {
 public:
  virtual ~Channel() = default;

  virtual const std::string& name() const = 0;
  virtual const Capabilities& capabilities() const = 0;

  /// What is known without asking: where the payer's own browser or app carries the request (a signed page), there is
  /// nothing to send. Empty: `request_of` is to be sent.
  virtual std::optional<Evidence> answer_without_asking(const ChannelCall& call, Time now) const;
  virtual UpstreamRequest request_of(const ChannelCall& call, Time now) const = 0;
  /// `asked_at` is when the request left.
  virtual Evidence evidence_of(const ChannelCall& call, const UpstreamResponse& response, Time asked_at) const = 0;

  /// Which of our settings may be wrong where an answer came to evidence of that code, and what they should be: "look
  /// at …". Empty where it does not speak of our settings. Few codes do.
  virtual std::string_view config_hint(std::string_view code) const;

  /// Verifies raw bytes. An error says why they are not believed; nothing in them may be used then.
  virtual Result<Notification> verify(const net::HttpRequest& raw, Time now) const = 0;
  /// What the channel wants to hear once a notification is committed, and when it could not be.
  virtual net::HttpResponse acknowledgement() const = 0;
  virtual net::HttpResponse negative_acknowledgement(int status) const = 0;

  /// What else the channel can do: the optional interfaces that its class derives from, each in a header of its own;
  /// null where it does not.
  const Refunds* refunds() const;
  const Statements* statements() const;
  Maintenance* maintenance();
  ReplaceableKeys* replaceable_keys();
};

/// Its capabilities, with what follows from its optional interfaces.
Capabilities capabilities_of(const Channel& channel);

/// All channels of this process, by name.
using Channels = std::vector<std::unique_ptr<Channel>>;
const Channel* find_channel(const Channels& channels, std::string_view name);

}  // namespace finality
