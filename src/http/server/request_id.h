// Generator of request ids, and validation of traceparent headers.
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
  /// Returns a new request id with the time `now` as its prefix.
  std::string next(Time now);

 private:
  std::string process_;  // random suffix of all ids of this process
  std::atomic<std::uint64_t> count_ = 0;
};

/// Returns version, trace-id, parent-id and flags of a traceparent header (W3C Trace Context), without the fields that
/// later versions append. Returns empty if the header is invalid.
std::string_view valid_traceparent(std::string_view header);

}  // namespace finality::http
