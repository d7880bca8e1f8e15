// Ends a capture of an authorization, and continues with the authorization.
#pragma once

#include "decide/order/order_writer.h"

namespace finality {

/// Called when a capture has moved to a final state: notifies the merchant (`capture.succeeded` or `capture.failed`).
/// The end of an own capture ends the authorization if nothing is held any more, and requests the end that waited for
/// it: the release that was requested meanwhile, or that follows from a failure at the deadline. After any other
/// failure, the channel is queried whether it still holds the amount. Does not settle the order, unless the
/// authorization ends.
void end_capture(OrderWriter& writer, Capture& capture);

}  // namespace finality
