// Request ids, and validation of trace headers.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/time/time.h"

namespace finality::http {

/// Generates request ids (`req_…`), ordered by time and unique across processes. Thread safe.
class RequestIds {
 public:
  RequestIds();
  /// Returns a new request id.
  std::string next(Time now);

 private:
  std::string process_;  // random
  std::atomic<std::uint64_t> count_ = 0;
};

/// The valid part of a traceparent header according to W3C Trace Context; empty if the header is invalid.
std::string_view valid_traceparent(std::string_view header);

}  // namespace finality::http
