// An answer of the gateway: {"METHOD_response":{…},"sign":"…"}, in either order, in certificate mode with
// "alipay_cert_sn" beside. Signed are the bytes of the node as they came, so they are cut out before anything is
// parsed. Pure.
#pragma once

#include <boost/json/object.hpp>

#include <expected>
#include <string>
#include <string_view>

#include "channel/alipay/channel.h"

namespace finality::alipay {

/// What Alipay signed.
struct AlipayReply {
  boost::json::object node;
  std::string code;      // 10000: the call went through, and no more than that
  std::string sub_code;  // empty with 10000
  std::string message;   // for people

  bool is_ok() const { return code == "10000"; }
  /// The most telling of the codes.
  const std::string& word() const { return sub_code.empty() ? code : sub_code; }
};

/// Why an answer counts for nothing.
struct Disbelief {
  std::string code;
  std::string message;
};

/// `method` is what was asked: alipay.trade.query, …
std::expected<AlipayReply, Disbelief> read_answer(const AlipayKeys& keys, std::string_view method,
                                                  const UpstreamResponse& response);

/// The values of an answer's members, as the bytes that came; empty what is not there.
struct AnswerParts {
  std::string_view node;            // of METHOD_response, or else of error_response
  bool is_error = false;            // it is error_response
  std::string_view sign;            // with its quotes
  std::string_view alipay_cert_sn;  // with its quotes
};

/// An error when the body is no JSON object, or says one of them twice.
Result<AnswerParts> split_answer(std::string_view method, std::string_view body);

}  // namespace finality::alipay
