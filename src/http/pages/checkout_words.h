// What the checkout page says to a payer, in every language it speaks. Pure.
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

/// The one that a browser's Accept-Language asks for most; English where it asks for none of ours.
Language language_of(std::string_view accept_language);

/// How an order stands, as far as its payer has to know.
enum class CheckoutStatus : std::uint8_t {
  paid,
  refunded,  // paid, and all of it has been refunded
  failed,
  expired,
  cancelled,
  ending,      // it is closed, or its time is over, but a channel's last word is owed
  confirming,  // a channel's answer is owed
  questioned,  // money came that is not what was asked for, and is neither kept nor given back yet
  waiting,     // for the payer: a payment is open
  declined,    // the last payment failed, and another one may begin
  unstarted,   // there is no payment yet
};
inline constexpr std::size_t kStatuses = 11;

struct StatusWords {
  std::string_view title;
  std::string_view advice;  // `{}` stands for the shop's name
};

/// The words for one payment app.
struct AppWords {
  std::string_view name;      // of the payment method; empty: the channel's name
  std::string_view scan;      // how to use the code
  std::string_view go;        // link to the channel's page
  std::string_view confirm;   // the app already shows the payment
  std::string_view open;      // opens the app on this phone; empty: a code cannot open the app
  std::string_view on_phone;  // what to do on a phone when a code cannot open the app
};

struct Words {
  std::string_view code;  // BCP 47
  std::string_view pay_to;
  std::string_view order_number;
  std::string_view time_left;
  std::string_view refunded;
  std::string_view paid_at;
  std::string_view method;
  std::string_view transaction;   // the channel's number, which the payer's app shows as well
  std::string_view qr_code;       // what a picture of one is called
  std::string_view sandbox_link;  // opens what the code says
  std::string_view in_the_shop;   // where the shop's own page or app goes on
  std::string_view back;
  StatusWords missing;     // no such link
  StatusWords unreadable;  // it cannot be shown now
  std::array<StatusWords, kStatuses> statuses;
  std::array<AppWords, 3> apps;           // by PayerApp
  std::array<std::string_view, 4> units;  // days, hours, minutes, seconds

  const StatusWords& of(CheckoutStatus status) const { return statuses[static_cast<std::size_t>(status)]; }
  const AppWords& of(PayerApp app) const { return apps[static_cast<std::size_t>(app)]; }
  /// In the largest unit of which there are two, rounded down: `119 s`, `2 min`.
  std::string duration(Duration left) const;
};

const Words& words_of(Language language);

}  // namespace finality::http
