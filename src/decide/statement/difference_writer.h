// Changes the aggregate of a difference, the difference and its cases (AggregateWriter).
#pragma once

#include "decide/aggregate_writer.h"

namespace finality {

class DifferenceWriter : public AggregateWriter<DifferenceAggregate> {
 public:
  using AggregateWriter::AggregateWriter;

  Difference& difference() { return aggregate().difference; }
};

}  // namespace finality
