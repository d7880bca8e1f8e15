// Registers the configured channel accounts and bank accounts in the store when a server starts, and puts their rows
// into the policy.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/config/bank_account_settings.h"
#include "app/config/channel_account_settings.h"
#include "base/result.h"
#include "engine/engine.h"
#include "model/policy.h"
#include "store/store.h"

namespace finality::app {

/// The table `[channels.NAME]` or `[bank_accounts.NAME]` of the configuration, as the store records it. An account with
/// an empty `identity` never conflicts with another account.
struct ConfiguredAccount {
  std::string channel;    // NAME
  std::string kind;       // name of the channel kind, such as `alipay`; kBankKind for a bank account
  std::string identity;   // identity_of() of its settings
  std::string merchants;  // ids of the allowed merchants, separated by spaces; empty: all merchants
  Funds funds = Funds::platform;
  MerchantCurrency merchant_currency = MerchantCurrency::presentment;
  std::optional<Currency> currency{};  // only of a bank account
  std::string bank_account{};          // NAME of the bank account to which a channel withdraws; empty: the default
  std::string settings;                // JSON object of all settings that are not secret
  bool enabled = true;
};

/// Convert the settings of an account to the form that the store records. The number of a bank account is masked in
/// `settings`, but complete in `identity`.
ConfiguredAccount configured(const ChannelAccountSettings& account);
ConfiguredAccount configured(const BankAccountSettings& account);

/// The account of the wallet channel, which always exists.
ConfiguredAccount wallet_account();

/// The wallet, the bank accounts and the channels, in the order in which they are registered.
std::vector<ConfiguredAccount> configured_accounts(std::span<const BankAccountSettings> bank_accounts,
                                                   std::span<const ChannelAccountSettings> channel_accounts);

/// Adds the configured accounts to policy.accounts, so that routes can be checked before the store is open, bank
/// accounts also to policy.bank_accounts, and the bank account of each channel to policy.withdrawal_accounts. A channel
/// with funds of the platform that names none withdraws to the only enabled bank account, if there is exactly one. The
/// ids of the accounts, which the store assigns, are still missing.
void note_accounts(std::span<const ConfiguredAccount> accounts, Policy& policy);

/// Checks the accounts as register_channel_accounts() does, against the rows `rows` of a store, without writing.
/// Returns the error of each account that could not be registered.
std::vector<std::string> check_channel_accounts(std::vector<ChannelAccount> rows,
                                                std::span<const ConfiguredAccount> accounts);

/// Registers the accounts through the engine, one command each, and fills policy.accounts with all rows of the store.
/// Several servers can do this concurrently. Logs accounts that are no longer configured. Fails if an account is stored
/// under another name, the store has the maximum number of accounts, or the store fails. REQUIRES: no other command has
/// been submitted to the engine yet. `policy` can be the policy of the engine.
Result<void> register_channel_accounts(Engine& engine, Store& store, std::span<const ConfiguredAccount> accounts,
                                       Policy& policy);

}  // namespace finality::app
