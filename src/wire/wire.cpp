#include "wire/wire.h"

#include <boost/json/array.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/crypto/crypto.h"
#include "base/crypto/encoding.h"
#include "base/image.h"
#include "decide/exception/resolution.h"
#include "decide/payment/collector.h"
#include "fsm/view.h"
#include "model/checkout_method.h"
#include "wire/authorization_wire.h"
#include "wire/object_parts.h"

namespace finality::wire {
namespace {

namespace json = boost::json;

// Stack memory that suffices to render an order with one payment; larger orders allocate.
constexpr std::size_t kOrderBytes = 8192;

json::value or_empty_object(std::string_view text, const json::storage_ptr& memory = {}) {
  return text.empty() ? json::value(json::object_kind, memory) : json::parse(text, memory);
}

json::object payment_object(const Payment& payment, const json::storage_ptr& memory = {}) {
  json::object out({{"id", to_text(payment.id)}, {"object", "payment"}, {"order", to_text(payment.order_id)}}, kFields,
                   memory);
  add_optional(out, "merchant_payment_no", payment.merchant_payment_no);
  out.emplace("channel", payment.channel);
  out.emplace("channel_account", to_text(payment.channel_account_id));
  out.emplace("method", payment.method);
  out.emplace("state", name_of(payment.state));
  out.emplace("amount", payment.amount);
  out.emplace("currency", payment.currency.text());
  out.emplace("paid_amount", payment.paid_amount);
  out.emplace("reversed_amount", payment.reversed_amount);
  out.emplace("fee_amount", payment.fee_amount);
  add_optional(out, "account", payment.account_id);
  out.emplace("out_trade_no", payment.out_trade_no);
  add_optional(out, "channel_trade_no", payment.channel_trade_no);
  out.emplace("action", action_of(payment, memory));
  add_failure(out, payment.failure_code, payment.failure_message);
  out.emplace("created_at", to_rfc3339(payment.created_at));
  out.emplace("version", payment.version);
  return out;
}

json::object receipt_object(const Receipt& receipt) {
  const ObjectRef collector = collector_id_of(receipt);
  json::object out{{"id", to_text(receipt.id)},
                   {"object", "receipt"},
                   {name_of(collector.type), to_text(collector)},
                   {"channel", receipt.channel},
                   {"channel_account", to_text(receipt.channel_account_id)},
                   {"channel_trade_no", receipt.channel_trade_no},
                   {"amount", receipt.amount},
                   {"currency", receipt.currency.text()},
                   {"state", name_of(receipt.state)},
                   {"paid_at", to_rfc3339(receipt.paid_at)}};
  if (receipt.written_off != 0) out["written_off"] = receipt.written_off;
  if (receipt.accepted_difference != 0) out["accepted_difference"] = receipt.accepted_difference;
  return out;
}

// Renders the common fields of refunds and reversals. Both are the API object `refund`; the field `kind` distinguishes
// them. `authorization`: that of the captures which collected the returned money. The capture is absent if the channel
// refunds the trade of all captures.
template <class Row>
json::object refund_object(const Row& row, std::string_view kind, std::optional<AuthorizationId> authorization) {
  json::object out({{"id", to_text(row.id)}, {"object", "refund"}, {"kind", kind}}, kFields);
  if (row.payment_id != PaymentId{}) out.emplace("payment", to_text(row.payment_id));
  add_optional(out, "authorization", authorization);
  add_optional(out, "capture", row.capture_id);
  out.emplace("order", to_text(row.order_id));
  out.emplace("channel_account", to_text(row.channel_account_id));
  out.emplace("amount", row.amount);
  out.emplace("currency", row.currency.text());
  out.emplace("state", name_of(row.state));
  out.emplace("attempts", row.attempts);
  out.emplace("created_at", to_rfc3339(row.created_at));
  out.emplace("version", row.version);
  add_failure(out, row.failure_code, row.failure_message);
  return out;
}

json::array split_list(std::string_view list) {
  json::array items;
  while (!list.empty()) {
    const std::size_t end = list.find(' ');
    items.emplace_back(list.substr(0, end));
    list = end == std::string_view::npos ? std::string_view{} : list.substr(end + 1);
  }
  return items;
}

// Renders the methods that the order's checkout page offers.
json::array methods_of(const Order& order, const json::storage_ptr& memory) {
  json::array list(memory);
  for (const CheckoutMethod& one : checkout_methods_of(order.methods))
    list.emplace_back(json::object({{"channel", one.channel}, {"method", one.method}}, memory));
  return list;
}

json::object branding_of(const Merchant& merchant) {
  json::object out;
  add_optional(out, "name", merchant.brand_name);
  add_optional(out, "support", merchant.brand_support);
  add_optional(out, "color", merchant.brand_color);
  if (!merchant.brand_logo) return out;
  const std::string& logo = merchant.brand_logo->data();
  const ImageInfo image = image_info_of(logo).value_or(ImageInfo{});
  out["logo"] = json::object{{"media_type", image.media_type},
                             {"width", image.width},
                             {"height", image.height},
                             {"bytes", logo.size()},
                             {"sha256", to_hex(sha256(logo))}};
  return out;
}

std::string_view machine_of(ObjectType type) {
  if (type == ObjectType::money_return) return "return";
  return type == ObjectType::exception_case ? std::string_view("case") : name_of(type);
}

// Parses the evidence of a case. Returns an empty array for invalid JSON instead of an error, because the evidence
// contains text from channels, which must not fail a command.
json::value evidence_of(const Case& row) {
  boost::system::error_code error;
  json::value evidence = json::parse(row.evidence, error);
  return error ? json::value(json::array_kind) : evidence;
}

json::object case_object(const Case& row, const Difference* difference) {
  const std::vector<std::string_view> resolutions = resolutions_of(row, difference);
  json::object out{{"id", to_text(row.id)},
                   {"object", "case"},
                   {"kind", name_of(row.kind)},
                   {"object_id", to_text(ObjectRef(row.object_type, row.object_id))}};
  if (const ObjectRef root = root_of_case(row); root.type == ObjectType::order) out["order"] = to_text(root);
  out["state"] = name_of(row.state);
  out["evidence"] = evidence_of(row);
  out["resolutions"] = json::array(resolutions.begin(), resolutions.end());
  add_optional(out, "resolution", row.resolution);
  add_optional(out, "note", row.note);
  add_optional(out, "proposed_by", row.proposed_by);
  add_optional(out, "approved_by", row.approved_by);
  if (row.assign_to) out["merchant"] = to_text(*row.assign_to);
  out["created_at"] = to_rfc3339(row.created_at);
  out["due_at"] = to_rfc3339(row.due_at);
  out["version"] = row.version;
  return out;
}

json::object posting_object(const PreviewedEntry& posting) {
  const Entry& entry = posting.entry;
  json::object out{{"merchant", to_text(entry.merchant_id)},
                   {"type", name_of(entry.type)},
                   {"account", name_of(posting.account.kind)}};
  if (!posting.account.channel.empty()) out["channel"] = posting.account.channel;
  out["direction"] = entry.amount < 0 ? "debit" : "credit";
  out["amount"] = entry.amount < 0 ? -entry.amount : entry.amount;
  out["currency"] = entry.currency.text();
  if (posting.after_result) out["after_result"] = true;
  return out;
}

json::object request_object(const PreviewedRequest& request) {
  json::object out{{"channel", request.channel}, {"kind", name_of(request.kind)}};
  if (!request.amount) return out;
  out["amount"] = *request.amount;
  out["currency"] = request.currency.text();
  return out;
}

json::object preview_object(const ResolutionPreview& preview) {
  json::array postings;
  for (const PreviewedEntry& posting : preview.entries) postings.push_back(posting_object(posting));
  json::array requests;
  for (const PreviewedRequest& request : preview.requests) requests.push_back(request_object(request));
  json::object out{
      {"resolution", preview.resolution}, {"postings", std::move(postings)}, {"requests", std::move(requests)}};
  if (preview.refusal)
    out["refusal"] = json::object{{"code", name_of(preview.refusal->code)}, {"detail", preview.refusal->detail}};
  if (preview.is_incomplete) out["incomplete"] = true;
  return out;
}

}  // namespace

std::string order_json(const OrderAggregate& aggregate, std::string_view checkout_url) {
  const Order& order = aggregate.order;
  unsigned char space[kOrderBytes];
  json::monotonic_resource memory(space);
  json::object out({{"id", to_text(order.id)},
                    {"object", "order"},
                    {"merchant_order_no", order.merchant_order_no},
                    {"amount", order.amount},
                    {"currency", order.currency.text()},
                    {"subject", order.subject},
                    {"state", name_of(order.state)}},
                   kFields, &memory);
  if (order.state == OrderState::closed && order.close_reason)
    out.emplace("closed_reason", name_of(*order.close_reason));
  out.emplace("close_requested", order.close_requested);
  out.emplace("paid_amount", order.paid_amount);
  out.emplace("refunded_amount", order.refunded_amount);
  out.emplace("capture_method", name_of(order.capture_method));
  out.emplace("expires_at", to_rfc3339(order.expires_at));
  out.emplace("created_at", to_rfc3339(order.created_at));
  add_optional(out, "closed_at", order.closed_at);
  out.emplace("version", order.version);
  out.emplace("checkout_url", checkout_url);
  add_optional(out, "return_url", order.return_url);
  add_optional(out, "notify_url", order.notify_url);
  out.emplace("metadata", or_empty_object(order.metadata, &memory));
  if (!order.methods.empty()) out.emplace("methods", methods_of(order, &memory));
  json::array& payments = out.emplace("payments", json::array_kind).first->value().get_array();
  for (const Payment& payment : aggregate.payments)
    add_settlement_of_collector(payments.emplace_back(payment_object(payment, &memory)).get_object(), aggregate,
                                payment.id);
  if (order.capture_method == CaptureMethod::manual) add_authorizations(out, aggregate, &memory);
  return json::serialize(out);
}

std::string payment_json(const Payment& payment) { return json::serialize(payment_object(payment)); }

std::string payment_json(const Payment& payment, const OrderAggregate& aggregate, bool with_receipts) {
  json::object out = payment_object(payment);
  add_settlement_of_collector(out, aggregate, payment.id);
  if (!with_receipts) return json::serialize(out);
  json::array list;
  for (const Receipt& receipt : aggregate.receipts) {
    if (!is_collected_by(receipt, payment.id)) continue;
    json::object& shown = list.emplace_back(receipt_object(receipt)).get_object();
    add_settlement(shown, aggregate, receipt.id);
  }
  out["receipts"] = std::move(list);
  return json::serialize(out);
}

namespace {

json::object shown(const Refund& refund) {
  json::object out = refund_object(refund, "refund", refund.authorization_id);
  out["origin"] = name_of(refund.origin);
  if (refund.origin == RefundOrigin::merchant) out["merchant_refund_no"] = refund.merchant_refund_no;
  add_optional(out, "channel_refund_no", refund.channel_refund_no);
  add_optional(out, "receipt", refund.receipt_id);
  if (refund.charged != 0) out["charged_to_platform"] = refund.charged;
  out["returned_amount"] = refund.returned_amount;
  out["fee_returned"] = refund.fee_returned;
  add_optional(out, "reason", refund.reason);
  return out;
}

json::object shown(const Reversal& reversal, std::optional<AuthorizationId> authorization) {
  json::object out = refund_object(reversal, "reversal", authorization);
  out["receipt"] = to_text(reversal.receipt_id);
  return out;
}

std::string with_settlement(json::object out, const OrderAggregate& aggregate, ObjectRef document) {
  add_settlement(out, aggregate, document);
  return json::serialize(out);
}

}  // namespace

std::string refund_json(const Refund& refund) { return json::serialize(shown(refund)); }
std::string refund_json(const Refund& refund, const OrderAggregate& aggregate) {
  return with_settlement(shown(refund), aggregate, refund.id);
}

std::string return_json(const Return& row) {
  return json::serialize(json::object{{"id", to_text(row.id)},
                                      {"object", "return"},
                                      {"of", to_text(row.refund_id)},
                                      {"amount", row.amount},
                                      {"currency", row.currency.text()},
                                      {"channel_no", row.channel_no},
                                      {"fee_charged", row.fee_charged},
                                      {"created_at", to_rfc3339(row.created_at)}});
}

std::string reversal_json(const Reversal& reversal, std::optional<AuthorizationId> authorization) {
  return json::serialize(shown(reversal, authorization));
}
std::string reversal_json(const Reversal& reversal, const OrderAggregate& aggregate) {
  return with_settlement(shown(reversal, collector_of(aggregate, reversal).authorization_id), aggregate, reversal.id);
}

std::string case_json(const Case& row, const Difference* difference) {
  return json::serialize(case_object(row, difference));
}
std::string case_json(const Case& row, const Difference* difference, std::span<const ResolutionPreview> previews) {
  json::object out = case_object(row, difference);
  json::array items;
  for (const ResolutionPreview& preview : previews) items.push_back(preview_object(preview));
  out["previews"] = std::move(items);
  return json::serialize(out);
}

std::string unknown_receipt_json(const UnknownReceipt& receipt) {
  json::object out{{"id", to_text(receipt.id)},
                   {"object", "unknown_receipt"},
                   {"channel", receipt.channel},
                   {"channel_trade_no", receipt.channel_trade_no},
                   {"out_trade_no", receipt.out_trade_no},
                   {"amount", receipt.amount},
                   {"currency", receipt.currency.text()},
                   {"state", name_of(receipt.state)}};
  if (receipt.assigned_to) out["merchant"] = to_text(*receipt.assigned_to);
  if (receipt.is_contradicted) out["contradicted"] = true;
  out["paid_at"] = to_rfc3339(receipt.paid_at);
  out["created_at"] = to_rfc3339(receipt.created_at);
  return json::serialize(out);
}

std::string event_json(const Event& event) {
  const std::string_view machine = machine_of(event.object_type);
  json::object cause = or_empty_object(event.detail).as_object();
  cause["kind"] = text_of(event.cause);
  json::array actions;
  for (const std::string_view action : fsm::names_of(static_cast<fsm::Actions>(event.actions)))
    actions.emplace_back(action);
  json::object out{{"id", to_text(event.id)},    {"object", "event"},
                   {"at", to_rfc3339(event.at)}, {"type", std::string(machine) + "." + event.event},
                   {"object_type", machine},     {"object_id", to_text(ObjectRef(event.object_type, event.object_id))},
                   {"machine", machine}};
  add_optional(out, "from", event.from_state);
  out["event"] = event.event;
  out["to"] = event.to_state;
  out["cell"] = name_of(event.cell);
  out["actions"] = std::move(actions);
  out["cause"] = std::move(cause);
  return json::serialize(out);
}

std::string delivery_json(const Delivery& delivery) {
  json::object out{{"id", to_text(delivery.id)},
                   {"object", "webhook_delivery"},
                   {"type", delivery.type},
                   {"url", delivery.url},
                   {"order", to_text(delivery.order_id)},
                   {"state", name_of(delivery.state)},
                   {"attempts", delivery.attempts},
                   {"created_at", to_rfc3339(delivery.created_at)},
                   {"version", delivery.version}};
  add_optional(out, "endpoint", delivery.endpoint_id);
  add_optional(out, "last_status", delivery.last_status);
  add_optional(out, "last_error", delivery.last_error);
  add_optional(out, "due_at", delivery.due_at);
  add_optional(out, "delivered_at", delivery.delivered_at);
  return json::serialize(out);
}

std::string webhook_endpoint_json(const WebhookEndpoint& endpoint, bool with_secret) {
  json::object out{{"id", to_text(endpoint.id)},
                   {"object", "webhook_endpoint"},
                   {"url", endpoint.url},
                   {"types", split_list(endpoint.types)},
                   {"acknowledge", name_of(endpoint.acknowledge)},
                   {"state", name_of(endpoint.state)},
                   {"created_at", to_rfc3339(endpoint.created_at)},
                   {"version", endpoint.version}};
  if (with_secret) out["secret"] = endpoint.secret.reveal();
  return json::serialize(out);
}

std::string merchant_json(const Merchant& merchant, bool with_secret) {
  json::object out{{"id", to_text(merchant.id)}, {"object", "merchant"}, {"name", merchant.name}};
  if (with_secret) out["webhook_secret"] = merchant.webhook_secret.reveal();
  out["branding"] = branding_of(merchant);
  out["created_at"] = to_rfc3339(merchant.created_at);
  return json::serialize(out);
}

std::string api_key_json(const ApiKey& key) {
  json::object out{{"id", to_text(key.id)}, {"object", "api_key"}, {"role", text_of(key.role)}, {"name", key.name}};
  add_optional(out, "merchant", key.merchant_id);
  out["created_at"] = to_rfc3339(key.created_at);
  return json::serialize(out);
}

std::string channel_account_json(const ChannelAccount& account) {
  json::object out{
      {"id", to_text(account.id)}, {"object", "channel_account"}, {"channel", account.channel}, {"kind", account.kind}};
  if (!account.merchants.empty()) out["merchants"] = split_list(account.merchants);
  out["funds"] = name_of(account.funds);
  out["merchant_currency"] = name_of(account.merchant_currency);
  out["settings"] = or_empty_object(account.settings);
  out["state"] = name_of(account.state);
  out["created_at"] = to_rfc3339(account.created_at);
  out["version"] = account.version;
  return json::serialize(out);
}

std::string channel_rate_json(const ChannelRate& rate) {
  json::object out{
      {"id", to_text(rate.id)}, {"object", "channel_rate"}, {"channel_account", to_text(rate.channel_account_id)}};
  add_optional(out, "method", rate.method);
  if (rate.currency) out["currency"] = rate.currency->text();
  out["basis_points"] = rate.basis_points;
  out["fixed"] = rate.fixed;
  add_optional(out, "minimum", rate.minimum);
  add_optional(out, "maximum", rate.maximum);
  out["from"] = rate.from_date;
  out["created_at"] = to_rfc3339(rate.created_at);
  out["version"] = rate.version;
  return json::serialize(out);
}

std::string problem_json(const Refusal& refusal, std::string_view request_id) {
  const RefusalInfo info = info_of(refusal.code);
  json::object out{{"type", "urn:finality:problem:" + std::string(name_of(refusal.code))},
                   {"title", info.title},
                   {"status", info.status},
                   {"detail", refusal.detail},
                   {"code", name_of(refusal.code)}};
  add_optional(out, "param", refusal.param);
  add_optional(out, "state", refusal.state);
  if (refusal.version) out["version"] = *refusal.version;
  out["request_id"] = request_id;
  return json::serialize(out);
}

std::string list_json(std::string_view url, bool has_more, std::span<const std::string> items) {
  std::string out = R"({"object":"list","url":)";
  out += json::serialize(json::string_view(url));
  out += has_more ? R"(,"has_more":true,"data":[)" : R"(,"has_more":false,"data":[)";
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += ',';
    out += items[i];
  }
  return out += "]}";
}

std::string notification_json(std::string_view type, Time at, std::string_view data_json) {
  std::string out = R"({"type":")";
  out += type;
  out += R"(","timestamp":")";
  out += to_rfc3339(at);
  out += R"(","data":)";
  out += data_json;
  return out += '}';
}

}  // namespace finality::wire
