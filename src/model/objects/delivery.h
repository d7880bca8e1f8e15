// Delivery: one outgoing webhook to one URL. All attempts to deliver it have the same id.
#pragma once

#include <optional>
#include <string>

#include "base/time/time.h"
#include "fsm/table.h"
#include "model/ids.h"
#include "model/objects/webhook_endpoint.h"
#include "model/row.h"

namespace finality {

enum class DeliveryState : std::uint8_t { pending, delivered, exhausted, given_up };
BOOST_DESCRIBE_ENUM(DeliveryState, pending, delivered, exhausted, given_up)

enum class DeliveryEvent : std::uint8_t {
  acknowledged,      // the receiver acknowledged the webhook
  unanswered,        // an attempt was not acknowledged; it is repeated on schedule
  attempts_used_up,  // the last scheduled attempt failed
  resend,            // a client requested another attempt over the API
  give_up,           // operators stopped the delivery
  unwanted,          // the endpoint was deleted, or was disabled by a response with status 410
};
BOOST_DESCRIBE_ENUM(DeliveryEvent, acknowledged, unanswered, attempts_used_up, resend, give_up, unwanted)

/// The effect that a due delivery produces: its next attempt, or none.
enum class DeliveryEffect : std::uint8_t { none, deliver };
BOOST_DESCRIBE_ENUM(DeliveryEffect, none, deliver)

struct Delivery {
  DeliveryId id;
  MerchantId merchant_id;
  OrderId order_id;
  std::optional<WebhookEndpointId> endpoint_id;  // empty: sent to the order's notify_url
  std::string url;
  Acknowledge acknowledge = Acknowledge::status;
  std::string type;
  std::string body;
  DeliveryState state = DeliveryState::pending;
  std::int64_t attempts = 0;
  std::optional<std::int64_t> last_status;
  std::optional<std::string> last_error;
  std::optional<Time> due_at;
  Time created_at;
  std::optional<Time> delivered_at;
  std::int64_t children = 0;  // bit set of the child types with rows, computed by presence_of()
  std::int64_t version = 1;
};
BOOST_DESCRIBE_STRUCT(Delivery, (),
                      (id, merchant_id, order_id, endpoint_id, url, acknowledge, type, body, state, attempts,
                       last_status, last_error, due_at, created_at, delivered_at, children, version))
FINALITY_ROW(Delivery, "deliveries", root, "id",
             "merchant_id order_id endpoint_id url acknowledge type body created_at",
             .about = "one webhook to one URL, over all its attempts", .due = Due::claim)

inline constexpr auto delivery_machine = [] {
  using enum DeliveryState;
  using E = DeliveryEvent;
  using namespace fsm;
  Table<DeliveryState, DeliveryEvent, DeliveryEffect> t{.name = "delivery", .title = "通知"};
  t.initial(pending);
  t.state(pending, DeliveryEffect::deliver);
  t.final_state(delivered);
  t.final_state(given_up);
  // clang-format off
  //                        pending                                    delivered  exhausted            given_up
  t.on(E::acknowledged,     {move_to(delivered),                       keep,      move_to(delivered),  keep});
  t.on(E::unanswered,       {keep,                                     keep,      keep,                keep});
  t.on(E::attempts_used_up, {move_to(exhausted) + Actions::open_case,  keep,      keep,                keep});
  t.on(E::resend,           {keep,                                     keep,      move_to(pending),    refuse});
  t.on(E::give_up,          {refuse,                                   refuse,    move_to(given_up),   keep});
  t.on(E::unwanted,         {move_to(given_up),                        keep,      keep,                keep});
  // clang-format on
  return t;
}();
constexpr const auto& machine_of(DeliveryState) { return delivery_machine; }

}  // namespace finality
