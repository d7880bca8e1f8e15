// Checks invariants 3, 4 and 6 of unknown receipts: their cases, the suspense accounts of the platform, and the
// clearing accounts, which sum to zero over all merchants.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "sim/auditors/findings.h"
#include "sim/auditors/money_auditor.h"
#include "store/store.h"

namespace finality::sim {

class UnknownReceiptAuditor {
 public:
  UnknownReceiptAuditor(Findings& findings, const MoneyAuditor& money) : findings_(findings), money_(money) {}

  /// Checks a commit. REQUIRES: `money` has looked at the commit.
  void look_at(const WorkingSet& rows);
  /// Records that an engine has acknowledged the report of this trade.
  void acknowledged(const std::string& channel, const std::string& trade_no) {
    acknowledged_[channel].insert(trade_no);
  }
  /// Compares the store with the commits and the acknowledged reports. Called once, at the end of the simulation run.
  void ended(Reader& reader);

 private:
  void check_receipt(const UnknownReceiptAggregate& aggregate, bool is_new);
  void check_entry(const Entry& entry);
  void check_sums();

  Findings& findings_;
  const MoneyAuditor& money_;
  std::map<UnknownReceiptId, UnknownReceipt> receipts_;  // last committed rows
  std::map<std::string, std::set<std::string>> trades_;  // of the receipts, by channel
  std::map<std::string, std::set<std::string>> acknowledged_;
};

}  // namespace finality::sim
