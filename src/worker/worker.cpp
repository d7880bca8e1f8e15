#include "worker/worker.h"

#include <algorithm>
#include <utility>

#include "base/thread_name.h"
#include "worker/perform_call.h"
#include "worker/perform_delivery.h"
#include "worker/upkeep.h"

namespace finality {
namespace {

constexpr Duration kScanIntervalMin{20};

void perform_one(const std::shared_ptr<Outside>& outside, Effect effect, Ticket ticket) {
  std::visit(
      [&]<class Kind>(Kind& one) {
        if constexpr (std::is_same_v<Kind, Deliver>)
          perform_delivery(outside, std::move(one), std::move(ticket));
        else
          perform_call(outside, std::move(one), std::move(ticket));
      },
      effect);
}

// A line is for bursts. What has waited longer had better come due again: started with little of its time left it would
// be cut off before its answer, and that would count as the channel's or the merchant's silence.
void perform_in_time(const std::shared_ptr<Outside>& outside, Effect effect, Time handed_over, Ticket ticket) {
  if (outside->clock.now() - handed_over > limits::kEffectWaitMax) {
    ++outside->counters.effects_dropped;
    return;
  }
  perform_one(outside, std::move(effect), std::move(ticket));
}

}  // namespace

Duration scan_interval(const Policy& policy) {
  return std::clamp(policy.scaled(limits::kDueScanEvery), kScanIntervalMin, limits::kDueScanEvery);
}

Result<std::unique_ptr<Worker>> Worker::start(Engine& engine, Store& store, const Channels& channels,
                                              const Policy& policy, const Clock& clock, net::HttpClient& client,
                                              net::IoPool& io, WorkerOptions options) {
  Result<std::unique_ptr<Reader>> reader = store.open_reader();
  if (!reader) return std::unexpected(reader.error());
  auto after = [&io](Duration delay, std::function<void()> task) { io.after(delay, std::move(task)); };
  std::shared_ptr<Outside> outside(
      new Outside{engine, channels, policy, clock, client, std::move(after), std::move(options), {}, {}});
  std::unique_ptr<Worker> worker(new Worker(std::move(outside), UnderWay::create(), io));
  worker->start_scan(store, std::move(*reader));
  io.post([outside = worker->outside_] { outside->gate.pass([&] { begin_upkeep(outside); }); });
  return worker;
}

Worker::Worker(std::shared_ptr<Outside> outside, std::shared_ptr<UnderWay> under_way, net::IoPool& io)
    : outside_(std::move(outside)), under_way_(std::move(under_way)), io_(io) {}

Worker::~Worker() { stop(); }

void Worker::start_scan(Store& store, std::unique_ptr<Reader> reader) {
  const std::shared_ptr<WorkerCounters> counters(outside_, &outside_->counters);
  auto scan =
      std::make_unique<DueScan>(outside_->engine, store, std::move(reader), outside_->clock, under_way_, counters);
  const Duration interval = scan_interval(outside_->policy);
  scan_ = std::jthread([scan = std::move(scan), interval](const std::stop_token& stop) {
    name_thread("scan");
    while (!stop.stop_requested()) {
      const bool more = scan->scan();
      scan->rest(interval, more, stop);
    }
  });
}

void Worker::perform(std::vector<Effect> effects) {
  outside_->counters.effects += effects.size();
  const Time handed_over = outside_->clock.now();
  for (Effect& effect : effects) {
    const EffectKind kind = kind_of(effect);
    const MerchantId merchant = merchant_of(effect);
    auto start = [outside = outside_, &io = io_, effect = std::make_shared<Effect>(std::move(effect)),
                  handed_over](Ticket ticket) {
      io.post([outside, effect, handed_over, ticket = std::move(ticket)] {
        outside->gate.pass([&] { perform_in_time(outside, std::move(*effect), handed_over, ticket); });
      });
    };
    if (!under_way_->admit_or_wait(kind, merchant, std::move(start))) ++outside_->counters.effects_dropped;
  }
}

void Worker::stop() {
  if (scan_.joinable()) {
    scan_.request_stop();
    scan_.join();
  }
  outside_->counters.effects_dropped += under_way_->close();
  under_way_->wait_until_none(outside_->options.stop_wait);
  outside_->gate.shut();
}

}  // namespace finality
