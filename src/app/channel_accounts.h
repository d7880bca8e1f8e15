// Channel accounts at the start of a server: the configuration's are registered in the store, and the policy learns
// which rows they are.
#pragma once

#include <span>
#include <string>

#include "app/config/channel_account_settings.h"
#include "base/result.h"
#include "engine/engine.h"
#include "model/policy.h"
#include "store/store.h"

namespace finality::app {

/// What the configuration says of `[channels.NAME]`. What is empty is not known, and never conflicts.
struct ConfiguredAccount {
  std::string channel;    // NAME
  std::string kind;       // which adapter
  std::string identity;   // the settings by which the channel knows the account, as one text
  std::string merchants;  // ids with spaces between; empty: all
  Funds funds = Funds::platform;
  std::string settings;  // JSON object: what of its settings is no secret
  bool enabled = true;
};

/// The same of an account's settings.
ConfiguredAccount configured(const ChannelAccountSettings& account);

/// The wallet, which is always there.
ConfiguredAccount wallet_account();

/// Puts the accounts into the policy as they are configured, without ids: for checks before the store is open.
void note_accounts(std::span<const ConfiguredAccount> accounts, Policy& policy);

/// Registers the accounts through the engine, one command each, and fills policy.accounts with all rows of the store.
/// Another server that does the same at the same time is no error. Logs those that are not configured any more. An
/// error says what to change: a name that belongs to another account, too many accounts, a store that fails. REQUIRES:
/// nothing else is submitted to the engine yet; the policy may be the engine's own.
Result<void> register_channel_accounts(Engine& engine, Store& store, std::span<const ConfiguredAccount> accounts,
                                       Policy& policy);

}  // namespace finality::app
