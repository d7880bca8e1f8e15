#include "channel/bank/running_balance.h"

#include <fmt/format.h>

#include <string_view>

namespace finality::bank {
namespace {

// Sums of an untrusted file can overflow. They then wrap around, and balances are compared modulo 2^64.
MinorUnits plus(MinorUnits one, MinorUnits other) {
  MinorUnits sum = 0;
  (void)__builtin_add_overflow(one, other, &sum);
  return sum;
}

MinorUnits minus(MinorUnits one, MinorUnits other) {
  MinorUnits difference = 0;
  (void)__builtin_sub_overflow(one, other, &difference);
  return difference;
}

}  // namespace

void RunningBalance::Order::add(std::int64_t line_no, MinorUnits balance, MinorUnits begin) {
  if (!begin_) {
    begin_ = begin;
    first_line_no_ = line_no;
    first_balance_ = balance;
  } else if (!mismatch_ && begin != *begin_) {
    mismatch_ = Mismatch{line_no, balance, plus(minus(balance, begin), *begin_)};
  }
}

std::optional<RunningBalance::Mismatch> RunningBalance::Order::mismatch_with(MinorUnits begin) const {
  if (!begin_ || *begin_ == begin) return mismatch_;
  return Mismatch{first_line_no_, first_balance_, plus(minus(first_balance_, *begin_), begin)};
}

void RunningBalance::add(const StatementLine& line) {
  const MinorUnits before = sum_;
  sum_ = plus(sum_, line.amount);
  if (!line.balance) return;
  oldest_first_.add(line.line_no, *line.balance, minus(*line.balance, sum_));
  newest_first_.add(line.line_no, *line.balance, plus(*line.balance, before));
}

// If the file has neither order, the error is about the order that fits more of its lines.
Result<void> RunningBalance::check(MinorUnits opening, MinorUnits closing, Currency currency) const {
  const auto ascending = oldest_first_.mismatch_with(opening);
  const auto descending = newest_first_.mismatch_with(closing);
  if (!ascending || !descending) return {};
  const bool is_descending = descending->line_no > ascending->line_no;
  const Mismatch& mismatch = is_descending ? *descending : *ascending;
  const std::string_view origin =
      is_descending ? "the closing balance minus the lines before it" : "the opening balance plus the lines up to it";
  return fail(fmt::format(
      "line {}, column balance: {} is not {}, {}. Sort the lines by the time of booking, or leave the "
      "column empty",
      mismatch.line_no, format_money(mismatch.balance, currency), format_money(mismatch.expected, currency), origin));
}

}  // namespace finality::bank
