// Checks invariant 17, statements: their rows, matches and differences after every commit. At the end,
// StatementEndAudit and FundsEndAudit compare them with the records of the channels and the injected faults.
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "model/policy.h"
#include "sim/auditors/findings.h"
#include "sim/auditors/order_auditor.h"
#include "sim/statements/statement_book.h"
#include "store/store.h"

namespace finality::sim {

/// The last committed rows, and when they were first committed, in simulated time. Documents are receipts, unknown
/// receipts, and refunds and reversals that succeeded.
struct StatementRecords {
  std::map<StatementId, StatementAggregate> statements;
  std::map<StatementId, Time> claimed_at;    // when the first comparison began
  std::map<StatementId, Time> compared_at;   // when a comparison ended
  std::map<StatementId, Time> completed_at;  // the same, or when the channel reported an empty day
  std::map<DifferenceId, DifferenceAggregate> differences;
  std::map<DifferenceId, Time> found_at;
  std::map<DifferenceId, Time> opened_at;          // when its case was opened
  std::map<std::int64_t, StatementMatch> matches;  // by document
  std::map<std::int64_t, Time> matched_at;         // by document
  std::map<std::int64_t, Time> booked_at;          // by document
  // Only of runs with statements of funds and of banks:
  std::map<std::int64_t, FundsMatch> funds_matches;  // by document
  /// The entries of channel accounts and bank accounts, with the id of the account at the channel or bank.
  std::vector<std::pair<Entry, ChannelAccountId>> entries;
};

class StatementAuditor {
 public:
  StatementAuditor(Findings& findings, const Upstream& upstream, const OrderAuditor& orders, const Policy& policy)
      : findings_(findings), upstream_(upstream), orders_(orders), policy_(policy) {}

  /// Checks a commit. `now`: the simulated time, without the clock error of the engine.
  void look_at(const WorkingSet& rows, Time now);
  /// Compares the store with the commits, and the commits with the book. Called once, at the end of the simulation run.
  void ended(Reader& reader, const StatementBook& book);

 private:
  void check_events(const WorkingSet& rows);
  void look_at_statements(const WorkingSet& rows, Time now);
  void look_at_differences(const WorkingSet& rows, Time now);
  void look_at_matches(const WorkingSet& rows, Time now);
  void look_at_balances(const WorkingSet& rows);
  void note_documents(const WorkingSet& rows, Time now);
  void check_counts(const StatementAggregate& aggregate);
  void check_totals(const StatementAggregate& aggregate, const StatementBook& book);
  void check_adjustment(const DifferenceAggregate& aggregate);

  Findings& findings_;
  const Upstream& upstream_;
  const OrderAuditor& orders_;
  const Policy& policy_;
  StatementRecords records_;
  std::set<Hash16> matched_lines_;
  std::set<Hash16> matched_movements_;
  std::map<std::int64_t, MinorUnits> posted_;  // to receivable and bank accounts, by difference; credits are positive
};

}  // namespace finality::sim
