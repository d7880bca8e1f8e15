// HTML pages for people: self-contained (no external resources), with a light and a dark theme. All values are
// HTML-escaped. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sandbox/core/gateway.h"
#include "sandbox/core/trade.h"

namespace finality::sandbox {

/// Returns the page on which the payer pays or declines. Element #state shows the trade's state. Buttons #pay and
/// #decline exist while the trade is waiting. `return_url` is the target of the link back to the shop.
std::string payer_page(const Trade& trade, const std::optional<std::string>& return_url);

/// Returns the start page: the scenarios, the gateways' accounts, and links to the trades `latest`.
std::string index_page(const std::vector<Trade>& latest, const std::vector<GatewayAccount>& accounts);

/// Formats an amount, for example `12.34 CNY`. For a currency that is not in ISO 4217, shows the minor units without a
/// decimal point.
std::string format_amount(MinorUnits amount, std::string_view currency);

}  // namespace finality::sandbox
