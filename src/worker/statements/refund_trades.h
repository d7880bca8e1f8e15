// Finds the trades of refund lines that do not name them. The funds statements of some channels name only the number
// of the refund, or only the channel's number of the payment.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <optional>
#include <span>
#include <string>

#include "model/aggregate.h"
#include "model/natural_key.h"
#include "model/objects/entry.h"
#include "model/statement_line.h"
#include "worker/statements/match_task.h"

namespace finality {

/// Not thread safe.
class RefundTrades {
 public:
  explicit RefundTrades(const MatchTask& task) : task_(task) {}

  /// Sets out_trade_no, and channel_trade_no where it is known, of a line of kind refund or refund_returned that has no
  /// out_trade_no. `key` is the identity of the line. Changes nothing if the books do not have the refund. The first
  /// line whose number is not ours reads all unmatched entries of some days.
  Result<void> complete(StatementLine& line, const Hash16& key);

 private:
  /// A trade as a line names it: by the collector's number, and by the channel's.
  struct Trade {
    std::string out_trade_no;
    std::string channel_trade_no;
  };

  Result<std::optional<Trade>> find(const StatementLine& line, const Hash16& key);
  Result<std::optional<Trade>> trade_of(ObjectRef document);
  Result<void> load();
  Result<void> add_orders(std::span<const Entry> entries);
  void add(const OrderAggregate& order);

  MatchTask task_;
  bool is_loaded_ = false;
  /// Documents of lines that an earlier run, or an earlier version of the statement, has matched.
  boost::unordered_flat_map<Hash16, ObjectRef, Hash16Hasher> matched_;
  // Of orders with unmatched refunds.
  boost::unordered_flat_map<std::string, Trade> by_refund_;  // by the number of an external refund
  boost::unordered_flat_map<std::string, Trade> by_trade_;   // by the channel's number of the payment
};

}  // namespace finality
