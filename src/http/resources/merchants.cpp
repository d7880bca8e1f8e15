// Endpoints for merchants, only for operators: POST /v1/merchants · GET /v1/merchants/{id}
#include "base/crypto/encoding.h"
#include "base/crypto/random.h"
#include "base/limits.h"
#include "http/input/fields.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"
#include "query/refusals.h"
#include "query/show.h"
#include "wire/wire.h"

namespace finality::http {
namespace {

constexpr std::size_t kSecretBytes = 32;

void create_merchant(Api& api, const HttpExchangePtr& exchange) {
  auto fields = Fields::parse(exchange->request().body);
  if (!fields) return exchange->refuse(fields.error());
  CreateMerchant command;
  command.name = fields->text("name", limits::kNameMax);
  if (const auto checked = fields->finish(); !checked) return exchange->refuse(checked.error());
  command.webhook_secret = Secret("whsec_" + to_base64(random_bytes(kSecretBytes)));
  command.link_secret = Secret(random_hex(kSecretBytes));
  submit(api, exchange, {.command = std::move(command), .merchant_id = {}});
}

void get_merchant(Api& api, const HttpExchangePtr& exchange) {
  if (!has_no_query(exchange)) return;
  read(api, exchange, [exchange](Reader& reader) -> HttpReply {
    const auto id = parse_id<MerchantId>(exchange->parameter());
    if (!id) return std::unexpected(query::no_such("merchant"));
    const auto merchant = query::find_merchant(reader, *id);
    if (!merchant) return std::unexpected(merchant.error());
    return json_response(200, wire::merchant_json(*merchant, false));
  });
}

}  // namespace

void add_merchants(Api& api) {
  add_route(api, "POST", "/v1/merchants", Access::platform, Role::admin, create_merchant);
  add_route(api, "GET", "/v1/merchants/{id}", Access::platform, Role::viewer, get_merchant);
}

}  // namespace finality::http
