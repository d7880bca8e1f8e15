#include "decide/order/order_refusal.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "decide/authorization/held.h"
#include "decide/authorization/start_authorization.h"
#include "decide/payment/pay_from_account.h"
#include "model/usable_channels.h"

namespace finality {
namespace {

constexpr std::string_view kNewOrder = "Create a new order.";

/// The code of a refused payment or authorization, and the client's next step.
struct RefusedState {
  RefusalCode code;
  std::string_view next_step;
};

// Indexed by the order's state.
constexpr RefusedState kRefusedIn[] = {
    {RefusalCode::order_not_payable, kNewOrder},  // pending: attempts used up, expired or closing
    {RefusalCode::payment_in_progress,
     "Wait for the result that is outstanding, and repeat the request."},                 // processing
    {RefusalCode::order_not_payable, "Capture its authorization instead."},               // authorized
    {RefusalCode::order_not_payable, "It is paid: create a new order to collect more."},  // succeeded
    {RefusalCode::order_not_payable, kNewOrder},                                          // failed
    {RefusalCode::order_not_payable, kNewOrder},                                          // closed
};
static_assert(std::size(kRefusedIn) == kCount<OrderState>);

// The object that orders of the capture method are paid with, indexed by CaptureMethod.
constexpr std::string_view kNouns[] = {"payment", "authorization"};
static_assert(std::size(kNouns) == kCount<CaptureMethod>);

std::string_view noun_of(CaptureMethod method) { return kNouns[static_cast<std::size_t>(method)]; }

template <class Row>
const Row* find_by_number(const std::vector<Row>& rows, const std::optional<std::string>& number) {
  if (!number) return nullptr;
  const auto at = std::ranges::find(rows, number, &Row::merchant_payment_no);
  return at == rows.end() ? nullptr : &*at;
}

// Whether the row pays the order.
bool pays(const Payment& payment) { return payment.state == PaymentState::succeeded; }
bool pays(const Authorization& authorization) {
  return is_holder(authorization) || authorization.state == AuthorizationState::captured;
}

// Returns the row that pays the order from that account, or null: pay(order, account, amount) is idempotent.
template <class Row>
const Row* find_paid_by(const std::vector<Row>& rows, const std::optional<AccountId>& account) {
  if (!account) return nullptr;
  const auto at = std::ranges::find_if(rows, [&](const Row& one) { return one.account_id == account && pays(one); });
  return at == rows.end() ? nullptr : &*at;
}

// Whether a repeated request names the row's channel or the channel's kind. The kind is compared too, because it may
// resolve to another channel now.
bool is_same_channel(const Policy& policy, const std::string& channel, const PaymentFields& fields) {
  const std::string& name = fields.requested_channel.empty() ? fields.channel : fields.requested_channel;
  const bool is_chosen = fields.channel_routed && fields.requested_channel.empty();  // the client named no channel
  return is_chosen || channel == name || kind_of(policy, channel) == name;
}

}  // namespace

std::int64_t attempts_of(const OrderAggregate& aggregate) {
  return static_cast<std::int64_t>(aggregate.payments.size() + aggregate.authorizations.size());
}

namespace {

// Returns why the order accepts no payment although its state allows one, and the client's next step; empty when it
// accepts one.
std::string_view closed_to_payments(const OrderAggregate& aggregate, Time now) {
  const Order& order = aggregate.order;
  const std::int64_t count = attempts_of(aggregate);
  if (order.parked) return "it is parked. Ask the operator to resolve its case.";
  if (order.close_requested) return "it is being closed. Create a new order.";
  if (order.expires_at <= now) return "it has expired. Create a new order.";
  if (count >= order.attempts.value_or(limits::kAttemptsMax))
    return "all its attempts are used up. Create a new order.";
  return {};
}

std::unexpected<Refusal> refuse_in_state(OrderState state, CaptureMethod capture_method) {
  const auto& [code, next_step] = kRefusedIn[static_cast<std::size_t>(state)];
  const std::string name(name_of(state));
  return refuse(
      code,
      fmt::format("The order is {} and accepts no {} in this state. {}", name, noun_of(capture_method), next_step), {},
      name);
}

}  // namespace

template <class Row>
std::optional<Decision> answer_repeated(const Policy& policy, OrderId order, const std::vector<Row>& rows,
                                        const PaymentFields& fields) {
  if (const Row* same = find_by_number(rows, fields.merchant_payment_no)) {
    if (is_same_channel(policy, same->channel, fields) && (fields.method_routed || same->method == fields.method) &&
        same->account_id == fields.account_id)
      return CommandResult{.object = same->id, .home = order};
    return refuse(RefusalCode::merchant_payment_no_conflict,
                  fmt::format("This merchant_payment_no belongs to {} {} with another channel, method or account. Use "
                              "a new merchant_payment_no.",
                              std::is_same_v<Row, Payment> ? "a" : "an", name_of(decltype(Row::id)::type)),
                  "merchant_payment_no");
  }
  if (const Row* paid = find_paid_by(rows, fields.account_id)) return CommandResult{.object = paid->id, .home = order};
  return std::nullopt;
}
template std::optional<Decision> answer_repeated(const Policy&, OrderId, const std::vector<Payment>&,
                                                 const PaymentFields&);
template std::optional<Decision> answer_repeated(const Policy&, OrderId, const std::vector<Authorization>&,
                                                 const PaymentFields&);

std::expected<void, Refusal> order_refusal(const Context& context, const OrderAggregate& aggregate,
                                           CaptureMethod capture_method) {
  const Order& order = aggregate.order;
  const std::string state(name_of(order.state));
  if (order.capture_method != capture_method)
    return refuse(
        RefusalCode::capture_method_mismatch,
        fmt::format("The order has capture_method {}. Start {} {}.", name_of(order.capture_method),
                    order.capture_method == CaptureMethod::automatic ? "a" : "an", noun_of(order.capture_method)),
        {}, state);
  if (context.cell(order_machine, order.state, OrderEvent::payment_started).kind == fsm::CellKind::refuse)
    return std::ranges::any_of(aggregate.payments, is_under_review)
               ? refuse(RefusalCode::payment_in_progress,
                        "Operators decide about a payment of another amount than the order's. Wait for the webhook of "
                        "the order, or read it from time to time.",
                        {}, state)
               : refuse_in_state(order.state, capture_method);
  if (const std::string_view reason = closed_to_payments(aggregate, context.now); !reason.empty())
    return refuse(RefusalCode::order_not_payable,
                  fmt::format("The order accepts no {}: {}", noun_of(capture_method), reason), {}, state);
  return {};
}

std::expected<void, Refusal> check_fields(const Context& context, const PayableOrder& order,
                                          const PaymentFields& fields, std::string_view prefix) {
  const std::string param = std::string(prefix) + "channel";
  if (auto open = check_channel(context.policy, order.merchant_id, fields, param); !open) return open;
  if (order.capture_method == CaptureMethod::manual)
    if (auto has = check_authorizes(context.policy, fields, param); !has) return has;
  if (auto taken = check_money(context.policy, fields, order.currency, order.amount, param); !taken) return taken;
  return check_wallet(context, order.merchant_id, fields, order.currency, prefix);
}

std::expected<void, Refusal> check_attempts_seen(const OrderAggregate& aggregate, std::optional<std::int64_t> seen) {
  if (!seen || *seen == attempts_of(aggregate)) return {};
  return refuse(RefusalCode::payment_in_progress,
                "Another payment of the order was started since the page was shown. Load the page again.", {},
                std::string(name_of(aggregate.order.state)));
}

std::expected<void, Refusal> check_start(const Context& context, const OrderAggregate& aggregate,
                                         CaptureMethod capture_method, const PaymentFields& fields,
                                         Currency looked_up) {
  if (auto may = order_refusal(context, aggregate, capture_method); !may) return may;
  const Order& order = aggregate.order;
  // The caller looked up the order before it was created, so it selected no route and loaded no wallet accounts. A
  // payment that names an external channel needs neither.
  if (looked_up != order.currency && (fields.account_id || fields.channel.empty()))
    return refuse(RefusalCode::busy, "The order has just been created. Repeat the request.");
  return check_fields(context, {order.merchant_id, capture_method, order.amount, order.currency}, fields, "");
}

}  // namespace finality
