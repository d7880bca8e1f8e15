// Checks invariants 2, 3, 5, 10 and 11: orders and their parts after every commit, and the requested effects.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>

#include "model/effect.h"
#include "model/policy.h"
#include "model/working_set.h"
#include "sim/auditors/findings.h"
#include "sim/upstream/upstream.h"

namespace finality::sim {

class OrderAuditor {
 public:
  OrderAuditor(Findings& findings, const Upstream& upstream, const Policy& policy)
      : findings_(findings), upstream_(upstream), policy_(policy) {}

  /// Checks the orders of a commit. `now`: the simulated time, without the clock error of the engine.
  void look_at(const WorkingSet& rows, Time now);
  void look_at(const Effect& effect);

  const std::unordered_map<OrderId, OrderAggregate>& orders() const { return orders_; }
  /// Returns the order of a payment, or null.
  const OrderAggregate* order_of(PaymentId payment) const;
  /// Returns the order whose payment, authorization or capture has the number, or null.
  const OrderAggregate* order_named(std::string_view out_trade_no) const;
  /// Returns true if the delivery's endpoint was deleted or disabled.
  bool is_to_removed_endpoint(DeliveryId id) const;
  const std::unordered_map<DeliveryId, Delivery>& deliveries() const { return deliveries_; }

 private:
  void check_order(const OrderAggregate* before, const OrderAggregate& now, const WorkingSet& rows, Time at);
  void check_still(const WorkingSet& rows);
  void check_channel_accounts(const OrderAggregate& aggregate);
  void check_soft(const OrderAggregate& aggregate);
  void check_close(const OrderAggregate& before, const OrderAggregate& now, Time at);
  void check_payment(const OrderAggregate& aggregate, const Payment& payment);
  void check_receipt(const OrderAggregate& aggregate, const Receipt& receipt);
  void check_refunds(const OrderAggregate& aggregate);
  void check_external(const OrderAggregate& aggregate, const Refund& refund);
  void check_ending(const OrderAggregate& aggregate, const Payment& payment);
  void check_sums(const OrderAggregate& aggregate);
  void check_notifications(const Order& order, const WorkingSet& rows);
  void check_call(const RefundCall& call);
  template <class Row>
  void check_outstanding(const OrderAggregate& known, const Order& decided, const Row& row, std::string_view kind,
                         bool sends);

  Findings& findings_;
  const Upstream& upstream_;
  const Policy& policy_;
  std::unordered_map<OrderId, OrderAggregate> orders_;  // last committed rows
  std::unordered_map<DeliveryId, Delivery> deliveries_;
  // Order version at which a payment or authorization began to wait for a result, by its id.
  std::map<std::int64_t, std::int64_t> outstanding_since_;
  std::unordered_map<PaymentId, OrderId> order_of_;
  std::set<std::int64_t> claimed_sends_;      // refunds and reversals whose claimed request was not seen yet
  std::set<std::int64_t> removed_endpoints_;  // deleted or disabled endpoints
  std::set<std::pair<MerchantId, std::string>> order_numbers_;
  std::set<std::pair<MerchantId, std::string>> refund_numbers_;
  /// By merchant, channel, channel_trade_no and ordinal.
  std::set<std::tuple<MerchantId, std::string, std::string, std::int64_t>> receipts_;
};

}  // namespace finality::sim
