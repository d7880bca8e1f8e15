#include "worker/worker.h"

#include <algorithm>
#include <utility>

#include "base/thread_name.h"
#include "worker/effects/perform_call.h"
#include "worker/effects/perform_delivery.h"
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

/// An effect as a commit handed it over.
struct HandedOver {
  Effect effect;
  SlotKey key;
  Time at;
};

void drop(Outside& outside, UnderWay& under_way, const SlotKey& key) {
  ++outside.counters.effects_dropped;
  under_way.count_dropped(key);
}

// The line absorbs bursts. An effect that waited longer is dropped, and its row comes due again: started with little of
// its time left it would time out, and that would count as the channel's or the merchant's silence.
void perform_in_time(const std::shared_ptr<Outside>& outside, UnderWay& under_way, HandedOver& one, Ticket ticket) {
  if (outside->clock.now() - one.at > limits::kEffectWaitMax) return drop(*outside, under_way, one.key);
  perform_one(outside, std::move(one.effect), std::move(ticket));
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
  std::set<ChannelAccountId> served;
  for (const auto& channel : outside_->channels) served.insert(outside_->policy.account_of(channel->name()));
  auto scan = std::make_unique<DueScan>(outside_->engine, store, std::move(reader), outside_->clock, std::move(served),
                                        under_way_, counters);
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
    const SlotKey key = slot_key_of(effect);
    auto one = std::make_shared<HandedOver>(std::move(effect), key, handed_over);
    // The ticket keeps `under_way` alive. A pointer that did so here would keep its own line.
    auto start = [outside = outside_, &under_way = *under_way_, &io = io_, one = std::move(one)](Ticket ticket) {
      io.post([outside, &under_way, one, ticket = std::move(ticket)] {
        outside->gate.pass([&] { perform_in_time(outside, under_way, *one, ticket); });
      });
    };
    if (!under_way_->admit_or_wait(key, std::move(start))) drop(*outside_, *under_way_, key);
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
