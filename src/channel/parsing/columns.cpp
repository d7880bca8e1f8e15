#include "channel/parsing/columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/limits.h"
#include "channel/parsing/statement_values.h"
#include "model/statement_line.h"

namespace finality {
namespace {

constexpr std::size_t kShownBytesMax = 40;  // of a cell in an error message
constexpr std::int64_t kFeeMax = limits::kAmountMax * 1000;

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

// Returns the name in the form in which names are compared.
std::string normalized(std::string_view name) {
  std::string text(name);
  std::erase(text, ' ');
  replace_all(text, "（", "(");
  replace_all(text, "）", ")");
  return text;
}

// Whether `name` is one of the names, which are separated by '|'.
bool is_one_of(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    const std::string_view one = names.substr(0, names.find('|'));
    if (one == name) return true;
    names.remove_prefix(std::min(names.size(), one.size() + 1));
  }
  return false;
}

std::string_view first_of(std::string_view names) { return names.substr(0, names.find('|')); }

}  // namespace

Result<Columns> Columns::find(std::span<const Column> wanted, const Record& header) {
  Columns columns;
  columns.wanted_ = wanted;
  columns.places_.resize(wanted.size());
  columns.names_.resize(wanted.size());
  columns.cells_ = header.cells.size();
  for (std::size_t cell = 0; cell < columns.cells_; ++cell) {
    const std::string name = normalized(header.cells[cell]);
    const auto at = std::ranges::find_if(wanted, [&](const Column& column) { return is_one_of(column.names, name); });
    if (at == wanted.end()) continue;
    const auto column = static_cast<std::size_t>(at - wanted.begin());
    if (columns.has(column)) return fail(fmt::format("line {}: the column {} occurs twice", header.line_no, name));
    columns.places_[column] = cell;
    columns.names_[column] = name;
  }
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i].is_required && !columns.places_[i])
      return fail(fmt::format("line {}: the column {} is missing", header.line_no, first_of(wanted[i].names)));
  return columns;
}

Result<void> find_columns(std::span<const Column> wanted, const Record& header, std::optional<Columns>& columns) {
  auto found = Columns::find(wanted, header);
  if (!found) return std::unexpected(found.error());
  columns = std::move(*found);
  return {};
}

bool Columns::are_adjacent(std::size_t first, std::size_t second) const {
  return places_[first] && places_[second] && *places_[first] + 1 == *places_[second];
}

std::string_view Columns::name(std::size_t column) const {
  return has(column) ? std::string_view(names_[column]) : first_of(wanted_[column].names);
}

Row::Row(const Columns& columns, const Record& record) : columns_(columns), record_(record) {
  const std::size_t cells = record.cells.size();
  const bool fits = columns.free_text_cell_ ? cells >= columns.cells_ : cells == columns.cells_;
  if (!fits)
    error_ = fmt::format("line {}: {} columns, but the header has {}", record.line_no, cells, columns.cells_);
  else
    surplus_ = cells - columns.cells_;
}

std::string_view Row::text(std::size_t column) const {
  const auto place = columns_.places_[column];
  if (!place) return {};
  const std::size_t cell = *place + (columns_.free_text_cell_ && *place > *columns_.free_text_cell_ ? surplus_ : 0);
  return cell < record_.cells.size() ? record_.cells[cell] : std::string_view();
}

std::string Row::number(std::size_t column) const { return printable_text(text(column), kNumberBytesMax); }

MinorUnits Row::amount(std::size_t column, Currency currency) {
  const int digits = exponent_of(currency);
  const auto amount = parse_decimal(text(column), digits, limits::kAmountMax);
  if (!amount)
    reject(column, fmt::format("is not an amount of at most {} with at most {} decimal digits",
                               format_money(limits::kAmountMax, currency), digits));
  return amount.value_or(0);
}

std::int64_t Row::fee(std::size_t column) {
  if (text(column).empty()) return 0;
  const auto fee = parse_decimal(text(column), kFeeDigits, kFeeMax);
  if (!fee) reject(column, fmt::format("is not an amount with at most {} decimal digits", kFeeDigits));
  return fee.value_or(0);
}

std::int64_t Row::count(std::size_t column) {
  const auto count = parse_count(text(column));
  if (!count) reject(column, "is not a count");
  return count.value_or(0);
}

Currency Row::currency(std::size_t column) {
  const auto currency = parse_currency(text(column));
  if (!currency) reject(column, "is not a currency of ISO 4217");
  return currency.value_or(Currency());
}

Time Row::local_time(std::size_t column, std::chrono::minutes utc_offset) {
  const auto at = parse_local_time(text(column), utc_offset);
  if (!at) reject(column, "is not a time YYYY-MM-DD hh:mm:ss");
  return at.value_or(Time());
}

void Row::reject(std::size_t column, std::string_view reason) {
  if (error_.empty())
    error_ = fmt::format("line {}, column {}: `{}` {}", record_.line_no, columns_.name(column),
                         printable_text(text(column), kShownBytesMax), reason);
}

Result<void> Row::error() const {
  if (!error_.empty()) return fail(error_);
  return {};
}

}  // namespace finality
