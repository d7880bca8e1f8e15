#include "sandbox/alipay/fund_auth_fields.h"

#include <fmt/format.h>

#include <functional>

#include "sandbox/alipay/trade.h"
#include "sandbox/core/china_time.h"
#include "sandbox/formats/yuan.h"

namespace finality::sandbox::alipay {
namespace {

// Adds the total NAME_amount and its parts: all of it is money, or all of it is a credit.
void put_total(Params& params, const Hold& hold, const std::string& name, MinorUnits amount) {
  params[name + "_amount"] = to_yuan(amount);
  params[name + "_credit_amount"] = to_yuan(hold.is_unfunded ? amount : 0);
  params[name + "_fund_amount"] = to_yuan(hold.is_unfunded ? 0 : amount);
}

std::string_view freeze_status(const Hold& hold) {
  if (hold.state == HoldState::waiting) return "INIT";
  return hold.authorized > 0 ? "SUCCESS" : "CLOSED";
}

}  // namespace

std::string_view order_status_of(const Hold& hold) {
  switch (hold.state) {
    case HoldState::waiting:
      return "INIT";
    case HoldState::held:
      return "AUTHORIZED";
    case HoldState::ended:
      return hold.captured > 0 ? "FINISH" : "CLOSED";
    case HoldState::failed:
    case HoldState::closed:
      break;
  }
  return "CLOSED";
}

std::string cancel_number(const Hold& hold) { return ledger_number(hold.hold_no, "cancel"); }

Operation freeze_of(const Hold& hold) {
  return {.type = "FREEZE",
          .out_request_no = hold.details,
          .amount = hold.authorized > 0 ? hold.authorized : hold.amount,
          .status = freeze_status(hold),
          .created_at = hold.created_at,
          .done_at = hold.authorized_at};
}

std::vector<Operation> operations_of(const Hold& hold, std::span<const HoldRelease> releases,
                                     std::span<const Trade> captures) {
  std::vector<Operation> operations{freeze_of(hold)};
  for (const HoldRelease& release : releases)
    if (!release.is_refused)
      operations.push_back({.type = "UNFREEZE",
                            .out_request_no = release.out_request_no,
                            .amount = release.amount,
                            .status = "SUCCESS",
                            .created_at = release.created_at,
                            .done_at = release.created_at});
  for (const Trade& capture : captures)
    operations.push_back({.type = "PAY",
                          .out_request_no = capture.out_trade_no,
                          .amount = capture.paid,
                          .status = "SUCCESS",
                          .created_at = capture.created_at,
                          .done_at = capture.paid_at});
  return operations;
}

std::string operation_id_of(const Hold& hold, const Operation& operation) {
  const std::string identity =
      fmt::format("{}/{}/{}/{}", hold.hold_no, operation.type, operation.out_request_no, operation.created_at.ms);
  return hold.hold_no.substr(0, 8) + fmt::format("{:012}", std::hash<std::string>()(identity) % 1'000'000'000'000);
}

Params header_of(const Hold& hold) {
  Params params{{"auth_no", hold.hold_no},
                {"out_order_no", hold.out_order_no},
                {"payer_logon_id", buyer_logon_id(hold.payer)},
                {"payer_user_id", buyer_id(hold.payer)}};
  if (hold.is_unfunded) params["pre_auth_type"] = "CREDIT_AUTH";
  if (hold.currency != "CNY") params["trans_currency"] = hold.currency;
  return params;
}

Params totals_of(const Hold& hold) {
  Params params;
  put_total(params, hold, "total_freeze", hold.captured + hold.released + hold.held());
  put_total(params, hold, "total_pay", hold.captured);
  params["total_unfreeze_amount"] = to_yuan(hold.released);
  put_total(params, hold, "rest", hold.held());
  return params;
}

Params fields_of(const Hold& hold, const Operation& operation) {
  Params params{{"operation_id", operation_id_of(hold, operation)},
                {"operation_type", std::string(operation.type)},
                {"amount", to_yuan(operation.amount)},
                {"status", std::string(operation.status)},
                {"gmt_create", china_time(operation.created_at)}};
  if (!operation.out_request_no.empty()) params["out_request_no"] = operation.out_request_no;
  if (operation.done_at) params["gmt_trans"] = china_time(*operation.done_at);
  return params;
}

}  // namespace finality::sandbox::alipay
