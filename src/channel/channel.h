// A payment channel: turns our requests into its HTTP requests, and what it says into evidence. No I/O, no clock, no
// randomness: `now` is handed in, and a nonce is a digest of what it protects. Safe to use from several threads.
// Contract suite: channel/channel_contract.h.
//
// What cannot be believed is `unknown`: a timeout, a 5xx, an answer whose signature does not verify. Never `failed`.
#pragma once

#include <boost/describe/enum.hpp>

#include <cstdint>
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

/// A channel's word about money going back.
struct RefundNotice {
  std::string out_refund_no;
  RefundEvidence evidence;
};

/// A notification that proved to be the channel's.
struct Notification {
  std::string out_trade_no;
  Evidence evidence;                     // of the payment; says nothing where `refund` is set
  std::optional<RefundNotice> refund{};  // what it is about, where it is not about the payment itself
};

enum class BillKind : std::uint8_t { trades, funds };
BOOST_DESCRIBE_ENUM(BillKind, trades, funds)

/// A day's statement (对账单).
struct BillCall {
  BillKind kind = BillKind::trades;
  std::string date;  // yyyy-MM-dd, a day of the channel's own time zone
};

/// Where a statement lies for a short while. What came for `download` goes to `bill_of`.
struct BillLink {
  UpstreamRequest download;
  std::string sha1;  // of the unpacked file, hex; empty where the channel does not say
};

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
  virtual UpstreamRequest request_of(const RefundCall& call, Time now) const = 0;
  virtual RefundEvidence evidence_of(const RefundCall& call, const UpstreamResponse& response, Time asked_at) const = 0;

  /// Which of our settings may be wrong where an answer came to evidence of that code, and what they should be: "look
  /// at …". Empty where it does not speak of our settings. Few codes do.
  virtual std::string_view settings_behind(std::string_view code) const;

  /// Verifies raw bytes. An error says why they are not believed; nothing in them may be used then.
  virtual Result<Notification> verify(const net::HttpRequest& raw, Time now) const = 0;
  /// What the channel wants to hear once a notification is committed, and when it could not be.
  virtual net::HttpResponse acknowledgement() const = 0;
  virtual net::HttpResponse negative_acknowledgement(int status) const = 0;

  /// Asks for a day's statement; an error where the channel has no statements, in words for an operator.
  virtual Result<UpstreamRequest> request_of(const BillCall& call, Time now) const;
  /// Where it lies. Empty: the channel says that there is no statement of that day, which it also may until it has made
  /// it (the morning after). An error is everything else: whether there is one is not known.
  virtual Result<std::optional<BillLink>> bill_link_of(const BillCall& call, const UpstreamResponse& response,
                                                       Time asked_at) const;
  /// The unpacked file, once it is what the link promised.
  virtual Result<std::string> bill_of(const BillLink& link, const UpstreamResponse& response) const;

  /// What the adapter has to ask now and then for its own sake (the channel's certificates); empty when nothing is due.
  virtual std::optional<UpstreamRequest> upkeep_request(Time now) const;
  /// Takes the answer. Safe while other threads use the channel. An error changes nothing.
  virtual Result<void> take_upkeep(const UpstreamResponse& response, Time asked_at);
};

/// All channels of this process, by name.
using Channels = std::vector<std::unique_ptr<Channel>>;
const Channel* find_channel(const Channels& channels, std::string_view name);

}  // namespace finality
