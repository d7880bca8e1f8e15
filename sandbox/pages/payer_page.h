// HTML pages for people: self-contained (no external resources), with a light and a dark theme. All values are
// HTML-escaped. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sandbox/core/gateway.h"
#include "sandbox/core/trade.h"

namespace finality::sandbox {

// Return the page on which the payer pays a trade or authorizes a hold, or declines. Element #state shows its state.
// Buttons #pay and #decline exist while it is waiting. `return_url` is the target of the link back to the shop.
std::string payer_page(const Trade& trade, const std::optional<std::string>& return_url);
std::string payer_page(const Hold& hold, const std::optional<std::string>& return_url);

/// Returns the start page: the scenarios, the gateways' accounts, and links to the latest trades and holds.
std::string index_page(const std::vector<Trade>& trades, const std::vector<Hold>& holds,
                       const std::vector<GatewayAccount>& accounts);

/// Formats an amount, for example `12.34 CNY`. For a currency that is not in ISO 4217, shows the minor units without a
/// decimal point.
std::string format_amount(MinorUnits amount, std::string_view currency);

}  // namespace finality::sandbox
