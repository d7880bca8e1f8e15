// Command `finality bench lifecycle`: complete payments in the engine. Writes every row that a server writes, but does
// not use the network.
#include "bench/lifecycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <random>
#include <span>

#include "app/channel_accounts.h"
#include "app/commands/report.h"
#include "app/merchants_and_keys.h"
#include "app/node.h"
#include "bench/floor.h"
#include "model/natural_key.h"
#include "wire/json_renderer.h"

namespace finality::bench {

using namespace app;
namespace {

using Instant = std::chrono::steady_clock::time_point;

constexpr const char* kReceiver = "https://shop.example/notify";  // URL of every merchant's webhooks

/// Formats an instant as 20261122140411. Many merchants start their order numbers with this text; channels start their
/// trade numbers with its first eight digits.
std::string digits_of(Time at) {
  std::string text = to_rfc3339(at);
  std::erase_if(text, [](char c) { return c < '0' || c > '9'; });
  return text.substr(0, 14);
}

/// A trade number as channels create it: the date, then digits that do not increase with time. Unique per row.
/// `row`: id of a payment, authorization or capture.
std::string trade_no(Time at, std::int64_t row) {
  constexpr std::uint64_t kScatter = 0x9E3779B97F4A7C15;  // odd, so the product is unique
  return fmt::format("{}{:020}", digits_of(at).substr(0, 8), static_cast<std::uint64_t>(row) * kScatter);
}

// Simulates the environment of the engine: clients that create orders with a payment, a channel that reports each
// payment as waiting and then as paid, and a merchant that acknowledges the webhook. With manual capture, the channel
// reports an authorization as waiting and then as authorized, the client captures the whole amount, and the channel's
// reply reports it as captured. Each client has one payment in flight.
class Lifecycles {
 public:
  explicit Lifecycles(const LifecycleBench& options) : options_(options) {}

  Result<void> prepare() {
    policy_.channels["sandbox"] = Capabilities{
        .methods = {"web"},
        .takes_scenario = true,
        .authorization = AuthorizationTerms{.methods = {"web"}, .capture_within_max = std::chrono::days(7)}};
    auto store = open_store({.url = options_.store});
    if (!store) return std::unexpected(store.error());
    store_ = std::move(*store);
    auto engine = Engine::start(
        *store_,
        {.policy = &policy_, .clock = &clock_, .renderer = &wire::json_renderer(), .perform = [this](auto effects) {
           for (const Effect& effect : effects) perform(effect);
         }});
    if (!engine) return std::unexpected(engine.error());
    engine_ = std::move(*engine);
    ConfiguredAccount sandbox;
    sandbox.channel = sandbox.kind = "sandbox";
    const auto registered = register_channel_accounts(*engine_, *store_, std::span(&sandbox, 1), policy_);
    if (!registered) return std::unexpected(registered.error());
    if (!options_.merchant_ids.empty()) return read_merchants();
    if (!options_.merchant.empty()) {
      const auto merchant = parse_id<MerchantId>(options_.merchant);
      if (!merchant) return fail("--merchant must be a merchant id (mer_…)");
      merchants_.push_back(*merchant);
      return {};
    }
    return make_merchants();
  }

  double run() {
    latencies_ms_.reserve(options_.payments);
    const std::uint64_t commands_before = engine_->counts().commands;
    const std::uint64_t batches_before = engine_->counts().batches;
    const Instant begin = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < std::min(options_.clients, options_.payments); ++i) start_next();
    done_.get_future().wait();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    batch_mean_ = static_cast<double>(engine_->counts().commands - commands_before) /
                  static_cast<double>(engine_->counts().batches - batches_before);
    return seconds;
  }
  void stop() { engine_->drain(); }

  double latency_ms(double quantile) {
    std::ranges::sort(latencies_ms_);
    const auto at = static_cast<std::size_t>(quantile * static_cast<double>(latencies_ms_.size() - 1));
    return latencies_ms_[at];
  }
  double batch_mean() const { return batch_mean_; }

 private:
  // Creates merchants concurrently, so that one commit contains several of them.
  Result<void> make_merchants() {
    constexpr std::size_t kAtOnce = 64;
    while (merchants_.size() < options_.merchants) {
      std::vector<std::future<Result<MerchantId>>> made;
      const std::size_t end = std::min(options_.merchants, merchants_.size() + kAtOnce);
      for (std::size_t i = merchants_.size(); i < end; ++i)
        made.push_back(std::async(std::launch::async, [this, i] { return new_merchant(i); }));
      for (auto& one : made) {
        const auto merchant = one.get();
        if (!merchant) return std::unexpected(merchant.error());
        merchants_.push_back(*merchant);
      }
    }
    return {};
  }

  // Creates a merchant. With manual capture it has an endpoint for order.succeeded, and its orders have no notify_url:
  // the notify_url would also receive order.authorized and capture.succeeded, but each payment has one delivery.
  Result<MerchantId> new_merchant(std::size_t number) {
    const auto merchant = make_merchant(*engine_, fmt::format("merchant {}", number));
    if (!merchant) return std::unexpected(merchant.error());
    if (options_.capture == CaptureMethod::automatic) return merchant->id;
    const CreateWebhookEndpoint endpoint{merchant->id, kReceiver, "order.succeeded", Acknowledge::status,
                                         merchant->webhook_secret};
    const Reply reply = submit_and_wait(*engine_, endpoint, merchant->id);
    if (reply.refusal) return fail("cannot create the webhook endpoint: " + reply.body);
    return merchant->id;
  }

  Result<void> read_merchants() {
    std::ifstream file(options_.merchant_ids);
    for (std::string line; std::getline(file, line);) {
      MerchantId id;
      const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), id.value);
      if (error != std::errc() || end != line.data() + line.size())
        return fail(fmt::format("{}: {} is not a merchant's database id", options_.merchant_ids, line));
      merchants_.push_back(id);
    }
    if (merchants_.empty()) return fail(fmt::format("{} contains no merchants", options_.merchant_ids));
    return {};
  }

  void submit(Command command, MerchantId merchant, CauseKind cause, std::function<void(Reply)> reply = {}) {
    Request request;
    request.command = std::move(command);
    request.merchant_id = merchant;
    request.cause = {.kind = cause, .trigger = BenchRun{}};
    request.reply = std::move(reply);
    engine_->submit(std::move(request));
  }

  // Submits a request of a client, which has an Idempotency-Key and waits for the channel's reply.
  void submit_as_client(Command command, MerchantId merchant, std::initializer_list<std::string_view> key) {
    Request request;
    request.command = std::move(command);
    request.merchant_id = merchant;
    request.cause = {.kind = CauseKind::api, .trigger = BenchRun{}};
    request.idempotency = Idempotency{hash_of_key(merchant, "idempotency", key), {}};
    request.await_answer = true;
    engine_->submit(std::move(request));
  }

  void start_next() {
    std::size_t number;
    {
      const std::lock_guard lock(mutex_);
      if (started_ == options_.payments) return;
      number = started_++;
    }
    CreateOrder order;
    order.merchant_id = merchants_[number % merchants_.size()];
    order.merchant_order_no = fmt::format("{}{:03}{:06}", digits_of(clock_.now()), run_, number);
    order.amount = 8000;
    order.currency = *parse_currency("CNY");
    order.subject = "Tea";
    order.capture_method = options_.capture;
    if (options_.capture == CaptureMethod::automatic) order.notify_url = kReceiver;
    order.payment =
        PaymentFields{.channel = "sandbox", .method = "web", .merchant_payment_no = {}, .scenario = {}, .payer = {}};
    const MerchantId merchant = order.merchant_id;
    const std::string order_no = order.merchant_order_no;
    submit_as_client(std::move(order), merchant, {order_no});
  }

  // Executes an effect of the engine on the lane's thread. The simulated channel or merchant replies immediately.
  void perform(const Effect& effect) {
    std::visit([this](const auto& call) { answer(call); }, effect);
  }

  void answer(const ChannelCall& call) {
    if (call.kind != ChannelCallKind::send_payment) return;
    RecordEvidence record{
        call.payment.merchant_id, call.payment.id, call.payment.channel, call.payment.out_trade_no, {}};
    record.evidence.kind = EvidenceKind::waiting;
    record.evidence.asked_at = clock_.now();
    record.evidence.channel_trade_no = trade_no(record.evidence.asked_at, call.payment.id.value);
    submit(record, call.payment.merchant_id, CauseKind::channel_reply);
    report_paid(record.evidence, call.payment.amount, call.payment.currency, CauseKind::notification);
    submit(record, call.payment.merchant_id, CauseKind::notification);
  }

  void answer(const AuthorizationCall& call) {
    if (call.kind != AuthorizationCallKind::send_authorization) return;
    const Authorization& row = call.authorization;
    AuthorizationEvidence evidence{.kind = AuthorizationEvidenceKind::waiting, .asked_at = clock_.now()};
    evidence.channel_trade_no = trade_no(evidence.asked_at, row.id.value);
    submit(record_of(call, evidence), row.merchant_id, CauseKind::channel_reply);
    evidence.kind = AuthorizationEvidenceKind::authorized;
    evidence.source = CauseKind::notification;
    evidence.authorized = row.amount;
    evidence.currency = row.currency;
    const CreateCapture capture{row.merchant_id, row.order_id, row.id, call.order.merchant_order_no, {}, true};
    submit(record_of(call, evidence), row.merchant_id, CauseKind::notification, [this, capture](const Reply&) {
      submit_as_client(capture, capture.merchant_id, {"capture", capture.merchant_capture_no});
    });
  }

  void answer(const CaptureCall& call) {
    if (call.kind != CaptureCallKind::send_capture) return;
    Evidence evidence;
    evidence.asked_at = clock_.now();
    evidence.channel_trade_no = trade_no(evidence.asked_at, call.capture.id.value);
    report_paid(evidence, call.capture.amount, call.capture.currency, CauseKind::channel_reply);
    submit(record_of(call, evidence), call.capture.merchant_id, CauseKind::channel_reply);
  }

  void answer(const RefundCall&) {}

  void answer(const DeliveryAttempt& attempt) { finish(attempt.delivery); }

  static void report_paid(Evidence& evidence, MinorUnits amount, Currency currency, CauseKind source) {
    evidence.kind = EvidenceKind::paid;
    evidence.source = source;
    evidence.amount = amount;
    evidence.currency = currency;
    evidence.paid_at = evidence.asked_at;
  }

  void finish(const Delivery& delivery) {
    Request request;
    request.command = RecordDelivery{delivery.merchant_id, delivery.id, true, 200, "", {}, false};
    request.merchant_id = delivery.merchant_id;
    request.cause = {.kind = CauseKind::timer};
    const Time created = time_of_id(delivery.order_id.value);
    request.reply = [this, created](const Reply&) {
      bool last = false;
      {
        const std::lock_guard lock(mutex_);
        latencies_ms_.push_back(static_cast<double>((clock_.now() - created).count()));
        last = latencies_ms_.size() == options_.payments;
      }
      if (last)
        done_.set_value();
      else
        start_next();
    };
    engine_->submit(std::move(request));
  }

  LifecycleBench options_;
  Policy policy_;
  SystemClock clock_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Engine> engine_;
  std::vector<MerchantId> merchants_;
  // Part of merchant order numbers and idempotency keys, so that concurrent runs for one merchant do not repeat them.
  unsigned run_ = std::random_device()() % 1000;
  std::mutex mutex_;
  std::size_t started_ = 0;
  std::vector<double> latencies_ms_;
  std::promise<void> done_;
  double batch_mean_ = 0;
};

struct Measured {
  double seconds = 0;
  double batch_mean = 0;
  double p50_ms = 0;
  double p99_ms = 0;
  double p999_ms = 0;
};

// Runs the benchmark. Calls `begin` after the preparation and before the measured part.
Result<Measured> measure(const LifecycleBench& options, const std::function<void()>& begin) {
  Lifecycles lifecycles(options);
  if (auto prepared = lifecycles.prepare(); !prepared) return std::unexpected(prepared.error());
  begin();
  const double seconds = lifecycles.run();
  lifecycles.stop();
  return Measured{.seconds = seconds,
                  .batch_mean = lifecycles.batch_mean(),
                  .p50_ms = lifecycles.latency_ms(0.5),
                  .p99_ms = lifecycles.latency_ms(0.99),
                  .p999_ms = lifecycles.latency_ms(0.999)};
}

constexpr std::string_view kSqlite = "sqlite:";

Result<void> check(const LifecycleBench& options) {
  const bool has_merchants = !options.merchant.empty() || !options.merchant_ids.empty();
  if (options.capture == CaptureMethod::manual && has_merchants)
    return fail("--capture manual creates webhook endpoints and cannot be combined with existing merchants");
  if (!options.floor) return {};
  if (!options.store.starts_with(kSqlite)) return fail("--floor requires a SQLite store");
  if (has_merchants) return fail("--floor starts with an empty file and cannot be combined with existing merchants");
  return {};
}

// A directory for temporary files beside the store, deleted on destruction.
class Scratch {
 public:
  explicit Scratch(const std::string& beside) : directory_(beside + ".floor") {
    std::filesystem::create_directories(directory_);
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  std::string file(const char* name) const { return directory_ + "/" + name; }

 private:
  std::string directory_;
};

// Repeats the run while recording its statements, then replays them. Returns the duration of the replay. Recording
// takes time, so this run is separate from the measured run; both submit the same commands.
Result<Measured> measure_floor(const LifecycleBench& options) {
  const Scratch scratch(options.store.substr(kSqlite.size()));
  SqliteCapture capture;
  LifecycleBench again = options;
  again.store = std::string(kSqlite) + scratch.file("recorded.db");
  auto recorded = measure(again, [&] { capture.mark(); });
  if (!recorded) return recorded;
  const auto seconds = capture.replay(scratch.file("replayed.db"), scratch.file("recorded.db"));
  if (!seconds) return std::unexpected(seconds.error());
  recorded->seconds = *seconds;
  return recorded;
}

void print_json(const LifecycleBench& options, const Measured& run, const Measured* floor) {
  namespace json = boost::json;
  const auto count = static_cast<double>(options.payments);
  json::object object{{"payments", options.payments},
                      {"capture", name_of(options.capture)},
                      {"seconds", run.seconds},
                      {"payments_per_second", count / run.seconds},
                      {"latency_ms", json::object{{"p50", run.p50_ms}, {"p99", run.p99_ms}, {"p999", run.p999_ms}}},
                      {"batch_mean", run.batch_mean}};
  if (floor != nullptr) {
    object["floor_per_second"] = count / floor->seconds;
    object["floor_batch_mean"] = floor->batch_mean;
    object["ratio_to_floor"] = floor->seconds / run.seconds;
  }
  fmt::print("{}\n", json::serialize(object));
}

void print_text(const LifecycleBench& options, const Measured& run, const Measured* floor) {
  const auto count = static_cast<double>(options.payments);
  fmt::print("{} payments in {:.2f} s: {:.0f} per second; p50 {:.0f} ms, p99 {:.0f} ms; {:.0f} commands per batch\n",
             options.payments, run.seconds, count / run.seconds, run.p50_ms, run.p99_ms, run.batch_mean);
  if (floor != nullptr)
    fmt::print("The same statements and commits without the engine: {:.0f} per second; ratio {:.2f}\n",
               count / floor->seconds, floor->seconds / run.seconds);
}

}  // namespace

int run_lifecycle_bench(const LifecycleBench& options) {
  if (const auto fits = check(options); !fits) return report(fits.error());
  const auto run = measure(options, [] {});
  if (!run) return report(run.error());
  std::optional<Measured> floor;
  if (options.floor) {
    auto measured = measure_floor(options);
    if (!measured) return report(measured.error());
    floor = *measured;
  }
  (options.json ? print_json : print_text)(options, *run, floor ? &*floor : nullptr);
  return 0;
}

}  // namespace finality::bench
