// Assigns to each line of a file its identity (key_of_line()).
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include "model/statement_line.h"

namespace finality {

/// Counts equal lines, so that each one has its own identity. Not thread safe.
class LineKeys {
 public:
  explicit LineKeys(ChannelAccountId account) : account_(account) {}

  /// Returns the identity of the next line of the file.
  Hash16 next(const StatementLine& line) {
    const Hash16 first = key_of_line(account_, line, 0);
    const std::int64_t ordinal = times_[first]++;
    return ordinal == 0 ? first : key_of_line(account_, line, ordinal);
  }
  /// Returns the number of equal lines before the next line of the file.
  std::int64_t next_ordinal(const StatementLine& line) { return times_[key_of_line(account_, line, 0)]++; }

 private:
  ChannelAccountId account_;
  boost::unordered_flat_map<Hash16, std::int64_t, Hash16Hasher> times_;  // by the key of the first equal line
};

}  // namespace finality
