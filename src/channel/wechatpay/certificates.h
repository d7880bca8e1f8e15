// WeChat's platform certificates, which it hands out itself (GET /v3/certificates). Pure.
//
// Each comes encrypted with the APIv3 key, which only WeChat and the merchant have: that is why the first ones can be
// believed. The answer as a whole must be signed with one of them, or with one believed before.
#pragma once

#include "base/secret.h"
#include "channel/channel.h"
#include "channel/wechatpay/platform_keys.h"

namespace finality::wechatpay {

/// The keys of the certificates in the answer that have not expired at `asked_at`. `known` are the keys believed until
/// now. An error when one of them cannot be decrypted or read, or the answer is not signed rightly: none is believed
/// then.
Result<PlatformKeys> read_certificates(const UpstreamResponse& response, const Secret& api_v3_key,
                                       const PlatformKeys& known, Time asked_at);

}  // namespace finality::wechatpay
