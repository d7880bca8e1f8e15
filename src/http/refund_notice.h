// A channel's word about money going back: which of our refunds or reversals it is about.
#pragma once

#include <expected>
#include <string_view>

#include "channel/channel.h"
#include "decide/record_refund.h"
#include "store/store.h"

namespace finality::http {

enum class NoSuchRefund : std::uint8_t { foreign, unreadable };

/// The command that tells the engine. `foreign` when the number is none of ours, of another channel, or of an attempt
/// that was never made; an attempt that was given up is the engine's to judge.
std::expected<RecordRefund, NoSuchRefund> read_refund_notice(Reader& reader, std::string_view channel,
                                                             const RefundNotice& notice);

}  // namespace finality::http
