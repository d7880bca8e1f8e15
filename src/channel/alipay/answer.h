// Parser and verifier of gateway responses: {"METHOD_response":{…},"sign":"…"}, in either order, plus "alipay_cert_sn"
// in certificate mode. The signature covers the raw bytes of the response node, so they are extracted before any
// parsing. Pure.
#pragma once

#include <boost/json/object.hpp>

#include <expected>
#include <string>
#include <string_view>

#include "channel/alipay/channel.h"

namespace finality::alipay {

/// A verified response.
struct AlipayReply {
  boost::json::object node;
  std::string code;      // 10000: Alipay processed the call; does not state its result
  std::string sub_code;  // empty with 10000
  std::string message;   // human-readable

  bool is_ok() const { return code == "10000"; }
  /// `sub_code` where Alipay returned one, otherwise `code`.
  const std::string& most_specific_code() const { return sub_code.empty() ? code : sub_code; }
};

/// Why a response was rejected.
struct Rejection {
  std::string code;
  std::string message;
};

/// Verifies the signature of a response and parses it. `method` is the gateway method of the request:
/// alipay.trade.query, …
std::expected<AlipayReply, Rejection> read_answer(const AlipayKeys& keys, std::string_view method,
                                                  const UpstreamResponse& response);

/// Raw bytes of a response's members; empty when a member is missing.
struct AnswerParts {
  std::string_view node;            // value of METHOD_response, or else of error_response
  bool is_error = false;            // `node` is error_response
  std::string_view sign;            // with its quotes
  std::string_view alipay_cert_sn;  // with its quotes
};

/// An error when the body is not a JSON object or contains one of the members twice.
Result<AnswerParts> split_answer(std::string_view method, std::string_view body);

}  // namespace finality::alipay
