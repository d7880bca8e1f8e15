#include "sandbox/simple/replies.h"

#include <fmt/format.h>

#include <utility>

#include "base/check.h"
#include "sandbox/simple/answer.h"

namespace finality::sandbox {

void respond_later(const GatewayParts& parts, std::function<DelayedResponse(Ledger&)> work, net::Respond respond) {
  parts.ledger_thread->submit(std::move(work),
                              [&io = parts.io, respond = std::move(respond)](Result<DelayedResponse> made) {
                                if (!made) return respond(unavailable_answer(made.error().message));
                                respond_after(io, made->after, std::move(made->response), respond);
                              });
}

void respond_with(const GatewayParts& parts, std::function<net::HttpResponse(Ledger&)> work, net::Respond respond) {
  parts.ledger_thread->submit(std::move(work), [respond = std::move(respond)](Result<net::HttpResponse> response) {
    respond(response ? std::move(*response) : unavailable_answer(response.error().message));
  });
}

net::HttpResponse trade_answer(const Trade& trade) { return json_answer(200, {{"trade", to_json(trade)}}); }

net::HttpResponse not_taken_answer(IntakeResult result, std::string_view number) {
  switch (result) {
    case IntakeResult::taken:
      break;
    case IntakeResult::lost:
      return lost_answer();
    case IntakeResult::inconsistent:
      return error_answer(409, "context_inconsistent",
                          fmt::format("{} is used with another amount or currency.", number));
    case IntakeResult::too_late:
      return error_answer(400, "invalid_parameter", "The time must be in the future.", "expires_at");
    case IntakeResult::refused:
      return error_answer(400, "unlisted_refusal", "The order is refused.");
  }
  FINALITY_CHECK(false, "the order was taken");
}

boost::json::object payer_action(std::string_view public_url, std::string_view number) {
  return {{"type", "redirect"}, {"url", fmt::format("{}/wallet/{}", public_url, number)}};
}

}  // namespace finality::sandbox
