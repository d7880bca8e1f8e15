// Endpoints for orders: POST /v1/orders · GET /v1/orders/{id} · GET /v1/orders
// POST /v1/orders/{id}/payments · POST /v1/orders/{id}/close
// authorizations.cpp has POST /v1/orders/{id}/authorizations.
#include <utility>

#include "http/input/fields.h"
#include "http/input/payment_fields.h"
#include "http/input/query_params.h"
#include "http/resources/resources.h"
#include "http/resources/start_attempt.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "model/natural_key.h"
#include "model/payer_link.h"
#include "query/lists.h"
#include "query/refusals.h"
#include "query/show.h"

namespace finality::http {
namespace {

// Returns the text of the fields about captures in the fingerprint. That of automatic orders does not change, so that
// their stored fingerprints remain valid.
std::string capture_text(const CreateOrder& order) {
  std::string text(name_of(order.capture_method));
  if (order.capture_method == CaptureMethod::automatic) return text;
  text += '/' + std::to_string(order.capture_within.value_or(0));
  text += '/';
  return text += name_of(order.on_capture_deadline);
}

// Returns a hash of all fields that must be equal when a request is repeated. Absent fields have their default value.
Hash16 fingerprint_of(const CreateOrder& order) {
  const PaymentFields payment = order.payment.value_or(PaymentFields{});
  // Appended to the payer's JSON instead of hashed as another part, so that stored fingerprints of orders without an
  // account and without methods remain valid.
  std::string more = payment.account_id ? to_text(*payment.account_id) : "";
  if (!order.methods.empty()) more += "/methods " + text_of(order.methods);
  return hash_of_parts(
      order.merchant_id, "order",
      {order.merchant_order_no, std::to_string(order.amount), order.currency.text(), order.subject,
       std::to_string(order.expires_in.count()), std::to_string(order.attempts.value_or(0)),
       name_of(order.close_policy), capture_text(order), order.notify_url.value_or(""), order.return_url.value_or(""),
       order.metadata, payment.requested_channel.empty() ? payment.channel : payment.requested_channel, payment.method,
       payment.merchant_payment_no.value_or(""), payment.scenario.value_or(""), payment.payer + more});
}

// Reads the fields that decide how the order's money is collected. `capture_within` and `on_capture_deadline` are only
// allowed with manual capture.
void read_capture_fields(Fields& fields, CreateOrder& order) {
  order.capture_method = fields.optional_choice<CaptureMethod>("capture_method").value_or(CaptureMethod::automatic);
  order.capture_within = fields.optional_integer("capture_within", 1, limits::kCaptureWithinMaxSeconds);
  order.on_capture_deadline =
      fields.optional_choice<CaptureDeadlineAction>("on_capture_deadline").value_or(CaptureDeadlineAction::release);
  if (order.capture_method == CaptureMethod::manual) return;
  for (const std::string_view name : {"capture_within", "on_capture_deadline"})
    if (fields.has(name)) fields.refuse(name, "is only allowed with the capture_method manual");
}

CreateOrder read_order(Fields& fields, MerchantId merchant, const Services& services) {
  const Policy& policy = services.policy;
  CreateOrder order;
  order.merchant_id = merchant;
  order.merchant_order_no = fields.text("merchant_order_no", limits::kMerchantNumberMax);
  order.amount = fields.amount("amount");
  order.currency = fields.currency("currency");
  order.subject = fields.text("subject", limits::kSubjectMax);
  order.expires_in = std::chrono::seconds(fields.optional_integer("expires_in", 1, limits::kExpiresInMaxSeconds)
                                              .value_or(limits::kExpiresInDefaultSeconds));
  order.attempts = fields.optional_integer("attempts", 1, limits::kAttemptsMax);
  order.close_policy = fields.optional_choice<ClosePolicy>("close_policy").value_or(ClosePolicy::ask);
  read_capture_fields(fields, order);
  order.notify_url = fields.optional_target("notify_url", policy.allow_private);
  order.return_url = fields.optional_url("return_url");
  order.metadata = fields.optional_metadata("metadata");
  order.methods = read_checkout_methods(fields, policy, merchant, order.capture_method);
  std::optional<Fields> payment = fields.optional_object("payment");
  if (payment) order.payment = read_payment_fields(*payment, policy, merchant, order.capture_method);
  order.fingerprint = fingerprint_of(order);  // before routing, because a retry can be routed differently
  if (!payment) return order;
  route(*order.payment, services,
        {.merchant = merchant,
         .currency = order.currency,
         .amount = order.amount,
         .authorizes = order.capture_method == CaptureMethod::manual});
  check_payment_fields(*payment, *order.payment, policy);
  return order;
}

void create_order(Api& api, const HttpExchangePtr& exchange) {
  const MerchantId merchant = exchange->principal().merchant_id;
  auto fields = Fields::parse(exchange->request().body);
  if (!fields) return exchange->refuse(fields.error());
  CreateOrder order = read_order(*fields, merchant, api.services);
  if (const auto checked = fields->finish(); !checked) return exchange->refuse(checked.error());
  const bool pays = order.payment.has_value();
  submit(api, exchange, {.command = std::move(order), .merchant_id = merchant, .await_answer = pays});
}

void close_order(Api& api, const HttpExchangePtr& exchange) {
  const MerchantId merchant = exchange->principal().merchant_id;
  if (!has_no_fields(exchange)) return;
  const OrderId order = parse_id<OrderId>(exchange->parameter()).value_or(OrderId{});
  submit(api, exchange,
         {.command = CloseOrder{merchant, order, ClosedReason::cancelled},
          .merchant_id = merchant,
          .archived_order = [order](Reader&) { return order.value; }});
}

void get_order(Api& api, const HttpExchangePtr& exchange) {
  read(api, exchange, [&api, exchange](Reader& reader) -> HttpReply {
    const auto id = parse_id<OrderId>(exchange->parameter());
    if (!id) return std::unexpected(query::no_such("order"));
    return shown(query::show_order(reader, api.services.policy, exchange->principal().merchant_id, *id));
  });
}

void list_orders(Api& api, const HttpExchangePtr& exchange) {
  QueryParams params(exchange->request().query());
  OrderFilter filter;
  filter.merchant_order_no = params.text("merchant_order_no", limits::kMerchantNumberMax);
  filter.state = params.choice<OrderState>("state");
  const auto [from, to] = params.time_range("created_from", "created_to");
  filter.created_from = from;
  filter.created_to = to;
  const Page page = params.page<OrderId>();
  if (const auto checked = params.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange, [&api, merchant = exchange->principal().merchant_id, filter, page](Reader& reader) {
    return shown(query::list_orders(reader, api.services.policy, merchant, filter, page));
  });
}

}  // namespace

void add_orders(Api& api) {
  add_route(api, "POST", "/v1/orders", Access::merchant, Role::operator_, create_order);
  add_route(api, "GET", "/v1/orders", Access::merchant, Role::viewer, list_orders, {.reads_query = true});
  add_route(api, "GET", "/v1/orders/{id}", Access::merchant, Role::viewer, get_order);
  add_route(api, "POST", "/v1/orders/{id}/payments", Access::merchant, Role::operator_, start_attempt<StartPayment>);
  add_route(api, "POST", "/v1/orders/{id}/close", Access::merchant, Role::operator_, close_order);
}

}  // namespace finality::http
