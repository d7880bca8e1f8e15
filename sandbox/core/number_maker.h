// Generates the identifiers that channels assign: trade_no, refund_no and the ids of notifications.
//
//   sbx 20261121 33615123 0007 5802
//   |   day UTC  |        |    random tag of this run of the sandbox
//   prefix       |        count within the millisecond
//                milliseconds of the day
//
// The identifiers sort by time. If the clock is set back, new identifiers continue from the latest time used, so they
// are unique within a run. The random tag makes them unique across runs, even after a deletion of the database.
#pragma once

#include <string>
#include <string_view>

#include "base/time/time.h"

namespace finality::sandbox {

/// Generator of identifiers. Not thread safe.
class NumberMaker {
 public:
  NumberMaker();

  std::string make(std::string_view prefix, Time now);
  /// Returns the prefix of an identifier that make() has returned.
  static std::string_view prefix_of(std::string_view number);

 private:
  std::string tag_;
  Time latest_;
  int count_ = 0;  // identifiers generated in the millisecond `latest_`
};

}  // namespace finality::sandbox
