#include "query/statement_quota.h"

#include <gtest/gtest.h>

#include <memory>
#include <mutex>

#include "store/memory/store.h"
#include "store/memory/tables.h"

namespace finality::query {
namespace {

constexpr Time kNow{1'790'000'000'000};
constexpr ChannelAccountId kAccount{5};
constexpr Duration kRetention = std::chrono::days(400);
constexpr std::int64_t kMib = 1 << 20;

class StatementQuotaTest : public testing::Test {
 protected:
  // Adds a statement of the account with a file of that size, received before `kNow`. `bytes` 0: without a file.
  Statement& add(Duration before, std::int64_t bytes, ChannelAccountId account = kAccount) {
    const std::unique_lock lock(tables_->mutex);
    const StatementId id{++last_};
    Statement& row = tables_->of<StatementAggregate>()[id].statement;
    row.id = id;
    row.channel_account_id = account;
    row.date = "2026-09-01";
    row.file_version = last_;
    row.bytes = bytes;
    row.parts = bytes == 0 ? 0 : 1;
    if (bytes != 0) row.received_at = kNow - before;
    return row;
  }
  StoredFiles stored() { return count_stored_files(**store_.open_reader(), kAccount, kNow, kRetention).value(); }

  std::shared_ptr<memory::Tables> tables_ = std::make_shared<memory::Tables>();
  memory::MemoryStore store_{tables_};
  std::int64_t last_ = 0;
};

TEST_F(StatementQuotaTest, EachStoredFileOfTheAccountCounts) {
  add(std::chrono::hours(1), 10);
  add(std::chrono::hours(23), 20).state = StatementState::rejected;
  add(std::chrono::hours(1), 30).source = StatementSource::uploaded;  // another version of the same day
  add(std::chrono::hours(24), 40);
  add(std::chrono::days(399), 50);
  add(std::chrono::days(400), 60);  // deleted
  add({}, 0);                       // expected, without a file
  add(std::chrono::hours(1), 70, ChannelAccountId{6});
  EXPECT_EQ(stored().files_of_day, 3);
  EXPECT_EQ(stored().bytes_of_day, 60);
  EXPECT_EQ(stored().bytes_stored, 150);
}

TEST_F(StatementQuotaTest, AllPagesAreCounted) {
  for (int i = 0; i < 1500; ++i) add(std::chrono::minutes(1), 1);
  EXPECT_EQ(stored().files_of_day, 1500);
}

TEST(StatementQuota, TheFirstExceededLimitIsReturned) {
  const StatementQuota quota{.max_files_per_day = 3, .max_mib_per_day = 2, .max_mib_stored = 4};
  struct Case {
    StoredFiles stored;
    std::int64_t bytes;
    std::optional<QuotaLimit> limit;
  };
  const Case cases[] = {
      {{2, 0, 0}, 2 * kMib, std::nullopt},           {{2, 0, 0}, 2 * kMib + 1, QuotaLimit::max_mib_per_day},
      {{3, 0, 0}, 0, QuotaLimit::max_files_per_day}, {{3, 9 * kMib, 9 * kMib}, 1, QuotaLimit::max_files_per_day},
      {{0, kMib, 3 * kMib}, kMib, std::nullopt},     {{0, kMib, 4 * kMib}, 1, QuotaLimit::max_mib_stored},
      {{0, 2 * kMib, 4 * kMib}, 0, std::nullopt},
  };
  for (const Case& one : cases) EXPECT_EQ(exceeded_limit(one.stored, quota, one.bytes), one.limit);
}

TEST(StatementQuota, TheRefusalNamesFieldAndLimit) {
  const Refusal refusal = quota_refusal(QuotaLimit::max_mib_stored, {.max_mib_stored = 77});
  EXPECT_EQ(info_of(refusal.code).status, 429);
  EXPECT_EQ(refusal.param, "channel_account");
  EXPECT_TRUE(refusal.detail.contains("77 MiB of stored files") && refusal.detail.contains("statements.max_mib_stored"))
      << refusal.detail;
  EXPECT_GT(retry_after_of(refusal), 0);
}

}  // namespace
}  // namespace finality::query
