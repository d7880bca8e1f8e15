// Endpoints for exception cases: GET /v1/cases · GET /v1/cases/{id}, and only for operators:
// POST /v1/cases/{id}/propose · POST /v1/cases/{id}/approve
#include "query/cases.h"
#include "base/limits.h"
#include "http/input/fields.h"
#include "http/input/query_params.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"

namespace finality::http {
namespace {

constexpr std::size_t kResolutionMax = 64;

bool is_operator(const HttpExchangePtr& exchange) {
  if (exchange->principal().role != Role::merchant) return true;
  exchange->refuse(forbidden(exchange->principal()));
  return false;
}

void list_cases(Api& api, const HttpExchangePtr& exchange) {
  QueryParams params(exchange->request().query());
  const auto state = params.choice<CaseState>("state");
  const Page page = params.page<CaseId>();
  if (const auto checked = params.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange, [merchant = exchange->principal().merchant_id, state, page](Reader& reader) {
    return shown(query::list_cases(reader, merchant, state, page));
  });
}

void get_case(Api& api, const HttpExchangePtr& exchange) {
  read(api, exchange, [&api, exchange](Reader& reader) {
    const auto id = parse_id<CaseId>(exchange->parameter()).value_or(CaseId{});
    const Principal& principal = exchange->principal();
    return shown(query::show_case(reader, api.services.policy, api.services.clock.now(), principal.merchant_id, id,
                                  !principal.only_merchant()));
  });
}

void propose(Api& api, const HttpExchangePtr& exchange) {
  if (!is_operator(exchange)) return;
  auto fields = Fields::parse(exchange->request().body);
  if (!fields) return exchange->refuse(fields.error());
  ProposeResolution command;
  command.merchant_id = exchange->principal().merchant_id;
  command.case_id = parse_id<CaseId>(exchange->parameter()).value_or(CaseId{});
  command.resolution = fields->text("resolution", kResolutionMax);
  command.note = fields->text("note", limits::kCaseNoteMax);
  if (fields->has("merchant")) command.assign_to = fields->id<MerchantId>("merchant");
  command.proposed_by = to_text(exchange->principal().key_id);
  if (const auto checked = fields->finish(); !checked) return exchange->refuse(checked.error());
  read_then(api, exchange, [&api, exchange, command = std::move(command)](Reader& reader) mutable {
    const auto found = query::find_case(reader, command.merchant_id, command.case_id);
    if (query::is_unread(found)) return exchange->refuse(found.error());
    if (found) command.root = root_of_case(*found);
    const MerchantId merchant = command.merchant_id;
    submit(api, exchange, {.command = std::move(command), .merchant_id = merchant});
  });
}

void approve(Api& api, const HttpExchangePtr& exchange) {
  if (!is_operator(exchange)) return;
  auto fields = Fields::parse(exchange->request().body, EmptyBody::no_fields);
  if (!fields) return exchange->refuse(fields.error());
  ApproveResolution command;
  command.merchant_id = exchange->principal().merchant_id;
  command.case_id = parse_id<CaseId>(exchange->parameter()).value_or(CaseId{});
  command.version = fields->integer("version", 1, limits::kVersionMax);
  command.resolution = fields->optional_text("resolution", kResolutionMax);
  if (fields->has("merchant")) command.reviewed_merchant = fields->id<MerchantId>("merchant");
  command.approved_by = to_text(exchange->principal().key_id);
  if (const auto checked = fields->finish(); !checked) return exchange->refuse(checked.error());
  read_then(api, exchange, [&api, exchange, command = std::move(command)](Reader& reader) mutable {
    const auto found = query::find_case(reader, command.merchant_id, command.case_id);
    if (query::is_unread(found)) return exchange->refuse(found.error());
    if (found) {
      const auto approval = query::approval_of(reader, api.services.policy, *found);
      if (!approval) return exchange->refuse(approval.error());
      command.root = approval->root;
      command.channel = approval->channel;
      command.currency = approval->currency;
      command.assign_to = approval->assign_to;
    }
    const MerchantId merchant = command.merchant_id;
    submit(api, exchange, {.command = std::move(command), .merchant_id = merchant});
  });
}

}  // namespace

void add_cases(Api& api) {
  add_route(api, "GET", "/v1/cases", Access::merchant, Role::viewer, list_cases, {.reads_query = true});
  add_route(api, "GET", "/v1/cases/{id}", Access::merchant, Role::viewer, get_case);
  add_route(api, "POST", "/v1/cases/{id}/propose", Access::merchant, Role::operator_, propose);
  add_route(api, "POST", "/v1/cases/{id}/approve", Access::merchant, Role::approver, approve);
}

}  // namespace finality::http
