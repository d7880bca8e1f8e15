#include "channel/alipay/signature.h"

#include <algorithm>

#include "base/crypto/encoding.h"

namespace finality::alipay {
namespace {

bool is_signed_by_alipay(const AlipayKeys& keys, std::string_view text, std::string_view signature) {
  return std::ranges::any_of(keys.alipay,
                             [&](const auto& named) { return is_signed_by(named.second, text, signature); });
}

// Whether only one set of parameters yields the signed text. The text joins names and values by = and &, so a value
// that contains & and then = could also be two parameters.
bool has_one_reading(const Parameters& parameters) {
  return std::ranges::none_of(parameters, [](const auto& named) {
    const std::size_t joint = named.second.find('&');
    return joint != std::string::npos && named.second.find('=', joint) != std::string::npos;
  });
}

}  // namespace

std::string text_to_sign(const Parameters& parameters, bool with_sign_type) {
  std::string text;
  for (const auto& [name, value] : parameters) {
    if (value.empty() || name == "sign" || (name == "sign_type" && !with_sign_type)) continue;
    if (!text.empty()) text += '&';
    text.append(name).append(1, '=').append(value);
  }
  return text;
}

std::string sign(const RsaPrivateKey& key, std::string_view text) { return to_base64(key.sign(text)); }

bool is_signed_by(const RsaPublicKey& key, std::string_view text, std::string_view signature) {
  const auto bytes = from_base64(signature);
  return bytes && to_base64(*bytes) == signature && key.verifies(text, *bytes);
}

Result<void> check_notification(const AlipayKeys& keys, const Parameters& parameters) {
  const auto signature = parameters.find("sign");
  if (signature == parameters.end() || signature->second.empty()) return fail("the parameter sign is missing");
  const auto type = parameters.find("sign_type");
  if (type != parameters.end() && type->second != "RSA2") return fail("its sign_type is not RSA2");
  if (!has_one_reading(parameters)) return fail("a value contains & and =, which makes the signed text ambiguous");
  if (is_signed_by_alipay(keys, text_to_sign(parameters, false), signature->second)) return {};
  if (type != parameters.end() && is_signed_by_alipay(keys, text_to_sign(parameters, true), signature->second))
    return {};
  return fail("its signature does not match");
}

}  // namespace finality::alipay
