// Compares the lines of a bank statement with the entries of the bank account in the ledger: withdrawals and top-ups of
// channel accounts, and what operators posted. Banks state none of our numbers, so a line matches the oldest entry with
// its amount. Running it again changes nothing that an earlier run recorded.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "decide/statement/post_funds.h"
#include "decide/statement/record_matches.h"
#include "worker/statements/bank/bank_versions.h"
#include "worker/statements/booked_tally.h"
#include "worker/statements/difference_recorder.h"
#include "worker/statements/line_keys.h"
#include "worker/statements/line_matcher.h"

namespace finality {

/// Keeps the lines of the statement in memory. Not thread safe.
class BankMatcher final : public LineMatcher {
 public:
  explicit BankMatcher(const MatchTask& task);

  void note(const StatementLine&) override {}
  void note_earlier(const StatementLine& line, const Hash16& key, bool is_newest) override;
  void end_noted_version() override { versions_.end_version(); }
  Result<void> add(StatementLine line) override;
  Result<void> finish_lines() override;
  Result<void> add_earlier(StatementLine line) override;
  Result<void> finish_earlier() override { return task_.commands.settle(); }
  Result<void> find_missing() override;
  const MatchCounts& counts() const override { return counts_; }
  FundsResult result() const override;

 private:
  struct Line {
    StatementLine line;
    Hash16 key{};  // identity in all versions
  };
  using Amount = std::pair<Currency, MinorUnits>;  // as the bank states it

  /// The entry that a line reports.
  struct Booked {
    EntryId id;
    MerchantId merchant_id;
    Time at;
  };

  void identify_lines();
  bool is_withdrawn(const Difference& row) const;
  Result<void> load_matches();
  Result<void> load_entries();
  Result<void> match_carried();
  Result<void> match_carried(Difference row);
  Result<void> match(const Line& one);
  Result<std::optional<Booked>> entry_of(const FundsMatch* known, Currency currency, const MatchedLine& line);
  Result<std::optional<Booked>> take(Currency currency, const MatchedLine& line);
  /// A difference about a line ends after its match is committed: after a crash, only the difference leads to the line
  /// again.
  Result<void> settle_match() { return task_.commands.settle(); }
  void add_booked(const StatementLine& line, const std::string& booked_on);
  Result<void> carry_entries();

  MatchTask task_;
  DifferenceRecorder differences_;
  MatchCounts counts_;
  BookedTally booked_;
  LineKeys keys_;
  LineKeys earlier_keys_;
  BankVersions versions_;
  std::vector<Line> lines_;
  boost::unordered_flat_set<Hash16, Hash16Hasher> present_;            // keys of lines_
  boost::unordered_flat_map<Hash16, FundsMatch, Hash16Hasher> known_;  // by line: matches of earlier runs and versions
  boost::unordered_flat_map<std::int64_t, Time> times_;                // of all entries near the day, by id
  std::map<Amount, std::deque<Entry>> open_;                           // entries without a match, oldest first
};

}  // namespace finality
