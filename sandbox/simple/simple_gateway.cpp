#include "sandbox/simple/simple_gateway.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "sandbox/core/china_time.h"
#include "sandbox/core/fields.h"
#include "sandbox/core/order_intake.h"
#include "sandbox/core/scenario.h"
#include "sandbox/core/signature.h"
#include "sandbox/core/time_scale.h"
#include "sandbox/formats/query_value.h"
#include "sandbox/simple/answer.h"
#include "sandbox/simple/replies.h"
#include "sandbox/simple/statement.h"

namespace finality::sandbox {
namespace {

using namespace std::chrono_literals;

struct SimpleChannel {
  std::string_view name;
  bool shares_trade_no;  // captures have the trade number of their authorization, and refunds name it
};
constexpr SimpleChannel kChannels[] = {{"sandbox", false}, {"sandbox2", true}};

const SimpleChannel* find_channel(std::string_view name) {
  const auto* at = std::ranges::find(kChannels, name, &SimpleChannel::name);
  return at != std::end(kChannels) ? at : nullptr;
}

// The first retries have short delays that the time scale does not change, as for payments at a till.
constexpr std::array<Duration, 3> kQuickRetries{1s, 2s, 4s};
constexpr std::array<Duration, 7> kScaledRetries{4min, 10min, 10min, 1h, 2h, 6h, 15h};
constexpr Duration kReplayAge = 1h;  // age of the signature of a notification with Forgery::replayed

// Returns the body that is signed for Forgery::altered. The body that is sent differs: its state is "paid" or, of a
// hold, "held".
std::string before_alteration(std::string body, bool is_about_hold) {
  const std::string_view state = is_about_hold ? R"("state":"held")" : R"("state":"paid")";
  return body.replace(body.find(state), state.size(), R"("state":"waiting")");
}

constexpr std::size_t kDateSize = 10;

/// A request for a statement.
struct StatementRequest {
  std::string channel;
  bool is_trades = false;
  std::string date;
  Day span;
};

net::HttpResponse statement_in(Ledger& ledger, const StatementRequest& request) {
  const FileState state = file_state(ledger, request.channel, request.date, request.span);
  if (state == FileState::not_ready)
    return error_answer(404, "statement_not_ready", "The statement is created at 10:00 on the next day.");
  const SimpleStatementHead head{request.channel, request.date};
  std::string file;
  if (request.is_trades) {
    const auto lines = trade_lines(ledger, request.channel, request.span, state);
    if (!lines.empty()) file = simple_trades(head, lines);
  } else {
    const FundsDay day = funds_day(ledger, request.channel, request.date, request.span);
    if (!day.lines.empty()) file = simple_funds(head, day);
  }
  if (file.empty()) return error_answer(404, "no_statement", "Nothing happened on this day.");
  net::HttpResponse response{.status = 200, .headers = {}, .body = std::move(file)};
  response.headers.add("Content-Type", "text/csv; charset=utf-8");
  return response;
}

net::HttpResponse trade_conflict(std::string_view code, std::string_view message, const Trade& trade) {
  boost::json::object body = error_body(code, message);
  body["trade"] = to_json(trade);
  return json_answer(409, body);
}

net::HttpResponse no_such_trade() { return error_answer(404, "trade_not_exist", "The trade does not exist."); }

net::HttpResponse refund_answer(Ledger& ledger, const Refund& refund) {
  return json_answer(200, {{"refund", to_json(refund, ledger.trade_of(refund.trade_no))}});
}

net::HttpResponse refund_refused(RefundRefusal refusal) {
  switch (refusal) {
    case RefundRefusal::trade_not_exist:
      return no_such_trade();
    case RefundRefusal::context_inconsistent:
      return error_answer(409, name_of(refusal),
                          "out_refund_no is used by another refund, or the currency differs from the trade's.");
    case RefundRefusal::trade_not_paid:
      return error_answer(409, name_of(refusal), "The trade is not paid.");
    case RefundRefusal::refund_exceeds_paid:
      return error_answer(409, name_of(refusal), "The amount exceeds the refundable amount of the trade.");
    case RefundRefusal::refund_refused:
      return error_answer(409, name_of(refusal), "This payment cannot be refunded.");
    case RefundRefusal::refund_refused_for_now:
      return error_answer(409, name_of(refusal), "Refused temporarily. Try again later with a new out_refund_no.");
    case RefundRefusal::refund_not_now:
      return error_answer(409, name_of(refusal), "Refused temporarily. Try again later with the same out_refund_no.");
  }
  std::unreachable();
}

net::HttpResponse nothing_found(Ledger& ledger, std::string_view channel, std::string_view out_trade_no) {
  return is_cut_off(ledger, channel, out_trade_no) ? lost_answer() : no_such_trade();
}

net::HttpResponse close_in(Ledger& ledger, std::string_view channel, std::string_view out_trade_no) {
  std::optional<Trade> trade = ledger.find_trade(channel, out_trade_no);
  if (!trade) return nothing_found(ledger, channel, out_trade_no);
  close_for_merchant(ledger, *trade);
  if (trade->state == TradeState::paid) return trade_conflict("trade_has_success", "The trade is paid.", *trade);
  if (trade->state == TradeState::failed) return trade_conflict("trade_has_failed", "The trade has failed.", *trade);
  return trade_answer(*trade);
}

}  // namespace

bool SimpleGateway::has_channel(std::string_view channel) const { return find_channel(channel) != nullptr; }

void SimpleGateway::handle(const net::HttpRequest& request, const Segments& segments, net::Respond respond) {
  respond = signing(std::move(respond));
  const std::string_view resource = segments.size() > 1 ? segments[1] : std::string_view();
  const bool list = segments.size() == 2 && (resource == "trades" || resource == "refunds");
  const bool item = segments.size() == 3 && (resource == "trades" || resource == "refunds");
  const bool close = segments.size() == 4 && resource == "trades" && segments[3] == "close";
  const bool statement = segments.size() == 2 && resource == "statements";
  const SimpleAuthorizations::Route* authorization = SimpleAuthorizations::find_route(segments);
  if (!list && !item && !close && !statement && authorization == nullptr) return respond(not_found_answer());
  const std::string_view method = authorization != nullptr ? SimpleAuthorizations::method_of(*authorization)
                                  : item || statement      ? "GET"
                                                           : "POST";
  if (request.method != method) return respond(wrong_method_answer(std::string(method)));
  if (!is_signed(secret_, request, parts_.ledger_thread->now()))
    return respond(error_answer(
        401, "invalid_signature",
        "The signature is missing or invalid, or its timestamp differs from the current time by more than 300 s."));

  const std::string_view channel = segments[0];
  if (authorization != nullptr)
    return authorizations_.handle(*authorization,
                                  {.channel = std::string(channel),
                                   .shares_trade_no = find_channel(channel)->shares_trade_no,
                                   .number = std::string(segments.size() > 2 ? segments[2] : std::string_view()),
                                   .body = request.body},
                                  std::move(respond));
  if (statement) return send_statement(channel, request, std::move(respond));
  if (close) return close_trade(channel, segments[2], std::move(respond));
  if (resource == "trades")
    return list ? create_trade(channel, request.body, std::move(respond))
                : query_trade(channel, segments[2], std::move(respond));
  return list ? create_refund(channel, request.body, std::move(respond))
              : query_refund(channel, segments[2], std::move(respond));
}

net::Respond SimpleGateway::signing(net::Respond respond) const {
  return [secret = secret_, ledger_thread = parts_.ledger_thread,
          respond = std::move(respond)](net::HttpResponse response) {
    sign_message(secret, ledger_thread->now(), response.body, response.headers);
    respond(std::move(response));
  };
}

void SimpleGateway::create_trade(std::string_view channel, const std::string& body, net::Respond respond) {
  Fields fields(body);
  Trade order;
  order.channel = channel;
  order.out_trade_no = fields.text("out_trade_no");
  order.amount = fields.amount("amount");
  order.currency = fields.text("currency", is_currency);
  order.subject = fields.text("subject", is_one_line);
  order.expires_at = fields.optional_time("expires_at");
  order.notify_url = fields.text("notify_url", is_web_url);
  order.return_url = fields.optional_text("return_url", is_web_url);
  order.reports_settlement = true;
  order.scenario = fields.optional_text("scenario").value_or(std::string(kDefaultScenario));
  if (auto refusal = fields.refusal()) return respond(std::move(*refusal));
  if (find_scenario(order.scenario) == nullptr)
    return respond(error_answer(400, "invalid_parameter", "Unknown scenario.", "scenario"));

  respond_later(
      parts_,
      [order = std::move(order), url = parts_.public_url](Ledger& ledger) -> DelayedResponse {
        const Entry entry = enter(ledger, order);
        if (entry.result != IntakeResult::taken)
          return {not_taken_answer(entry.result, "out_trade_no"), entry.answer_after};
        const boost::json::object action = payer_action(url, entry.trade->trade_no);
        return {json_answer(200, {{"trade", to_json(*entry.trade)}, {"action", action}}), entry.answer_after};
      },
      std::move(respond));
}

void SimpleGateway::query_trade(std::string_view channel, std::string_view out_trade_no, net::Respond respond) {
  respond_with(
      parts_,
      [channel = std::string(channel), out_trade_no = std::string(out_trade_no)](Ledger& ledger) {
        auto trade = ledger.find_trade(channel, out_trade_no);
        if (!trade) trade = ledger.find_trade(out_trade_no);  // the path may contain a trade_no instead
        return trade && trade->channel == channel ? trade_answer(*trade) : nothing_found(ledger, channel, out_trade_no);
      },
      std::move(respond));
}

void SimpleGateway::close_trade(std::string_view channel, std::string_view out_trade_no, net::Respond respond) {
  respond_with(
      parts_,
      [channel = std::string(channel), out_trade_no = std::string(out_trade_no)](Ledger& ledger) {
        return close_in(ledger, channel, out_trade_no);
      },
      std::move(respond));
}

void SimpleGateway::create_refund(std::string_view channel, const std::string& body, net::Respond respond) {
  Fields fields(body);
  Refund request;
  request.channel = channel;
  request.out_refund_no = fields.text("out_refund_no");
  request.may_return = true;
  request.trade_no = fields.text("trade_no");
  request.amount = fields.amount("amount");
  request.currency = fields.text("currency", is_currency);
  if (auto refusal = fields.refusal()) return respond(std::move(*refusal));

  respond_with(
      parts_,
      [request = std::move(request)](Ledger& ledger) {
        const auto refund = ledger.refund(request);
        if (!refund) return refund_refused(refund.error());
        return is_refund_answered(ledger.trade_of(refund->trade_no)) ? refund_answer(ledger, *refund) : lost_answer();
      },
      std::move(respond));
}

void SimpleGateway::query_refund(std::string_view channel, std::string_view out_refund_no, net::Respond respond) {
  respond_with(
      parts_,
      [channel = std::string(channel), out_refund_no = std::string(out_refund_no)](Ledger& ledger) {
        const auto refund = ledger.find_refund(channel, out_refund_no);
        return refund ? refund_answer(ledger, *refund)
                      : error_answer(404, "refund_not_exist", "The refund does not exist.");
      },
      std::move(respond));
}

void SimpleGateway::send_statement(std::string_view channel, const net::HttpRequest& request, net::Respond respond) {
  const std::string kind = query_value(request.query(), "kind");
  const std::string date = query_value(request.query(), "date");
  const auto span = parse_china_day(date);
  if (kind != "trades" && kind != "funds")
    return respond(error_answer(400, "invalid_parameter", "kind must be trades or funds.", "kind"));
  if (!span || date.size() != kDateSize)
    return respond(error_answer(400, "invalid_parameter", "date must be a day such as 2026-01-31.", "date"));
  respond_with(
      parts_,
      [wanted = StatementRequest{std::string(channel), kind == "trades", date, *span}](Ledger& ledger) {
        return statement_in(ledger, wanted);
      },
      std::move(respond));
}

std::optional<net::Call> SimpleGateway::request_of(const Notification& notification, Time now) const {
  net::Call call{.url = notification.url, .method = "POST", .headers = {}, .body = notification.body};
  call.headers.add("Content-Type", "application/json");
  sign(notification, now, call);
  return call;
}

void SimpleGateway::sign(const Notification& notification, Time now, net::Call& call) const {
  const bool is_about_hold = notification.hold.has_value();
  switch (notification.forgery) {
    case Forgery::none:
      return sign_message(secret_, now, call.body, call.headers);
    case Forgery::bad_signature:
      return sign_message(Secret("the forger's"), now, call.body, call.headers);
    case Forgery::replayed:
      return sign_message(secret_, now - kReplayAge, call.body, call.headers);
    case Forgery::altered:
      return sign_message(secret_, now, before_alteration(call.body, is_about_hold), call.headers);
  }
}

bool SimpleGateway::is_acknowledgement(const net::HttpResponse& response) const {
  return response.status == 200 && response.body == "success";
}

std::optional<Duration> SimpleGateway::retry_delay(const Notification&, std::int64_t attempts) const {
  const auto retry = static_cast<std::size_t>(attempts - 1);
  if (retry < kQuickRetries.size()) return kQuickRetries[retry];
  const std::size_t later = retry - kQuickRetries.size();
  return later < kScaledRetries.size() ? std::optional(scaled(kScaledRetries[later], parts_.time_scale)) : std::nullopt;
}

}  // namespace finality::sandbox
