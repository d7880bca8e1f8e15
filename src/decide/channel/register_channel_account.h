// At the start of a server: an account at a channel, as its configuration has it.
#pragma once

#include <string>

#include "decide/context.h"
#include "model/read_set.h"

namespace finality {

struct RegisterChannelAccount {
  ChannelAccountId known;  // the row of that channel; 0: none was there when it was looked for
  std::string channel;     // NAME of [channels.NAME]
  std::string kind;        // empty: not known to the caller, as the next two
  std::string identity;
  std::string settings;
  std::string merchants;  // as in the row
  Funds funds = Funds::platform;
  ChannelAccountState state = ChannelAccountState::enabled;
};

void add_reads(const RegisterChannelAccount& command, ReadSet& reads);

/// Makes the row, or changes in it what may change: merchants, settings and state; kind and identity only where they
/// are not known yet. Nothing is recorded where nothing differs. Refuses: reference_conflict (the name belongs to
/// another account, or the account collects other money), not_found. An account of that name that was made meanwhile is
/// a conflict of the commit: look for it and submit again.
Decision decide(const RegisterChannelAccount& command, Context& context);

}  // namespace finality
