#include "store/sqlite/transaction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>

#include "store/sqlite/wal_batcher.h"

namespace finality::sqlite {
namespace {

// Codes with one cause. The shared index of the log grows with the log: it cannot grow on a full disk.
constexpr std::pair<int, StoreFault> kExtendedCodes[] = {
    {SQLITE_IOERR_DATA, StoreFault::damaged},
    {SQLITE_IOERR_CORRUPTFS, StoreFault::damaged},
    {SQLITE_IOERR_SHMSIZE, StoreFault::disk_full},
};
constexpr std::pair<int, StoreFault> kPrimaryCodes[] = {
    {SQLITE_FULL, StoreFault::disk_full}, {SQLITE_READONLY, StoreFault::read_only},
    {SQLITE_PERM, StoreFault::read_only}, {SQLITE_CORRUPT, StoreFault::damaged},
    {SQLITE_NOTADB, StoreFault::damaged},
};
// Causes of the codes SQLITE_IOERR and SQLITE_CANTOPEN.
constexpr std::pair<int, StoreFault> kErrorNumbers[] = {
    {ENOSPC, StoreFault::disk_full}, {EDQUOT, StoreFault::disk_full}, {EFBIG, StoreFault::disk_full},
    {EROFS, StoreFault::read_only},  {EACCES, StoreFault::read_only}, {EPERM, StoreFault::read_only},
};

std::optional<StoreFault> find(std::span<const std::pair<int, StoreFault>> table, int key) {
  const auto found = std::ranges::find(table, key, &std::pair<int, StoreFault>::first);
  return found == table.end() ? std::nullopt : std::optional(found->second);
}

CommitResult lost(CommitResult why, std::string_view also) {
  return {CommitOutcome::lost, fmt::format("{}; {}", why.message, also)};
}

}  // namespace

std::optional<StoreFault> fault_of(int code, int error_number) {
  if (const auto fault = find(kExtendedCodes, code)) return fault;
  const int primary = code & 0xFF;
  if (const auto fault = find(kPrimaryCodes, primary)) return fault;
  if ((primary != SQLITE_IOERR && primary != SQLITE_CANTOPEN) || code == SQLITE_IOERR_NOMEM) return {};
  return find(kErrorNumbers, error_number).value_or(StoreFault::disk_error);
}

CommitResult failure(Database& database, std::string_view what) {
  return {CommitOutcome::failed, database.error(what).message,
          fault_of(database.error_code(), sqlite3_system_errno(database.handle()))};
}

CommitResult roll_back(Database& database, CommitResult why) {
  if (!database.in_transaction() || database.prepare("ROLLBACK").step() == StepResult::done) return why;
  return lost(std::move(why), database.error("rollback").message);
}

CommitResult commit_transaction(Database& database) {
  BatchedCommit batched(database.handle());
  if (database.prepare("COMMIT").step() == StepResult::done) {
    FINALITY_CHECK(batched.is_written(), "COMMIT returned before its pages were written");
    return {};
  }
  CommitResult failed = failure(database, "commit");
  const int code = database.error_code();
  if (code == SQLITE_IOERR_FSYNC || code == SQLITE_IOERR_DIR_FSYNC) return lost(std::move(failed), "a sync failed");
  if (batched.failed_write() != 0) failed.fault = fault_of(code, batched.failed_write());
  CommitResult rolled_back = roll_back(database, std::move(failed));
  if (rolled_back.outcome == CommitOutcome::lost) return rolled_back;
  if (const int undone = batched.undo(); undone != SQLITE_OK)
    return lost(std::move(rolled_back), fmt::format("the log could not be cut: {}", sqlite3_errstr(undone)));
  return rolled_back;
}

}  // namespace finality::sqlite
