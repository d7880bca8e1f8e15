// The numbers the channels give to trades, refunds and notifications.
//
//   sbx 20261121 33615123 0007 5802
//   |   day UTC  |        |    tag of this run of the sandbox, random
//   prefix       |        count within the millisecond
//                milliseconds of the day
//
// They sort by time. The clock is never followed backwards, so none repeats within a run; the random tag keeps two runs
// apart whose clock was set back, or whose books were thrown away.
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
  /// Of a number that make() made.
  static std::string_view prefix_of(std::string_view number);

 private:
  std::string tag_;
  Time latest_;
  int count_ = 0;  // within `latest_`
};

}  // namespace finality::sandbox
