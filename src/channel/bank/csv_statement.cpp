#include "channel/bank/csv_statement.h"

#include <fmt/format.h>

#include <optional>

#include "base/limits.h"
#include "base/time/date.h"
#include "channel/parsing/columns.h"
#include "channel/parsing/inflate.h"
#include "channel/parsing/record_reader.h"

namespace finality::bank {
namespace {

namespace column {
enum : std::size_t { type, account, date, amount, currency, reference, text, balance, count };
}  // namespace column
// In the order of `column`.
constexpr Column kColumns[] = {{"type"},     {"account"},   {"date"}, {"amount"},
                               {"currency"}, {"reference"}, {"text"}, {"balance", false}};
static_assert(std::size(kColumns) == column::count);

class CsvStatement {
 public:
  CsvStatement(const BankAccountNumber& account, std::string_view date, LineCollector& lines)
      : account_(account), date_(date), lines_(lines) {}

  Result<void> take(const Record& record);
  Result<void> finish() { return set_balances(lines_, account_.currency, opening_, closing_); }

 private:
  void check_account(Row& row) const;
  Result<void> take_balance(Row& row, std::optional<MinorUnits>& balance);
  Result<void> take_line(Row& row, std::int64_t line_no);

  const BankAccountNumber& account_;
  std::string_view date_;
  LineCollector& lines_;
  std::optional<Columns> columns_;
  std::optional<MinorUnits> opening_;
  std::optional<MinorUnits> closing_;
};

// The rows of balances may be anywhere in the file.
Result<void> CsvStatement::take(const Record& record) {
  if (!columns_) return find_columns(kColumns, record, columns_);
  Row row(*columns_, record);
  check_account(row);
  const std::string_view type = row.text(column::type);
  if (type == "opening_balance") return take_balance(row, opening_);
  if (type == "closing_balance") return take_balance(row, closing_);
  if (type != "line") row.reject(column::type, "is not opening_balance, line or closing_balance");
  return take_line(row, record.line_no);
}

void CsvStatement::check_account(Row& row) const {
  if (!account_.is(row.text(column::account)))
    row.reject(column::account, fmt::format("is not the account {}", masked_number(account_.number)));
  if (row.text(column::currency) != account_.currency.text())
    row.reject(column::currency, fmt::format("is not {}, the currency of the account", account_.currency.text()));
  if (row.text(column::date) != date_) row.reject(column::date, "is not the day of the statement");
}

Result<void> CsvStatement::take_balance(Row& row, std::optional<MinorUnits>& balance) {
  if (balance) row.reject(column::type, "occurs twice");
  balance = row.amount(column::amount, account_.currency);
  return row.error();
}

Result<void> CsvStatement::take_line(Row& row, std::int64_t line_no) {
  StatementLine line{.line_no = line_no, .currency = account_.currency};
  line.amount = row.amount(column::amount, line.currency);
  line.kind = line.amount < 0 ? LineKind::bank_debit : LineKind::bank_credit;
  line.line_id = row.number(column::reference);
  if (!row.text(column::balance).empty()) line.balance = row.amount(column::balance, line.currency);
  line.at = start_of_day(date_, kBankTime).value_or(Time{});
  line.text = printable_text(row.text(column::text), kTextBytesMax);
  if (auto valid = row.error(); !valid) return valid;
  return lines_.add(std::move(line));
}

}  // namespace

Result<void> parse_csv(const BankAccountNumber& account, std::string_view date, std::string_view file,
                       LineCollector& lines) {
  CsvStatement statement(account, date, lines);
  return parse_records(CellStyle::quoted, statement, [file](const ByteSink& sink) {
    return unpack_gzip_or_plain(file, limits::kStatementUnpackedMax, sink);
  });
}

}  // namespace finality::bank
