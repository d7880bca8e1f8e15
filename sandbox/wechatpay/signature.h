// Signatures of WeChat Pay's API v3: SHA256withRSA, in base64. Signed texts (each part is followed by a newline) and
// keys:
//
//   request                   METHOD  TARGET  TIMESTAMP  NONCE  BODY      merchant's key, in Authorization
//   response and callback     TIMESTAMP  NONCE  BODY                      channel's key, in Wechatpay-* headers
//   payment by a client       APPID  TIMESTAMP  NONCE  PACKAGE            merchant's key
//
// TARGET is path and query as on the wire. Pure, except for the nonces of new signatures.
#pragma once

#include <expected>
#include <map>
#include <string>
#include <string_view>

#include "base/net/http_message.h"
#include "base/time/time.h"
#include "sandbox/wechatpay/account.h"

namespace finality::sandbox {

/// Maximum difference between a signature's timestamp and the current time.
inline constexpr Duration kWechatpayTolerance = std::chrono::seconds(300);

/// Reason for the rejection of a request's signature; `stale`: the timestamp is out of tolerance.
enum class WechatpaySignatureError : std::uint8_t { none, malformed, stale, forged };

/// Returns the mchid in Authorization without verifying the signature; empty when it is missing.
std::string named_mchid(const net::HttpRequest& request);

/// Verifies that the account's merchant signed the request within kWechatpayTolerance of `now`. Returns `none` if so.
/// The parameters of Authorization may be in any order.
WechatpaySignatureError signature_error_of(const WechatpayAccount& account, const net::HttpRequest& request, Time now);

/// Adds the Wechatpay-* headers for a body that the channel sends at `now`.
void sign_as_wechatpay(const WechatpaySigner& signer, Time now, std::string_view body, net::Headers& headers);
/// Adds the Wechatpay-* headers with an invalid signature (`WECHATPAY/SIGNTEST/…`). The real channel occasionally sends
/// such signatures to test whether merchants verify them.
void probe_as_wechatpay(const WechatpaySigner& signer, Time now, std::string_view body, net::Headers& headers);

/// Returns whether the account's merchant signed these payment parameters, which the merchant's web page or app passes
/// to the payer's WeChat app.
bool is_signed_by_merchant(const WechatpayAccount& account, std::string_view appid, std::string_view timestamp,
                           std::string_view nonce, std::string_view package, std::string_view signature);

}  // namespace finality::sandbox
