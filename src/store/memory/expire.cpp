#include "store/memory/expire.h"

#include <algorithm>

namespace finality::memory {
namespace {

/// Returns the ids in `map` that are greater than `after` and were created before `before`: oldest first, at most
/// `limit`.
template <class AnId, class Map, class IdOf>
std::vector<AnId> ids_between(const Map& map, IdOf id_of, AnId after, Time before, std::size_t limit) {
  std::vector<AnId> ids;
  for (const auto& [key, row] : map)
    if (const AnId id = id_of(row); id > after && id.value < first_id_at(before)) ids.push_back(id);
  std::ranges::sort(ids);
  if (ids.size() > limit) ids.resize(limit);
  return ids;
}

bool is_over(const Tables& tables, const DeliveryAggregate& row, Time before) {
  if (!delivery_machine.is_final(row.delivery.state)) return false;
  if (!std::ranges::all_of(row.cases, [](const Case& one) { return case_machine.is_final(one.state); })) return false;
  const auto* events = find_in(tables.events, row.delivery.id.value);
  return events == nullptr || std::ranges::all_of(*events, [before](const Event& one) { return one.at < before; });
}

/// Whether no version of the statement's day is expected, downloaded or compared, so that its file is not needed.
bool is_file_over(const Tables& tables, const Statement& file, Time before) {
  if (!file.received_at || *file.received_at >= before) return false;
  const auto is_unfinished = [](const Statement& row) {
    return row.is_fetched_again || statement_machine.due_effect(row.state) != StatementEffect::none;
  };
  return std::ranges::none_of(tables.of<StatementAggregate>(), [&](const auto& one) {
    const Statement& row = one.second.statement;
    return row.channel_account_id == file.channel_account_id && row.date == file.date && row.kind == file.kind &&
           row.funds_account == file.funds_account && is_unfinished(row);
  });
}

void expire_files(Tables& tables, const ExpireStep& step, Expired& out) {
  std::vector<StatementId> read;
  for (const auto& [key, part] : tables.statement_parts)
    if (key.second == 0 && key.first > step.files_after && key.first.value < first_id_at(step.files_before) &&
        read.size() < step.files_limit)
      read.push_back(key.first);
  for (const StatementId id : read) {
    const StatementAggregate* found = find_in(tables.of<StatementAggregate>(), id);
    if (found == nullptr || !is_file_over(tables, found->statement, step.files_before)) continue;
    std::erase_if(tables.statement_parts, [id](const auto& part) { return part.first.first == id; });
    ++out.files;
  }
  out.files_after = read.empty() ? step.files_after : read.back();
  out.at_end = out.at_end && read.size() < std::max<std::size_t>(step.files_limit, 1);
}

void remove_delivery(Tables& tables, DeliveryId id) {
  for (const Case& row : tables.of<DeliveryAggregate>().at(id).cases) tables.roots.erase(row.id);
  tables.events.erase(id.value);
  tables.of<DeliveryAggregate>().erase(id);
}

}  // namespace

Expired expire(Tables& tables, const ExpireStep& step) {
  const auto records = ids_between(
      tables.of<IdempotencyRecord>(), [](const IdempotencyRecord& row) { return row.id; }, step.records_after,
      step.records_before, step.limit);
  const auto deliveries = ids_between(
      tables.of<DeliveryAggregate>(), [](const DeliveryAggregate& row) { return row.delivery.id; },
      step.deliveries_after, step.deliveries_before, step.limit);
  Expired out{.records_after = records.empty() ? step.records_after : records.back(),
              .deliveries_after = deliveries.empty() ? step.deliveries_after : deliveries.back()};
  out.idempotency_records = std::erase_if(tables.of<IdempotencyRecord>(), [&](const auto& row) {
    return std::ranges::binary_search(records, row.second.id);
  });
  const IdempotencyRecordId end =
      records.size() < step.limit ? IdempotencyRecordId{first_id_at(step.records_before) - 1} : records.back();
  std::erase_if(tables.idempotency_record_ids,  // also records whose idempotency key has been reused
                [&](std::int64_t id) { return id > step.records_after.value && id <= end.value; });
  for (const DeliveryId id : deliveries)
    if (is_over(tables, tables.of<DeliveryAggregate>().at(id), step.deliveries_before)) {
      remove_delivery(tables, id);
      ++out.deliveries;
    }
  out.at_end = records.size() < step.limit && deliveries.size() < step.limit;
  expire_files(tables, step, out);
  return out;
}

}  // namespace finality::memory
