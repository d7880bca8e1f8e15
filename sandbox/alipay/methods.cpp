#include "sandbox/alipay/methods.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/crypto/encoding.h"
#include "sandbox/alipay/account.h"
#include "sandbox/alipay/fields.h"
#include "sandbox/alipay/fund_auth.h"
#include "sandbox/alipay/trade.h"
#include "sandbox/core/china_time.h"
#include "sandbox/core/fields.h"
#include "sandbox/core/order_intake.h"
#include "sandbox/core/scenario.h"
#include "sandbox/formats/yuan.h"

namespace finality::sandbox::alipay {
namespace {

using namespace std::chrono_literals;

// Empty, because Alipay's trade_no begins with the date.
constexpr std::string_view kNumberPrefix = "";
constexpr Duration kCodeLife = 2h;  // default validity of a QR code
constexpr Duration kTradeLife = 15 * 24h;
constexpr Duration kInstantly = 100ms;  // if the payer pays within this time, trade.pay returns the paid trade
constexpr std::string_view kScenarioWord = "scenario=";

struct Product {
  std::string_view name;  // value of Trade::product
  std::string_view code;
  std::string_view other_code;  // a second product_code that is accepted; may be empty
  bool needs_code;
};
constexpr Product kPage{"page", "FAST_INSTANT_TRADE_PAY", "", true};
// Alipay's pages name QUICK_WAP_WAY. Alipay's older examples and SDKs in wide use send QUICK_WAP_PAY (yansongda/pay:
// WapPayPlugin sets it for all its users), so the real gateway accepts both.
constexpr Product kWap{"wap", "QUICK_WAP_WAY", "QUICK_WAP_PAY", true};
constexpr Product kApp{"app", "QUICK_MSECURITY_PAY", "", false};
constexpr Product kCode{"qr", "QR_CODE_OFFLINE", "FACE_TO_FACE_PAYMENT", false};
constexpr Product kBarcode{"barcode", "FACE_TO_FACE_PAYMENT", "", false};

Reply no_such_trade() { return refused("ACQ.TRADE_NOT_EXIST", "交易不存在"); }

// Methods that create a trade.

std::optional<Time> expiry_of(BizFields& fields, const Product& product, Time now) {
  const auto timeout = fields.optional_text("timeout_express");
  if (const auto absolute = fields.optional_time("time_expire")) return absolute;  // overrides timeout_express
  if (!timeout) return now + (&product == &kCode ? kCodeLife : kTradeLife);
  const auto end = end_of_timeout(*timeout, now);
  if (!end) fields.blame("timeout_express");
  return end;
}

std::string scenario_of_order(BizFields& fields, const std::string& passback_params) {
  const std::string text = percent_decode(passback_params).value_or("");
  if (!text.starts_with(kScenarioWord)) return std::string(kDefaultScenario);
  std::string scenario = text.substr(kScenarioWord.size());
  if (find_scenario(scenario) == nullptr) fields.blame("passback_params");
  return scenario;
}

void check_product(BizFields& fields, const Product& product) {
  const auto code = fields.optional_text("product_code");
  const bool is_right = code ? *code == product.code || *code == product.other_code : !product.needs_code;
  if (!is_right) fields.blame("product_code");
}

void check_seller(BizFields& fields, const Application& app) {
  const auto seller = fields.optional_text("seller_id");
  if (seller && *seller != app.seller_id) fields.blame("seller_id");
}

Trade read_order(BizFields& fields, const Params& params, const Product& product, const Application& app, Time now) {
  const Details details{.body = fields.optional_text("body").value_or(""),
                        .passback_params = fields.optional_text("passback_params").value_or("")};
  Trade order;
  order.channel = app.channel;
  order.out_trade_no = fields.text("out_trade_no");
  order.amount = fields.amount("total_amount");
  order.currency = "CNY";
  order.subject = fields.text("subject");
  order.scenario = scenario_of_order(fields, details.passback_params);
  order.product = product.name;
  order.details = to_text(details);
  order.notify_url = address_of(fields, params, "notify_url");
  if (auto url = address_of(fields, params, "return_url"); !url.empty()) order.return_url = std::move(url);
  order.expires_at = expiry_of(fields, product, now);
  check_product(fields, product);
  check_seller(fields, app);
  return order;
}

// Returns the response to an order that created or found no trade. Empty for `taken`.
Reply reply_to(const Entry& entry) {
  switch (entry.result) {
    case IntakeResult::taken:
      return {};
    case IntakeResult::lost:
      return lost_creation(entry.trade.has_value(), entry.answer_after);
    case IntakeResult::inconsistent:
      return refused("ACQ.CONTEXT_INCONSISTENT", "交易信息被篡改");
    case IntakeResult::too_late:
      return refused("ACQ.INVALID_PARAMETER", "参数无效: time_expire");
    case IntakeResult::refused:
      return refused("ACQ.UNLISTED_REFUSAL", "交易失败");
  }
  std::unreachable();
}

// Returns the refusal of an order whose trade is no longer waiting; empty if the trade can still be paid.
std::optional<Reply> ended(const Trade& trade) {
  if (trade.state == TradeState::waiting) return std::nullopt;
  if (!trade.opened) return refused("ACQ.APPLY_PC_MERCHANT_CODE_ERROR", "申请二维码失败");
  if (status_of(trade) == "TRADE_SUCCESS") return refused("ACQ.TRADE_HAS_SUCCESS", "交易已被支付");
  return refused("ACQ.TRADE_HAS_CLOSE", "交易已经关闭");
}

Reply open_page(Ledger& ledger, const Params& params, const Product& product, const GatewayContext& context) {
  BizFields fields(value_of(params, "biz_content"));
  const Trade order = read_order(fields, params, product, context.account.app, ledger.now());
  // Only wap.pay has a quit_url: the target of the back button of Alipay's page. It is optional: docs.open.alipay.com
  // (203/107090) lists it as optional, and orders without it are paid (go-pay/gopay pull request 25, which removed the
  // check because of a test at the real gateway; yansongda/pay sends none). A newer page lists it as required.
  if (&product == &kWap) fields.optional_text("quit_url", is_web_url);
  if (fields.refusal()) return {.node = *fields.refusal()};
  Entry entry = enter(ledger, order, kNumberPrefix);
  if (entry.result == IntakeResult::lost && entry.trade)
    return {.node = {}, .is_lost = true, .answer_after = entry.answer_after};
  if (entry.result != IntakeResult::taken) return reply_to(entry);
  if (entry.trade->state == TradeState::waiting) ledger.open(*entry.trade);
  return {.node = {}, .wallet_no = entry.trade->trade_no, .answer_after = entry.answer_after};
}

Reply page_pay(Ledger& ledger, const Params& params, const GatewayContext& context) {
  return open_page(ledger, params, kPage, context);
}
Reply wap_pay(Ledger& ledger, const Params& params, const GatewayContext& context) {
  return open_page(ledger, params, kWap, context);
}
Reply app_pay(Ledger& ledger, const Params& params, const GatewayContext& context) {
  return open_page(ledger, params, kApp, context);
}

// Returns whether trade.precreate also records the scan of the QR code. Usually the payer's first action records it.
// In scenarios that pay before or after a close, the scan must precede the close: without a scan there is no trade.
bool is_scanned_at_once(const Scenario& scenario) {
  return scenario.close.payer_is_faster || scenario.sequel.end == TradeState::closed;
}

Reply precreate(Ledger& ledger, const Params& params, const GatewayContext& context) {
  BizFields fields(value_of(params, "biz_content"));
  Trade order = read_order(fields, params, kCode, context.account.app, ledger.now());
  if (fields.refusal()) return {.node = *fields.refusal()};
  order.opened = is_scanned_at_once(scenario_of(order));
  const Entry entry = enter(ledger, order, kNumberPrefix);
  if (entry.result != IntakeResult::taken) return reply_to(entry);
  if (auto refusal = ended(*entry.trade)) return std::move(*refusal);
  Reply reply{.node = success(), .answer_after = entry.answer_after};
  reply.node["out_trade_no"] = entry.trade->out_trade_no;
  reply.node["qr_code"] = context.public_url + "/alipay/qr/" + entry.trade->trade_no;
  return reply;
}

bool pays_instantly(const Entry& entry, const Scenario& scenario) {
  return entry.is_new && scenario.payer.act == Act::pay && scenario.payer.after <= kInstantly &&
         entry.answer_after == Duration{0};
}

Reply pay(Ledger& ledger, const Params& params, const GatewayContext& context) {
  BizFields fields(value_of(params, "biz_content"));
  if (fields.optional_text("auth_no")) return capture(ledger, params, context);
  const Trade order = read_order(fields, params, kBarcode, context.account.app, ledger.now());
  const std::string auth_code = fields.text("auth_code");
  const QueryOptions options(fields);
  fields.text("scene", [](std::string_view text) { return text == "bar_code" || text == "wave_code"; });
  if (fields.refusal()) return {.node = *fields.refusal()};
  if (!is_auth_code(auth_code)) return refused("ACQ.PAYMENT_AUTH_CODE_INVALID", "支付失败，获取顾客账户信息失败");
  Entry entry = enter(ledger, order, kNumberPrefix);
  if (entry.result != IntakeResult::taken) return reply_to(entry);
  Trade& trade = *entry.trade;
  if (pays_instantly(entry, scenario_of(trade))) {
    ledger.pay(trade);
  } else if (auto refusal = ended(trade)) {
    return std::move(*refusal);
  }
  const bool is_paid = trade.state == TradeState::paid;
  Reply reply{.node = is_paid ? success() : pay_in_process(), .answer_after = entry.answer_after};
  add_parties(reply.node, trade);
  if (is_paid) {
    add_payment(reply.node, trade);
    add_options(reply.node, options, trade);
    reply.node["gmt_payment"] = china_time(*trade.paid_at);
  }
  return reply;
}

// Methods that query or close a trade.

struct Sought {
  std::optional<Trade> trade;  // empty if the trade does not exist or the payer has not opened it
  std::string out_trade_no;    // out_trade_no of the trade or, if `trade` is empty, of the request
  Reply reply;                 // response to send if `trade` is empty
};

// Returns whether the trade is the record of a capture that was refused, which Alipay does not report.
bool is_refused_capture(const Trade& trade) { return trade.is_capture() && trade.state != TradeState::paid; }

Sought seek(Ledger& ledger, BizFields& fields, std::string_view channel) {
  const auto trade_no = fields.optional_text("trade_no");
  const auto out_trade_no = fields.optional_text("out_trade_no");
  if (!trade_no && !out_trade_no) fields.blame("out_trade_no");
  if (fields.refusal()) return {.trade = std::nullopt, .out_trade_no = {}, .reply = {.node = *fields.refusal()}};
  auto trade = trade_no ? ledger.find_trade(*trade_no) : ledger.find_trade(channel, *out_trade_no);
  if (trade && trade->channel == channel && trade->opened && !is_refused_capture(*trade))
    return {.trade = trade, .out_trade_no = trade->out_trade_no, .reply = {}};
  const bool is_lost = out_trade_no && is_cut_off(ledger, channel, *out_trade_no);
  return {
      .trade = std::nullopt, .out_trade_no = out_trade_no.value_or(""), .reply = is_lost ? lost() : no_such_trade()};
}

Reply query(Ledger& ledger, const Params& params, const GatewayContext& context) {
  BizFields fields(value_of(params, "biz_content"));
  const QueryOptions options(fields);
  const Sought sought = seek(ledger, fields, context.account.app.channel);
  if (!sought.trade) {
    Reply reply = sought.reply;  // add_payment() adds zero amounts, which Alipay returns for a missing trade
    if (reply.is_lost) return reply;
    if (!sought.out_trade_no.empty()) reply.node["out_trade_no"] = sought.out_trade_no;
    add_payment(reply.node, Trade());
    return reply;
  }
  const Trade& trade = *sought.trade;
  Reply reply{.node = success()};
  add_parties(reply.node, trade);
  reply.node["trade_status"] = status_of(trade);
  add_payment(reply.node, trade);
  add_options(reply.node, options, trade);
  if (trade.paid_at) reply.node["send_pay_date"] = china_time(*trade.paid_at);
  return reply;
}

Reply name_trade(const Trade& trade) {
  Reply reply{.node = success()};
  reply.node["trade_no"] = trade.trade_no;
  reply.node["out_trade_no"] = trade.out_trade_no;
  return reply;
}

Reply close(Ledger& ledger, const Params& params, const GatewayContext& context) {
  BizFields fields(value_of(params, "biz_content"));
  Sought sought = seek(ledger, fields, context.account.app.channel);
  if (!sought.trade) return sought.reply;
  Trade& trade = *sought.trade;
  if (trade.state != TradeState::waiting) return refused("ACQ.TRADE_STATUS_ERROR", "交易状态不合法");
  close_for_merchant(ledger, trade);
  if (trade.state != TradeState::closed) return refused("ACQ.REASON_TRADE_STATUS_INVALID", "交易状态异常");
  return name_trade(trade);
}

// Methods that refund a trade or query a refund.

Reply refund_refused(RefundRefusal refusal) {
  switch (refusal) {
    case RefundRefusal::trade_not_exist:
      return no_such_trade();
    case RefundRefusal::context_inconsistent:
      return refused("ACQ.DISCORDANT_REPEAT_REQUEST", "请求信息不一致");
    case RefundRefusal::trade_not_paid:
      return refused("ACQ.TRADE_STATUS_ERROR", "交易状态不合法");
    case RefundRefusal::refund_exceeds_paid:
      return refused("ACQ.REFUND_AMT_NOT_EQUAL_TOTAL", "退款金额超限");
    case RefundRefusal::refund_refused:
      return refused("ACQ.TRADE_NOT_ALLOW_REFUND", "当前交易不允许退款");
    case RefundRefusal::refund_refused_for_now:
    case RefundRefusal::refund_not_now:
      return refused("ACQ.SELLER_BALANCE_NOT_ENOUGH", "卖家余额不足");
  }
  std::unreachable();
}

Refund refund_request(const Trade& trade, MinorUnits amount, std::string_view out_request_no) {
  return {.channel = trade.channel,
          .out_refund_no = ledger_number(trade.trade_no, out_request_no),
          .trade_no = trade.trade_no,
          .amount = amount,
          .currency = trade.currency,
          .details = {},
          .notify_url = trade.notify_url,
          .keeps_number = true};
}

Reply refund(Ledger& ledger, const Params& params, const GatewayContext& context) {
  BizFields fields(value_of(params, "biz_content"));
  const MinorUnits amount = fields.amount("refund_amount");
  const auto out_request_no = fields.optional_text("out_request_no");
  const auto reason = fields.optional_text("refund_reason");
  const QueryOptions options(fields);
  const Sought sought = seek(ledger, fields, context.account.app.channel);
  if (!sought.trade) return sought.reply;
  const Trade& trade = *sought.trade;
  if (!out_request_no && amount != trade.paid) return refused("ACQ.INVALID_PARAMETER", "参数无效: out_request_no");

  Refund request = refund_request(trade, amount, out_request_no.value_or(trade.out_trade_no));
  request.details = reason.value_or("");
  const bool is_repeated = ledger.find_refund(request.channel, request.out_refund_no).has_value();
  const auto refund = ledger.refund(std::move(request));
  if (!refund) return refund_refused(refund.error());
  if (!is_refund_answered(trade)) return refused("ACQ.SYSTEM_ERROR", "系统错误");
  Reply reply = name_trade(trade);
  reply.node["buyer_logon_id"] = buyer_logon_id(trade.payer);
  reply.node["buyer_user_id"] = buyer_id(trade.payer);
  reply.node["fund_change"] = is_repeated ? "N" : "Y";
  reply.node["refund_fee"] = to_yuan(ledger.find_trade(trade.trade_no)->refunded);
  add_options(reply.node, options, *refund);
  return reply;
}

Reply refund_query(Ledger& ledger, const Params& params, const GatewayContext& context) {
  BizFields fields(value_of(params, "biz_content"));
  const std::string number = fields.text("out_request_no");
  const QueryOptions options(fields);
  const Sought sought = seek(ledger, fields, context.account.app.channel);
  if (!sought.trade) return sought.reply;
  const auto refund = ledger.find_refund(sought.trade->channel, ledger_number(sought.trade->trade_no, number));
  if (!refund || refund->state == "closed")
    return {.node = success()};  // no further fields, because the refund does not exist or has failed
  Reply reply = name_trade(*sought.trade);
  reply.node["out_request_no"] = number;
  reply.node["total_amount"] = total_of(*sought.trade);
  reply.node["refund_amount"] = to_yuan(refund->amount);
  reply.node["refund_status"] = "REFUND_SUCCESS";
  add_options(reply.node, options, *refund);
  if (!refund->details.empty()) reply.node["refund_reason"] = refund->details;
  return reply;
}

// Closes an unpaid trade or refunds a paid trade. The response's `action` is `close` or `refund`, and is absent if the
// trade does not exist.
Reply cancel(Ledger& ledger, const Params& params, const GatewayContext& context) {
  BizFields fields(value_of(params, "biz_content"));
  Sought sought = seek(ledger, fields, context.account.app.channel);
  if (fields.refusal() || sought.reply.is_lost) return sought.reply;
  Reply reply{.node = success()};
  reply.node["retry_flag"] = "N";
  if (!sought.trade) {
    if (!sought.out_trade_no.empty()) reply.node["out_trade_no"] = sought.out_trade_no;
    return reply;
  }
  Trade& trade = *sought.trade;
  close_for_merchant(ledger, trade);
  if (trade.state == TradeState::paid && trade.refunded < trade.paid) {
    const auto refund = ledger.refund(refund_request(trade, trade.paid - trade.refunded, "cancel"));
    if (!refund) return refund_refused(refund.error());
    if (!is_refund_answered(trade)) return refused("ACQ.SYSTEM_ERROR", "系统错误");
  }
  reply.node["trade_no"] = trade.trade_no;
  reply.node["out_trade_no"] = trade.out_trade_no;
  reply.node["action"] = trade.state == TradeState::paid ? "refund" : "close";
  return reply;
}

Reply bill_url(Ledger& ledger, const Params& params, const GatewayContext& context) {
  BizFields fields(value_of(params, "biz_content"));
  const std::string type = fields.text("bill_type");
  const std::string date = fields.text("bill_date");
  if (fields.refusal()) return {.node = *fields.refusal()};
  const std::optional<BillKind> kind = parse_bill_kind(type);
  if (!kind) return refused("TYPE_NOT_SUPPORTED", "账单类型不支持");
  const std::optional<Day> span = parse_china_day(date);
  if (!span) return refused("INVAILID_ARGUMENTS", "入参不合法");
  const std::optional<Bill> bill = bill_of(ledger, context.account.app, *kind, date);
  if (!bill) return refused("BILL_NOT_EXIST", "账单不存在");
  if (bill->is_empty()) return refused("NO_BILL_DATA", "没有账单数据");
  Reply reply{.node = success()};
  reply.node["bill_download_url"] = context.public_url + context.bill_links.make(*kind, date, ledger.now());
  return reply;
}

constexpr std::array<Method, 17> kMethods{{{"alipay.trade.page.pay", true, page_pay},
                                           {"alipay.trade.wap.pay", true, wap_pay},
                                           {"alipay.trade.app.pay", true, app_pay},
                                           {"alipay.trade.precreate", false, precreate},
                                           {"alipay.trade.pay", false, pay},
                                           {"alipay.trade.query", false, query},
                                           {"alipay.trade.close", false, close},
                                           {"alipay.trade.cancel", false, cancel},
                                           {"alipay.trade.refund", false, refund},
                                           {"alipay.trade.fastpay.refund.query", false, refund_query},
                                           {"alipay.data.dataservice.bill.downloadurl.query", false, bill_url},
                                           {"alipay.fund.auth.order.freeze", false, freeze},
                                           {"alipay.fund.auth.order.voucher.create", false, create_voucher},
                                           {"alipay.fund.auth.order.app.freeze", true, open_freeze},
                                           {"alipay.fund.auth.operation.detail.query", false, query_operation},
                                           {"alipay.fund.auth.operation.cancel", false, cancel_freeze},
                                           {"alipay.fund.auth.order.unfreeze", false, unfreeze}}};

}  // namespace

const Method* find_method(std::string_view name) {
  const auto* method = std::ranges::find(kMethods, name, &Method::name);
  return method != kMethods.end() ? method : nullptr;
}

bool open_scanned(Ledger& ledger, std::string_view number) {
  if (auto hold = ledger.find_hold(number)) {
    if (channel_name(hold->channel) != kChannel) return false;
    if (hold->state == HoldState::waiting) ledger.open(*hold);
    return true;
  }
  auto trade = ledger.find_trade(number);
  if (!trade || channel_name(trade->channel) != kChannel) return false;
  if (trade->state == TradeState::waiting) ledger.open(*trade);
  return true;
}

}  // namespace finality::sandbox::alipay
