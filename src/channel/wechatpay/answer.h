// What an answer of WeChat Pay says as far as it can be believed. Pure.
#pragma once

#include <boost/json/object.hpp>

#include <optional>
#include <string>

#include "channel/channel.h"
#include "channel/wechatpay/platform_keys.h"

namespace finality::wechatpay {

enum class Credence : std::uint8_t {
  believed,  // a 2xx that WeChat signed: `body`, empty after a 204
  refused,   // a 4xx in WeChat's words: `code`, unsigned
  nothing,   // `code` and `message` say why
};

struct WechatPayReply {
  Credence credence = Credence::nothing;
  int status = 0;
  boost::json::object body;
  std::string code;
  std::string message;
};

WechatPayReply read_answer(const UpstreamResponse& response, const PlatformKeys& keys, Time asked_at);

}  // namespace finality::wechatpay
