// Changes the aggregate of an order: the order and its child rows, such as payments and refunds (AggregateWriter).
#pragma once

#include "decide/aggregate_writer.h"

namespace finality {

class OrderWriter : public AggregateWriter<OrderAggregate> {
 public:
  using AggregateWriter::AggregateWriter;

  Order& order() { return aggregate().order; }
};

}  // namespace finality
