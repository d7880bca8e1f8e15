#include "wire/authorization_wire.h"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <ranges>

#include "wire/object_parts.h"

namespace finality::wire {
namespace {

namespace json = boost::json;

// `aggregate`: null omits the settlement.
json::object capture_object(const Capture& capture, const OrderAggregate* aggregate,
                            const json::storage_ptr& memory = {}) {
  json::object out({{"id", to_text(capture.id)},
                    {"object", "capture"},
                    {"authorization", to_text(capture.authorization_id)},
                    {"order", to_text(capture.order_id)},
                    {"origin", name_of(capture.origin)}},
                   kFields, memory);
  if (capture.origin == CaptureOrigin::merchant) out.emplace("merchant_capture_no", capture.merchant_capture_no);
  out.emplace("amount", capture.amount);
  out.emplace("currency", capture.currency.text());
  out.emplace("state", name_of(capture.state));
  out.emplace("final", capture.is_final);
  add_failure(out, capture.failure_code, capture.failure_message);
  if (!capture.out_trade_no.empty()) out.emplace("out_trade_no", capture.out_trade_no);
  add_optional(out, "channel_trade_no", capture.channel_trade_no);
  out.emplace("fee_amount", capture.fee_amount);
  out.emplace("refunded_amount", capture.refunded_amount);
  out.emplace("created_at", to_rfc3339(capture.created_at));
  out.emplace("version", capture.version);
  if (aggregate != nullptr) add_settlement_of_collector(out, *aggregate, capture.id);
  return out;
}

// `aggregate`: null omits the settlements of the captures.
json::object authorization_object(const Authorization& row, std::span<const Capture> captures,
                                  const OrderAggregate* aggregate, const json::storage_ptr& memory = {}) {
  json::object out({{"id", to_text(row.id)}, {"object", "authorization"}, {"order", to_text(row.order_id)}}, memory);
  add_optional(out, "merchant_payment_no", row.merchant_payment_no);
  out.emplace("channel", row.channel);
  out.emplace("channel_account", to_text(row.channel_account_id));
  out.emplace("method", row.method);
  out.emplace("state", name_of(row.state));
  out.emplace("amount", row.amount);
  out.emplace("authorized_amount", row.authorized_amount);
  out.emplace("currency", row.currency.text());
  out.emplace("captured_amount", row.captured_amount);
  out.emplace("released_amount", row.released_amount);
  add_optional(out, "account", row.account_id);
  out.emplace("out_trade_no", row.out_trade_no);
  add_optional(out, "channel_trade_no", row.channel_trade_no);
  out.emplace("action", action_of(row, memory));
  add_failure(out, row.failure_code, row.failure_message);
  add_optional(out, "capture_before", row.capture_before);
  if (row.end_reason) out.emplace("end_reason", name_of(*row.end_reason));
  out.emplace("unfunded", row.unfunded);
  json::array& list = out.emplace("captures", json::array_kind).first->value().get_array();
  for (const Capture& capture : captures)
    if (capture.authorization_id == row.id) list.push_back(capture_object(capture, aggregate, memory));
  out.emplace("created_at", to_rfc3339(row.created_at));
  out.emplace("version", row.version);
  return out;
}

// Whether the authorization holds an amount for its order, or held it until its end. A late hold never was for the
// order.
bool has_held(const Authorization& row) {
  return row.authorized_amount > 0 && row.end_reason != EndReason::late && row.state != AuthorizationState::failed &&
         row.state != AuthorizationState::closed;
}

}  // namespace

std::string authorization_json(const Authorization& authorization, std::span<const Capture> captures) {
  return json::serialize(authorization_object(authorization, captures, nullptr));
}
std::string authorization_json(const Authorization& authorization, const OrderAggregate& aggregate) {
  return json::serialize(authorization_object(authorization, aggregate.captures, &aggregate));
}

std::string capture_json(const Capture& capture) { return json::serialize(capture_object(capture, nullptr)); }
std::string capture_json(const Capture& capture, const OrderAggregate& aggregate) {
  return json::serialize(capture_object(capture, &aggregate));
}

void add_authorizations(json::object& out, const OrderAggregate& aggregate, const json::storage_ptr& memory) {
  const auto newest_first = aggregate.authorizations | std::views::reverse;
  const auto holder = std::ranges::find_if(newest_first, has_held);
  const bool is_held = holder != newest_first.end();
  out.emplace("authorized_amount", is_held ? holder->authorized_amount : 0);
  if (is_held) add_optional(out, "capture_before", holder->capture_before);
  json::array& list = out.emplace("authorizations", json::array_kind).first->value().get_array();
  for (const Authorization& row : aggregate.authorizations)
    list.push_back(authorization_object(row, aggregate.captures, &aggregate, memory));
}

}  // namespace finality::wire
