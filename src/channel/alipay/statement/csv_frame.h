// Frame of Alipay's CSV files: lines that begin with # around a header and rows. They state the kind, the account, the
// days, the end of the rows, and counts and sums. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/money.h"
#include "base/result.h"
#include "channel/parsing/record_reader.h"
#include "channel/parsing/statement_values.h"

namespace finality::alipay {

enum class CsvPart : std::uint8_t { note, header, row };

/// A line after the rows: `#LABEL合计：COUNT笔，…共SUM元，…共SUM元`.
struct CsvTotal {
  std::int64_t line_no = 0;
  std::string label;
  std::int64_t count = 0;
  std::vector<MinorUnits> sums;  // without sign: files differ in the signs of debits
};

/// Determines the part of a file to which each record belongs, and checks the notes. Not thread safe.
class CsvFrame {
 public:
  /// `title` is part of the first line: 业务明细 or 账务明细. `seller_id` is the id of the account (2088…).
  CsvFrame(std::string_view title, std::string_view seller_id, const DaySpan& day)
      : title_(title), seller_id_(seller_id), day_(day) {}

  /// Returns the part of the next record. Returns an error if the record cannot follow the earlier ones, or a note
  /// names another kind, account or day.
  Result<CsvPart> part_of(const Record& record);
  /// Returns an error if the file is incomplete after the records so far.
  Result<void> finish() const;
  /// Compares the total with this label with the rows. `sums` has no signs. Returns an error if it differs, or if it is
  /// missing although there are such rows.
  Result<void> check_total(std::string_view label, std::int64_t count, std::span<const MinorUnits> sums) const;

 private:
  Result<void> take_note(std::int64_t line_no, std::string_view note);
  Result<void> take_account(std::int64_t line_no, std::string_view note);
  Result<void> take_days(std::int64_t line_no, std::string_view note);
  Result<void> take_total(std::int64_t line_no, std::string_view note);

  std::string_view title_;
  std::string_view seller_id_;
  DaySpan day_;
  bool has_title_ = false;
  bool has_account_ = false;
  bool has_days_ = false;
  bool has_header_ = false;
  bool is_ended_ = false;
  std::vector<CsvTotal> totals_;
};

}  // namespace finality::alipay
