// Changes an account and its holds. All code in decide/ changes them through this class (see aggregate_writer.h). Only
// ledger::post() changes balances.
#pragma once

#include "decide/record.h"

namespace finality {

class AccountWriter {
 public:
  /// REQUIRES: the account was loaded and exists.
  AccountWriter(Context& context, AccountId id) : context_(context), account_(&context.rows.accounts.change(id)) {}
  /// Inserts a new account.
  AccountWriter(Context& context, Account account) : context_(context) {
    const AccountId id = account.id;
    account.version = 0;
    account_ = &context.rows.accounts.insert(id, std::move(account));
    record(context_, bump(), id, "created", std::nullopt, name_of(account_->state), fsm::CellKind::move);
  }

  Account& account() { return *account_; }

  /// Applies the event to the account and returns its cell (apply_transition() in record.h).
  fsm::Cell<AccountState> step(AccountEvent event) {
    return apply_transition(context_, account_machine, *account_, event, false, {}, [this] { return bump(); });
  }
  /// Applies the event to a hold of the account and returns its cell.
  fsm::Cell<HoldState> step(Hold& hold, HoldEvent event, std::optional<EntryId> journal = {}) {
    return apply_transition(context_, hold_machine, hold, event, false, journal, [this, &hold] {
      hold.version += 1;
      return bump();
    });
  }
  /// Records the creation of a hold.
  void created(const Hold& hold) {
    record(context_, bump(), hold.id, "created", std::nullopt, name_of(hold.state), fsm::CellKind::move);
  }
  /// Records a change of the account that does not change its state, such as a lock.
  void noted(std::string_view event) {
    const std::string state(name_of(account_->state));
    record(context_, bump(), account_->id, event, state, state, fsm::CellKind::keep);
  }

 private:
  // Increments the account's version. Called once per recorded event.
  Root bump() {
    account_->version += 1;
    return {account_->id, account_->merchant_id, account_->version};
  }

  Context& context_;
  Account* account_;
};

}  // namespace finality
