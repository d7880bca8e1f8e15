#include "channel/wechatpay/statement/fund_bill.h"

#include <array>
#include <optional>

#include "channel/parsing/columns.h"
#include "channel/parsing/inflate.h"
#include "channel/parsing/record_reader.h"
#include "channel/wechatpay/statement/bill_frame.h"

namespace finality::wechatpay {
namespace {

constexpr std::size_t kTextBytesMax = 128;
constexpr std::string_view kTradeVoucher =
    "REF";  // begin of a voucher number: REF and the number of the refunded trade
constexpr std::int64_t kE5PerFen = kE5 / 100;

namespace column {
enum : std::size_t { time, business_no, line_id, business, type, direction, amount, balance, remark, voucher, count };
}  // namespace column

// In the order of `column`.
constexpr Column kColumns[] = {
    {.names = "记账时间"},
    {.names = "微信支付业务单号"},
    {.names = "资金流水单号"},
    {.names = "业务名称", .is_required = false},
    {.names = "业务类型"},
    {.names = "收支类型"},
    {.names = "收支金额(元)|收支金额"},
    {.names = "账户结余(元)|账户结余"},
    {.names = "备注", .is_required = false},
    {.names = "业务凭证号", .is_required = false},
};
static_assert(std::size(kColumns) == column::count);

namespace sum {
enum : std::size_t { rows, credits, credited, debits, debited, count };
}  // namespace sum

// In the order of `sum`.
constexpr Column kSums[] = {
    {.names = "资金流水总笔数"},        {.names = "收入笔数"},
    {.names = "收入金额(元)|收入金额"}, {.names = "支出笔数"},
    {.names = "支出金额(元)|支出金额"},
};
static_assert(std::size(kSums) == sum::count);

struct FundType {
  std::string_view type;
  bool is_credit;
  LineKind kind;
};
// The kinds of 业务类型. A type that is not in the table, or with the other direction, is `other`.
constexpr FundType kTypes[] = {
    {"交易", true, LineKind::payment},
    {"退款", false, LineKind::refund},
    {"退款关闭", true, LineKind::refund_returned},
    {"扣除交易手续费", false, LineKind::fee},
    {"退还交易手续费", true, LineKind::fee_returned},
    {"充值", true, LineKind::top_up},
    {"提现", false, LineKind::withdrawal},
};
// The kinds of 业务名称, for a 业务类型 that is not in the first table.
constexpr FundType kBusinesses[] = {
    {"充值/提现", true, LineKind::top_up},
    {"充值/提现", false, LineKind::withdrawal},
};

std::optional<LineKind> find_kind(std::span<const FundType> types, std::string_view type, bool is_credit) {
  for (const FundType& known : types)
    if (known.type == type && known.is_credit == is_credit) return known.kind;
  return std::nullopt;
}

LineKind kind_of(const Row& row, bool is_credit) {
  if (const auto kind = find_kind(kTypes, row.text(column::type), is_credit)) return *kind;
  return find_kind(kBusinesses, row.text(column::business), is_credit).value_or(LineKind::other);
}

class FundBill {
 public:
  FundBill(const DaySpan& day, LineCollector& lines) : day_(day), lines_(lines) {}

  Result<void> take(const Record& record);
  Result<void> finish();

 private:
  Result<void> take_header(const Record& record);
  Result<void> take_row(const Record& record);

  DaySpan day_;
  LineCollector& lines_;
  BalanceSpan balances_;
  BillFrame frame_;
  std::optional<Columns> columns_;
  std::optional<Columns> sum_columns_;
  std::array<std::int64_t, sum::count> sums_{};  // in 1/100,000
};

Result<void> FundBill::take(const Record& record) {
  const auto part = frame_.part_of(record);
  if (!part) return std::unexpected(part.error());
  switch (*part) {
    case BillPart::header:
      return take_header(record);
    case BillPart::row:
      return take_row(record);
    case BillPart::sums_header:
      return find_columns(kSums, record, sum_columns_);
    case BillPart::sums:
      return check_sums(*sum_columns_, record, sums_);
  }
  return {};
}

Result<void> FundBill::finish() {
  if (auto done = frame_.finish(); !done) return done;
  if (StatementSums* sums = lines_.sums_of(kYuan)) balances_.set(*sums);
  return {};
}

Result<void> FundBill::take_header(const Record& record) {
  if (auto found = find_columns(kColumns, record, columns_); !found) return found;
  // Both columns contain texts of the merchant. Their place is known only if no other column is between them.
  if (columns_->are_adjacent(column::remark, column::voucher)) columns_->allow_separator_in(column::remark);
  return {};
}

// Sets the numbers. A line about a refund has the refund's number, and its voucher names the refunded trade or the
// merchant's number of the refund. All other lines have the numbers of the trade.
void set_numbers(const Row& row, StatementLine& line) {
  const bool is_about_refund =
      line.kind == LineKind::refund || line.kind == LineKind::refund_returned || line.kind == LineKind::fee_returned;
  std::string voucher = row.number(column::voucher);
  if (!is_about_refund) {
    line.channel_trade_no = row.number(column::business_no);
    line.out_trade_no = std::move(voucher);
    return;
  }
  line.channel_refund_no = row.number(column::business_no);
  if (voucher.starts_with(kTradeVoucher))
    line.channel_trade_no = voucher.substr(kTradeVoucher.size());
  else
    line.out_refund_no = std::move(voucher);
}

Result<void> FundBill::take_row(const Record& record) {
  Row row(*columns_, record);
  const bool is_credit = row.text(column::direction) == "收入";
  if (!is_credit && row.text(column::direction) != "支出") row.reject(column::direction, "is neither 收入 nor 支出");
  const MinorUnits amount = row.amount(column::amount, kYuan);
  if (amount < 0) row.reject(column::amount, "is negative");
  StatementLine line{.line_no = record.line_no, .kind = kind_of(row, is_credit), .currency = kYuan};
  line.line_id = row.number(column::line_id);
  if (line.line_id.empty()) row.reject(column::line_id, "is missing");
  set_numbers(row, line);
  line.amount = is_credit ? amount : -amount;
  line.balance = row.amount(column::balance, kYuan);
  line.at = row.local_time(column::time, kChinaTime);
  if (!can_contain(day_, line.at)) row.reject(column::time, "is not on the day of the statement");
  line.text = printable_text(row.text(column::business), kTextBytesMax) + ' ' +
              printable_text(row.text(column::type), kTextBytesMax);
  if (auto valid = row.error(); !valid) return valid;
  sums_[sum::rows] += kE5;
  sums_[is_credit ? sum::credits : sum::debits] += kE5;
  std::int64_t& total = sums_[is_credit ? sum::credited : sum::debited];
  if (__builtin_add_overflow(total, amount * kE5PerFen, &total)) row.reject(column::amount, "makes the sum too large");
  if (auto valid = row.error(); !valid) return valid;
  balances_.add(line);
  return lines_.add(std::move(line));
}

}  // namespace

Result<void> parse_fund_bill(const DaySpan& day, std::string_view file, ParseBudget& budget, LineCollector& lines) {
  FundBill bill(day, lines);
  return parse_records(CellStyle::backtick, budget, bill,
                       [file, &budget](const ByteSink& sink) { return unpack_gzip_or_plain(file, budget, sink); });
}

}  // namespace finality::wechatpay
