// The pages for people, as HTML: self-contained, light and dark, every value escaped. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sandbox/core/gateway.h"
#include "sandbox/core/trade.h"

namespace finality::sandbox {

/// Where the payer pays or declines. #state holds the trade's state; #pay and #decline are there while it waits.
/// `way_back`: to the shop.
std::string payer_page(const Trade& trade, const std::optional<std::string>& way_back);

/// What the sandbox is and has, the accounts of its gateways among it, with links to these trades.
std::string index_page(const std::vector<Trade>& latest, const std::vector<GatewayAccount>& accounts);

/// `12.34 CNY`; for a currency that ISO 4217 does not list, the bare number of minor units.
std::string format_amount(MinorUnits amount, std::string_view currency);

}  // namespace finality::sandbox
