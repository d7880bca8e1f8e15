// What goes over Alipay's wire: parameters, what of them is signed, answers. Pure.
#pragma once

#include <boost/json/object.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/crypto/rsa.h"

namespace finality::sandbox::alipay {

/// In the order in which they are signed.
using Params = std::map<std::string, std::string, std::less<>>;

/// Adds the parameters of an `application/x-www-form-urlencoded` text: a query or a body. False when it is none.
bool add_form(std::string_view text, Params& params);
std::string to_form(const Params& params);

/// Of a request: all but `sign` and what is empty, as `a=1&b=2`.
std::string content_of_request(const Params& params);
/// Of a notification of a trade, or of what a payer brings back (rule V1): without `sign_type` too.
std::string content_of_notification(const Params& params);

/// Empty when it is absent.
std::string_view value_of(const Params& params, std::string_view name);

/// SHA256withRSA, in base64.
std::string sign(const RsaPrivateKey& key, std::string_view content);
bool verifies(const RsaPublicKey& key, std::string_view content, std::string_view base64);

/// The nodes of answers.
boost::json::object success();
/// 10003: the payer at the till has not yet agreed.
boost::json::object pay_in_process();
boost::json::object failure(std::string_view code, std::string_view sub_code, std::string_view sub_msg);
/// 40004.
boost::json::object business_failure(std::string_view sub_code, std::string_view sub_msg);

/// `{"alipay_trade_query_response":NODE,"sign":"…"}`. What is signed is the text of the node as it stands there, with
/// every `/` as `\/`. `certificate_sn`: in certificate mode; empty otherwise.
std::string signed_answer(std::string_view method, const boost::json::object& node, const RsaPrivateKey& key,
                          std::string_view certificate_sn);
/// What the gateway itself refuses, before it knows for sure who asks: not signed.
std::string gateway_refusal(const boost::json::object& node);

}  // namespace finality::sandbox::alipay
