#include "http/resources/start_attempt.h"

#include <type_traits>
#include <utility>

#include "http/input/fields.h"
#include "http/input/payment_fields.h"
#include "query/show.h"

namespace finality::http {
namespace {

template <class Start>
constexpr bool kAuthorizes = std::is_same_v<Start, StartAuthorization>;

bool is_down(const Services& services, std::string_view channel) {
  return services.is_down && services.is_down(channel);
}

// Returns true if the order must be read before submission. Its currency determines the ledger accounts of the wallet;
// its currency and amount determine the route. They never change, so they can be read outside the engine.
bool needs_order(const PaymentFields& payment) { return payment.account_id || payment.channel.empty(); }

template <class Start>
void submit_start(Api& api, const HttpExchangePtr& exchange, Start command) {
  const MerchantId merchant = command.merchant_id;
  const OrderId order = command.order_id;
  const bool calls_channel = !command.fields.account_id;
  submit(api, exchange,
         {.command = std::move(command),
          .merchant_id = merchant,
          .await_answer = calls_channel,
          .archived_order = [order](Reader&) { return order.value; }});
}

// Sets the currency of the command and selects its channel. Not called if the order does not exist: the engine then
// refuses the command, after it has checked idempotency and role.
template <class Start>
void complete(Start& command, const Order& order, const Services& services) {
  command.currency = order.currency;
  route(command.fields, services,
        {.merchant = command.merchant_id,
         .currency = order.currency,
         .amount = order.amount,
         .authorizes = kAuthorizes<Start>});
}

}  // namespace

void route(PaymentFields& payment, const Services& services, const query::RoutingRequest& request) {
  query::route_payment(payment, services.policy, request,
                       [&services](std::string_view channel) { return is_down(services, channel); });
}

template <class Start>
void start_attempt(Api& api, const HttpExchangePtr& exchange) {
  const MerchantId merchant = exchange->principal().merchant_id;
  auto fields = Fields::parse(exchange->request().body);
  if (!fields) return exchange->refuse(fields.error());
  const auto capture = kAuthorizes<Start> ? CaptureMethod::manual : CaptureMethod::automatic;
  PaymentFields payment = read_payment_fields(*fields, api.services.policy, merchant, capture);
  if (const auto checked = fields->finish(); !checked) return exchange->refuse(checked.error());
  // An invalid id is replaced by 0, which no order has. The engine refuses it after checking idempotency and role.
  const OrderId order = parse_id<OrderId>(exchange->parameter()).value_or(OrderId{});
  Start command{.merchant_id = merchant, .order_id = order, .fields = std::move(payment)};
  if (!needs_order(command.fields)) return submit_start(api, exchange, std::move(command));
  read_then(api, exchange, [&api, exchange, command = std::move(command)](Reader& reader) mutable {
    const auto found = query::find_order(reader, command.merchant_id, command.order_id);
    if (query::is_unread(found)) return exchange->refuse(found.error());
    if (found) complete(command, found->order, api.services);
    if (const auto invalid = query::invalid_field_of(command.fields, api.services.policy))
      return exchange->refuse(
          Refusal{RefusalCode::invalid_request, invalid->field + ' ' + invalid->why + '.', invalid->field, {}});
    submit_start(api, exchange, std::move(command));
  });
}

template void start_attempt<StartPayment>(Api& api, const HttpExchangePtr& exchange);
template void start_attempt<StartAuthorization>(Api& api, const HttpExchangePtr& exchange);

}  // namespace finality::http
