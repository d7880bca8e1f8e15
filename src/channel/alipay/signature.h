// Signatures between Alipay and an application: SHA256withRSA (RSA2), in base64. The signed text is:
//
//   request        NAME=VALUE pairs joined by &, sorted by name, without `sign` and without empty values
//   notification   like a request, but without `sign_type` (rule V1), or exactly like a request (rule V2)
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

/// Parameters of a request or a notification, in the order of the signed text: by the bytes of their names.
using Parameters = std::map<std::string, std::string, std::less<>>;

/// Returns the text to sign: all parameters without `sign`, without empty values, and without `sign_type` if
/// `with_sign_type` is false.
std::string text_to_sign(const Parameters& parameters, bool with_sign_type = true);

/// Returns the RSA2 signature of `text`, in base64.
std::string sign(const RsaPrivateKey& key, std::string_view text);
/// Whether `signature`, in base64, is the RSA2 signature of `text` for `key`. Rejects base64 that is not canonical, so
/// that each signature has exactly one valid encoding.
bool is_signed_by(const RsaPublicKey& key, std::string_view text, std::string_view signature);

/// Verifies the signature of a notification by rule V1 or V2 with each configured key of Alipay, because a notification
/// does not name a certificate. Rejects a value that contains & and then =, because an attacker could move signed
/// parameters into such a value. The error states the reason.
Result<void> check_notification(const AlipayKeys& keys, const Parameters& parameters);

}  // namespace finality::alipay
