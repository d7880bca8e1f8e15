// An archived order as one line of JSON: every column of every row, under the columns' own names. Times are
// milliseconds since 1970 UTC, ids numbers, money minor units, states words, hashes hexadecimal. Text that is no UTF-8
// stands as
// {"hex": "…"}.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "store/archive/archivist.h"

namespace finality::store {

/// Without the line's end. The same rows give the same bytes.
std::string line_of(const WholeOrder& order);

/// What an archive holds, added up from its lines.
class Totals {
 public:
  struct Sum {
    std::int64_t orders = 0;
    __int128 amount = 0;
    __int128 paid = 0;
    __int128 refunded = 0;

    bool operator==(const Sum&) const = default;
  };

  /// Answers with the order's id. An error when it is no line of an archive.
  Result<OrderId> add(const std::string& line);

  const std::map<std::string, std::int64_t>& rows() const { return rows_; }  // by table
  const std::map<std::pair<MerchantId, std::string>, Sum>& sums() const { return sums_; }

 private:
  std::map<std::string, std::int64_t> rows_;
  std::map<std::pair<MerchantId, std::string>, Sum> sums_;  // by merchant and currency
};

}  // namespace finality::store
