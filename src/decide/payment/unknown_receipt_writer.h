// Changes the aggregate of an unknown receipt, the receipt and its cases (AggregateWriter), and posts its amount.
#pragma once

#include "decide/aggregate_writer.h"
#include "decide/post.h"

namespace finality {

class UnknownReceiptWriter : public AggregateWriter<UnknownReceiptAggregate> {
 public:
  using AggregateWriter::AggregateWriter;

  UnknownReceipt& receipt() { return aggregate().unknown_receipt; }
};

/// A posting of the receipt's amount in the books of the platform or of the merchant to which it is assigned.
inline ledger::Posting posting_for(const UnknownReceipt& receipt, EntryType type, MerchantId books) {
  return {.type = type,
          .merchant_id = books,
          .channel = receipt.channel,
          .currency = receipt.currency,
          .amount = receipt.amount,
          .document = receipt.id,
          .root_id = receipt.id.value,
          .channel_account = receipt.channel_account_id,
          .funds = receipt.funds};
}

}  // namespace finality
