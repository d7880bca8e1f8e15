#include "worker/statements/sealed_file.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "store/memory/store.h"
#include "store/memory/tables.h"

namespace finality {
namespace {

class SealedFileTest : public testing::Test {
 protected:
  // Stores the parts of a file, and returns its statement.
  Statement store(std::string_view file, std::vector<Bytes> parts) {
    Statement statement;
    statement.id = StatementId{1 << 22};
    statement.sha256 = sha256_hex(file);
    statement.bytes = static_cast<std::int64_t>(file.size());
    statement.parts = static_cast<std::int64_t>(parts.size());
    const auto session = *store_->open_session();
    const IdGenerator ids(session->node(), session->ids_not_before());
    WorkingSet rows;
    rows.statements.insert(statement.id, {statement, {}, {}});
    for (std::int64_t i = 0; i < statement.parts; ++i)
      rows.statement_parts.push_back({statement.id, i, kPlatform, parts[static_cast<std::size_t>(i)]});
    EXPECT_EQ(session->commit(rows, ids).outcome, CommitOutcome::ok);
    return statement;
  }
  Result<std::string> open(const Statement& statement, const Secret& key) {
    return open_file(key, statement, **store_->open_reader());
  }

  std::unique_ptr<Store> store_ = std::make_unique<memory::MemoryStore>(std::make_shared<memory::Tables>());
  Secret key_ = statement_key_of(Secret("a secret of at least 32 characters"));
};

TEST_F(SealedFileTest, AFileIsReadAsItWasReceived) {
  std::string large;
  for (int i = 0; large.size() < 2 * limits::kStatementPartBytes; ++i) large += sha256_hex(std::to_string(i));
  const std::string packed = "\x1f\x8b" + large;  // begins like a GZIP file: kept as it is
  for (const std::string& file : {std::string("line 1\nline 2\n"), packed}) {
    const auto parts = seal_file(key_, sha256_hex(file), file);
    EXPECT_EQ(parts.size(), file == packed ? 3U : 1U);
    EXPECT_FALSE(parts.front().data().contains("line 1"));
    store_ = std::make_unique<memory::MemoryStore>(std::make_shared<memory::Tables>());
    EXPECT_EQ(open(store(file, parts), key_).value(), file);
  }
}

TEST_F(SealedFileTest, AnotherKeyReadsNothing) {
  const Statement statement = store("file", seal_file(key_, sha256_hex("file"), "file"));
  const auto opened = open(statement, statement_key_of(Secret("another secret with 32 characters")));
  ASSERT_FALSE(opened);
  EXPECT_TRUE(opened.error().message.contains("statements.key_file")) << opened.error().message;
}

TEST_F(SealedFileTest, AFileThatIsStoredAgainIsReadWithTheNewKey) {
  const std::string large = "\x1f\x8b" + std::string(limits::kStatementPartBytes, 'x');
  Statement statement = store(large, seal_file(key_, sha256_hex(large), large));
  ASSERT_EQ(statement.parts, 2);
  const Secret key = statement_key_of(Secret("another secret with 32 characters"));
  const std::vector<Bytes> parts = seal_file(key, statement.sha256, large);
  const auto session = *store_->open_session();
  WorkingSet rows;
  ASSERT_TRUE(session->load({.statements = {statement.id}}, rows));
  rows.statements.change(statement.id).statement.version += 1;
  for (std::int64_t i = 0; i < statement.parts; ++i)
    rows.statement_parts.push_back({statement.id, i, kPlatform, parts[static_cast<std::size_t>(i)]});
  rows.accept();
  ASSERT_EQ(session->commit(rows, IdGenerator(session->node(), session->ids_not_before())).outcome, CommitOutcome::ok);
  EXPECT_EQ(open(statement, key).value(), large);
  EXPECT_FALSE(open(statement, key_));
}

TEST_F(SealedFileTest, AnIndexThatIsStoredLaterKeepsTheFile) {
  const Statement statement = store("file", seal_file(key_, sha256_hex("file"), "file"));
  const auto session = *store_->open_session();
  WorkingSet rows;
  ASSERT_TRUE(session->load({.statements = {statement.id}}, rows));
  rows.statements.change(statement.id).statement.version += 1;
  rows.statement_parts.push_back(
      {statement.id, -1, kPlatform, seal_part(key_, statement.sha256, -1, "the index of the lines")});
  rows.accept();
  ASSERT_EQ(session->commit(rows, IdGenerator(session->node(), session->ids_not_before())).outcome, CommitOutcome::ok);
  EXPECT_EQ(open(statement, key_).value(), "file");
  const auto reader = *store_->open_reader();
  EXPECT_EQ(open_part(key_, statement, -1, *reader).value(), "the index of the lines");
  EXPECT_EQ(open_part(key_, statement, -2, *reader).value(), std::nullopt);
}

TEST_F(SealedFileTest, APartOfAnotherFileIsDetected) {
  const Statement statement = store("file", seal_file(key_, sha256_hex("other"), "other"));
  EXPECT_FALSE(open(statement, key_));
}

TEST_F(SealedFileTest, AMissingPartIsNamed) {
  Statement statement = store("file", seal_file(key_, sha256_hex("file"), "file"));
  statement.parts = 2;
  EXPECT_TRUE(open(statement, key_).error().message.contains("expired"));
}

}  // namespace
}  // namespace finality
