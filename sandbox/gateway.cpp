#include "sandbox/gateway.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sandbox/answer.h"
#include "sandbox/fields.h"
#include "sandbox/scenario.h"
#include "sandbox/signature.h"

namespace finality::sandbox {
namespace {

constexpr std::array<std::string_view, 2> kChannels{"sandbox", "sandbox2"};

net::HttpResponse trade_answer(const Trade& trade) { return json_answer(200, {{"trade", to_json(trade)}}); }

net::HttpResponse trade_conflict(std::string_view code, std::string_view message, const Trade& trade) {
  boost::json::object body = error_body(code, message);
  body["trade"] = to_json(trade);
  return json_answer(409, body);
}

net::HttpResponse no_such_trade() { return error_answer(404, "trade_not_exist", "There is no such trade."); }

net::HttpResponse refund_answer(const Refund& refund) { return json_answer(200, {{"refund", to_json(refund)}}); }

net::HttpResponse refund_refused(RefundRefusal refusal) {
  switch (refusal) {
    case RefundRefusal::trade_not_exist:
      return no_such_trade();
    case RefundRefusal::context_inconsistent:
      return error_answer(409, name_of(refusal),
                          "This number was used for another refund, or the currency is not the trade's.");
    case RefundRefusal::trade_not_paid:
      return error_answer(409, name_of(refusal), "The trade is not paid.");
    case RefundRefusal::refund_exceeds_paid:
      return error_answer(409, name_of(refusal), "This is more than what is left of the payment.");
    case RefundRefusal::refund_refused:
      return error_answer(409, name_of(refusal), "This payment cannot be refunded.");
    case RefundRefusal::refund_refused_for_now:
      return error_answer(409, name_of(refusal), "Not now. Try again later with a new number.");
  }
  std::unreachable();
}

// What a proxy answers when nothing comes back: what became of the request cannot be known from it.
net::HttpResponse lost() { return error_answer(504, "gateway_timeout", "There was no answer in time."); }

// A trade that is not there yet may be so because nothing about it arrives.
net::HttpResponse nothing_found(Books& books, std::string_view channel, std::string_view out_trade_no) {
  const std::optional<Time> outage_end = books.outage_end(channel, out_trade_no);
  return outage_end && *outage_end > books.now() ? lost() : no_such_trade();
}

// Whether the request to create the trade never arrives.
bool is_lost(Books& books, const Trade& order, const Scenario& scenario) {
  if (!scenario.create.lost_for) return false;
  const std::optional<Time> outage_end = books.outage_end(order.channel, order.out_trade_no);
  if (outage_end) return *outage_end > books.now();
  books.begin_outage(order.channel, order.out_trade_no, books.now() + *scenario.create.lost_for);
  return true;
}

net::HttpResponse close_in(Books& books, std::string_view channel, std::string_view out_trade_no) {
  std::optional<Trade> trade = books.find_trade(channel, out_trade_no);
  if (!trade) return nothing_found(books, channel, out_trade_no);
  if (scenario_of(*trade).close.payer_is_faster) books.pay(*trade);
  books.close(*trade);
  if (trade->state == TradeState::paid) return trade_conflict("trade_has_success", "The trade is paid.", *trade);
  if (trade->state == TradeState::failed) return trade_conflict("trade_has_failed", "The trade has failed.", *trade);
  return trade_answer(*trade);
}

// A finisher for the bookkeeper that passes on the answer the work has made.
auto answering(net::Respond respond) {
  return [respond = std::move(respond)](Result<net::HttpResponse> response) {
    respond(response ? std::move(*response) : unavailable_answer(response.error().message));
  };
}

}  // namespace

bool is_channel(std::string_view name) { return std::ranges::find(kChannels, name) != kChannels.end(); }

Gateway::Gateway(net::IoPool& io, std::shared_ptr<Bookkeeper> bookkeeper, Secret secret, std::string public_url)
    : io_(io), bookkeeper_(std::move(bookkeeper)), secret_(std::move(secret)), public_url_(std::move(public_url)) {}

void Gateway::handle(const net::HttpRequest& request, const std::vector<std::string_view>& segments,
                     net::Respond respond) {
  respond = signing(std::move(respond));
  const std::string_view resource = segments.size() > 1 ? segments[1] : std::string_view();
  const bool list = segments.size() == 2 && (resource == "trades" || resource == "refunds");
  const bool item = segments.size() == 3 && (resource == "trades" || resource == "refunds");
  const bool close = segments.size() == 4 && resource == "trades" && segments[3] == "close";
  if (!list && !item && !close) return respond(not_found_answer());
  const std::string_view method = item ? "GET" : "POST";
  if (request.method != method) return respond(wrong_method_answer(std::string(method)));
  if (!is_signed(secret_, request, SystemClock().now()))
    return respond(error_answer(401, "invalid_signature",
                                "The signature is missing or wrong, or its timestamp is too far from now."));

  const std::string_view channel = segments[0];
  if (close) return close_trade(channel, segments[2], std::move(respond));
  if (resource == "trades")
    return list ? create_trade(channel, request.body, std::move(respond))
                : query_trade(channel, segments[2], std::move(respond));
  return list ? create_refund(channel, request.body, std::move(respond))
              : query_refund(channel, segments[2], std::move(respond));
}

net::Respond Gateway::signing(net::Respond respond) const {
  return [secret = secret_, respond = std::move(respond)](net::HttpResponse response) {
    sign_message(secret, SystemClock().now(), response.body, response.headers);
    respond(std::move(response));
  };
}

void Gateway::create_trade(std::string_view channel, const std::string& body, net::Respond respond) {
  Fields fields(body);
  Trade order;
  order.channel = channel;
  order.out_trade_no = fields.text("out_trade_no", is_number_of_merchant);
  order.amount = fields.amount("amount");
  order.currency = fields.text("currency", is_currency);
  order.subject = fields.text("subject", is_subject);
  order.expires_at = fields.optional_time("expires_at");
  order.notify_url = fields.text("notify_url", is_web_url);
  order.return_url = fields.optional_text("return_url", is_web_url);
  order.scenario = fields.optional_text("scenario", is_name).value_or(std::string(kDefaultScenario));
  if (auto refusal = fields.refusal()) return respond(std::move(*refusal));
  if (find_scenario(order.scenario) == nullptr)
    return respond(error_answer(400, "invalid_parameter", "There is no such scenario.", "scenario"));

  bookkeeper_->submit([this, order = std::move(order)](Books& books) { return enter(books, order); },
                      [&io = io_, respond = std::move(respond)](Result<Created> created) {
                        if (!created) return respond(unavailable_answer(created.error().message));
                        if (created->answer_after == Duration{0}) return respond(std::move(created->response));
                        io.after(created->answer_after,
                                 [respond, response = std::move(created->response)] { respond(response); });
                      });
}

// A repeated request is answered at once: the scenario's delay belongs to the creation.
Gateway::Created Gateway::enter(Books& books, const Trade& order) const {
  if (const auto made = books.find_trade(order.channel, order.out_trade_no)) {
    if (made->amount == order.amount && made->currency == order.currency) return {trade_with_action(*made)};
    return {error_answer(409, "context_inconsistent", "This number was used for a trade of another amount.")};
  }
  if (order.expires_at && *order.expires_at <= books.now())
    return {error_answer(400, "invalid_parameter", "This time has passed.", "expires_at")};

  const Scenario& scenario = *find_scenario(order.scenario);
  if (is_lost(books, order, scenario)) return {lost()};
  Trade trade = order;
  trade.act = scenario.payer.act;
  if (scenario.payer.act != Act::none) trade.act_at = books.now() + scenario.payer.after;
  const Trade made = books.create_trade(std::move(trade));
  return {scenario.create.answered ? trade_with_action(made) : lost(), scenario.create.answer_after};
}

net::HttpResponse Gateway::trade_with_action(const Trade& trade) const {
  const boost::json::object action{{"type", "redirect"}, {"url", public_url_ + "/wallet/" + trade.trade_no}};
  return json_answer(200, {{"trade", to_json(trade)}, {"action", action}});
}

void Gateway::query_trade(std::string_view channel, std::string_view out_trade_no, net::Respond respond) {
  bookkeeper_->submit(
      [channel = std::string(channel), out_trade_no = std::string(out_trade_no)](Books& books) {
        const auto trade = books.find_trade(channel, out_trade_no);
        return trade ? trade_answer(*trade) : nothing_found(books, channel, out_trade_no);
      },
      answering(std::move(respond)));
}

void Gateway::close_trade(std::string_view channel, std::string_view out_trade_no, net::Respond respond) {
  bookkeeper_->submit([channel = std::string(channel), out_trade_no = std::string(out_trade_no)](
                          Books& books) { return close_in(books, channel, out_trade_no); },
                      answering(std::move(respond)));
}

void Gateway::create_refund(std::string_view channel, const std::string& body, net::Respond respond) {
  Fields fields(body);
  Refund request;
  request.channel = channel;
  request.out_refund_no = fields.text("out_refund_no", is_number_of_merchant);
  request.trade_no = fields.text("trade_no", is_name);
  request.amount = fields.amount("amount");
  request.currency = fields.text("currency", is_currency);
  if (auto refusal = fields.refusal()) return respond(std::move(*refusal));

  bookkeeper_->submit(
      [request = std::move(request)](Books& books) {
        const auto refund = books.refund(request);
        if (!refund) return refund_refused(refund.error());
        const bool answered = scenario_of(*books.find_trade(refund->trade_no)).refund.answered;
        return answered ? refund_answer(*refund) : lost();
      },
      answering(std::move(respond)));
}

void Gateway::query_refund(std::string_view channel, std::string_view out_refund_no, net::Respond respond) {
  bookkeeper_->submit(
      [channel = std::string(channel), out_refund_no = std::string(out_refund_no)](Books& books) {
        const auto refund = books.find_refund(channel, out_refund_no);
        return refund ? refund_answer(*refund) : error_answer(404, "refund_not_exist", "There is no such refund.");
      },
      answering(std::move(respond)));
}

}  // namespace finality::sandbox
