// Refund (退款单): returns a payment to the payer, in full or in part.
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
  send,       // commits the send deadline, before any byte is sent
  accepted,   // the channel has accepted the request and is processing it
  refunded,   // the payer has received the money
  not_now,    // temporarily refused: sent again with the same out_refund_no after a pause
  try_again,  // temporarily refused, and the out_refund_no is used up: sent again with a new out_refund_no
  refused,    // the channel refused the refund permanently
  not_found,  // the channel does not have the refund after the send deadline: sent again unchanged
  unknown,    // the channel sent no response, or one that cannot be verified
};
BOOST_DESCRIBE_ENUM(RefundEvent, send, accepted, refunded, not_now, try_again, refused, not_found, unknown)

/// Initiator of a refund. `channel`: an external refund, for example from the channel's console or after a complaint.
enum class RefundOrigin : std::uint8_t { merchant, channel };
BOOST_DESCRIBE_ENUM(RefundOrigin, merchant, channel)

/// The effect that a due refund or reversal produces.
enum class RefundEffect : std::uint8_t { none, send, query };
BOOST_DESCRIBE_ENUM(RefundEffect, none, send, query)

struct Refund {
  RefundId id;
  OrderId order_id;
  PaymentId payment_id;
  MerchantId merchant_id;
  ChannelAccountId channel_account_id;  // channel account of the payment
  RefundOrigin origin = RefundOrigin::merchant;
  std::string merchant_refund_no;                // empty for external refunds
  std::optional<std::string> channel_refund_no;  // only for external refunds; empty if not reported
  std::optional<ReceiptId> receipt_id;           // only for external refunds: the refunded receipt
  MinorUnits amount = 0;
  Currency currency;
  RefundState state = RefundState::pending;
  std::optional<std::string> reason;
  std::optional<std::string> failure_code;
  std::optional<std::string> failure_message;
  MinorUnits reported_amount = 0;    // external refund: reported amount; `amount` excludes the part already booked
  MinorUnits from_suspense = 0;      // external refund: part debited to `suspense` instead of `merchant_payable`
  MinorUnits charged = 0;            // part charged to the platform instead of the merchant
  MinorUnits returned_amount = 0;    // sum of the returns (退票) of this refund
  MinorUnits fee_returned = 0;       // part of the payment's fee that this refund returned to the merchant
  MinorUnits fee_charged_again = 0;  // returned fees that were charged again because this refund was returned
  std::int64_t attempts = 0;
  std::string out_refund_no;  // identifies the current attempt at the channel; assigned by us
  std::optional<Time> send_deadline;
  std::int64_t sends = 0;          // sends of this out_refund_no since the channel last reported it
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
