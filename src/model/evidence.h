// Evidence: a verified report from a channel, translated into our terms, before any transition table is consulted.
#pragma once

#include <optional>
#include <string>

#include "base/money.h"
#include "base/time/time.h"
#include "model/objects/event.h"
#include "model/objects/payment.h"

namespace finality {

/// Kind of a report about one trade of a payment.
enum class EvidenceKind : std::uint8_t { waiting, paid, failed, closed, not_found, unknown };
BOOST_DESCRIBE_ENUM(EvidenceKind, waiting, paid, failed, closed, not_found, unknown)

/// Kind of a report about one refund or reversal (RefundEvent without `send`).
enum class RefundEvidenceKind : std::uint8_t { accepted, refunded, not_now, try_again, refused, not_found, unknown };
BOOST_DESCRIBE_ENUM(RefundEvidenceKind, accepted, refunded, not_now, try_again, refused, not_found, unknown)

/// Money that the channel returned to us after a refund had succeeded.
struct ReportedReturn {
  std::string number;  // return number, assigned by the channel
  MinorUnits amount = 0;
};

/// A refund that we did not request, under the refund number that the channel assigned.
struct ReportedRefund {
  std::string number;
  MinorUnits amount = 0;
  RefundEvidenceKind kind = RefundEvidenceKind::refunded;  // or accepted: in progress
  std::optional<ReportedReturn> returned{};                // refunded: the part that was returned to us later
};

/// A report about one trade of a payment.
struct Evidence {
  EvidenceKind kind = EvidenceKind::unknown;
  CauseKind source = CauseKind::channel_reply;
  Time asked_at;  // when the channel was queried; of a notification: its send time as stated in it, at most now
  std::optional<std::string> channel_trade_no;  // REQUIRED with paid
  MinorUnits amount = 0;                        // paid: the amount that the trade collected
  Currency currency;
  MinorUnits refunded = 0;                 // paid: the running total of all refunds of the trade; 0: not reported
  bool is_refund_unknown = false;          // paid: a part was refunded, and the channel does not report the amount
  std::optional<ReportedRefund> refund{};  // paid: a refund under a refund number that we did not send
  Time paid_at;
  std::string code;     // as the channel reports it
  std::string message;  // for people
  // The payer's next action, where the channel's reply contains it.
  ActionType action_type = ActionType::none;
  std::string action_url;
  std::string action_code;
};

/// A report about one attempt of a refund or reversal.
struct RefundEvidence {
  RefundEvidenceKind kind = RefundEvidenceKind::unknown;
  CauseKind source = CauseKind::channel_reply;
  Time asked_at;
  std::string code;
  std::string message;
  /// accepted: the money has left us but does not reach the payer until an operator acts at the channel.
  bool is_stranded = false;
  std::optional<ReportedReturn> returned{};  // refunded: the part that was returned to us later
};

}  // namespace finality
