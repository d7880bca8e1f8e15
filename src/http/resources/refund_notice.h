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

/// The command that records the notification. `foreign`: the number was not issued here, or belongs to another channel
/// or to an attempt that was never made; or the trade, amount or currency does not match the number. Abandoned attempts
/// are accepted: the engine decides about them. `missing`: the number has Finality's format, but the refund or reversal
/// is not in the store. `unreadable`: the store could not be read. REQUIRES: `notification` is about a refund.
std::expected<RecordRefund, NoSuchRefund> read_refund_notice(Reader& reader, std::string_view channel,
                                                             const Notification& notification);

}  // namespace finality::http
