#include "query/statement_quota.h"

#include <fmt/format.h>

#include "store/each_page.h"

namespace finality::query {
namespace {

constexpr Duration kDay = std::chrono::hours(24);
constexpr std::int64_t kMib = 1 << 20;
constexpr int kRetryAfterSeconds = 3600;

std::int64_t value_of(QuotaLimit limit, const StatementQuota& quota) {
  constexpr std::int64_t StatementQuota::* kFields[] = {
      &StatementQuota::max_files_per_day, &StatementQuota::max_mib_per_day, &StatementQuota::max_mib_stored};
  static_assert(std::size(kFields) == kCount<QuotaLimit>);
  return quota.*kFields[static_cast<std::size_t>(limit)];
}

}  // namespace

Result<StoredFiles> count_stored_files(Reader& reader, ChannelAccountId account, Time now, Duration retention) {
  StoredFiles stored;
  const StatementFilter filter{.channel_account_id = account};
  const auto list = [&](const Page& page) { return reader.statements(filter, page); };
  const auto count = [&](std::span<const Statement> rows) -> Result<void> {
    for (const Statement& row : rows) {
      if (row.parts == 0 || !row.received_at) continue;
      if (*row.received_at > now - retention) stored.bytes_stored += row.bytes;
      if (*row.received_at <= now - kDay) continue;
      ++stored.files_of_day;
      stored.bytes_of_day += row.bytes;
    }
    return {};
  };
  const auto counted = store::for_each_page(list, count);
  return counted ? Result<StoredFiles>(stored) : std::unexpected(counted.error());
}

std::optional<QuotaLimit> exceeded_limit(const StoredFiles& stored, const StatementQuota& quota, std::int64_t bytes) {
  if (stored.files_of_day >= quota.max_files_per_day) return QuotaLimit::max_files_per_day;
  if (stored.bytes_of_day + bytes > quota.max_mib_per_day * kMib) return QuotaLimit::max_mib_per_day;
  if (stored.bytes_stored + bytes > quota.max_mib_stored * kMib) return QuotaLimit::max_mib_stored;
  return std::nullopt;
}

Refusal quota_refusal(QuotaLimit limit, const StatementQuota& quota) {
  constexpr std::string_view kMeanings[] = {"files of statements received in 24 hours",
                                            "MiB of files of statements received in 24 hours",
                                            "MiB of stored files of statements"};
  static_assert(std::size(kMeanings) == kCount<QuotaLimit>);
  return {.code = RefusalCode::rate_limited,
          .detail = fmt::format("The channel account has reached its limit of {} {} (statements.{}). Earlier versions "
                                "of a day count. Wait, or raise the limit in the configuration.",
                                value_of(limit, quota), kMeanings[static_cast<std::size_t>(limit)], name_of(limit)),
          .param = "channel_account",
          .retry_after_seconds = kRetryAfterSeconds};
}

}  // namespace finality::query
