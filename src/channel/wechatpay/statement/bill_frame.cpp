#include "channel/wechatpay/statement/bill_frame.h"

#include <fmt/format.h>

namespace finality::wechatpay {
namespace {

// Formats a number in 1/100,000 for an error message.
std::string text_of_e5(std::int64_t value) {
  const auto size = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  return fmt::format("{}{}.{:05}", value < 0 ? "-" : "", size / kE5, size % kE5);
}

}  // namespace

Result<BillPart> BillFrame::part_of(const Record& record) {
  using enum BillPart;
  const auto out_of_order = [&](std::string_view reason) {
    return fail(fmt::format("line {}: {}", record.line_no, reason));
  };
  if (!part_) {
    if (record.is_marked) return out_of_order("a row before the header");
    part_ = header;
  } else if (*part_ == header || *part_ == row) {
    part_ = record.is_marked ? row : sums_header;
  } else if (*part_ == sums_header && record.is_marked) {
    part_ = sums;
  } else {
    return out_of_order("follows the sums");
  }
  return *part_;
}

Result<void> BillFrame::finish() const {
  if (part_ == BillPart::sums) return {};
  return fail("the file is incomplete: it ends before its sums");
}

Result<void> check_sums(const Columns& columns, const Record& sums, std::span<const std::int64_t> expected) {
  Row row(columns, sums);
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (columns.has(i) && row.fee(i) != expected[i])
      row.reject(i, "differs from the lines: " + text_of_e5(expected[i]));
  return row.error();
}

}  // namespace finality::wechatpay
