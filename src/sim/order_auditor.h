// Invariants 2, 3, 5, 10 and 11: what must hold of an order and its parts after every commit, and of what is asked to
// be done outside.
#pragma once

#include <set>
#include <string>
#include <tuple>
#include <unordered_map>

#include "model/effect.h"
#include "model/policy.h"
#include "model/working_set.h"
#include "sim/findings.h"
#include "sim/upstream.h"

namespace finality::sim {

class OrderAuditor {
 public:
  OrderAuditor(Findings& findings, const Upstream& upstream) : findings_(findings), upstream_(upstream) {}

  void look_at(const WorkingSet& rows);
  void look_at(const Effect& effect);

  const std::unordered_map<OrderId, OrderAggregate>& orders() const { return orders_; }
  const std::unordered_map<DeliveryId, Delivery>& deliveries() const { return deliveries_; }

 private:
  void check_order(const OrderAggregate* before, const OrderAggregate& now, const WorkingSet& rows);
  void check_payment(const OrderAggregate& aggregate, const Payment& payment);
  void check_receipt(const OrderAggregate& aggregate, const Receipt& receipt);
  void check_ending(const OrderAggregate& aggregate, const Payment& payment);
  void check_told(const Order& order, const WorkingSet& rows);

  Findings& findings_;
  const Upstream& upstream_;
  std::unordered_map<OrderId, OrderAggregate> orders_;  // as committed
  std::unordered_map<DeliveryId, Delivery> deliveries_;
  std::set<PaymentId> just_soft_;  // owed an answer since the last commit, whose effects could not know of it
  std::set<std::pair<MerchantId, std::string>> order_numbers_;
  std::set<std::pair<MerchantId, std::string>> refund_numbers_;
  std::set<std::tuple<MerchantId, std::string, std::string>> receipts_;  // merchant, channel, upstream number
};

}  // namespace finality::sim
