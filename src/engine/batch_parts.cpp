// The part of BatchRunner that separates commands by the parts of the store that they use.
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "base/log.h"
#include "decide/decide.h"
#include "engine/batch_runner.h"

namespace finality {
namespace {

std::string name_of(const StoreParts& parts) { return fmt::format("{}", fmt::join(parts, ",")); }

/// Assigns commands to groups so that the commands of a merchant keep their order. Groups are executed in the order of
/// FewerParts.
class GroupAssignment {
 public:
  /// Returns the key of the group of the merchant's next command, which uses `parts`. If an earlier command of the
  /// merchant is in a later group, returns a key that also contains its parts.
  StoreParts next(MerchantId merchant, StoreParts parts) {
    StoreParts& last = last_[merchant];
    if (FewerParts()(parts, last)) {
      StoreParts both;
      std::ranges::set_union(parts, last, std::back_inserter(both));
      parts = std::move(both);
    }
    return last = std::move(parts);
  }

 private:
  std::unordered_map<MerchantId, StoreParts> last_;
};

}  // namespace

// Executes the commands of each part of the store as a separate batch. Keeps the order of the commands of a merchant,
// and parks orders before the next batch. A part that fails is recorded, so that the lane waits for it at most once per
// limits::kStorePartRefusedFor. Commands that are in the group of a failed part only to keep their order are executed
// after the others of the group were refused. If the whole store fails, refuses all remaining commands.
// `why`: with Split::all, the error of the batch that failed because of one of the parts.
void BatchRunner::run_by_parts(std::vector<Decided> batch, Split split, const std::string& why,
                               std::vector<Request>& first) {
  const std::size_t all = batch.size();
  std::optional<Groups> groups = group(batch, split);
  if (!groups) return;
  if (split == Split::all && groups->size() == 1 && groups->begin()->second.size() == all) {
    record_failed(groups->begin()->first, why);  // the batch that failed used only these parts
    return run_by_parts(std::move(groups->begin()->second), Split::failed, {}, first);
  }
  std::optional<BatchFailure> failed_store;
  for (auto& [parts, commands] : *groups) {
    if (!first.empty()) run_first(first);
    if (failed_store) {
      refuse_all(commands, *failed_store);
      continue;
    }
    if (failed_parts_.access(parts, options_.clock->now()) == FailedParts::Access::refused) {
      run_by_parts(std::move(commands), Split::failed, {}, first);
      continue;
    }
    const auto failure = attempt(commands, first);
    if (!failure) {
      if (failed_parts_.record_success(parts)) log::info("part of the store works again", {{"part", name_of(parts)}});
    } else if (failure->scope != BatchFailure::Scope::part) {
      refuse_all(commands, *failure);
      if (failure->scope == BatchFailure::Scope::store) failed_store = failure;
    } else if (parts.empty()) {
      run_by_parts(std::move(commands), Split::all, failure->message, first);
    } else {
      record_failed(parts, failure->message);
      run_by_parts(std::move(commands), Split::failed, {}, first);
    }
  }
}

// Runs requests that must run before any other: those in `first`. Afterwards `first` contains the requests that must
// run before any other then.
void BatchRunner::run_first(std::vector<Request>& first) {
  std::vector<Request> next;
  run_by_parts(as_batch(std::exchange(first, {})), Split::failed, {}, next);
  first = std::move(next);
}

// Groups the commands by the parts of the store that they use, and refuses the commands that use a failed part. Returns
// empty, after refusing all commands, if the store cannot tell the parts.
std::optional<BatchRunner::Groups> BatchRunner::group(std::vector<Decided>& batch, Split split) {
  Groups groups;
  std::vector<Decided> refused;
  const Time now = options_.clock->now();
  std::vector<StoreParts> parts;
  parts.reserve(batch.size());
  std::vector<std::vector<MerchantId>> owners;
  std::vector<MerchantId> all_owners;
  for (const Decided& item : batch) {
    owners.push_back(owners_of(item));
    all_owners.insert(all_owners.end(), owners.back().begin(), owners.back().end());
  }
  std::ranges::sort(all_owners);
  const auto repeated = std::ranges::unique(all_owners);
  all_owners.erase(repeated.begin(), repeated.end());
  // One question about all merchants, so that the look-ups below need none.
  if (const auto known = failed_parts_.parts_of(all_owners, *session_); !known) {
    log::error("parts of the store not found", {{"error", known.error().message}});
    refuse_all(batch, RefusalCode::storage_read_error, "The store could not be read. Nothing was changed.");
    return std::nullopt;
  }
  for (const std::vector<MerchantId>& of_item : owners) parts.push_back(*failed_parts_.parts_of(of_item, *session_));
  GroupAssignment assignment;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const FailedParts::Access access = failed_parts_.access(parts[i], now);
    if (access == FailedParts::Access::refused) {
      refused.push_back(std::move(batch[i]));
      continue;
    }
    const bool is_separate = split == Split::all || access == FailedParts::Access::probe;
    StoreParts key = assignment.next(batch[i].request.merchant_id, is_separate ? std::move(parts[i]) : StoreParts());
    groups[std::move(key)].push_back(std::move(batch[i]));
  }
  refuse_parts(refused);
  return groups;
}

// The merchants whose rows the command reads or writes.
std::vector<MerchantId> BatchRunner::owners_of(const Decided& item) const {
  ReadSet reads;
  add_reads(item.request.command, reads);
  reads.owners.push_back(item.request.merchant_id);
  return std::move(reads.owners);
}

void BatchRunner::record_failed(const StoreParts& parts, const std::string& why) {
  failed_parts_.record_failure(parts, options_.clock->now());
  counts_.part_failures += 1;
  log::error("part of the store failed, its merchants are refused", {{"part", name_of(parts)}, {"error", why}});
}

void BatchRunner::refuse_parts(std::vector<Decided>& batch) {
  counts_.part_refusals += batch.size();
  refuse_all(batch, RefusalCode::storage_write_error,
             "The part of the store with the merchant's data is not available. Nothing was changed. Retry the "
             "request.");
}

}  // namespace finality
