#include "channel/sandbox/channel.h"

#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <utility>

#include "base/crypto/encoding.h"
#include "base/guarded.h"
#include "channel/parsing/json_fields.h"
#include "channel/parsing/statement_lines.h"
#include "channel/sandbox/authorization.h"
#include "channel/sandbox/reply.h"
#include "channel/sandbox/signature.h"
#include "channel/sandbox/statement.h"
#include "channel/sandbox/trade.h"

namespace finality {
namespace {

using sandbox_channel::check_signature;
using sandbox_channel::sign_request;
using sandbox_channel::SignedReply;

constexpr std::size_t kCodeBytesMax = 64;
constexpr std::size_t kMessageBytesMax = 500;
constexpr StatementKind kStatementKinds[] = {StatementKind::trades, StatementKind::funds};
constexpr StatementPlan kStatementPlan{
    .kinds = kStatementKinds, .utc_offset = std::chrono::hours(8), .ready_after = std::chrono::hours(10)};

void strip_slash(std::string& url) {
  while (url.ends_with('/')) url.pop_back();
}

// Returns the path of an absolute URL that has no query; empty if the URL has no path.
std::string path_of(const std::string& url) {
  const std::size_t authority = url.find("://");
  const std::size_t path = url.find('/', authority == std::string::npos ? 0 : authority + 3);
  return path == std::string::npos ? std::string() : url.substr(path);
}

Evidence unknown(std::string code, std::string message) {
  return {.kind = EvidenceKind::unknown, .code = std::move(code), .message = std::move(message)};
}

/// The evidence about a refund that a refusal of the channel gives. A refusal without a row is `unknown`.
struct RefundRefusal {
  int status;
  std::string_view code;
  RefundEvidenceKind kind;
};
constexpr RefundRefusal kRefundRefusals[] = {
    {400, "invalid_parameter", RefundEvidenceKind::refused},
    {404, "trade_not_exist", RefundEvidenceKind::refused},
    {404, "refund_not_exist", RefundEvidenceKind::not_found},
    {409, "refund_exceeds_paid", RefundEvidenceKind::refused},
    {409, "refund_refused", RefundEvidenceKind::refused},
    {409, "refund_not_now", RefundEvidenceKind::not_now},            // the same out_refund_no may be sent again
    {409, "refund_refused_for_now", RefundEvidenceKind::try_again},  // the out_refund_no stays refused
    {409, "trade_not_paid", RefundEvidenceKind::refused},
};

/// The evidence that the state of a refund gives. A state without a row is `unknown`.
struct RefundStatus {
  std::string_view state;
  RefundEvidenceKind kind;
};
constexpr RefundStatus kRefundStatuses[] = {
    {"succeeded", RefundEvidenceKind::refunded},
    {"closed", RefundEvidenceKind::try_again},  // no money moves, and every request with its number is refused
};

// Returns the evidence in a response with a refund; `unknown` if it is not the refund of `call`, with the same amount.
RefundEvidenceKind kind_of(const boost::json::object& body, const RefundCall& call) {
  const boost::json::value* member = body.if_contains("refund");
  const boost::json::object* refund = member == nullptr ? nullptr : member->if_object();
  if (refund == nullptr) return RefundEvidenceKind::unknown;
  const boost::json::value* amount = refund->if_contains("amount");
  const bool is_same = amount != nullptr && *amount == boost::json::value(call.amount) &&
                       text_field(*refund, "out_refund_no", limits::kMerchantNumberMax) == call.out_refund_no;
  const std::optional<std::string_view> state = text_field(*refund, "state", kCodeBytesMax);
  const auto* row = std::ranges::find_if(kRefundStatuses, [&](const RefundStatus& one) { return state == one.state; });
  return is_same && row != std::end(kRefundStatuses) ? row->kind : RefundEvidenceKind::unknown;
}

constexpr std::string_view kAuthorizationType = "authorization";  // of a notification about an authorization

Result<Notification> read_authorization(const boost::json::object& body, Time reported_at) {
  Result<sandbox_channel::ReportedAuthorization> reported = sandbox_channel::read_authorization(body);
  if (!reported) return fail("the notification is malformed: " + reported.error().message);
  reported->evidence.source = CauseKind::notification;
  reported->evidence.asked_at = reported_at;
  return Notification{.out_trade_no = std::move(reported->out_order_no),
                      .evidence = {},
                      .authorization = std::move(reported->evidence)};
}

class Adapter final : public SandboxChannel {
 public:
  explicit Adapter(SandboxOptions options) : secret_(std::move(options.secret)), options_(std::move(options)) {
    strip_slash(options_.url);
    strip_slash(options_.public_url);
    capabilities_.authorization = sandbox_channel::terms_of(options_.shares_trade_no);
  }

  const std::string& name() const override { return options_.name; }
  const Capabilities& capabilities() const override { return capabilities_; }

  UpstreamRequest request_of(const ChannelCall& call, Time now) const override;
  Evidence evidence_of(const ChannelCall& call, const UpstreamResponse& response, Time asked_at) const override;
  UpstreamRequest request_of(const RefundCall& call, Time now) const override;
  RefundEvidence evidence_of(const RefundCall& call, const UpstreamResponse& response, Time asked_at) const override;
  using SandboxChannel::answer_without_asking;
  std::optional<AuthorizationEvidence> answer_without_asking(const AuthorizationCall&, Time) const override {
    return std::nullopt;
  }
  UpstreamRequest request_of(const AuthorizationCall& call, Time now) const override;
  UpstreamRequest request_of(const CaptureCall& call, Time now) const override;
  AuthorizationEvidence evidence_of(const AuthorizationCall& call, const UpstreamResponse& response,
                                    Time asked_at) const override;
  Evidence evidence_of(const CaptureCall& call, const UpstreamResponse& response, Time asked_at) const override;
  const StatementPlan& statement_plan() const override { return kStatementPlan; }
  Result<UpstreamRequest> request_of(const StatementCall& call, Time now) const override;
  Result<StatementAnswer> statement_answer_of(const StatementCall& call, const UpstreamResponse& response,
                                              Time asked_at) const override;
  Result<std::string> file_of(const StatementLink&, const UpstreamResponse&, ParseBudget&) const override {
    return fail("the simple channel returns statements without links");
  }
  Result<std::vector<StatementSums>> parse(const StatementCall& call, std::string_view file, ParseBudget& budget,
                                           const LineSink& sink) const override;
  Result<Notification> verify(const net::HttpRequest& raw, Time now) const override;
  net::HttpResponse acknowledgement() const override;
  net::HttpResponse negative_acknowledgement(int status) const override;
  Result<void> use_texts(const ChannelTexts& texts) override;

 private:
  SignedReply read_answer(const UpstreamResponse& response, Time asked_at) const;
  UpstreamRequest signed_request(std::string resource, net::HttpRequest http, Time now) const;
  UpstreamRequest signed_request(sandbox_channel::UnsignedRequest request, Time now) const;
  std::string notify_url() const { return fmt::format("{}/notify/{}", options_.public_url, options_.name); }
  boost::json::object creation_body(const ChannelCall& call) const;
  Evidence read(const ChannelCall& call, const UpstreamResponse& response, Time asked_at) const;
  Evidence read_trade(const ChannelCall& call, const boost::json::object& body, bool created) const;
  Evidence read_refusal(const ChannelCall& call, const SignedReply& answer) const;

  Guarded<Secret> secret_;
  SandboxOptions options_;  // except `secret`, which secret_ holds
  Capabilities capabilities_{.methods = {"web"},
                             .page_methods = {{"web", PageMethod::any}},
                             .repeats_action = {"web"},
                             .takes_scenario = true};
};

UpstreamRequest Adapter::request_of(const ChannelCall& call, Time now) const {
  std::string resource = fmt::format("/{}/trades", options_.name);
  const std::string trade = resource + '/' + percent_encode(call.payment.out_trade_no);
  UpstreamRequest request{.http = {.method = "POST"}};
  switch (call.kind) {
    case ChannelCallKind::send_payment:
      request.http = sandbox_channel::post(creation_body(call));
      break;
    case ChannelCallKind::query_payment:
      request.http.method = "GET";
      resource += '/' + percent_encode(call.payment.query_total_of.value_or(call.payment.out_trade_no));
      break;
    case ChannelCallKind::close_payment:
      resource = trade + "/close";
      break;
  }
  return signed_request(std::move(resource), std::move(request.http), now);
}

UpstreamRequest Adapter::signed_request(std::string resource, net::HttpRequest http, Time now) const {
  UpstreamRequest request{options_.url + resource, std::move(http)};
  request.http.target = path_of(request.url);
  sign_request(secret_.get(), now, request.http);
  return request;
}

UpstreamRequest Adapter::signed_request(sandbox_channel::UnsignedRequest request, Time now) const {
  return signed_request('/' + options_.name + request.resource, std::move(request.http), now);
}

UpstreamRequest Adapter::request_of(const AuthorizationCall& call, Time now) const {
  return signed_request(sandbox_channel::request_of(call, notify_url()), now);
}

UpstreamRequest Adapter::request_of(const CaptureCall& call, Time now) const {
  return signed_request(sandbox_channel::request_of(call), now);
}

AuthorizationEvidence Adapter::evidence_of(const AuthorizationCall& call, const UpstreamResponse& response,
                                           Time asked_at) const {
  AuthorizationEvidence evidence = sandbox_channel::evidence_of(call, read_answer(response, asked_at));
  evidence.source = source_of(call);
  evidence.asked_at = asked_at;
  return evidence;
}

Evidence Adapter::evidence_of(const CaptureCall& call, const UpstreamResponse& response, Time asked_at) const {
  Evidence evidence = sandbox_channel::evidence_of(call, read_answer(response, asked_at), options_.name);
  evidence.source = source_of(call);
  evidence.asked_at = asked_at;
  return evidence;
}

UpstreamRequest Adapter::request_of(const RefundCall& call, Time now) const {
  const std::string refunds = fmt::format("/{}/refunds", options_.name);
  if (call.kind == RefundCallKind::query_refund)
    return signed_request(refunds + '/' + percent_encode(call.out_refund_no), {.method = "GET"}, now);
  return signed_request(refunds,
                        sandbox_channel::post({{"out_refund_no", call.out_refund_no},
                                               {"trade_no", call.channel_trade_no},
                                               {"amount", call.amount},
                                               {"currency", call.currency.text()}}),
                        now);
}

RefundEvidence Adapter::evidence_of(const RefundCall& call, const UpstreamResponse& response, Time asked_at) const {
  RefundEvidence evidence{.asked_at = asked_at};
  evidence.source = call.kind == RefundCallKind::query_refund ? CauseKind::query : CauseKind::channel_reply;
  const SignedReply answer = read_answer(response, asked_at);
  evidence.code = answer.code;
  evidence.message = answer.message;
  if (!answer.body) return evidence;
  if (answer.status == 200) {
    evidence.kind = kind_of(*answer.body, call);
    if (evidence.kind == RefundEvidenceKind::try_again) evidence.code = "closed";
    if (evidence.kind != RefundEvidenceKind::refunded) return evidence;
    if (auto settlement = sandbox_channel::read_settlement(answer.body->at("refund").as_object()))
      evidence.settlement = std::move(*settlement);
    else
      evidence.message = settlement.error().message;
    return evidence;
  }
  for (const RefundRefusal& refusal : kRefundRefusals)
    if (answer.status == refusal.status && answer.code == refusal.code) evidence.kind = refusal.kind;
  return evidence;
}

boost::json::object Adapter::creation_body(const ChannelCall& call) const {
  boost::json::object body{{"out_trade_no", call.payment.out_trade_no},       {"amount", call.payment.amount},
                           {"currency", call.payment.currency.text()},        {"subject", call.order.subject},
                           {"expires_at", to_rfc3339(call.order.expires_at)}, {"notify_url", notify_url()}};
  if (!call.return_url.empty()) body["return_url"] = call.return_url;
  if (call.payment.scenario) body["scenario"] = *call.payment.scenario;
  return body;
}

Evidence Adapter::evidence_of(const ChannelCall& call, const UpstreamResponse& response, Time asked_at) const {
  Evidence evidence = read(call, response, asked_at);
  evidence.source = call.kind == ChannelCallKind::query_payment ? CauseKind::query : CauseKind::channel_reply;
  evidence.asked_at = asked_at;
  return evidence;
}

// Verifies and parses the response. If that fails, `body` is empty, and `code` and `message` state the reason.
SignedReply Adapter::read_answer(const UpstreamResponse& response, Time asked_at) const {
  if (!response.http) return {0, {}, "timeout", response.failure};
  const net::HttpResponse& http = *response.http;
  if (http.status >= 500)
    return {
        http.status, {}, fmt::format("http_{}", http.status), fmt::format("the channel returned HTTP {}", http.status)};
  // `asked_at` replaces the time of arrival: a response arrives before the call timeout, which is far less than the
  // tolerance for timestamps.
  if (const auto genuine = check_signature(secret_.get(), http.headers, http.body, asked_at); !genuine)
    return {http.status, {}, "bad_signature", "the channel's response failed verification: " + genuine.error().message};
  auto body = parse_object(http.body);
  if (!body) return {http.status, {}, "malformed", "the channel's response is not a JSON object"};
  const std::string code(text_field(*body, "code", kCodeBytesMax).value_or(""));
  const std::string message(text_field(*body, "message", kMessageBytesMax).value_or(""));
  return {http.status, std::move(body), code, message};
}

Evidence Adapter::read(const ChannelCall& call, const UpstreamResponse& response, Time asked_at) const {
  const SignedReply answer = read_answer(response, asked_at);
  if (!answer.body) return unknown(answer.code, answer.message);
  if (answer.status == 200) return read_trade(call, *answer.body, call.kind == ChannelCallKind::send_payment);
  return read_refusal(call, answer);
}

Evidence Adapter::read_trade(const ChannelCall& call, const boost::json::object& body, bool created) const {
  Result<sandbox_channel::Trade> trade = sandbox_channel::read_trade(body, options_.name);
  if (!trade) return unknown("malformed", "the channel's response is malformed: " + trade.error().message);
  if (trade->out_trade_no != call.payment.out_trade_no)
    return unknown("wrong_trade", "the channel's response is about a different trade");
  Evidence& evidence = trade->evidence;
  if (!created) return std::move(evidence);
  if (const auto page = sandbox_channel::read_page(body)) {
    evidence.action_type = ActionType::redirect;
    evidence.action_url = *page;
  } else if (evidence.kind == EvidenceKind::waiting) {
    return unknown("malformed", "the channel's response is malformed: it has no valid page for the payer");
  }
  return std::move(evidence);
}

Evidence Adapter::read_refusal(const ChannelCall& call, const SignedReply& answer) const {
  const int status = answer.status;
  Evidence evidence = unknown(answer.code, answer.message);
  const bool sending = call.kind == ChannelCallKind::send_payment;
  if (sending && status == 400 && evidence.code == "invalid_parameter") {
    evidence.kind = EvidenceKind::failed;
  } else if (!sending && status == 404 && evidence.code == "trade_not_exist") {
    evidence.kind = EvidenceKind::not_found;
  } else if (call.kind == ChannelCallKind::close_payment && status == 409 &&
             (evidence.code == "trade_has_success" || evidence.code == "trade_has_failed")) {
    return read_trade(call, *answer.body, false);
  } else if (evidence.code.empty()) {
    evidence.code = fmt::format("http_{}", status);
  }
  return evidence;
}

Result<UpstreamRequest> Adapter::request_of(const StatementCall& call, Time now) const {
  if (auto valid = check_call(kStatementPlan, call); !valid) return std::unexpected(valid.error());
  return signed_request(fmt::format("/{}/statements?kind={}&date={}", options_.name, name_of(call.kind), call.date),
                        {.method = "GET"}, now);
}

Result<StatementAnswer> Adapter::statement_answer_of(const StatementCall&, const UpstreamResponse& response,
                                                     Time asked_at) const {
  if (response.http && response.http->status == 200) {
    const net::HttpResponse& http = *response.http;
    if (const auto genuine = check_signature(secret_.get(), http.headers, http.body, asked_at); !genuine)
      return fail("the statement failed verification: " + genuine.error().message);
    if (http.body.size() > limits::kStatementBytesMax) return fail("the statement exceeds the size limit");
    return StatementFile{http.body};
  }
  const SignedReply answer = read_answer(response, asked_at);
  const bool is_missing = answer.body && answer.status == 404;
  if (is_missing && answer.code == "no_statement") return NoStatement{.is_empty_day = true, .code = answer.code};
  if (is_missing && answer.code == "statement_not_ready")
    return NoStatement{.is_empty_day = false, .code = answer.code};
  return fail(fmt::format("cannot get the statement: {} {}", answer.code, answer.message));
}

Result<std::vector<StatementSums>> Adapter::parse(const StatementCall& call, std::string_view file, ParseBudget& budget,
                                                  const LineSink& sink) const {
  const auto day = check_call(kStatementPlan, call);
  if (!day) return std::unexpected(day.error());
  LineCollector lines(sink);
  return sums_or_error(lines, sandbox_channel::parse_statement(options_.name, call, *day, file, budget, lines));
}

Result<Notification> Adapter::verify(const net::HttpRequest& raw, Time now) const {
  if (const auto genuine = check_signature(secret_.get(), raw.headers, raw.body, now); !genuine)
    return fail("the notification failed verification: " + genuine.error().message);
  const auto body = parse_object(raw.body);
  if (!body) return fail("the notification is not a JSON object");
  for (const std::string_view name : {"id", "type", "created_at"})
    if (!text_field(*body, name, kCodeBytesMax))
      return fail(fmt::format("the notification is malformed: {} is missing", name));
  const auto created_at = parse_rfc3339(text_field(*body, "created_at", kCodeBytesMax).value_or(""));
  if (!created_at) return fail("the notification is malformed: created_at is not an RFC 3339 time");
  const Time reported_at = std::min(*created_at, now);  // the time of the reported state, not of the arrival
  const std::string_view type = *text_field(*body, "type", kCodeBytesMax);
  if (type == kAuthorizationType) return read_authorization(*body, reported_at);
  Result<sandbox_channel::Trade> trade = sandbox_channel::read_trade(*body, options_.name);
  if (!trade) return fail("the notification is malformed: " + trade.error().message);
  trade->evidence.source = CauseKind::notification;
  trade->evidence.asked_at = reported_at;
  Notification notification{std::move(trade->out_trade_no), std::move(trade->evidence)};
  if (!type.starts_with("refund.")) return notification;
  Result<ReportedRefund> refund = sandbox_channel::read_refund(*body);
  if (!refund) return fail("the notification is malformed: " + refund.error().message);
  if (notification.evidence.kind != EvidenceKind::paid)
    return fail("the notification is malformed: it reports a refund of a trade that is not paid");
  const Evidence& evidence = notification.evidence;
  notification.refund = RefundNotice{refund->number,
                                     {.kind = RefundEvidenceKind::refunded,
                                      .source = evidence.source,
                                      .asked_at = evidence.asked_at,
                                      .returned = refund->returned,
                                      .settlement = refund->settlement}};
  notification.evidence.refund = std::move(*refund);
  return notification;
}

Result<void> Adapter::use_texts(const ChannelTexts& texts) {
  Secret secret = texts.secret("secret");
  if (secret.empty()) return fail("secret: the text must not be empty");
  secret_.with([&](Secret& current) { current = std::move(secret); });
  return {};
}

net::HttpResponse Adapter::acknowledgement() const {
  net::HttpResponse response{.status = 200, .body = "success"};
  response.headers.add("Content-Type", "text/plain");
  return response;
}

net::HttpResponse Adapter::negative_acknowledgement(int status) const {
  net::HttpResponse response{.status = status, .body = "fail"};
  response.headers.add("Content-Type", "text/plain");
  return response;
}

}  // namespace

std::unique_ptr<SandboxChannel> make_sandbox_channel(SandboxOptions options) {
  return std::make_unique<Adapter>(std::move(options));
}

const StatementPlan& sandbox_statement_plan() { return kStatementPlan; }

}  // namespace finality
