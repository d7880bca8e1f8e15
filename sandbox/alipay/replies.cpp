#include "sandbox/alipay/replies.h"

#include "sandbox/alipay/message.h"
#include "sandbox/alipay/trade.h"
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
  if (trade.paid > 0) node["fund_bill_list"] = fund_bills(trade);
}

}  // namespace finality::sandbox::alipay
