// Changes the aggregate of a delivery; see aggregate_writer.h.
#pragma once

#include "decide/aggregate_writer.h"

namespace finality {

class DeliveryWriter : public AggregateWriter<DeliveryAggregate> {
 public:
  using AggregateWriter::AggregateWriter;

  Delivery& delivery() { return aggregate().delivery; }
};

}  // namespace finality
