// Signatures between Alipay and an application: SHA256withRSA (RSA2), in base64.
//
//   request        k=v joined by &, sorted by name, without `sign` and without empty values
//   notification   the same without `sign_type` (rule V1), or with it (rule V2)
//   response       the raw bytes of the response node (alipay/answer.h)
//
// Values are signed without URL encoding. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "channel/alipay/channel.h"

namespace finality::alipay {

/// Parameters by name, in the order in which they are signed (by byte).
using Parameters = std::map<std::string, std::string, std::less<>>;

/// The signed text: all parameters except empty ones and `sign`, and except `sign_type` if `with_sign_type` is false.
std::string text_to_sign(const Parameters& parameters, bool with_sign_type = true);

/// The RSA2 signature of `text`, in base64.
std::string sign(const RsaPrivateKey& key, std::string_view text);
/// Whether `signature` is the signature of `text` by `key`. Rejects base64 that is not canonical, so that each
/// signature has one spelling.
bool is_signed_by(const RsaPublicKey& key, std::string_view text, std::string_view signature);

/// Verifies the signature of a notification. A notification does not name a certificate, so any configured key of
/// Alipay's may have signed it, by rule V1 or V2. Rejects a value that could be read as several parameters, in which an
/// attacker could hide signed parameters.
Result<void> check_notification(const AlipayKeys& keys, const Parameters& parameters);

}  // namespace finality::alipay
