#include "channel/bank/csv_statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/crypto/crypto.h"
#include "base/crypto/encoding.h"
#include "base/time/date.h"
#include "channel/bank/running_balance.h"
#include "channel/parsing/columns.h"
#include "channel/parsing/gb18030.h"
#include "channel/parsing/inflate.h"
#include "channel/parsing/record_reader.h"
#include "model/natural_key.h"

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
  Result<void> finish();

 private:
  void check_account(Row& row) const;
  Result<void> take_balance(Row& row, std::optional<MinorUnits>& balance);
  Result<void> take_line(Row& row, std::int64_t line_no);
  void check_reference(Row& row, std::int64_t line_no);

  const BankAccountNumber& account_;
  std::string_view date_;
  LineCollector& lines_;
  std::optional<Columns> columns_;
  std::optional<MinorUnits> opening_;
  std::optional<MinorUnits> closing_;
  RunningBalance balances_;
  boost::unordered_flat_map<Hash16, std::int64_t, Hash16Hasher> references_;  // lines by the hash of the reference
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
  check_reference(row, line_no);
  line.line_id = row.number(column::reference);
  if (!row.text(column::balance).empty()) line.balance = row.amount(column::balance, line.currency);
  line.at = start_of_day(date_, kBankTime).value_or(Time{});
  line.text = printable_text(row.text(column::text), kTextBytesMax);
  if (auto valid = row.error(); !valid) return valid;
  balances_.add(line);
  return lines_.add(std::move(line));
}

// A repeated reference is a line that was exported twice, or a reference that identifies no line.
void CsvStatement::check_reference(Row& row, std::int64_t line_no) {
  const std::string_view reference = row.text(column::reference);
  if (reference.empty()) return;
  if (reference.size() > Row::kNumberBytesMax)
    row.reject(column::reference, fmt::format("has more than {} bytes", Row::kNumberBytesMax));
  const auto [first, is_new] = references_.try_emplace(sha256_16(reference), line_no);
  if (!is_new)
    row.reject(column::reference,
               fmt::format("is also the reference of line {}: remove the repeated line, or leave the cell empty if the "
                           "bank's references are not unique",
                           first->second));
}

Result<void> CsvStatement::finish() {
  if (auto done = set_balances(lines_, account_.currency, opening_, closing_); !done) return done;
  return balances_.check(*opening_, *closing_, account_.currency);
}

// Finds whether all cells of a file are UTF-8.
class Utf8Check {
 public:
  Result<void> take(const Record& record) {
    is_passed_ = is_passed_ && std::ranges::all_of(record.cells, is_utf8);
    return {};
  }
  Result<void> finish() { return {}; }
  bool is_passed() const { return is_passed_; }

 private:
  bool is_passed_ = true;
};

// Converts the cells of records from GB18030, and passes the records on. No byte of a character of GB18030 is equal to
// a separator, so the records can be split before.
class Gb18030Cells {
 public:
  Gb18030Cells(Gb18030Decoder& decoder, std::string& decoded, CsvStatement& statement)
      : decoder_(decoder), decoded_(decoded), statement_(statement) {}

  Result<void> take(const Record& record);
  Result<void> finish() { return statement_.finish(); }

 private:
  Gb18030Decoder& decoder_;
  std::string& decoded_;  // receives the text of the decoder
  CsvStatement& statement_;
  std::vector<std::string> texts_;
  std::vector<std::string_view> cells_;
};

Result<void> Gb18030Cells::take(const Record& record) {
  texts_.clear();
  for (const std::string_view cell : record.cells) {
    decoded_.clear();
    auto done = decoder_.take(cell);
    if (done) done = decoder_.finish();
    if (!done) return done;
    if (decoder_.has_replaced())
      return fail(fmt::format("line {}, column {}: the text is neither UTF-8 nor GB18030: export the file in UTF-8",
                              record.line_no, texts_.size() + 1));
    texts_.push_back(decoded_);
  }
  cells_.assign(texts_.begin(), texts_.end());
  return statement_.take({.line_no = record.line_no, .cells = cells_});
}

template <class Parser>
Result<void> read_records(std::string_view file, ParseBudget& budget, Parser& parser) {
  return parse_records(CellStyle::quoted, budget, parser,
                       [file, &budget](const ByteSink& sink) { return unpack_gzip_or_plain(file, budget, sink); });
}

}  // namespace

Result<void> parse_csv(const BankAccountNumber& account, std::string_view date, std::string_view file,
                       ParseBudget& budget, LineCollector& lines) {
  Utf8Check check;
  if (auto checked = read_records(file, budget, check); !checked) return checked;
  CsvStatement statement(account, date, lines);
  if (check.is_passed()) return read_records(file, budget, statement);
  std::string decoded;
  auto decoder = Gb18030Decoder::open(budget, [&decoded](std::string_view text) -> Result<void> {
    decoded += text;
    return {};
  });
  if (!decoder) return std::unexpected(decoder.error());
  Gb18030Cells cells(*decoder, decoded, statement);
  return read_records(file, budget, cells);
}

}  // namespace finality::bank
