#include "sandbox/pages/public_site.h"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>

#include "sandbox/pages/payer_page.h"
#include "sandbox/simple/answer.h"

namespace finality::sandbox {
namespace {

constexpr std::int64_t kLatestTrades = 50;

bool wants_json(const net::HttpRequest& request) {
  return request.headers.get("Accept").find("application/json") != std::string_view::npos;
}

net::HttpResponse no_such_trade() { return error_answer(404, "trade_not_exist", "The trade does not exist."); }

net::HttpResponse see_wallet(const Trade& trade) {
  net::HttpResponse response{.status = 303, .headers = {}, .body = {}};
  response.headers.add("Location", "/wallet/" + trade.trade_no);
  return response;
}

net::HttpResponse too_late(const Trade& trade) {
  boost::json::object body = error_body("trade_not_waiting", "The trade is no longer waiting for payment.");
  body["trade"] = to_json(trade);
  return json_answer(409, body);
}

// Returns the app_id (Alipay) or mchid (WeChat Pay) of the trade's account; null if the channel has no accounts.
boost::json::value account_of(const Trade& trade, const std::vector<GatewayAccount>& accounts) {
  const auto found = std::ranges::find(accounts, trade.channel, &GatewayAccount::channel);
  return found != accounts.end() ? boost::json::value(found->id) : boost::json::value();
}

boost::json::object ledger_row(const Trade& trade, const std::vector<GatewayAccount>& accounts) {
  return {{"trade_no", trade.trade_no},
          {"out_trade_no", trade.out_trade_no},
          {"channel", channel_name(trade.channel)},
          {"account", account_of(trade, accounts)},
          {"state", name_of(trade.state)},
          {"amount", trade.amount},
          {"currency", trade.currency},
          {"paid", trade.paid},
          {"refunded", trade.refunded},
          {"returned", trade.returned},
          {"payer", trade.payer}};
}

// Serializes trade by trade, because a JSON tree of the whole ledger would need many times the memory of its text.
net::HttpResponse ledger_answer(Ledger& ledger, const std::vector<GatewayAccount>& accounts) {
  net::HttpResponse response{.status = 200, .headers = {}, .body = "{\"trades\":["};
  bool first = true;
  ledger.for_each_trade([&](const Trade& trade) {
    if (!std::exchange(first, false)) response.body += ",\n";
    response.body += boost::json::serialize(ledger_row(trade, accounts));
  });
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
  if (act)
    return act_in_wallet(segments[1], segments[2] == "pay" ? Act::pay : Act::decline, as_json, std::move(respond));
  if (section == "ledger") return show_ledger(std::move(respond));
  if (section.empty()) return show_index(std::move(respond));
  respond(ledger_thread_->healthy() ? json_answer(200, {{"status", "ok"}})
                                    : unavailable_answer("The sandbox's database has failed; restart the sandbox."));
}

void PublicSite::show_index(net::Respond respond) {
  answer_with(
      [this](Ledger& ledger) { return html_answer(200, index_page(ledger.latest_trades(kLatestTrades), accounts_)); },
      std::move(respond));
}

void PublicSite::show_ledger(net::Respond respond) {
  answer_with([this](Ledger& ledger) { return ledger_answer(ledger, accounts_); }, std::move(respond));
}

void PublicSite::show_wallet(std::string_view trade_no, bool as_json, net::Respond respond) {
  answer_with(
      [this, trade_no = std::string(trade_no), as_json](Ledger& ledger) {
        const auto trade = ledger.find_trade(trade_no);
        if (!trade) return no_such_trade();
        return as_json ? json_answer(200, to_json(*trade)) : html_answer(200, page_of(*trade));
      },
      std::move(respond));
}

void PublicSite::act_in_wallet(std::string_view trade_no, Act act, bool as_json, net::Respond respond) {
  answer_with(
      [this, trade_no = std::string(trade_no), act, as_json](Ledger& ledger) {
        auto trade = ledger.find_trade(trade_no);
        if (!trade) return no_such_trade();
        const bool changed = act == Act::pay ? ledger.pay(*trade) : ledger.decline(*trade);
        if (!changed) return as_json ? too_late(*trade) : html_answer(409, page_of(*trade));
        return as_json ? json_answer(200, to_json(*trade)) : see_wallet(*trade);
      },
      std::move(respond));
}

std::string PublicSite::page_of(const Trade& trade) const {
  const Gateway* gateway = gateway_of_channel(*gateways_, trade.channel);
  return payer_page(trade, gateway != nullptr ? gateway->payer_return_url(trade) : trade.return_url);
}

void PublicSite::answer_with(std::function<net::HttpResponse(Ledger&)> work, net::Respond respond) {
  ledger_thread_->submit(std::move(work), [respond = std::move(respond)](Result<net::HttpResponse> response) {
    respond(response ? std::move(*response) : unavailable_answer(response.error().message));
  });
}

}  // namespace finality::sandbox
