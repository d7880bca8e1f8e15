// Endpoints for adjustments: POST /v1/adjustments · POST /v1/adjustments/{id}/approve
// POST /v1/adjustments/{id}/reject · GET /v1/adjustments/{id} · GET /v1/adjustments
#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "http/input/fields.h"
#include "http/input/query_params.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "query/lists.h"
#include "query/show.h"
#include "wire/wire.h"

namespace finality::http {
namespace {

constexpr std::size_t kChannelNameMax = 64;
constexpr std::string_view kAccounts[] = {name_of(AccountKind::merchant_payable), name_of(AccountKind::merchant_direct),
                                          name_of(AccountKind::channel_receivable), name_of(AccountKind::bank)};
static_assert(std::ranges::all_of(kAccounts,
                                  [](std::string_view name) { return is_adjustable(*parse_enum<AccountKind>(name)); }));

AccountKind read_account(Fields& fields, AdjustmentType type) {
  if (type == AdjustmentType::opening_balance)
    return parse_enum<AccountKind>(fields.choice("account", kAccounts)).value_or(AccountKind::merchant_payable);
  if (fields.has("account")) fields.refuse("account", "is only allowed with type opening_balance");
  return AccountKind::channel_receivable;
}

std::string read_channel(Fields& fields, AccountKind account) {
  if (account == AccountKind::channel_receivable) return fields.text("channel", kChannelNameMax);
  // Whether a bank account must be named depends on the configuration; the command checks it.
  if (account == AccountKind::bank) return fields.optional_text("channel", kChannelNameMax).value_or("");
  if (fields.has("channel")) fields.refuse("channel", "is only allowed with account channel_receivable or bank");
  return {};
}

MinorUnits read_amount(Fields& fields, AdjustmentType type) {
  if (type == AdjustmentType::penalty) return fields.amount("amount");
  const MinorUnits amount = fields.integer("amount", -limits::kAmountMax, limits::kAmountMax);
  if (amount == 0) fields.refuse("amount", "must not be 0");
  return amount;
}

void propose(Api& api, const HttpExchangePtr& exchange) {
  const Principal& principal = exchange->principal();
  auto fields = Fields::parse(exchange->request().body);
  if (!fields) return exchange->refuse(fields.error());
  ProposeAdjustment command;
  command.merchant_id = principal.merchant_id;
  command.type =
      parse_enum<AdjustmentType>(fields->choice("type", kNames<AdjustmentType>)).value_or(AdjustmentType::penalty);
  command.account = read_account(*fields, command.type);
  command.channel = read_channel(*fields, command.account);
  command.currency = fields->currency("currency");
  command.amount = read_amount(*fields, command.type);
  command.note = fields->text("note", limits::kCaseNoteMax);
  command.proposed_by = to_text(principal.key_id);
  if (const auto checked = fields->finish(); !checked) return exchange->refuse(checked.error());
  submit(api, exchange, {.command = std::move(command), .merchant_id = principal.merchant_id});
}

void decide_by(Api& api, const HttpExchangePtr& exchange, AdjustmentEvent event) {
  auto fields = Fields::parse(exchange->request().body, EmptyBody::no_fields);
  if (!fields) return exchange->refuse(fields.error());
  const std::int64_t version =
      event == AdjustmentEvent::approve ? fields->integer("version", 1, limits::kVersionMax) : 0;
  if (const auto checked = fields->finish(); !checked) return exchange->refuse(checked.error());
  read_then(api, exchange, [&api, exchange, event, version](Reader& reader) {
    const Principal& principal = exchange->principal();
    const auto id = parse_id<AdjustmentId>(exchange->parameter()).value_or(AdjustmentId{});
    const auto found = query::find_adjustment(reader, principal.merchant_id, id);
    if (query::is_unread(found)) return exchange->refuse(found.error());
    DecideAdjustment command =
        decision_about(found ? &*found : nullptr, principal.merchant_id, event, to_text(principal.key_id), version);
    submit(api, exchange, {.command = std::move(command), .merchant_id = principal.merchant_id});
  });
}

void approve(Api& api, const HttpExchangePtr& exchange) { decide_by(api, exchange, AdjustmentEvent::approve); }
void reject(Api& api, const HttpExchangePtr& exchange) { decide_by(api, exchange, AdjustmentEvent::reject); }

void get_adjustment(Api& api, const HttpExchangePtr& exchange) {
  read(api, exchange, [exchange](Reader& reader) -> HttpReply {
    const auto id = parse_id<AdjustmentId>(exchange->parameter()).value_or(AdjustmentId{});
    const auto adjustment = query::find_adjustment(reader, exchange->principal().merchant_id, id);
    if (!adjustment) return std::unexpected(adjustment.error());
    return json_response(200, wire::adjustment_json(*adjustment));
  });
}

void list_adjustments(Api& api, const HttpExchangePtr& exchange) {
  QueryParams params(exchange->request().query());
  const auto state = params.choice<AdjustmentState>("state");
  const Page page = params.page<AdjustmentId>();
  if (const auto checked = params.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange, [merchant = exchange->principal().merchant_id, state, page](Reader& reader) {
    return shown(query::list_adjustments(reader, merchant, state, page));
  });
}

}  // namespace

void add_adjustments(Api& api) {
  add_route(api, "POST", "/v1/adjustments", Access::operators, Role::operator_, propose);
  add_route(api, "POST", "/v1/adjustments/{id}/approve", Access::operators, Role::approver, approve);
  add_route(api, "POST", "/v1/adjustments/{id}/reject", Access::operators, Role::operator_, reject);
  add_route(api, "GET", "/v1/adjustments", Access::merchant, Role::viewer, list_adjustments, {.reads_query = true});
  add_route(api, "GET", "/v1/adjustments/{id}", Access::merchant, Role::viewer, get_adjustment);
}

}  // namespace finality::http
