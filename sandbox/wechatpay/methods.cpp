#include "sandbox/wechatpay/methods.h"

#include <optional>
#include <utility>

#include "sandbox/core/order_intake.h"
#include "sandbox/simple/answer.h"
#include "sandbox/wechatpay/answer.h"
#include "sandbox/wechatpay/messages.h"

namespace finality::sandbox {
namespace {

constexpr std::string_view kTradePrefix = "4200";
constexpr std::string_view kRefundPrefix = "50000";
constexpr Duration kRefundTakes{200};  // time from acceptance to settlement

net::HttpResponse order_unknown() { return wechatpay_error(kOrderNotExist, "订单不存在"); }

net::HttpResponse nothing_found(Ledger& ledger, const WechatpayMerchant& merchant, std::string_view out_trade_no) {
  return is_cut_off(ledger, merchant.channel, out_trade_no) ? lost_answer() : order_unknown();
}

// Returns the refusal of an order whose out_trade_no has an existing trade. Empty if the order is unchanged and the
// trade is waiting: the response is then that of the existing trade.
std::optional<net::HttpResponse> refusal_of_repetition(const Trade& existing, const Trade& order) {
  if (read_details(existing.details).fingerprint != read_details(order.details).fingerprint ||
      existing.amount != order.amount)
    return wechatpay_error(kInvalidRequest, "请求参数与原订单不一致");
  switch (existing.state) {
    case TradeState::waiting:
      return std::nullopt;
    case TradeState::paid:
      return wechatpay_error(kOrderPaid, "该订单已支付");
    case TradeState::closed:
      return wechatpay_error(kOrderClosed, "该订单已关闭，请重新下单");
    case TradeState::failed:  // exists only in databases that an earlier version created
      return wechatpay_error(kOutTradeNoUsed, "商户订单号重复");
  }
  std::unreachable();
}

net::HttpResponse refund_refused(RefundRefusal refusal) {
  switch (refusal) {
    case RefundRefusal::trade_not_exist:
    case RefundRefusal::trade_not_paid:
      return wechatpay_error(kResourceNotExists, "订单不存在");
    case RefundRefusal::context_inconsistent:
      return wechatpay_error(kInvalidRequest, "请求参数与原退款单不一致");
    case RefundRefusal::refund_exceeds_paid:
      return wechatpay_error(kInvalidRequest, "申请退款金额大于订单可退金额");
    case RefundRefusal::refund_refused:
      return wechatpay_error(kUserAccountAbnormal, "用户账户异常，退款失败，请自行处理");
    case RefundRefusal::refund_refused_for_now:
    case RefundRefusal::refund_not_now:
      return wechatpay_error(kNotEnough, "基本账户余额不足");
  }
  std::unreachable();
}

std::optional<Trade> trade_to_refund(Ledger& ledger, const WechatpayMerchant& merchant,
                                     const WechatpayRefundOrder& order) {
  if (order.transaction_id.empty()) return ledger.find_trade(merchant.channel, order.out_trade_no);
  const auto trade = ledger.find_trade(order.transaction_id);
  return trade && trade->channel == merchant.channel ? trade : std::nullopt;
}

net::HttpResponse prepaid(const Trade& trade, const std::string& public_url) {
  if (trade.product == "native") return wechatpay_json({{"code_url", public_url + "/wallet/" + trade.trade_no}});
  if (trade.product != "h5") return wechatpay_json({{"prepay_id", prepay_id_of(trade)}});
  return wechatpay_json({{"h5_url", public_url + "/wechatpay/h5?prepay_id=" + prepay_id_of(trade) + "&package=1"}});
}

}  // namespace

WechatpayAnswer order_in(Ledger& ledger, const Trade& order, const std::string& public_url) {
  if (const auto existing = ledger.find_trade(order.channel, order.out_trade_no))
    if (auto refusal = refusal_of_repetition(*existing, order)) return {std::move(*refusal)};
  const Entry entry = enter(ledger, order, kTradePrefix);
  switch (entry.result) {
    case IntakeResult::taken:
      return {prepaid(*entry.trade, public_url), entry.answer_after};
    case IntakeResult::lost:
      return {lost_answer(), entry.answer_after};
    case IntakeResult::inconsistent:
      return {wechatpay_error(kInvalidRequest, "请求参数与原订单不一致")};
    case IntakeResult::too_late:
      return {wechatpay_error(kInvalidRequest, "订单失效时间不能早于当前时间")};
    case IntakeResult::refused:
      return {wechatpay_error(kUnlistedRefusal, "下单失败")};
  }
  std::unreachable();
}

net::HttpResponse query_in(Ledger& ledger, const WechatpayMerchant& merchant, const std::string& out_trade_no) {
  const auto trade = ledger.find_trade(merchant.channel, out_trade_no);
  return trade ? wechatpay_json(transaction_of(merchant, *trade)) : nothing_found(ledger, merchant, out_trade_no);
}

net::HttpResponse query_by_id_in(Ledger& ledger, const WechatpayMerchant& merchant, const std::string& transaction_id) {
  const auto trade = ledger.find_trade(transaction_id);
  const bool is_there = trade && trade->channel == merchant.channel && trade->state == TradeState::paid;
  return is_there ? wechatpay_json(transaction_of(merchant, *trade)) : order_unknown();
}

net::HttpResponse close_in(Ledger& ledger, const WechatpayMerchant& merchant, const std::string& out_trade_no) {
  std::optional<Trade> trade = ledger.find_trade(merchant.channel, out_trade_no);
  if (!trade) return nothing_found(ledger, merchant, out_trade_no);
  close_for_merchant(ledger, *trade);
  if (trade->state == TradeState::paid) return wechatpay_error(kOrderPaid, "该订单已支付");
  return wechatpay_no_content();
}

net::HttpResponse refund_in(Ledger& ledger, const WechatpayMerchant& merchant, const WechatpayRefundOrder& order) {
  const std::optional<Trade> trade = trade_to_refund(ledger, merchant, order);
  if (!trade || trade->state != TradeState::paid) return refund_refused(RefundRefusal::trade_not_exist);
  if (order.total != trade->paid) return wechatpay_error(kInvalidRequest, "订单金额与原订单不一致");
  const auto refund = ledger.refund({.channel = trade->channel,
                                     .out_refund_no = order.out_refund_no,
                                     .trade_no = trade->trade_no,
                                     .amount = order.amount,
                                     .currency = order.currency,
                                     .notify_url = order.notify_url,
                                     .settles_after = kRefundTakes},
                                    kRefundPrefix);
  if (!refund) return refund_refused(refund.error());
  return is_refund_answered(*trade) ? wechatpay_json(refund_of(*refund, *trade, ledger.now())) : lost_answer();
}

net::HttpResponse query_refund_in(Ledger& ledger, const WechatpayMerchant& merchant, const std::string& out_refund_no) {
  const auto refund = ledger.find_refund(merchant.channel, out_refund_no);
  if (!refund) return wechatpay_error(kResourceNotExists, "退款单不存在");
  const auto trade = ledger.find_trade(refund->trade_no);
  return wechatpay_json(refund_of(*refund, *trade, ledger.now()));
}

std::optional<WechatpayDay> day_in(Ledger& ledger, const WechatpayMerchant& merchant, const std::string& date,
                                   const Day& span) {
  const FileState state = file_state(ledger, merchant.channel, date, span);
  if (state == FileState::not_ready) return std::nullopt;
  return WechatpayDay{
      .merchant = merchant,
      .trades = trade_lines(ledger, merchant.channel, span, state),
      .funds = funds_day(ledger, merchant.channel, date, span),
      .is_legacy = ledger.statement_tables().faults_of(merchant.channel, date).contains(DayFault::legacy_layout)};
}

}  // namespace finality::sandbox
