// A running server. Starts store, engine, worker and API in the order of their dependencies, and stops them in reverse.
#pragma once

#include <prometheus/registry.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/channel_accounts.h"
#include "app/config/bank_account_settings.h"
#include "app/config/channel_account_settings.h"
#include "app/key_watch.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/net/client_address.h"
#include "base/net/http_client.h"
#include "base/net/io_pool.h"
#include "base/time/checked_clock.h"
#include "channel/bank/bank_statements.h"
#include "channel/channel.h"
#include "channel/statement_sources.h"
#include "engine/engine.h"
#include "http/server/server.h"
#include "model/policy.h"
#include "query/statement_quota.h"
#include "store/store.h"
#include "worker/identity/identity_service.h"
#include "worker/statements/statement_service.h"
#include "worker/worker.h"

namespace finality::app {

/// An address on which a server listens.
struct ListenAddress {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0 selects a free port
};

/// A setting that is valid, but probably not intended. `message` is one of a fixed set.
struct ConfigWarning {
  std::string message;
  std::string detail;
};

struct NodeOptions {
  std::string config_file;  // path of the configuration file, for error messages; may be empty
  std::vector<std::string> included_files{};
  std::vector<ConfigWarning> warnings{};  // logged by `finality serve`, not by Node
  std::string store_url;
  bool migrate = true;
  std::string clock_file;  // path of a movable clock; empty: system clock
  std::string address = "127.0.0.1";
  std::uint16_t port = 8080;  // 0 selects a free port
  net::AddressBlocks trusted_proxies{};
  std::size_t connections_per_client = limits::kClientConnectionsMax;
  std::size_t io_threads = 1;
  std::string name_servers{};  // as in net::HttpClientOptions
  log::Options log;            // applied by `finality serve`, not by Node
  bool access_log = false;     // logs one line per request
  http::RateLimitSettings rate_limits;
  http::UploadSettings uploads;
  std::optional<ListenAddress> health{};  // of the listener for health and metrics; empty: no such listener
  bool private_metrics = false;           // /metrics is only on that listener
  Policy policy;
  std::vector<BankAccountSettings> bank_accounts;
  std::vector<ChannelAccountSettings> channel_accounts;
  std::string archives{};  // directory of the archives, from which orders are restored; empty: none are
  query::StatementQuota statement_quota{};
  Secret statement_key{};  // encrypts the files of statements (statement_key_of()); empty: the server reads none
  std::string statement_key_file{};  // source of `statement_key`, for a warning about its mode; empty: none
};

class Node {
 public:
  /// Opens the store, starts all parts and listens. Sets `policy.channels` from the channel accounts. The error states
  /// the setting or resource at fault.
  static Result<std::unique_ptr<Node>> start(NodeOptions options);
  ~Node();

  std::uint16_t port() const { return api_->port(); }
  Engine& engine() { return *engine_; }
  Store& store() { return *store_; }

  /// Makes SIGHUP reload the channels' keys. Not for a program that must exit when its terminal closes, because a
  /// closing terminal also sends SIGHUP.
  void read_keys_on_hangup();

  /// Waits for SIGTERM or SIGINT, then stops in this order: accepts no new connections, answers received requests,
  /// waits for effects in flight, commits queued commands.
  void run_until_stopped();

 private:
  explicit Node(NodeOptions options);
  Result<void> open();
  Result<void> open_channels();
  Result<void> listen();
  Result<void> add_channel(const ChannelAccountSettings& account);
  std::vector<ConfiguredAccount> accounts() const;
  void note_statement_sources();
  void start_statements();
  void start_identities();
  void watch_keys();
  void measure();
  void log_start() const;
  void stop();

  NodeOptions options_;
  std::shared_ptr<CheckedClock> wall_clock_;
  std::shared_ptr<const Clock> clock_;  // that of wall_clock_, or a movable clock over it
  Channels channels_;
  std::deque<bank::BankStatements> bank_statements_;  // of each bank account
  StatementSources statement_sources_;
  std::unique_ptr<Store> store_;
  prometheus::Registry registry_;
  std::unique_ptr<net::IoPool> io_;
  std::unique_ptr<net::HttpClient> client_;
  std::unique_ptr<Engine> engine_;
  std::atomic<Worker*> performer_{nullptr};
  std::unique_ptr<Worker> worker_;
  std::unique_ptr<OrderRestorer> restorer_;       // null without `archives`
  std::unique_ptr<StatementService> statements_;  // null without a statement_key
  std::unique_ptr<IdentityService> identities_;
  std::unique_ptr<http::ApiServer> api_;
  std::vector<KeyWatch::Keys> keys_;
  std::unique_ptr<KeyWatch> key_watch_;
  std::shared_ptr<std::function<void()>> look_at_keys_;  // checks key files; runs every kKeysLookedAtEvery
  std::mutex measuring_;                                 // held while the metrics are updated
  std::shared_ptr<std::function<void()>> refresh_;       // updates the metrics; runs every second
  bool stopped_ = false;
};

/// The store URL without user, password and parameters.
std::string public_part(const std::string& url);

/// Submits a command and blocks until the engine replies. For commands of the command line.
Reply submit_and_wait(Engine& engine, Command command, MerchantId merchant);

}  // namespace finality::app
