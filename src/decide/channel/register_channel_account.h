// Registers a channel account or bank account of the configuration. The server submits this command when it starts.
#pragma once

#include <string>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct RegisterChannelAccount {
  ChannelAccountId known;  // id of the stored account of that channel; 0: none is stored
  std::string channel;     // NAME of [channels.NAME] or [bank_accounts.NAME]
  std::string kind;        // kind, identity and settings: empty keeps the stored value
  std::string identity;
  std::string settings;
  std::string merchants;  // ids of the served merchants (ChannelAccount::merchants)
  Funds funds = Funds::platform;
  MerchantCurrency merchant_currency = MerchantCurrency::presentment;
  ChannelAccountState state = ChannelAccountState::enabled;
};

void add_reads(const RegisterChannelAccount& command, ReadSet& reads);

/// Creates the row, or updates merchants, merchant_currency, settings and state; kind and identity only while they are
/// empty. An unchanged row records no event. Refuses with `reference_conflict` (the channel name belongs to another
/// account, or `funds` differs), `not_found` (no account has the id `known` and that name). The commit conflicts when
/// an account of that name was created concurrently; the caller then looks up the account and submits again.
Decision decide(const RegisterChannelAccount& command, Context& context);

}  // namespace finality
