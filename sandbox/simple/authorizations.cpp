#include "sandbox/simple/authorizations.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sandbox/core/fields.h"
#include "sandbox/core/order_intake.h"
#include "sandbox/core/scenario.h"
#include "sandbox/simple/answer.h"
#include "sandbox/simple/replies.h"

namespace finality::sandbox {
namespace {

net::HttpResponse no_such_authorization() {
  return error_answer(404, "authorization_not_exist", "The authorization does not exist.");
}

net::HttpResponse answer_of(Ledger& ledger, const Hold& hold) {
  return json_answer(200, {{"authorization", to_json(hold, ledger.captures_of(hold))}});
}

net::HttpResponse conflict(Ledger& ledger, const Hold& hold, std::string_view code, std::string_view message) {
  boost::json::object body = error_body(code, message);
  body["authorization"] = to_json(hold, ledger.captures_of(hold));
  return json_answer(409, body);
}

/// The message of a refusal. A lost request has none.
template <class Refusal>
struct RefusalText {
  Refusal refusal;
  std::string_view message;
};
constexpr RefusalText<CaptureRefusal> kCaptureTexts[] = {
    {CaptureRefusal::context_inconsistent, "out_trade_no is used by another trade, amount or final."},
    {CaptureRefusal::not_held, "Nothing is held."},
    {CaptureRefusal::capture_exceeds_held, "The amount exceeds what is held."},
    {CaptureRefusal::capture_refused, "This authorization cannot be captured."},
    {CaptureRefusal::capture_not_now, "Refused temporarily. Try again later with the same out_trade_no."}};
constexpr RefusalText<ReleaseRefusal> kReleaseTexts[] = {
    {ReleaseRefusal::context_inconsistent, "out_request_no is used by another release."},
    {ReleaseRefusal::not_held, "Nothing is held."},
    {ReleaseRefusal::release_exceeds_held, "The amount exceeds what is held."},
    {ReleaseRefusal::release_refused, "This authorization cannot be released."},
    {ReleaseRefusal::release_refused_for_now, "Refused temporarily. Try again later with a new out_request_no."}};

// Returns the response to a request that the ledger has refused or lost.
template <class Refusal, std::size_t size>
net::HttpResponse refused(Ledger& ledger, const Hold& hold, Refusal refusal,
                          const RefusalText<Refusal> (&texts)[size]) {
  const auto* text = std::ranges::find(texts, refusal, &RefusalText<Refusal>::refusal);
  return text != std::end(texts) ? conflict(ledger, hold, name_of(refusal), text->message) : lost_answer();
}

}  // namespace

/// An endpoint /{channel}/{resource}, /{channel}/{resource}/{number} or /{channel}/{resource}/{number}/{action}.
struct SimpleAuthorizations::Route {
  std::size_t size;  // number of segments
  std::string_view resource;
  std::string_view action;
  std::string_view method;
  void (SimpleAuthorizations::*answer)(AuthorizationRequest, net::Respond) const;
};

const SimpleAuthorizations::Route* SimpleAuthorizations::find_route(const Segments& path) {
  static constexpr Route kRoutes[] = {
      {2, "authorizations", "", "POST", &SimpleAuthorizations::create},
      {3, "authorizations", "", "GET", &SimpleAuthorizations::query},
      {4, "authorizations", "close", "POST", &SimpleAuthorizations::close},
      {4, "authorizations", "releases", "POST", &SimpleAuthorizations::release},
      {4, "authorizations", "captures", "POST", &SimpleAuthorizations::capture},
      {3, "captures", "", "GET", &SimpleAuthorizations::query_capture},
  };
  const auto* at = std::ranges::find_if(kRoutes, [&](const Route& route) {
    return path.size() == route.size && path[1] == route.resource && (path.size() < 4 || path[3] == route.action);
  });
  return at != std::end(kRoutes) ? at : nullptr;
}

std::string_view SimpleAuthorizations::method_of(const Route& route) { return route.method; }

void SimpleAuthorizations::handle(const Route& route, AuthorizationRequest request, net::Respond respond) const {
  (this->*route.answer)(std::move(request), std::move(respond));
}

void SimpleAuthorizations::create(AuthorizationRequest request, net::Respond respond) const {
  Fields fields(request.body);
  Hold order;
  order.channel = request.channel;
  order.shares_trade_no = request.shares_trade_no;
  order.out_order_no = fields.text("out_order_no");
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
        const HoldEntry entry = enter(ledger, order);
        if (entry.result != IntakeResult::taken)
          return {not_taken_answer(entry.result, "out_order_no"), entry.answer_after};
        const boost::json::object json = to_json(*entry.hold, ledger.captures_of(*entry.hold));
        return {json_answer(200, {{"authorization", json}, {"action", payer_action(url, entry.hold->hold_no)}}),
                entry.answer_after};
      },
      std::move(respond));
}

// Runs `work(Ledger&, Hold&)` with the authorization of the request, and sends its response.
template <class Work>
void SimpleAuthorizations::answer_about(AuthorizationRequest request, Work work, net::Respond respond) const {
  respond_with(
      parts_,
      [request = std::move(request), work = std::move(work)](Ledger& ledger) {
        auto hold = ledger.find_hold(request.channel, request.number);
        if (!hold) hold = ledger.find_hold(request.number);  // the path may contain an auth_no instead
        if (hold && hold->channel == request.channel) return work(ledger, *hold);
        return is_cut_off(ledger, request.channel, request.number) ? lost_answer() : no_such_authorization();
      },
      std::move(respond));
}

void SimpleAuthorizations::query(AuthorizationRequest request, net::Respond respond) const {
  answer_about(std::move(request), answer_of, std::move(respond));
}

void SimpleAuthorizations::close(AuthorizationRequest request, net::Respond respond) const {
  const auto work = [](Ledger& ledger, Hold& hold) {
    close_for_merchant(ledger, hold);
    if (hold.state == HoldState::closed) return answer_of(ledger, hold);
    return conflict(ledger, hold, "authorization_not_waiting", "The payer has authorized or declined.");
  };
  answer_about(std::move(request), work, std::move(respond));
}

void SimpleAuthorizations::release(AuthorizationRequest request, net::Respond respond) const {
  Fields fields(request.body);
  HoldRelease release{.channel = request.channel,
                      .out_request_no = fields.text("out_request_no"),
                      .hold_no = {},
                      .amount = fields.amount("amount")};
  if (auto refusal = fields.refusal()) return respond(std::move(*refusal));
  const auto work = [release = std::move(release)](Ledger& ledger, Hold& hold) {
    if (const auto done = ledger.release(hold, release); !done)
      return refused(ledger, hold, done.error(), kReleaseTexts);
    return is_release_answered(hold) ? answer_of(ledger, hold) : lost_answer();
  };
  answer_about(std::move(request), work, std::move(respond));
}

void SimpleAuthorizations::capture(AuthorizationRequest request, net::Respond respond) const {
  Fields fields(request.body);
  CaptureRequest wanted{
      .out_trade_no = fields.text("out_trade_no"), .amount = fields.amount("amount"), .is_final = fields.flag("final")};
  if (auto refusal = fields.refusal()) return respond(std::move(*refusal));
  const auto work = [wanted = std::move(wanted)](Ledger& ledger, Hold& hold) {
    const auto capture = ledger.capture(hold, wanted);
    if (!capture) return refused(ledger, hold, capture.error(), kCaptureTexts);
    return is_capture_answered(hold) ? trade_answer(*capture) : lost_answer();
  };
  answer_about(std::move(request), work, std::move(respond));
}

void SimpleAuthorizations::query_capture(AuthorizationRequest request, net::Respond respond) const {
  respond_with(
      parts_,
      [request = std::move(request)](Ledger& ledger) {
        const auto trade = ledger.find_trade(request.channel, request.number);
        const bool is_there = trade && trade->is_capture() && trade->state == TradeState::paid;
        return is_there ? trade_answer(*trade) : error_answer(404, "capture_not_exist", "The capture does not exist.");
      },
      std::move(respond));
}

}  // namespace finality::sandbox
