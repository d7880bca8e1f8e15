// Renders the checkout page as self-contained HTML with one style sheet, for light and dark mode, and one script. All
// values are escaped. The page also works without scripts. The functions are pure.
//
// Ids used by tests and styles: #state (class status-paid, status-waiting, …), #subject, #amount, #code (QR code), #app
// (link that opens the payment app on a phone), #open (link with the content of the QR code, in a sandbox), #pay (link
// to the channel's page), #methods (form with a button per payment method), #other (the same methods while a payment
// waits), #left (time left), #close (what to do without a link to the shop), #return (link to the shop), #support,
// #logo.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/pages/checkout_methods.h"
#include "http/pages/checkout_words.h"
#include "model/aggregate.h"
#include "model/objects/merchant.h"

namespace finality::http {

/// A page and the Content-Security-Policy with which it must be sent: it allows only the embedded style sheets and
/// script, and requests, forms and images of the same origin.
struct CheckoutHtml {
  std::string html;
  std::string policy;
};

/// Returns the page for the payer at the time `now`: subject, amount, status and what the payer can do: the QR code or
/// link of the payment that waits, and the `methods` with which another payment can be started. The page reloads itself
/// until the order is final. The only identifiers are merchant_order_no, the names of channels and methods, and, after
/// payment, channel_trade_no. Data about the payer is omitted. REQUIRES: `merchant` is the order's merchant.
CheckoutHtml checkout_page(const OrderAggregate& aggregate, const Merchant& merchant, const Policy& policy, Time now,
                           Language language, const std::vector<OfferedMethod>& methods);
/// Returns the page for a link with an invalid token.
CheckoutHtml missing_checkout_page(Language language);
/// Returns the page for requests while the store cannot be read. The page reloads itself.
CheckoutHtml unreadable_checkout_page(Language language);
/// Returns the page for a choice of a method that is malformed or came from another site.
CheckoutHtml rejected_checkout_page(Language language);

/// Whether the page can start another payment of the order now: the order is open and not expired, no result is
/// outstanding, and an attempt is left.
bool can_start_payment(const OrderAggregate& aggregate, Time now);

/// Returns the ETag of a logo.
std::string etag_of(const Bytes& logo);

}  // namespace finality::http
