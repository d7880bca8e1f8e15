// Looks up a webhook endpoint to change it, and records its events.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "decide/record.h"

namespace finality {

/// The merchant's endpoint of that id, to be changed, or null. REQUIRES: the merchant was declared.
WebhookEndpoint* find_endpoint(Context& context, MerchantId merchant, WebhookEndpointId id);

/// Records `event` of the endpoint's current version. `from`: its state before the event; empty for a new endpoint.
Event& record_endpoint(Context& context, const WebhookEndpoint& endpoint, std::string_view event,
                       std::optional<std::string> from);

}  // namespace finality
