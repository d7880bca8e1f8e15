// How we and WeChat Pay prove who speaks: SHA256withRSA over a few lines, each ended by '\n'.
//
//   our request                   METHOD, TARGET, TIMESTAMP, NONCE, BODY     TARGET: path and query as on the wire
//   its answer or notification    TIMESTAMP, NONCE, BODY
//   what the payer's app brings   APPID, TIMESTAMP, NONCE, PREPAY            see wechatpay/client_action.h
//
// TIMESTAMP is in seconds since 1970, in decimal. Pure.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "base/crypto/rsa.h"
#include "base/net/http_message.h"
#include "base/result.h"
#include "base/time/time.h"
#include "channel/wechatpay/platform_keys.h"

namespace finality::wechatpay {

/// Who signs our requests: the merchant, by the certificate of that serial.
struct Signer {
  std::string mchid;
  std::string serial;
  RsaPrivateKey key;
};

/// 32 characters that stand for exactly this content at this time.
std::string nonce_of(std::string_view content, Time now);

/// The signature of these lines, in base64.
std::string sign_lines(const RsaPrivateKey& key, std::initializer_list<std::string_view> lines);

/// Adds the Authorization of a request that is complete but for its headers and leaves at `now`.
void sign_request(const Signer& signer, Time now, net::HttpRequest& request);

/// What names a signature: the same is never used for two messages.
struct SignatureHead {
  std::string serial;
  std::string timestamp;
  std::string nonce;
};

/// Whether WeChat signed exactly these bytes within 300 s of `now`. The error says what is wrong.
Result<SignatureHead> check_signature(const PlatformKeys& keys, const net::Headers& headers, std::string_view body,
                                      Time now);

/// Whether the headers claim a signature at all.
bool is_signed(const net::Headers& headers);

}  // namespace finality::wechatpay
