#include "http/limits/upload_budget.h"

#include <fmt/format.h>

#include <chrono>

namespace finality::http {
namespace {

Refusal refusal_of(bool is_own_share) {
  if (is_own_share)
    return {RefusalCode::rate_limited,
            "The files that this key is uploading use its share of the memory. Nothing was changed. Wait for the "
            "responses before you send a further file.",
            {},
            {}};
  return {RefusalCode::busy,
          "Too many large files are being received. Nothing was changed. Retry after a few seconds.",
          {},
          {}};
}

}  // namespace

std::string time_limits_of(const UploadSettings& settings) {
  constexpr std::size_t kKiB = 1 << 10;
  constexpr auto kWindow = std::chrono::duration_cast<std::chrono::seconds>(limits::kLargeBodyRateWindow);
  constexpr auto kWhole = std::chrono::duration_cast<std::chrono::seconds>(limits::kLargeBodyReadMax);
  const std::string rate = fmt::format("with at least {} KiB per second over each {} seconds, and ",
                                       settings.rate_min / kKiB, kWindow.count());
  return fmt::format(
      "An upload must arrive {}completely within {} seconds. Send it over a faster connection, or compress the file "
      "with GZIP.",
      settings.rate_min == 0 ? std::string() : rate, kWhole.count());
}

// REQUIRES: mutex_ is held. `own`: the bytes that the key holds.
bool UploadBudget::fits(std::size_t own, std::size_t bytes) const {
  return used_ + bytes <= bytes_max_ && own + bytes <= bytes_max_ - used_ - bytes;
}

std::expected<net::Permit, Refusal> UploadBudget::reserve(ApiKeyId key, std::size_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    const auto at = used_by_key_.find(key.value);
    const std::size_t own = at == used_by_key_.end() ? 0 : at->second;
    if (!fits(own, bytes)) return std::unexpected(refusal_of(own > 0 && fits(0, bytes)));
    used_ += bytes;
    used_by_key_[key.value] = own + bytes;
  }
  return net::Permit(this, [self = shared_from_this(), key, bytes](const void*) { self->release(key, bytes); });
}

void UploadBudget::release(ApiKeyId key, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  used_ -= bytes;
  const auto at = used_by_key_.find(key.value);
  at->second -= bytes;
  if (at->second == 0) used_by_key_.erase(at);
}

}  // namespace finality::http
