#include "channel/wechatpay/cipher.h"

#include "base/crypto/aes_gcm.h"
#include "base/crypto/encoding.h"
#include "base/limits.h"
#include "channel/parsing/json_fields.h"

namespace finality::wechatpay {
namespace {

constexpr std::size_t kFieldBytesMax = 64;
constexpr std::size_t kAssociatedBytesMax = 256;

// Returns the member associated_data; "" if the member is absent or null, nullopt if it is not a string or is longer
// than kAssociatedBytesMax.
std::optional<std::string> associated_of(const boost::json::object& resource) {
  const boost::json::value* value = resource.if_contains("associated_data");
  if (value == nullptr || value->is_null()) return "";
  const boost::json::string* text = value->if_string();
  if (text == nullptr || text->size() > kAssociatedBytesMax) return std::nullopt;
  return std::string(text->data(), text->size());
}

}  // namespace

Result<std::string> decrypt(const boost::json::object& resource, const Secret& api_v3_key) {
  if (text_field(resource, "algorithm", kFieldBytesMax) != "AEAD_AES_256_GCM")
    return fail("algorithm is not AEAD_AES_256_GCM");
  const auto ciphertext = from_base64(text_field(resource, "ciphertext", limits::kBodyBytesMax).value_or(""));
  if (!ciphertext) return fail("ciphertext is not base64");
  const auto nonce = text_field(resource, "nonce", kFieldBytesMax);
  const auto associated = associated_of(resource);
  if (!nonce || !associated) return fail("nonce or associated_data is malformed");
  auto plain = aes_256_gcm_decrypt(api_v3_key.reveal(), *nonce, *associated, *ciphertext);
  if (!plain)
    return fail("cannot decrypt: ciphertext was modified or encrypted with an APIv3 key other than api_v3_key_file");
  return std::move(*plain);
}

}  // namespace finality::wechatpay
