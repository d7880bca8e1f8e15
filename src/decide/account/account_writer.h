// Changes the state, lock and holds of an account and records each change as an event. All code in decide/ uses this
// class for such changes. Balances are changed only by ledger::post().
#pragma once

#include "decide/record.h"

namespace finality {

class AccountWriter {
 public:
  /// Opens an existing account for changes. REQUIRES: the account was loaded and exists.
  AccountWriter(Context& context, AccountId id) : context_(context), account_(&context.rows.accounts.change(id)) {}
  /// Inserts a new account and records its creation.
  AccountWriter(Context& context, Account account) : context_(context) {
    const AccountId id = account.id;
    account.version = 0;
    account_ = &context.rows.accounts.insert(id, std::move(account));
    record(context_, bump(), id, "created", std::nullopt, name_of(account_->state), fsm::CellKind::move);
  }

  Account& account() { return *account_; }

  /// Applies the event to the account. Returns the applied cell of the transition table (apply_transition(), record.h).
  fsm::Cell<AccountState> step(AccountEvent event) {
    return apply_transition(context_, account_machine, *account_, event, false, {}, [this] { return bump(); });
  }
  /// Applies the event to a hold of the account. Returns the applied cell of the transition table. `journal`: id of the
  /// first entry of the event's posting.
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
  /// Records an event `event` for a change that keeps the account's state, such as a lock.
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
