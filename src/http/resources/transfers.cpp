// Endpoints for transfers: POST /v1/transfers · POST /v1/transfers/reverse · GET /v1/transfers/{id}
// GET /v1/transfers?source=&reference=
#include <utility>

#include "http/input/fields.h"
#include "http/input/origin.h"
#include "http/input/query_params.h"
#include "http/input/text_rules.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "model/natural_key.h"
#include "query/lists.h"
#include "query/show.h"
#include "wire/wire.h"

namespace finality::http {
namespace {

// Returns a hash of all fields that must be equal when a request is repeated. Absent fields have their default value.
Hash16 fingerprint_of(const PostTransfer& transfer) {
  return hash_of_parts(transfer.merchant_id, "transfer_request",
                       {to_text(transfer.debit_account_id), to_text(transfer.credit_account_id),
                        std::to_string(transfer.amount.value_or(0)), transfer.price.value_or(""),
                        std::to_string(transfer.quantity.value_or(0)), transfer.currency.text(), transfer.source,
                        transfer.reference, transfer.by_user.value_or(""), transfer.info.value_or("")});
}

// Reads the amount of the transfer: either `amount`, or `price` with `quantity`. Refuses a mixture of both.
void read_amount(Fields& fields, PostTransfer& transfer) {
  if (!fields.has("price")) {
    if (fields.has("quantity")) fields.refuse("quantity", "is only allowed with price");
    if (!fields.has("amount")) fields.refuse("amount", "or price is required");
    transfer.amount = fields.optional_amount("amount");
    return;
  }
  if (fields.has("amount")) fields.refuse("price", "must not be combined with amount");
  transfer.price = fields.optional_text("price", kPriceNameMax);
  if (transfer.price && !is_price_name(*transfer.price))
    fields.refuse("price", "must be " + std::string(kPriceNameRule));
  transfer.quantity = fields.optional_integer("quantity", 1, limits::kQuantityMax).value_or(1);
}

PostTransfer read_transfer(Fields& fields, MerchantId merchant) {
  PostTransfer transfer;
  transfer.merchant_id = merchant;
  transfer.debit_account_id = fields.id<AccountId>("debit_account");
  transfer.credit_account_id = fields.id<AccountId>("credit_account");
  read_amount(fields, transfer);
  transfer.currency = fields.currency("currency");
  Origin origin = read_origin(fields);
  transfer.source = std::move(origin.source);
  transfer.reference = std::move(origin.reference);
  transfer.by_user = fields.optional_text("user", limits::kReferenceMax);
  transfer.info = fields.optional_text("info", limits::kInfoMax);
  transfer.fingerprint = fingerprint_of(transfer);
  transfer.lock_token = fields.optional_text("lock_token", limits::kReferenceMax);
  return transfer;
}

void create_transfer(Api& api, const HttpExchangePtr& exchange) {
  const MerchantId merchant = exchange->principal().merchant_id;
  auto fields = Fields::parse(exchange->request().body);
  if (!fields) return exchange->refuse(fields.error());
  PostTransfer transfer = read_transfer(*fields, merchant);
  if (const auto checked = fields->finish(); !checked) return exchange->refuse(checked.error());
  transfer.source_ip = exchange->source_ip();
  submit(api, exchange, {.command = std::move(transfer), .merchant_id = merchant});
}

void reverse_transfer(Api& api, const HttpExchangePtr& exchange) {
  const MerchantId merchant = exchange->principal().merchant_id;
  auto fields = Fields::parse(exchange->request().body);
  if (!fields) return exchange->refuse(fields.error());
  Origin origin = read_origin(*fields);
  auto lock_token = fields->optional_text("lock_token", limits::kReferenceMax);
  if (const auto checked = fields->finish(); !checked) return exchange->refuse(checked.error());
  ReverseTransfer command{merchant, std::move(origin.source), std::move(origin.reference), std::move(lock_token)};
  submit(api, exchange, {.command = std::move(command), .merchant_id = merchant});
}

void get_transfer(Api& api, const HttpExchangePtr& exchange) {
  read(api, exchange, [exchange](Reader& reader) -> HttpReply {
    const auto id = parse_id<TransferId>(exchange->parameter()).value_or(TransferId{});
    const auto transfer = query::find_transfer(reader, exchange->principal().merchant_id, id);
    if (!transfer) return std::unexpected(transfer.error());
    return json_response(200, wire::transfer_json(*transfer));
  });
}

void list_transfers(Api& api, const HttpExchangePtr& exchange) {
  QueryParams params(exchange->request().query());
  const std::optional<Origin> origin = read_origin(params);
  const Page page = params.page<TransferId>();
  if (!origin) params.refuse("reference", "is required");
  if (const auto checked = params.finish(); !checked) return exchange->refuse(checked.error());
  read(api, exchange, [merchant = exchange->principal().merchant_id, origin = *origin, page](Reader& reader) {
    return shown(query::list_transfers(reader, merchant, origin, page));
  });
}

}  // namespace

void add_transfers(Api& api) {
  add_route(api, "POST", "/v1/transfers", Access::merchant, Role::operator_, create_transfer);
  add_route(api, "POST", "/v1/transfers/reverse", Access::merchant, Role::operator_, reverse_transfer);
  add_route(api, "GET", "/v1/transfers", Access::merchant, Role::viewer, list_transfers, {.reads_query = true});
  add_route(api, "GET", "/v1/transfers/{id}", Access::merchant, Role::viewer, get_transfer);
}

}  // namespace finality::http
