// Reads WeChat's platform certificates from responses of its endpoint GET /v3/certificates. Pure.
//
// Each certificate is encrypted with the APIv3 key, which only WeChat and the merchant have. The encryption establishes
// trust in the first certificates, when no other key is known. The response must also be signed, with a certificate
// that it contains or with a key that was trusted before.
#pragma once

#include "base/secret.h"
#include "channel/channel.h"
#include "channel/wechatpay/platform_keys.h"

namespace finality::wechatpay {

/// Returns the keys of all certificates in the response that have not expired at `asked_at`. `trusted_keys` are the
/// keys that were trusted before. Returns an error if the request failed, the signature of the response is invalid, a
/// certificate cannot be decrypted or parsed, or all certificates have expired.
Result<PlatformKeys> read_certificates(const UpstreamResponse& response, const Secret& api_v3_key,
                                       const PlatformKeys& trusted_keys, Time asked_at);

}  // namespace finality::wechatpay
