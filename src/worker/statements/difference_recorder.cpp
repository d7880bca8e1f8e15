#include "worker/statements/difference_recorder.h"

#include <fmt/format.h>

#include <utility>

namespace finality {
namespace {

constexpr std::size_t kRecordedMax = 16'384;  // keys that are remembered as recorded

// The text of the difference with that number about a subject, from 1.
std::string numbered(const std::string& subject, std::size_t number) {
  return number == 1 ? subject : fmt::format("{} again {}", subject, number);
}

// REQUIRES: the key was loaded, with its difference.
std::optional<Difference> difference_in(const WorkingSet& rows, const Hash16& hash) {
  const Key* key = rows.keys.find(hash);
  if (key == nullptr) return std::nullopt;
  const DifferenceAggregate* found = rows.differences.find(DifferenceId{key->id});
  return found == nullptr ? std::nullopt : std::optional(found->difference);
}

}  // namespace

bool can_recur(const Difference& difference) {
  const bool is_replaced = difference.state == DifferenceState::repaired && difference.repaired_by_id != 0 &&
                           difference.repaired_by_type == ObjectType::statement;
  return is_replaced || difference.state == DifferenceState::resolved;
}

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
  auto all = history(merchant, subject);
  if (!all) return std::unexpected(all.error());
  return all->empty() ? std::nullopt : std::optional(std::move(all->back()));
}

Result<std::vector<Difference>> DifferenceRecorder::history(MerchantId merchant, const std::string& subject) {
  std::vector<Difference> all;
  do {
    auto next = named(merchant, numbered(subject, all.size() + 1));
    if (!next) return std::unexpected(next.error());
    if (!*next) break;
    all.push_back(std::move(**next));
  } while (can_recur(all.back()));
  return all;
}

Result<std::optional<Difference>> DifferenceRecorder::named(MerchantId merchant, const std::string& text) {
  const Hash16 key = key_of(merchant, text);
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
  command.difference = std::move(row);
  command.subject = std::move(subject);
  command.event = event;
  command.repaired_by = repaired_by;
  return send(std::move(command));
}

Result<void> DifferenceRecorder::record_again(Difference row, const std::string& subject, DifferenceEvent event) {
  const auto all = history(row.merchant_id, subject);
  if (!all) return std::unexpected(all.error());
  RecordDifference command;
  command.difference = std::move(row);
  command.difference.id = {};
  command.subject = numbered(subject, all->size() + 1);
  command.event = event;
  return send(std::move(command));
}

Result<void> DifferenceRecorder::send(RecordDifference command) {
  if (recorded_.size() == kRecordedMax)
    if (auto settled = settle(); !settled) return settled;
  const MerchantId merchant = command.difference.merchant_id;
  recorded_.insert(key_of(merchant, command.subject));
  command.difference.channel_account_id = account_;
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
