// Channel account (渠道账户): one of our accounts at a channel. A payment is assigned to a channel account when it is
// created. Its refunds, queries and receipts always use the same account, even if the configuration changes.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/time/time.h"
#include "model/ids.h"
#include "model/row.h"

namespace finality {

/// A disabled account takes no new payments. Its open payments and refunds continue.
enum class ChannelAccountState : std::uint8_t { enabled, disabled };
BOOST_DESCRIBE_ENUM(ChannelAccountState, enabled, disabled)

/// The owner of the collected money: the platform, which settles with the merchants; the merchant itself; or `internal`
/// for the wallet, which moves money between our own accounts.
enum class Funds : std::uint8_t { platform, merchant, internal };
BOOST_DESCRIBE_ENUM(Funds, platform, merchant, internal)

struct ChannelAccount {
  ChannelAccountId id;
  std::string channel;    // NAME of [channels.NAME]; unique, never changes
  std::string kind;       // selects the adapter; empty until a server was started with it in its configuration
  std::string identity;   // the settings that identify the account at the channel; never change. Empty like `kind`
  std::string merchants;  // ids of the merchants it serves, separated by spaces; empty: all
  Funds funds = Funds::platform;
  std::int64_t platform_until = 0;  // payments up to this id were posted as funds of the platform, before schema 16
  std::string settings;             // JSON: its settings without secrets; empty like `kind`
  ChannelAccountState state = ChannelAccountState::enabled;
  Time created_at;
  std::int64_t version = 1;

  /// Whether the account accepts payments of that merchant.
  bool serves(MerchantId merchant) const { return merchants.empty() || listed(merchants, to_text(merchant)); }
};
BOOST_DESCRIBE_STRUCT(ChannelAccount, (),
                      (id, channel, kind, identity, merchants, funds, platform_until, settings, state, created_at,
                       version))
FINALITY_ROW(ChannelAccount, "channel_accounts", root, "id", "channel platform_until created_at",
             .about = "one of our accounts at a channel (渠道账户); `[channels.NAME]` of the configuration",
             .owner = Owner::none)

}  // namespace finality
