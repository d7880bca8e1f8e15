// The checkout page as HTML: self-contained, without a script, light and dark, every value escaped. Pure.
//
// Ids that tests and styles rely on: #state (class status-paid, status-waiting, …), #subject, #amount, #code (the QR
// code), #open (what the code says, in a sandbox), #pay (to the channel's page), #return (to the shop).
#pragma once

#include <string>
#include <string_view>

#include "http/pages/checkout_words.h"
#include "model/aggregate.h"
#include "model/objects/merchant.h"

namespace finality::http {

/// What the payer has to know of the order at `now`: what it is for and how it stands, and while it can be paid how.
/// Until the order is final the page loads itself again. It shows no id but the merchant's number, and nothing about
/// the payer. REQUIRES: the merchant is the order's.
std::string checkout_page(const OrderAggregate& aggregate, const Merchant& merchant, const Policy& policy, Time now,
                          Language language);
/// For a link that leads nowhere.
std::string missing_checkout_page(Language language);
/// While the store cannot be read; it loads itself again.
std::string unreadable_checkout_page(Language language);

/// The Content-Security-Policy that all of them keep: their own style, and nothing else.
const std::string& checkout_page_policy();

}  // namespace finality::http
