// finality bench lifecycle: whole payments through the engine, every row that production writes, without the network.
#include "app/bench_lifecycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>

#include "app/bootstrap.h"
#include "app/report.h"

namespace finality::app {
namespace {

using Instant = std::chrono::steady_clock::time_point;

// Plays the world around the engine: clients that create orders, the channel that waits and is paid, the merchant that
// acknowledges. Each client has one payment under way: create with payment → waiting → paid → delivered.
class Lifecycles {
 public:
  explicit Lifecycles(const LifecycleBench& options) : options_(options) {}

  Result<void> prepare() {
    policy_.channels["sandbox"] = Capabilities{.methods = {"web"}, .takes_scenario = true};
    auto store = open_store({.url = options_.store});
    if (!store) return std::unexpected(store.error());
    store_ = std::move(*store);
    auto engine = Engine::start(*store_, {.policy = &policy_, .clock = &clock_, .perform = [this](auto effects) {
                                            for (Effect& effect : effects) perform(std::move(effect));
                                          }});
    if (!engine) return std::unexpected(engine.error());
    engine_ = std::move(*engine);
    for (std::size_t i = 0; i < options_.merchants; ++i) {
      auto merchant = make_merchant(*engine_, fmt::format("merchant {}", i));
      if (!merchant) return std::unexpected(merchant.error());
      merchants_.push_back(merchant->id);
    }
    return {};
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
  void submit(Command command, MerchantId merchant, CauseKind cause) {
    Request request;
    request.command = std::move(command);
    request.merchant_id = merchant;
    request.cause = {cause, R"({"bench":true})"};
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
    order.merchant_order_no = fmt::format("bench-{}-{}", run_, number);
    order.amount = 8000;
    order.currency = *parse_currency("CNY");
    order.subject = "Tea";
    order.notify_url = "https://shop.example/notify";
    order.payment =
        PaymentFields{.channel = "sandbox", .method = "web", .merchant_payment_no = {}, .scenario = {}, .payer = {}};
    Request request;
    request.command = std::move(order);
    request.merchant_id = merchants_[number % merchants_.size()];
    request.cause = {CauseKind::api, R"({"bench":true})"};
    request.idempotency = Idempotency{sha256_16(fmt::format("{}-{}", run_, number)), {}};
    request.await_answer = true;
    engine_->submit(std::move(request));
  }

  // Called on a lane's thread: the outside answers at once.
  void perform(Effect effect) {
    if (const auto* call = std::get_if<ChannelCall>(&effect)) {
      if (call->kind == ChannelCallKind::send_payment) answer_call(*call);
    } else {
      const Delivery& delivery = std::get<Deliver>(effect).delivery;
      finish(delivery);
    }
  }

  void answer_call(const ChannelCall& call) {
    RecordEvidence record{
        call.payment.merchant_id, call.payment.id, call.payment.channel, call.payment.out_trade_no, {}};
    record.evidence.kind = EvidenceKind::waiting;
    record.evidence.asked_at = clock_.now();
    record.evidence.channel_trade_no = "bench" + to_base32(call.payment.id.value);
    submit(record, call.payment.merchant_id, CauseKind::channel_reply);
    record.evidence.kind = EvidenceKind::paid;
    record.evidence.source = CauseKind::notification;
    record.evidence.amount = call.payment.amount;
    record.evidence.currency = call.payment.currency;
    record.evidence.paid_at = record.evidence.asked_at;
    submit(record, call.payment.merchant_id, CauseKind::notification);
  }

  void finish(const Delivery& delivery) {
    Request request;
    request.command = RecordDelivery{delivery.merchant_id, delivery.id, true, 200, "", {}, false};
    request.merchant_id = delivery.merchant_id;
    request.cause = {CauseKind::timer, "{}"};
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
  std::int64_t run_ = SystemClock().now().ms;
  std::mutex mutex_;
  std::size_t started_ = 0;
  std::vector<double> latencies_ms_;
  std::promise<void> done_;
  double batch_mean_ = 0;
};

}  // namespace

int run_lifecycle_bench(const LifecycleBench& options) {
  Lifecycles lifecycles(options);
  if (auto prepared = lifecycles.prepare(); !prepared) return report(prepared.error());
  const double seconds = lifecycles.run();
  lifecycles.stop();
  const double rate = static_cast<double>(options.payments) / seconds;
  if (options.json) {
    namespace json = boost::json;
    const json::object latency{{"p50", lifecycles.latency_ms(0.5)},
                               {"p99", lifecycles.latency_ms(0.99)},
                               {"p999", lifecycles.latency_ms(0.999)}};
    fmt::print("{}\n", json::serialize(json::object{{"payments", options.payments},
                                                    {"seconds", seconds},
                                                    {"payments_per_second", rate},
                                                    {"latency_ms", latency},
                                                    {"batch_mean", lifecycles.batch_mean()}}));
  } else {
    fmt::print("{} payments in {:.2f} s: {:.0f} a second; p50 {:.0f} ms, p99 {:.0f} ms; {:.0f} commands a batch\n",
               options.payments, seconds, rate, lifecycles.latency_ms(0.5), lifecycles.latency_ms(0.99),
               lifecycles.batch_mean());
  }
  return 0;
}

}  // namespace finality::app
