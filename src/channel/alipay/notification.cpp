#include "channel/alipay/notification.h"

#include <algorithm>

#include "base/crypto/encoding.h"
#include "channel/alipay/trade.h"
#include "channel/alipay/values.h"

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
  if (field_of(parameters, "notify_type") != "trade_status_sync") return fail("notify_type is not trade_status_sync");
  if (field_of(parameters, "app_id") != options.app_id) return fail("app_id is not the configured app_id");
  if (field_of(parameters, "seller_id") != options.seller_id) return fail("seller_id is not the configured seller_id");
  const std::string_view out_trade_no = field_of(parameters, "out_trade_no");
  if (out_trade_no.empty() || out_trade_no.size() > kNumberBytesMax) return fail("out_trade_no is missing or too long");
  return {};
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

}  // namespace finality::alipay
