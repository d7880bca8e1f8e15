// Builds statements of WeChat Pay as its documentation describes them: UTF-8 with a byte order mark, CRLF, a backtick
// before each cell of a row.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "channel/wechatpay/testing/test_wechatpay.h"

namespace finality::wechatpay_test {

using Names = std::vector<std::string>;
using Cells = std::map<std::string, std::string>;  // by the name of the column; other cells are empty

inline Names operator+(Names names, const Names& more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}
inline Names without(Names names, std::string_view name) {
  std::erase(names, name);
  return names;
}

inline const Names kTradeNames{"交易时间",   "公众账号ID", "商户号",       "特约商户号", "设备号",
                               "微信订单号", "商户订单号", "用户标识",     "交易类型",   "交易状态",
                               "付款银行",   "货币种类",   "应结订单金额", "代金券金额"};
inline const Names kRefundTimes{"退款申请时间", "退款成功时间"};
inline const Names kRefundNames{"微信退款单号", "商户退款单号", "退款金额", "充值券退款金额", "退款类型", "退款状态"};
inline const Names kTail{"商品名称", "商户数据包", "手续费", "费率", "订单金额"};

inline const Names kAll = kTradeNames + kRefundNames + kTail + Names{"申请退款金额", "费率备注"};
inline const Names kSuccess = kTradeNames + kTail + Names{"费率备注"};
inline const Names kRefund = kTradeNames + kRefundTimes + kRefundNames + kTail + Names{"申请退款金额", "费率备注"};
inline const Names kAllSums{"总交易单数",   "应结订单总金额", "退款总金额",    "充值券退款总金额",
                            "手续费总金额", "订单总金额",     "申请退款总金额"};
inline const Names kSuccessSums{"总交易单数", "应结订单总金额", "手续费总金额", "订单总金额"};

inline const Names kLegacyTrade{
    "交易时间", "公众账号ID", "商户号",   "子商户号", "设备号",   "微信订单号", "商户订单号",
    "用户标识", "交易类型",   "交易状态", "付款银行", "货币种类", "总金额",     "代金券或立减优惠金额"};
inline const Names kLegacyRefunds{"微信退款单号", "商户退款单号", "退款金额", "代金券或立减优惠退款金额",
                                  "退款类型",     "退款状态"};
inline const Names kLegacyTail{"商品名称", "商户数据包", "手续费", "费率"};
inline const Names kLegacy = kLegacyTrade + kLegacyRefunds + kLegacyTail;
inline const Names kLegacyRefund = kLegacyTrade + kRefundTimes + kLegacyRefunds + kLegacyTail;
inline const Names kLegacySums{"总交易单数", "总交易额", "总退款金额", "总代金券或立减优惠退款金额", "手续费总金额"};

inline const Names kFund{"记账时间",     "微信支付业务单号", "资金流水单号",       "业务名称", "业务类型",  "收支类型",
                         "收支金额(元)", "账户结余(元)",     "资金变更提交申请人", "备注",     "业务凭证号"};
inline const Names kFundSums{"资金流水总笔数", "收入笔数", "收入金额", "支出笔数", "支出金额"};

inline std::string line_of(const Names& cells, bool is_row) {
  std::string line;
  for (const std::string& cell : cells) line += (line.empty() ? "" : ",") + std::string(is_row ? "`" : "") + cell;
  return line + "\r\n";
}
inline std::string row_of(const Names& names, const Cells& cells) {
  Names row;
  for (const std::string& name : names) row.push_back(cells.contains(name) ? cells.at(name) : "");
  return line_of(row, true);
}

/// A statement with these rows. `sums` are the cells of the last line.
inline std::string bill(const Names& names, const std::vector<Cells>& rows, const Names& sum_names, const Names& sums) {
  std::string file = "\xEF\xBB\xBF" + line_of(names, false);
  for (const Cells& row : rows) file += row_of(names, row);
  return file + line_of(sum_names, false) + line_of(sums, true);
}

/// `cells` with changes.
inline Cells changed(Cells cells, const Cells& changes) {
  for (const auto& [name, value] : changes) cells[name] = value;
  return cells;
}

/// A payment of 100.00, of which the merchant bears a discount of 5.00.
inline const Cells kPaymentRow{{"交易时间", "2026-09-21 09:15:00"},
                               {"公众账号ID", kAppid},
                               {"商户号", kMchid},
                               {"特约商户号", "0"},
                               {"微信订单号", "4200000000202609210000000001"},
                               {"商户订单号", "00000000000070000000000008"},
                               {"用户标识", "o-1"},
                               {"交易类型", "JSAPI"},
                               {"交易状态", "SUCCESS"},
                               {"付款银行", "OTHERS"},
                               {"货币种类", "CNY"},
                               {"应结订单金额", "95.00"},
                               {"代金券金额", "0.00"},
                               {"微信退款单号", "0"},
                               {"商户退款单号", "0"},
                               {"退款金额", "0.00"},
                               {"充值券退款金额", "0.00"},
                               {"商品名称", "茶, 二两"},
                               {"手续费", "0.57000"},
                               {"费率", "0.60%"},
                               {"订单金额", "100.00"},
                               {"申请退款金额", "0.00"}};
/// A refund of 30.00 of that payment, of which 28.50 are settled.
inline const Cells kRefundRow = changed(kPaymentRow, {{"交易时间", "2026-09-21 10:00:00"},
                                                      {"交易状态", "REFUND"},
                                                      {"应结订单金额", "0.00"},
                                                      {"退款申请时间", "2026-09-21 10:00:00"},
                                                      {"退款成功时间", "2026-09-21 10:00:09"},
                                                      {"微信退款单号", "50000000382019052709732678859"},
                                                      {"商户退款单号", "00000000000070000000000009"},
                                                      {"退款金额", "28.50"},
                                                      {"退款类型", "ORIGINAL"},
                                                      {"退款状态", "PROCESSING"},
                                                      {"手续费", "-0.17100"},
                                                      {"订单金额", "0.00"},
                                                      {"申请退款金额", "30.00"}});

inline std::string trade_bill() {
  return bill(kAll, {kPaymentRow, kRefundRow}, kAllSums, {"2", "95.00", "28.50", "0.00", "0.39900", "100.00", "30.00"});
}

/// A line of a funds statement about that payment.
inline const Cells kFundRow{{"记账时间", "2026-09-21 09:15:00"},
                            {"微信支付业务单号", "4200000000202609210000000001"},
                            {"资金流水单号", "1900000001202609210000000001"},
                            {"业务名称", "交易"},
                            {"业务类型", "交易"},
                            {"收支类型", "收入"},
                            {"收支金额(元)", "95.00"},
                            {"账户结余(元)", "1095.00"},
                            {"资金变更提交申请人", "system"},
                            {"备注", "结算总金额 95.00 元, 含手续费"},
                            {"业务凭证号", "00000000000070000000000008"}};
inline const Cells kFundFeeRow = changed(kFundRow, {{"资金流水单号", "1900000001202609210000000002"},
                                                    {"业务类型", "扣除交易手续费"},
                                                    {"收支类型", "支出"},
                                                    {"收支金额(元)", "0.57"},
                                                    {"账户结余(元)", "1094.43"}});
inline const Cells kFundRefundRow = changed(kFundRow, {{"记账时间", "2026-09-21 10:00:00"},
                                                       {"微信支付业务单号", "50000000382019052709732678859"},
                                                       {"资金流水单号", "1900000001202609210000000003"},
                                                       {"业务名称", "退款"},
                                                       {"业务类型", "退款"},
                                                       {"收支类型", "支出"},
                                                       {"收支金额(元)", "28.50"},
                                                       {"账户结余(元)", "1065.93"},
                                                       {"业务凭证号", "REF4200000000202609210000000001"}});

inline std::string fund_bill() {
  return bill(kFund, {kFundRow, kFundFeeRow, kFundRefundRow}, kFundSums, {"3.0", "1.0", "95.00", "2.0", "29.07"});
}

}  // namespace finality::wechatpay_test
