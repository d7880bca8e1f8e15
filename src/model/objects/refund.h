// Refund (退款单): a payment that is returned to the payer in full or in part.
#pragma once

#include <optional>
#include <string>

#include "base/money.h"
#include "base/time/time.h"
#include "fsm/table.h"
#include "model/ids.h"
#include "model/row.h"

namespace finality {

enum class RefundState : std::uint8_t { pending, processing, succeeded, failed };
BOOST_DESCRIBE_ENUM(RefundState, pending, processing, succeeded, failed)

/// Events of refunds and, under the same names, of reversals.
enum class RefundEvent : std::uint8_t {
  send,       // the claim, before any byte is sent
  accepted,   // the channel has accepted the request and is processing it
  refunded,   // the payer has received the money
  not_now,    // temporarily refused: sent again under the same out_refund_no after a long pause
  try_again,  // temporarily refused, out_refund_no is invalid: sent again under a new out_refund_no
  refused,    // permanently refused
  not_found,  // the channel does not have it, and the send deadline has passed: sent again unchanged
  unknown,    // no response, or none that can be verified
};
BOOST_DESCRIBE_ENUM(RefundEvent, send, accepted, refunded, not_now, try_again, refused, not_found, unknown)

/// The initiator: the merchant's command, or the channel (in its console, for a complaint, by paying twice).
enum class RefundOrigin : std::uint8_t { merchant, channel };
BOOST_DESCRIBE_ENUM(RefundOrigin, merchant, channel)

/// The work that is due for a refund or reversal.
enum class RefundEffect : std::uint8_t { none, send, query };
BOOST_DESCRIBE_ENUM(RefundEffect, none, send, query)

struct Refund {
  RefundId id;
  OrderId order_id;
  PaymentId payment_id;
  MerchantId merchant_id;
  ChannelAccountId channel_account_id;  // the payment's
  RefundOrigin origin = RefundOrigin::merchant;
  std::string merchant_refund_no;                // empty for an external refund
  std::optional<std::string> channel_refund_no;  // of an external refund, when the channel reported it
  std::optional<ReceiptId> receipt_id;           // of an external refund: the refunded receipt
  MinorUnits amount = 0;
  Currency currency;
  RefundState state = RefundState::pending;
  std::optional<std::string> reason;
  std::optional<std::string> failure_code;
  std::optional<std::string> failure_message;
  MinorUnits reported_amount = 0;    // of an external refund: as reported; `amount` excludes amounts booked before
  MinorUnits from_suspense = 0;      // of an external refund: the part debited to suspense, not to payable
  MinorUnits charged = 0;            // the part that the platform bears in place of the merchant
  MinorUnits returned_amount = 0;    // returned to us by the channel after it had succeeded (model/objects/return.h)
  MinorUnits fee_returned = 0;       // the part of the payment's fee returned with this refund
  MinorUnits fee_charged_again = 0;  // of the returned fees of the payment, charged again after returns of this refund
  std::int64_t attempts = 0;
  std::string out_refund_no;  // identifies the current attempt at the channel; assigned by us
  std::optional<Time> send_deadline;
  std::int64_t sends = 0;          // number of sends of this out_refund_no since the channel last had it
  std::int64_t last_evidence = 0;  // digest of the last recorded evidence; repeated evidence is not recorded
  std::optional<Time> due_at;
  Time created_at;
  std::int64_t version = 1;
};
BOOST_DESCRIBE_STRUCT(Refund, (),
                      (id, order_id, payment_id, merchant_id, channel_account_id, origin, merchant_refund_no,
                       channel_refund_no, receipt_id, amount, currency, state, reason, failure_code, failure_message,
                       reported_amount, from_suspense, charged, returned_amount, fee_returned, fee_charged_again,
                       attempts, out_refund_no, send_deadline, sends, last_evidence, due_at, created_at, version))
FINALITY_ROW(
    Refund, "refunds", child, "id",
    "order_id payment_id merchant_id channel_account_id origin merchant_refund_no receipt_id amount currency reason "
    "created_at",
    .about = "a refund to the payer (退款单), over all its attempts", .parent = "order_id", .due = Due::claim,
    .presence = 2, .is_usual = true)

inline constexpr auto refund_machine = [] {
  using enum RefundState;
  using E = RefundEvent;
  using namespace fsm;
  constexpr auto open_case = Actions::open_case;
  Table<RefundState, RefundEvent, RefundEffect> t{.name = "refund", .title = "退款单"};
  t.initial(pending);
  t.state(pending, RefundEffect::send);
  t.state(processing, RefundEffect::query);
  t.final_state(succeeded);
  t.final_state(failed);
  // clang-format off
  //                 pending               processing           succeeded         failed
  t.on(E::send,      {move_to(processing), keep,                keep,             refuse});
  t.on(E::accepted,  {move_to(processing), keep,                keep,             keep});
  t.on(E::refunded,  {move_to(succeeded),  move_to(succeeded),  keep,             keep + open_case});
  t.on(E::not_now,   {keep,                move_to(pending),    keep,             keep});
  t.on(E::try_again, {keep,                move_to(pending),    keep,             keep});
  t.on(E::refused,   {move_to(failed),     move_to(failed),     keep + open_case, keep});
  t.on(E::not_found, {keep,                move_to(pending),    keep + open_case, keep});
  t.on(E::unknown,   {move_to(processing), keep,                keep,             keep});
  // clang-format on
  return t;
}();
constexpr const auto& machine_of(RefundState) { return refund_machine; }

}  // namespace finality
