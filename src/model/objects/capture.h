// Capture (请款单): collects an amount that an authorization holds, in full or in part.
#pragma once

#include <optional>
#include <string>

#include "base/money.h"
#include "base/time/time.h"
#include "fsm/table.h"
#include "model/ids.h"
#include "model/row.h"

namespace finality {

enum class CaptureState : std::uint8_t { pending, processing, succeeded, failed };
BOOST_DESCRIBE_ENUM(CaptureState, pending, processing, succeeded, failed)

/// Events of a capture. classify_capture() derives them from evidence of the channel, except `send`.
enum class CaptureEvent : std::uint8_t {
  send,                    // the request is claimed; the send deadline is committed before any byte is sent
  accepted,                // the channel has accepted the request and is processing it
  captured,                // a new receipt was accepted for the order
  captured_unexpectedly,   // a new receipt arrived after the authorization had ended, or is the capture's second
  captured_after_failure,  // a new receipt arrived for a failed capture
  captured_mismatch,       // a new receipt has another amount or currency than the capture
  refused,                 // the channel refused the capture permanently
  not_now,                 // temporarily refused: sent again with the same number after a pause
  not_found,               // the channel does not have the capture after the send deadline: sent again unchanged
  unknown,                 // the channel sent no response, or one that cannot be verified
  already_known,           // the evidence repeats a known receipt
};
BOOST_DESCRIBE_ENUM(CaptureEvent, send, accepted, captured, captured_unexpectedly, captured_after_failure,
                    captured_mismatch, refused, not_now, not_found, unknown, already_known)

/// The effect that a due capture produces.
enum class CaptureEffect : std::uint8_t { none, send, query };
BOOST_DESCRIBE_ENUM(CaptureEffect, none, send, query)

/// Initiator of a capture. `deadline`: Finality, at the deadline of captures (on_capture_deadline). `channel`: an
/// external capture, for example from the channel's console.
enum class CaptureOrigin : std::uint8_t { merchant, deadline, channel };
BOOST_DESCRIBE_ENUM(CaptureOrigin, merchant, deadline, channel)

struct Capture {
  CaptureId id;
  OrderId order_id;
  AuthorizationId authorization_id;
  MerchantId merchant_id;
  ChannelAccountId channel_account_id;  // channel account of the authorization
  CaptureOrigin origin = CaptureOrigin::merchant;
  std::string merchant_capture_no;  // empty unless the origin is `merchant`
  std::int64_t ordinal = 0;         // 1 for the first capture of the order
  MinorUnits amount = 0;
  Currency currency;
  bool is_final = false;  // the rest of the hold is released with this capture
  CaptureState state = CaptureState::pending;
  std::string out_trade_no;  // identifies the capture at the channel; of an external capture as reported, may be empty
  std::optional<std::string> channel_trade_no;
  std::optional<std::string> failure_code;  // while open: of a refusal that a query has not confirmed yet
  std::optional<std::string> failure_message;
  MinorUnits fee_amount = 0;       // fee charged when the capture succeeded
  bool fee_refundable = false;     // Fee::refundable when the capture succeeded
  MinorUnits paid_amount = 0;      // sum of its receipts in `currency`
  MinorUnits reversed_amount = 0;  // sum of its returned receipts in `currency`
  MinorUnits refunded_amount = 0;  // sum of the refunds of its accepted receipt
  bool is_total_queried = false;   // the trade is queried for its refunded total
  std::optional<Time> send_deadline;
  std::int64_t sends = 0;          // sends since the channel last reported the capture
  std::int64_t last_evidence = 0;  // digest of the last recorded evidence; repeated evidence is not recorded
  std::optional<Time> due_at;
  Time created_at;
  std::int64_t version = 1;
};
BOOST_DESCRIBE_STRUCT(Capture, (),
                      (id, order_id, authorization_id, merchant_id, channel_account_id, origin, merchant_capture_no,
                       ordinal, amount, currency, is_final, state, out_trade_no, channel_trade_no, failure_code,
                       failure_message, fee_amount, fee_refundable, paid_amount, reversed_amount, refunded_amount,
                       is_total_queried, send_deadline, sends, last_evidence, due_at, created_at, version))
FINALITY_ROW(Capture, "captures", child, "id",
             "order_id authorization_id merchant_id channel_account_id origin merchant_capture_no ordinal amount "
             "currency is_final out_trade_no created_at",
             .about = "the collection of an amount that an authorization holds (请款单)", .parent = "order_id",
             .due = Due::claim, .presence = 8)

inline constexpr auto capture_machine = [] {
  using enum CaptureState;
  using E = CaptureEvent;
  using namespace fsm;
  constexpr auto reverse = Actions::reverse;
  constexpr auto open_case = Actions::open_case;
  constexpr auto no = impossible;
  Table<CaptureState, CaptureEvent, CaptureEffect> t{.name = "capture", .title = "请款单"};
  t.initial(pending);
  t.state(pending, CaptureEffect::send);
  t.state(processing, CaptureEffect::query);
  t.final_state(succeeded);
  t.final_state(failed);
  // clang-format off
  //                              pending                      processing                   succeeded         failed
  t.on(E::send,                   {move_to(processing),         keep,                        keep,             refuse});
  t.on(E::accepted,               {move_to(processing),         keep,                        keep,             keep});
  t.on(E::captured,               {move_to(succeeded),          move_to(succeeded),          no,               no});
  t.on(E::captured_unexpectedly,  {move_to(failed) + reverse,   move_to(failed) + reverse,   keep + reverse,   no});
  t.on(E::captured_after_failure, {no,                          no,                          no,               keep + reverse + open_case});
  t.on(E::captured_mismatch,      {move_to(failed) + open_case, move_to(failed) + open_case, keep + open_case, keep + open_case});
  t.on(E::refused,                {move_to(failed),             move_to(failed),             keep + open_case, keep});
  t.on(E::not_now,                {keep,                        move_to(pending),            keep,             keep});
  t.on(E::not_found,              {keep,                        move_to(pending),            keep + open_case, keep});
  t.on(E::unknown,                {move_to(processing),         keep,                        keep,             keep});
  t.on(E::already_known,          {keep,                        keep,                        keep,             keep});
  // clang-format on
  return t;
}();
constexpr const auto& machine_of(CaptureState) { return capture_machine; }

}  // namespace finality
