// Typed cause and detail of a command. src/wire/detail.h renders them as JSON once per command, for the `detail` of the
// command's events and the evidence of its cases.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/time/time.h"
#include "model/evidence.h"
#include "model/ids.h"
#include "model/objects/difference.h"
#include "model/objects/event.h"

namespace finality {

/// Trigger: an API request, with its id and the API key used.
struct ApiRequest {
  std::string request_id;
  ApiKeyId key;
};

/// Trigger: a notification from a channel whose signature was verified.
struct ReceivedNotification {
  std::string request_id;
  std::string out_trade_no;
  std::optional<std::string> out_refund_no{};
};

/// Trigger: the payer's browser returned from the channel's page. The payment is then queried at the channel.
struct ReturnedPayer {
  std::string request_id;
};

/// Trigger: the payer chose a payment method on the checkout page.
struct ChoosingPayer {
  std::string request_id;
};

/// Trigger: a call to a channel, with its transport result. The evidence from the response is in Detail.
struct CallResult {
  std::string_view call;                 // name of the kind of the call, such as a ChannelCallKind
  std::optional<std::int64_t> status{};  // HTTP status of the response
  std::string failure{};                 // reason why there is no response; empty with a response
  bool sent = false;                     // whether any byte of the request may have been sent; only without a response
  bool called = true;                    // false: no call was made, because the payer's browser submits the request
};

/// Trigger: a row became due at `due_at`, and the scan of due rows claimed it.
struct DueSince {
  Time due_at;
};

/// Trigger: a command of the `finality` command line.
struct CommandLine {};
/// Trigger: a benchmark run.
struct BenchRun {};

/// The trigger of a command; `monostate` if it is unknown.
using Trigger = std::variant<std::monostate, ApiRequest, ReceivedNotification, ReturnedPayer, ChoosingPayer, CallResult,
                             DueSince, CommandLine, BenchRun>;

/// The cause of a command. The submitter of the command sets it.
struct Cause {
  CauseKind kind = CauseKind::api;
  Trigger trigger{};
  /// The masked request to the channel and its response as JSON text; empty if no request was sent.
  /// Only the first event of the command stores it.
  std::string exchange{};
  /// `traceparent` of the triggering request (W3C Trace Context), or empty. The requests to channels and webhook
  /// receivers that the command causes carry the same value.
  std::string traceparent{};
};

/// Detail: evidence about a payment or capture, and the channel that reported it.
struct PaymentEvidence {
  std::string channel;
  Evidence evidence;
};

/// Detail: evidence about an authorization, and the channel that reported it.
struct AuthorizationReport {
  std::string channel;
  AuthorizationEvidence evidence;
};

/// Detail: evidence about one attempt of a refund or reversal.
struct AttemptEvidence {
  std::string channel;
  std::string out_refund_no;
  RefundEvidence evidence;
};

/// Detail: the result of one attempt to deliver a webhook.
struct DeliveryResult {
  std::int64_t number = 1;
  std::optional<std::int64_t> status;  // HTTP status of the response; empty without a response
  std::string error;                   // reason of the failure; empty if the receiver acknowledged the webhook
};

/// Detail: the invariant of the order that a command would have violated, or that the stored order violates.
struct BrokenRule {
  std::string finding;
};

/// Detail: an operator proposed or approved a resolution of an exception case.
struct ResolutionStep {
  CaseId case_id;
  std::string resolution;
  std::string note;
  std::string key;                       // id of the operator's API key
  std::optional<MerchantId> merchant{};  // only with the resolution `assign`: the merchant that receives the money
};

/// Detail: a difference between a statement and the books, as it was found.
struct FoundDifference {
  Difference difference;
};

/// The detail of a command, which its events store. A detail with evidence contains the trigger as `via`; any other
/// detail replaces the trigger.
using Detail = std::variant<std::monostate, PaymentEvidence, AuthorizationReport, AttemptEvidence, DeliveryResult,
                            BrokenRule, ResolutionStep, FoundDifference>;

}  // namespace finality
