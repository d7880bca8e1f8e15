// Counts the complete statements that did not contain what earlier ones lacked.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "worker/statements/difference_recorder.h"
#include "worker/statements/match_task.h"

namespace finality {

/// Not thread safe.
class CarriedDifferences {
 public:
  /// Returns the subject of a difference (RecordDifference::subject).
  using SubjectOf = std::function<std::string(const Difference&)>;

  /// `differences` must outlive the object.
  CarriedDifferences(const MatchTask& task, DifferenceRecorder& differences) : task_(task), differences_(differences) {}

  /// Counts the statement for the carried differences of the class that are of earlier days and of the same kind of
  /// statement. Only complete statements count, not days, and nothing ever ends by their number: operators look at a
  /// difference that was missed too often. Call when all matches of the statement are committed.
  Result<void> count(DifferenceClass difference_class, const SubjectOf& subject_of);

 private:
  Result<std::int64_t> complete_since(const std::string& date);

  MatchTask task_;
  DifferenceRecorder& differences_;
  std::map<std::string, std::int64_t> complete_;  // complete statements after a day, by day
};

}  // namespace finality
