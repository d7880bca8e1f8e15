// Finds what the books have and no statement of a channel contains: payments and refunds that the statements of trades
// lack, and changes of the balance that the funds statements lack. Counts the complete statements that lack them.
#pragma once

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

  /// Carries what the statement's day has in the books and no statement contains, and counts this statement for
  /// those that were carried before. Call when all matches of the statement are committed; also for an empty day.
  /// Returns the number of documents of the day that are carried.
  Result<std::int64_t> find();

 private:
  struct Missing;

  Result<void> look_for(std::span<const Entry> entries);
  Result<std::vector<Missing>> missing_trades(std::span<const Entry> entries);
  Result<std::vector<Missing>> missing_funds(std::span<const Entry> entries);
  Result<void> carry(const Missing& missing);

  MatchTask task_;
  DifferenceRecorder& differences_;
  std::int64_t carried_ = 0;
};

}  // namespace finality
