// What the operator has settled: schedules, deadlines, channels' abilities. Data for decide, read once at start.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/money.h"
#include "base/time/time.h"
#include "model/objects/channel_account.h"

namespace finality {

/// The channel whose upstream is our own ledger: paid from a user's account, answered at once.
inline constexpr std::string_view kWallet = "wallet";

/// What is wrong about a value that the payer told, for that method: the end of a sentence that begins with the field.
/// Empty: nothing.
using PayerRule = std::string_view (*)(std::string_view method, std::string_view value);

/// What a payer pays with, as far as a page has to name it.
enum class PayerApp : std::uint8_t { any, alipay, wechat };

/// What a channel can do, as data.
struct Capabilities {
  std::vector<std::string> methods;  // the first is the default
  /// By method, the field of `payer` that it cannot do without.
  std::map<std::string, std::string, std::less<>> payer_field{};
  /// Which values of that field the channel takes; null: any. Asked before anything is stored.
  PayerRule payer_rule = nullptr;
  /// The methods whose trade comes into being only when the payer opens it: "no such trade" then means waiting, not
  /// absent.
  std::vector<std::string> made_by_payer;
  /// The methods by which a trade that is sent again under the same number is answered with where its payer pays.
  std::vector<std::string> repeats_action;
  /// `scenario` is accepted: its gateway is the sandbox.
  bool takes_scenario = false;
  /// Paid from a user's account: `account` is required.
  bool takes_account = false;
  /// The only currency it takes; empty: any.
  std::optional<Currency> currency{};
  MinorUnits amount_max = limits::kAmountMax;
  /// How long it wants to be left alone between two refunds of one trade.
  Duration refund_pause{};
  /// Money can go back over it. Set from its adapter's interfaces.
  bool refunds = true;
  /// What scans its codes and opens its pages.
  PayerApp payer_app = PayerApp::any;

  bool is_made_by_payer(std::string_view method) const { return has(made_by_payer, method); }
  bool does_repeat_action(std::string_view method) const { return has(repeats_action, method); }
  bool takes(Currency wanted) const { return !currency || *currency == wanted; }
  static bool has(const std::vector<std::string>& list, std::string_view method) {
    return std::ranges::find(list, method) != list.end();
  }
};

/// Where a route may lead.
struct RouteTarget {
  std::string channel;
  std::string method;  // empty: the one that was asked for, or the channel's default
};

/// Which channels take a payment whose client named none. The first route that fits decides.
struct PaymentRoute {
  std::vector<RouteTarget> targets;  // in the order of preference
  std::string method;                // asked for; empty: any, or none
  std::optional<Currency> currency;  // empty: any
  MinorUnits amount_min = 1;
  MinorUnits amount_max = limits::kAmountMax;
};

struct Policy {
  std::map<std::string, Capabilities, std::less<>> channels = {
      {std::string(kWallet), {.methods = {"balance"}, .takes_account = true}}};
  /// The same channels as accounts, by the same names; read from the store at the start.
  std::map<std::string, ChannelAccount, std::less<>> accounts;
  std::vector<PaymentRoute> routes;
  /// The names that `scenario` may have, for channels that take one; empty: any.
  std::vector<std::string> scenarios;
  std::string public_url = "http://127.0.0.1:8080";  // where payers and channels reach us; no slash at the end
  /// Hosts and addresses that webhooks may go to although they are not public.
  std::vector<std::string> allow_private;

  Duration channel_timeout = limits::kChannelTimeout;
  Duration webhook_timeout = limits::kWebhookTimeout;
  /// Every retry, query and notification schedule is divided by it; deadlines and expiries are not.
  double time_scale = 1.0;
  Duration query_first{2'000};
  Duration query_max{60'000};
  /// Pauses between the attempts of a delivery (seed 002: 4m 10m 10m 1h 2h 6h 15h); then it is exhausted.
  std::vector<Duration> delivery_pauses = {std::chrono::minutes(4), std::chrono::minutes(10), std::chrono::minutes(10),
                                           std::chrono::hours(1),   std::chrono::hours(2),    std::chrono::hours(6),
                                           std::chrono::hours(15)};
  /// The longest pause before the same request is sent again that the channel does not have.
  Duration resend_max = std::chrono::minutes(10);
  /// How often it is sent until it is a case that the channel does not have it. A payment is only asked about then;
  /// money that goes back is sent on, at this pause.
  std::int64_t sends_max = 8;
  Duration resend_in_vain = std::chrono::hours(1);
  /// Pauses after a refusal "for the moment", as of an account without enough money.
  Duration not_now_first = std::chrono::minutes(1);
  Duration not_now_max = std::chrono::hours(4);
  /// How often a refund is tried under a new number after the channel refused it for the moment; then it has failed.
  /// A reversal never gives up.
  std::int64_t refund_attempts_max = 5;
  Duration reversal_blocked_pause =
      std::chrono::hours(1);  // between tries of a reversal that lies in the exception queue
  Duration result_overdue_after = std::chrono::hours(24);  // then a case is opened; asking goes on
  /// How long what is over is kept. Not scaled.
  Duration idempotency_retention = limits::kIdempotencyKept;  // a repeated request gets the first answer
  Duration delivery_retention = limits::kDeliveriesKept;      // from a delivery's last step

  /// The account of that name; 0 where there is none.
  ChannelAccountId account_of(std::string_view channel) const {
    const auto at = accounts.find(channel);
    return at == accounts.end() ? ChannelAccountId{} : at->second.id;
  }

  Duration scaled(Duration pause) const {
    return Duration{static_cast<std::int64_t>(static_cast<double>(pause.count()) / time_scale)};
  }
  /// The pause before the next query of something that has been open for `age`: it grows with the age, so that no
  /// counter has to be kept.
  Duration query_pause(Duration age) const {
    return std::clamp(Duration{age.count() / 2}, scaled(query_first), scaled(query_max));
  }
  /// Likewise before the same request is sent again: half as often with each time.
  Duration resend_pause(Duration age) const { return std::clamp(age, scaled(query_first), scaled(resend_max)); }
  Duration not_now_pause(Duration age) const { return std::clamp(age, scaled(not_now_first), scaled(not_now_max)); }
};

}  // namespace finality
