// Endpoint that compares books and statements, only for operators: GET /v1/reconciliation
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

HttpReply show(Reader& reader, ChannelAccountId id, const std::optional<std::string>& from,
               const std::optional<std::string>& to, Time now) {
  const auto account = reader.channel_account(id);
  if (!account) return std::unexpected(query::unreadable(account.error()));
  if (!*account) return std::unexpected(query::no_such("channel account"));
  const StatementPlan* plan = find_statement_plan((*account)->kind);
  if (plan == nullptr) return invalid_parameter("channel_account", "provides no statements.");
  const std::string last = to.value_or(query::last_ended_day(*plan, now));
  const query::ReconciliationDays days{from.value_or(last), last};
  if (const auto checked = query::check_days(days, *plan, now); !checked)
    return invalid_parameter(checked.error().bound, checked.error().message);
  const auto rows = query::reconcile(reader, **account, *plan, days);
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
  add_route(api, "GET", "/v1/reconciliation", Access::platform, Role::viewer, reconcile, {.reads_query = true});
}

}  // namespace finality::http
