// Ends the release of an authorization without evidence of a channel: for the wallet, and by resolutions of operators.
#pragma once

#include <string_view>

#include "decide/order/order_writer.h"

namespace finality {

/// Adds what the authorization still holds to its released amount, moves a `releasing` authorization to its final
/// state, and settles the order. A captured total is not waited for any more. A final authorization keeps its state;
/// `note`: the event that is recorded then. Notifies the merchant (`authorization.released`), unless something was
/// captured.
void end_release(OrderWriter& writer, Authorization& authorization, std::string_view note);

}  // namespace finality
