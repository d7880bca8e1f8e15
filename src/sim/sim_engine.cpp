#include "sim/sim_engine.h"

#include <algorithm>

namespace finality::sim {
namespace {

constexpr std::int64_t kBatchMax = 16;  // small: many batches race

}  // namespace

SimEngine::SimEngine(int number, Stage& stage, const Policy& policy, EngineHooks hooks)
    : number_(number), stage_(stage), hooks_(std::move(hooks)), clock_(stage) {
  options_ = {.policy = &policy, .clock = &clock_, .perform = [this](std::vector<Effect> effects) {
                hooks_.perform(number_, std::move(effects));
              }};
  start();
}

void SimEngine::start() {
  runner_ = std::make_unique<BatchRunner>(
      hooks_.open_session(), options_, counts_,
      [this](Announcement announcement) { tell(std::move(announcement), options_.perform); },
      [this](int tries) { stage_.pass(Duration{stage_.random().between(1, 1 << std::min(tries, 6))}); });
}

void SimEngine::submit(Request request) {
  if (!alive()) return;
  queue_.push_back(std::move(request));
  run_soon();
}

void SimEngine::run_soon() {
  if (run_planned_) return;
  run_planned_ = true;
  stage_.after(Duration{stage_.random().between(0, 3)}, [this] {
    run_planned_ = false;
    run();
  });
}

void SimEngine::run() {
  if (!alive() || running_ || queue_.empty()) return;
  const auto count =
      std::min<std::int64_t>(static_cast<std::int64_t>(queue_.size()), stage_.random().between(1, kBatchMax));
  std::vector<Request> batch(std::make_move_iterator(queue_.begin()), std::make_move_iterator(queue_.begin() + count));
  queue_.erase(queue_.begin(), queue_.begin() + count);
  stage_.note("batch", number_, count);
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
  if (!alive() || running_) return;
  stage_.note(where, number_, life_);
  ++life_;
  runner_.reset();
  queue_.clear();
  stage_.after(stage_.random().spread(Duration(500), std::chrono::minutes(10)), [this] {
    start();
    stage_.note("restart", number_, life_);
  });
}

}  // namespace finality::sim
