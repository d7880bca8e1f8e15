// Why a command came and what was decided about it: the typed content of its events' `detail` and of a case's evidence.
// Deciding makes no text of it; src/wire/detail.h does, once per command.
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

/// A request over the API.
struct ApiRequest {
  std::string request_id;
  ApiKeyId key;
};

/// A channel's verified notification.
struct ReceivedNotification {
  std::string request_id;
  std::string out_trade_no;
  std::optional<std::string> out_refund_no{};
};

/// A payer's browser came back from the channel, so the channel is queried.
struct ReturnedPayer {
  std::string request_id;
};

/// A call of a channel, and what came of it beside the evidence.
struct CallResult {
  std::string_view call;                 // name_of() a ChannelCallKind or a RefundCallKind
  std::optional<std::int64_t> status{};  // of the HTTP response
  std::string failure{};                 // without a response: why
  bool sent = false;                     // without a response: whether some byte may have left
  bool asked = true;  // false: the payer carries the request to the channel, the evidence is known without a call
};

/// A row that came due.
struct DueSince {
  Time due_at;
};

struct CommandLine {};
struct BenchRun {};

/// What a command was submitted for. `monostate`: nothing is known.
using Trigger = std::variant<std::monostate, ApiRequest, ReceivedNotification, ReturnedPayer, CallResult, DueSince,
                             CommandLine, BenchRun>;

/// Why a command came. Made where it is submitted.
struct Cause {
  CauseKind kind = CauseKind::api;
  Trigger trigger{};
  /// What was asked of the channel and what it answered, masked: JSON text made by the channel's caller, or empty. It
  /// is stored once, with the first event of the command.
  std::string exchange{};
  /// The request's, as W3C Trace Context has it, or empty. Requests to the outside that the command causes pass it on.
  std::string traceparent{};
};

/// What a channel reported about a payment.
struct PaymentEvidence {
  std::string channel;
  Evidence evidence;
};

/// What a channel reported about one attempt of a refund or reversal.
struct AttemptEvidence {
  std::string channel;
  std::string out_refund_no;
  RefundEvidence evidence;
};

/// One attempt to deliver a notification.
struct DeliveryResult {
  std::int64_t number = 1;
  std::optional<std::int64_t> status;  // of the HTTP response
  std::string error;                   // empty when acknowledged
};

/// A decision about the order broke a rule.
struct BrokenRule {
  std::string finding;
};

/// A resolution of a case was proposed or approved.
struct ResolutionStep {
  CaseId case_id;
  std::string resolution;
  std::string note;
  std::string key;  // the operator's
};

/// What a command found, where its events record that and not its trigger alone. Evidence is recorded with the trigger,
/// as `via`; everything else in place of it.
using Detail =
    std::variant<std::monostate, PaymentEvidence, AttemptEvidence, DeliveryResult, BrokenRule, ResolutionStep>;

}  // namespace finality
