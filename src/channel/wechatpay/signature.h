// Signatures between the adapter and WeChat Pay: SHA256withRSA over lines that each end with '\n'.
//
//   request                    METHOD, TARGET, TIMESTAMP, NONCE, BODY     TARGET: path and query as on the wire
//   response or notification   TIMESTAMP, NONCE, BODY
//   form for the payer's app   APPID, TIMESTAMP, NONCE, PREPAY            see wechatpay/client_action.h
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

/// Signer of requests: the merchant, with the certificate that has this serial.
struct Signer {
  std::string mchid;
  std::string serial;
  RsaPrivateKey key;
};

/// A nonce: a digest of the content and the time, as 32 hexadecimal characters.
std::string nonce_of(std::string_view content, Time now);

/// The signature of these lines, in base64.
std::string sign_lines(const RsaPrivateKey& key, std::initializer_list<std::string_view> lines);

/// Adds the Authorization header to a request that is sent at `now`. Method, target and body must be final.
void sign_request(const Signer& signer, Time now, net::HttpRequest& request);

/// The values that identify a signed message. WeChat never uses the same head for two messages.
struct SignatureHead {
  std::string serial;
  std::string timestamp;
  std::string nonce;
};

/// Checks that WeChat signed exactly these bytes within 300 s of `now`. Returns the head of the signature. The error
/// states the reason.
Result<SignatureHead> check_signature(const PlatformKeys& keys, const net::Headers& headers, std::string_view body,
                                      Time now);

/// Whether the headers contain a signature.
bool is_signed(const net::Headers& headers);

}  // namespace finality::wechatpay
