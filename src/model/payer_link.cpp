#include "model/payer_link.h"

#include "base/crypto/crypto.h"
#include "base/crypto/encoding.h"

namespace finality {
namespace {

constexpr std::size_t kIdDigits = 13;         // length of an id written by to_base32()
constexpr std::size_t kSignatureDigits = 32;  // 128 bits of the HMAC in hexadecimal

constexpr char kAuthorizationMark = 'a';  // first character of the return token of an authorization

// Returns the text followed by an HMAC of the purpose and the text, so that a checkout token is no valid return token.
std::string token_of(const Merchant& merchant, std::string_view purpose, const std::string& text) {
  const std::string signature = hmac_sha256(merchant.link_secret.reveal(), std::string(purpose) + '.' + text);
  return text + to_hex(signature).substr(0, kSignatureDigits);
}

// Returns the text that identifies the attempt in its return token. A payment has no mark.
std::string text_of(ObjectRef attempt) {
  const std::string id = to_base32(attempt.value);
  return attempt.type == ObjectType::authorization ? kAuthorizationMark + id : id;
}

// `token`: without a mark.
template <class AnId>
std::optional<AnId> id_in(std::string_view token) {
  if (token.size() != kIdDigits + kSignatureDigits) return std::nullopt;
  const std::optional<std::int64_t> id = from_base32(token.substr(0, kIdDigits));
  return id ? std::optional(AnId{*id}) : std::nullopt;
}

}  // namespace

std::string checkout_url(std::string_view public_url, const Merchant& merchant, OrderId order) {
  return std::string(public_url) + "/checkout/" + token_of(merchant, "checkout", to_base32(order.value));
}

std::string return_url(std::string_view public_url, const Merchant& merchant, ObjectRef attempt) {
  return std::string(public_url) + "/return/" + token_of(merchant, "return", text_of(attempt));
}

std::optional<OrderId> order_of_checkout_token(std::string_view token) { return id_in<OrderId>(token); }

bool is_checkout_token(std::string_view token, const Merchant& merchant, OrderId order) {
  return equal_in_constant_time(token, token_of(merchant, "checkout", to_base32(order.value)));
}

std::optional<ObjectRef> attempt_of_return_token(std::string_view token) {
  if (token.size() == 1 + kIdDigits + kSignatureDigits && token.starts_with(kAuthorizationMark))
    return id_in<AuthorizationId>(token.substr(1));
  return id_in<PaymentId>(token);
}

bool is_return_token(std::string_view token, const Merchant& merchant, ObjectRef attempt) {
  return equal_in_constant_time(token, token_of(merchant, "return", text_of(attempt)));
}

}  // namespace finality
