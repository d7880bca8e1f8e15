#include "sim/world/sim_engine.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/limits.h"
#include "sim/auditors/storage_auditor.h"
#include "wire/json_renderer.h"

namespace finality::sim {
namespace {

constexpr std::int64_t kBatchMax = 16;     // small, so that batches of several engines conflict often
constexpr Duration kFlushTakesMax{2'000};  // most flushes take less; disks stall sometimes
constexpr Duration kSpikeMin = std::chrono::hours(2);
constexpr Duration kSpikeMax = std::chrono::hours(48);
constexpr Duration kSpikeLastsMin{100};
static_assert(kSpikeMin > 2 * kClockErrorMax, "the auditor distinguishes spikes from lasting errors by their size");

}  // namespace

Time SkewedClock::now() const {
  const Time wall = scheduler_.now() + skew_ + spike_;
  return follows_spikes_ ? wall : filter_.read({wall, scheduler_.now() - Time{}}).now;
}

void SkewedClock::set_skew(Duration skew) {
  skew_ = skew;
  changed_at_ = scheduler_.now();
}

void SkewedClock::set_spike(Duration spike) {
  spike_ = spike;
  now();
}

void SkewedClock::restart() {
  filter_ = {};
  spike_ = Duration{0};
  changed_at_ = scheduler_.now();
  now();
}

bool SkewedClock::is_settled() const {
  return spike_ == Duration{0} && scheduler_.now() - changed_at_ > 2 * limits::kClockJumpLasts;
}

SimEngine::SimEngine(int number, SimScheduler& scheduler, const Policy& policy, EngineHooks hooks)
    : number_(number), scheduler_(scheduler), hooks_(std::move(hooks)), clock_(scheduler, hooks_.follows_spikes) {
  options_ = {.policy = &policy,
              .clock = &clock_,
              .renderer = &wire::json_renderer(),
              .perform = [this](std::vector<Effect> effects) { hooks_.perform(number_, std::move(effects)); },
              .cell_watch = hooks_.cell_watch};
  start();
}

void SimEngine::start() {
  clock_.restart();
  auto session = hooks_.open_session();
  if (hooks_.lose_power) flusher_ = std::move(session->flush_apart().value());
  runner_ = std::make_unique<BatchRunner>(
      std::move(session), options_, counts_, [this](PostCommitWork work) { announce(std::move(work)); },
      [this](int tries) { scheduler_.pass(Duration{scheduler_.random().between(1, 1 << std::min(tries, 6))}); });
}

// Passes the refusals because of the store to the auditor. With the bug `accepts_failed_parts`, replies with success if
// the part of the merchant has failed.
void SimEngine::look_at(PostCommitWork& work) const {
  for (PostCommitWork::ReadyReply& ready : work.replies) {
    if (!is_storage_refusal(ready.with)) continue;
    const Request& request = *ready.with.request;
    hooks_.refused_by_store(request);
    if (hooks_.accepts_failed_parts && hooks_.has_failed(request.merchant_id)) ready.with = {};
  }
}

// Runs post-commit work after the commit is durable, as CommitNotifier does, but in the simulation's only thread.
void SimEngine::announce(PostCommitWork work) {
  look_at(work);
  if (!flusher_) return perform_work(std::move(work), options_.perform);
  if (hooks_.replies_before_flush) perform_work(std::exchange(work, {}), options_.perform);
  unflushed_.push_back(std::move(work));
  if (unflushed_.size() > 1) return;  // a flush is already scheduled
  scheduler_.after(scheduler_.random().spread(Duration{0}, kFlushTakesMax), [this, life = life_] {
    if (life == life_) flush();
  });
}

void SimEngine::flush() {
  FINALITY_CHECK(flusher_->flush().has_value(), "a flush in memory cannot fail");
  scheduler_.note("flush", number_, static_cast<std::int64_t>(unflushed_.size()));
  for (PostCommitWork& work : std::exchange(unflushed_, {})) perform_work(std::move(work), options_.perform);
  if (!queue_.empty()) run_soon();
}

// Called after a crash. A power loss removes unflushed commits; otherwise the operating system still writes them.
void SimEngine::flush_or_lose() {
  if (scheduler_.happens(Fault::power_lost)) return hooks_.lose_power();
  FINALITY_CHECK(flusher_->flush().has_value(), "a flush in memory cannot fail");
}

void SimEngine::submit(Request request) {
  if (!is_running()) return;
  queue_.push_back(std::move(request));
  run_soon();
}

void SimEngine::run_soon() {
  if (run_planned_) return;
  run_planned_ = true;
  scheduler_.after(Duration{scheduler_.random().between(0, 3)}, [this] {
    run_planned_ = false;
    run();
  });
}

// Lets the clock of the engine spike during the batch that follows. A spike that lasts limits::kClockJumpLasts would be
// followed.
void SimEngine::disturb_clock() {
  if (!clock_.is_settled() || !scheduler_.happens(Fault::clock_spike)) return;
  const Duration by = scheduler_.random().spread(kSpikeMin, kSpikeMax);
  clock_.set_spike(scheduler_.random().chance(500) ? by : -by);
  scheduler_.after(scheduler_.random().between(kSpikeLastsMin, limits::kClockJumpLasts - Duration{1}),
                   [this] { clock_.set_spike(Duration{0}); });
}

void SimEngine::run() {
  if (!is_running() || running_ || queue_.empty() || unflushed_.size() >= limits::kUnflushedBatchesMax) return;
  const auto count =
      std::min<std::int64_t>(static_cast<std::int64_t>(queue_.size()), scheduler_.random().between(1, kBatchMax));
  std::vector<Request> batch(std::make_move_iterator(queue_.begin()), std::make_move_iterator(queue_.begin() + count));
  queue_.erase(queue_.begin(), queue_.begin() + count);
  scheduler_.note("batch", number_, count);
  disturb_clock();
  running_ = true;
  try {
    for (Request& first : runner_->run(std::move(batch))) queue_.push_front(std::move(first));
    runner_->drop_late_held(false);
    running_ = false;
  } catch (const Crash& at) {
    running_ = false;
    crash(at.where);
  }
  if (!queue_.empty()) run_soon();
}

void SimEngine::crash(std::string_view where) {
  if (!is_running() || running_) return;
  scheduler_.note(where, number_, life_);
  ++life_;
  runner_.reset();
  queue_.clear();
  if (flusher_) flush_or_lose();
  flusher_.reset();
  unflushed_.clear();
  scheduler_.after(scheduler_.random().spread(Duration(500), std::chrono::minutes(10)), [this] {
    start();
    scheduler_.note("restart", number_, life_);
  });
}

}  // namespace finality::sim
