// Alipay's wire format: parameters, signed texts and responses. Pure.
#pragma once

#include <boost/json/object.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/crypto/rsa.h"
#include "sandbox/formats/charset.h"

namespace finality::sandbox::alipay {

/// Parameters by name. The order of iteration is the order of the parameters in the signed text.
using Params = std::map<std::string, std::string, std::less<>>;

/// Parses an application/x-www-form-urlencoded query or body into `params`. Returns false when `text` is malformed. The
/// values stay in the character set of the sender.
bool add_form(std::string_view text, Params& params);
/// Converts all values from `charset` to UTF-8. Returns false if a value is invalid in `charset`.
bool convert_to_utf8(const Charset& charset, Params& params);
/// Returns the parameters as application/x-www-form-urlencoded.
std::string to_form(const Params& params);

/// Returns the signed text of a request: all nonempty parameters except `sign`, in the form `a=1&b=2`.
std::string content_of_request(const Params& params);
/// Returns the signed text of a trade notification or return URL (Alipay's rule V1): as for a request, but also
/// without `sign_type`.
std::string content_of_notification(const Params& params);

/// Returns the parameter's value; empty when the parameter is absent.
std::string_view value_of(const Params& params, std::string_view name);

/// Returns the SHA256withRSA signature of `content`, in base64.
std::string sign(const RsaPrivateKey& key, std::string_view content);
/// Returns whether `base64` is a valid signature of `content` under the key.
bool verifies(const RsaPublicKey& key, std::string_view content, std::string_view base64);

// Response nodes. A response node is the JSON object with the result of a method.

/// Code 10000: the method succeeded.
boost::json::object success();
/// Code 10003: the payer has not confirmed the barcode payment yet.
boost::json::object pay_in_process();
boost::json::object failure(std::string_view code, std::string_view sub_code, std::string_view sub_msg);
/// Code 40004: the method was refused for the reason `sub_code`.
boost::json::object business_failure(std::string_view sub_code, std::string_view sub_msg);

/// Returns the response body, for example `{"alipay_trade_query_response":NODE,"sign":"…"}`. The signature covers the
/// node's text in the response, in `charset` and with every `/` as `\/`. `certificate_sn` is empty except in
/// certificate mode.
std::string signed_answer(std::string_view method, const boost::json::object& node, const Charset& charset,
                          const RsaPrivateKey& key, std::string_view certificate_sn);
/// Returns the unsigned body `{"error_response":NODE}` in `charset`, for requests that fail the checks shared by all
/// methods.
std::string gateway_refusal(const boost::json::object& node, const Charset& charset);

}  // namespace finality::sandbox::alipay
