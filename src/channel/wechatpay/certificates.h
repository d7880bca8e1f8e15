// WeChat's platform certificates, from its endpoint GET /v3/certificates. Pure.
//
// Each certificate is encrypted with the APIv3 key, which only WeChat and the merchant have. This establishes trust in
// the first certificates. The whole response must be signed with one of the certificates in it, or with a key that was
// trusted before.
#pragma once

#include "base/secret.h"
#include "channel/channel.h"
#include "channel/wechatpay/platform_keys.h"

namespace finality::wechatpay {

/// The keys of the certificates in the response that have not expired at `asked_at`. `trusted_keys` are the keys
/// trusted until now. An error, and no new key, when a certificate cannot be decrypted or parsed or the signature is
/// invalid.
Result<PlatformKeys> read_certificates(const UpstreamResponse& response, const Secret& api_v3_key,
                                       const PlatformKeys& trusted_keys, Time asked_at);

}  // namespace finality::wechatpay
