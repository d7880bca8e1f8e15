// JSON format of an archived order: one line with every column of every row under its column name. Times are
// milliseconds since 1970 UTC, ids are numbers, money is in minor units, states are names, hashes are hexadecimal. Text
// that is not valid UTF-8 is written as {"hex": "…"}.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "store/archive/archivist.h"

namespace finality::store {

/// Returns the line of an order, without a line break. Equal orders have identical lines.
std::string line_of(const WholeOrder& order);

/// Row counts and money totals of an archive, summed over its lines.
class Totals {
 public:
  struct Sum {
    std::int64_t orders = 0;
    __int128 amount = 0;
    __int128 paid = 0;
    __int128 refunded = 0;

    bool operator==(const Sum&) const = default;
  };

  /// Adds the rows and amounts of a line and returns its order's id. Fails if the text is not an archive line.
  Result<OrderId> add(const std::string& line);

  const std::map<std::string, std::int64_t>& rows() const { return rows_; }  // row count by table
  const std::map<std::pair<MerchantId, std::string>, Sum>& sums() const { return sums_; }

 private:
  std::map<std::string, std::int64_t> rows_;
  std::map<std::pair<MerchantId, std::string>, Sum> sums_;  // money totals by merchant and currency
};

}  // namespace finality::store
