// The two operators of a simulated world, who see at the channel what they have to know.
#pragma once

#include "sim/world/shop.h"

namespace finality::sim {

class CaseOperators {
 public:
  CaseOperators(SimScheduler& scheduler, Client& client, Reader& reader, Upstream& upstream)
      : scheduler_(scheduler), client_(client), reader_(reader), upstream_(upstream) {}

  /// Looks at some of the merchant's cases: one operator proposes, another approves.
  void work(MerchantId merchant);
  /// Pays the payers whose cases were resolved so, whoever heard of it: what is resolved stands in the exception queue.
  void hand_cash(MerchantId merchant);

 private:
  void propose(const Case& row);
  void approve(const Case& row, const std::string& resolution);
  void help_oneself(const Case& row, DeliveryId delivery);
  /// Pays the payer in cash when the reversal was ended that way and the channel has not given it back.
  void hand_cash(const Case& row);
  bool may_resolve(const Case& row, std::string_view resolution, const OrderAggregate* order) const;

  SimScheduler& scheduler_;
  Client& client_;
  Reader& reader_;
  Upstream& upstream_;
};

}  // namespace finality::sim
