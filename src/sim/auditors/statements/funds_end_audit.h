// Compares funds and bank statements with the book of the simulated channels and banks, at the end of a simulation run:
// each line has a match, a posting or a difference; each injected difference was reported once, in its class, and
// nothing else was reported; what no other document books was posted once; and the proof of every day has no
// unexplained amount.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/auditors/statements/statement_auditor.h"

namespace finality::sim {

class FundsEndAudit {
 public:
  /// REQUIRES: all arguments outlive this object.
  FundsEndAudit(const StatementRecords& records, const StatementBook& book, const Upstream& upstream,
                const OrderAuditor& orders, const Policy& policy, Findings& findings);
  void run(Reader& reader);

 private:
  /// A line of a compared file.
  struct Listed {
    const Statement* statement = nullptr;
    StatementLine line;
    Hash16 key{};
  };
  /// A booked document: a receipt, refund, reversal, return or unknown receipt.
  struct Document {
    const Trade* trade = nullptr;  // null: of an unknown number, or not known
    MinorUnits booked = 0;         // change of the balance, without entries that were taken back later
    std::optional<Time> at;        // of the first entry
  };
  using Amounts = std::map<MinorUnits, std::int64_t>;  // how often each amount exists

  void add_documents(const OrderAggregate& order);
  void add_entry(const Entry& entry);
  void add_lines(const Statement& statement);
  const std::string& channel_of(ChannelAccountId id) const;
  const Listed* listed_of(const Difference& difference) const;
  const InjectedFault* fault_of(const Listed& listed) const;
  const InjectedFault* fault_of(std::int64_t document) const;
  std::optional<std::int64_t> document_of(const InjectedFault& injected) const;
  bool is_disturbed(std::int64_t document) const;
  bool is_disturbed(const std::string& channel, const StatementLine& line) const;
  bool is_ambiguous(const InjectedFault& injected) const;

  void check_lines();
  void check_matches();
  void check_postings();
  void check_postings(const Statement& statement, const std::set<Hash16>& before);
  void check_injected(const InjectedFault& injected);
  void check_document(const InjectedFault& injected, std::int64_t document);
  void check_bank(const ChannelAccount& bank);
  void check_differences();
  void check_proof(Reader& reader, const ChannelAccount& account);
  template <class Is>
  std::vector<const Difference*> explain(Is is);
  bool is_natural(const Difference& difference) const;
  bool is_natural_line(const Difference& difference, const Listed& listed) const;

  const StatementRecords& records_;
  const StatementBook& book_;
  const Upstream& upstream_;
  const OrderAuditor& orders_;
  const Policy& policy_;
  Findings& findings_;
  std::vector<std::pair<const Statement*, std::vector<Listed>>> files_;  // of compared statements, in order of versions
  std::map<Hash16, const Listed*> by_key_;
  std::map<std::int64_t, Document> documents_;
  std::map<std::pair<std::string, std::string>, std::int64_t> receipts_;  // by channel and number of the trade
  std::map<Hash16, std::set<std::int64_t>> matched_;                      // documents or entries, by line
  std::map<Hash16, std::vector<const Difference*>> by_line_;
  std::set<DifferenceId> explained_;
};

}  // namespace finality::sim
