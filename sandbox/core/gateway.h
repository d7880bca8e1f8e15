// Interface of a gateway: one channel's wire protocol towards merchants. All gateways share one database, so scenarios,
// payers and the ledger are the same for every protocol.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/net/http_client.h"
#include "base/net/http_server.h"
#include "base/time/time.h"
#include "sandbox/core/ledger_thread.h"

namespace finality::sandbox {

/// The segments of a request's path; at least one, which may be empty.
using Segments = std::vector<std::string_view>;

/// Dependencies of every gateway.
struct GatewayParts {
  net::IoPool& io;
  std::shared_ptr<LedgerThread> ledger_thread;
  std::string public_url;                // public base URL of the sandbox; no trailing slash
  double time_scale = 1.0;               // divides the delays of notifications, except short ones
  std::filesystem::path keys_directory;  // directory of all gateways' keys; each gateway creates a subdirectory
};

/// A merchant's account at a channel.
struct GatewayAccount {
  std::string channel;  // channel of the account's trades in the database
  std::string id;       // Alipay's app_id, WeChat Pay's mchid
  std::string numbers;  // all ids of the account, as text for the start page
};

/// Thread safe.
class Gateway {
 public:
  virtual ~Gateway() = default;

  /// Whether the gateway handles trades of this channel, or of one of its accounts.
  virtual bool has_channel(std::string_view channel) const = 0;
  /// The merchants' accounts, each with separate keys and trades; empty if the channel has no accounts.
  virtual std::vector<GatewayAccount> accounts() const { return {}; }

  /// Whether the gateway handles requests to this path. If true, no other gateway receives them.
  virtual bool answers(const Segments& path) const = 0;
  /// Handles a request and calls `respond` once, possibly later and on another thread.
  virtual void handle(const net::HttpRequest& request, const Segments& path, net::Respond respond) = 0;

  /// The HTTP request to the merchant: url, method, headers and body, signed at `now`. Called for every attempt; the
  /// notification's id, by which the merchant detects repetitions, stays the same. A forged notification has the flaw
  /// that `notification.forgery` names. Empty: the channel does not send this notification, and it counts as
  /// acknowledged.
  virtual std::optional<net::Call> request_of(const Notification& notification, Time now) const = 0;
  /// Whether the merchant's response acknowledges the notification.
  virtual bool is_acknowledgement(const net::HttpResponse& response) const = 0;
  /// The delay before the next attempt after `attempts` failed ones; empty after the last attempt.
  virtual std::optional<Duration> retry_delay(const Notification& notification, std::int64_t attempts) const = 0;

  /// The URL to which the payer's page returns; empty if the order has none.
  virtual std::optional<std::string> payer_return_url(const Trade& trade) const { return trade.return_url; }
};

using Gateways = std::vector<std::unique_ptr<Gateway>>;

/// The gateway that handles requests to this path; null when none does.
Gateway* gateway_of_path(const Gateways& gateways, const Segments& path);
/// The gateway that handles this channel's trades; null when none does.
Gateway* gateway_of_channel(const Gateways& gateways, std::string_view channel);

/// `delay` divided by the time scale.
Duration scaled(Duration delay, double time_scale);

/// Calls `respond` after the delay, immediately if it is zero. Thread safe.
void respond_after(net::IoPool& io, Duration delay, net::HttpResponse response, net::Respond respond);

}  // namespace finality::sandbox
