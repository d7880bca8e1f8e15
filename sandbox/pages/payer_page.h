// HTML pages for people: self-contained, with a light and a dark theme; every value is escaped. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sandbox/core/gateway.h"
#include "sandbox/core/trade.h"

namespace finality::sandbox {

/// The page on which the payer pays or declines. #state shows the trade's state; #pay and #decline exist while it
/// waits. `return_url` is the URL of the shop.
std::string payer_page(const Trade& trade, const std::optional<std::string>& return_url);

/// The start page: scenarios, the gateways' accounts, and links to the latest trades.
std::string index_page(const std::vector<Trade>& latest, const std::vector<GatewayAccount>& accounts);

/// Formats an amount: `12.34 CNY`; for a currency that is not in ISO 4217, the number of minor units.
std::string format_amount(MinorUnits amount, std::string_view currency);

}  // namespace finality::sandbox
