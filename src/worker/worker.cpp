#include "worker/worker.h"

#include <algorithm>
#include <utility>

#include "base/thread_name.h"
#include "worker/effects/perform_call.h"
#include "worker/effects/perform_delivery.h"
#include "worker/maintenance.h"

namespace finality {
namespace {

constexpr Duration kScanIntervalMin{20};

void perform_effect(const std::shared_ptr<EffectContext>& context, Effect effect, Permit permit) {
  std::visit(
      [&]<class Kind>(Kind& queued) {
        if constexpr (std::is_same_v<Kind, DeliveryAttempt>)
          perform_delivery(context, std::move(queued), std::move(permit));
        else
          perform_call(context, std::move(queued), std::move(permit));
      },
      effect);
}

/// An effect, with its slot key and the time at which the worker received it.
struct QueuedEffect {
  Effect effect;
  SlotKey key;
  Time at;
};

void drop(EffectContext& context, InFlightEffects& in_flight, const SlotKey& key) {
  ++context.counters.effects_dropped;
  in_flight.count_dropped(key);
}

// Starts an effect that has received its slot. Drops the effect if it waited longer than limits::kEffectQueueWaitMax;
// its row becomes due again. A late start would time out and be counted as a failure of the channel or the receiver.
void perform_in_time(const std::shared_ptr<EffectContext>& context, InFlightEffects& in_flight, QueuedEffect& queued,
                     Permit permit) {
  if (context->clock.now() - queued.at > limits::kEffectQueueWaitMax) return drop(*context, in_flight, queued.key);
  perform_effect(context, std::move(queued.effect), std::move(permit));
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
  std::shared_ptr<EffectContext> context(
      new EffectContext{engine, channels, policy, clock, client, std::move(after), std::move(options), {}, {}});
  std::unique_ptr<Worker> worker(new Worker(std::move(context), InFlightEffects::create(), io));
  worker->start_scan(store, std::move(*reader));
  io.post([context = worker->context_] { context->guard.enter([&] { begin_maintenance(context); }); });
  return worker;
}

Worker::Worker(std::shared_ptr<EffectContext> context, std::shared_ptr<InFlightEffects> in_flight, net::IoPool& io)
    : context_(std::move(context)), in_flight_(std::move(in_flight)), io_(io) {}

Worker::~Worker() { stop(); }

void Worker::start_scan(Store& store, std::unique_ptr<Reader> reader) {
  const std::shared_ptr<WorkerCounters> counters(context_, &context_->counters);
  std::set<ChannelAccountId> served{context_->policy.account_of(kWallet)};
  for (const auto& channel : context_->channels) served.insert(context_->policy.account_of(channel->name()));
  auto scan = std::make_unique<DueScan>(context_->engine, store, std::move(reader), context_->clock, std::move(served),
                                        in_flight_, counters);
  const Duration interval = scan_interval(context_->policy);
  scan_ = std::jthread([scan = std::move(scan), interval](const std::stop_token& stop) {
    name_thread("scan");
    while (!stop.stop_requested()) {
      const bool more = scan->scan();
      scan->rest(interval, more, stop);
    }
  });
}

void Worker::perform(std::vector<Effect> effects) {
  context_->counters.effects += effects.size();
  const Time queued_at = context_->clock.now();
  for (Effect& effect : effects) {
    const SlotKey key = slot_key_of(effect);
    auto queued = std::make_shared<QueuedEffect>(std::move(effect), key, queued_at);
    // A reference suffices, because the permit keeps `in_flight` alive. A shared pointer in the queued callback would
    // form a cycle with `in_flight`, which owns the queue.
    auto start = [context = context_, &in_flight = *in_flight_, &io = io_, queued = std::move(queued)](Permit permit) {
      io.post([context, &in_flight, queued, permit = std::move(permit)] {
        context->guard.enter([&] { perform_in_time(context, in_flight, *queued, permit); });
      });
    };
    if (!in_flight_->admit_or_wait(key, std::move(start))) drop(*context_, *in_flight_, key);
  }
}

void Worker::stop() {
  if (scan_.joinable()) {
    scan_.request_stop();
    scan_.join();
  }
  context_->counters.effects_dropped += in_flight_->close();
  in_flight_->wait_until_none(context_->options.stop_wait);
  context_->guard.close();
}

}  // namespace finality
