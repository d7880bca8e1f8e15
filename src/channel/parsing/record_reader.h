// Splits a text file into lines and cells, as a stream: RFC 4180 and the formats of channels that resemble it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/parse_budget.h"
#include "base/result.h"

namespace finality {

/// How a file separates cells. Spaces and tabs around a cell are removed in all styles.
enum class CellStyle : std::uint8_t {
  quoted,    // RFC 4180: a cell in quotation marks may contain commas, line breaks and doubled quotation marks
  backtick,  // WeChat Pay: each cell of a line of data begins with a backtick, so ",`" separates cells and a comma
             // alone does not; other lines are split at commas
  plain,     // Alipay: split at commas; lines that begin with # are not split, commas at their end are removed
};

/// One line of a file. The views are valid until the next record is read.
struct Record {
  std::int64_t line_no = 0;  // of its first line, from 1
  std::span<const std::string_view> cells;
  bool is_marked = false;  // the line begins with a backtick (CellStyle::backtick) or with # (CellStyle::plain)
};

/// Receives the next record. An error stops the reader, which returns it.
using RecordSink = std::function<Result<void>(const Record&)>;

/// Passes the records of a file to a sink; omits blank lines and a byte order mark. Lines end with LF or CRLF. The
/// input is untrusted. Needs memory for one record only. Not thread safe.
class RecordReader {
 public:
  /// `budget` must outlive the reader.
  RecordReader(CellStyle style, ParseBudget& budget, RecordSink sink)
      : style_(style), budget_(budget), sink_(std::move(sink)) {}

  /// Reads the next bytes. Returns the error of the sink or of the budget, or an error that names the line if the line
  /// is malformed or longer than limits::kStatementLineBytesMax.
  Result<void> take(std::string_view bytes);
  /// Reads the last line if it has no line break. Errors are those of take().
  Result<void> finish();

 private:
  Result<void> end_line();
  Result<void> split();
  Result<void> split_quoted();
  Result<bool> add_quoted_cell(std::size_t& at);
  void split_at(std::string_view separator, std::string_view text);

  CellStyle style_;
  ParseBudget& budget_;
  RecordSink sink_;
  std::string line_;             // the current record, without its last line break
  bool is_in_quotes_ = false;    // the current record has an odd number of quotation marks
  std::int64_t line_no_ = 1;     // of the first line of the current record
  std::int64_t more_lines_ = 0;  // of the current record
  std::vector<std::string_view> cells_;
  bool is_marked_ = false;
};

/// Passes the records of a file to `parser.take(record)`, then calls `parser.finish()`. `send` receives a ByteSink and
/// streams the text of the file to it. Returns the first error.
template <class Parser, class Send>
Result<void> parse_records(CellStyle style, ParseBudget& budget, Parser& parser, const Send& send) {
  RecordReader reader(style, budget, [&parser](const Record& record) { return parser.take(record); });
  Result<void> done = send([&reader](std::string_view text) { return reader.take(text); });
  if (done) done = reader.finish();
  return done ? parser.finish() : done;
}

/// Returns the text without spaces, tabs and carriage returns at its ends.
std::string_view trimmed(std::string_view text);

}  // namespace finality
