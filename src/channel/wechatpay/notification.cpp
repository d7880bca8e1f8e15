#include "channel/wechatpay/notification.h"

#include <fmt/format.h>

#include <algorithm>

#include "channel/parsing/json_fields.h"
#include "channel/wechatpay/cipher.h"
#include "channel/wechatpay/refund.h"
#include "channel/wechatpay/trade.h"

namespace finality::wechatpay {
namespace {

constexpr std::size_t kFieldBytesMax = 64;
constexpr Duration kTicks{999};  // rest of the second: WeChat truncates times to seconds

Result<Notification> notification_of_trade(const boost::json::object& transaction, const Account& account, Time at) {
  auto trade = read_trade(transaction, account);
  if (!trade) return std::unexpected(trade.error());
  trade->evidence.source = CauseKind::notification;
  trade->evidence.asked_at = at;
  return Notification{std::move(trade->out_trade_no), std::move(trade->evidence)};
}

// Returns evidence about the trade of a refund: the trade was paid, and this refund exists. The core uses the evidence
// only if Finality did not request the refund. WeChat does not report when the trade was paid, so `paid_at` is `at`, an
// upper bound. A closed refund moved no money, so the evidence is `unknown`.
Evidence evidence_of_trade(const RefundReport& report, Currency currency, Time at) {
  Evidence evidence{.source = CauseKind::notification,
                    .asked_at = at,
                    .channel_trade_no = report.transaction_id,
                    .currency = currency,
                    .code = report.evidence.code};
  if (report.evidence.kind != RefundEvidenceKind::refunded && report.evidence.kind != RefundEvidenceKind::accepted)
    return evidence;
  evidence.kind = EvidenceKind::paid;
  evidence.amount = report.total;
  evidence.refund = ReportedRefund{report.out_refund_no, report.refund, report.evidence.kind};
  evidence.paid_at = at;
  return evidence;
}

Result<Notification> notification_of_refund(const boost::json::object& refund, const Account& account, Time at) {
  if (text_field(refund, "mchid", kFieldBytesMax) != account.mchid) return fail("mchid is of another merchant");
  auto report = read_refund(refund, "refund_status");
  if (!report) return std::unexpected(report.error());
  if (!std::ranges::all_of(report->out_refund_no, [](char c) { return c > ' ' && c < 0x7f; }))
    return fail("out_refund_no must have only printable characters without spaces");
  const auto currency = parse_currency(report->currency);
  if (!currency) return fail("amount.currency is not a currency code");
  report->evidence.source = CauseKind::notification;
  report->evidence.asked_at = at;
  return Notification{report->out_trade_no, evidence_of_trade(*report, *currency, at),
                      RefundNotice{report->out_refund_no, report->evidence}};
}

Result<Notification> read(std::string_view body, const Secret& api_v3_key, const Account& account, Time now) {
  const auto envelope = parse_object(body);
  if (!envelope) return fail("it is not a JSON object");
  if (!text_field(*envelope, "id", kFieldBytesMax)) return fail("id is missing");
  const auto created_at = parse_rfc3339(text_field(*envelope, "create_time", kFieldBytesMax).value_or(""));
  if (!created_at) return fail("create_time is not an RFC 3339 time");
  const auto event = text_field(*envelope, "event_type", kFieldBytesMax).value_or("");
  const boost::json::object* resource = object_field(*envelope, "resource");
  if (resource == nullptr) return fail("resource is missing");
  const auto plain = decrypt(*resource, api_v3_key);
  if (!plain) return std::unexpected(plain.error());
  const auto object = parse_object(*plain);
  if (!object) return fail("the decrypted resource is not a JSON object");
  // The last millisecond of the second in create_time. With the first millisecond, the evidence could appear older than
  // a request that was sent earlier in the same second.
  const Time at = std::min(*created_at + kTicks, now);
  if (event.starts_with("TRANSACTION.")) return notification_of_trade(*object, account, at);
  if (event.starts_with("REFUND.")) return notification_of_refund(*object, account, at);
  return fail(fmt::format("event_type {} is not supported", event));
}

}  // namespace

Result<Notification> read_notification(std::string_view body, const Secret& api_v3_key, const Account& account,
                                       Time now) {
  auto notification = read(body, api_v3_key, account, now);
  if (!notification) return fail("the notification is malformed: " + notification.error().message);
  return notification;
}

}  // namespace finality::wechatpay
