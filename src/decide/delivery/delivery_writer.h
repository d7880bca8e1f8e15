// Changes the aggregate of a webhook delivery: the delivery and its cases (AggregateWriter).
#pragma once

#include "decide/aggregate_writer.h"

namespace finality {

class DeliveryWriter : public AggregateWriter<DeliveryAggregate> {
 public:
  using AggregateWriter::AggregateWriter;

  Delivery& delivery() { return aggregate().delivery; }
};

}  // namespace finality
