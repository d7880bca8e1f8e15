#include "channel/sandbox/sandbox_channel.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <utility>

#include "base/encoding.h"
#include "channel/sandbox/sandbox_signature.h"
#include "channel/sandbox/sandbox_trade.h"

namespace finality {
namespace {

using sandbox_channel::check_signature;
using sandbox_channel::parse_object;
using sandbox_channel::sign_request;
using sandbox_channel::text_field;

constexpr std::size_t kCodeBytesMax = 64;
constexpr std::size_t kMessageBytesMax = 500;

void strip_slash(std::string& url) {
  while (url.ends_with('/')) url.pop_back();
}

// The path of an absolute URL without a query, as it stands in the request line.
std::string path_of(const std::string& url) {
  const std::size_t authority = url.find("://");
  const std::size_t path = url.find('/', authority == std::string::npos ? 0 : authority + 3);
  return path == std::string::npos ? std::string() : url.substr(path);
}

Evidence unknown(std::string code, std::string message) {
  return {.kind = EvidenceKind::unknown, .code = std::move(code), .message = std::move(message)};
}

bool is_web_url(std::string_view url) {
  return url.size() <= limits::kUrlMax && (url.starts_with("http://") || url.starts_with("https://"));
}

// Takes the address of the payer's page from a reply to our sending. False when there is none to send a payer to.
bool read_action(const boost::json::object& body, Evidence& evidence) {
  const boost::json::value* member = body.if_contains("action");
  const boost::json::object* action = member == nullptr ? nullptr : member->if_object();
  if (action == nullptr || text_field(*action, "type", kCodeBytesMax) != "redirect") return false;
  const auto url = text_field(*action, "url", limits::kUrlMax);
  if (!url || !is_web_url(*url)) return false;
  evidence.action_type = ActionType::redirect;
  evidence.action_url = *url;
  return true;
}

class SandboxChannel final : public Channel {
 public:
  explicit SandboxChannel(SandboxOptions options) : options_(std::move(options)) {
    strip_slash(options_.url);
    strip_slash(options_.public_url);
  }

  const std::string& name() const override { return options_.name; }
  const Capabilities& capabilities() const override { return capabilities_; }

  UpstreamRequest request_of(const ChannelCall& call, Time now) const override;
  Evidence evidence_of(const ChannelCall& call, const UpstreamResponse& response, Time asked_at) const override;
  Result<Notification> verify(const net::HttpRequest& raw, Time now) const override;
  net::HttpResponse acknowledgement() const override;
  net::HttpResponse negative_acknowledgement(int status) const override;

 private:
  std::string creation_body(const ChannelCall& call) const;
  Evidence read(const ChannelCall& call, const UpstreamResponse& response, Time asked_at) const;
  Evidence read_trade(const ChannelCall& call, const boost::json::object& body, bool created) const;
  Evidence read_refusal(const ChannelCall& call, int status, const boost::json::object& body) const;

  SandboxOptions options_;
  Capabilities capabilities_{.methods = {"web"}, .trade_made_by_payer = false, .takes_scenario = true};
};

UpstreamRequest SandboxChannel::request_of(const ChannelCall& call, Time now) const {
  std::string resource = fmt::format("/{}/trades", options_.name);
  const std::string trade = resource + '/' + percent_encode(call.payment.out_trade_no);
  UpstreamRequest request{.http = {.method = "POST"}};
  switch (call.kind) {
    case ChannelCallKind::send_payment:
      request.http.body = creation_body(call);
      request.http.headers.add("Content-Type", "application/json");
      break;
    case ChannelCallKind::query_payment:
      request.http.method = "GET";
      resource = trade;
      break;
    case ChannelCallKind::close_payment:
      resource = trade + "/close";
      break;
  }
  request.url = options_.url + resource;
  request.http.target = path_of(request.url);
  sign_request(options_.secret, now, request.http);
  return request;
}

std::string SandboxChannel::creation_body(const ChannelCall& call) const {
  boost::json::object body{{"out_trade_no", call.payment.out_trade_no},
                           {"amount", call.payment.amount},
                           {"currency", call.payment.currency.text()},
                           {"subject", call.order.subject},
                           {"expires_at", to_rfc3339(call.order.expires_at)},
                           {"notify_url", fmt::format("{}/notify/{}", options_.public_url, options_.name)}};
  if (call.order.return_url) body["return_url"] = *call.order.return_url;
  if (call.payment.scenario) body["scenario"] = *call.payment.scenario;
  return boost::json::serialize(body);
}

Evidence SandboxChannel::evidence_of(const ChannelCall& call, const UpstreamResponse& response, Time asked_at) const {
  Evidence evidence = read(call, response, asked_at);
  evidence.source = call.kind == ChannelCallKind::query_payment ? CauseKind::query : CauseKind::channel_reply;
  evidence.asked_at = asked_at;
  return evidence;
}

Evidence SandboxChannel::read(const ChannelCall& call, const UpstreamResponse& response, Time asked_at) const {
  if (!response.http) return unknown("timeout", response.failure);
  const net::HttpResponse& http = *response.http;
  if (http.status >= 500)
    return unknown(fmt::format("http_{}", http.status), fmt::format("the channel answered {}", http.status));
  // An answer is at most one call's timeout younger than its question: far less than the tolerance.
  if (const auto genuine = check_signature(options_.secret, http.headers, http.body, asked_at); !genuine)
    return unknown("bad_signature", "the channel's answer is not believed: " + genuine.error().message);
  const auto body = parse_object(http.body);
  if (!body) return unknown("malformed", "the channel's answer is not a JSON object");
  if (http.status == 200) return read_trade(call, *body, call.kind == ChannelCallKind::send_payment);
  return read_refusal(call, http.status, *body);
}

Evidence SandboxChannel::read_trade(const ChannelCall& call, const boost::json::object& body, bool created) const {
  Result<sandbox_channel::Trade> trade = sandbox_channel::read_trade(body, options_.name);
  if (!trade) return unknown("malformed", "the channel's answer is broken: " + trade.error().message);
  if (trade->out_trade_no != call.payment.out_trade_no)
    return unknown("wrong_trade", "the channel answered about another trade than it was asked about");
  Evidence& evidence = trade->evidence;
  if (created && !read_action(body, evidence) && evidence.kind == EvidenceKind::waiting)
    return unknown("malformed", "the channel's answer is broken: there is no page for the payer");
  return std::move(evidence);
}

Evidence SandboxChannel::read_refusal(const ChannelCall& call, int status, const boost::json::object& body) const {
  Evidence evidence = unknown(std::string(text_field(body, "code", kCodeBytesMax).value_or("")),
                              std::string(text_field(body, "message", kMessageBytesMax).value_or("")));
  const bool sending = call.kind == ChannelCallKind::send_payment;
  if (sending && status == 400 && evidence.code == "invalid_parameter") {
    evidence.kind = EvidenceKind::failed;
  } else if (!sending && status == 404 && evidence.code == "trade_not_exist") {
    evidence.kind = EvidenceKind::absent;
  } else if (call.kind == ChannelCallKind::close_payment && status == 409 &&
             (evidence.code == "trade_has_success" || evidence.code == "trade_has_failed")) {
    return read_trade(call, body, false);
  } else if (evidence.code.empty()) {
    evidence.code = fmt::format("http_{}", status);
  }
  return evidence;
}

Result<Notification> SandboxChannel::verify(const net::HttpRequest& raw, Time now) const {
  if (const auto genuine = check_signature(options_.secret, raw.headers, raw.body, now); !genuine)
    return fail("the notification is not believed: " + genuine.error().message);
  const auto body = parse_object(raw.body);
  if (!body) return fail("the notification is not a JSON object");
  for (const std::string_view name : {"id", "type", "created_at"})
    if (!text_field(*body, name, kCodeBytesMax))
      return fail(fmt::format("the notification is broken: {} is missing", name));
  Result<sandbox_channel::Trade> trade = sandbox_channel::read_trade(*body, options_.name);
  if (!trade) return fail("the notification is broken: " + trade.error().message);
  trade->evidence.source = CauseKind::notification;
  trade->evidence.asked_at = now;
  return Notification{std::move(trade->out_trade_no), std::move(trade->evidence)};
}

net::HttpResponse SandboxChannel::acknowledgement() const {
  net::HttpResponse response{.status = 200, .body = "success"};
  response.headers.add("Content-Type", "text/plain");
  return response;
}

net::HttpResponse SandboxChannel::negative_acknowledgement(int status) const {
  net::HttpResponse response{.status = status, .body = "fail"};
  response.headers.add("Content-Type", "text/plain");
  return response;
}

}  // namespace

std::unique_ptr<Channel> make_sandbox_channel(SandboxOptions options) {
  return std::make_unique<SandboxChannel>(std::move(options));
}

}  // namespace finality
