// The ids of requests and the trace they belong to.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/time/time.h"

namespace finality::http {

/// Makes `req_…`: ordered by time, unlike those of any other process. Thread safe, and cheap.
class RequestIds {
 public:
  RequestIds();
  std::string next(Time now);

 private:
  std::string process_;  // random
  std::atomic<std::uint64_t> count_ = 0;
};

/// The header as it came when W3C Trace Context calls it valid, else empty.
std::string_view valid_traceparent(std::string_view header);

}  // namespace finality::http
