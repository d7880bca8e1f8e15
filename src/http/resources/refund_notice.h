// A channel's word about money going back: which of our refunds or reversals it is about.
#pragma once

#include <expected>
#include <string_view>

#include "channel/channel.h"
#include "decide/refund/record_refund.h"
#include "query/refusals.h"
#include "store/store.h"

namespace finality::http {

enum class NoSuchRefund : std::uint8_t { foreign, missing, unreadable };

/// The command that tells the engine. `foreign` when the number is none of ours, of another channel, or of an attempt
/// that was never made, and when another trade or another sum is said than went with that number; an attempt that was
/// given up is the engine's to judge. `missing` when the number has our form and the store does not have the refund or
/// reversal. REQUIRES: `notification` is about a refund.
std::expected<RecordRefund, NoSuchRefund> read_refund_notice(Reader& reader, std::string_view channel,
                                                             const Notification& notification);

}  // namespace finality::http
