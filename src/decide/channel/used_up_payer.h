// Payment codes (付款码) of payers, which a channel accepts in one request only.
#pragma once

#include "decide/context.h"
#include "model/payer_data.h"

namespace finality {

/// Whether the channel accepts the payer's data of the row in one request only.
template <PayerRow Row>
bool is_payer_used_once(const Context& context, const Row& row) {
  const auto channel = context.policy.channels.find(row.channel);
  return channel != context.policy.channels.end() && channel->second.does_use_up_payer(row.method);
}

/// Erases a payment code that the channel has accepted. REQUIRES: a reply or query has reported the trade of the row.
template <PayerRow Row>
void erase_used_up_payer(const Context& context, Row& row) {
  if (is_payer_used_once(context, row)) row.payer.clear();
}

/// Whether the payment code of the row was used up and erased, so that its request cannot be sent again. True for a
/// channel that this server does not have, because the code may have been used up.
template <PayerRow Row>
bool is_payer_used_up(const Context& context, const Row& row) {
  return row.payer.empty() && (!context.policy.channels.contains(row.channel) || is_payer_used_once(context, row));
}

}  // namespace finality
