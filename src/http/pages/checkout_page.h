// Renders the checkout page as self-contained HTML with one style sheet, for light and dark mode, and one script. All
// values are escaped. The page also works without scripts. The functions are pure.
//
// Ids used by tests and styles: #state (class status-paid, status-waiting, …), #subject, #amount, #code (QR code), #app
// (link that opens the payment app on a phone), #open (link with the content of the QR code, in a sandbox), #pay (link
// to the channel's page), #return (link to the shop).
#pragma once

#include <string>
#include <string_view>

#include "http/pages/checkout_words.h"
#include "model/aggregate.h"
#include "model/objects/merchant.h"

namespace finality::http {

/// Returns the page for the payer at the time `now`: subject, amount, status and, while a payment waits for the payer,
/// the QR code or link. The page reloads itself until the order is final. The only identifiers are merchant_order_no
/// and, after payment, channel_trade_no. Data about the payer is omitted. REQUIRES: `merchant` is the order's merchant.
std::string checkout_page(const OrderAggregate& aggregate, const Merchant& merchant, const Policy& policy, Time now,
                          Language language);
/// Returns the page for a link with an invalid token.
std::string missing_checkout_page(Language language);
/// Returns the page for requests while the store cannot be read. The page reloads itself.
std::string unreadable_checkout_page(Language language);

/// Returns the Content-Security-Policy of the checkout pages: it allows only the embedded style sheet and script, and
/// requests to the same origin.
const std::string& checkout_page_policy();

}  // namespace finality::http
