#include "channel/wechatpay/signature.h"

#include <fmt/format.h>

#include <optional>

#include "base/crypto/crypto.h"
#include "base/crypto/encoding.h"
#include "base/time/unix_time.h"

namespace finality::wechatpay {
namespace {

constexpr const char* kScheme = "WECHATPAY2-SHA256-RSA2048";
constexpr const char* kSignatureHeader = "Wechatpay-Signature";
constexpr std::string_view kProbe = "WECHATPAY/SIGNTEST/";
constexpr Duration kTimestampTolerance = std::chrono::seconds(300);
constexpr std::size_t kNonceBytesMax = 128;

std::string lines_of(std::initializer_list<std::string_view> lines) {
  std::string text;
  for (const std::string_view line : lines) (text += line) += '\n';
  return text;
}

}  // namespace

std::string nonce_of(std::string_view content, Time now) {
  const Hash16 hash = sha256_16(fmt::format("{}\n{}", now.ms, content));
  return to_hex({reinterpret_cast<const char*>(hash.data()), hash.size()});
}

std::string sign_lines(const RsaPrivateKey& key, std::initializer_list<std::string_view> lines) {
  return to_base64(key.sign(lines_of(lines)));
}

void sign_request(const Signer& signer, Time now, net::HttpRequest& request) {
  const std::string timestamp = to_unix_seconds(now);
  const std::string nonce = nonce_of(lines_of({request.method, request.target, request.body}), now);
  const std::string signature =
      sign_lines(signer.key, {request.method, request.target, timestamp, nonce, request.body});
  request.headers.add("Authorization",
                      fmt::format(R"({} mchid="{}",nonce_str="{}",timestamp="{}",serial_no="{}",signature="{}")",
                                  kScheme, signer.mchid, nonce, timestamp, signer.serial, signature));
}

Result<SignatureHead> check_signature(const PlatformKeys& keys, const net::Headers& headers, std::string_view body,
                                      Time now) {
  const std::string_view signature = headers.get(kSignatureHeader);
  SignatureHead head{.serial = std::string(headers.get("Wechatpay-Serial")),
                     .timestamp = std::string(headers.get("Wechatpay-Timestamp")),
                     .nonce = std::string(headers.get("Wechatpay-Nonce"))};
  if (signature.empty() || head.serial.empty() || head.timestamp.empty() || head.nonce.empty())
    return fail("a header Wechatpay-Signature, -Serial, -Timestamp or -Nonce is missing");
  if (signature.starts_with(kProbe)) return fail("it is a probe by WeChat with an intentionally invalid signature");
  const std::string_view scheme = headers.get("Wechatpay-Signature-Type");
  if (!scheme.empty() && scheme != kScheme) return fail("Wechatpay-Signature-Type is not WECHATPAY2-SHA256-RSA2048");
  if (head.nonce.size() > kNonceBytesMax || head.nonce.contains('\n'))
    return fail("Wechatpay-Nonce is too long or has a line break");
  const std::optional<Time> signed_at = parse_unix_seconds(head.timestamp);
  if (!signed_at) return fail("Wechatpay-Timestamp is not a Unix time in seconds");
  if (std::chrono::abs(now - *signed_at) > kTimestampTolerance)
    return fail("Wechatpay-Timestamp differs from the current time by more than 300 s");
  const RsaPublicKey* key = keys.find(head.serial, now);
  if (key == nullptr) return fail("the key named by Wechatpay-Serial is unknown or has expired");
  const auto bytes = from_base64(signature);
  if (!bytes || !key->verifies(lines_of({head.timestamp, head.nonce, body}), *bytes))
    return fail("its signature does not match");
  return head;
}

bool is_signed(const net::Headers& headers) { return !headers.get(kSignatureHeader).empty(); }

}  // namespace finality::wechatpay
