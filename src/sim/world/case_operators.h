// Two simulated operators, who resolve exception cases. They have access to the correct records of the channel.
#pragma once

#include <string>
#include <vector>

#include "sim/world/shop.h"

namespace finality::sim {

class CaseOperators {
 public:
  CaseOperators(SimScheduler& scheduler, Client& client, Reader& reader, Upstream& upstream, const Policy& policy)
      : scheduler_(scheduler), client_(client), reader_(reader), upstream_(upstream), policy_(policy) {}

  /// Lets the operators assign unknown receipts to that merchant too.
  void may_assign_to(MerchantId merchant) { merchants_.push_back(merchant); }
  /// Handles a random part of the merchant's cases: one operator proposes a resolution, the other approves it.
  void work(MerchantId merchant);
  /// Pays payers in cash for all reversals of the merchant whose stored case is resolved as settled_offline, even if
  /// the operators did not receive the reply to their approval.
  void record_cash_refund(MerchantId merchant);

 private:
  void propose(const Case& row);
  /// Approves the case as the operator has reviewed it: `row` is the case with its proposal at that time.
  void approve(const Case& row, const std::string& resolution);
  void help_oneself(const Case& row, DeliveryId delivery);
  /// Pays the amount that the channel has not refunded, if the stored case is a reversal resolved as settled_offline.
  void record_cash_refund(const Case& row);
  /// Copies the channel and currency of the unknown receipt, and the merchant of a proposal to assign it, to the
  /// command, as the merchant to load and as the reviewed merchant. Returns false if they cannot be read.
  bool name_unknown_receipt(const Case& row, ApproveResolution& approve);
  /// Copies the channel and currency of the difference to the command. Returns false if it cannot be read.
  bool name_difference(const Case& row, ApproveResolution& approve);
  const Trade* trade_of(const OrderAggregate& order, const Receipt& receipt) const;
  bool may_resolve(const Case& row, std::string_view resolution, const OrderAggregate* order);

  SimScheduler& scheduler_;
  Client& client_;
  Reader& reader_;
  Upstream& upstream_;
  const Policy& policy_;
  std::vector<MerchantId> merchants_;
};

}  // namespace finality::sim
