// Finds payments and refunds in the books that no statement of a channel contains, and counts the complete statements
// that did not contain them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/objects/entry.h"
#include "model/working_set.h"
#include "worker/statements/difference_recorder.h"
#include "worker/statements/match_task.h"

namespace finality {

/// Not thread safe.
class MissingFinder {
 public:
  /// `differences` must outlive the finder.
  MissingFinder(const MatchTask& task, DifferenceRecorder& differences) : task_(task), differences_(differences) {}

  /// Carries the payments and refunds of the statement's day that no statement contains, and counts this statement for
  /// those that were carried before. Call when all matches of the statement are committed; also for an empty day.
  /// Returns the number of documents of the day that are carried.
  Result<std::int64_t> find();

 private:
  struct Missing;

  Result<void> look_for(std::span<const Entry> entries);
  Result<std::vector<Missing>> missing_of(std::span<const Entry> entries);
  Result<void> carry(const Missing& missing);
  Result<void> count_complete();
  Result<std::int64_t> complete_since(const std::string& date);

  MatchTask task_;
  DifferenceRecorder& differences_;
  std::int64_t carried_ = 0;
  std::map<std::string, std::int64_t> complete_;  // complete statements after a day, by day
};

}  // namespace finality
