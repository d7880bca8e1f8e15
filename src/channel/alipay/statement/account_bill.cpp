#include "channel/alipay/statement/account_bill.h"

#include <cstdlib>
#include <optional>

#include "channel/alipay/statement/csv_frame.h"
#include "channel/alipay/statement/download.h"
#include "channel/parsing/columns.h"

namespace finality::alipay {
namespace {

constexpr std::size_t kTextBytesMax = 128;

namespace column {
enum : std::size_t {
  line_id,
  business_no,
  base_order_no,
  out_trade_no,
  time,
  credit,
  debit,
  balance,
  type,
  description,
  count,
};
}  // namespace column

// In the order of `column`.
constexpr Column kColumns[] = {
    {.names = "账务流水号"},
    {.names = "业务流水号"},
    {.names = "业务基础订单号", .is_required = false},
    {.names = "商户订单号"},
    {.names = "发生时间"},
    {.names = "收入金额(+元)|收入金额(元)|收入金额"},
    {.names = "支出金额(-元)|支出金额(元)|支出金额"},
    {.names = "账户余额(元)|账户余额"},
    {.names = "业务类型"},
    {.names = "业务描述", .is_required = false},
};
static_assert(std::size(kColumns) == column::count);

struct AccountType {
  std::string_view type;
  bool is_credit;
  LineKind kind;
};
// A 业务类型 that is not in the table, or with the other direction, is `other`.
constexpr AccountType kTypes[] = {
    {"在线支付", true, LineKind::payment},
    {"交易", true, LineKind::payment},
    {"交易退款", false, LineKind::refund},
    {"退款", false, LineKind::refund},
    {"交易退款", true, LineKind::refund_returned},
    {"退款", true, LineKind::refund_returned},
    {"收费", false, LineKind::fee},
    {"服务费", false, LineKind::fee},
    {"手续费", false, LineKind::fee},
    {"退费", true, LineKind::fee_returned},
    {"收费", true, LineKind::fee_returned},
    {"服务费", true, LineKind::fee_returned},
    {"手续费", true, LineKind::fee_returned},
    {"充值", true, LineKind::top_up},
    {"提现", false, LineKind::withdrawal},
};

LineKind kind_of(std::string_view type, bool is_credit) {
  for (const AccountType& known : kTypes)
    if (known.type == type && known.is_credit == is_credit) return known.kind;
  return LineKind::other;
}

struct Totals {
  std::int64_t count = 0;
  MinorUnits sum = 0;
};

class AccountBill {
 public:
  AccountBill(std::string_view seller_id, const DaySpan& day, LineCollector& lines)
      : day_(day), lines_(lines), frame_("账务明细", seller_id, day) {}

  Result<void> take(const Record& record);
  Result<void> finish();

 private:
  Result<void> take_row(const Record& record);
  MinorUnits read_amount(Row& row);
  static void add_to(Totals& totals, MinorUnits amount, Row& row);

  DaySpan day_;
  LineCollector& lines_;
  CsvFrame frame_;
  BalanceSpan balances_;
  std::optional<Columns> columns_;
  Totals credits_;
  Totals debits_;
};

Result<void> AccountBill::take(const Record& record) {
  const auto part = frame_.part_of(record);
  if (!part) return std::unexpected(part.error());
  if (*part == CsvPart::row) return take_row(record);
  return *part == CsvPart::header ? find_columns(kColumns, record, columns_) : Result<void>{};
}

Result<void> AccountBill::finish() {
  if (auto done = frame_.finish(); !done) return done;
  if (auto same = frame_.check_total("支出", debits_.count, {&debits_.sum, 1}); !same) return same;
  if (auto same = frame_.check_total("收入", credits_.count, {&credits_.sum, 1}); !same) return same;
  if (StatementSums* sums = lines_.sums_of(kYuan)) balances_.set(*sums);
  return {};
}

void AccountBill::add_to(Totals& totals, MinorUnits amount, Row& row) {
  ++totals.count;
  if (__builtin_add_overflow(totals.sum, amount, &totals.sum)) row.reject(column::balance, "makes the sum too large");
}

// Returns the change of the balance. The column of the other direction is empty or 0. Files differ in the sign of
// debits.
MinorUnits AccountBill::read_amount(Row& row) {
  const auto size_of = [&](std::size_t column) {
    return row.text(column).empty() ? MinorUnits{0} : std::abs(row.amount(column, kYuan));
  };
  const MinorUnits credit = size_of(column::credit);
  const MinorUnits debit = size_of(column::debit);
  if (credit != 0 && debit != 0) row.reject(column::credit, "is not the only amount of the row");
  if (credit > 0) add_to(credits_, credit, row);
  if (debit > 0) add_to(debits_, debit, row);
  return credit - debit;
}

Result<void> AccountBill::take_row(const Record& record) {
  Row row(*columns_, record);
  StatementLine line{.line_no = record.line_no, .currency = kYuan};
  line.amount = read_amount(row);
  line.kind = kind_of(row.text(column::type), line.amount > 0);
  line.line_id = row.number(column::line_id);
  if (line.line_id.empty()) row.reject(column::line_id, "is missing");
  line.channel_trade_no = row.number(column::business_no);
  if (line.channel_trade_no.empty()) line.channel_trade_no = row.number(column::base_order_no);
  line.out_trade_no = row.number(column::out_trade_no);
  line.balance = row.amount(column::balance, kYuan);
  line.at = row.local_time(column::time, kChinaTime);
  if (!can_contain(day_, line.at)) row.reject(column::time, "is not on the day of the statement");
  line.text = printable_text(row.text(column::type), kTextBytesMax);
  if (const std::string_view more = row.text(column::description); !more.empty())
    line.text += ' ' + printable_text(more, kTextBytesMax);
  if (auto valid = row.error(); !valid) return valid;
  balances_.add(line);
  return lines_.add(std::move(line));
}

}  // namespace

Result<void> parse_account_bill(std::string_view seller_id, const DaySpan& day, std::string_view file,
                                ParseBudget& budget, LineCollector& lines) {
  AccountBill bill(seller_id, day, lines);
  return parse_records(CellStyle::plain, budget, bill,
                       [file, &budget](const ByteSink& sink) { return read_statement_text(file, budget, sink); });
}

}  // namespace finality::alipay
