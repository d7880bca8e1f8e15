// Reads the rows of a statement by the names of their columns, so that the order of the columns does not matter. Errors
// name the line and the column.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/money.h"
#include "base/result.h"
#include "base/time/time.h"
#include "channel/parsing/record_reader.h"

namespace finality {

/// A column that a parser reads. The parser refers to it by its index in its array of columns.
struct Column {
  /// Accepted names in the header, separated by '|'. Names are compared without spaces and with half-width parentheses.
  std::string_view names;
  bool is_required = true;
};

/// The positions of a parser's columns in a file.
class Columns {
 public:
  /// Finds the columns in a header. Returns an error if a required column is missing or a column occurs twice. `wanted`
  /// must outlive the object.
  static Result<Columns> find(std::span<const Column> wanted, const Record& header);

  /// Allows rows with more cells than the header, because the text of this column can contain the separator of the
  /// cells: the columns after it are counted from the end of the row.
  void allow_separator_in(std::size_t column) { free_text_cell_ = places_[column]; }

  bool has(std::size_t column) const { return places_[column].has_value(); }
  /// Whether the header has both columns and `second` directly follows `first`.
  bool are_adjacent(std::size_t first, std::size_t second) const;
  /// The name of the column in the file; the first accepted name if the file has no such column.
  std::string_view name(std::size_t column) const;

 private:
  friend class Row;

  std::span<const Column> wanted_;
  std::vector<std::optional<std::size_t>> places_;  // cell of each column
  std::vector<std::string> names_;                  // of each column in the file
  std::size_t cells_ = 0;                           // number of cells of the header
  std::optional<std::size_t> free_text_cell_;
};

/// One row. Functions that parse a cell return a default value if the cell is malformed, and error() then returns the
/// first error. All refer to the record, which must outlive the row.
class Row {
 public:
  Row(const Columns& columns, const Record& record);

  bool has(std::size_t column) const { return columns_.has(column); }
  /// The cell; empty if the file has no such column.
  std::string_view text(std::size_t column) const;
  /// An identifier, as printable_text() of at most kNumberBytesMax bytes.
  std::string number(std::size_t column) const;

  /// An amount in minor units, with at most as many decimal digits as the currency has.
  MinorUnits amount(std::size_t column, Currency currency);
  /// A decimal number with at most kFeeDigits digits, multiplied by 10^kFeeDigits. An empty cell is 0.
  std::int64_t fee(std::size_t column);
  /// A number as in parse_count().
  std::int64_t count(std::size_t column);
  Currency currency(std::size_t column);
  /// A time as in parse_local_time().
  Time local_time(std::size_t column, std::chrono::minutes utc_offset);

  /// Sets the error that the cell of this column is invalid.
  void reject(std::size_t column, std::string_view reason);
  /// The first error. Callers must check it before they use the values.
  Result<void> error() const;

  static constexpr std::size_t kNumberBytesMax = 128;

 private:
  const Columns& columns_;
  const Record& record_;
  std::size_t surplus_ = 0;  // number of cells beyond those of the header
  std::string error_;        // empty: none
};

}  // namespace finality
