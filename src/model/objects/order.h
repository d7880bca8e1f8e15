// Order (主单): an amount that a payer is asked to pay to a merchant. Each order reaches exactly one final state.
#pragma once

#include <optional>
#include <string>

#include "base/crypto/crypto.h"
#include "base/money.h"
#include "base/time/time.h"
#include "fsm/table.h"
#include "model/ids.h"
#include "model/row.h"

namespace finality {

enum class OrderState : std::uint8_t { pending, processing, authorized, succeeded, failed, closed };
BOOST_DESCRIBE_ENUM(OrderState, pending, processing, authorized, succeeded, failed, closed)

enum class OrderEvent : std::uint8_t {
  payment_started,     // a new payment or authorization was created
  result_outstanding,  // a payment or authorization is about to be sent, or has no result yet
  result_received,     // all payments and authorizations have a result
  authorized,          // a channel holds the amount for the order
  paid,                // a receipt was accepted; with manual capture: the authorization ended with captures
  attempts_used_up,    // the last attempt that `attempts` allows failed or was closed
  close_requested,     // the merchant requested to close the order, or it expired
  closed,              // a close was requested, and no payment is open any more
};
BOOST_DESCRIBE_ENUM(OrderEvent, payment_started, result_outstanding, result_received, authorized, paid,
                    attempts_used_up, close_requested, closed)

/// The effect that a due order produces: its expiry, or none.
enum class OrderEffect : std::uint8_t { none, expire };
BOOST_DESCRIBE_ENUM(OrderEffect, none, expire)

enum class ClosedReason : std::uint8_t { expired, cancelled };
BOOST_DESCRIBE_ENUM(ClosedReason, expired, cancelled)

/// How an order with an open payment is closed. `ask`: the channel is queried first, and the order stays open until the
/// payment has a result. `local`: the order closes immediately; the trade is closed at the channel afterwards.
enum class ClosePolicy : std::uint8_t { ask, local };
BOOST_DESCRIBE_ENUM(ClosePolicy, ask, local)

/// How the money of an order is collected. `automatic`: by a payment. `manual`: a channel reserves the amount
/// (Authorization), and captures collect it later.
enum class CaptureMethod : std::uint8_t { automatic, manual };
BOOST_DESCRIBE_ENUM(CaptureMethod, automatic, manual)

/// What happens at the deadline of captures to the amount that is still held: it is released, or captured.
enum class CaptureDeadlineAction : std::uint8_t { release, capture };
BOOST_DESCRIBE_ENUM(CaptureDeadlineAction, release, capture)

struct Order {
  OrderId id;
  MerchantId merchant_id;
  std::string merchant_order_no;
  Hash16 fingerprint{};  // hash of the request, to detect a different request with the same merchant_order_no
  MinorUnits amount = 0;
  Currency currency;
  std::string subject;
  OrderState state = OrderState::pending;
  bool close_requested = false;
  std::optional<ClosedReason> close_reason;  // reason of the requested close; constant once the order is closed
  MinorUnits paid_amount = 0;
  MinorUnits refunded_amount = 0;
  CaptureMethod capture_method = CaptureMethod::automatic;
  std::optional<std::int64_t> capture_within;  // seconds from the authorization to the deadline of captures
  CaptureDeadlineAction on_capture_deadline = CaptureDeadlineAction::release;
  std::optional<std::int64_t> attempts;  // maximum number of payments or authorizations; if empty, limits::kAttemptsMax
  ClosePolicy close_policy = ClosePolicy::ask;
  Time expires_at;
  std::optional<std::string> return_url;
  std::optional<std::string> notify_url;
  std::string metadata;  // JSON object of strings, or empty
  /// The methods that the checkout page offers (model/checkout_method.h); empty: all that the order can be paid with.
  std::string methods;
  bool parked = false;  // a command violated an invariant: no requests are sent until operators release the order
  std::optional<Time> due_at;
  Time created_at;
  std::optional<Time> closed_at;
  std::int64_t children = 0;  // bit set of the child types with rows, computed by presence_of()
  std::int64_t version = 1;
};
BOOST_DESCRIBE_STRUCT(Order, (),
                      (id, merchant_id, merchant_order_no, fingerprint, amount, currency, subject, state,
                       close_requested, close_reason, paid_amount, refunded_amount, capture_method, capture_within,
                       on_capture_deadline, attempts, close_policy, expires_at, return_url, notify_url, metadata,
                       methods, parked, due_at, created_at, closed_at, children, version))
FINALITY_ROW(Order, "orders", root, "id",
             "merchant_id merchant_order_no fingerprint amount currency subject capture_method capture_within "
             "on_capture_deadline attempts close_policy "
             "expires_at return_url notify_url metadata methods created_at",
             .about = "an order (主单)", .due = Due::step)

inline constexpr auto order_machine = [] {
  using enum OrderState;
  using E = OrderEvent;
  using namespace fsm;
  Table<OrderState, OrderEvent, OrderEffect> t{.name = "order", .title = "主单"};
  t.initial(pending);
  t.state(pending, OrderEffect::expire);
  t.state(processing, OrderEffect::expire);
  t.state(authorized, OrderEffect::none);
  t.final_state(succeeded);
  t.final_state(failed);
  t.final_state(closed);
  // clang-format off
  //                        pending              processing           authorized          succeeded   failed      closed
  t.on(E::payment_started,    {move_to(processing), refuse,              refuse,             refuse,     refuse,     refuse});
  t.on(E::result_outstanding, {move_to(processing), keep,                keep,               keep,       keep,       keep});
  t.on(E::result_received,    {keep,                move_to(pending),    keep,               keep,       keep,       keep});
  t.on(E::authorized,         {move_to(authorized), move_to(authorized), keep,               impossible, impossible, impossible});
  t.on(E::paid,               {move_to(succeeded),  move_to(succeeded),  move_to(succeeded), impossible, impossible, impossible});
  t.on(E::attempts_used_up,   {move_to(failed),     move_to(failed),     impossible,         impossible, impossible, impossible});
  t.on(E::close_requested,    {keep,                keep,                keep,               refuse,     keep,       keep});
  t.on(E::closed,             {move_to(closed),     move_to(closed),     move_to(closed),    impossible, impossible, impossible});
  // clang-format on
  return t;
}();
constexpr const auto& machine_of(OrderState) { return order_machine; }

}  // namespace finality
