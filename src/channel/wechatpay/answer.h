// Verifies and parses WeChat Pay's responses. Pure.
#pragma once

#include <boost/json/object.hpp>

#include <optional>
#include <string>

#include "channel/channel.h"
#include "channel/wechatpay/platform_keys.h"

namespace finality::wechatpay {

enum class ReplyStatus : std::uint8_t {
  verified,  // a 2xx with a valid signature: `body` is set; after a 204 it is empty
  refused,   // a 4xx in WeChat's error format, usually unsigned: `code` and `message` are WeChat's
  rejected,  // no response, or a response that failed verification: `code` and `message` give the reason
};

struct WechatPayReply {
  ReplyStatus reply_status = ReplyStatus::rejected;
  int status = 0;
  boost::json::object body;
  std::string code;
  std::string message;
};

/// Verifies and parses a response. `asked_at` is the time at which the request was sent. The timestamp of the signature
/// must differ from `asked_at` by at most 300 s.
WechatPayReply read_answer(const UpstreamResponse& response, const PlatformKeys& keys, Time asked_at);

}  // namespace finality::wechatpay
