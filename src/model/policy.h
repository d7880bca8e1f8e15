// Policy: schedules, deadlines, routes and channel capabilities from the configuration. Input of decide, read once at
// the start.
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

/// The channel whose upstream is our own ledger: it debits a user account and has its result immediately.
inline constexpr std::string_view kWallet = "wallet";

/// Validates the payer field's value for a method. Returns the end of a sentence that begins with the field's name, or
/// an empty text when the value is valid.
using PayerRule = std::string_view (*)(std::string_view method, std::string_view value);

/// The payer's app that the checkout page names.
enum class PayerApp : std::uint8_t { any, alipay, wechat };

/// Capabilities of a channel, as data.
struct Capabilities {
  std::vector<std::string> methods;  // the first is the default
  /// By method, the field of `payer` that it requires.
  std::map<std::string, std::string, std::less<>> payer_field{};
  /// Validates that field before anything is stored; null: every value is valid.
  PayerRule payer_rule = nullptr;
  /// The methods whose trade is created only when the payer opens it: "no such trade" then means waiting, not absent.
  std::vector<std::string> made_by_payer;
  /// The methods for which the channel returns the payer's action again when the same out_trade_no is sent again.
  std::vector<std::string> repeats_action;
  /// The field `scenario` is accepted, because the gateway is the sandbox.
  bool takes_scenario = false;
  /// Payments debit a user account, and the field `account` is required.
  bool takes_account = false;
  /// The only accepted currency; empty: any.
  std::optional<Currency> currency{};
  MinorUnits amount_max = limits::kAmountMax;
  /// Minimum pause between two refunds of one trade.
  Duration refund_pause{};
  /// Whether the channel supports refunds. Set from the interfaces of its adapter.
  bool refunds = true;
  /// The app that scans the channel's QR codes and opens its pages.
  PayerApp payer_app = PayerApp::any;

  bool is_made_by_payer(std::string_view method) const { return has(made_by_payer, method); }
  bool does_repeat_action(std::string_view method) const { return has(repeats_action, method); }
  bool takes(Currency wanted) const { return !currency || *currency == wanted; }
  static bool has(const std::vector<std::string>& list, std::string_view method) {
    return std::ranges::find(list, method) != list.end();
  }
};

/// A channel and method that a route selects.
struct RouteTarget {
  std::string channel;
  std::string method;  // empty: the requested method, or the channel's default
};

/// Selects the channel of a payment that names none. The first matching route applies.
struct PaymentRoute {
  std::vector<RouteTarget> targets;  // in order of preference
  std::string method;                // the requested method; empty: any, or none
  std::optional<Currency> currency;  // empty: any
  MinorUnits amount_min = 1;
  MinorUnits amount_max = limits::kAmountMax;
};

struct Policy {
  std::map<std::string, Capabilities, std::less<>> channels = {
      {std::string(kWallet), {.methods = {"balance"}, .takes_account = true}}};
  /// The channel accounts of the same channels, by name; read from the store at the start.
  std::map<std::string, ChannelAccount, std::less<>> accounts;
  std::vector<PaymentRoute> routes;
  /// The allowed values of `scenario`; empty: any value.
  std::vector<std::string> scenarios;
  std::string public_url = "http://127.0.0.1:8080";  // base URL for payers and channels; without a trailing slash
  /// Private hosts and addresses to which webhooks are allowed.
  std::vector<std::string> allow_private;

  Duration channel_timeout = limits::kChannelTimeout;
  Duration webhook_timeout = limits::kWebhookTimeout;
  /// Divides every retry, query and delivery schedule; deadlines and expiries are not scaled.
  double time_scale = 1.0;
  Duration query_first{2'000};
  Duration query_max{60'000};
  /// Pauses between the attempts of a delivery (seed 002: 4m 10m 10m 1h 2h 6h 15h). After the last attempt the delivery
  /// is exhausted.
  std::vector<Duration> delivery_pauses = {std::chrono::minutes(4), std::chrono::minutes(10), std::chrono::minutes(10),
                                           std::chrono::hours(1),   std::chrono::hours(2),    std::chrono::hours(6),
                                           std::chrono::hours(15)};
  /// Maximum pause before a request that the channel does not have is sent again.
  Duration resend_max = std::chrono::minutes(10);
  /// Number of sends after which a request that the channel does not have opens a case. A payment is then only queried;
  /// a refund or reversal is sent again every `resend_pause_exhausted`.
  std::int64_t sends_max = 8;
  Duration resend_pause_exhausted = std::chrono::hours(1);
  /// Pauses after a temporary refusal, such as an insufficient balance at the channel.
  Duration not_now_first = std::chrono::minutes(1);
  Duration not_now_max = std::chrono::hours(4);
  /// Number of attempts of a refund, each under a new out_refund_no after a temporary refusal; then the refund fails.
  /// Reversals have no limit.
  std::int64_t refund_attempts_max = 5;
  Duration reversal_blocked_pause =
      std::chrono::hours(1);  // between attempts of a reversal that is in the exception queue
  Duration result_overdue_after = std::chrono::hours(24);  // then a case is opened; queries continue
  /// Retention of idempotency records and finished deliveries. Not scaled.
  Duration idempotency_retention = limits::kIdempotencyKept;  // a repeated request receives the first response
  Duration delivery_retention = limits::kDeliveriesKept;      // counted from the delivery's last step

  /// The channel account of that channel; 0 when it is unknown.
  ChannelAccountId account_of(std::string_view channel) const {
    const auto at = accounts.find(channel);
    return at == accounts.end() ? ChannelAccountId{} : at->second.id;
  }
  /// The owner of the money that the channel collects; `platform` for a channel without an account.
  Funds funds_of(std::string_view channel) const {
    const auto at = accounts.find(channel);
    return at == accounts.end() ? Funds::platform : at->second.funds;
  }

  Duration scaled(Duration pause) const {
    return Duration{static_cast<std::int64_t>(static_cast<double>(pause.count()) / time_scale)};
  }
  /// The pause before the next query of a row that has been open for `age`. It grows with the age, so no counter is
  /// stored.
  Duration query_pause(Duration age) const {
    return std::clamp(Duration{age.count() / 2}, scaled(query_first), scaled(query_max));
  }
  /// The pause before the same request is sent again; it doubles each time.
  Duration resend_pause(Duration age) const { return std::clamp(age, scaled(query_first), scaled(resend_max)); }
  Duration not_now_pause(Duration age) const { return std::clamp(age, scaled(not_now_first), scaled(not_now_max)); }
};

}  // namespace finality
