#include "app/merchants_and_keys.h"

#include <fmt/format.h>

#include "app/node.h"
#include "base/crypto/encoding.h"
#include "base/crypto/random.h"
#include "base/limits.h"
#include "http/input/text_rules.h"
#include "http/server/authentication.h"

namespace finality::app {
namespace {

constexpr std::size_t kSecretBytes = 32;

// Applies the API's rule for names, so that responses can contain every stored name.
Result<void> check_name(const std::string& name) {
  if (http::is_plain_text(name, 1, limits::kNameMax)) return {};
  return fail(fmt::format("--name must be 1 to {} characters of UTF-8 without control characters", limits::kNameMax));
}

}  // namespace

Result<NewMerchant> make_merchant(Engine& engine, const std::string& name) {
  if (auto fine = check_name(name); !fine) return std::unexpected(fine.error());
  CreateMerchant command;
  command.name = name;
  command.webhook_secret = Secret("whsec_" + to_base64(random_bytes(kSecretBytes)));
  command.link_secret = Secret(random_hex(kSecretBytes));
  const Reply reply = submit_and_wait(engine, command, MerchantId{});
  if (reply.refusal || !reply.object) return fail("cannot create the merchant: " + reply.body);
  return NewMerchant{MerchantId{reply.object->value}, command.webhook_secret};
}

Result<NewKey> make_key(Engine& engine, std::optional<MerchantId> merchant, Role role, const std::string& name) {
  if (auto fine = check_name(name); !fine) return std::unexpected(fine.error());
  const http::DrawnKey key = http::draw_api_key(role);
  const Reply reply =
      submit_and_wait(engine, CreateApiKey{merchant, role, name, key.hash}, merchant.value_or(MerchantId{}));
  if (reply.refusal || !reply.object) return fail("cannot create the key: " + reply.body);
  return NewKey{ApiKeyId{reply.object->value}, key.text};
}

std::optional<Role> parse_role(std::string_view text) {
  for (std::size_t i = 0; i < kCount<Role>; ++i)
    if (text_of(static_cast<Role>(i)) == text) return static_cast<Role>(i);
  return std::nullopt;
}

}  // namespace finality::app
