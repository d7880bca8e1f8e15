#include "sandbox/pages/public_site.h"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>

#include "sandbox/pages/payer_page.h"
#include "sandbox/simple/answer.h"

namespace finality::sandbox {
namespace {

constexpr std::int64_t kLatest = 50;  // number of trades, and of holds, on the start page

bool wants_json(const net::HttpRequest& request) {
  return request.headers.get("Accept").find("application/json") != std::string_view::npos;
}

net::HttpResponse no_such_trade() { return error_answer(404, "trade_not_exist", "The trade does not exist."); }

net::HttpResponse see_wallet(const std::string& number) {
  net::HttpResponse response{.status = 303, .headers = {}, .body = {}};
  response.headers.add("Location", "/wallet/" + number);
  return response;
}

net::HttpResponse too_late(const Trade&, const boost::json::object& json) {
  boost::json::object body = error_body("trade_not_waiting", "The trade is no longer waiting for payment.");
  body["trade"] = json;
  return json_answer(409, body);
}

net::HttpResponse too_late(const Hold&, const boost::json::object& json) {
  boost::json::object body =
      error_body("authorization_not_waiting", "The authorization no longer waits for its payer.");
  body["authorization"] = json;
  return json_answer(409, body);
}

boost::json::object json_of(Ledger&, const Trade& trade) { return to_json(trade); }
boost::json::object json_of(Ledger& ledger, const Hold& hold) { return to_json(hold, ledger.captures_of(hold)); }

const std::string& wallet_number(const Trade& trade) { return trade.trade_no; }
const std::string& wallet_number(const Hold& hold) { return hold.hold_no; }

// Returns the app_id (Alipay) or mchid (WeChat Pay) of the account of a trade or hold; null if the channel has no
// accounts.
boost::json::value account_of(const std::string& channel, const std::vector<GatewayAccount>& accounts) {
  const auto found = std::ranges::find(accounts, channel, &GatewayAccount::channel);
  return found != accounts.end() ? boost::json::value(found->id) : boost::json::value();
}

boost::json::object ledger_row(const Trade& trade, const std::vector<GatewayAccount>& accounts) {
  boost::json::object row{{"trade_no", trade.number()},
                          {"out_trade_no", trade.out_trade_no},
                          {"channel", channel_name(trade.channel)},
                          {"account", account_of(trade.channel, accounts)},
                          {"state", name_of(trade.state)},
                          {"amount", trade.amount},
                          {"currency", trade.currency},
                          {"paid", trade.paid},
                          {"refunded", trade.refunded},
                          {"returned", trade.returned},
                          {"payer", trade.payer}};
  if (trade.is_capture()) row["auth_no"] = trade.hold_no;
  return row;
}

boost::json::object ledger_row(const Hold& hold, const std::vector<GatewayAccount>& accounts) {
  boost::json::object row{{"auth_no", hold.hold_no},
                          {"out_order_no", hold.out_order_no},
                          {"channel", channel_name(hold.channel)},
                          {"account", account_of(hold.channel, accounts)},
                          {"state", name_of(hold.state)},
                          {"amount", hold.amount},
                          {"authorized", hold.authorized},
                          {"captured", hold.captured},
                          {"released", hold.released},
                          {"currency", hold.currency},
                          {"unfunded", hold.is_unfunded},
                          {"payer", hold.payer}};
  if (hold.ended_by != HoldEnd::none) row["ended_by"] = name_of(hold.ended_by);
  return row;
}

// Serializes row by row, because a JSON tree of the whole ledger would need many times the memory of its text.
net::HttpResponse ledger_answer(Ledger& ledger, const std::vector<GatewayAccount>& accounts) {
  net::HttpResponse response{.status = 200, .headers = {}, .body = "{\"trades\":["};
  bool first = true;
  const auto add = [&](const auto& trade_or_hold) {
    if (!std::exchange(first, false)) response.body += ",\n";
    response.body += boost::json::serialize(ledger_row(trade_or_hold, accounts));
  };
  ledger.for_each_trade(add);
  response.body += "],\"authorizations\":[";
  first = true;
  ledger.for_each_hold(add);
  response.body += "],\"to_come\":" + std::to_string(ledger.outstanding_count()) + '}';
  response.headers.add("Content-Type", "application/json");
  return response;
}

}  // namespace

PublicSite::PublicSite(std::shared_ptr<LedgerThread> ledger_thread, std::shared_ptr<const Gateways> gateways)
    : ledger_thread_(std::move(ledger_thread)), gateways_(std::move(gateways)) {
  for (const auto& gateway : *gateways_)
    for (GatewayAccount& account : gateway->accounts()) accounts_.push_back(std::move(account));
}

void PublicSite::handle(const net::HttpRequest& request, const Segments& segments, net::Respond respond) {
  const std::string_view section = segments[0];
  const bool page = segments.size() == 1 && (section.empty() || section == "ledger" || section == "healthz");
  const bool wallet = segments.size() == 2 && section == "wallet";
  const bool act = segments.size() == 3 && section == "wallet" && (segments[2] == "pay" || segments[2] == "decline");
  if (!page && !wallet && !act) return respond(not_found_answer());
  const std::string_view method = act ? "POST" : "GET";
  if (request.method != method) return respond(wrong_method_answer(std::string(method)));

  const bool as_json = wants_json(request);
  if (wallet) return show_wallet(segments[1], as_json, std::move(respond));
  if (act) return act_in_wallet(segments[1], segments[2] == "pay", as_json, std::move(respond));
  if (section == "ledger") return show_ledger(std::move(respond));
  if (section.empty()) return show_index(std::move(respond));
  respond(ledger_thread_->healthy() ? json_answer(200, {{"status", "ok"}})
                                    : unavailable_answer("The sandbox's database has failed; restart the sandbox."));
}

void PublicSite::show_index(net::Respond respond) {
  answer_with(
      [this](Ledger& ledger) {
        return html_answer(200, index_page(ledger.latest_trades(kLatest), ledger.latest_holds(kLatest), accounts_));
      },
      std::move(respond));
}

void PublicSite::show_ledger(net::Respond respond) {
  answer_with([this](Ledger& ledger) { return ledger_answer(ledger, accounts_); }, std::move(respond));
}

void PublicSite::show_wallet(std::string_view number, bool as_json, net::Respond respond) {
  answer_with(
      [this, number = std::string(number), as_json](Ledger& ledger) {
        if (const auto trade = ledger.find_trade(number)) return shown(ledger, *trade, as_json);
        if (const auto hold = ledger.find_hold(number)) return shown(ledger, *hold, as_json);
        return no_such_trade();
      },
      std::move(respond));
}

void PublicSite::act_in_wallet(std::string_view number, bool accepts, bool as_json, net::Respond respond) {
  answer_with(
      [this, number = std::string(number), accepts, as_json](Ledger& ledger) {
        if (auto trade = ledger.find_trade(number)) {
          const bool changed = accepts ? ledger.pay(*trade) : ledger.decline(*trade);
          return acted(ledger, *trade, changed, as_json);
        }
        if (auto hold = ledger.find_hold(number)) {
          const bool changed = accepts ? ledger.authorize(*hold) : ledger.decline(*hold);
          return acted(ledger, *hold, changed, as_json);
        }
        return no_such_trade();
      },
      std::move(respond));
}

template <class Row>
net::HttpResponse PublicSite::shown(Ledger& ledger, const Row& row, bool as_json) const {
  return as_json ? json_answer(200, json_of(ledger, row)) : html_answer(200, page_of(row));
}

template <class Row>
net::HttpResponse PublicSite::acted(Ledger& ledger, const Row& row, bool changed, bool as_json) const {
  if (!changed) return as_json ? too_late(row, json_of(ledger, row)) : html_answer(409, page_of(row));
  return as_json ? json_answer(200, json_of(ledger, row)) : see_wallet(wallet_number(row));
}

std::string PublicSite::page_of(const Trade& trade) const {
  const Gateway* gateway = gateway_of_channel(*gateways_, trade.channel);
  return payer_page(trade, gateway != nullptr ? gateway->payer_return_url(trade) : trade.return_url);
}

std::string PublicSite::page_of(const Hold& hold) const { return payer_page(hold, hold.return_url); }

void PublicSite::answer_with(std::function<net::HttpResponse(Ledger&)> work, net::Respond respond) {
  ledger_thread_->submit(std::move(work), [respond = std::move(respond)](Result<net::HttpResponse> response) {
    respond(response ? std::move(*response) : unavailable_answer(response.error().message));
  });
}

}  // namespace finality::sandbox
