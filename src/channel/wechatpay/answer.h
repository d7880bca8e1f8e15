// Verifier and parser of WeChat Pay's responses. Pure.
#pragma once

#include <boost/json/object.hpp>

#include <optional>
#include <string>

#include "channel/channel.h"
#include "channel/wechatpay/platform_keys.h"

namespace finality::wechatpay {

enum class ReplyStatus : std::uint8_t {
  verified,  // a verified 2xx: `body` is set, empty after a 204
  refused,   // a 4xx in WeChat's error format, unsigned: `code` is set
  rejected,  // no trustworthy response: `code` and `message` give the reason
};

struct WechatPayReply {
  ReplyStatus reply_status = ReplyStatus::rejected;
  int status = 0;
  boost::json::object body;
  std::string code;
  std::string message;
};

/// Verifies and parses a response. `asked_at` is when the request was sent; the signature's timestamp must be near this
/// time.
WechatPayReply read_answer(const UpstreamResponse& response, const PlatformKeys& keys, Time asked_at);

}  // namespace finality::wechatpay
