// Compares the lines of a statement with the books, and submits what the comparison finds: matches, evidence that
// repairs the books, and differences. Running it again, after a crash or with other servers, changes nothing that an
// earlier run recorded.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decide/statement/compare_line.h"
#include "decide/statement/record_matches.h"
#include "model/working_set.h"
#include "worker/statements/difference_recorder.h"
#include "worker/statements/line_matcher.h"
#include "worker/statements/replaced_lines.h"
#include "worker/statements/trades/trade_owners.h"

namespace finality {

/// The comparison of statements of trades. Not thread safe.
class StatementMatcher final : public LineMatcher {
 public:
  explicit StatementMatcher(const MatchTask& task);

  void note(const StatementLine& line) override;
  void note_earlier(const StatementLine& line, const Hash16& key, bool is_newest) override;
  Result<void> add(StatementLine line) override;
  Result<void> finish_lines() override;
  Result<void> add_earlier(StatementLine line) override;
  Result<void> finish_earlier() override;
  Result<void> find_missing() override;
  const MatchCounts& counts() const override { return counts_; }

 private:
  struct Pending {
    StatementLine line;
    Hash16 key{};
    LineReads reads;
    bool is_postponed = false;         // compared for the second time, after all other lines
    std::optional<Hash16> replaced{};  // a line of the earlier version with the same numbers that this one can replace
  };
  /// How often a line is in the file and in the earlier version, when their lines are noted and when they are added.
  struct Times {
    std::uint32_t noted = 0;
    std::uint32_t noted_earlier = 0;
    std::uint32_t added = 0;
    std::uint32_t earlier = 0;
  };
  /// Whether the store has differences of that day, and some about fees or discounts, before the comparison.
  struct DayDifferences {
    bool of_lines = false;
    bool of_costs = false;
  };
  using Keys = boost::unordered_flat_set<Hash16, Hash16Hasher>;
  using Lines = boost::unordered_flat_map<std::int64_t, Hash16>;  // by document

  Hash16 key_of(const StatementLine& line, const Hash16& first, std::int64_t ordinal) const;
  Hash16 first_key_of(const StatementLine& line) const { return key_of_line(task_.account.id, line, 0); }
  bool is_present(const Hash16& line) const;
  Result<void> load_rows(std::span<const Pending> lines, WorkingSet& rows);
  Result<void> restore_archived(WorkingSet& rows);
  Result<bool> count_matched(const Pending& one, MerchantId merchant);
  Result<void> compare_pending();
  Result<void> load_known(std::span<const Comparison> found);
  Result<void> load_differences(std::span<const Comparison> found);
  Result<bool> has_differences(std::optional<DifferenceClass> difference_class);
  Comparison compare(const Pending& one, const WorkingSet& rows) const;
  Result<Comparison> compare_again(const Pending& one);
  bool is_outdated(const Pending& one, const Comparison& found) const;
  Result<void> handle(const Pending& one, Comparison found);
  Result<void> check_identity(const Pending& one, Comparison& found);
  Result<void> handle_compared(const Pending& one, Comparison found, std::optional<Comparison> before);
  void add_match(const Pending& one, const Comparison& found);
  Result<void> query_once(const Pending& one, Comparison& found);
  Result<void> count_match(const Pending& one, const Comparison& found, bool is_repaired);
  Result<bool> end_known(const Comparison& found, std::string subject);
  Result<Comparison> repair(const Pending& one, const Comparison& found);
  Result<std::optional<StatementMatch>> match_of(ObjectRef document);
  bool is_restated(const StatementMatch& match) const;
  bool is_of_earlier(StatementId statement) const;
  bool is_of_version(const StatementMatch& match) const;
  Result<bool> is_of_this_day(const StatementMatch& match);
  bool is_next_attempt(const Pending& one, const StatementMatch& match) const;
  bool is_evidence() const { return task_.statement.source == StatementSource::fetched; }
  Result<void> replace(const Hash16& line, const Comparison& found);
  bool is_confirmed(const Difference& row) const;
  bool is_of_replaced(const Difference& row, const Hash16& line) const;
  Result<void> record(const Pending& one, const Comparison& found, DifferenceEvent event,
                      std::optional<ObjectRef> repaired_by);
  Result<std::string> subject_for(const Pending& one, const Comparison& found, DifferenceEvent event);
  Result<void> send_matches();
  Result<void> end_carried();
  Result<void> end_carried(DifferenceState state);
  Result<void> end_matched(std::span<const Difference> listed);
  Result<void> record_withdrawn();

  MatchTask task_;
  DifferenceRecorder differences_;
  TradeOwners owners_;
  MatchCounts counts_;
  std::vector<Pending> pending_;                          // the group of lines that is compared next
  std::vector<Pending> postponed_;                        // refunds of payments that a later line may report
  WorkingSet known_;                                      // matches of the documents of the pending group, as stored
  std::optional<DayDifferences> has_differences_;         // empty before the first group of lines
  boost::unordered_flat_set<std::int64_t> fresh_orders_;  // changed by evidence since the pending group was loaded
  Keys fresh_receipts_;                                   // keys of unknown receipts, likewise
  std::map<MerchantId, RecordMatches> matches_;           // not sent yet
  Lines taken_;                                           // lines and documents of matches_; of all claims
  Lines sent_;                                            // of the matches that were sent last
  boost::unordered_flat_map<Hash16, Times, Hash16Hasher> times_;  // by the key of the first equal line
  Keys repeated_;  // keys of the noted lines that are not the first of equal lines
  Keys restated_;  // lines of earlier versions that a changed line of this version replaces
  ReplacedLines replaced_;
};

}  // namespace finality
