// Evidence: a verified report from a channel about a payment, refund or reversal, mapped to the same terms for all
// channels. classify() maps evidence to events of the state machines.
#pragma once

#include <optional>
#include <string>

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

/// A report from a channel about one trade of a payment.
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
