// Registers the configured channel accounts in the store when a server starts, and puts their rows into the policy.
#pragma once

#include <span>
#include <string>

#include "app/config/channel_account_settings.h"
#include "base/result.h"
#include "engine/engine.h"
#include "model/policy.h"
#include "store/store.h"

namespace finality::app {

/// Contents of `[channels.NAME]` in the configuration. An empty field is unknown and never conflicts.
struct ConfiguredAccount {
  std::string channel;    // NAME
  std::string kind;       // the adapter
  std::string identity;   // the settings that identify the account at the channel, as one text
  std::string merchants;  // ids separated by spaces; empty: all
  Funds funds = Funds::platform;
  std::string settings;  // JSON object of the settings that are not secret
  bool enabled = true;
};

/// Converts the settings of an account.
ConfiguredAccount configured(const ChannelAccountSettings& account);

/// The account of the wallet channel, which always exists.
ConfiguredAccount wallet_account();

/// Puts the configured accounts into the policy, without ids, for checks before the store is open.
void note_accounts(std::span<const ConfiguredAccount> accounts, Policy& policy);

/// Registers the accounts through the engine, one command each, and fills policy.accounts with all rows of the store.
/// Several servers can do this concurrently. Logs accounts that are no longer configured. The error states what to
/// change: a name used by another account, too many accounts, a store failure. REQUIRES: no other command has been
/// submitted to the engine yet. The policy can be the one that the engine uses.
Result<void> register_channel_accounts(Engine& engine, Store& store, std::span<const ConfiguredAccount> accounts,
                                       Policy& policy);

}  // namespace finality::app
