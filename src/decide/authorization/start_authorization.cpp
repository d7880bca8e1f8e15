#include "decide/authorization/start_authorization.h"

#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "decide/add_row.h"
#include "decide/authorization/hold_on_account.h"
#include "decide/channel/channel_operation.h"
#include "decide/order/order_refusal.h"
#include "decide/payment/pay_from_account.h"
#include "model/out_trade_no.h"

namespace finality {
namespace {

std::string what_has_authorizations(const Policy& policy) {
  std::vector<std::string_view> names;
  for (const auto& [name, capabilities] : policy.channels)
    if (capabilities.authorization) names.push_back(name);
  if (names.empty()) return "No configured channel has them: create the order with capture_method automatic.";
  return fmt::format("Use a channel that has them: {}.", fmt::join(names, ", "));
}

}  // namespace

void add_reads(const StartAuthorization& command, ReadSet& reads) {
  reads.orders.push_back(command.order_id);
  reads.merchants.push_back(command.merchant_id);
  add_wallet_reads(command.merchant_id, command.fields, command.currency, reads);
}

Decision decide(const StartAuthorization& command, Context& context) {
  const OrderAggregate* found = context.rows.orders.find(command.order_id);
  if (found == nullptr || found->order.merchant_id != command.merchant_id)
    return refuse(RefusalCode::not_found, "The order does not exist.");

  const PaymentFields& fields = command.fields;
  if (auto same = answer_repeated(context.policy, command.order_id, found->authorizations, fields))
    return std::move(*same);
  if (auto may = check_start(context, *found, CaptureMethod::manual, fields, command.currency); !may)
    return std::unexpected(std::move(may.error()));
  if (auto fresh = check_attempts_seen(*found, command.attempts_seen); !fresh) return std::unexpected(fresh.error());
  OrderWriter writer(context, command.order_id);
  return CommandResult{.object = add_authorization(writer, fields), .created = true, .home = command.order_id};
}

std::expected<void, Refusal> check_authorizes(const Policy& policy, const PaymentFields& fields,
                                              std::string_view param) {
  const AuthorizationTerms* terms = policy.terms_of(fields.channel);
  if (terms == nullptr)
    return refuse(
        RefusalCode::invalid_request,
        fmt::format("The channel {} has no authorizations. {}", fields.channel, what_has_authorizations(policy)),
        std::string(param));
  if (Capabilities::has(terms->methods, fields.method)) return {};
  const std::string_view path = param.substr(0, param.rfind('.') + 1);  // empty if `param` is no path
  const std::string name = fmt::format("{}method", path);
  return refuse(RefusalCode::invalid_request,
                fmt::format("{} of an authorization at {} must be one of {}.", name, fields.channel,
                            fmt::join(terms->methods, ", ")),
                name);
}

AuthorizationId add_authorization(OrderWriter& writer, const PaymentFields& fields) {
  Context& context = writer.context();
  const Order& order = writer.order();
  Authorization authorization;
  authorization.id = context.next_id<AuthorizationId>();
  authorization.order_id = order.id;
  authorization.merchant_id = order.merchant_id;
  authorization.merchant_payment_no = fields.merchant_payment_no;
  authorization.channel = fields.channel;
  authorization.channel_account_id = context.policy.account_of(fields.channel);
  authorization.funds = context.policy.funds_of(fields.channel);
  authorization.method = fields.method;
  authorization.amount = order.amount;
  authorization.currency = order.currency;
  authorization.ordinal = static_cast<std::int64_t>(writer.aggregate().authorizations.size()) + 1;
  authorization.out_trade_no = out_authorization_no(order.merchant_id, order.id, authorization.ordinal);
  authorization.scenario = fields.scenario;
  authorization.account_id = fields.account_id;
  authorization.payer = fields.payer;
  authorization.created_at = context.now;

  writer.step(OrderEvent::payment_started);
  Authorization& added = add_row(writer.aggregate().authorizations, std::move(authorization));
  writer.created(added.id, name_of(added.state));
  const AuthorizationId id = added.id;
  if (added.account_id)
    hold_on_account(writer, added);
  else
    claim_send(writer, added);
  return id;
}

}  // namespace finality
