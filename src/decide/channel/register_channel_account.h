// Registers a channel account from the configuration, at the start of a server.
#pragma once

#include <string>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct RegisterChannelAccount {
  ChannelAccountId known;  // the row of that channel; 0: the caller found none
  std::string channel;     // NAME of [channels.NAME]
  std::string kind;        // empty: unknown to the caller; the same for `identity` and `settings`
  std::string identity;
  std::string settings;
  std::string merchants;  // ids of the served merchants (ChannelAccount::merchants)
  Funds funds = Funds::platform;
  ChannelAccountState state = ChannelAccountState::enabled;
};

void add_reads(const RegisterChannelAccount& command, ReadSet& reads);

/// Creates the row, or updates merchants, settings and state; kind and identity only when they are still empty. Records
/// nothing when nothing differs. Refuses: reference_conflict (the name belongs to another account, or `funds` differs),
/// not_found. If an account of that name was created concurrently, the commit conflicts: look it up and submit again.
Decision decide(const RegisterChannelAccount& command, Context& context);

}  // namespace finality
