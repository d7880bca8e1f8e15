// Finds what the books have of a trade or a refund of the channel account, for any merchant, also if it is archived.
// The natural key of a receipt contains its merchant, so all merchants are examined whose money the account has
// collected. Only lines without a document in the books need that.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "decide/statement/compare_line.h"
#include "model/natural_key.h"
#include "worker/statements/match_task.h"

namespace finality {

/// Not thread safe.
class TradeOwners {
 public:
  explicit TradeOwners(const MatchTask& task) : task_(task) {}

  /// Adds a merchant for whom evidence was booked after the merchants were read.
  void add(MerchantId merchant);

  /// Returns the natural keys of the receipts that the merchants have of the trade, and the key of the trade in the
  /// books of the platform (key_at_platform()). A key refers to the receipt or, if it is archived, to its order. Empty
  /// for an empty number. Where captures share the number of a trade, finds only the receipt of the first capture.
  Result<std::vector<Key>> find(std::string_view channel_trade_no);
  /// The same for the receipts of one merchant.
  Result<std::vector<Key>> find(std::string_view channel_trade_no, MerchantId merchant);

  /// Whether the books have the trade or the refund of the line for another order than the one that the line names: its
  /// numbers are then of two documents. `found`: what the comparison of the line found, no document.
  Result<bool> has_other_order(const StatementLine& line, const LineReads& reads, const Comparison& found);

 private:
  Result<void> load_merchants();
  Result<bool> is_trade_of_other(const StatementLine& line, const LineReads& reads, const Comparison& found);
  Result<bool> is_refund_of_other(const StatementLine& line, OrderId named);
  Result<std::optional<OrderId>> order_of_refund(MerchantId merchant, std::int64_t id);

  MatchTask task_;
  std::optional<std::vector<MerchantId>> merchants_;  // sorted; empty: not read yet
};

}  // namespace finality
