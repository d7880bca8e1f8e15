#include "channel/wechatpay/answer.h"

#include <fmt/format.h>

#include "channel/parsing/json_fields.h"
#include "channel/wechatpay/signature.h"

namespace finality::wechatpay {
namespace {

namespace json = boost::json;

constexpr int kNoContent = 204;
constexpr std::size_t kCodeBytesMax = 64;
constexpr std::size_t kMessageBytesMax = 500;

WechatPayReply rejected(int status, std::string code, std::string message) {
  return {.status = status, .code = std::move(code), .message = std::move(message)};
}

WechatPayReply rejected(int status) {
  return rejected(status, fmt::format("http_{}", status), fmt::format("the channel returned HTTP {}", status));
}

WechatPayReply bad_signature(int status, const Error& reason) {
  return rejected(status, "bad_signature", "the channel's response failed verification: " + reason.message);
}

WechatPayReply read_success(const net::HttpResponse& http, const PlatformKeys& keys, Time asked_at) {
  // `asked_at` replaces the time of arrival: a response arrives before the call timeout, which is far less than the
  // tolerance for timestamps.
  if (const auto genuine = check_signature(keys, http.headers, http.body, asked_at); !genuine)
    return bad_signature(http.status, genuine.error());
  if (http.status == kNoContent && http.body.empty())
    return {.reply_status = ReplyStatus::verified, .status = http.status};
  auto body = parse_object(http.body);
  if (!body) return rejected(http.status, "malformed", "the channel's response is not a JSON object");
  return {.reply_status = ReplyStatus::verified, .status = http.status, .body = std::move(*body)};
}

// Formats the invalid field and the issue of a refusal for an error message: " (/amount/currency: …)". Empty if the
// refusal has neither.
std::string error_location(const json::object& refusal) {
  const json::object* detail = object_field(refusal, "detail");
  if (detail == nullptr) return {};
  const std::string_view field = text_field(*detail, "field", kCodeBytesMax).value_or("");
  const std::string_view issue = text_field(*detail, "issue", kMessageBytesMax).value_or("");
  if (field.empty() && issue.empty()) return {};
  return fmt::format(" ({}{}{})", field, field.empty() || issue.empty() ? "" : ": ", issue);
}

// Reads a refusal. WeChat does not sign refusals; if a refusal has a signature nevertheless, it must be valid.
WechatPayReply read_refusal(const net::HttpResponse& http, const PlatformKeys& keys, Time asked_at) {
  if (is_signed(http.headers))
    if (const auto genuine = check_signature(keys, http.headers, http.body, asked_at); !genuine)
      return bad_signature(http.status, genuine.error());
  const auto body = parse_object(http.body);
  const auto code = body ? text_field(*body, "code", kCodeBytesMax) : std::nullopt;
  if (!code) return rejected(http.status);
  return {.reply_status = ReplyStatus::refused,
          .status = http.status,
          .code = std::string(*code),
          .message = std::string(text_field(*body, "message", kMessageBytesMax).value_or("")) + error_location(*body)};
}

}  // namespace

WechatPayReply read_answer(const UpstreamResponse& response, const PlatformKeys& keys, Time asked_at) {
  if (!response.http) return rejected(0, "timeout", response.failure);
  const int status = response.http->status;
  if (status >= 200 && status < 300) return read_success(*response.http, keys, asked_at);
  if (status >= 400 && status < 500) return read_refusal(*response.http, keys, asked_at);
  return rejected(status);
}

}  // namespace finality::wechatpay
