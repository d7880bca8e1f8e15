// How Alipay and an application prove who speaks: SHA256withRSA (RSA2), in base64.
//
//   our request        k=v joined by &, sorted by name, without `sign` and without what is empty
//   its notification   the same without `sign_type` (rule V1), or with it (rule V2)
//   its answer         the bytes of the response node, exactly as they came (alipay/answer.h)
//
// Values are signed as they are, not as an URL would encode them. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "channel/alipay/channel.h"

namespace finality::alipay {

/// Parameters by name, in the order in which they are signed (by byte).
using Parameters = std::map<std::string, std::string, std::less<>>;

std::string text_to_sign(const Parameters& parameters, bool with_sign_type = true);

/// The signature as base64.
std::string sign(const RsaPrivateKey& key, std::string_view text);
/// One signature has one spelling: base64 that could be written otherwise is refused.
bool is_signed_by(const RsaPublicKey& key, std::string_view text, std::string_view signature);

/// A notification names no certificate: any key of Alipay's that we have may have signed it, by either rule. One with a
/// value that could be several parameters is refused: whoever has a signed text could hide parameters in a value.
Result<void> check_notification(const AlipayKeys& keys, const Parameters& parameters);

}  // namespace finality::alipay
