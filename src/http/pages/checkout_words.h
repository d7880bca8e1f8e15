// Texts of the checkout page in all supported languages. Pure.
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

/// The supported language with the highest weight in `accept_language`; English if no supported language is listed.
Language language_of(std::string_view accept_language);

/// Status of an order for its payer.
enum class CheckoutStatus : std::uint8_t {
  paid,
  refunded,  // paid and fully refunded
  failed,
  expired,
  cancelled,
  ending,      // closing or expired; the final result of a channel is outstanding
  confirming,  // the result of a channel is outstanding
  questioned,  // a received payment does not match the order; it is neither accepted nor refunded yet
  waiting,     // a payment waits for the payer
  declined,    // the last payment failed; another payment can be started
  unstarted,   // no payment yet
};
inline constexpr std::size_t kStatuses = 11;

struct StatusWords {
  std::string_view title;
  std::string_view advice;  // `{}` stands for the name of the shop
};

/// Texts for one payment app.
struct AppWords {
  std::string_view name;      // of the payment method; empty: the channel's name
  std::string_view scan;      // how to use the code
  std::string_view go;        // link to the channel's page
  std::string_view confirm;   // for a payment that the app already shows
  std::string_view open;      // opens the app on this phone; empty: a code cannot open the app
  std::string_view on_phone;  // what to do on a phone when a code cannot open the app
};

struct Words {
  std::string_view code;  // language tag (BCP 47)
  std::string_view pay_to;
  std::string_view order_number;
  std::string_view time_left;
  std::string_view refunded;
  std::string_view paid_at;
  std::string_view method;
  std::string_view transaction;   // transaction number of the channel, as in the payer's app
  std::string_view qr_code;       // label of the QR code
  std::string_view sandbox_link;  // opens the link in the code
  std::string_view in_the_shop;   // the payment continues in the shop's page or app
  std::string_view back;
  StatusWords missing;     // unknown link
  StatusWords unreadable;  // the store cannot be read
  std::array<StatusWords, kStatuses> statuses;
  std::array<AppWords, 3> apps;           // indexed by PayerApp
  std::array<std::string_view, 4> units;  // days, hours, minutes, seconds

  const StatusWords& of(CheckoutStatus status) const { return statuses[static_cast<std::size_t>(status)]; }
  const AppWords& of(PayerApp app) const { return apps[static_cast<std::size_t>(app)]; }
  /// Formats `left` in the largest unit with a value of at least 2, rounded down: `119 s`, `2 min`.
  std::string duration(Duration left) const;
};

const Words& words_of(Language language);

}  // namespace finality::http
