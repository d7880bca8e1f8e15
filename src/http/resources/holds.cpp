// POST /v1/holds · POST /v1/holds/{id}/post · POST /v1/holds/{id}/void · GET /v1/holds/{id}
// GET /v1/holds?account=&state= · GET /v1/holds?source=&reference=
#include <utility>

#include "http/input/fields.h"
#include "http/input/query_params.h"
#include "http/input/short_list.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/origin.h"
#include "http/server/problem.h"
#include "model/natural_key.h"
#include "query/refusals.h"
#include "query/show.h"
#include "wire/wire.h"

namespace finality::http {
namespace {

// Every field that makes two holds the same or not.
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
  hold.amount = fields.integer("amount", 1, limits::kAmountMax);
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
  hold.source_ip = source_ip_of(*exchange);
  submit(api, exchange, {.command = std::move(hold), .merchant_id = merchant});
}

void post_hold(Api& api, const HttpExchangePtr& exchange) {
  const MerchantId merchant = exchange->principal().merchant_id;
  auto fields = Fields::parse(exchange->request().body, EmptyBody::no_fields);
  if (!fields) return exchange->refuse(fields.error());
  PostHold command{.merchant_id = merchant, .hold_id = hold_in_path(exchange)};
  command.amount = fields->optional_integer("amount", 1, limits::kAmountMax);
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
  if (!has_no_query(exchange)) return;
  read(api, exchange, [exchange](Reader& reader) -> HttpReply {
    const auto hold = query::find_hold(reader, exchange->principal().merchant_id, hold_in_path(exchange));
    if (!hold) return std::unexpected(hold.error());
    return json_response(200, wire::hold_json(*hold));
  });
}

struct Filter {
  MerchantId merchant_id;
  std::optional<AccountId> account;
  std::optional<HoldState> state;
  std::optional<Origin> origin;
};

using Holds = std::expected<Listed<Hold>, Refusal>;

// At most one: the origin is unique.
Holds find_by_origin(Reader& reader, const Filter& filter, const Page& page) {
  const Result<std::int64_t> id =
      reader.named(key_of_hold(filter.merchant_id, filter.origin->source, filter.origin->reference));
  if (!id) return std::unexpected(query::unreadable(id.error()));
  if (*id == 0) return Listed<Hold>{};
  const auto found = query::find_hold(reader, filter.merchant_id, HoldId{*id});
  if (!found) return std::unexpected(found.error());
  Listed<Hold> listed{{*found}};
  std::erase_if(listed.rows, [&filter](const Hold& row) {
    return (filter.account && row.account_id != *filter.account) || (filter.state && row.state != *filter.state);
  });
  listed.has_more = cut_to_page(listed.rows, page);
  return listed;
}

Holds find_by_account(Reader& reader, const Filter& filter, const Page& page) {
  const auto account = query::find_account(reader, filter.merchant_id, *filter.account);
  if (!account) return std::unexpected(account.error());
  Result<Listed<Hold>> listed = reader.holds(account->id, filter.state, page);
  if (!listed) return std::unexpected(query::unreadable(listed.error()));
  return std::move(*listed);
}

HttpReply show_holds(Reader& reader, const Filter& filter, const Page& page) {
  const Holds listed = filter.origin ? find_by_origin(reader, filter, page) : find_by_account(reader, filter, page);
  if (!listed) return std::unexpected(listed.error());
  std::vector<std::string> items;
  for (const Hold& row : listed->rows) items.push_back(wire::hold_json(row));
  return json_response(200, wire::list_json("/v1/holds", listed->has_more, items));
}

void list_holds(Api& api, const HttpExchangePtr& exchange) {
  QueryParams query(exchange->request().query());
  const Filter filter{exchange->principal().merchant_id, query.id<AccountId>("account"),
                      query.choice<HoldState>("state"), read_origin(query)};
  const Page page = query.page<HoldId>();
  if (!filter.account && !filter.origin) query.refuse("account", "or reference must be given");
  if (const auto checked = query.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange, [filter, page](Reader& reader) { return show_holds(reader, filter, page); });
}

}  // namespace

void add_holds(Api& api) {
  add_route(api, "POST", "/v1/holds", Access::merchant, Role::operator_, create_hold);
  add_route(api, "GET", "/v1/holds", Access::merchant, Role::viewer, list_holds);
  add_route(api, "GET", "/v1/holds/{id}", Access::merchant, Role::viewer, get_hold);
  add_route(api, "POST", "/v1/holds/{id}/post", Access::merchant, Role::operator_, post_hold);
  add_route(api, "POST", "/v1/holds/{id}/void", Access::merchant, Role::operator_, void_hold);
}

}  // namespace finality::http
