#include "sandbox/alipay/bill.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/crypto/crypto.h"
#include "base/crypto/encoding.h"
#include "sandbox/alipay/message.h"
#include "sandbox/alipay/trade.h"
#include "sandbox/core/gbk.h"
#include "sandbox/core/yuan.h"
#include "sandbox/core/zip.h"

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

struct Totals {
  std::size_t payments = 0;
  std::size_t refunds = 0;
  MinorUnits in = 0;
  MinorUnits out = 0;
};

Totals totals_of(const Bill& bill) {
  Totals totals{.payments = bill.payments.size(), .refunds = bill.refunds.size()};
  for (const Trade& trade : bill.payments) totals.in += trade.paid;
  for (const auto& [trade, refund] : bill.refunds) totals.out += refund.amount;
  return totals;
}

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

// Formats the row of the trade's payment or, if `refund` is not null, of that refund. Amounts of refunds are negative.
std::string trade_row(const Trade& trade, const Refund* refund) {
  const std::string amount = to_yuan(refund != nullptr ? -refund->amount : trade.paid);
  const std::string none = "0.00";
  return line_of({id_cell(trade.trade_no),
                  id_cell(trade.out_trade_no),
                  refund != nullptr ? "退款" : "交易",
                  cell(trade.subject),
                  china_time(trade.created_at),
                  china_time(refund != nullptr ? refund->created_at : *trade.paid_at),
                  "",
                  "",
                  "",
                  "",
                  cell(buyer_logon_id(trade)),
                  amount,
                  amount,
                  none,
                  none,
                  none,
                  none,
                  none,
                  "",
                  none,
                  none,
                  refund != nullptr ? id_cell(out_request_no(*refund)) : std::string(),
                  none,
                  none,
                  refund != nullptr ? cell(refund->details) : cell(details_of(trade).body)});
}

std::string trade_detail(const Bill& bill) {
  const Totals totals = totals_of(bill);
  std::string text = head(bill, "明细") + frame(bill, "明细", "") + line(kTradeHeader);
  for (const Trade& trade : bill.payments) text += trade_row(trade, nullptr);
  for (const auto& [trade, refund] : bill.refunds) text += trade_row(trade, &refund);
  return text + frame(bill, "明细", "结束") +
         line(fmt::format("#交易合计：{}笔，商家实收共{}元，商家优惠共0.00元", totals.payments, to_yuan(totals.in))) +
         line(fmt::format("#退款合计：{}笔，商家实收退款共{}元，商家优惠退款共0.00元", totals.refunds,
                          to_yuan(-totals.out))) +
         exported_at(bill);
}

std::string trade_summary(const Bill& bill) {
  const Totals totals = totals_of(bill);
  const std::string net = to_yuan(totals.in - totals.out);
  const std::string none = "0.00";
  return head(bill, "汇总") + frame(bill, "汇总", "") + line(kTradeSummaryHeader) +
         line_of({"合计", "", fmt::format("{}", totals.payments), fmt::format("{}", totals.refunds), net, net, none,
                  none, none, none, none, net}) +
         frame(bill, "汇总", "结束") + exported_at(bill);
}

// One credit or debit of the merchant's account.
struct Movement {
  Time at;
  std::string number;
  const Trade* trade;
  MinorUnits amount;  // positive: credit; negative: debit
  std::string note;
};

std::vector<Movement> movements_of(const Bill& bill) {
  std::vector<Movement> movements;
  for (const Trade& trade : bill.payments)
    movements.push_back({*trade.paid_at, trade.trade_no, &trade, trade.paid, details_of(trade).body});
  for (const auto& [trade, refund] : bill.refunds)
    movements.push_back({refund.created_at, refund.refund_no, &trade, -refund.amount, out_request_no(refund)});
  std::ranges::sort(movements, {}, [](const Movement& movement) { return std::pair(movement.at, movement.number); });
  return movements;
}

std::string funds_row(const Movement& movement, MinorUnits balance) {
  const bool is_income = movement.amount > 0;
  return line_of({id_cell(movement.number), id_cell(movement.trade->trade_no), id_cell(movement.trade->out_trade_no),
                  cell(movement.trade->subject), china_time(movement.at), cell(buyer_logon_id(*movement.trade)),
                  is_income ? to_yuan(movement.amount) : "0.00", is_income ? "0.00" : to_yuan(movement.amount),
                  to_yuan(balance), "支付宝", is_income ? "在线支付" : "交易退款", cell(movement.note)});
}

std::string funds_detail(const Bill& bill) {
  const Totals totals = totals_of(bill);
  std::string text = head(bill, "明细") + frame(bill, "明细", "") + line(kFundsHeader);
  MinorUnits balance = bill.opening_balance;
  for (const Movement& movement : movements_of(bill)) text += funds_row(movement, balance += movement.amount);
  return text + frame(bill, "明细", "结束") +
         line(fmt::format("#支出合计：{}笔，共{}元", totals.refunds, to_yuan(-totals.out))) +
         line(fmt::format("#收入合计：{}笔，共{}元", totals.payments, to_yuan(totals.in))) + exported_at(bill);
}

std::string funds_summary(const Bill& bill) {
  const Totals totals = totals_of(bill);
  const auto row = [](std::string_view type, std::size_t in_count, MinorUnits in, std::size_t out_count,
                      MinorUnits out) {
    return line_of({std::string(type), fmt::format("{}", in_count), to_yuan(in), fmt::format("{}", out_count),
                    to_yuan(-out), to_yuan(in - out)});
  };
  return head(bill, "汇总") + frame(bill, "汇总", "") + line(kFundsSummaryHeader) +
         row("在线支付", totals.payments, totals.in, 0, 0) + row("交易退款", 0, 0, totals.refunds, totals.out) +
         row("合计", totals.payments, totals.in, totals.refunds, totals.out) + frame(bill, "汇总", "结束") +
         exported_at(bill);
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

bool has_bill(Ledger& ledger, const Application& app, const Day& span) {
  bool has_any = false;
  ledger.for_each_payment(app.channel, span.begin, span.end, [&](const Trade&) { has_any = true; });
  ledger.for_each_refund(app.channel, span.begin, span.end, [&](const Trade&, const Refund&) { has_any = true; });
  return has_any;
}

Bill bill_of(Ledger& ledger, const Application& app, BillKind kind, const std::string& date) {
  Bill bill{.app = app,
            .kind = kind,
            .date = date,
            .span = parse_china_day(date).value_or(Day()),
            .created_at = ledger.now(),
            .payments = {},
            .refunds = {}};
  const Day& span = bill.span;
  ledger.for_each_payment(app.channel, span.begin, span.end,
                          [&](const Trade& trade) { bill.payments.push_back(trade); });
  ledger.for_each_refund(app.channel, span.begin, span.end,
                         [&](const Trade& trade, const Refund& refund) { bill.refunds.emplace_back(trade, refund); });
  if (kind == BillKind::trades) return bill;
  ledger.for_each_payment(app.channel, Time(), span.begin,
                          [&](const Trade& trade) { bill.opening_balance += trade.paid; });
  ledger.for_each_refund(app.channel, Time(), span.begin,
                         [&](const Trade&, const Refund& refund) { bill.opening_balance -= refund.amount; });
  return bill;
}

std::string to_zip(const Bill& bill) {
  const bool is_trades = bill.kind == BillKind::trades;
  const std::string stem = fmt::format("{}_{}明细", stem_of(bill.app, bill.date), names_of_kind(bill.kind).title);
  const std::array<ZipEntry, 2> files{
      {{.name = to_gbk(stem + ".csv"), .content = to_gbk(is_trades ? trade_detail(bill) : funds_detail(bill))},
       {.name = to_gbk(stem + "(汇总).csv"),
        .content = to_gbk(is_trades ? trade_summary(bill) : funds_summary(bill))}}};
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
