// Typed cause and detail of a command: the content of its events' `detail` and of a case's evidence. decide/ leaves
// them typed; src/wire/detail.h renders them as text, once per command.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/time/time.h"
#include "model/evidence.h"
#include "model/ids.h"
#include "model/objects/event.h"

namespace finality {

/// An API request.
struct ApiRequest {
  std::string request_id;
  ApiKeyId key;
};

/// A verified notification from a channel.
struct ReceivedNotification {
  std::string request_id;
  std::string out_trade_no;
  std::optional<std::string> out_refund_no{};
};

/// The payer's browser has returned from the channel, which is then queried.
struct ReturnedPayer {
  std::string request_id;
};

/// A call to a channel, with its outcome except the evidence.
struct CallResult {
  std::string_view call;                 // name_of() a ChannelCallKind or a RefundCallKind
  std::optional<std::int64_t> status{};  // of the HTTP response
  std::string failure{};                 // without a response: the reason
  bool sent = false;                     // without a response: whether any byte may have been sent
  bool called = true;  // false: the payer's browser submits the request, and the evidence is known without a call
};

/// A row that became due.
struct DueSince {
  Time due_at;
};

/// A command of `finality` on the command line.
struct CommandLine {};
/// A benchmark.
struct BenchRun {};

/// The trigger of a command. `monostate`: unknown.
using Trigger = std::variant<std::monostate, ApiRequest, ReceivedNotification, ReturnedPayer, CallResult, DueSince,
                             CommandLine, BenchRun>;

/// The cause of a command, set by the code that submits it.
struct Cause {
  CauseKind kind = CauseKind::api;
  Trigger trigger{};
  /// The masked request to the channel and its response as JSON text, set by the caller of the channel; may be empty.
  /// Stored once, with the first event of the command.
  std::string exchange{};
  /// `traceparent` of the request (W3C Trace Context), or empty. Outgoing requests that the command causes carry it
  /// too.
  std::string traceparent{};
};

/// Evidence about a payment.
struct PaymentEvidence {
  std::string channel;
  Evidence evidence;
};

/// Evidence about one attempt of a refund or reversal.
struct AttemptEvidence {
  std::string channel;
  std::string out_refund_no;
  RefundEvidence evidence;
};

/// The result of one attempt to deliver a webhook.
struct DeliveryResult {
  std::int64_t number = 1;
  std::optional<std::int64_t> status;  // of the HTTP response
  std::string error;                   // empty when acknowledged
};

/// An invariant that a decision about the order violated.
struct BrokenRule {
  std::string finding;
};

/// The proposal or approval of a case's resolution.
struct ResolutionStep {
  CaseId case_id;
  std::string resolution;
  std::string note;
  std::string key;  // the operator's
};

/// The details that a command's events record beside or instead of its trigger. Evidence is recorded with the trigger,
/// as `via`; every other detail replaces the trigger.
using Detail =
    std::variant<std::monostate, PaymentEvidence, AttemptEvidence, DeliveryResult, BrokenRule, ResolutionStep>;

}  // namespace finality
