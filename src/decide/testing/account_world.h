// Test fixture with three user accounts and requests for transfers, holds and locks.
#pragma once

#include "decide/testing/test_world.h"

namespace finality::test {

class Accounts : public World {
 public:
  Accounts() : source(open("source", 1'000'000)), payer(open("payer")), payee(open("payee")) { fund(payer, 1000); }

  AccountId open(std::string name, MinorUnits overdraft = 0, Currency currency = kCny) {
    return AccountId{run(OpenAccount{kMerchant, std::move(name), "wallet", currency, overdraft})->object.value};
  }
  void fund(AccountId account, MinorUnits amount) { ASSERT_TRUE(run(transfer_request(amount, {}, source, account))); }
  void change(AccountId account, AccountEvent event) { ASSERT_TRUE(run(ChangeAccount{kMerchant, account, event})); }

  PostTransfer transfer_request(MinorUnits amount, std::string reference = {}, AccountId debit = {},
                                AccountId credit = {}) {
    PostTransfer command;
    command.merchant_id = kMerchant;
    command.debit_account_id = debit ? debit : payer;
    command.credit_account_id = credit ? credit : payee;
    command.amount = amount;
    command.currency = kCny;
    command.source = "api";
    command.reference = reference.empty() ? "F" + std::to_string(++references_) : std::move(reference);
    command.fingerprint = sha256_16(std::to_string(amount) + to_text(command.debit_account_id));
    return command;
  }
  CreateHold hold_request(MinorUnits amount, std::string reference = {}) {
    CreateHold command;
    command.merchant_id = kMerchant;
    command.account_id = payer;
    command.credit_account_id = payee;
    command.amount = amount;
    command.currency = kCny;
    command.source = "api";
    command.reference = reference.empty() ? "H" + std::to_string(++references_) : std::move(reference);
    command.fingerprint = sha256_16(std::to_string(amount));
    command.expires_in = 1h;
    return command;
  }
  HoldId new_hold(MinorUnits amount) { return HoldId{run(hold_request(amount))->object.value}; }
  std::string lock(AccountId account, Duration ttl = 1min, std::string nonce = "n") {
    const Decision taken = run(LockAccount{kMerchant, account, "night shift", ttl, std::move(nonce), {}});
    return taken ? *this->account(account).lock_token : std::string(name_of(taken.error().code));
  }
  ReverseTransfer reverse(std::string reference) const { return {kMerchant, "api", std::move(reference)}; }

  MinorUnits balance_of(AccountId id) const { return account(id).balance; }
  MinorUnits available(AccountId id) const { return account(id).available(); }
  std::size_t entries_of(AccountId id) const {
    return static_cast<std::size_t>(std::ranges::count(store.entries, id, &Entry::account_id));
  }

 private:
  int references_ = 0;

 public:
  AccountId source;  // account with a large overdraft, from which the tests fund the accounts
  AccountId payer;   // starts with a balance of 1000
  AccountId payee;
};

}  // namespace finality::test
