#include "channel/sandbox/statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "channel/parsing/columns.h"
#include "channel/parsing/inflate.h"
#include "channel/parsing/record_reader.h"

namespace finality::sandbox_channel {
namespace {

constexpr std::size_t kMemoBytesMax = 128;

namespace head {
enum : std::size_t { version, channel, kind, date, time_zone, count };
}  // namespace head
constexpr Column kHead[] = {{"version"}, {"channel"}, {"kind"}, {"date"}, {"time_zone"}};
static_assert(std::size(kHead) == head::count);

namespace column {
enum : std::size_t {
  type,
  time,
  trade_no,
  out_trade_no,
  refund_no,
  out_refund_no,
  currency,
  amount,
  discount,
  fee,
  status,
  line_id,
  balance,
  memo,
  count,
};
}  // namespace column
// In the order of `column`: the columns of trades, and those of funds. A column without a name is not in the file.
constexpr Column kTrades[] = {{"type"},      {"time"},          {"trade_no"}, {"out_trade_no"},
                              {"refund_no"}, {"out_refund_no"}, {"currency"}, {"amount"},
                              {"discount"},  {"fee"},           {"status"}};
constexpr Column kFunds[] = {{"type"},          {"time"},     {"trade_no"}, {"out_trade_no"}, {"refund_no"},
                             {"out_refund_no"}, {"currency"}, {"amount"},   {"", false},      {"", false},
                             {"", false},       {"line_id"},  {"balance"},  {"memo", false}};
static_assert(std::size(kTrades) == column::line_id && std::size(kFunds) == column::count);

namespace total {
enum : std::size_t { currency, lines, payments, paid, refunds, refunded, fees, count };
enum : std::size_t { credits = payments, debits, opening_balance, closing_balance, funds_count };
}  // namespace total
// In the order of `total`.
constexpr Column kTradeTotals[] = {{"currency"}, {"lines"},    {"payments"}, {"paid"},
                                   {"refunds"},  {"refunded"}, {"fees"}};
constexpr Column kFundsTotals[] = {{"currency"}, {"lines"},           {"credits"},
                                   {"debits"},   {"opening_balance"}, {"closing_balance"}};
static_assert(std::size(kTradeTotals) == total::count && std::size(kFundsTotals) == total::funds_count);

struct LineType {
  std::string_view type;
  LineKind kind;
};
// Another type in a statement of funds is `other`.
constexpr LineType kTypes[] = {{"payment", LineKind::payment},
                               {"refund", LineKind::refund},
                               {"refund_returned", LineKind::refund_returned},
                               {"fee", LineKind::fee},
                               {"fee_returned", LineKind::fee_returned},
                               {"withdrawal", LineKind::withdrawal},
                               {"top_up", LineKind::top_up},
                               {"penalty", LineKind::adjustment}};

LineKind kind_of(std::string_view type) {
  const auto* known = std::ranges::find(kTypes, type, &LineType::type);
  return known == std::end(kTypes) ? LineKind::other : known->kind;
}

struct Status {
  std::string_view name;
  LineStatus status;
};
constexpr Status kStatuses[] = {
    {"success", LineStatus::succeeded}, {"processing", LineStatus::processing}, {"failed", LineStatus::failed}};

class Parser {
 public:
  Parser(std::string_view channel, const StatementCall& call, const DaySpan& day, LineCollector& lines)
      : channel_(channel), call_(call), day_(day), lines_(lines) {}

  Result<void> take(const Record& record);
  Result<void> finish() const;

 private:
  bool is_trades() const { return call_.kind == StatementKind::trades; }
  Result<void> take_head(const Record& record);
  Result<void> take_line(const Record& record);
  Result<void> take_totals(const Record& record);
  void read_trade(Row& row, StatementLine& line) const;
  void read_funds(Row& row, StatementLine& line) const;

  std::string_view channel_;
  const StatementCall& call_;
  DaySpan day_;
  LineCollector& lines_;
  std::optional<Columns> head_columns_;
  bool has_head_ = false;
  std::optional<Columns> columns_;
  std::optional<Columns> total_columns_;
  std::vector<Currency> totals_;  // currencies whose totals are compared
};

// The first cell names the type of the record. The first record of the type `statement` is a header.
Result<void> Parser::take(const Record& record) {
  const std::string_view type = record.cells.front();
  if (type == "statement" && !head_columns_) return find_columns(kHead, record, head_columns_);
  if (type == "statement" && !has_head_) return take_head(record);
  if (type == "columns" && has_head_ && !columns_)
    return find_columns(is_trades() ? std::span<const Column>(kTrades) : kFunds, record, columns_);
  if (type == "line" && columns_ && !total_columns_) return take_line(record);
  if (type == "totals_columns" && columns_ && !total_columns_)
    return find_columns(is_trades() ? std::span<const Column>(kTradeTotals) : kFundsTotals, record, total_columns_);
  if (type == "totals" && total_columns_) return take_totals(record);
  return fail(fmt::format("line {}: a record `{}` is not allowed here", record.line_no, printable_text(type, 40)));
}

Result<void> Parser::take_head(const Record& record) {
  Row row(*head_columns_, record);
  if (row.text(head::version) != "1") row.reject(head::version, "is not version 1");
  if (row.text(head::channel) != channel_) row.reject(head::channel, "is not this channel");
  if (row.text(head::kind) != name_of(call_.kind)) row.reject(head::kind, "is not the kind of the statement");
  if (row.text(head::date) != call_.date) row.reject(head::date, "is not the day of the statement");
  if (row.text(head::time_zone) != "+08:00") row.reject(head::time_zone, "is not +08:00");
  has_head_ = true;
  return row.error();
}

void Parser::read_trade(Row& row, StatementLine& line) const {
  if (line.kind != LineKind::payment && line.kind != LineKind::refund)
    row.reject(column::type, "is neither payment nor refund");
  if (line.amount < 0) row.reject(column::amount, "is negative");
  line.discount = row.amount(column::discount, line.currency);
  if (line.discount < 0 || line.discount > line.amount) row.reject(column::discount, "is not between 0 and the amount");
  line.fee_e5 = row.fee(column::fee);
  const auto* known = std::ranges::find(kStatuses, row.text(column::status), &Status::name);
  if (known != std::end(kStatuses))
    line.status = known->status;
  else
    row.reject(column::status, "is not success, processing or failed");
  if (line.kind == LineKind::payment && line.status == LineStatus::succeeded && line.channel_trade_no.empty())
    row.reject(column::trade_no, "is missing");
  line.text = fmt::format("{} {}", row.text(column::type), row.text(column::status));
}

void Parser::read_funds(Row& row, StatementLine& line) const {
  line.line_id = row.number(column::line_id);
  if (line.line_id.empty()) row.reject(column::line_id, "is missing");
  line.balance = row.amount(column::balance, line.currency);
  line.text = printable_text(row.text(column::type), kMemoBytesMax);
  if (const std::string_view memo = row.text(column::memo); !memo.empty())
    line.text += ' ' + printable_text(memo, kMemoBytesMax);
}

Result<void> Parser::take_line(const Record& record) {
  Row row(*columns_, record);
  StatementLine line{.line_no = record.line_no, .kind = kind_of(row.text(column::type))};
  line.channel_trade_no = row.number(column::trade_no);
  line.out_trade_no = row.number(column::out_trade_no);
  line.channel_refund_no = row.number(column::refund_no);
  line.out_refund_no = row.number(column::out_refund_no);
  line.currency = row.currency(column::currency);
  line.amount = row.amount(column::amount, line.currency);
  if (const auto at = parse_rfc3339(row.text(column::time)); at && can_contain(day_, *at))
    line.at = *at;
  else
    row.reject(column::time, "is not an RFC 3339 time on the day of the statement");
  if (is_trades())
    read_trade(row, line);
  else
    read_funds(row, line);
  if (auto valid = row.error(); !valid) return valid;
  return lines_.add(std::move(line));
}

void reject_unless(Row& row, std::size_t column, bool is_equal) {
  if (!is_equal) row.reject(column, "differs from the lines");
}

void check_trades(Row& row, const StatementSums& sums) {
  reject_unless(row, total::payments, row.count(total::payments) == sums.payments);
  reject_unless(row, total::paid, row.amount(total::paid, sums.currency) == sums.paid);
  reject_unless(row, total::refunds, row.count(total::refunds) == sums.refunds);
  reject_unless(row, total::refunded, row.amount(total::refunded, sums.currency) == sums.refunded);
  reject_unless(row, total::fees, row.fee(total::fees) == sums.fee_e5);
}

void check_funds(Row& row, StatementSums& sums) {
  reject_unless(row, total::credits, row.amount(total::credits, sums.currency) == sums.credits);
  reject_unless(row, total::debits, row.amount(total::debits, sums.currency) == sums.debits);
  sums.opening_balance = row.amount(total::opening_balance, sums.currency);
  sums.closing_balance = row.amount(total::closing_balance, sums.currency);
}

Result<void> Parser::take_totals(const Record& record) {
  Row row(*total_columns_, record);
  const Currency currency = row.currency(total::currency);
  if (std::ranges::find(totals_, currency) != totals_.end()) row.reject(total::currency, "has totals already");
  if (auto valid = row.error(); !valid) return valid;
  StatementSums& sums = lines_.sums_for(currency);
  reject_unless(row, total::lines, row.count(total::lines) == sums.lines);
  if (is_trades())
    check_trades(row, sums);
  else
    check_funds(row, sums);
  totals_.push_back(currency);
  return row.error();
}

Result<void> Parser::finish() const {
  if (total_columns_ && totals_.size() == lines_.sums().size()) return {};
  return fail("the file is incomplete: it ends before the totals of each currency");
}

}  // namespace

Result<void> parse_statement(std::string_view channel, const StatementCall& call, const DaySpan& day,
                             std::string_view file, ParseBudget& budget, LineCollector& lines) {
  Parser parser(channel, call, day, lines);
  return parse_records(CellStyle::quoted, budget, parser,
                       [file, &budget](const ByteSink& sink) { return unpack_gzip_or_plain(file, budget, sink); });
}

}  // namespace finality::sandbox_channel
