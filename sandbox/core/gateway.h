// Interface of a gateway, the server side of one channel protocol. All gateways share one database, so scenarios,
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

/// Segments of a request's path, split at `/`. There is at least one segment; a segment may be empty.
using Segments = std::vector<std::string_view>;

/// Dependencies and settings that all gateways share.
struct GatewayParts {
  net::IoPool& io;
  std::shared_ptr<LedgerThread> ledger_thread;
  std::string public_url;                // public base URL of the sandbox; no trailing slash
  double time_scale = 1.0;               // divisor of notifications' retry delays, except the first 1, 2 and 4 s
  std::filesystem::path keys_directory;  // directory of all gateways' keys; each gateway creates a subdirectory
};

/// A merchant's account at a channel.
struct GatewayAccount {
  std::string channel;  // Trade::channel of the account's trades
  std::string id;       // Alipay's app_id or WeChat Pay's mchid
  std::string numbers;  // all ids of the account, as text for the start page
};

/// All methods are thread safe.
class Gateway {
 public:
  virtual ~Gateway() = default;

  /// Returns whether the gateway handles the trades with this Trade::channel.
  virtual bool has_channel(std::string_view channel) const = 0;
  /// Returns the merchants' accounts, each with separate keys and trades; empty if the channel has no accounts.
  virtual std::vector<GatewayAccount> accounts() const { return {}; }

  /// Returns whether the gateway handles requests to this path. At most one gateway may return true for a path.
  virtual bool answers(const Segments& path) const = 0;
  /// Handles a request and calls `respond` once, possibly later and on another thread.
  virtual void handle(const net::HttpRequest& request, const Segments& path, net::Respond respond) = 0;

  /// Returns the HTTP request of one attempt: url, method, headers and body, signed at `now`. All attempts carry the
  /// same notification id, by which the merchant detects repetitions. A forged notification has the flaw
  /// `notification.forgery`. Empty if the channel does not send this notification; the sandbox then treats it as
  /// acknowledged.
  virtual std::optional<net::Call> request_of(const Notification& notification, Time now) const = 0;
  /// Returns whether the merchant's response acknowledges the notification.
  virtual bool is_acknowledgement(const net::HttpResponse& response) const = 0;
  /// Returns the delay before the next attempt, after `attempts` failed attempts; empty after the last attempt.
  virtual std::optional<Duration> retry_delay(const Notification& notification, std::int64_t attempts) const = 0;

  /// Returns the URL to which the payer's page returns; empty if the order has no return_url.
  virtual std::optional<std::string> payer_return_url(const Trade& trade) const { return trade.return_url; }
};

using Gateways = std::vector<std::unique_ptr<Gateway>>;

/// Returns the gateway that handles requests to this path, or null.
Gateway* gateway_of_path(const Gateways& gateways, const Segments& path);
/// Returns the gateway that handles this channel's trades, or null.
Gateway* gateway_of_channel(const Gateways& gateways, std::string_view channel);

/// Calls `respond` with `response` after the delay; immediately if the delay is zero. Thread safe.
void respond_after(net::IoPool& io, Duration delay, net::HttpResponse response, net::Respond respond);

}  // namespace finality::sandbox
