#include "sandbox/alipay/bill.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "base/check.h"
#include "base/crypto/crypto.h"
#include "base/crypto/encoding.h"
#include "sandbox/alipay/message.h"
#include "sandbox/alipay/trade.h"
#include "sandbox/formats/charset.h"
#include "sandbox/formats/yuan.h"
#include "sandbox/formats/zip.h"

namespace finality::sandbox::alipay {
namespace {

constexpr std::string_view kEnd = "\r\n";
constexpr std::string_view kTradeHeader =
    "支付宝交易号,商户订单号,业务类型,商品名称,创建时间,完成时间,门店编号,门店名称,操作员,终端号,对方账户,"
    "订单金额（元）,商家实收（元）,支付宝红包（元）,集分宝（元）,支付宝优惠（元）,商家优惠（元）,券核销金额（元）,"
    "券名称,"
    "商家红包消费金额（元）,卡消费金额（元）,退款批次号/请求号,服务费（元）,分润（元）,备注";
constexpr std::string_view kTradeSummaryHeader =
    "门店编号,门店名称,交易订单总笔数,退款订单总笔数,订单金额（元）,商家实收（元）,支付宝优惠（元）,商家优惠（元）,"
    "卡消费金额（元）,服务费（元）,分润（元）,实收净额（元）";
constexpr std::string_view kFundsHeader =
    "账务流水号,业务流水号,商户订单号,商品名称,发生时间,对方账号,收入金额（+元）,支出金额（-元）,账户余额（元）,"
    "交易渠道,"
    "业务类型,备注";
constexpr std::string_view kFundsSummaryHeader = "类型,收入笔数,收入金额（+元）,支出笔数,支出金额（-元）,总金额（元）";

struct KindNames {
  std::string_view type;   // bill_type of the request
  std::string_view title;  // part of the CSV files' names: 业务 (trades) or 账务 (funds)
};
constexpr std::array<KindNames, 2> kKindNames{{{"trade", "业务"}, {"signcustomer", "账务"}}};

const KindNames& names_of_kind(BillKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

// Replaces characters that would end a CSV cell or row. `id_cell` also appends a tab, as Alipay does, so that
// spreadsheets import identifiers as text and not as numbers.
std::string cell(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == ',' || c == '"' || c == '\t' || c == '\r' || c == '\n'; }, ' ');
  return text;
}
std::string id_cell(std::string text) { return cell(std::move(text)) + "\t"; }

std::string long_time(Time at) {
  const std::string text = china_time(at);
  return fmt::format("{}年{}月{}日 {}", text.substr(0, 4), text.substr(5, 2), text.substr(8, 2), text.substr(11));
}

std::string line(std::string_view text) { return std::string(text) + std::string(kEnd); }
std::string line_of(const std::vector<std::string>& cells) { return line(fmt::format("{}", fmt::join(cells, ","))); }

std::string head(const Bill& bill, std::string_view title) {
  return line(fmt::format("#支付宝{}{}查询", names_of_kind(bill.kind).title, title)) +
         line(fmt::format("#账号：[{}0156]", bill.app.seller_id)) +
         line(fmt::format("#起始日期：[{}]   终止日期：[{}]", long_time(bill.span.begin), long_time(bill.span.end)));
}

std::string frame(const Bill& bill, std::string_view title, std::string_view suffix) {
  return line(fmt::format(
      "#-----------------------------------------{}{}列表{}{}", names_of_kind(bill.kind).title, title, suffix,
      suffix.empty() ? "----------------------------------------" : "------------------------------------"));
}

std::string exported_at(const Bill& bill) { return line(fmt::format("#导出时间：[{}]", long_time(bill.created_at))); }

/// Counts and sums of a bill of trades. Amounts of refunds are positive.
struct TradeTotals {
  std::size_t count = 0;
  MinorUnits ordered = 0;
  MinorUnits discounted = 0;
  MinorUnits fees = 0;

  MinorUnits settled() const { return ordered - discounted; }
};

TradeTotals trade_totals(const Bill& bill, bool is_refund) {
  TradeTotals totals;
  for (const TradeLine& line : bill.trades) {
    if (line.refund.has_value() != is_refund) continue;
    totals = {totals.count + 1, totals.ordered + line.amount, totals.discounted + line.discount,
              totals.fees + line.fee};
  }
  return totals;
}

// Formats the row of a payment or refund. Amounts of refunds, and fees that Alipay keeps, are negative.
std::string trade_row(const TradeLine& line) {
  const Trade& trade = line.trade;
  const MinorUnits sign = line.refund ? -1 : 1;
  const std::string none = "0.00";
  return line_of({id_cell(trade.trade_no),
                  id_cell(trade.out_trade_no),
                  line.refund ? "退款" : "交易",
                  cell(trade.subject),
                  china_time(trade.created_at),
                  china_time(line.at),
                  "",
                  "",
                  "",
                  "",
                  cell(buyer_logon_id(trade.payer)),
                  to_yuan(sign * line.amount),
                  to_yuan(sign * (line.amount - line.discount)),
                  none,
                  none,
                  none,
                  to_yuan(sign * line.discount),
                  none,
                  "",
                  none,
                  none,
                  line.refund ? id_cell(out_request_no(*line.refund)) : std::string(),
                  to_yuan(-line.fee),
                  none,
                  line.refund ? cell(line.refund->details) : cell(details_of(trade).body)});
}

std::string trade_detail(const Bill& bill) {
  const TradeTotals paid = trade_totals(bill, false);
  const TradeTotals refunded = trade_totals(bill, true);
  std::string text = head(bill, "明细") + frame(bill, "明细", "") + line(kTradeHeader);
  for (const TradeLine& one : bill.trades) text += trade_row(one);
  return text + frame(bill, "明细", "结束") +
         line(fmt::format("#交易合计：{}笔，商家实收共{}元，商家优惠共{}元", paid.count, to_yuan(paid.settled()),
                          to_yuan(paid.discounted))) +
         line(fmt::format("#退款合计：{}笔，商家实收退款共{}元，商家优惠退款共{}元", refunded.count,
                          to_yuan(-refunded.settled()), to_yuan(-refunded.discounted))) +
         exported_at(bill);
}

std::string trade_summary(const Bill& bill) {
  const TradeTotals paid = trade_totals(bill, false);
  const TradeTotals refunded = trade_totals(bill, true);
  const MinorUnits settled = paid.settled() - refunded.settled();
  const MinorUnits fees = paid.fees + refunded.fees;
  const std::string none = "0.00";
  return head(bill, "汇总") + frame(bill, "汇总", "") + line(kTradeSummaryHeader) +
         line_of({"合计", "", fmt::format("{}", paid.count), fmt::format("{}", refunded.count),
                  to_yuan(paid.ordered - refunded.ordered), to_yuan(settled), none,
                  to_yuan(paid.discounted - refunded.discounted), none, to_yuan(-fees), none,
                  to_yuan(settled - fees)}) +
         frame(bill, "汇总", "结束") + exported_at(bill);
}

/// Alipay's words for a type of change (业务类型).
struct FundsWord {
  FundsType type;
  std::string_view word;
};
constexpr std::array<FundsWord, 9> kFundsWords{{{FundsType::payment, "在线支付"},
                                                {FundsType::refund, "交易退款"},
                                                {FundsType::refund_returned, "交易退款"},
                                                {FundsType::fee, "收费"},
                                                {FundsType::fee_returned, "退费"},
                                                {FundsType::withdrawal, "提现"},
                                                {FundsType::top_up, "充值"},
                                                {FundsType::penalty, "违约金扣款"},
                                                {FundsType::other, "其他扣款"}}};

std::string_view word_of(FundsType type) {
  const auto* word = std::ranges::find(kFundsWords, type, &FundsWord::type);
  FINALITY_CHECK(word != kFundsWords.end(), "a type of change has no word");
  return word->word;
}

struct FundsTotals {
  std::size_t in_count = 0;
  MinorUnits in = 0;
  std::size_t out_count = 0;
  MinorUnits out = 0;  // positive
};

void add(MinorUnits amount, FundsTotals& totals) {
  (amount > 0 ? totals.in_count : totals.out_count) += 1;
  (amount > 0 ? totals.in : totals.out) += amount > 0 ? amount : -amount;
}

FundsTotals funds_totals(const Bill& bill) {
  FundsTotals totals;
  for (const FundsLine& line : bill.funds.lines) add(line.amount, totals);
  return totals;
}

std::string note_of(const FundsLine& line) {
  if (line.refund) return out_request_no(*line.refund);
  return line.trade ? details_of(*line.trade).body : line.memo;
}

std::string funds_row(const FundsLine& line) {
  const bool is_income = line.amount > 0;
  const Trade trade = line.trade.value_or(Trade());
  return line_of({id_cell(line.line_id), id_cell(line.trade ? trade.trade_no : line.line_id),
                  id_cell(trade.out_trade_no), cell(trade.subject), china_time(line.at),
                  line.trade ? cell(buyer_logon_id(trade.payer)) : std::string(),
                  is_income ? to_yuan(line.amount) : "0.00", is_income ? "0.00" : to_yuan(line.amount),
                  to_yuan(line.balance), "支付宝", std::string(word_of(line.type)), cell(note_of(line))});
}

std::string funds_detail(const Bill& bill) {
  const FundsTotals totals = funds_totals(bill);
  std::string text = head(bill, "明细") + frame(bill, "明细", "") + line(kFundsHeader);
  for (const FundsLine& one : bill.funds.lines) text += funds_row(one);
  return text + frame(bill, "明细", "结束") +
         line(fmt::format("#支出合计：{}笔，共{}元", totals.out_count, to_yuan(-totals.out))) +
         line(fmt::format("#收入合计：{}笔，共{}元", totals.in_count, to_yuan(totals.in))) + exported_at(bill);
}

std::string funds_summary_row(std::string_view word, const FundsTotals& totals) {
  return line_of({std::string(word), fmt::format("{}", totals.in_count), to_yuan(totals.in),
                  fmt::format("{}", totals.out_count), to_yuan(-totals.out), to_yuan(totals.in - totals.out)});
}

std::string funds_summary(const Bill& bill) {
  std::map<std::string_view, FundsTotals> by_word;
  for (const FundsLine& one : bill.funds.lines) add(one.amount, by_word[word_of(one.type)]);
  std::string text = head(bill, "汇总") + frame(bill, "汇总", "") + line(kFundsSummaryHeader);
  for (const auto& [word, totals] : by_word) text += funds_summary_row(word, totals);
  return text + funds_summary_row("合计", funds_totals(bill)) + frame(bill, "汇总", "结束") + exported_at(bill);
}

// Returns the bill's file name without extension: the seller id, "0156", and the day or month. Example for the seller
// 2088102123456789: 20881021234567890156_20261121.
std::string stem_of(const Application& app, std::string_view date) {
  std::string digits(date);
  std::erase(digits, '-');
  return fmt::format("{}0156_{}", app.seller_id, digits);
}

std::string proof_of(const Secret& secret, std::string_view query) {
  return to_hex(hmac_sha256(secret.reveal(), query));
}

constexpr std::string_view kProof = "&token=";

}  // namespace

std::optional<BillKind> parse_bill_kind(std::string_view bill_type) {
  for (const BillKind kind : {BillKind::trades, BillKind::funds})
    if (names_of_kind(kind).type == bill_type) return kind;
  return std::nullopt;
}

std::optional<Bill> bill_of(Ledger& ledger, const Application& app, BillKind kind, const std::string& date) {
  const Day span = parse_china_day(date).value_or(Day());
  const FileState state = file_state(ledger, app.channel, date, span);
  if (state == FileState::not_ready) return std::nullopt;
  // Repeated downloads return the same bytes.
  const Time created_at = std::min(ledger.now(), span.end + statement_rules_of(app.channel).ready_after);
  Bill bill{.app = app, .kind = kind, .date = date, .span = span, .created_at = created_at, .trades = {}, .funds = {}};
  if (kind == BillKind::trades)
    bill.trades = trade_lines(ledger, app.channel, span, state);
  else
    bill.funds = funds_day(ledger, app.channel, date, span);
  return bill;
}

std::string to_zip(const Bill& bill) {
  const bool is_trades = bill.kind == BillKind::trades;
  const std::string stem = fmt::format("{}_{}明细", stem_of(bill.app, bill.date), names_of_kind(bill.kind).title);
  const std::array<ZipEntry, 2> files{
      {{.name = encode(kGbk, stem + ".csv"),
        .content = encode(kGbk, is_trades ? trade_detail(bill) : funds_detail(bill))},
       {.name = encode(kGbk, stem + "(汇总).csv"),
        .content = encode(kGbk, is_trades ? trade_summary(bill) : funds_summary(bill))}}};
  return zip_of(files);
}

std::string BillLinks::make(BillKind kind, const std::string& date, Time now) const {
  const std::string_view type = names_of_kind(kind).type;
  const std::string query =
      fmt::format("bizType={}&userId={}0156&fileType=csv.zip&bizDates={}&downloadFileName={}&expires={}", type,
                  app_.seller_id, date, bill_file_name(app_, kind, date), (now + life_).ms);
  return fmt::format("/{}?{}{}{}", kBillPath, query, kProof, proof_of(secret_, query));
}

std::optional<BillLinks::BillRequest> BillLinks::read(std::string_view query, Time now) const {
  const std::size_t proof = query.rfind(kProof);
  if (proof == std::string_view::npos) return std::nullopt;
  const std::string_view signed_part = query.substr(0, proof);
  if (!equal_in_constant_time(proof_of(secret_, signed_part), query.substr(proof + kProof.size()))) return std::nullopt;
  Params params;
  if (!add_form(signed_part, params)) return std::nullopt;
  const std::string_view expires = value_of(params, "expires");
  Time end;
  std::from_chars(expires.data(), expires.data() + expires.size(), end.ms);
  const std::optional<BillKind> kind = parse_bill_kind(value_of(params, "bizType"));
  if (!kind || end <= now) return std::nullopt;
  return BillRequest{.kind = *kind, .date = std::string(value_of(params, "bizDates"))};
}

std::string bill_file_name(const Application& app, BillKind kind, std::string_view date) {
  return fmt::format("{}_{}.csv.zip", stem_of(app, date), names_of_kind(kind).type);
}

}  // namespace finality::sandbox::alipay
