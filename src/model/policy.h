// Policy: schedules, deadlines, routes and channel capabilities, read from the configuration when the server starts.
// An input of all decision functions (src/decide).
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

/// Name of the built-in channel that pays an order from a user account of the ledger. Its result is known immediately.
inline constexpr std::string_view kWallet = "wallet";

/// Validates the value of a field of `payer` for a method. Returns an empty text if the value is valid; otherwise the
/// reason, which continues a sentence that begins with the field's name.
using PayerRule = std::string_view (*)(std::string_view method, std::string_view value);

/// The app that the checkout page asks the payer to use. `any`: no app is named.
enum class PayerApp : std::uint8_t { any, alipay, wechat };

/// How a payer uses a payment method on the checkout page.
///   any      the channel's page, on every device
///   scan     a QR code that another device scans
///   website  the channel's page for computers
///   phone    the channel's page for phones, which opens the app
enum class PageMethod : std::uint8_t { any, scan, website, phone };

/// How a channel identifies the trade of a refund of captured money: each capture, or the authorization, whose captures
/// are then one trade.
enum class RefundBy : std::uint8_t { capture, authorization };
BOOST_DESCRIBE_ENUM(RefundBy, capture, authorization)

/// What a channel offers for authorizations and captures.
struct AuthorizationTerms {
  std::vector<std::string> methods;  // accepted values of `method`; the first is the default
  Duration capture_within_max{};     // how long the channel holds an amount, unless it reports another time
  bool is_partial = true;            // a capture may be smaller than the held amount
  bool is_multiple = true;           // several captures of one authorization
  bool has_final_flag = true;        // a capture can release the rest; otherwise a separate release is requested
  bool releases_part = true;         // a release states an amount; otherwise everything is released
  RefundBy refund_by = RefundBy::capture;
  bool shares_trade_no = false;  // captures have the trade number of the authorization instead of their own
};

/// Capabilities of a channel: the requests that it accepts and the behaviour of its gateway.
struct Capabilities {
  std::vector<std::string> methods;  // accepted values of `method`; the first is the default
  /// Maps a method to the field of `payer` that it requires.
  std::map<std::string, std::string, std::less<>> payer_field{};
  /// The methods that the checkout page can start: those that need nothing that only the shop has, such as its app, a
  /// payer's openid or a scanned code. Of the fields of `payer`, the page has only `client_ip`.
  std::map<std::string, PageMethod, std::less<>> page_methods{};
  /// Validates the fields in `payer_field` before the payment is stored; null if all values are valid.
  PayerRule payer_rule = nullptr;
  /// Methods with which the channel creates the trade only when the payer opens the payment page or
  /// scans the QR code. The reply "no such trade" to a query then means `waiting` instead of `not_found`.
  std::vector<std::string> made_by_payer;
  /// Methods with which a repeated send of the same out_trade_no returns the payer's action again.
  std::vector<std::string> repeats_action;
  /// Methods whose field of `payer` is a code that the channel accepts in one request only (付款码). The code is erased
  /// when the channel has reported the trade.
  std::vector<std::string> uses_up_payer;
  /// Whether payments may have the field `scenario`. True only if the gateway is the sandbox.
  bool takes_scenario = false;
  /// Whether payments debit a user account and require the field `account`.
  bool takes_account = false;
  /// The only accepted currency; empty if all currencies are accepted.
  std::optional<Currency> currency{};
  MinorUnits amount_max = limits::kAmountMax;
  /// Minimum time between two refund requests for the same trade.
  Duration refund_pause{};
  /// Whether the channel supports refunds: true if its adapter implements the interface `Refunds`.
  bool refunds = true;
  /// Terms of authorizations and captures; empty if the channel has none.
  std::optional<AuthorizationTerms> authorization{};
  /// The app with which payers scan the QR codes of the channel and open its payment pages.
  PayerApp payer_app = PayerApp::any;

  bool is_made_by_payer(std::string_view method) const { return has(made_by_payer, method); }
  bool does_repeat_action(std::string_view method) const { return has(repeats_action, method); }
  bool does_use_up_payer(std::string_view method) const { return has(uses_up_payer, method); }
  bool takes(Currency wanted) const { return !currency || *currency == wanted; }
  static bool has(const std::vector<std::string>& list, std::string_view method) {
    return std::ranges::find(list, method) != list.end();
  }
};

/// A bank account of the platform.
struct BankAccount {
  ChannelAccountId id;
  std::string_view name;  // NAME of [bank_accounts.NAME]; a view of the policy
  Currency currency;
};

/// A channel, or a kind of channels, and a method that a route can select.
struct RouteTarget {
  std::string channel;
  std::string method;  // empty: the requested method, otherwise the channel's default
};

/// A rule that selects the channel of a payment whose request has no `channel`. The first matching route with a usable
/// target applies.
struct PaymentRoute {
  std::vector<RouteTarget> targets;  // targets in order of preference
  std::string method;                // matches this requested method; empty: matches every request
  std::optional<Currency> currency;  // matches this currency; empty: all
  MinorUnits amount_min = 1;
  MinorUnits amount_max = limits::kAmountMax;
};

struct Policy {
  std::map<std::string, Capabilities, std::less<>> channels = {
      {std::string(kWallet),
       {.methods = {"balance"},
        .takes_account = true,
        .authorization = AuthorizationTerms{
            .methods = {"balance"}, .capture_within_max = std::chrono::days(30), .is_multiple = false}}}};
  /// The channel accounts of `channels` and the bank accounts, by NAME; read from the store when the server starts.
  std::map<std::string, ChannelAccount, std::less<>> accounts;
  /// The currencies of the bank accounts of the configuration, by NAME.
  std::map<std::string, Currency, std::less<>> bank_accounts;
  /// The bank account to which each channel pays withdrawals: its NAME by the name of the channel. A channel without
  /// one is absent.
  std::map<std::string, std::string, std::less<>> withdrawal_accounts;
  std::vector<PaymentRoute> routes;
  /// The allowed values of the field `scenario`; empty if all values are allowed.
  std::vector<std::string> scenarios;
  std::string public_url = "http://127.0.0.1:8080";  // base URL for payers and channels; without a trailing slash
  /// Hosts and addresses in private networks to which webhooks may be sent.
  std::vector<std::string> allow_private;

  Duration channel_timeout = limits::kChannelTimeout;
  Duration webhook_timeout = limits::kWebhookTimeout;
  /// Divisor of all retry, query and delivery pauses. Deadlines and expiries are not scaled.
  double time_scale = 1.0;
  Duration query_first{2'000};
  Duration query_max{60'000};
  /// Pauses between the attempts of a delivery (seed 002: 4m 10m 10m 1h 2h 6h 15h). After the last attempt the delivery
  /// is exhausted.
  std::vector<Duration> delivery_pauses = {std::chrono::minutes(4), std::chrono::minutes(10), std::chrono::minutes(10),
                                           std::chrono::hours(1),   std::chrono::hours(2),    std::chrono::hours(6),
                                           std::chrono::hours(15)};
  /// Maximum pause before a request is sent again, if the channel reports that it did not receive the request.
  Duration resend_max = std::chrono::minutes(10);
  /// Number of sends after which a case is opened, if the channel still reports that it did not receive the request. A
  /// payment is then only queried; a refund or reversal is sent again every `resend_pause_exhausted`.
  std::int64_t sends_max = 8;
  Duration resend_pause_exhausted = std::chrono::hours(1);
  /// First and maximum pause after a temporary refusal, such as an insufficient balance at the channel, whether or not
  /// the number of the request stays valid. Temporary refusals are not counted: no number of them ends a refund,
  /// reversal or capture. After `result_overdue_after` they open a case.
  Duration not_now_first = std::chrono::minutes(1);
  Duration not_now_max = std::chrono::hours(4);
  Duration reversal_blocked_pause = std::chrono::hours(1);  // pause between the attempts of a blocked reversal
  /// Pause between two queries whether a channel still holds an authorized amount.
  Duration authorization_watch = std::chrono::hours(6);
  /// Time by which captures end before the hold, but at most 1/8 of its duration.
  Duration capture_margin = std::chrono::hours(1);
  /// Time between the event authorization.expiring and the deadline of captures, but at most half of the time to it.
  Duration expiring_notice = std::chrono::hours(24);
  Duration release_blocked_pause = std::chrono::hours(1);  // pause between the attempts of a refused release
  Duration result_overdue_after = std::chrono::hours(24);  // time without a result until a case is opened
  /// Retention of idempotency records and finished deliveries. `time_scale` does not apply.
  Duration idempotency_retention = limits::kIdempotencyKept;  // repeated requests receive the stored response
  Duration delivery_retention = limits::kDeliveriesKept;      // since the last step of the delivery
  Duration file_retention = limits::kStatementFilesKept;      // since the file of a statement was received

  /// The terms of authorizations at the channel; null if it has none.
  const AuthorizationTerms* terms_of(std::string_view channel) const {
    const auto at = channels.find(channel);
    return at == channels.end() || !at->second.authorization ? nullptr : &*at->second.authorization;
  }

  /// Returns the id of the channel account of that channel, or 0 if the channel has none.
  ChannelAccountId account_of(std::string_view channel) const {
    const auto at = accounts.find(channel);
    return at == accounts.end() ? ChannelAccountId{} : at->second.id;
  }
  /// The owner of the money that the channel collects; `platform` for a channel without an account.
  Funds funds_of(std::string_view channel) const {
    const auto at = accounts.find(channel);
    return at == accounts.end() ? Funds::platform : at->second.funds;
  }

  /// The currency of the merchant's balance after a conversion; `presentment` for a channel without an account.
  MerchantCurrency merchant_currency_of(std::string_view channel) const {
    const auto at = accounts.find(channel);
    return at == accounts.end() ? MerchantCurrency::presentment : at->second.merchant_currency;
  }

  /// The bank account to which the channel pays withdrawals; empty if the configuration names none. A withdrawal in
  /// another currency than that of the bank account is paid elsewhere; the caller compares them.
  std::optional<BankAccount> bank_account_of(std::string_view channel) const {
    const auto named = withdrawal_accounts.find(channel);
    if (named == withdrawal_accounts.end()) return std::nullopt;
    const auto bank = bank_accounts.find(named->second);
    if (bank == bank_accounts.end()) return std::nullopt;
    return BankAccount{account_of(bank->first), bank->first, bank->second};
  }

  Duration scaled(Duration pause) const {
    return Duration{static_cast<std::int64_t>(static_cast<double>(pause.count()) / time_scale)};
  }
  /// Returns the pause before the next query of an object that has been open for `age`. The pause grows with `age`, so
  /// that no counter of queries has to be stored.
  Duration query_pause(Duration age) const {
    return std::clamp(Duration{age.count() / 2}, scaled(query_first), scaled(query_max));
  }
  /// Return the pause before the same request is sent again, `age` after its first send. The pause doubles each time.
  Duration resend_pause(Duration age) const { return std::clamp(age, scaled(query_first), scaled(resend_max)); }
  Duration not_now_pause(Duration age) const { return std::clamp(age, scaled(not_now_first), scaled(not_now_max)); }
};

}  // namespace finality
