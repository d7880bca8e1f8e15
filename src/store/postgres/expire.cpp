#include "store/postgres/expire.h"

#include <algorithm>

namespace finality::postgres {
namespace {

// Key of the advisory lock: an arbitrary number that other programs are unlikely to use.
constexpr std::int64_t kExpiryLock = 0x45'78'70'69'72'79;

const SqlStatement kMayExpire{{.name = "expire.may",
                               .purpose = "Takes the expiry lock and checks the role's DELETE privileges",
                               .text = "SELECT CASE WHEN pg_try_advisory_xact_lock($1) THEN 1 ELSE 0 END::bigint, "
                                       "CASE WHEN has_table_privilege('changes', 'DELETE') THEN 1 ELSE 0 END::bigint, "
                                       "CASE WHEN has_table_privilege('statement_parts', 'DELETE') THEN 1 ELSE 0 "
                                       "END::bigint"}};
const SqlStatement kOldIdempotencyRecords{{.name = "expire.old_idempotency_records",
                                           .shards = Shards::every,
                                           .tables = "idempotency_records",
                                           .purpose = "Finds expired idempotency records",
                                           .text = store::kOldIdempotencyRecords}};
const SqlStatement kOldDeliveries{{.name = "expire.old_deliveries",
                                   .shards = Shards::every,
                                   .tables = "cases changes deliveries",
                                   .purpose = "Finds expired deliveries",
                                   .text = store::old_deliveries()}};
const SqlStatement kDropDeliveries{{.name = "expire.drop_deliveries",
                                    .shards = Shards::every,
                                    .tables = "deliveries",
                                    .purpose = "Deletes expired deliveries whose version is unchanged",
                                    .text = "DELETE FROM deliveries AS t USING unnest($1::bigint[], $2::bigint[]) "
                                            "AS v(id, version) WHERE t.id = v.id AND t.version = v.version"}};
const SqlStatement kDropIdempotencyRecords{{.name = "expire.drop_idempotency_records",
                                            .shards = Shards::every,
                                            .tables = "idempotency_records",
                                            .purpose = "Deletes expired idempotency records",
                                            .text = "DELETE FROM idempotency_records WHERE id = ANY($1::bigint[])"}};
const SqlStatement kDropKeys{{.name = "expire.drop_keys",
                              .shards = Shards::every,
                              .tables = "idempotency_keys",
                              .purpose = "Deletes the keys of expired idempotency records",
                              .text = "DELETE FROM idempotency_keys AS t USING unnest($1::bytea[], $2::bigint[]) "
                                      "AS v(hash, record_id) WHERE t.hash = v.hash AND t.record_id = v.record_id"}};
const SqlStatement kDropEvents{{.name = "expire.drop_events",
                                .shards = Shards::every,
                                .tables = "changes",
                                .purpose = "Deletes the events of expired deliveries",
                                .text = "DELETE FROM changes WHERE root_id = ANY($1::bigint[])"}};
const SqlStatement kDropCases{{.name = "expire.drop_cases",
                               .shards = Shards::every,
                               .tables = "cases",
                               .purpose = "Deletes the cases of expired deliveries",
                               .text = "DELETE FROM cases WHERE root_id = ANY($1::bigint[])"}};
const SqlStatement kNoteExpired{{.name = "expire.note",
                                 .shards = Shards::reference,
                                 .tables = "expired",
                                 .purpose = "Records up to when deliveries may have been deleted",
                                 .text = store::note_expired(store::kDeliveriesExpired)}};
const SqlStatement kOldFiles{{.name = "expire.old_files",
                              .shards = Shards::every,
                              .tables = "statement_parts statements",
                              .purpose = "Finds expired files of statements",
                              .text = store::old_files()}};
const SqlStatement kDropFiles{{.name = "expire.drop_files",
                               .shards = Shards::every,
                               .tables = "statement_parts statements",
                               .purpose = "Deletes expired files of statements that were not received again",
                               .text = "DELETE FROM statement_parts AS t USING statements AS s "
                                       "WHERE t.statement_id = ANY($1::bigint[]) AND s.id = t.statement_id "
                                       "AND s.merchant_id = t.merchant_id AND s.received_at < $2"}};
const SqlStatement kNoteExpiredFiles{{.name = "expire.note_files",
                                      .shards = Shards::reference,
                                      .tables = "expired",
                                      .purpose = "Records up to when files of statements may have been deleted",
                                      .text = store::note_expired(store::kFilesExpired)}};

}  // namespace

void Expiry::send_search() {
  const auto limit = static_cast<std::int64_t>(step_.limit);
  // The restricted role that runs a server has no privilege to delete events. Its sessions therefore keep deliveries,
  // which `finality archive` removes later.
  connection_.send(kMayExpire, Parameters(kExpiryLock));
  connection_.send(kOldIdempotencyRecords, Parameters(step_.records_after, first_id_at(step_.records_before), limit));
  connection_.send(kOldDeliveries, Parameters(step_.deliveries_before, step_.deliveries_after,
                                              first_id_at(step_.deliveries_before), limit));
  connection_.send(kOldFiles, Parameters(step_.files_before, step_.files_after, first_id_at(step_.files_before),
                                         static_cast<std::int64_t>(step_.files_limit)));
}

void Expiry::take_search(const std::vector<Reply>& replies, std::size_t first) {
  Cursor may = replies[first].row(0);
  is_locked_elsewhere_ = !may.read<bool>();
  if (is_locked_elsewhere_) return;
  for (int i = 0; i < replies[first + 1].rows(); ++i) {
    Cursor row = replies[first + 1].row(i);
    records_.push_back(row.read<IdempotencyRecordId>());
    hashes_.push_back(row.read<Hash16>());
  }
  const bool may_delete_deliveries = may.read<bool>();
  if (may.read<bool>()) take_files(replies[first + 3]);
  if (may_delete_deliveries) take_deliveries(replies[first + 2]);
}

void Expiry::take_files(const Reply& reply) {
  for (int i = 0; i < reply.rows(); ++i) {
    Cursor row = reply.row(i);
    store::OldFile file;
    row.read(file.id);
    row.read(file.received_at);
    row.read(file.is_removable);
    last_file_ = file.id;
    ++files_read_;
    if (!file.is_removable) continue;
    files_.push_back(file.id);
    files_until_ = std::max(files_until_, file.received_at);
  }
}

void Expiry::take_deliveries(const Reply& reply) {
  for (int i = 0; i < reply.rows(); ++i) {
    Cursor row = reply.row(i);
    store::OldDelivery delivery;
    row.read(delivery.id);
    row.read(delivery.version);
    row.read(delivery.created_at);
    row.read(delivery.is_removable);
    last_read_ = delivery.id;
    ++read_count_;
    if (!delivery.is_removable) continue;
    deliveries_.push_back(delivery.id);
    versions_.push_back(delivery.version);
    deliveries_until_ = std::max(deliveries_until_, delivery.created_at);
  }
}

// Deletes deliveries before other rows: a batch also locks deliveries first, so the two cannot deadlock.
void Expiry::send_removal() {
  connection_.send(kDropDeliveries, Parameters(deliveries_, versions_));
  connection_.send(kDropIdempotencyRecords, Parameters(records_));
  connection_.send(kDropKeys, Parameters(hashes_, records_));
  if (!files_.empty()) {
    connection_.send(kDropFiles, Parameters(files_, step_.files_before));
    connection_.send(kNoteExpiredFiles, Parameters(files_until_));
  }
  if (deliveries_.empty()) return;
  connection_.send(kDropEvents, Parameters(deliveries_));
  connection_.send(kDropCases, Parameters(deliveries_));
  connection_.send(kNoteExpired, Parameters(deliveries_until_));
}

// Does not compare the number of deleted keys: a key that was used again maps to a newer record and is kept.
bool Expiry::is_removed(const std::vector<Reply>& replies, std::size_t first) const {
  return replies[first].affected() == deliveries_.size() && replies[first + 1].affected() == records_.size();
}

Expired Expiry::outcome(bool removed) const {
  Expired out{.records_after = step_.records_after,
              .deliveries_after = step_.deliveries_after,
              .files_after = step_.files_after};
  if (!records_.empty()) out.records_after = records_.back();
  if (read_count_ > 0) out.deliveries_after = last_read_;
  out.idempotency_records = removed ? records_.size() : 0;
  out.deliveries = removed ? deliveries_.size() : 0;
  if (files_read_ > 0) out.files_after = last_file_;
  out.files = removed ? files_.size() : 0;
  out.at_end = !is_locked_elsewhere_ && records_.size() < step_.limit && read_count_ < step_.limit &&
               files_read_ < std::max<std::size_t>(step_.files_limit, 1);
  return out;
}

}  // namespace finality::postgres
