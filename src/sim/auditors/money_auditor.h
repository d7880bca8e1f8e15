// Checks invariants 4, 6 and 7 after every commit: the ledger, its accounts, transfers and holds.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>

#include "model/working_set.h"
#include "sim/auditors/findings.h"

namespace finality::sim {

class MoneyAuditor {
 public:
  explicit MoneyAuditor(Findings& findings) : findings_(findings) {}

  void look_at(const WorkingSet& rows);

  /// Allows later commits to remove the lock with this token before it expires. Call it before a client releases the
  /// lock.
  void expect_lock_release(const std::string& token) { released_tokens_.insert(token); }
  const std::unordered_map<AccountId, Account>& accounts() const { return accounts_; }
  /// Returns the id of the transfer with that source and reference, or 0.
  TransferId transfer(MerchantId merchant, const std::string& source, const std::string& reference) const {
    const auto at = transfers_.find({merchant, source, reference});
    return at == transfers_.end() ? TransferId{} : at->second;
  }
  const std::unordered_map<HoldId, Hold>& holds() const { return holds_; }

 private:
  void check_journals(const WorkingSet& rows);
  void check_entry(const Entry& entry);
  void check_account(const Account& account, const WorkingSet& rows);
  void check_lock(const Account& before, const Account& now, const WorkingSet& rows);
  void check_holds(const WorkingSet& rows);
  void check_hold_end(const Hold& before, const Hold& now, const WorkingSet& rows);
  void check_suspense(const WorkingSet& rows);
  void check_references(const WorkingSet& rows);

  struct Chain {
    MinorUnits balance = 0;
    std::optional<EntryId> last;
  };

  Findings& findings_;
  std::map<std::tuple<MerchantId, std::string, std::string>, TransferId> transfers_;
  std::set<std::string> released_tokens_;            // lock tokens that clients release
  std::unordered_map<AccountId, Account> accounts_;  // last committed rows
  std::unordered_map<AccountId, Chain> chains_;
  std::unordered_map<HoldId, Hold> holds_;
  std::unordered_map<AccountId, MinorUnits> held_;
  std::map<std::pair<MerchantId, Currency>, MinorUnits> suspense_;                  // sum of the receipts in suspense
  std::set<std::tuple<ObjectType, std::int64_t, EntryType, std::int64_t>> posted_;  // with the ordinal
  std::set<std::tuple<MerchantId, ObjectType, std::string, std::string>> references_;
};

}  // namespace finality::sim
