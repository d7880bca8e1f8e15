// A gateway: one channel's protocol on the wire, towards the merchant. Several speak over the same books, so scenarios,
// payers and the ledger are the same whatever protocol a trade came in by.
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

/// A request's path, cut at the slashes; at least one, which may be empty.
using Segments = std::vector<std::string_view>;

/// What every gateway needs.
struct GatewayParts {
  net::IoPool& io;
  std::shared_ptr<LedgerThread> ledger_thread;
  std::string public_url;                // under which people reach the sandbox; without a slash at its end
  double time_scale = 1.0;               // divides the delays of notifications, but for those that are quick anyway
  std::filesystem::path keys_directory;  // of all gateways' keys; each makes a directory of its own in it
};

/// A merchant's account at a channel.
struct GatewayAccount {
  std::string channel;  // of its trades in the books
  std::string id;       // its number at the channel: Alipay's app id, WeChat Pay's mchid
  std::string numbers;  // all of them, for people
};

/// Thread safe.
class Gateway {
 public:
  virtual ~Gateway() = default;

  /// Whether trades of this channel, of one of its accounts, came in here.
  virtual bool has_channel(std::string_view channel) const = 0;
  /// The merchants' accounts, each with separate keys and trades; empty where the channel has no accounts.
  virtual std::vector<GatewayAccount> accounts() const { return {}; }

  /// Whether requests to this path are its. None else sees them then.
  virtual bool answers(const Segments& path) const = 0;
  virtual void handle(const net::HttpRequest& request, const Segments& path, net::Respond respond) = 0;

  /// The request that tells the merchant: url, method, headers and body, signed at `now`. Every attempt asks for it
  /// anew; what the merchant tells repetitions by stays the same. A forged notification has the falsehood it names.
  /// Empty: the channel does not tell this; it then counts as acknowledged.
  virtual std::optional<net::Call> request_of(const Notification& notification, Time now) const = 0;
  /// Whether a merchant who answers so has understood.
  virtual bool is_acknowledgement(const net::HttpResponse& response) const = 0;
  /// How long after `attempts` attempts in vain the next one is made; empty when none is.
  virtual std::optional<Duration> retry_delay(const Notification& notification, std::int64_t attempts) const = 0;

  /// Where the payer's page leads back to.
  virtual std::optional<std::string> way_back(const Trade& trade) const { return trade.return_url; }
};

using Gateways = std::vector<std::unique_ptr<Gateway>>;

/// The gateway that answers requests to this path; null when none does.
Gateway* gateway_of_path(const Gateways& gateways, const Segments& path);
/// The gateway this channel's trades came in by; null when none did.
Gateway* gateway_of_channel(const Gateways& gateways, std::string_view channel);

/// `delay` divided by the time scale.
Duration scaled(Duration delay, double time_scale);

/// Hands the response over after the delay, or at once where that is zero. Thread safe.
void respond_after(net::IoPool& io, Duration delay, net::HttpResponse response, net::Respond respond);

}  // namespace finality::sandbox
