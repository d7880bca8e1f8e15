// WeChat Pay's signatures of API v3: SHA256withRSA over lines that each end in a newline, in base64.
//
//   request                   METHOD  TARGET  TIMESTAMP  NONCE  BODY      under the merchant's key, in Authorization
//   response and callback     TIMESTAMP  NONCE  BODY                      under the channel's, in Wechatpay-* headers
//   what a client pays with   APPID  TIMESTAMP  NONCE  PACKAGE            under the merchant's
//
// TARGET is path and query as on the wire. Pure, but for the nonces of what is signed.
#pragma once

#include <expected>
#include <map>
#include <string>
#include <string_view>

#include "base/net/http_message.h"
#include "base/time/time.h"
#include "sandbox/wechatpay/account.h"

namespace finality::sandbox {

/// Signatures older or newer than this are refused.
inline constexpr Duration kWechatpayTolerance = std::chrono::seconds(300);

/// Why a request is not believed.
enum class WechatpayDistrust : std::uint8_t { none, malformed, stale, forged };

/// The mchid that Authorization names; empty when there is none.
std::string named_mchid(const net::HttpRequest& request);

/// Whether the request is signed by the account's merchant, rightly, and within the tolerance of `now`. The parameters
/// of Authorization may stand in any order.
WechatpayDistrust distrust_of(const WechatpayAccount& account, const net::HttpRequest& request, Time now);

/// Adds the Wechatpay-* headers for a body that the channel sends at `now`.
void sign_as_wechatpay(const WechatpaySigner& signer, Time now, std::string_view body, net::Headers& headers);
/// The same headers with a signature that no key has made, as the channel sends now and then to see whether it is
/// checked.
void probe_as_wechatpay(const WechatpaySigner& signer, Time now, std::string_view body, net::Headers& headers);

/// Whether `signature` is the merchant's under what a client hands to the payer's app.
bool is_signed_by_merchant(const WechatpayAccount& account, std::string_view appid, std::string_view timestamp,
                           std::string_view nonce, std::string_view package, std::string_view signature);

}  // namespace finality::sandbox
