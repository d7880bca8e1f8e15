// What a channel said, verified and in our words, before it meets any table.
#pragma once

#include <optional>
#include <string>

#include "base/money.h"
#include "base/time/time.h"
#include "model/objects/event.h"
#include "model/objects/payment.h"

namespace finality {

enum class EvidenceKind : std::uint8_t { waiting, paid, failed, closed, not_found, unknown };
BOOST_DESCRIBE_ENUM(EvidenceKind, waiting, paid, failed, closed, not_found, unknown)

/// What a channel says about one refund or reversal (RefundEvent without `send`).
enum class RefundEvidenceKind : std::uint8_t { accepted, refunded, not_now, try_again, refused, not_found, unknown };
BOOST_DESCRIBE_ENUM(RefundEvidenceKind, accepted, refunded, not_now, try_again, refused, not_found, unknown)

/// Money that came back to us from a refund that had succeeded.
struct ReportedReturn {
  std::string number;  // the channel's, of the return
  MinorUnits amount = 0;
};

/// A refund that was not requested here, under the number the channel gives it.
struct ReportedRefund {
  std::string number;
  MinorUnits amount = 0;
  RefundEvidenceKind kind = RefundEvidenceKind::refunded;  // or accepted: it is under way
  std::optional<ReportedReturn> returned{};                // refunded: and some of it came back
};

struct Evidence {
  EvidenceKind kind = EvidenceKind::unknown;
  CauseKind source = CauseKind::channel_reply;
  Time asked_at;  // when the channel was asked; of a notification: when it says it was sent, at most now
  std::optional<std::string> channel_trade_no;  // REQUIRED with paid
  MinorUnits amount = 0;                        // paid: what the trade collected
  Currency currency;
  MinorUnits refunded = 0;                 // paid: the running total of all refunds of the trade; 0: none is reported
  bool is_refund_unknown = false;          // paid: something was refunded, and the channel does not say how much
  std::optional<ReportedRefund> refund{};  // paid: a refund under a number that no request of ours has
  Time paid_at;
  std::string code;     // the channel's own word
  std::string message;  // for people
  // What the payer has to do, where the channel's reply says so.
  ActionType action_type = ActionType::none;
  std::string action_url;
  std::string action_code;
};

struct RefundEvidence {
  RefundEvidenceKind kind = RefundEvidenceKind::unknown;
  CauseKind source = CauseKind::channel_reply;
  Time asked_at;
  std::string code;
  std::string message;
  /// accepted: the money has left us and reaches nobody until a person acts at the channel.
  bool is_stranded = false;
  std::optional<ReportedReturn> returned{};  // refunded: and some of it came back
};

}  // namespace finality
