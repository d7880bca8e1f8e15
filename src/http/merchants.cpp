// POST /v1/merchants · GET /v1/merchants/{id}: for operators only.
#include "base/encoding.h"
#include "base/random.h"
#include "http/call.h"
#include "http/fields.h"
#include "http/problem.h"
#include "http/resources.h"
#include "http/show.h"

namespace finality::http {
namespace {

constexpr std::size_t kNameMax = 128;
constexpr std::size_t kSecretBytes = 32;

Outcome show_merchant(Reader& reader, MerchantId id, int status, bool with_secret, bool replayed) {
  const auto merchant = find_merchant(reader, id);
  if (!merchant) return std::unexpected(merchant.error());
  net::HttpResponse response = json_response(status, merchant_json(*merchant, with_secret));
  if (replayed) response.headers.add("Idempotent-Replayed", "true");
  return response;
}

void create_merchant(Api& api, const ExchangePtr& exchange) {
  auto fields = Fields::parse(exchange->request().body);
  if (!fields) return exchange->refuse(fields.error());
  CreateMerchant command;
  command.name = fields->text("name", kNameMax);
  if (const auto checked = fields->finish(); !checked) return exchange->refuse(checked.error());
  command.webhook_secret = Secret("whsec_" + to_base64(random_bytes(kSecretBytes)));
  command.link_secret = Secret(random_hex(kSecretBytes));
  const auto done = [&api, exchange](Reply reply) {
    if (reply.refusal || !reply.object) return answer_with(api, exchange, std::move(reply));
    // The secret is shown here, so the body is made from the row and not kept anywhere else.
    read(api, exchange, [reply](Reader& reader) {
      return show_merchant(reader, MerchantId{reply.object->value}, reply.status, true, reply.replayed);
    });
  };
  submit(api, exchange, {.command = std::move(command), .merchant_id = {}, .done = done});
}

void get_merchant(Api& api, const ExchangePtr& exchange) {
  if (!has_no_query(exchange)) return;
  read(api, exchange, [exchange](Reader& reader) -> Outcome {
    const auto id = parse_id<MerchantId>(exchange->parameter());
    if (!id) return std::unexpected(no_such("merchant"));
    return show_merchant(reader, *id, 200, false, false);
  });
}

}  // namespace

void add_merchants(Api& api) {
  add_route(api, "POST", "/v1/merchants", Access::platform, Role::admin, create_merchant);
  add_route(api, "GET", "/v1/merchants/{id}", Access::platform, Role::viewer, get_merchant);
}

}  // namespace finality::http
