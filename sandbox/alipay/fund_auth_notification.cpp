#include "sandbox/alipay/fund_auth_notification.h"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "sandbox/alipay/fund_auth_fields.h"
#include "sandbox/alipay/notification.h"
#include "sandbox/core/china_time.h"

namespace finality::sandbox::alipay {
namespace {

constexpr ForgedValue kForgedType{"notify_type", "fund_auth_freeze.init"};

/// How Alipay reports a change of a hold.
struct Kind {
  HoldChangeKind change;
  std::string_view name;       // notify_type or msg_method
  std::string_view operation;  // operation_type
  bool is_message;
};
constexpr Kind kKinds[] = {
    {HoldChangeKind::authorized, "fund_auth_freeze", "FREEZE", false},
    {HoldChangeKind::failed, "fund_auth_freeze.closed", "FREEZE", false},
    {HoldChangeKind::expired, "fund_auth_freeze.closed", "FREEZE", false},
    {HoldChangeKind::closed, "fund_auth_operation_cancel", "FREEZE", false},
    {HoldChangeKind::released, "fund_auth_unfreeze", "UNFREEZE", false},
    {HoldChangeKind::captured, "fund_auth_unfreeze", "UNFREEZE", false},
    {HoldChangeKind::released_in_console, "fund_auth_unfreeze", "UNFREEZE", true},
    {HoldChangeKind::captured_in_console, "fund_auth_unfreeze", "PAY", true},
    {HoldChangeKind::lapsed, "fund_auth_unfreeze", "UNFREEZE", true},
};
constexpr Kind kReleasedByCancel{HoldChangeKind::released, "fund_auth_operation_cancel", "FREEZE", false};

const Kind& kind_of(const HoldReport& report) {
  if (report.change.number == cancel_number(report.hold)) return kReleasedByCancel;
  const auto* at = std::ranges::find(kKinds, report.change.kind, &Kind::change);
  FINALITY_CHECK(at != std::end(kKinds), "every change of a hold has a row");
  return *at;
}

Operation operation_of(const HoldReport& report, const Kind& kind, Time at) {
  if (kind.operation == "FREEZE") return freeze_of(report.hold);
  // A release by a final capture has no number, and its amount is what the capture has left.
  const bool is_rest = report.change.kind == HoldChangeKind::captured;
  return {.type = kind.operation,
          .out_request_no = is_rest ? std::string() : report.change.number,
          .amount = is_rest ? report.change.rest : report.change.amount,
          .status = "SUCCESS",
          .created_at = at,
          .done_at = at};
}

// Returns what both envelopes contain. gmt_trans is the time of the change, also after several attempts.
Params content_of(const HoldReport& report, const Kind& kind, const Application& app, Time at) {
  Params params = header_of(report.hold);
  params.merge(totals_of(report.hold));
  params.merge(fields_of(report.hold, operation_of(report, kind, at)));
  params["payee_user_id"] = app.seller_id;
  params["payee_logon_id"] = app.seller_email;
  params["gmt_trans"] = china_time(at);
  if (kind.name == "fund_auth_operation_cancel")
    params["action"] = kind.change == HoldChangeKind::closed ? "close" : "unfreeze";
  return params;
}

Params message(Params content, const Kind& kind, const Notification& notification, const Application& app, Time now) {
  boost::json::object biz;
  for (const auto& [name, value] : content) biz[name] = value;
  return {{"app_id", std::string(app.app_id)},
          {"biz_content", boost::json::serialize(biz)},
          {"charset", "UTF-8"},
          {"msg_method", std::string(kind.name)},
          {"notify_id", notification.id},
          {"sign_type", "RSA2"},
          {"utc_timestamp", std::to_string(now.ms)},
          {"version", "1.1"}};
}

}  // namespace

std::optional<Params> fund_auth_notification(const Notification& notification, const Account& account, Time now) {
  const HoldReport report = hold_report_of(notification);
  const bool is_forged = notification.forgery != Forgery::none;
  if (!report.hold.opened && !is_forged) return std::nullopt;
  if (report.change.kind == HoldChangeKind::captured && report.change.rest == 0) return std::nullopt;
  const Kind& kind = kind_of(report);
  Params params = content_of(report, kind, account.app, notification.created_at);
  if (kind.is_message) {
    params = message(std::move(params), kind, notification, account.app, now);
  } else {
    params.merge(classic_frame(account.app, notification.id, kind.name, now));
  }
  sign_as(notification.forgery, account, kForgedType, params);
  return params;
}

}  // namespace finality::sandbox::alipay
