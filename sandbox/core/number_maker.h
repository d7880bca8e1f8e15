// Generates the channels' numbers of trades, refunds and notifications.
//
//   sbx 20261121 33615123 0007 5802
//   |   day UTC  |        |    random tag of this run of the sandbox
//   prefix       |        count within the millisecond
//                milliseconds of the day
//
// Numbers sort by time. The clock is never followed backwards, so numbers are unique within a run. The random tag keeps
// them unique across runs whose clock was set back or whose database was deleted.
#pragma once

#include <string>
#include <string_view>

#include "base/time/time.h"

namespace finality::sandbox {

/// Not thread safe.
class NumberMaker {
 public:
  NumberMaker();

  std::string make(std::string_view prefix, Time now);
  /// The prefix of a number from make().
  static std::string_view prefix_of(std::string_view number);

 private:
  std::string tag_;
  Time latest_;
  int count_ = 0;  // within `latest_`
};

}  // namespace finality::sandbox
