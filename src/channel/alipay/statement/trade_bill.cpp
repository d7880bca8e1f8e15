#include "channel/alipay/statement/trade_bill.h"

#include <cstdlib>
#include <optional>

#include "channel/alipay/statement/csv_frame.h"
#include "channel/alipay/statement/download.h"
#include "channel/parsing/columns.h"

namespace finality::alipay {
namespace {

namespace column {
enum : std::size_t {
  trade_no,
  out_trade_no,
  type,
  created_at,
  finished_at,
  ordered,
  settled,
  merchant_discount,
  out_refund_no,
  fee,
  count,
};
}  // namespace column

// In the order of `column`.
constexpr Column kColumns[] = {
    {.names = "支付宝交易号"},
    {.names = "商户订单号"},
    {.names = "业务类型"},
    {.names = "创建时间"},
    {.names = "完成时间"},
    {.names = "订单金额(元)|订单金额"},
    {.names = "商家实收(元)|商家实收"},
    {.names = "商家优惠(元)|商家优惠", .is_required = false},
    {.names = "退款批次号/请求号|退款批次号"},
    {.names = "服务费(元)|服务费"},
};
static_assert(std::size(kColumns) == column::count);

struct Totals {
  std::int64_t count = 0;
  MinorUnits settled = 0;
  MinorUnits merchant_discount = 0;
};

class TradeBill {
 public:
  TradeBill(std::string_view seller_id, const DaySpan& day, LineCollector& lines)
      : day_(day), lines_(lines), frame_("业务明细", seller_id, day) {}

  Result<void> take(const Record& record);
  Result<void> finish() const;

 private:
  Result<void> take_row(const Record& record);
  void set_time(Row& row, StatementLine& line) const;
  static void add_to(Totals& totals, Row& row);

  DaySpan day_;
  LineCollector& lines_;
  CsvFrame frame_;
  std::optional<Columns> columns_;
  Totals payments_;
  Totals refunds_;
};

Result<void> TradeBill::take(const Record& record) {
  const auto part = frame_.part_of(record);
  if (!part) return std::unexpected(part.error());
  if (*part == CsvPart::row) return take_row(record);
  return *part == CsvPart::header ? find_columns(kColumns, record, columns_) : Result<void>{};
}

Result<void> TradeBill::finish() const {
  if (auto done = frame_.finish(); !done) return done;
  const MinorUnits paid[] = {payments_.settled, payments_.merchant_discount};
  if (auto same = frame_.check_total("交易", payments_.count, paid); !same) return same;
  const MinorUnits refunded[] = {refunds_.settled, refunds_.merchant_discount};
  return frame_.check_total("退款", refunds_.count, refunded);
}

// Alipay does not document by which of the two times it cuts the days.
void TradeBill::set_time(Row& row, StatementLine& line) const {
  const bool is_finished = !row.text(column::finished_at).empty();
  line.at = row.local_time(is_finished ? column::finished_at : column::created_at, kChinaTime);
  if (!can_contain(day_, line.at) && !can_contain(day_, row.local_time(column::created_at, kChinaTime)))
    row.reject(column::finished_at, "is not on the day of the statement");
}

void TradeBill::add_to(Totals& totals, Row& row) {
  const MinorUnits discount =
      row.has(column::merchant_discount) ? row.amount(column::merchant_discount, kYuan) : MinorUnits{0};
  ++totals.count;
  if (__builtin_add_overflow(totals.settled, std::abs(row.amount(column::settled, kYuan)), &totals.settled) ||
      __builtin_add_overflow(totals.merchant_discount, std::abs(discount), &totals.merchant_discount))
    row.reject(column::settled, "makes the sum too large");
}

Result<void> TradeBill::take_row(const Record& record) {
  Row row(*columns_, record);
  const std::string_view type = row.text(column::type);
  const bool is_refund = type == "退款";
  if (!is_refund && type != "交易") row.reject(column::type, "is neither 交易 nor 退款");
  StatementLine line{.line_no = record.line_no,
                     .kind = is_refund ? LineKind::refund : LineKind::payment,
                     .status = LineStatus::succeeded,
                     .currency = kYuan};
  line.channel_trade_no = row.number(column::trade_no);
  if (!is_refund && line.channel_trade_no.empty()) row.reject(column::trade_no, "is missing");
  line.out_trade_no = row.number(column::out_trade_no);
  if (is_refund) line.out_refund_no = row.number(column::out_refund_no);
  line.amount = std::abs(row.amount(column::ordered, kYuan));
  line.discount = line.amount - std::abs(row.amount(column::settled, kYuan));
  if (line.discount < 0) row.reject(column::settled, "exceeds 订单金额");
  const std::int64_t fee = std::abs(row.fee(column::fee));
  line.fee_e5 = is_refund ? -fee : fee;
  set_time(row, line);
  line.text = std::string(type);
  add_to(is_refund ? refunds_ : payments_, row);
  if (auto valid = row.error(); !valid) return valid;
  return lines_.add(std::move(line));
}

}  // namespace

Result<void> parse_trade_bill(std::string_view seller_id, const DaySpan& day, std::string_view file,
                              ParseBudget& budget, LineCollector& lines) {
  TradeBill bill(seller_id, day, lines);
  return parse_records(CellStyle::plain, budget, bill,
                       [file, &budget](const ByteSink& sink) { return read_statement_text(file, budget, sink); });
}

}  // namespace finality::alipay
