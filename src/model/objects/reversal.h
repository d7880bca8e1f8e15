// Reversal (冲退, 原路退回): automatic refund of one receipt that was not accepted for its order. Failed attempts
// are repeated without a limit.
#pragma once

#include <optional>
#include <string>

#include "base/money.h"
#include "base/time/time.h"
#include "fsm/table.h"
#include "model/ids.h"
#include "model/objects/refund.h"
#include "model/row.h"

namespace finality {

enum class ReversalState : std::uint8_t { pending, processing, blocked, succeeded, settled_offline };
BOOST_DESCRIBE_ENUM(ReversalState, pending, processing, blocked, succeeded, settled_offline)

enum class ReversalEvent : std::uint8_t {
  send,
  accepted,
  refunded,
  not_now,
  try_again,
  refused,
  not_found,
  unknown,
  nothing_left,     // external refunds have returned the receipt in full
  retry,            // operators requested an immediate attempt
  settled_offline,  // operators confirmed that the payer was paid outside the channel
};
BOOST_DESCRIBE_ENUM(ReversalEvent, send, accepted, refunded, not_now, try_again, refused, not_found, unknown,
                    nothing_left, retry, settled_offline)

struct Reversal {
  ReversalId id;
  OrderId order_id;
  PaymentId payment_id;  // 0 if a capture collected the receipt
  std::optional<CaptureId> capture_id;
  ReceiptId receipt_id;
  MerchantId merchant_id;
  ChannelAccountId channel_account_id;  // channel account of the payment
  MinorUnits amount = 0;                // amount of the receipt minus its external refunds
  Currency currency;
  ReversalState state = ReversalState::pending;
  std::optional<std::string> failure_code;
  std::optional<std::string> failure_message;
  std::int64_t attempts = 0;
  std::string out_refund_no;
  std::optional<Time> send_deadline;
  std::int64_t sends = 0;          // sends of this out_refund_no since the channel last reported it
  std::int64_t last_evidence = 0;  // digest of the last recorded evidence; repeated evidence is not recorded
  std::optional<Time> due_at;
  Time created_at;
  std::int64_t version = 1;
};
BOOST_DESCRIBE_STRUCT(Reversal, (),
                      (id, order_id, payment_id, capture_id, receipt_id, merchant_id, channel_account_id, amount,
                       currency, state, failure_code, failure_message, attempts, out_refund_no, send_deadline, sends,
                       last_evidence, due_at, created_at, version))
FINALITY_ROW(Reversal, "reversals", child, "id",
             "order_id payment_id capture_id receipt_id merchant_id channel_account_id currency created_at",
             .about = "the automatic return of a receipt that was not accepted (冲退)", .parent = "order_id",
             .due = Due::claim, .presence = 3)

inline constexpr auto reversal_machine = [] {
  using enum ReversalState;
  using E = ReversalEvent;
  using namespace fsm;
  constexpr auto open_case = Actions::open_case;
  Table<ReversalState, ReversalEvent, RefundEffect> t{.name = "reversal", .title = "冲退"};
  t.initial(pending);
  t.state(pending, RefundEffect::send);
  t.state(processing, RefundEffect::query);
  t.state(blocked, RefundEffect::send);
  t.final_state(succeeded);
  t.final_state(settled_offline);
  // clang-format off
  //                      pending                        processing                     blocked                  succeeded         settled_offline
  t.on(E::send,            {move_to(processing),          keep,                          move_to(processing),     keep,             refuse});
  t.on(E::accepted,        {move_to(processing),          keep,                          move_to(processing),     keep,             keep});
  t.on(E::refunded,        {move_to(succeeded),           move_to(succeeded),            move_to(succeeded),      keep,             keep + open_case});
  t.on(E::not_now,         {keep,                         move_to(pending),              keep,                    keep,             keep});
  t.on(E::try_again,       {keep,                         move_to(pending),              keep,                    keep,             keep});
  t.on(E::refused,         {move_to(blocked) + open_case, move_to(blocked) + open_case,  keep,                    keep + open_case, keep});
  t.on(E::not_found,       {keep,                         move_to(pending),              keep,                    keep + open_case, keep});
  t.on(E::unknown,         {move_to(processing),          keep,                          move_to(processing),     keep,             keep});
  t.on(E::nothing_left,    {move_to(succeeded),           keep,                          move_to(succeeded),      keep,             keep});
  t.on(E::retry,           {keep,                         keep,                          move_to(pending),        refuse,           refuse});
  t.on(E::settled_offline, {refuse,                       refuse,                        move_to(settled_offline), refuse,           keep});
  // clang-format on
  return t;
}();
constexpr const auto& machine_of(ReversalState) { return reversal_machine; }

}  // namespace finality
