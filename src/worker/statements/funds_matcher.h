// Compares the lines of a funds statement with the books: each payment, refund and return with its document, each fee,
// withdrawal and deduction with nothing: the line itself is posted when the comparison ends (decide/statement/
// post_funds.h). Running it again, after a crash or with other servers, changes nothing that an earlier run recorded.
#pragma once

#include <boost/unordered/unordered_flat_set.hpp>

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "decide/statement/compare_line.h"
#include "decide/statement/post_funds.h"
#include "decide/statement/record_matches.h"
#include "worker/statements/booked_tally.h"
#include "worker/statements/difference_recorder.h"
#include "worker/statements/funds_documents.h"
#include "worker/statements/line_keys.h"
#include "worker/statements/line_matcher.h"
#include "worker/statements/open_lines.h"
#include "worker/statements/replaced_lines.h"
#include "worker/statements/trades/refund_trades.h"

namespace finality {

/// Adds up the lines to post: each withdrawal and top-up alone, because the bank lists it alone; all others as one sum
/// per kind, direction and currency.
class PostingTally {
 public:
  /// Returns an error if the sum would overflow. REQUIRES: the line is posted (posted_type()).
  Result<void> add(const StatementLine& line);
  const std::vector<FundsPosting>& postings() const { return postings_; }

 private:
  std::vector<FundsPosting> postings_;
  std::map<std::tuple<Currency, LineKind, bool>, std::size_t> sums_;  // index in postings_ by kind and direction
};

/// Not thread safe.
class FundsMatcher final : public LineMatcher {
 public:
  FundsMatcher(const MatchTask& task, const StatementAggregate* earlier);

  void note(const StatementLine& line) override;
  /// Lines that an earlier version has posted are not posted again.
  void note_earlier(const StatementLine& line, const Hash16& key, bool is_newest) override;
  Result<void> add(StatementLine line) override;
  /// Compares also what an earlier statement has left open: refunds that the channel had deducted before they were
  /// booked, and lines whose documents were unknown.
  Result<void> finish_lines() override;
  Result<void> add_earlier(StatementLine line) override;
  Result<void> finish_earlier() override { return task_.commands.settle(); }
  Result<void> find_missing() override;
  const MatchCounts& counts() const override { return counts_; }
  FundsResult result() const override;

 private:
  struct Pending {
    StatementLine line;
    Hash16 key{};
    LineReads reads;
    Comparison found;
    std::vector<BookedDocument> candidates;   // documents that the line can report; more than one only for returns
    bool is_of_other_day = false;             // of OpenLines
    std::optional<ArchivedOrder> archived{};  // order that RefundTrades has found, and that must be restored
    std::optional<Hash16> replaced{};  // a line of the earlier version with the same numbers that this one can replace
  };
  /// A line of another day that has its document now.
  struct Ended {
    Hash16 line{};
    BookedDocument booked;
  };
  using Keys = boost::unordered_flat_set<Hash16, Hash16Hasher>;

  bool is_repeated(const StatementLine& line);
  Result<void> append(Pending one);
  Result<void> load_rows(WorkingSet& rows);
  Result<void> restore_archived(WorkingSet& rows);
  Result<void> compare_pending();
  Result<void> compare(Pending& one, const WorkingSet& rows);
  Result<void> handle(Pending& one, const WorkingSet& matches);
  Result<void> handle_open(const Pending& one, const WorkingSet& matches);
  void add_match(const Pending& one, const BookedDocument& booked);
  Result<void> count_booked(const Pending& one, const BookedDocument& booked);
  Result<void> count_own(const Pending& one, const BookedDocument& booked, const FundsMatch& match);
  Result<std::optional<Difference>> difference_of_day(const Pending& one, ObjectRef document);
  Result<bool> is_of_same_day(StatementId statement);
  Result<bool> is_listed_before(const Pending& one);
  Result<bool> is_reported_as_repeated(const Pending& one);
  Result<void> load_repeated();
  Result<bool> has_other_difference(MerchantId merchant, ObjectRef document);
  Result<void> report_document(const Pending& one, const BookedDocument& booked);
  Result<void> report_line(const Pending& one, DifferenceClass difference_class);
  Result<void> report_repetition(const Pending& one);
  Difference row_of(const Pending& one, DifferenceClass difference_class, MinorUnits surplus) const;
  Result<bool> confirm(const Pending& one, MinorUnits surplus);
  Result<void> replace(const Pending& one, const WorkingSet& matches);
  Result<void> end_confirmed(const Pending& one);
  bool was_corrected(const Difference& row) const;
  bool is_of_replaced(const Difference& row, const Hash16& line) const;
  Result<void> end_carried(MerchantId merchant, ObjectRef document, std::optional<Time> ended_at);
  Result<bool> end_deduction(const Pending& one);
  Result<void> match_late();
  Result<void> match_late(const Difference& row);
  Result<void> record_late_mismatch(const Difference& row, MinorUnits surplus, Time booked);
  Result<void> end_late();
  Result<bool> is_taken_back(MerchantId merchant, ObjectRef document);
  Result<void> match_open();
  void add_booked(const StatementLine& line, const std::string& booked_on);
  void add_line(MerchantId merchant, const MatchedLine& line);
  Result<void> send_matches();
  Result<void> count_recorded();
  std::string day_of(Time at) const;
  bool is_of_earlier(StatementId statement) const;
  bool replaces(const FundsMatch& match);
  bool is_taken(ObjectRef document) const;

  MatchTask task_;
  DifferenceRecorder differences_;
  RefundTrades trades_;
  OpenLines open_;
  MatchCounts counts_;
  BookedTally booked_;
  PostingTally postings_;
  std::vector<Pending> pending_;
  LineKeys keys_;
  LineKeys noted_;
  LineKeys withdrawn_keys_;
  Keys present_;  // identities of the lines of this version; empty without earlier versions
  std::set<std::pair<LineKind, std::string>> posted_ids_;  // numbers of the posted lines of this version
  Keys posted_before_;                                     // identities of the lines of earlier versions
  Keys kept_;      // of the newest earlier version, those that this version contains too
  Keys repeated_;  // lines of this day with a difference `duplicate_at_channel`
  Keys older_;     // of the versions before that one, those that this version contains too
  Keys replaced_;  // lines of earlier versions whose document has another line now
  ReplacedLines replaceable_;
  boost::unordered_flat_set<std::int64_t> taken_;  // documents of matches_
  boost::unordered_flat_set<std::int64_t> sent_;   // documents of the matches that were sent last
  std::map<MerchantId, RecordMatches> matches_;    // not sent yet
  std::vector<Difference> late_;                   // of match_late(), which end when their matches are committed
  std::vector<Ended> ended_;                       // their differences end when their matches are committed
  bool is_recorded_counted_ = false;
  bool is_repeated_loaded_ = false;
};

}  // namespace finality
