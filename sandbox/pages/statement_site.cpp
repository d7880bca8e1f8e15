#include "sandbox/pages/statement_site.h"

#include <boost/json/array.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/crypto/encoding.h"
#include "sandbox/core/fields.h"
#include "sandbox/formats/query_value.h"
#include "sandbox/simple/answer.h"
#include "sandbox/statements/bank.h"
#include "sandbox/statements/funds_lines.h"
#include "sandbox/statements/withdrawals.h"

namespace finality::sandbox {
namespace {

constexpr std::size_t kDateLength = 10;     // length of yyyy-MM-dd
constexpr MinorUnits kUnknownAmount = 100;  // debited by unknown_funds_line
constexpr std::string_view kUnknownCurrency = "CNY";

/// A request about one channel account.
struct Visit {
  std::string channel;
  std::string query;

  std::string parameter(std::string_view name) const { return query_value(query, name); }
};

net::HttpResponse invalid(std::string_view message, std::string_view parameter) {
  return error_answer(400, "invalid_parameter", message, parameter);
}

boost::json::object to_json(const Movement& movement) {
  return {{"line_id", movement.line_id},   {"type", name_of(movement.type)}, {"at", to_rfc3339(movement.at)},
          {"currency", movement.currency}, {"amount", movement.amount},      {"memo", movement.memo}};
}

// GET /statements/{channel}
net::HttpResponse overview(Ledger& ledger, const Visit& visit) {
  make_due_withdrawals(ledger, visit.channel);
  const Time end = ledger.now() + Duration{1};
  boost::json::object balances;
  for (const auto& [currency, balance] : balances_at(ledger, visit.channel, end)) balances[currency] = balance;
  StatementTables& tables = ledger.statement_tables();
  boost::json::array movements;
  tables.for_each(visit.channel, end, [&](const Movement& movement) { movements.push_back(to_json(movement)); });
  boost::json::array faults;
  tables.for_each_fault(visit.channel, [&](const std::string& date, DayFault fault) {
    faults.push_back(boost::json::object{{"date", date}, {"fault", name_of(fault)}});
  });
  return json_answer(200, {{"channel", visit.channel},
                           {"balances", std::move(balances)},
                           {"automatic_withdrawals", tables.automatic_withdrawals_since(visit.channel).has_value()},
                           {"movements", std::move(movements)},
                           {"faults", std::move(faults)}});
}

// POST /statements/{channel}/faults?date=&fault=
net::HttpResponse set_fault(Ledger& ledger, const Visit& visit) {
  const std::string date = visit.parameter("date");
  const auto span = parse_china_day(date);
  if (!span) return invalid("date must be a day such as 2026-01-31, or a month.", "date");
  if (span->end <= ledger.now()) return invalid("The day is over.", "date");
  const auto fault = parse_enum<DayFault>(visit.parameter("fault"));
  if (!fault) return invalid("Unknown fault.", "fault");
  const bool has_movement = *fault == DayFault::unknown_funds_line;
  if (has_movement && ledger.now() < span->begin)
    return invalid("unknown_funds_line is only possible on the current day.", "date");
  ledger.statement_tables().add_fault(visit.channel, date, *fault);
  if (has_movement)
    add_movement(ledger, visit.channel, kUnknownCurrency, MovementType::other, -kUnknownAmount, "service 7");
  return overview(ledger, visit);
}

// Reads an amount in minor units; empty if it is missing or invalid.
std::optional<MinorUnits> amount_of(const Visit& visit) { return amount_value(visit.parameter("amount")); }

// POST /statements/{channel}/withdraw?currency=&amount=
net::HttpResponse withdraw_by_request(Ledger& ledger, const Visit& visit) {
  const std::string currency = visit.parameter("currency");
  if (!is_currency(currency)) return invalid("currency must be a currency code.", "currency");
  const std::optional<MinorUnits> amount = amount_of(visit);
  if (!amount && !visit.parameter("amount").empty()) return invalid("amount must be a positive integer.", "amount");
  const auto movement = withdraw(ledger, visit.channel, currency, amount);
  if (!movement)
    return error_answer(409, "insufficient_balance", "The balance is less than the amount, or not positive.");
  return json_answer(200, {{"movement", to_json(*movement)}});
}

net::HttpResponse move(Ledger& ledger, const Visit& visit, MovementType type) {
  const std::string currency = visit.parameter("currency");
  if (!is_currency(currency)) return invalid("currency must be a currency code.", "currency");
  const std::optional<MinorUnits> amount = amount_of(visit);
  if (!amount) return invalid("amount must be a positive integer.", "amount");
  const MinorUnits change = type == MovementType::top_up ? *amount : -*amount;
  const Movement movement = add_movement(ledger, visit.channel, currency, type, change, visit.parameter("memo"));
  return json_answer(200, {{"movement", to_json(movement)}});
}

// POST /statements/{channel}/top_up?currency=&amount=&memo=, and the same for penalty
net::HttpResponse top_up(Ledger& ledger, const Visit& visit) { return move(ledger, visit, MovementType::top_up); }
net::HttpResponse penalty(Ledger& ledger, const Visit& visit) { return move(ledger, visit, MovementType::penalty); }

// POST /statements/{channel}/automatic_withdrawals?enabled=
net::HttpResponse switch_withdrawals(Ledger& ledger, const Visit& visit) {
  const std::string enabled = visit.parameter("enabled");
  if (enabled != "true" && enabled != "false") return invalid("enabled must be true or false.", "enabled");
  set_automatic_withdrawals(ledger, visit.channel, enabled == "true");
  return overview(ledger, visit);
}

struct StatementRoute {
  std::string_view method;
  std::string_view action;  // the last segment of /statements/{channel}/{action}; empty: no such segment
  net::HttpResponse (*answer)(Ledger&, const Visit&);
};
constexpr StatementRoute kRoutes[] = {
    {"GET", "", overview},      {"POST", "faults", set_fault}, {"POST", "withdraw", withdraw_by_request},
    {"POST", "top_up", top_up}, {"POST", "penalty", penalty},  {"POST", "automatic_withdrawals", switch_withdrawals}};

// GET /bank/statement?date=
net::HttpResponse bank_statement(Ledger& ledger, const std::string& date, const Day& span) {
  if (ledger.now() < span.end) return error_answer(404, "statement_not_ready", "The day is not over.");
  const std::vector<BankStatement> statements = bank_statements(ledger, date, span);
  if (statements.empty()) return error_answer(404, "no_statement", "There was no bank account on this day.");
  net::HttpResponse file{.status = 200, .headers = {}, .body = to_camt(statements)};
  file.headers.add("Content-Type", "application/xml; charset=utf-8");
  return file;
}

}  // namespace

void StatementSite::handle(const net::HttpRequest& request, const Segments& segments, net::Respond respond) {
  if (segments[0] == "bank" && segments.size() == 2 && segments[1] == "statement")
    return show_bank(request, std::move(respond));
  const std::string channel = segments.size() > 1 ? percent_decode(segments[1]).value_or("") : "";
  const std::string_view action = segments.size() > 2 ? segments[2] : std::string_view();
  const auto* route = std::ranges::find(kRoutes, action, &StatementRoute::action);
  const bool is_known = segments[0] == "statements" && segments.size() <= 3 && route != std::end(kRoutes);
  if (!is_known || gateway_of_channel(*gateways_, channel) == nullptr) return respond(not_found_answer());
  if (request.method != route->method) return respond(wrong_method_answer(std::string(route->method)));
  answer_with([answer = route->answer,
               visit = Visit{channel, std::string(request.query())}](Ledger& ledger) { return answer(ledger, visit); },
              std::move(respond));
}

void StatementSite::show_bank(const net::HttpRequest& request, net::Respond respond) {
  if (request.method != "GET") return respond(wrong_method_answer("GET"));
  const std::string date = query_value(request.query(), "date");
  const auto span = parse_china_day(date);
  if (!span || date.size() != kDateLength) return respond(invalid("date must be a day such as 2026-01-31.", "date"));
  answer_with([date, span = *span](Ledger& ledger) { return bank_statement(ledger, date, span); }, std::move(respond));
}

void StatementSite::answer_with(std::function<net::HttpResponse(Ledger&)> work, net::Respond respond) {
  ledger_thread_->submit(std::move(work), [respond = std::move(respond)](Result<net::HttpResponse> response) {
    respond(response ? std::move(*response) : unavailable_answer(response.error().message));
  });
}

}  // namespace finality::sandbox
