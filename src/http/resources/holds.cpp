// Endpoints for holds: POST /v1/holds · POST /v1/holds/{id}/post · POST /v1/holds/{id}/void · GET /v1/holds/{id}
// GET /v1/holds?account=&state= · GET /v1/holds?source=&reference=
#include <utility>

#include "http/input/fields.h"
#include "http/input/origin.h"
#include "http/input/query_params.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "model/natural_key.h"
#include "query/lists.h"
#include "query/show.h"
#include "wire/wire.h"

namespace finality::http {
namespace {

// Returns a hash of all fields that must be equal when a request is repeated.
Hash16 fingerprint_of(const CreateHold& hold) {
  return hash_of_parts(hold.merchant_id, "hold_request",
                       {to_text(hold.account_id), to_text(hold.credit_account_id), std::to_string(hold.amount),
                        hold.currency.text(), hold.source, hold.reference, std::to_string(hold.expires_in.count())});
}

HoldId hold_in_path(const HttpExchangePtr& exchange) {
  return parse_id<HoldId>(exchange->parameter()).value_or(HoldId{});
}

CreateHold read_hold(Fields& fields, MerchantId merchant) {
  CreateHold hold;
  hold.merchant_id = merchant;
  hold.account_id = fields.id<AccountId>("account");
  hold.credit_account_id = fields.id<AccountId>("credit_account");
  hold.amount = fields.amount("amount");
  hold.currency = fields.currency("currency");
  Origin origin = read_origin(fields);
  hold.source = std::move(origin.source);
  hold.reference = std::move(origin.reference);
  hold.expires_in = std::chrono::seconds(fields.integer("expires_in", 1, limits::kHoldExpiresInMaxSeconds));
  hold.fingerprint = fingerprint_of(hold);
  hold.lock_token = fields.optional_text("lock_token", limits::kReferenceMax);
  return hold;
}

void create_hold(Api& api, const HttpExchangePtr& exchange) {
  const MerchantId merchant = exchange->principal().merchant_id;
  auto fields = Fields::parse(exchange->request().body);
  if (!fields) return exchange->refuse(fields.error());
  CreateHold hold = read_hold(*fields, merchant);
  if (const auto checked = fields->finish(); !checked) return exchange->refuse(checked.error());
  hold.source_ip = exchange->source_ip();
  submit(api, exchange, {.command = std::move(hold), .merchant_id = merchant});
}

void post_hold(Api& api, const HttpExchangePtr& exchange) {
  const MerchantId merchant = exchange->principal().merchant_id;
  auto fields = Fields::parse(exchange->request().body, EmptyBody::no_fields);
  if (!fields) return exchange->refuse(fields.error());
  PostHold command{.merchant_id = merchant, .hold_id = hold_in_path(exchange)};
  command.amount = fields->optional_amount("amount");
  command.lock_token = fields->optional_text("lock_token", limits::kReferenceMax);
  if (const auto checked = fields->finish(); !checked) return exchange->refuse(checked.error());
  submit(api, exchange, {.command = std::move(command), .merchant_id = merchant});
}

void void_hold(Api& api, const HttpExchangePtr& exchange) {
  if (!has_no_fields(exchange)) return;
  const MerchantId merchant = exchange->principal().merchant_id;
  submit(api, exchange, {.command = VoidHold{merchant, hold_in_path(exchange)}, .merchant_id = merchant});
}

void get_hold(Api& api, const HttpExchangePtr& exchange) {
  read(api, exchange, [exchange](Reader& reader) -> HttpReply {
    const auto hold = query::find_hold(reader, exchange->principal().merchant_id, hold_in_path(exchange));
    if (!hold) return std::unexpected(hold.error());
    return json_response(200, wire::hold_json(*hold));
  });
}

void list_holds(Api& api, const HttpExchangePtr& exchange) {
  QueryParams params(exchange->request().query());
  const query::HoldFilter filter{params.id<AccountId>("account"), params.choice<HoldState>("state"),
                                 read_origin(params)};
  const Page page = params.page<HoldId>();
  if (!filter.account && !filter.origin) params.refuse("account", "or reference is required");
  if (const auto checked = params.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange, [merchant = exchange->principal().merchant_id, filter, page](Reader& reader) {
    return shown(query::list_holds(reader, merchant, filter, page));
  });
}

}  // namespace

void add_holds(Api& api) {
  add_route(api, "POST", "/v1/holds", Access::merchant, Role::operator_, create_hold);
  add_route(api, "GET", "/v1/holds", Access::merchant, Role::viewer, list_holds, {.reads_query = true});
  add_route(api, "GET", "/v1/holds/{id}", Access::merchant, Role::viewer, get_hold);
  add_route(api, "POST", "/v1/holds/{id}/post", Access::merchant, Role::operator_, post_hold);
  add_route(api, "POST", "/v1/holds/{id}/void", Access::merchant, Role::operator_, void_hold);
}

}  // namespace finality::http
