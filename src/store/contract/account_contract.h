// Store contract tests, part 3: accounts, transfers, holds, prices and fees. Usage: store/contract/store_contract.h.
#pragma once

#include "store/contract/reader_contract.h"

namespace finality::store_contract {

class AccountContract : public StoreContract {
 protected:
  template <class Row>
  Row new_row() {
    Row row = filler_.row<Row>();
    row.id = {ids_->next()};
    row.version = 1;
    return row;
  }
  Account new_account(MerchantId merchant = kMerchant, AccountKind kind = AccountKind::user) {
    Account account = new_row<Account>();
    account.merchant_id = merchant;
    account.kind = kind;
    return account;
  }
  Account new_account_without_entries() {
    Account account = new_account();
    account.last_entry_id.reset();
    return account;
  }
  /// Adds an entry to the account and sets it as the account's last entry. Returns the entry's id.
  std::int64_t post(WorkingSet& rows, Account& account, Time at) {
    Entry entry = filler_.row<Entry>();
    entry.id = EntryId{ids_->next()};
    entry.merchant_id = account.merchant_id;
    entry.account_id = account.id;
    entry.previous_id = account.last_entry_id;
    entry.created_at = at;
    rows.entries.push_back(entry);
    account.last_entry_id = entry.id;
    return entry.id.value;
  }
  Hold new_hold(const Account& account, const Account& credit) {
    Hold hold = new_row<Hold>();
    hold.account_id = account.id;
    hold.credit_account_id = credit.id;
    return hold;
  }
  void write_rows(const WorkingSet& rows) {
    FINALITY_CHECK(this->commit(rows) == CommitOutcome::ok, "the rows were not written");
  }
  /// Writes two accounts, and a hold whose account is the first and whose credit account is the second.
  std::tuple<Account, Account, Hold> write_hold() {
    const Account account = new_account();
    const Account credit = new_account();
    const Hold hold = new_hold(account, credit);
    WorkingSet rows;
    rows.accounts.insert(account.id, account);
    rows.accounts.insert(credit.id, credit);
    rows.holds.insert(hold.id, hold);
    write_rows(rows);
    return {account, credit, hold};
  }
  Key write_key(std::int64_t id) {
    Key key = filler_.row<Key>();
    key.id = id;
    WorkingSet rows;
    rows.keys.insert(key.hash, key);
    write_rows(rows);
    return key;
  }
  std::vector<Fee> write_fees(MerchantId merchant, int count) {
    std::vector<Fee> fees;
    for (int i = 0; i < count; ++i) fees.push_back(new_fee(merchant));
    WorkingSet rows;
    rows.fees.insert(merchant, fees);
    write_rows(rows);
    return fees;
  }
  Fee new_fee(MerchantId merchant) {
    Fee fee = new_row<Fee>();
    fee.merchant_id = merchant;
    return fee;
  }
};

}  // namespace finality::store_contract
