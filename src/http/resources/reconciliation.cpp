// Endpoint that compares books and statements, only for operators: GET /v1/reconciliation
#include <fmt/format.h>

#include "base/time/date.h"
#include "channel/registry.h"
#include "http/input/query_params.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "query/refusals.h"
#include "query/render_reconciliation.h"
#include "wire/wire.h"

namespace finality::http {
namespace {

// Returns the day of the parameter; the last ended day of the account if the request has none.
std::expected<std::string, Refusal> day_of(const std::optional<std::string>& given, std::string_view name,
                                           const std::string& yesterday) {
  if (!given) return yesterday;
  if (*given > yesterday)
    return invalid_parameter(name, "must be a day that has ended in the time zone of the account.");
  return *given;
}

HttpReply show(Reader& reader, ChannelAccountId id, const std::optional<std::string>& from,
               const std::optional<std::string>& to, Time now) {
  const auto account = reader.channel_account(id);
  if (!account) return std::unexpected(query::unreadable(account.error()));
  if (!*account) return std::unexpected(query::no_such("channel account"));
  const StatementPlan* plan = find_statement_plan((*account)->kind);
  if (plan == nullptr) return invalid_parameter("channel_account", "provides no statements.");
  const std::string yesterday = add_days(date_of(now, plan->utc_offset), -1);
  const auto last = day_of(to, "to", yesterday);
  if (!last) return std::unexpected(last.error());
  const auto first = from ? day_of(from, "from", yesterday) : std::expected<std::string, Refusal>(*last);
  if (!first) return std::unexpected(first.error());
  if (*first > *last) return invalid_parameter("from", "must not be after to.");
  if (add_days(*first, query::kReconciliationDaysMax) <= *last)
    return invalid_parameter("from",
                             fmt::format("must be at most {} days before to.", query::kReconciliationDaysMax - 1));
  const auto rows = query::reconcile(reader, **account, *plan, {*first, *last});
  if (!rows) return std::unexpected(query::unreadable(rows.error()));
  std::vector<std::string> items;
  for (const query::Reconciliation& row : *rows) items.push_back(query::reconciliation_json(**account, row));
  return json_response(200, wire::list_json("/v1/reconciliation", false, items));
}

void reconcile(Api& api, const HttpExchangePtr& exchange) {
  QueryParams params(exchange->request().query());
  const auto account = params.id<ChannelAccountId>("channel_account");
  if (!account) params.refuse("channel_account", "is required");
  const auto from = params.date("from");
  const auto to = params.date("to");
  if (const auto checked = params.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange, [id = *account, from, to, now = api.services.clock.now()](Reader& reader) {
    return show(reader, id, from, to, now);
  });
}

}  // namespace

void add_reconciliation(Api& api) {
  add_route(api, "GET", "/v1/reconciliation", Access::platform, Role::viewer, reconcile);
}

}  // namespace finality::http
