// Payment (支付单): one attempt to pay an order over one channel. Its state machine defines a result for each event in
// each state.
#pragma once

#include <optional>
#include <string>

#include "base/money.h"
#include "base/time/time.h"
#include "fsm/table.h"
#include "model/ids.h"
#include "model/row.h"

namespace finality {

enum class PaymentState : std::uint8_t { created, processing, pending, succeeded, failed, closed };
BOOST_DESCRIBE_ENUM(PaymentState, created, processing, pending, succeeded, failed, closed)

/// Events of a payment. classify() derives them from evidence of the channel, except `send` and `close_locally`.
enum class PaymentEvent : std::uint8_t {
  send,                     // commits the send deadline, before any byte is sent
  waiting,                  // the channel waits for the payer
  paid,                     // a new receipt was accepted for the order
  paid_unexpectedly,        // a new receipt matches, but order or payment is already final
  paid_after_failure,       // a new receipt arrived for a failed payment
  paid_mismatch,            // a new receipt has another amount or currency than the payment
  failed,                   // the channel refused the payment permanently
  closed,                   // the channel closed the trade unpaid
  not_found,                // the channel does not have the trade, and the send deadline has passed
  not_found_while_closing,  // not_found while the payment is to be closed
  unknown,                  // the channel sent no response, or one that cannot be verified
  already_known,            // the evidence repeats a known receipt, or is older than the final evidence
  close_locally,            // the payment is closed without querying the channel (ClosePolicy::local)
};
BOOST_DESCRIBE_ENUM(PaymentEvent, send, waiting, paid, paid_unexpectedly, paid_after_failure, paid_mismatch, failed,
                    closed, not_found, not_found_while_closing, unknown, already_known, close_locally)

/// The effect that a due payment produces. `chase`: query the trade of a closed payment until the channel has closed
/// the trade.
enum class PaymentEffect : std::uint8_t { none, send, query, query_or_close, chase };
BOOST_DESCRIBE_ENUM(PaymentEffect, none, send, query, query_or_close, chase)

/// How the payer starts to pay: open a URL, scan a QR code, or submit a form.
enum class ActionType : std::uint8_t { none, redirect, qr_code, form };
BOOST_DESCRIBE_ENUM(ActionType, none, redirect, qr_code, form)

struct Payment {
  PaymentId id;
  OrderId order_id;
  MerchantId merchant_id;
  std::optional<std::string> merchant_payment_no;
  std::string channel;                  // the name of the channel account
  ChannelAccountId channel_account_id;  // also used for refunds, reversals and queries of this payment
  std::string method;
  PaymentState state = PaymentState::created;
  MinorUnits amount = 0;
  Currency currency;
  MinorUnits paid_amount = 0;      // sum of its receipts in `currency`
  MinorUnits reversed_amount = 0;  // sum of its returned receipts in `currency`
  std::string out_trade_no;        // identifies the payment at the channel; assigned by us
  std::optional<std::string> channel_trade_no;
  ActionType action_type = ActionType::none;
  std::optional<std::string> action_url;
  std::optional<std::string> action_code;
  std::optional<std::string> failure_code;
  std::optional<std::string> failure_message;
  std::optional<std::string> scenario;
  std::optional<AccountId> account_id;        // only for the wallet: the debited user account
  MinorUnits fee_amount = 0;                  // fee charged when the payment succeeded
  bool fee_refundable = false;                // Fee::refundable when the payment succeeded
  std::string payer;                          // JSON: openid, auth_code, client_ip; empty when not given
  std::optional<Time> outstanding_since;      // start of waiting for the result; kept after a local close
  std::optional<Time> send_deadline;          // after this time, the request cannot be sent any more
  std::optional<Time> final_evidence_at;      // time of the final evidence; results of earlier queries are stale
  bool close_pending = false;                 // the trade is still to be closed at the channel
  std::optional<std::string> query_total_of;  // channel_trade_no whose refunded total is queried
  std::int64_t sends = 0;                     // sends since the channel last reported the trade
  std::int64_t last_evidence = 0;             // digest of the last recorded evidence; repeated evidence is not recorded
  std::optional<Time> due_at;
  Time created_at;
  std::int64_t version = 1;
};
BOOST_DESCRIBE_STRUCT(Payment, (),
                      (id, order_id, merchant_id, merchant_payment_no, channel, channel_account_id, method, state,
                       amount, currency, paid_amount, reversed_amount, out_trade_no, channel_trade_no, action_type,
                       action_url, action_code, failure_code, failure_message, scenario, account_id, fee_amount,
                       fee_refundable, payer, outstanding_since, send_deadline, final_evidence_at, close_pending,
                       query_total_of, sends, last_evidence, due_at, created_at, version))
FINALITY_ROW(Payment, "payments", child, "id",
             "order_id merchant_id merchant_payment_no channel channel_account_id method amount currency out_trade_no "
             "scenario account_id payer "
             "created_at",
             .about = "one attempt to pay an order over one channel (支付单)", .parent = "order_id", .due = Due::claim,
             .presence = 0, .is_usual = true)

inline constexpr auto payment_machine = [] {
  using enum PaymentState;
  using E = PaymentEvent;
  using namespace fsm;
  constexpr auto reverse = Actions::reverse;
  constexpr auto open_case = Actions::open_case;
  constexpr auto no = impossible;
  Table<PaymentState, PaymentEvent, PaymentEffect> t{.name = "payment", .title = "支付单"};
  t.initial(created);
  t.state(created, PaymentEffect::send);
  t.state(processing, PaymentEffect::query);
  t.state(pending, PaymentEffect::query_or_close);
  t.final_state(succeeded);
  t.final_state(failed);
  t.final_state(closed, PaymentEffect::chase);
  // clang-format off
  //                          created                       processing                    pending                       succeeded         failed                     closed
  t.on(E::send,               {move_to(processing),         keep,                         refuse,                       keep,             refuse,                    refuse});
  t.on(E::waiting,            {move_to(pending),            move_to(pending),             keep,                         keep,             keep,                      keep});
  t.on(E::paid,               {move_to(succeeded),          move_to(succeeded),           move_to(succeeded),           no,               no,                        no});
  t.on(E::paid_unexpectedly,  {move_to(closed) + reverse,   move_to(closed) + reverse,    move_to(closed) + reverse,    keep + reverse,   no,                        keep + reverse});
  t.on(E::paid_after_failure, {no,                          no,                           no,                           no,               keep + reverse + open_case, no});
  t.on(E::paid_mismatch,      {move_to(failed) + open_case, move_to(failed) + open_case,  move_to(failed) + open_case,  keep + open_case, keep + open_case,          keep + open_case});
  t.on(E::failed,             {move_to(failed),             move_to(failed),              move_to(failed),              keep + open_case, keep,                      keep});
  t.on(E::closed,             {move_to(closed),             move_to(closed),              move_to(closed),              keep + open_case, keep,                      keep});
  t.on(E::not_found,          {keep,                        move_to(created),             keep,                         keep + open_case, keep,                      keep});
  t.on(E::not_found_while_closing,
                              {move_to(closed),             move_to(closed),              move_to(closed),              keep + open_case, keep,                      keep});
  t.on(E::unknown,            {move_to(processing),         keep,                         move_to(processing),          keep,             keep,                      keep});
  t.on(E::already_known,              {keep,                        keep,                         keep,                         keep,             keep,                      keep});
  t.on(E::close_locally,      {move_to(closed),             move_to(closed),              move_to(closed),              refuse,           keep,                      keep});
  // clang-format on
  return t;
}();
constexpr const auto& machine_of(PaymentState) { return payment_machine; }

}  // namespace finality
