#include "sandbox/pages/console_site.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "sandbox/formats/query_value.h"
#include "sandbox/simple/answer.h"

namespace finality::sandbox {
namespace {

bool lapse(Ledger& ledger, Hold& hold, MinorUnits) { return ledger.lapse(hold); }
bool release(Ledger& ledger, Hold& hold, MinorUnits amount) { return ledger.release_in_console(hold, amount); }
bool capture(Ledger& ledger, Hold& hold, MinorUnits amount) { return ledger.capture_in_console(hold, amount); }

struct ConsoleAction {
  std::string_view name;
  bool has_amount;
  bool (*perform)(Ledger&, Hold&, MinorUnits);  // false: nothing is held, or less than the amount
};
constexpr ConsoleAction kActions[] = {{"lapse", false, lapse}, {"release", true, release}, {"capture", true, capture}};

net::HttpResponse performed(Ledger& ledger, const ConsoleAction& action, const std::string& hold_no,
                            std::optional<MinorUnits> amount) {
  std::optional<Hold> hold = ledger.find_hold(hold_no);
  if (!hold) return error_answer(404, "authorization_not_exist", "The authorization does not exist.");
  const bool is_done = action.perform(ledger, *hold, amount.value_or(hold->held()));
  boost::json::object body;
  if (!is_done) body = error_body("not_held", "Nothing is held, or less than the amount.");
  body["authorization"] = to_json(*hold, ledger.captures_of(*hold));
  return json_answer(is_done ? 200 : 409, body);
}

}  // namespace

void ConsoleSite::handle(const net::HttpRequest& request, const Segments& segments, net::Respond respond) {
  const std::string_view name = segments.size() == 3 ? segments[2] : std::string_view();
  const auto* action = std::ranges::find(kActions, name, &ConsoleAction::name);
  if (action == std::end(kActions)) return respond(not_found_answer());
  if (request.method != "POST") return respond(wrong_method_answer("POST"));
  const std::string text = query_value(request.query(), "amount");
  const std::optional<MinorUnits> amount = amount_value(text);
  if (!text.empty() && (!action->has_amount || !amount))
    return respond(error_answer(400, "invalid_parameter", "amount must be a positive integer.", "amount"));
  ledger_thread_->submit([action, hold_no = std::string(segments[1]),
                          amount](Ledger& ledger) { return performed(ledger, *action, hold_no, amount); },
                         [respond = std::move(respond)](Result<net::HttpResponse> response) {
                           respond(response ? std::move(*response) : unavailable_answer(response.error().message));
                         });
}

}  // namespace finality::sandbox
