// The contract of accounts on SQLite, and that a store from before them keeps what it has.
#include <sqlite3.h>

#include "store/contract/account_contract.h"
#include "store/schema/migrations.h"
#include "store/sqlite/testing/sqlite_place.h"

namespace finality::store_contract {
namespace {

INSTANTIATE_TEST_SUITE_P(Sqlite, AccountContract, testing::Values(make_place<SqlitePlace>));

// As it was written before there were users' accounts.
constexpr std::string_view kRowsOfSchemaTwo = R"sql(
INSERT INTO merchants VALUES (1, 'Shop', 'whsec', NULL, NULL, 'link', 5, 1);
INSERT INTO accounts VALUES (2, 1, 'channel_receivable', 'sandbox', 'CNY', -900, 'open', 71, 6, 3);
INSERT INTO orders VALUES (3, 1, 'A-1', zeroblob(16), 900, 'CNY', 'Tea', 'succeeded', 0, NULL, 900, 100, 'automatic',
  NULL, 'ask', 10, NULL, NULL, '', 0, NULL, 7, NULL, 4);
INSERT INTO payments VALUES (4, 3, 1, NULL, 'sandbox', 'redirect', 'succeeded', 900, 'CNY', 900, 0, 'out', 'T-1', 'none',
  NULL, NULL, NULL, NULL, NULL, '', NULL, NULL, 9, 0, 0, NULL, 8, 2);
INSERT INTO receipts VALUES (5, 3, 4, 1, 'sandbox', 'T-1', 900, 'CNY', 'accepted', 9, 9, 40);
INSERT INTO refunds VALUES (6, 3, 4, 1, 'R-1', 100, 'CNY', 'succeeded', NULL, NULL, NULL, 1, 'back', NULL, NULL, 9, 3);
INSERT INTO entries VALUES (71, 71, 1, 2, -900, 'CNY', 0, -900, 'receipt_accepted', 'receipt', 5, 3, NULL, 9);
)sql";

void write_schema_two(const std::string& path) {
  const std::string sql = "PRAGMA journal_mode=WAL;" + store::schema_sql(2, store::kSqliteDialect) +
                          std::string(kRowsOfSchemaTwo) + "PRAGMA user_version=2;";
  sqlite3* handle = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(handle);
  sqlite3_close(handle);
}

TEST(SqliteAccountsTest, AStoreFromBeforeUsersAccountsKeepsItsRows) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("store.db");
  write_schema_two(path);
  const auto store = must(open_store({.url = "sqlite:" + path}));
  const auto reader = must(store->open_reader());

  const Currency cny{{'C', 'N', 'Y'}};
  Account wanted{.id = AccountId{2}, .merchant_id = MerchantId{1}, .kind = AccountKind::channel_receivable};
  wanted.channel = "sandbox";
  wanted.channel_account_id = ChannelAccountId{1};  // that of the name, which the migration has made
  wanted.currency = cny;
  wanted.balance = -900;
  wanted.last_entry_id = EntryId{71};
  wanted.created_at = Time{6};
  wanted.version = 3;
  const auto account = must(reader->account(AccountId{2}));
  ASSERT_TRUE(account);
  expect_same(*account, wanted);

  const auto order = must(reader->order(OrderId{3}));
  ASSERT_TRUE(order);
  EXPECT_EQ(order->order.merchant_order_no, "A-1");
  ASSERT_EQ(order->payments.size(), 1U);
  EXPECT_EQ(order->payments[0].paid_amount, 900);
  EXPECT_EQ(order->payments[0].account_id, std::nullopt);
  EXPECT_EQ(order->payments[0].channel_account_id, ChannelAccountId{1});
  EXPECT_EQ(order->payments[0].sends, 0);
  EXPECT_EQ(order->payments[0].fee_amount, 0);
  EXPECT_FALSE(order->payments[0].fee_refundable);
  ASSERT_EQ(order->receipts.size(), 1U);
  EXPECT_EQ(order->receipts[0].written_off, 40);
  EXPECT_EQ(order->receipts[0].channel_account_id, ChannelAccountId{1});
  ASSERT_EQ(order->refunds.size(), 1U);
  EXPECT_EQ(order->refunds[0].amount, 100);
  EXPECT_EQ(order->refunds[0].fee_returned, 0);
  EXPECT_EQ(order->refunds[0].channel_account_id, ChannelAccountId{1});
  const auto channels = must(reader->channel_accounts());
  ASSERT_EQ(channels.size(), 1U);
  EXPECT_EQ(channels[0].channel, "sandbox");
  EXPECT_EQ(channels[0].version, 0);  // until a server has it in its configuration

  const auto statement = must(reader->entries(*account, {}, {})).rows;
  ASSERT_EQ(statement.size(), 1U);
  EXPECT_EQ(statement[0].balance_after, -900);
  EXPECT_TRUE(must(reader->accounts(MerchantId{1}, {})).rows.empty());  // nobody opened any
  EXPECT_TRUE(must(reader->fees(MerchantId{1})).empty());
}

}  // namespace
}  // namespace finality::store_contract
