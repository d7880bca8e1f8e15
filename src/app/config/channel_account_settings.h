// Settings of one account at a channel, from [channels.NAME] of the configuration.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "channel/kind.h"
#include "model/ids.h"
#include "model/objects/channel_account.h"

namespace finality::app {

/// A file or environment variable that contains a text. The variable takes precedence if it is set.
struct TextSource {
  std::string file;
  std::string variable;  // name of the environment variable

  bool is_named() const { return !file.empty() || !variable.empty(); }
};

struct ChannelAccountSettings {
  std::string channel;                // NAME in [channels.NAME]
  const ChannelKind* kind = nullptr;  // never null in settings that read_channels() returns
  ChannelValues values;
  std::map<std::string, TextSource, std::less<>> sources;                         // secrets and files, by setting key
  std::map<std::string, std::map<std::string, std::string>, std::less<>> tables;  // paths, by setting key and entry key
  std::vector<MerchantId> merchants;                                              // allowed merchants; empty: all
  Funds funds = Funds::platform;
  MerchantCurrency merchant_currency = MerchantCurrency::presentment;
  std::string bank_account;  // NAME of the bank account to which the channel withdraws; may be empty
  bool enabled = true;       // if false, the account takes no new payments but finishes open payments
};

/// The settings that identify the account at the channel, as one text such as `app_id=2021`. Two accounts of a kind
/// with the same text are the same account.
std::string identity_of(const ChannelAccountSettings& account);

}  // namespace finality::app
