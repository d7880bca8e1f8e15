// Compares statements with the book of the simulated channels, at the end of a simulation run: each available one was
// compared, or reported as missing. Compares the matches and differences of the statements of trades: each
// injected difference was reported once, in its class; each line has a match or a difference; nothing else was
// reported.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/auditors/statements/statement_auditor.h"

namespace finality::sim {

class StatementEndAudit {
 public:
  /// REQUIRES: all arguments outlive this object.
  StatementEndAudit(const StatementRecords& records, const StatementBook& book, const Upstream& upstream,
                    const OrderAuditor& orders, const Policy& policy, Findings& findings);
  void run();

 private:
  using Name = std::pair<std::string, std::string>;  // channel and number

  /// A line of a compared file.
  struct Listed {
    const Statement* statement = nullptr;
    const StatementLine* line = nullptr;
    Hash16 key{};
  };
  /// A receipt, refund or reversal, and its trade at the channel, or null.
  struct Document {
    const Trade* trade = nullptr;
    const Receipt* receipt = nullptr;
    const Refund* refund = nullptr;
    const Reversal* reversal = nullptr;
  };

  void add_documents(const OrderAggregate& order);
  void add_lines(const Statement& statement, const ChannelFile& file);
  std::optional<std::int64_t> document_of(const std::string& channel, const StatementLine& line) const;
  const Trade* trade_of(const std::string& channel, const StatementLine& line) const;
  bool is_disturbed(std::int64_t document) const;
  bool is_line_disturbed(const std::string& channel, const StatementLine& line) const;
  const Listed* line_of(const Difference& difference) const;
  bool is_of_day(const Difference& difference, const Statement& statement) const;
  const std::string& channel_of(const Difference& difference) const;
  FileName file_of(const Difference& difference) const;

  void check_days();
  void check_line(const Listed& listed);
  void check_match(const StatementMatch& match);
  void check_injected(const InjectedFault& injected);
  void check_missing(const InjectedFault& injected, std::int64_t document);
  void check_duplicate(const InjectedFault& injected, std::int64_t document);
  void check_amount(const InjectedFault& injected, std::int64_t document);
  void check_cost(const InjectedFault& injected);
  void check_withdrawn(const InjectedFault& injected);
  void check_carried(const Difference& difference);
  template <class Is>
  std::vector<const Difference*> explain(Is is);
  bool has_line_since(std::int64_t document, Time since) const;
  bool was_booked_after(std::int64_t document, const Difference& difference) const;
  bool is_natural(const Difference& difference) const;
  bool is_natural_missing(const Difference& difference) const;
  bool is_natural_absence(const Difference& difference) const;

  const StatementRecords& records_;
  const StatementBook& book_;
  const OrderAuditor& orders_;
  const Upstream& upstream_;
  const Policy& policy_;
  Findings& findings_;
  std::map<std::int64_t, Document> documents_;
  std::map<Name, std::int64_t> receipts_;                            // by channel and name_of_trade()
  std::map<std::pair<StatementId, std::int64_t>, Listed> by_place_;  // by statement and line number
  std::map<Hash16, const Listed*> by_key_;                           // one place of each line
  std::map<Hash16, std::vector<const Difference*>> by_line_;
  std::map<FileName, std::vector<const Statement*>> days_;  // versions of the statements of each day, of all kinds
  std::set<DifferenceId> explained_;
};

}  // namespace finality::sim
