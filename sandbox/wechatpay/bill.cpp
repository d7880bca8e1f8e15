#include "sandbox/wechatpay/bill.h"

#include <fmt/format.h>
#include <zlib.h>

#include <utility>

#include "base/check.h"
#include "sandbox/core/china_time.h"
#include "sandbox/core/yuan.h"
#include "sandbox/wechatpay/messages.h"
#include "sandbox/wechatpay/order.h"

namespace finality::sandbox {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kRate = "0.60%";
constexpr MinorUnits kRatePerMille = 6;
constexpr std::string_view kNothing = "0.00";

constexpr std::string_view kTradeHeader =
    "交易时间,公众账号ID,商户号,特约商户号,设备号,微信订单号,商户订单号,用户标识,交易类型,交易状态,付款银行,货币种类,"
    "应结订单金额,代金券金额";
constexpr std::string_view kRefundTimesHeader = ",退款申请时间,退款成功时间";
constexpr std::string_view kRefundHeader = ",微信退款单号,商户退款单号,退款金额,充值券退款金额,退款类型,退款状态";
constexpr std::string_view kGoodsHeader = ",商品名称,商户数据包,手续费,费率,订单金额";
constexpr std::string_view kAppliedHeader = ",申请退款金额";
constexpr std::string_view kRemarkHeader = ",费率备注";
constexpr std::string_view kTradeSummaryHeader =
    "总交易单数,应结订单总金额,退款总金额,充值券退款总金额,手续费总金额,订单总金额,申请退款总金额";
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
  MinorUnits paid = 0;
  MinorUnits refunded = 0;
  MinorUnits fees = 0;

  std::string summary() const {
    return Line()
        .add(std::to_string(count), to_yuan(paid), to_yuan(refunded), kNothing, yuan_of_fee(fees), to_yuan(paid),
             to_yuan(refunded))
        .text();
  }
};

std::string header_of(TradeBillType type) {
  std::string header(kTradeHeader);
  if (type == TradeBillType::refund) header += kRefundTimesHeader;
  if (type != TradeBillType::success) header += kRefundHeader;
  header += kGoodsHeader;
  if (type != TradeBillType::success) header += kAppliedHeader;
  return header + std::string(kRemarkHeader);
}

bool belongs_to(TradeBillType type, const WechatpayMovement& movement) {
  if (type == TradeBillType::all) return true;
  return movement.refund.has_value() == (type == TradeBillType::refund);
}

// Returns the time in the first column. In a bill of refunds it is the time of the payment; later columns contain the
// times of the refund.
Time time_of(TradeBillType type, const WechatpayMovement& movement) {
  return type == TradeBillType::refund ? movement.trade.paid_at.value_or(movement.at) : movement.at;
}

void add_refund_cells(Line& line, TradeBillType type, const WechatpayMovement& movement) {
  if (type == TradeBillType::success) return;
  if (!movement.refund) {
    line.add("0", "0", kNothing, kNothing, "", "");
    return;
  }
  const Refund& refund = *movement.refund;
  if (type == TradeBillType::refund) line.add(china_time(refund.created_at), china_time(movement.at));
  line.add(refund.refund_no, refund.out_refund_no, to_yuan(refund.amount), kNothing, "ORIGINAL", "SUCCESS");
}

std::string trade_line(const WechatpayMerchant& merchant, TradeBillType type, const WechatpayMovement& movement,
                       TradeTotals& totals) {
  const boost::json::object transaction = transaction_of(merchant, movement.trade);
  const auto text = [&](const char* name) { return std::string(std::string_view(transaction.at(name).as_string())); };
  const std::string openid(std::string_view(transaction.at("payer").at("openid").as_string()));
  const MinorUnits paid = movement.refund ? 0 : movement.trade.paid;
  const MinorUnits refunded = movement.refund ? movement.refund->amount : 0;
  const MinorUnits fee = wechatpay_fee(paid) - wechatpay_fee(refunded);
  totals = {totals.count + 1, totals.paid + paid, totals.refunded + refunded, totals.fees + fee};

  Line line;
  line.add(china_time(time_of(type, movement)), merchant.appid, merchant.mchid, "0", "", movement.trade.trade_no,
           movement.trade.out_trade_no, openid, text("trade_type"), movement.refund ? "REFUND" : "SUCCESS",
           text("bank_type"), movement.trade.currency, to_yuan(paid), kNothing);
  add_refund_cells(line, type, movement);
  line.add(movement.trade.subject, text("attach"), yuan_of_fee(fee), kRate, to_yuan(paid));
  if (type != TradeBillType::success) line.add(to_yuan(refunded));
  return line.add("").text();
}

struct FundTotals {
  MinorUnits balance = 0;
  std::int64_t incomes = 0;
  MinorUnits income = 0;
  std::int64_t expenses = 0;
  MinorUnits expense = 0;
};

struct FundChange {
  std::string_view business;
  std::string_view kind;
  MinorUnits amount;  // positive: credit; negative: debit
  std::string number;
  std::string applicant;
  std::string remark;
  std::string voucher;
};

std::vector<FundChange> changes_of(const WechatpayMerchant& merchant, const WechatpayMovement& movement) {
  const Trade& trade = movement.trade;
  if (movement.refund) {
    const Refund& refund = *movement.refund;
    const MinorUnits fee = wechatpay_fee(refund.amount);
    return {{"退款", "退款", fee - refund.amount, refund.refund_no, std::string(merchant.mchid) + "API",
             fmt::format("退款总金额{}元;含手续费{}元", to_yuan(refund.amount), to_yuan(fee)), refund.out_refund_no}};
  }
  std::vector<FundChange> changes{
      {"交易", "交易", trade.paid, trade.trade_no, "system",
       fmt::format("结算总金额 {} 元;含手续费 {} 元", to_yuan(trade.paid), to_yuan(wechatpay_fee(trade.paid))),
       trade.out_trade_no}};
  if (const MinorUnits fee = wechatpay_fee(trade.paid); fee > 0)
    changes.push_back({"交易", "扣除交易手续费", -fee, trade.trade_no, "system", "", trade.out_trade_no});
  return changes;
}

std::string fund_line(const WechatpayMovement& movement, const FundChange& change, FundTotals& totals) {
  const bool is_income = change.amount >= 0;
  const MinorUnits size = is_income ? change.amount : -change.amount;
  totals.balance += change.amount;
  (is_income ? totals.incomes : totals.expenses) += 1;
  (is_income ? totals.income : totals.expense) += size;
  return Line()
      .add(china_time(movement.at), change.number, movement.trade.trade_no, change.business, change.kind,
           is_income ? "收入" : "支出", to_yuan(size), to_yuan(totals.balance), change.applicant, change.remark,
           change.voucher)
      .text();
}

}  // namespace

MinorUnits wechatpay_fee(MinorUnits amount) { return (amount * kRatePerMille + 500) / 1000; }

MinorUnits net_of(const WechatpayMovement& movement) {
  if (movement.trade.currency != "CNY") return 0;
  if (movement.refund) return wechatpay_fee(movement.refund->amount) - movement.refund->amount;
  return movement.trade.paid - wechatpay_fee(movement.trade.paid);
}

std::string trade_bill(TradeBillType type, const WechatpayDay& day) {
  File file;
  TradeTotals totals;
  file.add(header_of(type));
  for (const WechatpayMovement& movement : day.movements)
    if (belongs_to(type, movement)) file.add(trade_line(day.merchant, type, movement, totals));
  if (totals.count == 0) return {};
  file.add(kTradeSummaryHeader);
  file.add(totals.summary());
  return file.take();
}

std::string fund_bill(const WechatpayDay& day) {
  File file;
  FundTotals totals{.balance = day.opening_balance};
  file.add(kFundHeader);
  for (const WechatpayMovement& movement : day.movements) {
    if (movement.trade.currency != "CNY") continue;
    for (const FundChange& change : changes_of(day.merchant, movement)) file.add(fund_line(movement, change, totals));
  }
  if (totals.incomes + totals.expenses == 0) return {};
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
