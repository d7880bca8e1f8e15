#include "sandbox/alipay/replies.h"

#include "sandbox/alipay/message.h"
#include "sandbox/alipay/trade.h"
#include "sandbox/core/china_time.h"
#include "sandbox/formats/yuan.h"

namespace finality::sandbox::alipay {

Reply refused(std::string_view sub_code, std::string_view sub_msg) {
  return {.node = business_failure(sub_code, sub_msg)};
}

Reply unknown_result() { return {.node = failure("20000", "isp.unknow-error", "系统繁忙")}; }

Reply lost() { return {.node = {}, .is_lost = true}; }

Reply lost_creation(bool is_created, Duration answer_after) {
  Reply reply = is_created ? unknown_result() : lost();
  reply.answer_after = answer_after;
  return reply;
}

void add_parties(boost::json::object& node, const Trade& trade) {
  node["trade_no"] = trade.trade_no;
  node["out_trade_no"] = trade.out_trade_no;
  node["buyer_logon_id"] = buyer_logon_id(trade.payer);
  node["buyer_user_id"] = buyer_id(trade.payer);
  node["total_amount"] = total_of(trade);
  if (trade.currency != "CNY") node["trans_currency"] = trade.currency;
}

void add_payment(boost::json::object& node, const Trade& trade) {
  const std::string paid = to_yuan(trade.paid);
  node["receipt_amount"] = paid;
  node["buyer_pay_amount"] = paid;
  node["invoice_amount"] = paid;
  node["point_amount"] = "0.00";
}

QueryOptions::QueryOptions(BizFields& fields)
    : fund_bills(fields.has_query_option(kFundBills)),
      refund_details(fields.has_query_option(kRefundDetails)),
      refund_time(fields.has_query_option(kRefundTime)),
      deposit_back(fields.has_query_option(kDepositBack)) {}

void add_options(boost::json::object& node, const QueryOptions& options, const Trade& trade) {
  if (options.fund_bills && trade.paid > 0) node[kFundBills] = fund_bills(trade.paid);
}

void add_options(boost::json::object& node, const QueryOptions& options, const Refund& refund) {
  if (options.refund_details) {
    node[kRefundDetails] = fund_bills(refund.amount);
    node["send_back_fee"] = to_yuan(refund.amount);
  }
  if (options.refund_time) node[kRefundTime] = china_time(refund.created_at);
  // The simulated payers pay from their balance, so no refund goes to a bank card.
  if (options.deposit_back) node[kDepositBack] = boost::json::object{{"has_deposit_back", "false"}};
}

}  // namespace finality::sandbox::alipay
