// Maps a channel's notification about a refund to the refund or reversal in the store.
#pragma once

#include <expected>
#include <string_view>

#include "channel/channel.h"
#include "decide/refund/record_refund.h"
#include "query/refusals.h"
#include "store/store.h"

namespace finality::http {

enum class NoSuchRefund : std::uint8_t { foreign, missing, unreadable };

/// The command that records the notification. `foreign`: Finality did not issue the refund number, or issued it for
/// another channel or for a later attempt than the last one; or the trade, amount or currency differs from that of the
/// refund. Refund numbers of abandoned attempts are accepted: the engine classifies their evidence. `missing`: the
/// refund number has Finality's format, but the refund or reversal is not in the store. `unreadable`: the store could
/// not be read. REQUIRES: `notification` is about a refund.
std::expected<RecordRefund, NoSuchRefund> read_refund_notice(Reader& reader, std::string_view channel,
                                                             const Notification& notification);

}  // namespace finality::http
