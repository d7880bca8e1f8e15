#include "query/timeline_text.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>

namespace finality::query {
namespace {

namespace json = boost::json;

// Returns the noun for the type in summaries: the API's noun if it differs from the enumerator, otherwise the
// enumerator with spaces.
std::string noun_of(ObjectType type) {
  constexpr std::pair<ObjectType, std::string_view> kOthers[] = {
      {ObjectType::api_key, "API key"}, {ObjectType::exception_case, "case"}, {ObjectType::money_return, "return"}};
  for (const auto& [other, noun] : kOthers)
    if (other == type) return std::string(noun);
  std::string noun(name_of(type));
  std::ranges::replace(noun, '_', ' ');
  return noun;
}

json::object detail_of(const Event& event) {
  boost::system::error_code error;
  json::value detail = json::parse(or_empty(event.detail), error);
  return !error && detail.is_object() ? std::move(detail.get_object()) : json::object();
}

// Returns the string field `name` of the detail; empty if it is missing or not a string.
std::string text_in(const json::object& detail, std::string_view name) {
  const json::value* value = detail.if_contains(name);
  const json::string* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string() : std::string(*text);
}

// Returns the amounts that a report about an authorization contains: "authorized 12.00 CNY, captured 8.00 CNY, released
// 4.00 CNY". Empty for other evidence.
std::string totals_text(const json::object& detail, Currency currency) {
  std::string text;
  for (const std::string_view name : {"authorized", "captured", "released"})
    if (const json::value* total = detail.if_contains(name); total != nullptr && total->is_int64())
      text += fmt::format(", {} {}", name, format_money(total->get_int64(), currency));
  return text;
}

// Returns the evidence in one line: "paid, trade T123, 12.34 CNY, TRADE_SUCCESS" or "unknown, no answer in time".
std::string evidence_text(const json::object& detail) {
  std::string text = text_in(detail, "evidence");
  if (text.empty()) text = "unspecified evidence";
  if (const std::string trade = text_in(detail, "channel_trade_no"); !trade.empty()) text += ", trade " + trade;
  const json::value* amount = detail.if_contains("amount");
  const auto currency = parse_currency(text_in(detail, "currency"));
  if (amount != nullptr && amount->is_int64() && currency) text += ", " + format_money(amount->get_int64(), *currency);
  if (currency) text += totals_text(detail, *currency);
  if (const std::string code = text_in(detail, "code"); !code.empty()) text += ", " + code;
  const std::string message = text_in(detail, "message");
  if (!message.empty()) text += ", " + message;
  const json::value* via = detail.if_contains("via");  // the call; its `failure` says why it has no response
  if (via != nullptr && via->is_object())
    if (const std::string failure = text_in(via->get_object(), "failure"); !failure.empty() && failure != message)
      text += ", " + failure;
  return text;
}

std::string channel_in(const json::object& detail) {
  const std::string channel = text_in(detail, "channel");
  return channel.empty() ? "the channel" : channel;
}

// Returns whether the call recorded in `via` has the field `what` with the value false. `"asked": false`: no call was
// made, because the evidence was known. `"sent": false`: no byte of the request was sent.
bool denies(const json::object& detail, std::string_view what) {
  const json::value* via = detail.if_contains("via");
  const json::value* done = via != nullptr && via->is_object() ? via->get_object().if_contains(what) : nullptr;
  return done != nullptr && *done == json::value(false);
}

// Returns the channel's name, `verb` and the evidence, or the reason why no request was sent to the channel.
std::string evidence_text(const json::object& detail, std::string_view verb) {
  if (denies(detail, "asked"))
    return fmt::format("request sent to {} by the payer's browser or app: {}", channel_in(detail),
                       evidence_text(detail));
  if (denies(detail, "sent"))
    return fmt::format("no request sent to {}: {}", channel_in(detail), evidence_text(detail));
  return fmt::format("{} {} {}", channel_in(detail), verb, evidence_text(detail));
}

// Returns the resolution of a case with its note: ", refund: the payer asked for it". Empty without a resolution.
std::string resolution_text(const json::object& detail) {
  const std::string resolution = text_in(detail, "resolution");
  const std::string note = text_in(detail, "note");
  if (resolution.empty()) return {};
  return fmt::format(", {}{}{}", resolution, note.empty() ? "" : ": ", note);
}

// Returns the cause of the event, which stands in parentheses at the end of its summary.
std::string cause_text(const Event& event) {
  const json::object detail = detail_of(event);
  const std::string key = text_in(detail, "key");
  switch (event.cause) {
    case CauseKind::api:
      return key.empty() ? "API request" : "API request with " + key;
    case CauseKind::operator_:
      return (key.empty() ? "operator request" : "operator request with " + key) + resolution_text(detail);
    case CauseKind::timer:
      return "scheduled";
    case CauseKind::statement:
      return "channel statement";
    case CauseKind::channel_reply:
    case CauseKind::notification:
    case CauseKind::query:
      return evidence_text(detail, "reported");
  }
  return {};
}

}  // namespace

ObjectRef object_of(const Event& event) { return {event.object_type, event.object_id}; }

std::string_view kind_of(const Event& event) {
  if (event.cause == CauseKind::operator_) return "operator";
  return event.object_type == ObjectType::exception_case ? "case" : "event";
}

bool is_channel_evidence(CauseKind cause) {
  return cause == CauseKind::channel_reply || cause == CauseKind::notification || cause == CauseKind::query;
}

std::string_view channel_evidence_kind(CauseKind cause) {
  return cause == CauseKind::channel_reply ? std::string_view("response") : name_of(cause);
}

std::string_view or_empty(const std::string& detail) { return detail.empty() ? std::string_view("{}") : detail; }

std::optional<Currency> hold_currency_of(const Event& event) {
  const json::object detail = detail_of(event);
  return detail.contains("authorized") ? parse_currency(text_in(detail, "currency")) : std::nullopt;
}

std::string channel_evidence_text(const Event& event) {
  return evidence_text(detail_of(event), event.cause == CauseKind::channel_reply  ? "response:"
                                         : event.cause == CauseKind::notification ? "notification:"
                                                                                  : "query response:");
}

std::string event_text(const Event& event) {
  const std::string subject = fmt::format("{} {}", noun_of(event.object_type), to_text(object_of(event)));
  const std::string cause = cause_text(event);
  if (!event.from_state) return fmt::format("{}: {}, {} ({})", subject, event.event, event.to_state, cause);
  if (*event.from_state != event.to_state)
    return fmt::format("{}: {} → {} on {} ({})", subject, *event.from_state, event.to_state, event.event, cause);
  return fmt::format("{}: {}, stays {} ({})", subject, event.event, event.to_state, cause);
}

namespace {

// Returns the summary of a request: its object, what was sent, and under which number.
std::string sent_text(const SentRequest& sent, std::string_view what) {
  std::string text = fmt::format("{} {}: {} to {} as {}", noun_of(sent.object.type), to_text(sent.object), what,
                                 sent.channel, sent.number);
  if (sent.amount) text += ", " + format_money(*sent.amount, sent.currency);
  if (!sent.method.empty()) text += " by " + sent.method;
  return text;
}

}  // namespace

std::string request_text(const SentRequest& sent) { return sent_text(sent, "sent"); }
std::string release_text(const SentRequest& sent) { return sent_text(sent, "release sent"); }

std::string entry_text(const Entry& entry, const Account& account) {
  std::string name(name_of(account.kind));
  if (!account.channel.empty()) name += ' ' + account.channel;
  const std::string_view sign = entry.amount > 0 ? "+" : "";
  return fmt::format("{} {}{}, balance {} ({})", name, sign, format_money(entry.amount, entry.currency),
                     format_money(entry.balance_after, entry.currency), name_of(entry.type));
}

std::string delivery_text(const Delivery& delivery) {
  return fmt::format("delivery {}: {} to {}", to_text(delivery.id), delivery.type, delivery.url);
}

std::string case_text(const Case& row) {
  const ObjectRef object(row.object_type, row.object_id);
  return fmt::format("case {}: {} on {} {}, {}", to_text(row.id), name_of(row.kind), noun_of(row.object_type),
                     to_text(object), name_of(row.state));
}

std::string request_detail(const SentRequest& sent) {
  json::object detail{{"channel", sent.channel}, {"channel_account", to_text(sent.channel_account)}};
  if (!sent.method.empty()) detail["method"] = sent.method;
  detail[sent.number_name] = sent.number;
  if (sent.amount) detail["amount"] = *sent.amount;
  detail["currency"] = sent.currency.text();
  if (sent.scenario) detail["scenario"] = *sent.scenario;
  return json::serialize(detail);
}

std::string entry_detail(const Entry& entry, const Account& account) {
  json::object detail{{"id", to_text(entry.id)},
                      {"account", to_text(entry.account_id)},
                      {"account_kind", name_of(account.kind)},
                      {"amount", entry.amount},
                      {"currency", entry.currency.text()},
                      {"balance_before", entry.balance_before},
                      {"balance_after", entry.balance_after},
                      {"type", name_of(entry.type)},
                      {"document", to_text(ObjectRef(entry.document_type, entry.document_id))}};
  if (!account.channel.empty()) detail["channel"] = account.channel;
  if (account.channel_account_id) detail["channel_account"] = to_text(*account.channel_account_id);
  return json::serialize(detail);
}

std::string item_json(std::string_view id, Time at, std::string_view kind, std::string_view summary, ObjectRef object,
                      std::string_view detail) {
  std::string out = R"({"id":")";
  out += id;
  out += R"(","at":")";
  out += to_rfc3339(at);
  out += R"(","kind":")";
  out += kind;
  out += R"(","summary":)";
  out += json::serialize(json::string_view(summary));
  out += R"(,"object_id":")";
  out += to_text(object);
  out += R"(","detail":)";
  out += detail;
  return out += '}';
}

}  // namespace finality::query
