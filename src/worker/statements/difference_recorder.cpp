#include "worker/statements/difference_recorder.h"

#include <utility>

namespace finality {
namespace {

constexpr std::size_t kRecordedMax = 16'384;  // keys that are remembered as recorded

// REQUIRES: the key was loaded, with its difference.
std::optional<Difference> difference_in(const WorkingSet& rows, const Hash16& hash) {
  const Key* key = rows.keys.find(hash);
  if (key == nullptr) return std::nullopt;
  const DifferenceAggregate* found = rows.differences.find(DifferenceId{key->id});
  return found == nullptr ? std::nullopt : std::optional(found->difference);
}

}  // namespace

// Waits until the store has all recorded differences, and forgets the rows of prefetch().
Result<void> DifferenceRecorder::settle() {
  rows_.clear();
  recorded_.clear();
  return commands_.settle();
}

Result<void> DifferenceRecorder::prefetch(std::span<const Subject> subjects) {
  rows_.clear();
  if (!recorded_.empty())
    if (auto settled = settle(); !settled) return settled;
  if (subjects.empty()) return {};
  ReadSet reads;
  for (const Subject& one : subjects) reads.keys.push_back({key_of(one.merchant_id, one.text), ObjectType::difference});
  return reader_.load(reads, rows_);
}

Result<std::optional<Difference>> DifferenceRecorder::find(MerchantId merchant, const std::string& subject) {
  const Hash16 key = key_of(merchant, subject);
  if (recorded_.contains(key))
    if (auto settled = settle(); !settled) return std::unexpected(settled.error());
  if (rows_.keys.loaded(key)) return difference_in(rows_, key);
  ReadSet reads;
  reads.keys.push_back({key, ObjectType::difference});
  WorkingSet rows;
  if (auto loaded = reader_.load(reads, rows); !loaded) return std::unexpected(loaded.error());
  return difference_in(rows, key);
}

Result<DifferenceId> DifferenceRecorder::known(MerchantId merchant, const std::string& subject) {
  const auto found = find(merchant, subject);
  if (!found) return std::unexpected(found.error());
  return *found ? (*found)->id : DifferenceId{};
}

Result<void> DifferenceRecorder::record(Difference row, std::string subject, DifferenceEvent event,
                                        std::optional<ObjectRef> repaired_by) {
  RecordDifference command;
  command.known = row.id;
  if (!command.known) {
    const auto found = known(row.merchant_id, subject);
    if (!found) return std::unexpected(found.error());
    command.known = *found;
  }
  if (recorded_.size() == kRecordedMax)
    if (auto settled = settle(); !settled) return settled;
  recorded_.insert(key_of(row.merchant_id, subject));
  row.channel_account_id = account_;
  const MerchantId merchant = row.merchant_id;
  command.difference = std::move(row);
  command.subject = std::move(subject);
  command.event = event;
  command.repaired_by = repaired_by;
  return commands_.send(std::move(command), merchant);
}

Result<void> DifferenceRecorder::end(MerchantId merchant, const std::string& subject, std::optional<Time> ended_at,
                                     ObjectRef repaired_by) {
  auto known = find(merchant, subject);
  if (!known) return std::unexpected(known.error());
  if (!*known || difference_machine.is_final((*known)->state)) return {};
  (*known)->ended_at = ended_at;
  return record(std::move(**known), subject, DifferenceEvent::repair, repaired_by);
}

}  // namespace finality
