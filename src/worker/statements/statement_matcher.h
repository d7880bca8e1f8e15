// Compares the lines of a statement with the books, and submits what the comparison finds: matches, evidence that
// repairs the books, and differences. Running it again, after a crash or with other servers, changes nothing that an
// earlier run recorded.
#pragma once

#include <functional>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "channel/statements.h"
#include "decide/statement/compare_line.h"
#include "decide/statement/record_difference.h"
#include "decide/statement/record_matches.h"
#include "engine/engine.h"
#include "store/store.h"

namespace finality {

/// Number of lines by result, as StepStatement stores them.
struct MatchCounts {
  std::int64_t lines = 0;
  std::int64_t matched = 0;
  std::int64_t repaired = 0;
  std::int64_t carried = 0;      // documents that no line reports, and that a later statement can still contain
  std::int64_t differences = 0;  // lines that operators must look at
  std::int64_t recorded = 0;     // matches with the id of this statement
};

/// The statement that is compared, and how. The caller owns the objects, which outlive the matcher.
struct MatchTask {
  const Statement& statement;
  const ChannelAccount& account;
  const StatementPlan& plan;
  std::span<const ChannelRate> rates;
  std::span<const StatementId> earlier;  // earlier versions of the statement
  Reader& reader;
  /// Submits a command in the lane of the merchant and waits for the reply, which can be a refusal. Repeats the command
  /// while the engine is busy. An error ends the comparison: it is repeated later.
  std::function<Result<Reply>(Command command, MerchantId merchant)> submit;
};

/// Not thread safe.
class StatementMatcher {
 public:
  explicit StatementMatcher(const MatchTask& task) : task_(task) {}

  /// Takes note of a line of the file, before the lines are compared. Only for a statement with earlier versions.
  void note(const StatementLine& line);
  /// Takes the next line, in the order of the file. Compares the lines in groups.
  Result<void> add(StatementLine line);
  /// Compares the rest of the lines.
  Result<void> finish_lines();
  /// Compares with the lines of an earlier version of the statement: a line that the newest version does not contain is
  /// a difference. Call for each line of the earlier version, after finish_lines().
  Result<void> add_earlier(const StatementLine& line);
  /// Finds payments and refunds of the day that no statement contains. Call at the end; also for an empty day.
  Result<void> find_missing();

  const MatchCounts& counts() const { return counts_; }

 private:
  struct Pending {
    StatementLine line;
    Hash16 key{};
    LineReads reads;
    bool is_postponed = false;  // compared for the second time, after all other lines
  };
  using Keys = std::unordered_set<Hash16, Hash16Hasher>;
  using Ordinals = std::unordered_map<Hash16, std::int64_t, Hash16Hasher>;
  using Matches = std::map<MerchantId, RecordMatches>;

  Hash16 key_of(const StatementLine& line, Ordinals& ordinals) const;
  Result<void> compare_pending();
  Comparison compare(const Pending& one, const WorkingSet& rows) const;
  Result<void> handle(const Pending& one, const WorkingSet& rows, Matches& matches);
  Result<void> handle_compared(const Pending& one, Comparison found, std::optional<Comparison> before,
                               Matches& matches);
  Result<void> add_match(const Pending& one, const Comparison& found, Matches& matches);
  Result<void> count_match(const Pending& one, const Comparison& found);
  Result<std::optional<OrderAggregate>> order_of(const StatementLine& line);
  Result<Comparison> repair(const Pending& one, const Comparison& found);
  Result<std::optional<StatementMatch>> match_of(ObjectRef document);
  bool is_restated(const StatementMatch& match) const;
  Result<bool> is_of_this_day(const StatementMatch& match);
  bool is_evidence() const { return task_.statement.source == StatementSource::fetched; }
  Result<DifferenceId> difference_about(MerchantId merchant, const std::string& subject);
  Result<void> record(const Pending& one, const Comparison& found, DifferenceEvent event,
                      std::optional<ObjectRef> repaired_by);
  Result<std::string> subject_for(const Pending& one, const Comparison& found, DifferenceEvent event);
  Result<void> count_carried(DifferenceId id);
  Result<void> submit(Command command, MerchantId merchant);
  Result<void> submit_matches(Matches& matches);
  Result<void> end_carried(const Comparison& found);
  Result<void> look_for(const OrderAggregate& order, const Entry& entry);
  Result<void> carry(const Difference& difference, const std::string& subject);
  Result<void> count_complete();
  Result<std::int64_t> complete_since(const std::string& date);

  MatchTask task_;
  MatchCounts counts_;
  std::vector<Pending> pending_;
  Ordinals ordinals_;          // number of lines of the statement, by the key of the first equal line
  Ordinals earlier_ordinals_;  // the same for the earlier version
  std::unordered_map<std::int64_t, Hash16> taken_;  // by document: the line of the pending group that matches it
  std::vector<Pending> postponed_;                  // refunds of payments that a later line may report
  bool is_stale_ = false;                           // evidence was booked since the rows of the pending group were read
  Ordinals noted_;                                  // as ordinals_, of note()
  Keys present_;                                  // identities of all lines of the file; empty without earlier versions
  Keys restated_;                                 // lines of earlier versions whose document has a changed line now
  std::map<std::string, std::int64_t> complete_;  // complete statements after a day, by day
};

}  // namespace finality
