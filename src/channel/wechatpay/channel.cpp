#include "channel/wechatpay/channel.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/check.h"
#include "base/guarded.h"
#include "base/limits.h"
#include "channel/parsing/statement_lines.h"
#include "channel/parsing/web_url.h"
#include "channel/text_limits.h"
#include "channel/wechatpay/account.h"
#include "channel/wechatpay/answer.h"
#include "channel/wechatpay/certificates.h"
#include "channel/wechatpay/client_action.h"
#include "channel/wechatpay/codes.h"
#include "channel/wechatpay/keyring.h"
#include "channel/wechatpay/nonces.h"
#include "channel/wechatpay/notification.h"
#include "channel/wechatpay/refund.h"
#include "channel/wechatpay/request.h"
#include "channel/wechatpay/statement/download.h"
#include "channel/wechatpay/statement/fund_bill.h"
#include "channel/wechatpay/statement/trade_bill.h"
#include "channel/wechatpay/trade.h"

namespace finality {
namespace {

using namespace wechatpay;

constexpr Duration kFetchInterval = std::chrono::hours(12);  // WeChat publishes a new certificate days before its use
// Note 9 of WeChat's page about refunds (4012552567): refunds of one order must be one minute apart. Otherwise WeChat
// returns FREQUENCY_LIMITED.
constexpr Duration kRefundPause = std::chrono::minutes(1);
constexpr Duration kRetryInterval = std::chrono::seconds(60);
constexpr StatementKind kStatementKinds[] = {StatementKind::trades, StatementKind::funds};
// Of the accounts of a merchant, only this one receives payments. OPERATION and FEES exist for special products.
constexpr std::string_view kFundsAccounts[] = {"BASIC"};
// WeChat Pay writes the statements of a day from 9:00 on the next day, and keeps them for three months.
constexpr StatementPlan kStatementPlan{.kinds = kStatementKinds,
                                       .funds_accounts = kFundsAccounts,
                                       .utc_offset = std::chrono::hours(8),
                                       .ready_after = std::chrono::hours(10),
                                       .history_days = 90};
constexpr std::size_t kAccountBytesMax = 32;
constexpr const char* kNoKey =
    "no key to verify WeChat Pay's responses: set public_keys or platform_certificates_file, or "
    "fetch_certificates = true";
constexpr std::size_t kUrlBytesMax = limits::kUrlMax / 2;  // half of the limit is for the path after the base URL

void strip_slash(std::string& url) {
  while (url.ends_with('/')) url.pop_back();
}

std::string notify_url_of(std::string_view public_url, std::string_view name) {
  return fmt::format("{}/notify/{}", public_url, name);
}

Evidence unknown(std::string code, std::string message) {
  return {.kind = EvidenceKind::unknown, .code = std::move(code), .message = std::move(message)};
}

RefundEvidence unknown_refund(std::string code, std::string message) {
  return {.kind = RefundEvidenceKind::unknown, .code = std::move(code), .message = std::move(message)};
}

// Returns the evidence code for a response that is neither a refusal nor the expected success.
std::string code_of(const WechatPayReply& answer) {
  return answer.reply_status == ReplyStatus::verified ? fmt::format("http_{}", answer.status) : answer.code;
}

Evidence read_new_trade(const ChannelCall& call, const WechatPayReply& answer, const Keyring& keyring,
                        std::string_view appid, Time asked_at) {
  auto action = client_action_of(call, answer.body, keyring.signer, appid, asked_at);
  if (!action) return unknown("malformed", "the channel's response is malformed: " + action.error().message);
  return {.kind = EvidenceKind::waiting,
          .code = "NOTPAY",
          .action_type = action->type,
          .action_url = std::move(action->url),
          .action_code = std::move(action->code)};
}

Evidence read_queried_trade(const ChannelCall& call, const WechatPayReply& answer, const wechatpay::Account& account,
                            Time asked_at) {
  Result<Trade> trade = read_trade(answer.body, account);
  if (!trade) return unknown("malformed", "the channel's response is malformed: " + trade.error().message);
  if (trade->out_trade_no != call.payment.out_trade_no)
    return unknown("wrong_trade", "the channel's response is about a different trade");
  Evidence& evidence = trade->evidence;
  if (evidence.kind == EvidenceKind::paid && evidence.paid_at.ms == 0)
    evidence.paid_at = asked_at;  // upper bound of the payment time
  return std::move(evidence);
}

// Reads a refusal. The worker repeats the send of a pending payment to get its payment code or form again. The trade
// exists, so a refused repetition does not end the payment. WeChat refuses a repetition, for example, if the trade
// expires in less than a minute.
Evidence read_refusal(const ChannelCall& call, const WechatPayReply& answer) {
  EvidenceKind kind = meaning_of(answer.code, call.kind);
  if (kind == EvidenceKind::failed && call.payment.state == PaymentState::pending) kind = EvidenceKind::unknown;
  return {.kind = kind, .code = answer.code, .message = answer.message};
}

// Returns the rule that the payer's openid violates, "must …"; empty if it is valid. The API has checked the other
// field, client_ip.
std::string_view openid_rule(std::string_view method, std::string_view openid) {
  static const TextLimit& limit = *find_text_limit(kKind, "/payer/openid");
  static const std::string rule = rule_of(limit);
  return method != "jsapi" || fits(limit, openid) ? std::string_view() : std::string_view(rule);
}

// Returns the evidence with `source` and `asked_at` set.
template <class AnyEvidence>
AnyEvidence with_source_and_time(AnyEvidence evidence, bool is_query, Time asked_at) {
  evidence.source = is_query ? CauseKind::query : CauseKind::channel_reply;
  evidence.asked_at = asked_at;
  return evidence;
}

class Adapter final : public WechatpayChannel {
 public:
  Adapter(WechatpayOptions options, Keyring keyring)
      : name_(std::move(options.name)),
        account_{options.appid, options.mchid},
        url_(std::move(options.url)),
        notify_url_(notify_url_of(options.public_url, name_)),
        fetches_certificates_(options.fetches_certificates),
        keyring_(std::make_shared<const Keyring>(std::move(keyring))) {
    capabilities_.takes_scenario = options.is_sandbox;
    capabilities_.payer_app = PayerApp::wechat;
    capabilities_.payer_rule = openid_rule;
  }

  const std::string& name() const override { return name_; }
  const Capabilities& capabilities() const override { return capabilities_; }

  UpstreamRequest request_of(const ChannelCall& call, Time now) const override {
    return finished(wechatpay::request_of(call, account_, notify_url_, capabilities_.takes_scenario), now);
  }
  Evidence evidence_of(const ChannelCall& call, const UpstreamResponse& response, Time asked_at) const override {
    return with_source_and_time(read(call, response, asked_at), call.kind == ChannelCallKind::query_payment, asked_at);
  }
  UpstreamRequest request_of(const RefundCall& call, Time now) const override {
    return finished(wechatpay::request_of(call, notify_url_), now);
  }
  RefundEvidence evidence_of(const RefundCall& call, const UpstreamResponse& response, Time asked_at) const override {
    return with_source_and_time(read(call, response, asked_at), call.kind == RefundCallKind::query_refund, asked_at);
  }

  std::string_view config_hint(std::string_view code) const override { return wechatpay::config_hint(code); }

  Result<Notification> verify(const net::HttpRequest& raw, Time now) const override;
  net::HttpResponse acknowledgement() const override { return {.status = 204}; }
  net::HttpResponse negative_acknowledgement(int status) const override;

  const StatementPlan& statement_plan() const override { return kStatementPlan; }
  Result<UpstreamRequest> request_of(const StatementCall& call, Time now) const override;
  Result<StatementAnswer> statement_answer_of(const StatementCall& call, const UpstreamResponse& response,
                                              Time asked_at) const override;
  Result<std::string> file_of(const StatementLink& link, const UpstreamResponse& response,
                              ParseBudget& budget) const override {
    return verified_file(response, link.sha1, budget);
  }
  Result<std::vector<StatementSums>> parse(const StatementCall& call, std::string_view file, ParseBudget& budget,
                                           const LineSink& sink) const override;

  std::optional<UpstreamRequest> maintenance_request(Time now) const override;
  Result<void> take_maintenance_reply(const UpstreamResponse& response, Time asked_at) override;
  Result<void> use_keys(WechatpayKeys keys) override;
  Result<void> use_texts(const ChannelTexts& texts) override;

 private:
  UpstreamRequest finished(net::HttpRequest http, Time now) const { return signed_for(url_ + http.target, http, now); }
  UpstreamRequest signed_for(std::string url, net::HttpRequest http, Time now) const;
  Evidence read(const ChannelCall& call, const UpstreamResponse& response, Time asked_at) const;
  RefundEvidence read(const RefundCall& call, const UpstreamResponse& response, Time asked_at) const;

  const std::string name_;
  Capabilities capabilities_{.methods = {"native", "jsapi", "app", "h5"},
                             .payer_field = {{"jsapi", "openid"}, {"h5", "client_ip"}},
                             .page_methods = {{"native", PageMethod::scan}, {"h5", PageMethod::phone}},
                             .repeats_action = {"native", "jsapi", "app", "h5"},
                             .currency = parse_currency("CNY"),
                             .refund_pause = kRefundPause};
  const wechatpay::Account account_;
  const std::string url_;
  const std::string notify_url_;
  const bool fetches_certificates_;
  mutable Nonces nonces_{limits::kNoncesRememberedMax};
  mutable std::atomic<std::int64_t> maintenance_due_ms_{0};
  Guarded<std::shared_ptr<const Keyring>> keyring_;
};

// Completes and signs a request. The signature covers the full path of the request line, including a path prefix of the
// gateway before /v3.
UpstreamRequest Adapter::signed_for(std::string url, net::HttpRequest http, Time now) const {
  const auto keys = keyring_.get();
  const auto parsed = parse_web_url(url);
  FINALITY_CHECK(parsed.has_value(), "the URL was validated before");
  http.target = parsed->target;
  http.headers.add("Accept", "application/json");
  http.headers.add("User-Agent", "Finality");
  if (!http.body.empty()) http.headers.add("Content-Type", "application/json");
  if (!keys->signing_key_id.empty()) http.headers.add("Wechatpay-Serial", keys->signing_key_id);
  sign_request(keys->signer, now, http);
  return {std::move(url), std::move(http)};
}

Evidence Adapter::read(const ChannelCall& call, const UpstreamResponse& response, Time asked_at) const {
  const auto keys = keyring_.get();
  const WechatPayReply answer = read_answer(response, keys->trusted, asked_at);
  if (answer.reply_status == ReplyStatus::refused) return read_refusal(call, answer);
  const bool verified = answer.reply_status == ReplyStatus::verified;
  if (verified && answer.status == 200 && call.kind == ChannelCallKind::send_payment)
    return read_new_trade(call, answer, *keys, account_.appid, asked_at);
  if (verified && answer.status == 200 && call.kind == ChannelCallKind::query_payment)
    return read_queried_trade(call, answer, account_, asked_at);
  if (verified && answer.status == 204 && call.kind == ChannelCallKind::close_payment)
    return {.kind = EvidenceKind::closed, .code = "CLOSED"};
  return unknown(code_of(answer), answer.message);
}

RefundEvidence Adapter::read(const RefundCall& call, const UpstreamResponse& response, Time asked_at) const {
  const WechatPayReply answer = read_answer(response, keyring_.get()->trusted, asked_at);
  if (answer.reply_status == ReplyStatus::refused)
    return {.kind = meaning_of(answer.code, call.kind), .code = answer.code, .message = answer.message};
  if (answer.reply_status != ReplyStatus::verified || answer.status != 200)
    return unknown_refund(code_of(answer), answer.message);
  Result<RefundReport> report = read_refund(answer.body, "status");
  if (!report) return unknown_refund("malformed", "the channel's response is malformed: " + report.error().message);
  if (!is_about(*report, call))
    return unknown_refund("wrong_refund", "the channel's response is about a different refund");
  return std::move(report->evidence);
}

Result<Notification> Adapter::verify(const net::HttpRequest& raw, Time now) const {
  const auto keys = keyring_.get();
  const auto head = check_signature(keys->trusted, raw.headers, raw.body, now);
  if (!head) return fail("the notification failed verification: " + head.error().message);
  if (!nonces_.admit(*head, raw.body, now))
    return fail("the notification failed verification: another message had the same timestamp and nonce");
  return read_notification(raw.body, keys->api_v3_key, account_, now);
}

net::HttpResponse Adapter::negative_acknowledgement(int status) const {
  net::HttpResponse response{.status = status, .body = R"({"code":"FAIL","message":"not accepted"})"};
  response.headers.add("Content-Type", "application/json");
  return response;
}

Result<UpstreamRequest> Adapter::request_of(const StatementCall& call, Time now) const {
  if (auto valid = check_call(kStatementPlan, call); !valid) return std::unexpected(valid.error());
  return finished(wechatpay::request_of(call), now);
}

// Accepts an unsigned refusal as the result that no statement exists, because WeChat has no signed response for this
// result (wechatpay/codes.cpp).
Result<StatementAnswer> Adapter::statement_answer_of(const StatementCall&, const UpstreamResponse& response,
                                                     Time asked_at) const {
  const WechatPayReply answer = read_answer(response, keyring_.get()->trusted, asked_at);
  if (answer.reply_status == ReplyStatus::refused) {
    if (auto none = no_statement_of(answer.code)) return std::move(*none);
    return fail(fmt::format("WeChat Pay refused the statement: {} {}", answer.code, answer.message));
  }
  if (answer.reply_status != ReplyStatus::verified || answer.status != 200)
    return fail(fmt::format("cannot get the link to WeChat Pay's statement: {} {}", code_of(answer), answer.message));
  auto location = read_location(answer.body, url_);
  if (!location) return fail("WeChat Pay's response about the statement is malformed: " + location.error().message);
  return StatementLink{signed_for(std::move(location->url), {}, asked_at), std::move(location->sha1)};
}

Result<std::vector<StatementSums>> Adapter::parse(const StatementCall& call, std::string_view file, ParseBudget& budget,
                                                  const LineSink& sink) const {
  const auto day = check_call(kStatementPlan, call);
  if (!day) return std::unexpected(day.error());
  LineCollector lines(sink);
  const bool is_trades = call.kind == StatementKind::trades;
  return sums_or_error(lines, is_trades ? parse_trade_bill(account_.mchid, *day, file, budget, lines)
                                        : parse_fund_bill(*day, file, budget, lines));
}

// Returns a due request to one caller only. For all other callers no request is due until kRetryInterval has passed.
std::optional<UpstreamRequest> Adapter::maintenance_request(Time now) const {
  if (!fetches_certificates_) return std::nullopt;
  std::int64_t due = maintenance_due_ms_.load();
  if (now.ms < due || !maintenance_due_ms_.compare_exchange_strong(due, (now + kRetryInterval).ms)) return std::nullopt;
  return finished({.target = "/v3/certificates"}, now);
}

Result<void> Adapter::take_maintenance_reply(const UpstreamResponse& response, Time asked_at) {
  const auto before = keyring_.get();
  auto fetched = read_certificates(response, before->api_v3_key, before->trusted, asked_at);
  if (!fetched) return std::unexpected(fetched.error());
  auto next = std::make_shared<const Keyring>(with_fetched(*before, std::move(*fetched)));
  return keyring_.with([&](std::shared_ptr<const Keyring>& current) -> Result<void> {
    if (current != before) return fail("the keys were replaced during the request: the next request fetches again");
    current = std::move(next);
    maintenance_due_ms_ = (asked_at + kFetchInterval).ms;
    return {};
  });
}

// Replaces the configured keys. The fetched certificates stay trusted, because notifications signed with them may still
// arrive. The next request for certificates is due immediately.
Result<void> Adapter::use_keys(WechatpayKeys keys) {
  auto next = make_keyring(keys, account_.mchid);
  if (!next) return std::unexpected(next.error());
  if (next->configured.empty() && !fetches_certificates_) return fail(kNoKey);
  keyring_.with([&](std::shared_ptr<const Keyring>& current) {
    current = std::make_shared<const Keyring>(with_fetched(std::move(*next), current->fetched));
    maintenance_due_ms_ = 0;
  });
  return {};
}

Result<void> Adapter::use_texts(const ChannelTexts& texts) {
  auto keys = wechatpay_keys_of(texts);
  if (!keys) return std::unexpected(keys.error());
  return use_keys(std::move(*keys));
}

template <class Test>
bool consists_of(std::string_view text, Test test) {
  return !text.empty() && text.size() <= kAccountBytesMax && std::ranges::all_of(text, test);
}
bool is_appid(std::string_view text) {
  return consists_of(text, [](unsigned char c) { return std::isalnum(c) != 0; });
}
bool is_mchid(std::string_view text) {
  return consists_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Checks `url` or `public_url`. WeChat rejects a notify_url, which begins with public_url, if it has a query or uses
// plain HTTP.
Result<void> check_url(std::string_view setting, const std::string& url, bool is_sandbox, std::string_view tls_reason) {
  const auto parsed = parse_web_url(url);
  if (!parsed || url.size() > kUrlBytesMax) return fail(fmt::format("{} must be an http or https URL", setting));
  if (parsed->has_query()) return fail(fmt::format("{} must not have a query", setting));
  if (!parsed->tls && !is_sandbox)
    return fail(
        fmt::format("{} must begin with https://: {}; for the sandbox set sandbox = true", setting, tls_reason));
  return {};
}

}  // namespace

Result<std::unique_ptr<WechatpayChannel>> make_wechatpay_channel(WechatpayOptions options) {
  strip_slash(options.url);
  strip_slash(options.public_url);
  if (!is_appid(options.appid)) return fail("appid must be 1 to 32 letters and digits, like wx0f1a0c0de0000001");
  if (!is_mchid(options.mchid)) return fail("mchid must be 1 to 32 digits, like 1900000001");
  const bool is_sandbox = options.is_sandbox;
  if (auto good = check_url("url", options.url, is_sandbox, "WeChat Pay's API uses TLS"); !good)
    return std::unexpected(good.error());
  constexpr std::string_view kNotificationTls = "WeChat Pay sends notifications only to https";
  if (auto good = check_url("public_url", options.public_url, is_sandbox, kNotificationTls); !good)
    return std::unexpected(good.error());
  if (const TextLimit& limit = *find_text_limit(kKind, "/notify_url");
      !fits(limit, notify_url_of(options.public_url, options.name)))
    return fail(fmt::format("public_url is too long: public_url/notify/{} {}", options.name, rule_of(limit)));
  auto keyring = make_keyring(options.keys, options.mchid);
  if (!keyring) return std::unexpected(keyring.error());
  if (keyring->configured.empty() && !options.fetches_certificates) return fail(kNoKey);
  return std::make_unique<Adapter>(std::move(options), std::move(*keyring));
}

const StatementPlan& wechatpay_statement_plan() { return kStatementPlan; }

}  // namespace finality
