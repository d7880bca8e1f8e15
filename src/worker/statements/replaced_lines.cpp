#include "worker/statements/replaced_lines.h"

#include <string>

namespace finality {
namespace {

Hash16 hash_of(const StatementLine& line, std::int64_t ordinal) {
  return hash_of_parts(MerchantId{}, "replaced_line",
                       {name_of(line.kind), line.channel_trade_no, line.out_trade_no, line.channel_refund_no,
                        line.out_refund_no, std::to_string(ordinal)});
}

}  // namespace

void ReplacedLines::add(const StatementLine& line, const Hash16& key) {
  added_.insert(key);
  keys_.emplace(hash_of(line, times_[hash_of(line, 0)].added++), key);
}

std::optional<Hash16> ReplacedLines::take(const StatementLine& line) {
  if (times_.empty()) return std::nullopt;
  const auto at = times_.find(hash_of(line, 0));
  if (at == times_.end() || at->second.taken == at->second.added) return std::nullopt;
  return keys_.at(hash_of(line, at->second.taken++));
}

}  // namespace finality
