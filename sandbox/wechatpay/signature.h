// Signatures of WeChat Pay's API v3: SHA256withRSA over lines that each end in a newline, in base64.
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

/// Why a request's signature is rejected.
enum class WechatpaySignatureError : std::uint8_t { none, malformed, stale, forged };

/// The mchid in Authorization; empty when it is missing.
std::string named_mchid(const net::HttpRequest& request);

/// Verifies that the account's merchant signed the request within the tolerance of `now`. The parameters of
/// Authorization may be in any order.
WechatpaySignatureError signature_error_of(const WechatpayAccount& account, const net::HttpRequest& request, Time now);

/// Adds the Wechatpay-* headers for a body that the channel sends at `now`.
void sign_as_wechatpay(const WechatpaySigner& signer, Time now, std::string_view body, net::Headers& headers);
/// The same headers with an invalid signature, which the channel sends occasionally to test whether merchants verify
/// signatures.
void probe_as_wechatpay(const WechatpaySigner& signer, Time now, std::string_view body, net::Headers& headers);

/// Whether the merchant signed these parameters, which its client passes to the payer's app.
bool is_signed_by_merchant(const WechatpayAccount& account, std::string_view appid, std::string_view timestamp,
                           std::string_view nonce, std::string_view package, std::string_view signature);

}  // namespace finality::sandbox
