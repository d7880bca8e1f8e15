#include "sandbox/core/trade.h"

#include <boost/json/parse.hpp>

#include <array>
#include <functional>

namespace finality::sandbox {
namespace {

std::string text_of(const boost::json::object& object, std::string_view name) {
  return std::string(std::string_view(object.at(name).as_string()));
}

Refund refund_of(const boost::json::object& fields, const std::string& channel) {
  return {.refund_no = text_of(fields, "refund_no"),
          .channel = channel,
          .out_refund_no = text_of(fields, "out_refund_no"),
          .trade_no = text_of(fields, "trade_no"),
          .amount = fields.at("amount").as_int64(),
          .currency = text_of(fields, "currency"),
          .state = text_of(fields, "state"),
          .return_no = {},
          .returned_at = {},
          .details = {},
          .notify_url = {},
          .created_at = parse_rfc3339(text_of(fields, "created_at")).value_or(Time()),
          .stranded_at = fields.contains("stranded_at") ? parse_rfc3339(text_of(fields, "stranded_at")) : std::nullopt,
          .settles_at = parse_rfc3339(text_of(fields, "settles_at")).value_or(Time()),
          .settlement = {}};
}

}  // namespace

// Reads the state, the amounts and the refund from the notification's body. Copies the fields of the merchant's order,
// which never change, from notification.trade.
NotificationContent content_of(const Notification& notification) {
  const boost::json::value event = boost::json::parse(notification.body);
  const boost::json::object& trade = event.at("trade").as_object();
  NotificationContent content{.trade = notification.trade, .refund = std::nullopt};
  content.trade.state = parse_enum<TradeState>(text_of(trade, "state")).value_or(notification.trade.state);
  content.trade.currency = text_of(trade, "currency");
  content.trade.paid = trade.at("paid").as_int64();
  content.trade.refunded = trade.at("refunded").as_int64();
  content.trade.paid_at = trade.contains("paid_at") ? parse_rfc3339(text_of(trade, "paid_at")) : std::nullopt;
  if (const boost::json::value* refund = event.get_object().if_contains("refund"))
    content.refund = refund_of(refund->as_object(), notification.trade.channel);
  return content;
}

HoldReport hold_report_of(const Notification& notification) {
  const boost::json::value event = boost::json::parse(notification.body);
  const boost::json::object& change = event.at("change").as_object();
  const boost::json::object& hold = event.at("authorization").as_object();
  const boost::json::value* rest = change.if_contains("rest");
  HoldReport report{
      .hold = *notification.hold,
      .change = {.kind = parse_enum<HoldChangeKind>(text_of(change, "kind")).value_or(HoldChangeKind::authorized),
                 .amount = change.at("amount").as_int64(),
                 .rest = rest != nullptr ? rest->as_int64() : 0,
                 .number = change.contains("number") ? text_of(change, "number") : std::string()}};
  report.hold.state = parse_enum<HoldState>(text_of(hold, "state")).value_or(notification.hold->state);
  report.hold.authorized = hold.at("authorized").as_int64();
  report.hold.captured = hold.at("captured").as_int64();
  report.hold.released = hold.at("released").as_int64();
  report.hold.currency = text_of(hold, "currency");
  report.hold.is_unfunded = hold.at("unfunded").as_bool();
  return report;
}

std::string_view channel_name(std::string_view channel) { return channel.substr(0, channel.find('#')); }

std::string payer_of(std::string_view number) {
  constexpr std::array<std::string_view, 16> kFirst{"Ada", "Bao",  "Chidi", "Dana", "Emre", "Freya", "Goran", "Hana",
                                                    "Ivo", "Jing", "Kofi",  "Lena", "Mira", "Noor",  "Otto",  "Priya"};
  constexpr std::array<std::string_view, 16> kLast{"Ash",   "Birch", "Cedar",  "Dogwood", "Elder", "Fir",
                                                   "Gorse", "Hazel", "Ivy",    "Larch",   "Maple", "Oak",
                                                   "Pine",  "Rowan", "Sorrel", "Yew"};
  const std::size_t hash = std::hash<std::string_view>()(number);
  return std::string(kFirst[hash % kFirst.size()]) + " " + std::string(kLast[hash / kFirst.size() % kLast.size()]);
}

std::string another_currency(std::string_view currency) { return currency == "USD" ? "EUR" : "USD"; }

boost::json::object to_json(const Trade& trade) {
  boost::json::object json{{"trade_no", trade.number()},
                           {"out_trade_no", trade.out_trade_no},
                           {"channel", channel_name(trade.channel)},
                           {"state", name_of(trade.state)},
                           {"amount", trade.amount},
                           {"currency", trade.currency},
                           {"paid", trade.paid},
                           {"refunded", trade.refunded},
                           {"returned", trade.returned},
                           {"payer", trade.payer},
                           {"subject", trade.subject},
                           {"scenario", trade.scenario},
                           {"created_at", to_rfc3339(trade.created_at)}};
  if (trade.paid_at) json["paid_at"] = to_rfc3339(*trade.paid_at);
  if (trade.expires_at) json["expires_at"] = to_rfc3339(*trade.expires_at);
  if (!trade.settlement.empty()) json["settlement"] = boost::json::parse(trade.settlement);
  return json;
}

boost::json::object to_json(const Refund& refund, const Trade& trade) {
  boost::json::object json{{"refund_no", refund.refund_no},
                           {"out_refund_no", refund.out_refund_no},
                           {"trade_no", trade.number()},
                           {"amount", refund.amount},
                           {"currency", refund.currency},
                           {"state", refund.state},
                           {"created_at", to_rfc3339(refund.created_at)}};
  if (!refund.settlement.empty()) json["settlement"] = boost::json::parse(refund.settlement);
  return json;
}

}  // namespace finality::sandbox
