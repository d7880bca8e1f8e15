// Finds the trades of refund lines that do not name them, also those of archived orders. The funds statements of some
// channels name only the number of the refund, or only the channel's number of the payment.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/aggregate.h"
#include "model/natural_key.h"
#include "model/objects/archived_order.h"
#include "model/objects/entry.h"
#include "model/statement_line.h"
#include "worker/statements/match_task.h"
#include "worker/statements/trades/trade_owners.h"

namespace finality {

/// Not thread safe.
class RefundTrades {
 public:
  explicit RefundTrades(const MatchTask& task) : task_(task), owners_(task) {}

  /// Sets out_trade_no, and channel_trade_no where it is known, of a line of kind refund or refund_returned that has no
  /// out_trade_no. `key` is the identity of the line. Changes nothing if the store does not have the refund. If its
  /// order is archived, returns the order: restore it, and call complete_from(). The first line whose number is not
  /// ours reads all unmatched entries of some days.
  Result<std::optional<ArchivedOrder>> complete(StatementLine& line, const Hash16& key);
  /// Sets the numbers from the order that complete() returned. Changes nothing if it is still archived.
  Result<void> complete_from(StatementLine& line, const Hash16& key, OrderId order);

 private:
  /// A trade as a line names it: by the collector's number, and by the channel's.
  struct Trade {
    std::string out_trade_no;
    std::string channel_trade_no;
  };

  /// A refund, reversal or other document, and its merchant.
  struct Document {
    MerchantId merchant_id;
    ObjectRef object;
  };

  static Trade trade_of_receipt(const OrderAggregate& order, const Receipt& receipt);
  static std::optional<Trade> trade_of_refund(const OrderAggregate& order, std::int64_t id);
  Result<std::optional<Trade>> find(const StatementLine& line, const Hash16& key);
  Result<std::optional<Trade>> trade_of(ObjectRef document);
  std::optional<Trade> trade_in(const OrderAggregate& order, const StatementLine& line, const Hash16& key) const;
  Result<std::optional<OrderId>> find_order(const StatementLine& line, const Hash16& key);
  Result<std::optional<OrderId>> order_of_posting(const Document& document);
  Result<std::optional<OrderId>> order_of_trade(const StatementLine& line);
  std::optional<Document> document_of(const StatementLine& line, const Hash16& key) const;
  Result<void> load();
  Result<void> add_orders(std::span<const Entry> entries);
  void add(const OrderAggregate& order);

  MatchTask task_;
  bool is_loaded_ = false;
  /// Documents of lines that an earlier run, or an earlier version of the statement, has matched.
  boost::unordered_flat_map<Hash16, Document, Hash16Hasher> matched_;
  // Of orders with unmatched refunds.
  boost::unordered_flat_map<std::string, Trade> by_refund_;  // by the number of an external refund
  boost::unordered_flat_map<std::string, Trade> by_trade_;   // by the channel's number of the payment
  /// Orders of unmatched refunds and reversals that the store does not have, by the id of the refund or reversal.
  boost::unordered_flat_map<std::int64_t, OrderId> not_stored_;
  TradeOwners owners_;
};

}  // namespace finality
