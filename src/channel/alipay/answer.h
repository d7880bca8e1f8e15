// Parses and verifies responses of Alipay's gateway. A response is the JSON object {"METHOD_response":{…},"sign":"…"},
// in certificate mode with a third member "alipay_cert_sn"; the members are in any order. `sign` covers the raw bytes
// of the response node METHOD_response, so the parser extracts these bytes before it parses them. Pure.
#pragma once

#include <boost/json/object.hpp>

#include <expected>
#include <string>
#include <string_view>

#include "channel/alipay/channel.h"

namespace finality::alipay {

/// A response whose signature has been verified.
struct AlipayReply {
  boost::json::object node;
  std::string code;      // 10000: Alipay processed the call; `node` holds the result
  std::string sub_code;  // cause of a refusal; empty if the response has none
  std::string message;   // sub_msg of the response, or msg if the response has no sub_msg

  bool is_ok() const { return code == "10000"; }
  /// Returns `sub_code` if the response has one, otherwise `code`.
  const std::string& most_specific_code() const { return sub_code.empty() ? code : sub_code; }
};

/// Reason for the rejection of a response: a message for operators, and one of the codes `timeout`, `http_STATUS`,
/// `malformed`, `unsigned`, `unknown_certificate` and `bad_signature`.
struct Rejection {
  std::string code;
  std::string message;
};

/// Verifies the signature of a response and parses it. `method` is the gateway method of the request, such as
/// alipay.trade.query. Returns a Rejection if no response with HTTP status 200 arrived or verification failed.
std::expected<AlipayReply, Rejection> read_answer(const AlipayKeys& keys, std::string_view method,
                                                  const UpstreamResponse& response);

/// Raw bytes of the members of a response, as views into its body. A missing member is empty.
struct AnswerParts {
  std::string_view node;            // value of error_response if `is_error`, otherwise of METHOD_response
  bool is_error = false;            // the response has error_response instead of METHOD_response
  std::string_view sign;            // a JSON string, including the quotes
  std::string_view alipay_cert_sn;  // a JSON string, including the quotes
};

/// Splits a response into the raw bytes of its members. Returns an error if the body is not a JSON object, repeats one
/// of these members, or does not have exactly one of METHOD_response and error_response.
Result<AnswerParts> split_answer(std::string_view method, std::string_view body);

}  // namespace finality::alipay
