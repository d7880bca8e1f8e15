#include "channel/alipay/notification.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/crypto/encoding.h"
#include "base/time/unix_time.h"
#include "channel/alipay/fund_auth_evidence.h"
#include "channel/alipay/trade.h"
#include "channel/alipay/values.h"
#include "channel/parsing/json_fields.h"
#include "model/out_trade_no.h"

namespace finality::alipay {
namespace {

constexpr std::size_t kParametersMax = 100;
constexpr std::size_t kNumberBytesMax = 64;

std::optional<std::string> decoded(std::string_view text) {
  std::string spaced(text);
  std::ranges::replace(spaced, '+', ' ');
  return percent_decode(spaced);
}

std::string_view field_of(const Parameters& parameters, std::string_view name) {
  const auto at = parameters.find(name);
  return at == parameters.end() ? std::string_view() : std::string_view(at->second);
}

// Checks that a verified notification is about a trade of the configured application and seller.
Result<void> check_addressee(const AlipayOptions& options, const Parameters& parameters) {
  if (field_of(parameters, "app_id") != options.app_id) return fail("app_id is not the configured app_id");
  if (field_of(parameters, "seller_id") != options.seller_id) return fail("seller_id is not the configured seller_id");
  const std::string_view out_trade_no = field_of(parameters, "out_trade_no");
  if (out_trade_no.empty() || out_trade_no.size() > kNumberBytesMax) return fail("out_trade_no is missing or too long");
  return {};
}

// Checks that a verified message is for the configured application. Messages about authorizations name it in one of two
// fields.
Result<void> check_application(const AlipayOptions& options, const Parameters& parameters) {
  for (const std::string_view name : {"app_id", "auth_app_id"})
    if (field_of(parameters, name) == options.app_id) return {};
  return fail("neither app_id nor auth_app_id is the configured app_id");
}

TradeFields trade_fields(const Parameters& parameters) {
  return {.trade_no = field_of(parameters, "trade_no"),
          .out_trade_no = field_of(parameters, "out_trade_no"),
          .status = field_of(parameters, "trade_status"),
          .total_amount = field_of(parameters, "total_amount"),
          .currency = field_of(parameters, "trans_currency"),
          .paid_at = field_of(parameters, "gmt_payment"),
          .refund_fee = field_of(parameters, "refund_fee"),
          .refunded_at = field_of(parameters, "gmt_refund")};
}

// Returns the time at which the trade entered the reported state: gmt_close for a closed trade, otherwise notify_time.
// Alipay repeats a notification for one day, each time with a new notify_time.
std::string_view event_time(const Parameters& parameters, EvidenceKind kind) {
  const std::string_view closed_at = field_of(parameters, "gmt_close");
  return kind == EvidenceKind::closed && !closed_at.empty() ? closed_at : field_of(parameters, "notify_time");
}

// Returns the last millisecond of the second of `at`, because Alipay truncates times to seconds. A state reported in
// the same second as a success must not appear older than the success: the core would ignore the state as stale and
// would miss a conflicting result.
Time end_of_second(Time at) { return {at.ms - at.ms % 1000 + 999}; }

// Returns a notification about a trade: of a payment or of a capture.
Result<Notification> read_trade_message(const AlipayOptions& options, const Parameters& parameters, Time now) {
  if (auto addressed = check_addressee(options, parameters); !addressed)
    return fail("the notification is not for this channel: " + addressed.error().message);
  const TradeFields fields = trade_fields(parameters);
  Result<Evidence> evidence = read_trade(fields);
  if (!evidence) return fail("the notification is malformed: " + evidence.error().message);
  const auto at = parse_beijing(event_time(parameters, evidence->kind));
  if (!at)
    return fail("the notification is malformed: gmt_close or notify_time is not in the format yyyy-MM-dd HH:mm:ss");
  if (evidence->amount > 0 && evidence->paid_at.ms == 0) evidence->paid_at = std::min(*at, now);
  evidence->source = CauseKind::notification;
  evidence->asked_at = std::min(end_of_second(*at), now);
  return Notification{std::string(fields.out_trade_no), std::move(*evidence)};
}

/// A message about an authorization, and the order_status that it reports; the totals state the rest. `is_freeze`: its
/// operation began the hold.
struct FundAuthType {
  std::string_view name;
  std::string_view order_status;
  bool is_freeze = false;
};
constexpr FundAuthType kFundAuthTypes[] = {
    {"fund_auth_freeze.init", "INIT"},
    {"fund_auth_freeze", "AUTHORIZED", true},
    {"fund_auth_freeze.closed", "CLOSED"},
    {"fund_auth_unfreeze", "AUTHORIZED"},  // also when a hold lapses; nothing is held any more if no rest is reported
    {"fund_auth_operation_cancel", "CLOSED"},
};

const FundAuthType* find_fund_auth_type(std::string_view name) {
  const auto* at = std::ranges::find(kFundAuthTypes, name, &FundAuthType::name);
  return at == std::end(kFundAuthTypes) ? nullptr : at;
}

FundAuthFields fund_auth_fields(const FundAuthType& type, const Parameters& parameters) {
  return {.auth_no = field_of(parameters, "auth_no"),
          .order_status = type.order_status,
          .total_freeze_amount = field_of(parameters, "total_freeze_amount"),
          .total_pay_amount = field_of(parameters, "total_pay_amount"),
          .total_unfreeze_amount = field_of(parameters, "total_unfreeze_amount"),
          .rest_amount = field_of(parameters, "rest_amount"),
          .currency = field_of(parameters, "trans_currency"),
          .pre_auth_type = field_of(parameters, "pre_auth_type"),
          .payer_user_id = field_of(parameters, "payer_user_id"),
          .payer_open_id = field_of(parameters, "payer_open_id"),
          .frozen_at = type.is_freeze ? field_of(parameters, "gmt_trans") : ""};
}

bool is_too_long(const Parameters& parameters, std::string_view name) {
  return field_of(parameters, name).size() > kNumberBytesMax;
}

// Reads a message about an authorization. Its totals are those after the operation that it reports, so it is dated by
// gmt_trans, the time of the operation: Alipay repeats messages for one day, each time with a new `sent_at`.
Result<Notification> read_fund_auth(const AlipayOptions& options, const FundAuthType& type,
                                    const Parameters& parameters, std::optional<Time> sent_at, Time now) {
  const std::string_view payee = field_of(parameters, "payee_user_id");
  if (!payee.empty() && payee != options.seller_id)
    return fail("the notification is not for this channel: payee_user_id is not the configured seller_id");
  const std::string_view number = field_of(parameters, "out_order_no");
  if (number.empty()) return fail("the notification is malformed: out_order_no is missing");
  for (const std::string_view name : {"out_order_no", "auth_no", "payer_user_id", "payer_open_id"})
    if (is_too_long(parameters, name)) return fail(fmt::format("the notification is malformed: {} is too long", name));
  Result<AuthorizationEvidence> evidence = read_totals(fund_auth_fields(type, parameters));
  if (!evidence) return fail("the notification is malformed: " + evidence.error().message);
  if (evidence->kind == AuthorizationEvidenceKind::closed && field_of(parameters, "action") == "unfreeze")
    return fail("the notification is malformed: total_freeze_amount is missing");
  const std::string_view acted_at = field_of(parameters, "gmt_trans");
  const auto at = acted_at.empty() ? sent_at : parse_beijing(acted_at);
  if (!at) return fail("the notification is malformed: it has no valid time");
  evidence->source = CauseKind::notification;
  evidence->asked_at = std::min(end_of_second(*at), now);
  evidence->code = type.name;
  return Notification{.out_trade_no = std::string(number),
                      .evidence = {},
                      .authorization = std::move(*evidence),
                      .is_ignored = !parse_out_authorization_no(number)};
}

// Returns the text members of a JSON object. Empty if `text` is not a JSON object.
std::optional<Parameters> read_content(std::string_view text) {
  const auto object = parse_object(text);
  if (!object) return std::nullopt;
  Parameters parameters;
  for (const auto& [name, value] : *object)
    if (value.is_string()) parameters.emplace(std::string(name), std::string(value.get_string()));
  return parameters;
}

// Parses milliseconds since 1970, truncated to seconds as Alipay's other times.
std::optional<Time> parse_milliseconds(std::string_view text) {
  constexpr std::size_t kFraction = 3;
  return text.size() > kFraction ? parse_unix_seconds(text.substr(0, text.size() - kFraction)) : std::nullopt;
}

}  // namespace

std::optional<Parameters> parse_form(std::string_view body) {
  Parameters parameters;
  while (!body.empty()) {
    const std::string_view pair = body.substr(0, body.find('&'));
    body.remove_prefix(std::min(pair.size() + 1, body.size()));
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    auto name = decoded(pair.substr(0, equals));
    auto value = decoded(pair.substr(equals + 1));
    if (!name || !value || parameters.size() == kParametersMax) return std::nullopt;
    if (!parameters.emplace(std::move(*name), std::move(*value)).second) return std::nullopt;
  }
  return parameters;
}

Result<Notification> read_notification(const AlipayOptions& options, const AlipayKeys& keys, std::string_view body,
                                       Time now) {
  const auto parameters = parse_form(body);
  if (!parameters) return fail("the notification is not a valid application/x-www-form-urlencoded body");
  if (auto genuine = check_notification(keys, *parameters); !genuine)
    return fail("the notification failed verification: " + genuine.error().message);
  return read_verified(options, *parameters, now);
}

Result<Notification> read_verified(const AlipayOptions& options, const Parameters& parameters, Time now) {
  const std::string_view message = field_of(parameters, "msg_method");
  const std::string_view type = message.empty() ? field_of(parameters, "notify_type") : message;
  if (type == "trade_status_sync") return read_trade_message(options, parameters, now);
  if (type.empty()) return fail("the notification is not for this channel: notify_type is missing");
  if (auto addressed = check_application(options, parameters); !addressed)
    return fail("the notification is not for this channel: " + addressed.error().message);
  const FundAuthType* fund_auth = find_fund_auth_type(type);
  if (fund_auth == nullptr) return Notification{.out_trade_no = {}, .evidence = {}, .is_ignored = true};
  if (message.empty())
    return read_fund_auth(options, *fund_auth, parameters, parse_beijing(field_of(parameters, "notify_time")), now);
  const auto content = read_content(field_of(parameters, "biz_content"));
  if (!content) return fail("the notification is malformed: biz_content is not a JSON object");
  return read_fund_auth(options, *fund_auth, *content, parse_milliseconds(field_of(parameters, "utc_timestamp")), now);
}

}  // namespace finality::alipay
