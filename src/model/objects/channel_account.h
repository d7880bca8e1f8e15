// A channel account (渠道账户): one account of ours at a channel, as the upstream knows it. Payments are pinned to one
// when they are made; their refunds, queries and receipts use the same for ever, whatever the configuration says later.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/time/time.h"
#include "model/ids.h"
#include "model/row.h"

namespace finality {

/// A disabled one takes no new payments; what is open on it is finished.
enum class ChannelAccountState : std::uint8_t { enabled, disabled };
BOOST_DESCRIBE_ENUM(ChannelAccountState, enabled, disabled)

/// Whose money it collects: the platform's, which owes it to the merchants; a merchant's own; or nobody's outside,
/// where it moves between accounts of ours.
enum class Funds : std::uint8_t { platform, merchant, internal };
BOOST_DESCRIBE_ENUM(Funds, platform, merchant, internal)

struct ChannelAccount {
  ChannelAccountId id;
  std::string channel;    // NAME of [channels.NAME]; no two have the same, and none ever gets another
  std::string kind;       // which adapter speaks to it; empty until a server has had it in its configuration
  std::string identity;   // the settings by which the channel knows it; they never change. Empty likewise
  std::string merchants;  // who may use it, ids with spaces between; empty: all
  Funds funds = Funds::platform;
  std::string settings;  // JSON: what of its settings is no secret; empty likewise
  ChannelAccountState state = ChannelAccountState::enabled;
  Time created_at;
  std::int64_t version = 1;

  /// Whether payments of that merchant may go over it.
  bool serves(MerchantId merchant) const { return merchants.empty() || listed(merchants, to_text(merchant)); }
};
BOOST_DESCRIBE_STRUCT(ChannelAccount, (),
                      (id, channel, kind, identity, merchants, funds, settings, state, created_at, version))
FINALITY_ROW(ChannelAccount, "channel_accounts", root, "id", "channel created_at",
             .about = "an account of ours at a channel (渠道账户); `[channels.NAME]` of the configuration",
             .owner = Owner::none)

}  // namespace finality
