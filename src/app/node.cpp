#include "app/node.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>

#include <future>

#include "app/channel_keys.h"
#include "app/clock_file.h"
#include "app/config/route_settings.h"
#include "app/config/secret_file.h"
#include "app/version.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/net/descriptors.h"
#include "channel/registry.h"
#include "sandbox/core/scenario.h"
#include "wire/json_renderer.h"

namespace finality::app {
namespace {

constexpr Duration kMeasureEvery = std::chrono::seconds(1);

void warn_of_few_connections() {
  const std::size_t wanted = net::ServerOptions().connections_max;
  const std::size_t allowed = net::connections_allowed(wanted);
  if (allowed == wanted) return;
  log::warn("fewer connections than intended: raise the limit of open files (LimitNOFILE, ulimit -n)",
            {{"connections", allowed}, {"wanted", wanted}, {"files", 2 * allowed}, {"files_wanted", 2 * wanted}});
}

// Registers a gauge. Returns a function that sets its value.
std::function<void(double)> add_gauge(prometheus::Registry& registry, const std::string& name, const std::string& help,
                                      const prometheus::Labels& labels) {
  auto& gauge = prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add(labels);
  return [&gauge](double value) { gauge.Set(value); };
}

// Registers a counter. Returns a function that sets its value. REQUIRES: the value never decreases.
std::function<void(double)> add_counter(prometheus::Registry& registry, const std::string& name,
                                        const std::string& help, const prometheus::Labels& labels) {
  auto& counter = prometheus::BuildCounter().Name(name).Help(help).Register(registry).Add(labels);
  return [&counter](double value) { counter.Increment(value - counter.Value()); };
}

std::string url_of(const std::string& address, std::uint16_t port) {
  return fmt::format(fmt::runtime(address.contains(':') ? "http://[{}]:{}" : "http://{}:{}"), address, port);
}

void warn_of_expired(const ChannelAccountSettings& account) {
  const auto expired = expired_certificates(account, SystemClock().now());
  if (!expired) return;
  for (const std::string& one : *expired)
    log::warn("channel certificate expired", {{"channel", account.channel}, {"detail", one}});
}

// Warns about the texts of the account that have been read.
void warn_of_texts(const ChannelAccountSettings& account) {
  warn_of_expired(account);
  for (const std::string& file : secret_files(account)) warn_of_wide_mode(file);
}

// Counts configuration warnings by channel and reason. Each time series appears with its first warning.
ConfigWarnings::Count counter_of_config_warnings(prometheus::Registry& registry) {
  auto& family = prometheus::BuildCounter()
                     .Name("finality_channel_config_warnings_total")
                     .Help("Channel replies that were rejected or that indicate wrong settings")
                     .Register(registry);
  return [&family](const std::string& channel, const std::string& reason) {
    family.Add({{"channel", channel}, {"reason", reason}}).Increment();
  };
}

}  // namespace

Node::Node(NodeOptions options) : options_(std::move(options)) {}

Node::~Node() { stop(); }

Result<std::unique_ptr<Node>> Node::start(NodeOptions options) {
  std::unique_ptr<Node> node(new Node(std::move(options)));
  if (auto opened = node->open(); !opened) return std::unexpected(opened.error());
  return node;
}

// Creates the channel. Also watches its keys if they come from files or the environment and can be replaced.
Result<void> Node::add_channel(const ChannelAccountSettings& account) {
  auto files = key_files(account);
  auto seen = KeyWatch::stamps_of(files);
  auto made = make_channel(account, options_.policy.public_url);
  if (!made) return fail(fmt::format("channel {}: {}", account.channel, made.error().message));
  Channel* channel = made->get();
  const bool has_texts = !account.sources.empty() || !files.empty();
  if (has_texts && channel->replaceable_keys() != nullptr)
    keys_.push_back({account.channel, std::move(files), std::move(seen), [channel, account] {
                       Result<void> loaded = load_keys(*channel, account);
                       if (loaded) warn_of_texts(account);
                       return loaded;
                     }});
  warn_of_texts(account);
  options_.policy.channels[channel->name()] = capabilities_of(*channel);
  channels_.push_back(std::move(*made));
  return {};
}

Result<void> Node::open_channels() {
  for (const sandbox::Scenario& scenario : sandbox::scenarios()) options_.policy.scenarios.emplace_back(scenario.name);
  for (const ChannelAccountSettings& account : options_.channel_accounts)
    if (auto added = add_channel(account); !added) return added;
  note_statement_sources();
  note_accounts(accounts(), options_.policy);
  const Result<void> routed = check_routes(options_.policy);
  if (!routed && !options_.config_file.empty()) return fail(options_.config_file + ": " + routed.error().message);
  return routed;
}

std::vector<ConfiguredAccount> Node::accounts() const {
  return configured_accounts(options_.bank_accounts, options_.channel_accounts);
}

void Node::note_statement_sources() {
  statement_sources_ = statement_sources_of(channels_);
  for (const BankAccountSettings& account : options_.bank_accounts)
    statement_sources_[account.name] = &bank_statements_.emplace_back(
        bank::BankAccountNumber{account.number, account.currency}, account.expected_within);
}

void Node::watch_keys() {
  key_watch_ = std::make_unique<KeyWatch>(std::move(keys_));
  look_at_keys_ = std::make_shared<std::function<void()>>();
  *look_at_keys_ = [this, again = std::weak_ptr(look_at_keys_)] {
    key_watch_->look();
    if (const auto next = again.lock()) io_->after(kKeysLookedAtEvery, *next);
  };
  io_->after(kKeysLookedAtEvery, *look_at_keys_);
}

Result<void> Node::open() {
  warn_of_few_connections();
  wall_clock_ = std::make_shared<CheckedClock>();
  auto clock = open_clock(options_.clock_file, wall_clock_);
  if (!clock) return std::unexpected(clock.error());
  clock_ = std::move(*clock);
  if (auto opened = open_channels(); !opened) return opened;
  auto store = open_store({.url = options_.store_url, .migrate = options_.migrate, .clock = wall_clock_.get()});
  if (!store) return std::unexpected(store.error());
  store_ = std::move(*store);

  io_ = std::make_unique<net::IoPool>(options_.io_threads);
  client_ = net::HttpClient::create(*io_, {.name_servers = options_.name_servers, .reads_certificates_at_once = true});
  auto engine = Engine::start(*store_, {.policy = &options_.policy,
                                        .clock = clock_.get(),
                                        .renderer = &wire::json_renderer(),
                                        .perform = [this](std::vector<Effect> effects) {
                                          if (Worker* worker = performer_) worker->perform(std::move(effects));
                                        }});
  if (!engine) return std::unexpected(engine.error());
  engine_ = std::move(*engine);

  if (auto registered = register_channel_accounts(*engine_, *store_, accounts(), options_.policy); !registered)
    return registered;

  auto worker = Worker::start(*engine_, *store_, channels_, options_.policy, *clock_, *client_, *io_,
                              {.version = kVersion,
                               .count_config_warning = counter_of_config_warnings(registry_),
                               .mask = Mask(field_names_of(channel_kinds())),
                               .signing_clock = wall_clock_.get()});
  if (!worker) return std::unexpected(worker.error());
  worker_ = std::move(*worker);
  performer_ = worker_.get();

  if (!options_.archives.empty()) restorer_ = std::make_unique<OrderRestorer>(*engine_, options_.archives);
  if (auto listening = listen(); !listening) return listening;
  start_statements();
  start_identities();
  watch_keys();
  measure();
  log_start();
  return {};
}

Result<void> Node::listen() {
  std::optional<net::ServerOptions> health;
  if (options_.health) health = net::ServerOptions{.address = options_.health->address, .port = options_.health->port};
  auto api = http::ApiServer::start(
      {.engine = *engine_,
       .store = *store_,
       .channels = channels_,
       .policy = options_.policy,
       .clock = *clock_,
       .io = *io_,
       .registry = registry_,
       .is_down = [this](std::string_view channel) { return worker_->breakers().is_down(channel, clock_->now()); },
       .access_log = options_.access_log,
       .statement_key = options_.statement_key,
       .statement_sources = statement_sources_,
       .restorer = restorer_.get(),
       .private_metrics = options_.private_metrics,
       .rate_limits = options_.rate_limits,
       .statement_quota = options_.statement_quota,
       .uploads = options_.uploads},
      {.address = options_.address,
       .port = options_.port,
       .client_connections_max = options_.connections_per_client,
       .trusted_proxies = options_.trusted_proxies},
      std::move(health));
  if (!api) return std::unexpected(api.error());
  api_ = std::move(*api);
  return {};
}

void Node::start_statements() {
  if (options_.statement_key.empty()) return;
  if (!options_.statement_key_file.empty()) warn_of_wide_mode(options_.statement_key_file);
  statements_ = std::make_unique<StatementService>(StatementServiceOptions{.engine = *engine_,
                                                                           .store = *store_,
                                                                           .sources = statement_sources_,
                                                                           .policy = options_.policy,
                                                                           .clock = *clock_,
                                                                           .client = *client_,
                                                                           .key = options_.statement_key,
                                                                           .restorer = restorer_.get()});
  statements_->start();
}

void Node::start_identities() {
  identities_ = std::make_unique<IdentityService>(
      IdentityServiceOptions{.engine = *engine_, .store = *store_, .policy = options_.policy, .clock = *clock_});
  identities_->start();
}

void Node::log_start() const {
  std::string channels;
  for (const auto& channel : channels_) channels += (channels.empty() ? "" : ",") + channel->name();
  log::info("server started", {{"version", kVersion},
                               {"url", url_of(options_.address, api_->port())},
                               {"store", public_part(options_.store_url)},
                               {"channels", channels}});
  if (options_.health)
    log::info("health and metrics", {{"url", url_of(options_.health->address, api_->health_port())}});
}

// Registers the metrics of the engine and the worker, and updates them every kMeasureEvery. The names of counters,
// which count since the start of the server, end in `_total`. All other metrics are gauges.
void Node::measure() {
  struct Measured {
    std::function<void(double)> show;
    std::function<double()> read;
  };
  auto measured = std::make_shared<std::vector<Measured>>();
  const auto add = [&](const std::string& name, const std::string& help, std::function<double()> read,
                       const prometheus::Labels& labels = {}) {
    const auto add_metric = name.ends_with("_total") ? add_counter : add_gauge;
    measured->push_back({add_metric(registry_, name, help, labels), std::move(read)});
  };
  const EngineCounts& engine = engine_->counts();
  const WorkerCounters& worker = worker_->counters();
  const auto count = [](const std::atomic<std::uint64_t>& value) {
    return [&value] { return static_cast<double>(value.load()); };
  };
  const auto http = [this](auto member) {
    return [this, member] { return static_cast<double>(api_->counts().*member); };
  };
  add("finality_http_connections", "Open connections of clients", http(&net::ServerCounts::connections));
  add("finality_http_waiting_bytes", "Memory of requests and of responses that clients have not read",
      http(&net::ServerCounts::waiting_bytes));
  add("finality_http_connections_evicted_total", "Inactive connections closed to accept others",
      http(&net::ServerCounts::connections_evicted));
  add("finality_http_connections_refused_total", "Connections refused because their client had too many",
      http(&net::ServerCounts::connections_refused));
  add("finality_http_connections_over_budget_total", "Connections closed because of the memory they needed",
      http(&net::ServerCounts::connections_over_budget));
  add("finality_http_bodies_over_budget_total", "Requests refused because other requests needed too much memory",
      http(&net::ServerCounts::bodies_over_budget));
  add("finality_commands_total", "Commands decided", count(engine.commands));
  add("finality_batches_total", "Batches committed", count(engine.batches));
  add("finality_conflicts_total", "Batches decided again after a conflict", count(engine.conflicts));
  add("finality_busy_total", "Commands refused because a queue was full", count(engine.busy));
  add("finality_store_part_failures_total", "Attempts to use a part of the store, such as a worker, that failed",
      count(engine.part_failures));
  add("finality_store_part_refusals_total", "Commands refused because their part of the store had failed",
      count(engine.part_refusals));
  add("finality_orders_parked_total", "Decisions undone because they violated an invariant", count(engine.parked));
  for (std::size_t kind = 0; kind < kCount<CaseKind>; ++kind)
    add("finality_cases_opened_total", "Exception cases opened, by kind", count(engine.cases_opened[kind]),
        {{"kind", std::string(name_of(static_cast<CaseKind>(kind)))}});
  add("finality_clock_jumps_total", "Jumps of the wall clock by more than a second",
      [this] { return static_cast<double>(wall_clock_->jumps()); });
  add("finality_clock_lead_seconds", "Wall clock minus the database's clock",
      [this] { return std::chrono::duration<double>(wall_clock_->lead()).count(); });
  add("finality_idempotency_records_expired_total", "Idempotency records deleted after their retention",
      count(engine.idempotency_records_expired));
  add("finality_deliveries_expired_total", "Finished deliveries deleted after their retention",
      count(engine.deliveries_expired));
  add("finality_statement_files_expired_total", "Files of statements deleted after their retention",
      count(engine.statement_files_expired));
  add("finality_expiry_failures_total", "Failed attempts to delete expired records", count(engine.expiry_failures));
  add("finality_store_writable", "0 while the store accepts no writes, for example because the disk is full",
      [this] { return engine_->store_fault() ? 0.0 : 1.0; });
  add("finality_queued_commands", "Commands waiting in the queues of the engine",
      [this] { return static_cast<double>(engine_->queued()); });
  add("finality_effects_in_flight", "Requests to channels and merchants in flight",
      [this] { return static_cast<double>(worker_->effects_in_flight()); });
  add("finality_effects_queued", "Requests to channels and merchants waiting for a slot",
      [this] { return static_cast<double>(worker_->effects_waiting()); });
  add("finality_effects_dropped_total", "Effects dropped because they waited too long; their rows become due again",
      count(worker.effects_dropped));
  add("finality_channel_calls_total", "Requests to channels", count(worker.channel_calls));
  add("finality_channel_calls_unanswered_total", "Requests to channels without a response in time",
      count(worker.channel_calls_unanswered));
  for (const auto& channel : channels_) {
    const std::string name = channel->name();
    const prometheus::Labels labels{{"channel", name}};
    const CircuitBreakers& breakers = worker_->breakers();
    add(
        "finality_channel_breaker_open", "1 while the circuit breaker of a channel is open or half-open",
        [&breakers, name] { return breakers.state(name) == BreakerState::closed ? 0.0 : 1.0; }, labels);
    add(
        "finality_channel_calls_held_total", "Requests not sent because the channel's circuit breaker was open",
        [&breakers, name] { return static_cast<double>(breakers.held(name)); }, labels);
    const auto use = [this, account = options_.policy.account_of(name)](auto member) {
      return [this, account, member] { return static_cast<double>(worker_->use_of(account).*member); };
    };
    add("finality_channel_calls_in_flight", "Requests to a channel in flight", use(&ChannelUse::in_flight), labels);
    add("finality_channel_calls_queued", "Requests to a channel waiting for a slot", use(&ChannelUse::waiting), labels);
    add("finality_channel_calls_dropped_total",
        "Requests to a channel dropped because they waited too long or its queue was full", use(&ChannelUse::dropped),
        labels);
  }
  add("finality_channel_maintenance_total", "Maintenance requests of channel adapters, such as for certificates",
      count(worker.maintenance_calls));
  add("finality_channel_maintenance_failures_total", "Maintenance requests that failed",
      count(worker.maintenance_failures));
  add("finality_deliveries_total", "Webhook delivery attempts, without postponed ones", count(worker.deliveries));
  add("finality_deliveries_acknowledged_total", "Webhook deliveries acknowledged",
      count(worker.deliveries_acknowledged));
  add("finality_deliveries_postponed_total",
      "Webhook delivery attempts postponed because of a limit of look-ups or calls",
      count(worker.deliveries_postponed));
  if (restorer_) {
    const RestoreCounters& restores = restorer_->counters();
    add("finality_orders_restored_total", "Archived orders restored, for evidence or a refund",
        count(restores.restored));
    add("finality_order_restore_failures_total", "Archived orders that could not be restored",
        count(restores.failures));
  }
  if (statements_) {
    const StatementCounters& statements = statements_->counters();
    add("finality_statement_downloads_total", "Downloads of statements", count(statements.downloads));
    add("finality_statement_download_failures_total", "Downloads of statements that failed",
        count(statements.download_failures));
    add("finality_statement_comparison_failures_total", "Comparisons of statements with the books that failed",
        count(statements.comparison_failures));
    add("finality_statement_lines_total", "Lines of statements compared with the books", count(statements.lines));
    add("finality_statement_differences_total", "Lines of statements that differ from the books",
        count(statements.differences));
    add("finality_statement_documents_waiting",
        "Payments, refunds and returns that no statement has confirmed for 30 days",
        [&statements] { return static_cast<double>(statements.waiting.load()); });
  }
  const IdentityCounters& identities = identities_->counters();
  add("finality_identity_lag_seconds", "Time since the instant up to which all changed orders are checked",
      [this] { return std::chrono::duration<double>(identities_->lag()).count(); });
  add("finality_identity_orders_checked_total", "Orders checked against the money identities",
      count(identities.orders));
  add("finality_identity_violations_total", "Orders found that violate a money identity", count(identities.violations));
  add("finality_identity_orders_disagreeing", "Orders with an unresolved case `identity`",
      count(identities.disagreeing));
  const std::pair<const http::ReadCounters&, const char*> reads[] = {{api_->reads(), "objects"},
                                                                     {api_->key_reads(), "keys"}};
  for (const auto& [counters, kind] : reads) {
    const auto labels = [kind](const char* cause) { return prometheus::Labels{{"reads", kind}, {"cause", cause}}; };
    add("finality_reads_queued", "Reads of the store waiting for a connection", count(counters.waiting),
        {{"reads", kind}});
    add("finality_reads_refused_total", "Reads refused because a queue was full, by cause",
        count(counters.refused_client), labels("client"));
    add("finality_reads_refused_total", "Reads refused because a queue was full, by cause",
        count(counters.refused_server), labels("server"));
    add("finality_reads_dropped_total", "Reads dropped because the client had closed its connection",
        count(counters.dropped), {{"reads", kind}});
  }
  add("finality_results_lost_total", "Results that could not be submitted; their rows become due again",
      count(worker.results_lost));

  auto refresh = std::make_shared<std::function<void()>>();
  *refresh = [this, measured, again = std::weak_ptr(refresh)] {
    const std::lock_guard lock(measuring_);
    if (!refresh_) return;  // the node stops, and the measured objects may be destroyed
    for (const Measured& one : *measured) one.show(one.read());
    if (const auto next = again.lock()) io_->after(kMeasureEvery, *next);
  };
  refresh_ = refresh;
  (*refresh)();
}

void Node::read_keys_on_hangup() {
  io_->on_reload_signal([this] { key_watch_->load_all(); });
}

void Node::run_until_stopped() {
  std::promise<void> stop_requested;
  std::atomic<bool> once{false};
  io_->on_stop_signal([&] {
    if (!once.exchange(true)) stop_requested.set_value();
  });
  stop_requested.get_future().wait();
  log::info("server stopping: draining requests");
  stop();
}

void Node::stop() {
  if (stopped_) return;
  stopped_ = true;
  if (api_) {
    std::promise<void> drained;
    api_->drain(limits::kDrainMax, [&] { drained.set_value(); });
    drained.get_future().wait();
  }
  if (statements_) statements_->stop();
  if (restorer_) restorer_->stop();
  if (identities_) identities_->stop();
  if (worker_) worker_->stop();
  if (engine_) engine_->drain();
  if (io_) io_->stop();
  {
    const std::lock_guard lock(measuring_);
    refresh_.reset();
  }
  api_.reset();
  statements_.reset();
  restorer_.reset();
  identities_.reset();
  performer_ = nullptr;
  worker_.reset();
  client_.reset();
  engine_.reset();
  io_.reset();
  store_.reset();
}

std::string public_part(const std::string& url) {
  std::string text = url.substr(0, url.find('?'));
  const std::size_t scheme = text.find("://");
  const std::size_t user_end = text.rfind('@');
  if (scheme != std::string::npos && user_end != std::string::npos) text.erase(scheme + 3, user_end - scheme - 2);
  return text;
}

Reply submit_and_wait(Engine& engine, Command command, MerchantId merchant) {
  std::promise<Reply> reply_promise;
  Request request;
  request.command = std::move(command);
  request.merchant_id = merchant;
  request.cause = {.kind = CauseKind::operator_, .trigger = CommandLine{}};
  request.reply = [&reply_promise](Reply reply) { reply_promise.set_value(std::move(reply)); };
  engine.submit(std::move(request));
  return reply_promise.get_future().get();
}

}  // namespace finality::app
