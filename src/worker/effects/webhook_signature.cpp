#include "worker/effects/webhook_signature.h"

#include <fmt/format.h>

#include "base/crypto/crypto.h"
#include "base/crypto/encoding.h"

namespace finality {
namespace {

constexpr std::string_view kSecretPrefix = "whsec_";

Result<std::string> key_of(const Secret& secret) {
  const std::string_view text = secret.reveal();
  if (!text.starts_with(kSecretPrefix)) return fail("a webhook secret must start with whsec_");
  const auto key = from_base64(text.substr(kSecretPrefix.size()));
  if (!key || key->empty()) return fail("a webhook secret must be whsec_ followed by base64");
  return *key;
}

}  // namespace

Result<std::string> webhook_signature(const std::vector<Secret>& secrets, std::string_view id, Time at,
                                      std::string_view body) {
  if (secrets.empty()) return fail("the merchant has no webhook secret to sign the webhook with");
  const std::string text = fmt::format("{}.{}.{}", id, webhook_timestamp(at), body);
  std::string signatures;
  for (const Secret& secret : secrets) {
    const Result<std::string> key = key_of(secret);
    if (!key) return std::unexpected(key.error());
    if (!signatures.empty()) signatures += ' ';
    signatures += "v1," + to_base64(hmac_sha256(*key, text));
  }
  return signatures;
}

std::string webhook_timestamp(Time at) { return fmt::format("{}", at.ms / 1000); }

}  // namespace finality
