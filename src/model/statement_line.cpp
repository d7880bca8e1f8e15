#include "model/statement_line.h"

#include <algorithm>

namespace finality {
namespace {

// Returns the time in a format that natural keys recognize, such as 20261122140411.
std::string digits_of(Time at) {
  std::string text = to_rfc3339(at);
  std::erase_if(text, [](char c) { return c < '0' || c > '9'; });
  return text.substr(0, 14);
}

}  // namespace

bool add_line(std::vector<StatementSums>& sums, const StatementLine& line) {
  auto at = std::ranges::find(sums, line.currency, &StatementSums::currency);
  if (at == sums.end()) at = sums.insert(sums.end(), {.currency = line.currency});
  StatementSums sum = *at;
  const auto add = [](MinorUnits& to, MinorUnits amount) { return !__builtin_add_overflow(to, amount, &to); };
  bool fits = add(sum.fee_e5, line.fee_e5);
  sum.lines += 1;
  if (line.kind == LineKind::payment) {
    sum.payments += 1;
    fits = add(sum.paid, line.amount) && fits;
  } else if (line.kind == LineKind::refund) {
    sum.refunds += 1;
    fits = add(sum.refunded, line.amount) && fits;
  }
  fits = (line.amount < 0 ? add(sum.debits, -line.amount) : add(sum.credits, line.amount)) && fits;
  if (fits) *at = sum;
  return fits;
}

// The time is in the last part, so that the keys of lines of the same time are adjacent: a file is mostly sorted by
// time, so the matches of a group of lines change few pages of their index.
Hash16 key_of_line(ChannelAccountId account, const StatementLine& line, std::int64_t ordinal) {
  const std::string number = line.line_id.empty() ? line.channel_refund_no + "/" + line.out_refund_no : line.line_id;
  return hash_of_key(
      MerchantId{}, "statement_line",
      {to_text(account), name_of(line.kind), name_of(line.status), number, line.out_trade_no, line.currency.text(),
       std::to_string(line.amount), std::to_string(line.discount), std::to_string(line.fee_e5),
       std::to_string(line.at.ms), std::to_string(ordinal), digits_of(line.at) + "/" + line.channel_trade_no});
}

}  // namespace finality
