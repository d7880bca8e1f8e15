#include "sandbox/wechatpay/bill.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "sandbox/core/china_time.h"
#include "sandbox/formats/yuan.h"
#include "sandbox/wechatpay/messages.h"
#include "sandbox/wechatpay/order.h"

namespace finality::sandbox {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kRate = "0.60%";
constexpr std::string_view kNothing = "0.00";

/// Parts of the headers of trade bills.
struct TradeHeaders {
  std::string_view trade;
  std::string_view refund;
  std::string_view goods;
  std::string_view applied;  // only in bills with refunds
  std::string_view remark;
  std::string_view total_trades;
  std::string_view total_refunds;  // only in bills with refunds
  std::string_view total_fees;
  std::string_view total_applied;  // only in bills with refunds
};
constexpr TradeHeaders kHeaders{
    .trade =
        "交易时间,公众账号ID,商户号,特约商户号,设备号,微信订单号,商户订单号,用户标识,交易类型,交易状态,付款银行,"
        "货币种类,应结订单金额,代金券金额",
    .refund = ",微信退款单号,商户退款单号,退款金额,充值券退款金额,退款类型,退款状态",
    .goods = ",商品名称,商户数据包,手续费,费率,订单金额",
    .applied = ",申请退款金额",
    .remark = ",费率备注",
    .total_trades = "总交易单数,应结订单总金额",
    .total_refunds = ",退款总金额,充值券退款总金额",
    .total_fees = ",手续费总金额,订单总金额",
    .total_applied = ",申请退款总金额"};
constexpr TradeHeaders kLegacyHeaders{
    .trade =
        "交易时间,公众账号ID,商户号,子商户号,设备号,微信订单号,商户订单号,用户标识,交易类型,交易状态,付款银行,"
        "货币种类,总金额,代金券或立减优惠金额",
    .refund = ",微信退款单号,商户退款单号,退款金额,代金券或立减优惠退款金额,退款类型,退款状态",
    .goods = ",商品名称,商户数据包,手续费,费率",
    .applied = "",
    .remark = "",
    .total_trades = "总交易单数,总交易额",
    .total_refunds = ",总退款金额,总代金券或立减优惠退款金额",
    .total_fees = ",手续费总金额",
    .total_applied = ""};
constexpr std::string_view kRefundTimesHeader = ",退款申请时间,退款成功时间";
constexpr std::string_view kFundHeader =
    "记账时间,微信支付业务单号,资金流水单号,业务名称,业务类型,收支类型,收支金额(元),账户结余(元),资金变更提交申请人,"
    "备注,"
    "业务凭证号";
constexpr std::string_view kFundSummaryHeader = "资金流水总笔数,收入笔数,收入金额,支出笔数,支出金额";

std::string yuan_of_fee(MinorUnits fee) { return to_yuan(fee) + "000"; }

// Builder for one line of a bill.
class Line {
 public:
  Line& add(std::string_view cell) {
    text_ += text_.empty() ? "`" : ",`";
    for (const char c : cell) append(c);
    return *this;
  }
  template <class... Cells>
  Line& add(const Cells&... cells) {
    (add(std::string_view(cells)), ...);
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  // Appends a character of a cell. Escapes commas and replaces control characters, which would end the cell or line.
  void append(char c) {
    const bool is_control = static_cast<unsigned char>(c) < ' ';
    if (c == ',') {
      text_ += "\\ ";
    } else {
      text_ += is_control ? ' ' : c;
    }
  }

  std::string text_;
};

class File {
 public:
  void add(std::string_view line) {
    text_ += line;
    text_ += "\r\n";
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_{kByteOrderMark};
};

struct TradeTotals {
  std::int64_t count = 0;
  MinorUnits settled = 0;
  MinorUnits refunded = 0;
  MinorUnits fees = 0;
  MinorUnits ordered = 0;

  std::string summary(TradeBillType type, bool is_legacy) const {
    const bool has_refunds = type != TradeBillType::success;
    Line line;
    line.add(std::to_string(count), to_yuan(is_legacy ? ordered : settled));
    if (has_refunds) line.add(to_yuan(refunded), kNothing);
    line.add(yuan_of_fee(fees));
    if (!is_legacy) line.add(to_yuan(ordered));
    if (!is_legacy && has_refunds) line.add(to_yuan(refunded));
    return line.text();
  }
};

std::string header_of(TradeBillType type, const TradeHeaders& headers) {
  std::string header(headers.trade);
  if (type == TradeBillType::refund) header += kRefundTimesHeader;
  if (type != TradeBillType::success) header += headers.refund;
  header += headers.goods;
  if (type != TradeBillType::success) header += headers.applied;
  return header + std::string(headers.remark);
}

std::string summary_header_of(TradeBillType type, const TradeHeaders& headers) {
  std::string header(headers.total_trades);
  if (type != TradeBillType::success) header += headers.total_refunds;
  header += headers.total_fees;
  if (type != TradeBillType::success) header += headers.total_applied;
  return header;
}

bool belongs_to(TradeBillType type, const TradeLine& line) {
  if (type == TradeBillType::all) return true;
  return line.refund.has_value() == (type == TradeBillType::refund);
}

// Returns the time in the first column. In a bill of refunds it is the time of the payment; later columns contain the
// times of the refund.
Time time_of(TradeBillType type, const TradeLine& line) {
  return type == TradeBillType::refund ? line.trade.paid_at.value_or(line.at) : line.at;
}

std::string_view status_of(LineStatus status) {
  switch (status) {
    case LineStatus::success:
      return "SUCCESS";
    case LineStatus::processing:
      return "PROCESSING";
    case LineStatus::failed:
      return "FAIL";
  }
  std::unreachable();
}

void add_refund_cells(Line& cells, TradeBillType type, const TradeLine& line) {
  if (type == TradeBillType::success) return;
  if (!line.refund) {
    cells.add("0", "0", kNothing, kNothing, "", "");
    return;
  }
  const Refund& refund = *line.refund;
  const bool has_succeeded = line.status == LineStatus::success;
  if (type == TradeBillType::refund)
    cells.add(china_time(line.at), has_succeeded ? china_time(refund.settles_at) : std::string());
  cells.add(refund.refund_no, refund.out_refund_no, to_yuan(line.amount), kNothing, "ORIGINAL", status_of(line.status));
}

std::string trade_line(const WechatpayDay& day, TradeBillType type, const TradeLine& line, TradeTotals& totals) {
  const WechatpayMerchant& merchant = day.merchant;
  const boost::json::object transaction = transaction_of(merchant, line.trade);
  const auto text = [&](const char* name) { return std::string(std::string_view(transaction.at(name).as_string())); };
  const std::string openid(std::string_view(transaction.at("payer").at("openid").as_string()));
  const MinorUnits ordered = line.refund ? 0 : line.amount;
  const MinorUnits settled = ordered - line.discount;
  const MinorUnits refunded = line.refund ? line.amount : 0;
  totals = {totals.count + 1, totals.settled + settled, totals.refunded + refunded, totals.fees + line.fee,
            totals.ordered + ordered};

  Line cells;
  cells.add(china_time(time_of(type, line)), merchant.appid, merchant.mchid, "0", "", line.trade.trade_no,
            line.trade.out_trade_no, openid, text("trade_type"), line.refund ? "REFUND" : "SUCCESS", text("bank_type"),
            line.currency, to_yuan(day.is_legacy ? ordered : settled), kNothing);
  add_refund_cells(cells, type, line);
  cells.add(line.trade.subject, text("attach"), yuan_of_fee(line.fee), kRate);
  if (day.is_legacy) return cells.text();
  cells.add(to_yuan(ordered));
  if (type != TradeBillType::success) cells.add(to_yuan(refunded));
  return cells.add("").text();
}

struct FundTotals {
  std::int64_t incomes = 0;
  MinorUnits income = 0;
  std::int64_t expenses = 0;
  MinorUnits expense = 0;
};

/// The words of WeChat Pay for a type of change.
struct FundWords {
  FundsType type;
  std::string_view business;  // 业务名称
  std::string_view kind;      // 业务类型
};
constexpr FundWords kFundWords[] = {{FundsType::payment, "交易", "交易"},
                                    {FundsType::fee, "交易", "扣除交易手续费"},
                                    {FundsType::refund, "退款", "退款"},
                                    {FundsType::refund_returned, "退款", "退款关闭"},
                                    {FundsType::fee_returned, "退款", "退还交易手续费"},
                                    {FundsType::withdrawal, "充值/提现", "提现"},
                                    {FundsType::top_up, "充值/提现", "充值"},
                                    {FundsType::penalty, "其他", "违约金扣款"},
                                    {FundsType::other, "其他", "其他扣款"}};

const FundWords& words_of(FundsType type) {
  const auto* words = std::ranges::find(kFundWords, type, &FundWords::type);
  FINALITY_CHECK(words != std::end(kFundWords), "a type of change has no words");
  return *words;
}

std::string remark_of(const FundsLine& line) {
  if (line.type == FundsType::payment)
    return fmt::format("结算总金额 {} 元;含手续费 {} 元", to_yuan(line.amount), to_yuan(channel_fee(line.amount)));
  return line.memo;
}

std::string fund_line(const WechatpayMerchant& merchant, const FundsLine& line, FundTotals& totals) {
  const bool is_income = line.amount >= 0;
  const MinorUnits size = is_income ? line.amount : -line.amount;
  (is_income ? totals.incomes : totals.expenses) += 1;
  (is_income ? totals.income : totals.expense) += size;
  const FundWords& words = words_of(line.type);
  const std::string number = line.refund ? line.refund->refund_no : line.trade ? line.trade->trade_no : line.line_id;
  const std::string voucher = line.refund  ? line.refund->out_refund_no
                              : line.trade ? line.trade->out_trade_no
                                           : line.line_id;
  return Line()
      .add(china_time(line.at), number, line.line_id, words.business, words.kind, is_income ? "收入" : "支出",
           to_yuan(size), to_yuan(line.balance), line.refund ? std::string(merchant.mchid) + "API" : "system",
           remark_of(line), voucher)
      .text();
}

}  // namespace

std::string trade_bill(TradeBillType type, const WechatpayDay& day) {
  const TradeHeaders& headers = day.is_legacy ? kLegacyHeaders : kHeaders;
  File file;
  TradeTotals totals;
  file.add(header_of(type, headers));
  for (const TradeLine& line : day.trades)
    if (belongs_to(type, line)) file.add(trade_line(day, type, line, totals));
  if (totals.count == 0) return {};
  file.add(summary_header_of(type, headers));
  file.add(totals.summary(type, day.is_legacy));
  return file.take();
}

std::string fund_bill(const WechatpayDay& day) {
  if (day.funds.lines.empty()) return {};
  File file;
  FundTotals totals;
  file.add(kFundHeader);
  for (const FundsLine& line : day.funds.lines) file.add(fund_line(day.merchant, line, totals));
  file.add(kFundSummaryHeader);
  file.add(Line()
               .add(std::to_string(totals.incomes + totals.expenses), std::to_string(totals.incomes),
                    to_yuan(totals.income), std::to_string(totals.expenses), to_yuan(totals.expense))
               .text());
  return file.take();
}

std::string gzip(std::string_view content) {
  constexpr int kGzipWindowBits = 15 + 16;
  z_stream stream{};
  FINALITY_CHECK(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindowBits, MAX_MEM_LEVEL,
                              Z_DEFAULT_STRATEGY) == Z_OK,
                 "zlib cannot start");
  std::string packed(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int code = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  FINALITY_CHECK(code == Z_STREAM_END, "zlib cannot compress");
  return packed;
}

}  // namespace finality::sandbox
