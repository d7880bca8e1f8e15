// Alipay's wire format: parameters, signed texts and responses. Pure.
#pragma once

#include <boost/json/object.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/crypto/rsa.h"

namespace finality::sandbox::alipay {

/// Parameters by name, in the order in which they are signed.
using Params = std::map<std::string, std::string, std::less<>>;

/// Adds the parameters of an `application/x-www-form-urlencoded` query or body. False when it is malformed.
bool add_form(std::string_view text, Params& params);
/// The parameters as application/x-www-form-urlencoded.
std::string to_form(const Params& params);

/// The signed text of a request: all parameters except `sign` and empty ones, as `a=1&b=2`.
std::string content_of_request(const Params& params);
/// The signed text of a trade notification or of a return URL (rule V1): also without `sign_type`.
std::string content_of_notification(const Params& params);

/// The parameter's value; empty when the parameter is absent.
std::string_view value_of(const Params& params, std::string_view name);

/// The SHA256withRSA signature of `content`, in base64.
std::string sign(const RsaPrivateKey& key, std::string_view content);
/// Whether `base64` is the signature of `content` by the key.
bool verifies(const RsaPublicKey& key, std::string_view content, std::string_view base64);

// Response nodes: the JSON object with the result of a method.

/// 10000: the gateway processed the request.
boost::json::object success();
/// 10003: the payer at the till has not confirmed the payment yet.
boost::json::object pay_in_process();
boost::json::object failure(std::string_view code, std::string_view sub_code, std::string_view sub_msg);
/// 40004: the method was refused; `sub_code` gives the reason.
boost::json::object business_failure(std::string_view sub_code, std::string_view sub_msg);

/// `{"alipay_trade_query_response":NODE,"sign":"…"}`. The signature covers the node's text in the response, with every
/// `/` as `\/`. `certificate_sn` is empty except in certificate mode.
std::string signed_answer(std::string_view method, const boost::json::object& node, const RsaPrivateKey& key,
                          std::string_view certificate_sn);
/// The response of the gateway itself, before it has authenticated the sender. Unsigned.
std::string gateway_refusal(const boost::json::object& node);

}  // namespace finality::sandbox::alipay
