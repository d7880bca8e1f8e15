// Texts of the checkout page in English and Chinese. The functions are pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/time/time.h"
#include "model/objects/order.h"
#include "model/policy.h"
#include "query/refusals.h"

namespace finality::http {

enum class Language : std::uint8_t { english, chinese };

/// Returns the supported language with the highest weight in the header `accept_language`, or English if the header has
/// no supported language.
Language language_of(std::string_view accept_language);

/// Order status that the checkout page shows to the payer.
enum class CheckoutStatus : std::uint8_t {
  paid,
  refunded,    // the order was paid and fully refunded
  authorized,  // a channel holds the amount; the shop captures or releases it
  failed,
  expired,
  cancelled,
  ending,      // the order is closing or has expired, and a channel's result is outstanding
  confirming,  // a channel's result is outstanding
  questioned,  // a received payment does not match the order; it is neither accepted nor refunded yet
  waiting,     // a payment waits for the payer
  declined,    // the last payment failed; another payment can be started
  unstarted,   // the order has no payment
};
inline constexpr std::size_t kStatuses = 12;

struct StatusWords {
  std::string_view title;
  std::string_view advice;  // the page replaces `{}` by the name of the shop
};

/// Texts for payments with one payment app, such as WeChat.
struct AppWords {
  std::string_view name;      // name of the payment method; if empty, the channel's name is shown
  std::string_view scan;      // instruction to scan the QR code
  std::string_view go;        // label of the link to the channel's page
  std::string_view confirm;   // instruction to confirm a payment that the app already shows
  std::string_view open;      // label of the link that opens the app on a phone; empty if the app has no such link
  std::string_view on_phone;  // instruction for phones if no link can open the app
};

struct Words {
  std::string_view code;  // language tag of the page (BCP 47)
  std::string_view pay_to;
  std::string_view order_number;
  std::string_view time_left;
  std::string_view refunded;
  std::string_view held;        // label of the amount that a channel holds
  std::string_view held_until;  // label of the deadline of captures
  std::string_view captured;    // label of the amount of a capture
  std::string_view paid_at;
  std::string_view method;
  std::string_view transaction;   // label of channel_trade_no, which the payer's app also shows
  std::string_view qr_code;       // label of the QR code
  std::string_view sandbox_link;  // label of the link with the content of the QR code
  std::string_view in_the_shop;   // instruction to continue the payment in the shop's page or app
  std::string_view back;
  std::string_view choose;          // advice of an order without a payment, if the page offers methods
  std::string_view choose_again;    // advice after a failed payment, if the page offers methods
  std::string_view another_method;  // label of the other methods while a payment waits for the payer
  std::string_view close_informed;  // advice once the order is paid, without a return_url; `{}`: the name of the shop
  std::string_view close_return;    // advice once the order has ended unpaid, without a return_url; `{}` as above
  std::string_view support;         // label of how payers reach the shop
  StatusWords missing;              // for a link with an invalid token
  StatusWords unreadable;           // while the store cannot be read
  StatusWords rejected;             // for a choice that did not come from the page
  std::array<StatusWords, kStatuses> statuses;
  std::array<AppWords, 3> apps;           // index: PayerApp
  std::array<std::string_view, 4> units;  // names of days, hours, minutes and seconds
  std::array<std::string_view, 4> ways;   // how the payer uses a method; index: PageMethod; empty: nothing to say

  const StatusWords& of(CheckoutStatus status) const { return statuses[static_cast<std::size_t>(status)]; }
  std::string_view of(PageMethod kind) const { return ways[static_cast<std::size_t>(kind)]; }
  const AppWords& of(PayerApp app) const { return apps[static_cast<std::size_t>(app)]; }
  /// Formats `left` in the largest unit with a value of at least 2, rounded down: `119 s`, `2 min`.
  std::string duration(Duration left) const;
};

const Words& words_of(Language language);

}  // namespace finality::http
