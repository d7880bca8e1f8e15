// One account at a channel, as [channels.NAME] of the configuration has it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "channel/kind.h"
#include "model/ids.h"
#include "model/objects/channel_account.h"

namespace finality::app {

/// A text's place. Where the variable is set it wins.
struct TextSource {
  std::string file;
  std::string variable;  // of the environment

  bool is_named() const { return !file.empty() || !variable.empty(); }
};

struct ChannelAccountSettings {
  std::string channel;                // NAME
  const ChannelKind* kind = nullptr;  // never null once it is read
  ChannelValues values;
  std::map<std::string, TextSource, std::less<>> sources;                         // of secrets and files, by key
  std::map<std::string, std::map<std::string, std::string>, std::less<>> tables;  // of files, by key and id
  std::vector<MerchantId> merchants;                                              // who may use it; empty: all
  Funds funds = Funds::platform;
  bool enabled = true;  // a disabled one takes no new payments and finishes what is open
};

/// The settings by which the channel knows the account, as one text that never changes: `app_id=2021`.
std::string identity_of(const ChannelAccountSettings& account);

}  // namespace finality::app
