// Evidence: a verified report from a channel about a payment, authorization, capture, refund or reversal, mapped to the
// same terms for all channels. classify() maps evidence to events of the state machines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/money.h"
#include "base/time/time.h"
#include "model/objects/event.h"
#include "model/objects/payment.h"

namespace finality {

/// The status that a channel reports for one trade of a payment.
enum class EvidenceKind : std::uint8_t { waiting, paid, failed, closed, not_found, unknown };
BOOST_DESCRIBE_ENUM(EvidenceKind, waiting, paid, failed, closed, not_found, unknown)

/// The status that a channel reports for one refund or reversal. The values are those of RefundEvent except `send`.
enum class RefundEvidenceKind : std::uint8_t { accepted, refunded, not_now, try_again, refused, not_found, unknown };
BOOST_DESCRIBE_ENUM(RefundEvidenceKind, accepted, refunded, not_now, try_again, refused, not_found, unknown)

/// The settlement of a receipt, refund or reversal: the movement of our balance at the channel (ChannelSettlement).
struct ReportedSettlement {
  std::string transaction_no;  // assigned by the channel
  MinorUnits amount = 0;       // gross, before the fee; positive
  Currency currency;
  MinorUnits fee = 0;                // kept by the channel; negative: returned by the channel
  std::string exchange_rate;         // unchanged text of the channel; may be empty
  std::optional<Time> available_on;  // when the channel can pay the amount out
  bool operator==(const ReportedSettlement&) const = default;
};

/// A returned refund (退票): the channel returned money to us after a refund had succeeded.
struct ReportedReturn {
  std::string number;  // return number, assigned by the channel
  MinorUnits amount = 0;
};

/// An external refund: a refund that the channel reports and that we did not request.
struct ReportedRefund {
  std::string number;  // refund number, assigned by the channel
  MinorUnits amount = 0;
  RefundEvidenceKind kind = RefundEvidenceKind::refunded;  // `accepted` while the refund is in progress
  std::optional<ReportedReturn> returned{};                // only `refunded`: a later return of this refund
  std::optional<ReportedSettlement> settlement{};          // only `refunded`
};

/// A report from a channel about one trade of a payment, or about a capture: `paid` means captured.
struct Evidence {
  EvidenceKind kind = EvidenceKind::unknown;
  CauseKind source = CauseKind::channel_reply;
  Time asked_at;  // time of the query; for a notification, the send time that it states, but at most now
  std::optional<std::string> channel_trade_no;  // required if kind is `paid`
  MinorUnits amount = 0;                        // only `paid`: amount collected for the trade
  Currency currency;
  MinorUnits refunded = 0;                 // only `paid`: total of all refunds of the trade so far; 0 if not reported
  bool is_refund_unknown = false;          // only `paid`: part of it was refunded, but the amount is not reported
  std::optional<ReportedRefund> refund{};  // only `paid`: an external refund of the trade
  std::optional<ReportedSettlement> settlement{};  // only `paid`: the settlement of the trade
  Time paid_at;
  std::string code;     // status or error code of the channel, unchanged
  std::string message;  // explanation of the channel, for operators
  // The payer's next action, such as a page to open; `none` if the channel's reply contains no action.
  ActionType action_type = ActionType::none;
  std::string action_url;
  std::string action_code;
  /// Only `unknown`, about a capture: the channel refused it temporarily and does not have it. It is sent again with
  /// the same number.
  bool is_not_now = false;
};

/// The status that a channel reports for an authorization, or for the last request to release it. A hold that is over
/// is `released` or `expired`, whatever was captured; one that never existed is `failed` or `closed`.
enum class AuthorizationEvidenceKind : std::uint8_t {
  waiting,
  authorized,  // something is held
  released,    // nothing is held any more
  expired,     // nothing is held any more, because the hold lapsed
  failed,
  closed,
  not_found,
  unknown,
  release_refused,  // the release cannot succeed
  release_again,    // the request number of the release cannot succeed: another is needed
};
BOOST_DESCRIBE_ENUM(AuthorizationEvidenceKind, waiting, authorized, released, expired, failed, closed, not_found,
                    unknown, release_refused, release_again)

/// A capture that a channel lists in its report about an authorization.
struct ReportedCapture {
  std::string out_trade_no;  // of the capture; not in Finality's format if we did not request the capture
  std::string channel_trade_no;
  MinorUnits amount = 0;
  Currency currency;
  Time paid_at;
};

/// A report from a channel about an authorization. All amounts are totals since it began, in `currency`.
struct AuthorizationEvidence {
  AuthorizationEvidenceKind kind = AuthorizationEvidenceKind::unknown;
  CauseKind source = CauseKind::channel_reply;
  Time asked_at;  // time of the query; for a notification, the send time that it states, but at most now
  std::optional<std::string> channel_trade_no;
  MinorUnits authorized = 0;  // approved, plus increments, whether or not it is still held
  MinorUnits captured = 0;    // by anyone
  MinorUnits released = 0;    // returned to the payer without a capture
  Currency currency;
  std::optional<Time> authorized_at;        // start of the hold, by the channel's clock
  std::optional<Time> capture_before;       // end of the hold
  bool is_unfunded = false;                 // the channel promises a credit and holds no money
  std::string channel_payer;                // the channel's identifier of the payer, which captures repeat
  std::vector<ReportedCapture> captures{};  // empty if the channel reports only the total
  std::string code;                         // status or error code of the channel, unchanged
  std::string message;                      // explanation of the channel, for operators
  // The payer's next action, as in Evidence.
  ActionType action_type = ActionType::none;
  std::string action_url;
  std::string action_code;
};

/// A report from a channel about one attempt of a refund or reversal.
struct RefundEvidence {
  RefundEvidenceKind kind = RefundEvidenceKind::unknown;
  CauseKind source = CauseKind::channel_reply;
  Time asked_at;
  std::string code;
  std::string message;
  /// Only `accepted`: the money has left our account, but reaches the payer only after an operator acts in the
  /// channel's console.
  bool is_stranded = false;
  std::optional<ReportedReturn> returned{};        // only `refunded`: a later return of this refund
  std::optional<ReportedSettlement> settlement{};  // only `refunded`
};

}  // namespace finality
