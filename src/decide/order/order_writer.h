// Changes the aggregate of an order: the order, its payments, receipts, refunds, reversals and cases (AggregateWriter).
#pragma once

#include "decide/aggregate_writer.h"

namespace finality {

class OrderWriter : public AggregateWriter<OrderAggregate> {
 public:
  using AggregateWriter::AggregateWriter;

  Order& order() { return aggregate().order; }
};

}  // namespace finality
