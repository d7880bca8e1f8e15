// Endpoints for API keys, only for operators with the role admin: POST /v1/api_keys · DELETE /v1/api_keys/{id}
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/limits.h"
#include "http/input/fields.h"
#include "http/resources/resources.h"
#include "http/server/call.h"
#include "http/server/problem.h"

namespace finality::http {
namespace {

namespace json = boost::json;

constexpr std::string_view kOperatorRoles[] = {text_of(Role::viewer), text_of(Role::operator_), text_of(Role::approver),
                                               text_of(Role::admin)};

Role role_of(std::string_view text) {
  for (const Role role : {Role::viewer, Role::operator_, Role::approver, Role::admin})
    if (text_of(role) == text) return role;
  return Role::merchant;
}

// Reads the fields of a new key: `merchant` for the secret key of a merchant, or `role` for an operator key.
CreateApiKey read_key(Fields& fields) {
  CreateApiKey command;
  command.name = fields.text("name", limits::kNameMax);
  if (fields.has("merchant")) {
    constexpr std::size_t kIdMax = 64;
    const std::string merchant = fields.text("merchant", kIdMax);
    command.merchant_id = parse_id<MerchantId>(merchant);
    if (!command.merchant_id) fields.refuse("merchant", "must be a merchant id (mer_…)");
    if (fields.has("role")) fields.refuse("role", "must not be combined with merchant: a merchant's key has no role");
  } else {
    command.role = role_of(fields.choice("role", kOperatorRoles));
  }
  return command;
}

// Adds the field `key`, the secret text of the key, to the JSON object that the engine returned.
std::string with_text(std::string_view body, const Secret& text) {
  json::object out = json::parse(body).as_object();
  out["key"] = text.reveal();
  return json::serialize(out);
}

void create_key(Api& api, const HttpExchangePtr& exchange) {
  auto fields = Fields::parse(exchange->request().body);
  if (!fields) return exchange->refuse(fields.error());
  CreateApiKey command = read_key(*fields);
  if (const auto checked = fields->finish(); !checked) return exchange->refuse(checked.error());
  const DrawnKey key = draw_api_key(command.role);
  command.hash = key.hash;
  const auto add_text = [text = key.text](Reply& reply) {
    // A replayed reply contains no secrets, and of the first request's key only the hash is stored.
    if (reply.status < 400 && !reply.replayed) reply.body = with_text(reply.body, text);
  };
  submit(api, exchange,
         {.command = command, .merchant_id = command.merchant_id.value_or(MerchantId{}), .on_reply = add_text});
}

void revoke_key(Api& api, const HttpExchangePtr& exchange) {
  if (!has_no_fields(exchange)) return;
  const ApiKeyId id = parse_id<ApiKeyId>(exchange->parameter()).value_or(ApiKeyId{});
  const auto forget = [&api](const Reply& reply) {
    if (reply.status < 400) api.authenticator.forget();
  };
  submit(api, exchange, {.command = RevokeApiKey{id}, .merchant_id = {}, .on_reply = forget});
}

}  // namespace

void add_api_keys(Api& api) {
  add_route(api, "POST", "/v1/api_keys", Access::platform, Role::admin, create_key);
  add_route(api, "DELETE", "/v1/api_keys/{id}", Access::platform, Role::admin, revoke_key);
}

}  // namespace finality::http
