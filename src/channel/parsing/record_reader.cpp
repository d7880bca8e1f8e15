#include "channel/parsing/record_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/limits.h"

namespace finality {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kBlanks = " \t\r";

std::unexpected<Error> fail_at(std::int64_t line_no, std::string_view reason) {
  return fail(fmt::format("line {}: {}", line_no, reason));
}

std::unexpected<Error> fail_at(std::int64_t line_no, std::size_t column, std::string_view reason) {
  return fail(fmt::format("line {}, column {}: {}", line_no, column, reason));
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

Result<void> RecordReader::take(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    if (line_.size() + part.size() > limits::kStatementLineBytesMax)
      return fail_at(line_no_, fmt::format("longer than {} bytes", limits::kStatementLineBytesMax));
    if (auto spent = budget_.spend(part.size() + limits::kParseStepWork); !spent) return spent;
    line_ += part;
    if (style_ == CellStyle::quoted) is_in_quotes_ = is_in_quotes_ != (std::ranges::count(part, '"') % 2 == 1);
    if (end == std::string_view::npos) return {};
    bytes.remove_prefix(end + 1);
    if (auto done = end_line(); !done) return done;
  }
  return {};
}

Result<void> RecordReader::finish() {
  if (line_.empty()) return {};
  if (is_in_quotes_) return fail_at(line_no_, "a quotation mark is not closed");
  return end_line();
}

Result<void> RecordReader::end_line() {
  if (is_in_quotes_) {
    line_ += '\n';
    ++more_lines_;
    return {};
  }
  if (line_no_ == 1 && line_.starts_with(kByteOrderMark)) line_.erase(0, kByteOrderMark.size());
  cells_.clear();
  is_marked_ = false;
  Result<void> done = trimmed(line_).empty() ? Result<void>() : split();
  if (done && !cells_.empty()) done = sink_({.line_no = line_no_, .cells = cells_, .is_marked = is_marked_});
  line_no_ += 1 + more_lines_;
  more_lines_ = 0;
  line_.clear();
  return done;
}

Result<void> RecordReader::split() {
  if (style_ == CellStyle::quoted) return split_quoted();
  std::string_view line = trimmed(line_);
  is_marked_ = line.starts_with(style_ == CellStyle::backtick ? '`' : '#');
  if (!is_marked_) {
    split_at(",", line);
  } else if (style_ == CellStyle::backtick) {
    split_at(",`", line.substr(1));
  } else {
    while (line.ends_with(',')) line = trimmed(line.substr(0, line.size() - 1));
    cells_.push_back(line);
  }
  return {};
}

void RecordReader::split_at(std::string_view separator, std::string_view text) {
  for (;;) {
    const std::size_t end = text.find(separator);
    cells_.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + separator.size());
  }
}

Result<void> RecordReader::split_quoted() {
  if (line_.ends_with('\r')) line_.pop_back();
  const std::string_view line = line_;
  for (std::size_t at = 0;;) {
    if (at < line.size() && line[at] == '"') {
      const auto has_more = add_quoted_cell(at);
      if (!has_more) return std::unexpected(has_more.error());
      if (!*has_more) return {};
      continue;
    }
    const std::size_t end = std::min(line.find(',', at), line.size());
    cells_.push_back(trimmed(line.substr(at, end - at)));
    if (cells_.back().contains('"'))
      return fail_at(line_no_, cells_.size(), "a cell with a quotation mark must begin with one");
    if (end == line.size()) return {};
    at = end + 1;
  }
}

// Adds the cell whose opening quotation mark is at `at`. Replaces doubled quotation marks within `line_`. Sets `at` to
// the begin of the next cell; returns false if there is none.
Result<bool> RecordReader::add_quoted_cell(std::size_t& at) {
  const std::size_t begin = at + 1;
  std::size_t to = begin;
  std::size_t from = begin;
  for (; from < line_.size(); ++from) {
    if (line_[from] == '"') {
      const bool is_doubled = from + 1 < line_.size() && line_[from + 1] == '"';
      if (!is_doubled) break;
      ++from;
    }
    line_[to++] = line_[from];
  }
  cells_.push_back(trimmed(std::string_view(line_).substr(begin, to - begin)));
  const std::size_t next = from + 1;
  if (next == line_.size()) return false;
  if (next > line_.size() || line_[next] != ',')
    return fail_at(line_no_, cells_.size(), "a quotation mark within a quoted cell must be doubled");
  at = next + 1;
  return true;
}

}  // namespace finality
