#include "channel/wechatpay/client_action.h"

#include <fmt/format.h>
#include <boost/json/serialize.hpp>

#include <algorithm>

#include "base/crypto/encoding.h"
#include "base/limits.h"
#include "base/time/unix_time.h"
#include "channel/parsing/json_fields.h"

namespace finality::wechatpay {
namespace {

constexpr std::size_t kCodeUrlBytesMax = 512;
constexpr std::size_t kPrepayIdBytesMax = 64;

// Whether the text has only visible ASCII characters. A space or line break would corrupt the signed text, the QR code
// or the header that contains the text.
bool is_visible(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

std::optional<std::string> visible_field(const boost::json::object& body, std::string_view name,
                                         std::size_t bytes_max) {
  const auto text = text_field(body, name, bytes_max);
  if (!text || !is_visible(*text)) return std::nullopt;
  return std::string(*text);
}

Result<ClientAction> qr_code_of(const boost::json::object& body) {
  auto code = visible_field(body, "code_url", kCodeUrlBytesMax);
  if (!code) return fail("it has no valid code_url");
  return ClientAction{.type = ActionType::qr_code, .code = std::move(*code)};
}

Result<ClientAction> redirect_of(const boost::json::object& body, std::string_view return_url) {
  auto url = visible_field(body, "h5_url", limits::kUrlMax);
  if (!url || !(url->starts_with("https://") || url->starts_with("http://"))) return fail("it has no valid h5_url");
  if (!return_url.empty())
    *url += fmt::format("{}redirect_url={}", url->contains('?') ? '&' : '?', percent_encode(return_url));
  return ClientAction{.type = ActionType::redirect, .url = std::move(*url)};
}

struct Ticket {
  std::string prepay_id;
  std::string timestamp;
  std::string nonce;
};

std::string jsapi_form(const Ticket& ticket, const Signer& signer, std::string_view appid) {
  const std::string package = "prepay_id=" + ticket.prepay_id;
  const std::string signature = sign_lines(signer.key, {appid, ticket.timestamp, ticket.nonce, package});
  return boost::json::serialize(boost::json::object{{"appId", appid},
                                                    {"timeStamp", ticket.timestamp},
                                                    {"nonceStr", ticket.nonce},
                                                    {"package", package},
                                                    {"signType", "RSA"},
                                                    {"paySign", signature}});
}

std::string app_form(const Ticket& ticket, const Signer& signer, std::string_view appid) {
  const std::string signature = sign_lines(signer.key, {appid, ticket.timestamp, ticket.nonce, ticket.prepay_id});
  return boost::json::serialize(boost::json::object{{"appid", appid},
                                                    {"partnerid", signer.mchid},
                                                    {"prepayid", ticket.prepay_id},
                                                    {"package", "Sign=WXPay"},
                                                    {"noncestr", ticket.nonce},
                                                    {"timestamp", ticket.timestamp},
                                                    {"sign", signature}});
}

}  // namespace

Result<ClientAction> client_action_of(const ChannelCall& call, const boost::json::object& body, const Signer& signer,
                                      std::string_view appid, Time now) {
  const std::string& method = call.payment.method;
  if (method == "native") return qr_code_of(body);
  if (method == "h5") return redirect_of(body, call.return_url);
  auto prepay_id = visible_field(body, "prepay_id", kPrepayIdBytesMax);
  if (!prepay_id) return fail("it has no valid prepay_id");
  const std::string nonce = nonce_of(*prepay_id, now);
  const Ticket ticket{std::move(*prepay_id), to_unix_seconds(now), nonce};
  return ClientAction{.type = ActionType::form,
                      .code = method == "app" ? app_form(ticket, signer, appid) : jsapi_form(ticket, signer, appid)};
}

}  // namespace finality::wechatpay
