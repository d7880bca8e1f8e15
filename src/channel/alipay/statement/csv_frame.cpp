#include "channel/alipay/statement/csv_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/limits.h"

namespace finality::alipay {
namespace {

constexpr std::string_view kTotal = "合计";
constexpr std::string_view kAccountSuffix = "0156";  // Alipay appends it to the id of the account
constexpr std::size_t kTotalsMax = 16;
constexpr std::size_t kShownBytesMax = 100;
constexpr int kYuanDigits = 2;
constexpr std::int64_t kSumMax = limits::kAmountMax * 1000;

std::unexpected<Error> fail_at(std::int64_t line_no, std::string_view reason) {
  return fail(fmt::format("line {}: {}", line_no, reason));
}

// Removes the text up to and including the first [TEXT] from `note` and returns TEXT; empty if there is none.
std::string_view take_bracketed(std::string_view& note) {
  const std::size_t begin = note.find('[');
  const std::size_t end = note.find(']', begin == std::string_view::npos ? note.size() : begin);
  if (end == std::string_view::npos) return {};
  const std::string_view text = note.substr(begin + 1, end - begin - 1);
  note.remove_prefix(end + 1);
  return trimmed(text);
}

// Parses `2026年01月31日 23:59:59`.
std::optional<Time> parse_long_time(std::string_view text) {
  std::string plain(text);
  for (const auto& [from, to] : {std::pair("年", "-"), std::pair("月", "-"), std::pair("日", "")})
    if (const std::size_t at = plain.find(from); at != std::string::npos)
      plain.replace(at, std::string_view(from).size(), to);
  return parse_local_time(plain, kChinaTime);
}

// Removes the text up to and including the first number from `note` and returns the number; empty if there is none.
std::string_view take_number(std::string_view& note) {
  constexpr std::string_view kNumber = "0123456789.+-";
  const std::size_t begin = note.find_first_of(kNumber);
  if (begin == std::string_view::npos) return {};
  const std::size_t end = std::min(note.find_first_not_of(kNumber, begin), note.size());
  const std::string_view number = note.substr(begin, end - begin);
  note.remove_prefix(end);
  return number;
}

}  // namespace

Result<CsvPart> CsvFrame::part_of(const Record& record) {
  if (record.is_marked) {
    if (auto taken = take_note(record.line_no, record.cells.front()); !taken) return std::unexpected(taken.error());
    return CsvPart::note;
  }
  if (!has_title_)
    return fail_at(record.line_no, fmt::format("the file does not begin with the title #支付宝{}查询", title_));
  if (!has_account_ || !has_days_) return fail_at(record.line_no, "no lines with 账号 and 起始日期 before the header");
  if (is_ended_) return fail_at(record.line_no, "a row after the end of the rows");
  const CsvPart part = has_header_ ? CsvPart::row : CsvPart::header;
  has_header_ = true;
  return part;
}

Result<void> CsvFrame::take_note(std::int64_t line_no, std::string_view note) {
  if (!has_title_) {
    has_title_ = note.contains(title_);
    if (has_title_) return {};
    return fail_at(
        line_no, fmt::format("`{}` is not the title of a file with {}", printable_text(note, kShownBytesMax), title_));
  }
  if (note.contains("列表结束")) {
    is_ended_ = true;
    return {};
  }
  if (is_ended_) return note.contains(kTotal) ? take_total(line_no, note) : Result<void>();
  if (note.contains("账号")) return take_account(line_no, note);
  if (note.contains("起始日期")) return take_days(line_no, note);
  return {};
}

Result<void> CsvFrame::take_account(std::int64_t line_no, std::string_view note) {
  std::string_view account = take_bracketed(note);
  if (account.size() == seller_id_.size() + kAccountSuffix.size() && account.ends_with(kAccountSuffix))
    account.remove_suffix(kAccountSuffix.size());
  if (account != seller_id_)
    return fail_at(line_no, fmt::format("the account `{}` is not the account {} of this channel account",
                                        printable_text(account, kShownBytesMax), seller_id_));
  has_account_ = true;
  return {};
}

// The end is the begin of the next day, or the last second of the day.
Result<void> CsvFrame::take_days(std::int64_t line_no, std::string_view note) {
  const auto begin = parse_long_time(take_bracketed(note));
  const auto end = parse_long_time(take_bracketed(note));
  const bool is_day = begin && end && *begin == day_.begin && *end > *begin && *end <= day_.end;
  if (!is_day) return fail_at(line_no, "起始日期 and 终止日期 are not the day of the statement");
  has_days_ = true;
  return {};
}

Result<void> CsvFrame::take_total(std::int64_t line_no, std::string_view note) {
  const std::size_t end = note.find(kTotal);
  CsvTotal total{.line_no = line_no, .label = std::string(trimmed(note.substr(1, end - 1))), .sums = {}};
  note.remove_prefix(end + kTotal.size());
  const auto count = parse_count(take_number(note));
  if (!count || totals_.size() == kTotalsMax) return fail_at(line_no, "合计 has no valid count");
  total.count = *count;
  for (std::string_view number; !(number = take_number(note)).empty();) {
    const auto sum = parse_decimal(number, kYuanDigits, kSumMax);
    if (!sum) return fail_at(line_no, "合计 has an invalid amount");
    total.sums.push_back(std::abs(*sum));
  }
  totals_.push_back(std::move(total));
  return {};
}

Result<void> CsvFrame::finish() const {
  if (is_ended_) return {};
  return fail("the file is incomplete: it ends before 列表结束");
}

Result<void> CsvFrame::check_total(std::string_view label, std::int64_t count, std::span<const MinorUnits> sums) const {
  const auto total = std::ranges::find(totals_, label, &CsvTotal::label);
  if (total == totals_.end()) {
    if (count == 0) return {};
    return fail(fmt::format("the file is incomplete: it has no line {}合计", label));
  }
  if (total->count != count)
    return fail_at(total->line_no, fmt::format("{}合计 differs from the rows: {} rows", label, count));
  if (total->sums.empty()) return fail_at(total->line_no, fmt::format("{}合计 has no amount", label));
  for (std::size_t i = 0; i < std::min(sums.size(), total->sums.size()); ++i)
    if (total->sums[i] != sums[i])
      return fail_at(total->line_no,
                     fmt::format("{}合计 differs from the rows: {}", label, format_money(sums[i], kYuan)));
  return {};
}

}  // namespace finality::alipay
