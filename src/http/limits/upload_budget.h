// Memory for the bodies of uploads, shared by the API keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/limits.h"
#include "base/net/http_message.h"
#include "model/ids.h"
#include "model/refusal.h"

namespace finality::http {

/// Settings of uploads: bodies above limits::kBodyBytesMax.
struct UploadSettings {
  std::size_t bytes_max = limits::kLargeBodyBytesMax;  // of all uploads in progress
  std::size_t rate_min = limits::kLargeBodyRateMin;    // bytes per second; 0: no minimum
};

/// Returns the limits of the time in which an upload must arrive, and what the client of a slow upload can do.
std::string time_limits_of(const UploadSettings& settings);

/// Reserves the bytes of each upload until its response. A key may hold at most as many bytes as it leaves free for
/// others, so that no key keeps the uploads of another key waiting. Thread safe.
class UploadBudget : public std::enable_shared_from_this<UploadBudget> {
 public:
  explicit UploadBudget(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  /// Returns a permit, which holds `bytes` for the key until it is destroyed. Refuses with `rate_limited` if the own
  /// uploads of the key are the reason, and with `busy` if those of other keys are.
  std::expected<net::Permit, Refusal> reserve(ApiKeyId key, std::size_t bytes);

 private:
  bool fits(std::size_t own, std::size_t bytes) const;
  void release(ApiKeyId key, std::size_t bytes);

  const std::size_t bytes_max_;
  std::mutex mutex_;
  std::size_t used_ = 0;
  std::unordered_map<std::int64_t, std::size_t> used_by_key_;
};

}  // namespace finality::http
