// What the operator has settled: schedules, deadlines, channels' abilities. Data for decide, read once at start.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/time.h"

namespace finality {

/// The channel whose upstream is our own ledger: paid from a user's account, answered at once.
inline constexpr std::string_view kWallet = "wallet";

/// What a channel can do, as data.
struct Capabilities {
  std::vector<std::string> methods;  // the first is the default
  /// The trade comes into being only when the payer opens it: "no such trade" then means waiting, not absent.
  bool trade_made_by_payer = false;
  /// Sent again under the same number, a trade that waits is answered with where its payer pays.
  bool repeats_action = false;
  /// `scenario` is accepted: its gateway is the sandbox.
  bool takes_scenario = false;
  /// Paid from a user's account: `account` is required.
  bool takes_account = false;
};

struct Policy {
  std::map<std::string, Capabilities, std::less<>> channels = {
      {std::string(kWallet), {.methods = {"balance"}, .takes_account = true}}};
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
  /// How often a refund is tried under a new number after the channel refused it for the moment; then it has failed.
  /// A reversal never gives up.
  std::int64_t refund_attempts_max = 5;
  Duration reversal_blocked_pause = std::chrono::hours(1);  // between tries of a reversal that lies on the desk
  Duration answer_owed_max = std::chrono::hours(24);        // then a case is opened; asking goes on
  /// How long what is over is kept. Not scaled.
  Duration keep_idempotency = limits::kIdempotencyKept;  // a repeated request gets the first answer
  Duration keep_deliveries = limits::kDeliveriesKept;    // from a delivery's last step

  Duration scaled(Duration pause) const {
    return Duration{static_cast<std::int64_t>(static_cast<double>(pause.count()) / time_scale)};
  }
  /// The pause before the next query of something that has been open for `age`: it grows with the age, so that no
  /// counter has to be kept.
  Duration query_pause(Duration age) const {
    return std::clamp(Duration{age.count() / 2}, scaled(query_first), scaled(query_max));
  }
};

}  // namespace finality
