// Renders the checkout page as self-contained HTML with one style and one script, light and dark. All values are
// escaped. The page also works without scripts. Pure.
//
// Ids used by tests and styles: #state (class status-paid, status-waiting, …), #subject, #amount, #code (QR code), #app
// (link of the code, on a phone), #open (link of the code, in a sandbox), #pay (channel's page), #return (shop).
#pragma once

#include <string>
#include <string_view>

#include "http/pages/checkout_words.h"
#include "model/aggregate.h"
#include "model/objects/merchant.h"

namespace finality::http {

/// The page for the payer at `now`: subject, amount, status and, while the order is payable, the ways to pay. The page
/// reloads itself until the order is final. It contains no id except the merchant's order number and, once paid, the
/// channel's transaction number, and no data about the payer. REQUIRES: `merchant` is the merchant of the order.
std::string checkout_page(const OrderAggregate& aggregate, const Merchant& merchant, const Policy& policy, Time now,
                          Language language);
/// The page for an unknown link.
std::string missing_checkout_page(Language language);
/// The page while the store cannot be read. It reloads itself.
std::string unreadable_checkout_page(Language language);

/// The Content-Security-Policy of these pages: only their own style and script, and requests to their own origin.
const std::string& checkout_page_policy();

}  // namespace finality::http
