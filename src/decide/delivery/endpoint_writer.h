// Functions for commands that change webhook endpoints: lookup of an endpoint, and recording of its events.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "decide/record.h"

namespace finality {

/// Returns the merchant's endpoint with that id for a change, or null. REQUIRES: the command's add_reads() added the
/// merchant.
WebhookEndpoint* find_endpoint(Context& context, MerchantId merchant, WebhookEndpointId id);

/// Records `event` with the endpoint's current version and returns the recorded event. `from`: the endpoint's previous
/// state; empty for a new endpoint.
Event& record_endpoint(Context& context, const WebhookEndpoint& endpoint, std::string_view event,
                       std::optional<std::string> from);

}  // namespace finality
