// Frame of WeChat Pay's statements: a header, the rows, a header of the sums, the sums. Cells of rows and sums begin
// with a backtick, cells of headers do not. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/result.h"
#include "channel/parsing/columns.h"
#include "channel/parsing/record_reader.h"

namespace finality::wechatpay {

enum class BillPart : std::uint8_t { header, row, sums_header, sums };

/// Determines the part of a file to which each record belongs. Not thread safe.
class BillFrame {
 public:
  /// Returns the part of the next record. Returns an error if the record cannot follow the earlier ones.
  Result<BillPart> part_of(const Record& record);
  /// Returns an error if the file is incomplete after the records so far.
  Result<void> finish() const;

 private:
  std::optional<BillPart> part_;  // of the last record; empty before the first one
};

/// 1 in the unit of the sums, 1/100,000. Counts have this unit too, because some files contain a count as `20.0`.
inline constexpr std::int64_t kE5 = 100'000;

/// Compares the sums of a file with those of its rows: `expected[i]`, in 1/100,000, is the sum of column i of
/// `columns`. Returns an error that names the first column that differs. Columns that the file does not have are
/// ignored.
Result<void> check_sums(const Columns& columns, const Record& sums, std::span<const std::int64_t> expected);

}  // namespace finality::wechatpay
