// The two operators of a simulated world, who resolve exception cases. They can query the channel's true records.
#pragma once

#include "sim/world/shop.h"

namespace finality::sim {

class CaseOperators {
 public:
  CaseOperators(SimScheduler& scheduler, Client& client, Reader& reader, Upstream& upstream)
      : scheduler_(scheduler), client_(client), reader_(reader), upstream_(upstream) {}

  /// Handles some of the merchant's cases: one operator proposes, the other approves.
  void work(MerchantId merchant);
  /// Pays payers in cash for all reversals of the merchant that the store shows as resolved by a cash refund, whichever
  /// replies the operators received.
  void record_cash_refund(MerchantId merchant);

 private:
  void propose(const Case& row);
  void approve(const Case& row, const std::string& resolution);
  void help_oneself(const Case& row, DeliveryId delivery);
  /// Pays the payer in cash if the reversal was resolved this way and the channel has not refunded the amount.
  void record_cash_refund(const Case& row);
  bool may_resolve(const Case& row, std::string_view resolution, const OrderAggregate* order) const;

  SimScheduler& scheduler_;
  Client& client_;
  Reader& reader_;
  Upstream& upstream_;
};

}  // namespace finality::sim
