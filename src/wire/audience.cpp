#include "wire/audience.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <optional>
#include <ranges>
#include <vector>

#include "model/row.h"

namespace finality::wire {
namespace {

namespace json = boost::json;

// Events contain JSON of channels, which can be nested deeper than the API's requests.
constexpr std::size_t kDepthMax = 128;
constexpr std::string_view kCause = "cause";
constexpr std::string_view kList = "list";

constexpr ObjectFields kObjectFields[] = {
    {kList, "object url has_more data"},
    {"order",
     "id object merchant_order_no amount currency subject state closed_reason close_requested paid_amount "
     "refunded_amount capture_method expires_at created_at closed_at version checkout_url return_url notify_url "
     "metadata methods payments authorized_amount capture_before authorizations"},
    {"payment",
     "id object order merchant_payment_no channel channel_account method state amount currency paid_amount "
     "reversed_amount fee_amount account out_trade_no channel_trade_no action failure created_at version "
     "channel_settlement receipts"},
    {"authorization",
     "id object order merchant_payment_no channel channel_account method state amount authorized_amount currency "
     "captured_amount released_amount account out_trade_no channel_trade_no action failure capture_before end_reason "
     "unfunded captures created_at version"},
    {"capture",
     "id object authorization order origin merchant_capture_no amount currency state final failure out_trade_no "
     "channel_trade_no fee_amount refunded_amount created_at version channel_settlement"},
    {"receipt",
     "id object payment channel channel_account channel_trade_no amount currency state paid_at written_off "
     "accepted_difference "
     "channel_settlement"},
    {"refund",
     "id object kind origin payment authorization capture order channel_account merchant_refund_no channel_refund_no "
     "receipt amount currency state charged_to_platform returned_amount fee_returned reason failure attempts "
     "created_at version channel_settlement"},
    {"return", "id object of amount currency channel_no fee_charged created_at"},
    {"account", "id object name kind currency balance held available overdraft state lock version"},
    {"account_lock", "object account owner token expires_at"},
    {"entry",
     "id object account amount balance_before balance_after type transfer hold source reference user info source_ip "
     "created_at"},
    {"transfer",
     "id object debit_account credit_account amount currency source reference state refusal price quantity user info "
     "created_at version"},
    {"hold",
     "id object account credit_account amount posted_amount currency source reference state expires_at created_at "
     "version"},
    {"price", "id object name amount currency note created_at changed_at version"},  // the note is the merchant's
    {"fee", "id object channel basis_points fixed minimum maximum refundable created_at changed_at version"},
    {"balance", "object currency available refunds_in_transit payouts_in_transit disputed"},
    {"channel_account", "id object channel kind funds merchant_currency settings state created_at version",
     "merchants settings.bank_account"},
    {"channel_rate", "",
     "id object channel_account method currency basis_points fixed minimum maximum from created_at version"},
    {"adjustment", "id object merchant type account channel currency amount state created_at version",
     "note proposed_by decided_by"},
    {"statement", "",
     "id object channel_account channel kind funds_account date version source state sha256 bytes lines totals "
     "movements counts failure tries due_at received_at created_at"},
    {"statement_line",
     "object line_no kind status line_id channel_trade_no out_trade_no channel_refund_no out_refund_no currency amount "
     "discount fee balance at text match difference"},
    {"difference",
     "id object date channel_account kind class also state merchant order merchant_order_no document subject statement "
     "line_no ours theirs amount currency changes_balance missed ended_at repaired_by case created_at version"},
    {"reconciliation", "",
     "object channel_account channel funds_account currency date statements missing trades funds proof unknown_since "
     "differences listed_differences further_differences result"},
    {"case", "id object kind object_id order state created_at version",
     "evidence resolutions previews resolution note proposed_by approved_by merchant due_at"},
    {"unknown_receipt", "",
     "id object channel channel_trade_no out_trade_no amount currency state merchant contradicted paid_at created_at"},
    {"event", "id object at type object_type object_id machine from event to cell actions cause"},
    {kCause,
     "kind request_id traceparent out_trade_no out_refund_no asked_by call evidence asked status failure sent code "
     "message due_at command_line bench asked_at channel channel_trade_no amount currency refunded refund "
     "channel_settlement authorized captured released authorized_at capture_before unfunded captures stranded returned "
     "via exchange attempt error finding case class date also statement line_no ours theirs subject",
     "key note resolution merchant"},
    {"webhook_endpoint", "id object url types acknowledge state secret created_at version deleted"},
    {"webhook_delivery",
     "id object type url endpoint order state attempts last_status last_error due_at created_at delivered_at version"},
    {"merchant", "", "id object name webhook_secret branding created_at"},
    {"api_key", "", "id object role merchant name key created_at deleted"},
};

const ObjectFields* find_fields(std::string_view object) {
  const auto* const found = std::ranges::find(kObjectFields, object, &ObjectFields::object);
  return found == std::end(kObjectFields) ? nullptr : found;
}

// Whether merchants receive all fields of the object.
bool is_public(std::string_view object) {
  const ObjectFields* fields = find_fields(object);
  return fields != nullptr && fields->operators.empty() && object != "event";
}

// Whether the text may contain fields that merchants do not receive. Reads only the names of objects. In a JSON string,
// the quotes of such a name would be escaped.
bool is_restricted(std::string_view text) {
  constexpr std::string_view kName = R"("object":")";
  for (std::size_t at = text.find(kName); at != std::string_view::npos; at = text.find(kName, at)) {
    at += kName.size();
    const std::string_view name = text.substr(at, text.find('"', at) - at);
    if (!is_public(name)) return true;
  }
  return false;
}

void keep_fields(json::object& out, const ObjectFields& fields) {
  std::vector<std::string> others;
  for (const auto& member : out)
    if (!listed(fields.everyone, member.key())) others.emplace_back(std::string_view(member.key()));
  for (const std::string& name : others) out.stable_erase(out.find(name));
  for (const auto part : fields.operators | std::views::split(' ')) {
    const std::string_view path(part.begin(), part.end());
    const std::size_t dot = path.find('.');
    json::value* outer = dot == std::string_view::npos ? nullptr : out.if_contains(path.substr(0, dot));
    if (outer != nullptr && outer->is_object()) outer->get_object().stable_erase(path.substr(dot + 1));
  }
}

void filter_cause(json::object& cause) {
  keep_fields(cause, *find_fields(kCause));
  json::value* via = cause.if_contains("via");
  if (via != nullptr && via->is_object()) filter_cause(via->get_object());
}

void filter_object(json::object& out);

void filter_value(json::value& value) {
  if (value.is_object()) return filter_object(value.get_object());
  if (!value.is_array()) return;
  for (json::value& item : value.get_array()) filter_value(item);
}

// Filters the objects in a list, in the body of a webhook (`data`), or in an item of a timeline (`detail`).
void filter_parts(json::object& out) {
  for (const std::string_view name : {"data", "detail"})
    if (json::value* part = out.if_contains(name)) filter_value(*part);
}

void filter_object(json::object& out) {
  const json::value* object = out.if_contains("object");
  if (object == nullptr || !object->is_string() || object->get_string() == kList) return filter_parts(out);
  const ObjectFields* fields = find_fields(object->get_string());
  if (fields == nullptr) return out.clear();
  keep_fields(out, *fields);
  json::value* cause = fields->object == "event" ? out.if_contains(kCause) : nullptr;
  if (cause != nullptr && cause->is_object()) filter_cause(cause->get_object());
}

std::optional<json::object> parse_object(std::string_view text) {
  boost::system::error_code error;
  json::parse_options options;
  options.max_depth = kDepthMax;
  json::value value = json::parse(text, error, {}, options);
  if (error || !value.is_object()) return std::nullopt;
  return std::move(value.get_object());
}

// Returns the filtered text; an empty object for text that is no JSON object, because its fields are unknown.
std::string filtered(const std::string& text, void (*filter)(json::object&)) {
  std::optional<json::object> object = parse_object(text);
  if (!object) return "{}";
  filter(*object);
  return json::serialize(*object);
}

}  // namespace

std::span<const ObjectFields> object_fields() { return kObjectFields; }

std::string shown_to(Audience audience, std::string json) {
  if (audience == Audience::operators || !is_restricted(json)) return json;
  return filtered(json, filter_object);
}

std::string cause_shown_to(Audience audience, std::string cause) {
  if (audience == Audience::operators || cause.empty()) return cause;
  return filtered(cause, filter_cause);
}

}  // namespace finality::wire
