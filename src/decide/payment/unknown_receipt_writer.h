// Changes the aggregate of an unknown receipt: the receipt and its cases (AggregateWriter).
#pragma once

#include "decide/aggregate_writer.h"

namespace finality {

class UnknownReceiptWriter : public AggregateWriter<UnknownReceiptAggregate> {
 public:
  using AggregateWriter::AggregateWriter;

  UnknownReceipt& receipt() { return aggregate().unknown_receipt; }
};

}  // namespace finality
