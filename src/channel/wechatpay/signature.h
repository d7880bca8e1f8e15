// Signatures between the adapter and WeChat Pay: SHA256withRSA. The signed text has one line per value, and each line
// ends with '\n':
//
//   request                    METHOD, TARGET, TIMESTAMP, NONCE, BODY
//   response or notification   TIMESTAMP, NONCE, BODY
//   form for the payer's app   APPID, TIMESTAMP, NONCE, PREPAY            (wechatpay/client_action.h)
//
// TARGET is path and query as in the request line. TIMESTAMP is in decimal seconds since 1970-01-01 UTC. Pure.
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

/// Signer of requests: the merchant `mchid`, with the private key of the merchant's certificate `serial`.
struct Signer {
  std::string mchid;
  std::string serial;
  RsaPrivateKey key;
};

/// Returns a nonce: a digest of `content` and `now`, in 32 hexadecimal characters. Equal input yields an equal nonce.
std::string nonce_of(std::string_view content, Time now);

/// Returns the signature of a text, in base64. The text consists of `lines`, with a '\n' added after each line.
std::string sign_lines(const RsaPrivateKey& key, std::initializer_list<std::string_view> lines);

/// Adds the Authorization header to a request that is sent at `now`. Method, target and body must be final.
void sign_request(const Signer& signer, Time now, net::HttpRequest& request);

/// The values that identify a message signed by WeChat. WeChat never signs two messages with the same head.
struct SignatureHead {
  std::string serial;
  std::string timestamp;
  std::string nonce;
};

/// Checks that WeChat signed exactly these bytes, at most 300 s before or after `now`, and returns the head of the
/// signature. The error states why verification failed.
Result<SignatureHead> check_signature(const PlatformKeys& keys, const net::Headers& headers, std::string_view body,
                                      Time now);

/// Whether the headers contain a signature, valid or not.
bool is_signed(const net::Headers& headers);

}  // namespace finality::wechatpay
