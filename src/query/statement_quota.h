// Quotas of the stored files of statements, per channel account. They limit what operators store by uploads and by
// repeated downloads. The daily downloads of the server are never refused, because their lines are evidence.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>

#include "base/described.h"
#include "base/limits.h"
#include "model/refusal.h"
#include "store/store.h"

namespace finality::query {

/// A limit of StatementQuota, named as its setting in [statements].
enum class QuotaLimit : std::uint8_t { max_files_per_day, max_mib_per_day, max_mib_stored };
BOOST_DESCRIBE_ENUM(QuotaLimit, max_files_per_day, max_mib_per_day, max_mib_stored)

/// The limits of one channel account. Every stored file counts, also those of earlier versions of a day and of rejected
/// statements, with its size as received.
struct StatementQuota {
  std::int64_t max_files_per_day = limits::kStatementFilesPerDay;  // received in the last 24 hours
  std::int64_t max_mib_per_day = limits::kStatementMibPerDay;      // the same, size in MiB
  std::int64_t max_mib_stored = limits::kStatementMibStored;       // received within the retention of files
};

struct StoredFiles {
  std::int64_t files_of_day = 0;
  std::int64_t bytes_of_day = 0;
  std::int64_t bytes_stored = 0;
};

/// Counts the files of the account: those received in the last 24 hours before `now`, and those received within
/// `retention`, which the server has not deleted. Reads all statements of the account.
Result<StoredFiles> count_stored_files(Reader& reader, ChannelAccountId account, Time now, Duration retention);

/// Returns the first limit that a further file of `bytes` bytes exceeds; empty if it exceeds none.
std::optional<QuotaLimit> exceeded_limit(const StoredFiles& stored, const StatementQuota& quota, std::int64_t bytes);

/// Returns the refusal `rate_limited` of a file that exceeds the limit. `detail` names the setting and its value.
Refusal quota_refusal(QuotaLimit limit, const StatementQuota& quota);

}  // namespace finality::query
