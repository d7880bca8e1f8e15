#include "app/bootstrap.h"

#include "app/node.h"
#include "base/encoding.h"
#include "base/random.h"
#include "http/authentication.h"

namespace finality::app {
namespace {

constexpr std::size_t kSecretBytes = 32;

}  // namespace

Result<NewMerchant> make_merchant(Engine& engine, const std::string& name) {
  CreateMerchant command;
  command.name = name;
  command.webhook_secret = Secret("whsec_" + to_base64(random_bytes(kSecretBytes)));
  command.link_secret = Secret(random_hex(kSecretBytes));
  const Reply reply = submit_and_wait(engine, command, MerchantId{});
  if (reply.refusal || !reply.object) return fail("cannot make the merchant: " + reply.body);
  return NewMerchant{MerchantId{reply.object->value}, command.webhook_secret};
}

Result<Secret> make_key(Engine& engine, std::optional<MerchantId> merchant, Role role, const std::string& name) {
  const http::DrawnKey key = http::draw_api_key(role);
  const Reply reply =
      submit_and_wait(engine, CreateApiKey{merchant, role, name, key.hash}, merchant.value_or(MerchantId{}));
  if (reply.refusal) return fail("cannot make the key: " + reply.refusal->detail);
  return key.text;
}

std::optional<Role> parse_role(std::string_view text) {
  for (std::size_t i = 0; i < kCount<Role>; ++i)
    if (text_of(static_cast<Role>(i)) == text) return static_cast<Role>(i);
  return std::nullopt;
}

}  // namespace finality::app
