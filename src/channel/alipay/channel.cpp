#include "channel/alipay/channel.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/guarded.h"
#include "channel/alipay/answer.h"
#include "channel/alipay/codes.h"
#include "channel/alipay/evidence.h"
#include "channel/alipay/fund_auth.h"
#include "channel/alipay/fund_auth_evidence.h"
#include "channel/alipay/notification.h"
#include "channel/alipay/request.h"
#include "channel/alipay/statement/account_bill.h"
#include "channel/alipay/statement/download.h"
#include "channel/alipay/statement/trade_bill.h"
#include "channel/parsing/statement_lines.h"
#include "channel/parsing/web_url.h"
#include "channel/text_limits.h"

namespace finality {
namespace {

using namespace alipay;

constexpr std::size_t kAccountBytesMax = 32;
constexpr const char* kNoKey =
    "no key to verify Alipay's responses: set alipay_public_key_file or alipay_certificates_file";

// Whether `text` is a well-formed app_id or seller_id: 1 to 32 decimal digits.
bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= kAccountBytesMax &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

constexpr StatementKind kStatementKinds[] = {StatementKind::trades, StatementKind::funds};
// Alipay writes the statements of a day until about 9:00 on the next day, and keeps them for six years.
constexpr StatementPlan kStatementPlan{.kinds = kStatementKinds,
                                       .utc_offset = std::chrono::hours(8),
                                       .ready_after = std::chrono::hours(9) + std::chrono::minutes(30),
                                       .history_days = 6 * 365};

class Adapter final : public AlipayChannel {
 public:
  explicit Adapter(AlipayOptions options)
      : keys_(std::make_shared<const AlipayKeys>(std::move(options.keys))),
        options_(std::move(options)),
        capabilities_(capabilities_of(options_)) {}

  const std::string& name() const override { return options_.name; }
  const Capabilities& capabilities() const override { return capabilities_; }
  Result<void> use_keys(AlipayKeys keys) override;
  Result<void> use_texts(const ChannelTexts& texts) override;

  std::optional<Evidence> answer_without_asking(const ChannelCall& call, Time now) const override;
  UpstreamRequest request_of(const ChannelCall& call, Time now) const override;
  Evidence evidence_of(const ChannelCall& call, const UpstreamResponse& response, Time asked_at) const override;
  UpstreamRequest request_of(const RefundCall& call, Time now) const override;
  RefundEvidence evidence_of(const RefundCall& call, const UpstreamResponse& response, Time asked_at) const override;
  std::optional<AuthorizationEvidence> answer_without_asking(const AuthorizationCall& call, Time now) const override;
  UpstreamRequest request_of(const AuthorizationCall& call, Time now) const override;
  UpstreamRequest request_of(const CaptureCall& call, Time now) const override;
  AuthorizationEvidence evidence_of(const AuthorizationCall& call, const UpstreamResponse& response,
                                    Time asked_at) const override;
  Evidence evidence_of(const CaptureCall& call, const UpstreamResponse& response, Time asked_at) const override;

  std::string_view config_hint(std::string_view code) const override { return alipay::config_hint(code); }

  Result<Notification> verify(const net::HttpRequest& raw, Time now) const override;
  net::HttpResponse acknowledgement() const override { return text_response(200, "success"); }
  net::HttpResponse negative_acknowledgement(int status) const override { return text_response(status, "fail"); }

  const StatementPlan& statement_plan() const override { return kStatementPlan; }
  Result<UpstreamRequest> request_of(const StatementCall& call, Time now) const override;
  Result<StatementAnswer> statement_answer_of(const StatementCall& call, const UpstreamResponse& response,
                                              Time asked_at) const override;
  Result<std::string> file_of(const StatementLink&, const UpstreamResponse& response,
                              ParseBudget& budget) const override {
    return verified_file(response, budget);
  }
  Result<std::vector<StatementSums>> parse(const StatementCall& call, std::string_view file, ParseBudget& budget,
                                           const LineSink& sink) const override;

 private:
  static net::HttpResponse text_response(int status, std::string body) {
    net::HttpResponse response{.status = status, .body = std::move(body)};
    response.headers.add("Content-Type", "text/plain");
    return response;
  }

  // Returns the evidence in the response to a call, whose type is that of read_evidence().
  template <class Call>
  auto read_response(const Call& call, const UpstreamResponse& response, Time asked_at) const {
    const auto answer = read_answer(*keys_.get(), call_of(call), response);
    using Reported = decltype(read_evidence(call, *answer));
    Reported evidence = answer ? read_evidence(call, *answer)
                               : Reported{.code = answer.error().code, .message = answer.error().message};
    if constexpr (std::is_same_v<Reported, Evidence>)
      if (evidence.amount > 0 && evidence.paid_at.ms == 0) evidence.paid_at = asked_at;
    evidence.source = source_of(call);
    evidence.asked_at = asked_at;
    return evidence;
  }

  // Returns the payer's action for a send without a request of this server: the signed request is the action. Empty if
  // the server must send the request.
  template <class Reported, class Call>
  std::optional<Reported> prepare(const Call& send, Handover handover, Time now) const {
    if (handover == Handover::request) return std::nullopt;
    const std::string line = to_line(signed_now(content_of(options_, send), now));
    Reported evidence{.source = CauseKind::channel_reply, .asked_at = now};
    evidence.kind = decltype(evidence.kind)::waiting;
    if (handover == Handover::redirect) {
      evidence.action_type = ActionType::redirect;
      evidence.action_url = options_.gateway + '?' + line;
    } else {
      evidence.action_type = ActionType::form;
      evidence.action_code = line;
    }
    return evidence;
  }

  template <class Reported>
  static Reported not_possible(std::string obstacle, Time now) {
    Reported evidence{
        .source = CauseKind::channel_reply, .asked_at = now, .code = "not_possible", .message = std::move(obstacle)};
    evidence.kind = decltype(evidence.kind)::failed;
    return evidence;
  }

  Parameters signed_now(const Content& content, Time now) const {
    return signed_parameters(options_, *keys_.get(), content, now);
  }

  Guarded<std::shared_ptr<const AlipayKeys>> keys_;
  const AlipayOptions options_;  // except `keys`, which keys_ holds
  const Capabilities capabilities_;
};

Result<void> Adapter::use_keys(AlipayKeys keys) {
  if (keys.alipay.empty()) return fail(kNoKey);
  auto next = std::make_shared<const AlipayKeys>(std::move(keys));
  keys_.with([&](auto& current) { current.swap(next); });
  return {};
}

Result<void> Adapter::use_texts(const ChannelTexts& texts) {
  auto keys = alipay_keys_of(texts);
  if (!keys) return std::unexpected(keys.error());
  return use_keys(std::move(*keys));
}

std::optional<Evidence> Adapter::answer_without_asking(const ChannelCall& call, Time now) const {
  if (call.kind != ChannelCallKind::send_payment) return std::nullopt;
  if (auto obstacle = obstacle_to(call)) return not_possible<Evidence>(std::move(*obstacle), now);
  return prepare<Evidence>(call, find_method(call.payment.method)->handover, now);
}

std::optional<AuthorizationEvidence> Adapter::answer_without_asking(const AuthorizationCall& call, Time now) const {
  if (call.kind != AuthorizationCallKind::send_authorization) return std::nullopt;
  if (auto obstacle = obstacle_to(call)) return not_possible<AuthorizationEvidence>(std::move(*obstacle), now);
  return prepare<AuthorizationEvidence>(call, find_fund_auth_method(call.authorization.method)->handover, now);
}

UpstreamRequest Adapter::request_of(const ChannelCall& call, Time now) const {
  return to_request(options_, signed_now(content_of(options_, call), now));
}

Evidence Adapter::evidence_of(const ChannelCall& call, const UpstreamResponse& response, Time asked_at) const {
  return read_response(call, response, asked_at);
}

UpstreamRequest Adapter::request_of(const RefundCall& call, Time now) const {
  return to_request(options_, signed_now(content_of(call), now));
}

RefundEvidence Adapter::evidence_of(const RefundCall& call, const UpstreamResponse& response, Time asked_at) const {
  return read_response(call, response, asked_at);
}

UpstreamRequest Adapter::request_of(const AuthorizationCall& call, Time now) const {
  return to_request(options_, signed_now(content_of(options_, call), now));
}

UpstreamRequest Adapter::request_of(const CaptureCall& call, Time now) const {
  return to_request(options_, signed_now(content_of(options_, call), now));
}

AuthorizationEvidence Adapter::evidence_of(const AuthorizationCall& call, const UpstreamResponse& response,
                                           Time asked_at) const {
  return read_response(call, response, asked_at);
}

Evidence Adapter::evidence_of(const CaptureCall& call, const UpstreamResponse& response, Time asked_at) const {
  return read_response(call, response, asked_at);
}

Result<Notification> Adapter::verify(const net::HttpRequest& raw, Time now) const {
  return read_notification(options_, *keys_.get(), raw.body, now);
}

Result<UpstreamRequest> Adapter::request_of(const StatementCall& call, Time now) const {
  if (auto valid = check_call(kStatementPlan, call); !valid) return std::unexpected(valid.error());
  return to_request(options_, signed_now(content_of(call), now));
}

Result<StatementAnswer> Adapter::statement_answer_of(const StatementCall& call, const UpstreamResponse& response,
                                                     Time) const {
  const auto answer = read_answer(*keys_.get(), kStatement, response);
  if (!answer) return fail("Alipay's statement of " + call.date + ": " + answer.error().message);
  return read_statement_answer(call, *answer);
}

Result<std::vector<StatementSums>> Adapter::parse(const StatementCall& call, std::string_view file, ParseBudget& budget,
                                                  const LineSink& sink) const {
  const auto day = check_call(kStatementPlan, call);
  if (!day) return std::unexpected(day.error());
  LineCollector lines(sink);
  const auto parse_bill = call.kind == StatementKind::trades ? parse_trade_bill : parse_account_bill;
  return sums_or_error(lines, parse_bill(options_.seller_id, *day, file, budget, lines));
}

}  // namespace

Result<std::unique_ptr<AlipayChannel>> make_alipay_channel(AlipayOptions options) {
  const auto gateway = parse_web_url(options.gateway);
  if (!gateway || gateway->has_query()) return fail("url must be an http or https URL without a query");
  if (!gateway->tls && !options.is_sandbox)
    return fail("url must begin with https://; for the sandbox set sandbox = true");
  const auto public_url = parse_web_url(options.public_url);
  if (!public_url || public_url->has_query()) return fail("public_url must be an http or https URL without a query");
  if (!is_number(options.app_id)) return fail("app_id must be 1 to 32 digits, like 2021000000000001");
  if (!is_number(options.seller_id)) return fail("seller_id must be 1 to 32 digits, like 2088000000000001");
  if (options.keys.alipay.empty()) return fail(kNoKey);
  while (options.public_url.ends_with('/')) options.public_url.pop_back();
  if (const TextLimit& limit = *find_text_limit(kKind, "?notify_url"); !fits(limit, notify_url_of(options)))
    return fail(fmt::format("public_url is too long: public_url/notify/{} {}", options.name, rule_of(limit)));
  return std::make_unique<Adapter>(std::move(options));
}

const StatementPlan& alipay_statement_plan() { return kStatementPlan; }

}  // namespace finality
