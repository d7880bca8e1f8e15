#include "channel/wechatpay/statement/trade_bill.h"

#include <algorithm>
#include <array>
#include <optional>

#include "channel/parsing/columns.h"
#include "channel/parsing/inflate.h"
#include "channel/parsing/record_reader.h"
#include "channel/wechatpay/statement/bill_frame.h"

namespace finality::wechatpay {
namespace {

constexpr std::size_t kTextBytesMax = 64;
constexpr std::string_view kScoreOrder = "wxzff|";

namespace column {
enum : std::size_t {
  time,
  merchant,
  trade_no,
  out_trade_no,
  trade_type,
  state,
  currency,
  settled,
  accepted_at,
  refund_no,
  out_refund_no,
  refunded,
  refunded_coupon,
  refund_type,
  refund_state,
  subject,
  attachment,
  fee,
  ordered,
  requested,
  count,
};
}  // namespace column

// In the order of `column`. The second names are those of the layout with 24 columns.
constexpr Column kColumns[] = {
    {.names = "交易时间"},
    {.names = "商户号"},
    {.names = "微信订单号"},
    {.names = "商户订单号"},
    {.names = "交易类型", .is_required = false},
    {.names = "交易状态"},
    {.names = "货币种类"},
    {.names = "应结订单金额|总金额"},
    {.names = "退款申请时间", .is_required = false},
    {.names = "微信退款单号", .is_required = false},
    {.names = "商户退款单号", .is_required = false},
    {.names = "退款金额", .is_required = false},
    {.names = "充值券退款金额|代金券或立减优惠退款金额|企业红包退款金额", .is_required = false},
    {.names = "退款类型", .is_required = false},
    {.names = "退款状态", .is_required = false},
    {.names = "商品名称", .is_required = false},
    {.names = "商户数据包", .is_required = false},
    {.names = "手续费"},
    {.names = "订单金额", .is_required = false},
    {.names = "申请退款金额", .is_required = false},
};
static_assert(std::size(kColumns) == column::count);

namespace sum {
enum : std::size_t { rows, settled, refunded, refunded_coupon, fee, ordered, requested, count };
}  // namespace sum

// In the order of `sum`.
constexpr Column kSums[] = {
    {.names = "总交易单数"},
    {.names = "应结订单总金额|总交易额", .is_required = false},
    {.names = "退款总金额|总退款金额", .is_required = false},
    {.names = "充值券退款总金额|总代金券或立减优惠退款金额|总企业红包退款金额", .is_required = false},
    {.names = "手续费总金额", .is_required = false},
    {.names = "订单总金额", .is_required = false},
    {.names = "申请退款总金额", .is_required = false},
};
static_assert(std::size(kSums) == sum::count);

// The column that each sum adds up; `rows` adds up none.
constexpr std::size_t kSummed[] = {column::count, column::settled, column::refunded, column::refunded_coupon,
                                   column::fee,   column::ordered, column::requested};
static_assert(std::size(kSummed) == sum::count);

struct RefundState {
  std::string_view state;
  LineStatus status;
};
// CHANGE: the refund could not be credited to the payer's card, and the merchant must choose another way. The money has
// left the merchant, so the refund is not final, like ABNORMAL in wechatpay/refund.cpp.
constexpr RefundState kRefundStates[] = {{"SUCCESS", LineStatus::succeeded},
                                         {"PROCESSING", LineStatus::processing},
                                         {"CHANGE", LineStatus::processing},
                                         {"FAIL", LineStatus::failed}};

class TradeBill {
 public:
  TradeBill(std::string_view mchid, const DaySpan& day, LineCollector& lines)
      : mchid_(mchid), day_(day), lines_(lines) {}

  Result<void> take(const Record& record);
  Result<void> finish() const { return frame_.finish(); }

 private:
  Result<void> take_header(const Record& record);
  Result<void> take_row(const Record& record);
  void add_to_sums(Row& row);
  void read_payment(Row& row, StatementLine& line) const;
  void read_refund(Row& row, StatementLine& line) const;

  std::string_view mchid_;
  DaySpan day_;
  LineCollector& lines_;
  BillFrame frame_;
  std::optional<Columns> columns_;
  std::optional<Columns> sum_columns_;
  std::array<std::int64_t, sum::count> sums_{};  // in 1/100,000
};

Result<void> TradeBill::take(const Record& record) {
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

Result<void> TradeBill::take_header(const Record& record) {
  if (auto found = find_columns(kColumns, record, columns_); !found) return found;
  // Both columns contain texts of the merchant. Their place is known only if no other column is between them.
  if (columns_->are_adjacent(column::subject, column::attachment)) columns_->allow_separator_in(column::subject);
  return {};
}

void TradeBill::add_to_sums(Row& row) {
  sums_[sum::rows] += kE5;
  for (std::size_t i = 0; i < sum::count; ++i)
    if (const std::size_t summed = kSummed[i]; summed != column::count && row.has(summed))
      if (__builtin_add_overflow(sums_[i], row.fee(summed), &sums_[i])) row.reject(summed, "makes the sum too large");
}

// Whether a cell contains a number. Cells without a value are empty or contain 0.
bool has_number(std::string_view cell) { return !cell.empty() && cell != "0"; }

// Returns the number that the merchant assigned to the payment. The orders of Pay Score (微信支付分) have a number of
// WeChat; theirs is in the attachment, wxzff|SERVICE|NUMBER.
std::string out_trade_no_of(const Row& row) {
  const std::string_view attachment = row.text(column::attachment);
  if (row.text(column::trade_type) == "AUTH" && attachment.starts_with(kScoreOrder))
    return printable_text(attachment.substr(attachment.rfind('|') + 1), Row::kNumberBytesMax);
  return row.number(column::out_trade_no);
}

std::string text_of(const Row& row) {
  std::string text;
  for (const std::size_t column : {column::trade_type, column::state, column::refund_type, column::refund_state}) {
    const std::string_view cell = row.text(column);
    if (cell.empty()) continue;
    if (!text.empty()) text += ' ';
    text += printable_text(cell, kTextBytesMax);
  }
  return text;
}

void TradeBill::read_payment(Row& row, StatementLine& line) const {
  const MinorUnits settled = row.amount(column::settled, line.currency);
  line.kind = LineKind::payment;
  line.status = row.text(column::state) == "REVOKED" ? LineStatus::failed : LineStatus::succeeded;
  line.amount = row.has(column::ordered) ? row.amount(column::ordered, line.currency) : settled;
  line.discount = line.amount - settled;
  if (line.status == LineStatus::succeeded && !has_number(line.channel_trade_no))
    row.reject(column::trade_no, "is missing");
  if (settled < 0 || line.discount < 0) row.reject(column::settled, "is negative or exceeds the amount of the order");
}

void TradeBill::read_refund(Row& row, StatementLine& line) const {
  const MinorUnits settled = row.amount(column::refunded, line.currency);
  line.kind = LineKind::refund;
  line.amount = row.has(column::requested) ? row.amount(column::requested, line.currency) : settled;
  line.discount = line.amount - settled;
  if (settled < 0 || line.discount < 0) row.reject(column::refunded, "is negative or exceeds the requested amount");
  if (has_number(row.text(column::refund_no))) line.channel_refund_no = row.number(column::refund_no);
  if (has_number(row.text(column::out_refund_no))) line.out_refund_no = row.number(column::out_refund_no);
  if (row.has(column::accepted_at)) line.at = row.local_time(column::accepted_at, kChinaTime);
  const std::string_view state = row.text(column::refund_state);
  const auto* known = std::ranges::find(kRefundStates, state, &RefundState::state);
  if (known != std::end(kRefundStates))
    line.status = known->status;
  else
    row.reject(column::refund_state, "is not a known status of a refund");
}

Result<void> TradeBill::take_row(const Record& record) {
  Row row(*columns_, record);
  if (row.text(column::merchant) != mchid_) row.reject(column::merchant, "is not the merchant of this channel account");
  StatementLine line{.line_no = record.line_no};
  line.channel_trade_no = row.number(column::trade_no);
  line.out_trade_no = out_trade_no_of(row);
  line.currency = row.currency(column::currency);
  line.fee_e5 = row.fee(column::fee);
  line.at = row.local_time(column::time, kChinaTime);
  line.text = text_of(row);
  const std::string_view state = row.text(column::state);
  const bool has_refund = row.has(column::refunded) && row.fee(column::refunded) != 0;
  // A statement of successes lists a payment that was refunded on the same day as a payment.
  const bool is_refund = (state == "REFUND" && row.has(column::refunded)) || (state == "REVOKED" && has_refund);
  if (state != "SUCCESS" && state != "REFUND" && state != "REVOKED") row.reject(column::state, "is not a known status");
  if (is_refund)
    read_refund(row, line);
  else
    read_payment(row, line);
  if (!can_contain(day_, line.at)) row.reject(column::time, "is not on the day of the statement");
  add_to_sums(row);
  if (auto valid = row.error(); !valid) return valid;
  return lines_.add(std::move(line));
}

}  // namespace

Result<void> parse_trade_bill(std::string_view mchid, const DaySpan& day, std::string_view file, ParseBudget& budget,
                              LineCollector& lines) {
  TradeBill bill(mchid, day, lines);
  return parse_records(CellStyle::backtick, budget, bill,
                       [file, &budget](const ByteSink& sink) { return unpack_gzip_or_plain(file, budget, sink); });
}

}  // namespace finality::wechatpay
