#include "store/sqlite/expire.h"

#include <algorithm>
#include <vector>

#include "store/sql/expire_sql.h"
#include "store/sqlite/transaction.h"

namespace finality::sqlite {
namespace {

struct OldRecord {
  IdempotencyRecordId id;
  Hash16 key_hash{};
};

class Step {
 public:
  Step(Database& database, const ExpireStep& step) : database_(database), step_(step) {}

  Result<void> find() {
    if (auto found = find_records(); !found) return found;
    if (auto found = find_deliveries(); !found) return found;
    return find_files();
  }
  bool anything_to_delete() const { return !records_.empty() || !removable_.empty() || !files_.empty(); }
  Result<void> remove() {
    for (const OldRecord& answer : records_) {
      if (auto done = run("DELETE FROM idempotency_keys WHERE hash=? AND record_id=?", answer.key_hash, answer.id);
          !done)
        return done;
      if (auto done = run("DELETE FROM idempotency_records WHERE id=?", answer.id); !done) return done;
    }
    Time until;
    for (const store::OldDelivery& delivery : removable_) {
      for (const char* sql : {"DELETE FROM deliveries WHERE id=?", "DELETE FROM changes WHERE root_id=?",
                              "DELETE FROM cases WHERE root_id=?"})
        if (auto done = run(sql, delivery.id); !done) return done;
      until = std::max(until, delivery.created_at);
    }
    if (!removable_.empty())
      if (auto done = note(store::kDeliveriesExpired, until); !done) return done;
    return remove_files();
  }
  Expired outcome(bool removed) const {
    Expired out{.records_after = step_.records_after,
                .deliveries_after = step_.deliveries_after,
                .files_after = step_.files_after};
    if (!records_.empty()) out.records_after = records_.back().id;
    if (read_count_ > 0) out.deliveries_after = last_read_;
    out.idempotency_records = removed ? records_.size() : 0;
    out.deliveries = removed ? removable_.size() : 0;
    if (files_read_ > 0) out.files_after = last_file_;
    out.files = removed ? files_.size() : 0;
    out.at_end = records_.size() < step_.limit && read_count_ < step_.limit &&
                 files_read_ < std::max<std::size_t>(step_.files_limit, 1);
    return out;
  }

 private:
  Result<void> remove_files() {
    Time until;
    for (const store::OldFile& file : files_) {
      if (auto done = run("DELETE FROM statement_parts WHERE statement_id=?", file.id); !done) return done;
      until = std::max(until, file.received_at);
    }
    return files_.empty() ? Result<void>{} : note(store::kFilesExpired, until);
  }
  Result<void> note(std::string_view kind, Time until) { return run(store::note_expired(kind), until); }
  template <class... Values>
  Result<void> run(const std::string& sql, const Values&... values) {
    SqlStatement statement = database_.prepare(sql);
    (statement.bind(values), ...);
    if (statement.step() != StepResult::done) return std::unexpected(database_.error(sql));
    return {};
  }
  Result<void> find_records() {
    SqlStatement statement = database_.prepare(store::kOldIdempotencyRecords);
    statement.bind(step_.records_after).bind(first_id_at(step_.records_before)).bind(limit());
    StepResult got = statement.step();
    for (; got == StepResult::row; got = statement.step()) {
      OldRecord& answer = records_.emplace_back();
      statement.read(answer.id);
      statement.read(answer.key_hash);
    }
    return got == StepResult::done ? Result<void>{} : std::unexpected(database_.error("find old records"));
  }
  Result<void> find_deliveries() {
    static const std::string sql = store::old_deliveries();
    SqlStatement statement = database_.prepare(sql);
    statement.bind(step_.deliveries_before).bind(step_.deliveries_after);
    statement.bind(first_id_at(step_.deliveries_before)).bind(limit());
    StepResult got = statement.step();
    for (; got == StepResult::row; got = statement.step()) {
      store::OldDelivery delivery;
      statement.read(delivery.id);
      statement.read(delivery.version);
      statement.read(delivery.created_at);
      statement.read(delivery.is_removable);
      if (delivery.is_removable) removable_.push_back(delivery);
      last_read_ = delivery.id;
      ++read_count_;
    }
    return got == StepResult::done ? Result<void>{} : std::unexpected(database_.error("find old deliveries"));
  }
  Result<void> find_files() {
    static const std::string sql = store::old_files();
    SqlStatement statement = database_.prepare(sql);
    statement.bind(step_.files_before).bind(step_.files_after);
    statement.bind(first_id_at(step_.files_before)).bind(static_cast<std::int64_t>(step_.files_limit));
    StepResult got = statement.step();
    for (; got == StepResult::row; got = statement.step()) {
      store::OldFile file;
      statement.read(file.id);
      statement.read(file.received_at);
      statement.read(file.is_removable);
      if (file.is_removable) files_.push_back(file);
      last_file_ = file.id;
      ++files_read_;
    }
    return got == StepResult::done ? Result<void>{} : std::unexpected(database_.error("find old files"));
  }
  std::int64_t limit() const { return static_cast<std::int64_t>(step_.limit); }

  Database& database_;
  const ExpireStep& step_;
  std::vector<OldRecord> records_;
  std::vector<store::OldDelivery> removable_;
  std::vector<store::OldFile> files_;  // that may be deleted
  StatementId last_file_;
  std::size_t files_read_ = 0;
  DeliveryId last_read_;
  std::size_t read_count_ = 0;
};

CommitResult fence(Database& database, std::int64_t node, std::int64_t token) {
  SqlStatement statement = database.prepare("UPDATE nodes SET last_batch=last_batch+1 WHERE number=? AND token=?");
  if (statement.bind(node).bind(token).step() != StepResult::done) return failure(database, "update nodes");
  if (database.changes() != 1) return {CommitOutcome::fenced, "another process has taken over this store's node"};
  return {};
}

Expired not_done(CommitResult result) { return {.result = std::move(result)}; }

Expired undo(Database& database, CommitResult result) { return not_done(roll_back(database, std::move(result))); }

// The outcome `failed` with the error of a statement of the step.
CommitResult failure_of(Database& database, const Error& error) {
  CommitResult failed = failure(database, {});
  failed.message = error.message;
  return failed;
}

}  // namespace

Expired expire(Database& database, const ExpireStep& requested_step, std::int64_t node, std::int64_t token) {
  if (database.prepare("BEGIN IMMEDIATE").step() != StepResult::done) return not_done(failure(database, "begin"));
  Step step(database, requested_step);
  if (auto found = step.find(); !found) return undo(database, failure_of(database, found.error()));
  if (!step.anything_to_delete()) {  // ends without a COMMIT, so that nothing is written to the disk
    Expired out = undo(database, {});
    return out.result.outcome == CommitOutcome::ok ? step.outcome(false) : out;
  }
  if (auto fenced = fence(database, node, token); fenced.outcome != CommitOutcome::ok)
    return undo(database, std::move(fenced));
  if (auto removed = step.remove(); !removed) return undo(database, failure_of(database, removed.error()));
  CommitResult committed = commit_transaction(database);
  return committed.outcome == CommitOutcome::ok ? step.outcome(true) : not_done(std::move(committed));
}

}  // namespace finality::sqlite
