// One engine of a simulated world: a real batch runner, a queue, a clock that may be wrong, and a life that may end at
// any commit and begin again.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/batch_runner.h"
#include "sim/world/faulty_session.h"
#include "sim/world/sim_scheduler.h"

namespace finality::sim {

/// The time as an engine sees it.
class SkewedClock final : public Clock {
 public:
  explicit SkewedClock(const SimScheduler& scheduler) : scheduler_(scheduler) {}
  Time now() const override { return scheduler_.now() + skew_; }
  void set_skew(Duration skew) { skew_ = skew; }

 private:
  const SimScheduler& scheduler_;
  Duration skew_{0};
};

struct EngineHooks {
  /// Opens a session for a life that begins.
  std::function<std::unique_ptr<Session>()> open_session;
  /// What a commit asks to be done outside; `life` is the life of the engine that asks.
  std::function<void(int engine, std::vector<Effect>)> perform;
  /// What was not flushed is gone from the store. Empty where a commit is durable when it returns.
  std::function<void()> lose_power;
  fsm::CellWatch* cell_watch = nullptr;
  bool tells_before_flush = false;  // a bug planted from outside
};

class SimEngine {
 public:
  SimEngine(int number, SimScheduler& scheduler, const Policy& policy, EngineHooks hooks);

  int number() const { return number_; }
  bool alive() const { return runner_ != nullptr; }
  /// Rises with every crash: what belongs to an earlier life is gone.
  int life() const { return life_; }
  Time now() const { return clock_.now(); }
  /// Decisions that the engine itself undid, in all its lives, because they would have broken a rule.
  std::uint64_t undone() const { return counts_.parked; }

  /// Queues the request; a dead engine takes nothing, and nobody is told.
  void submit(Request request);
  /// One batch now, if something is queued and it is not in a batch already.
  void run();
  void crash(std::string_view where);
  /// Its clock jumps, or is right again.
  void set_clock(Duration skew) { clock_.set_skew(skew); }

 private:
  void start();
  void run_soon();
  void announce(PostCommitWork announcement);
  void flush();
  void flush_or_lose();

  int number_;
  SimScheduler& scheduler_;
  EngineHooks hooks_;
  SkewedClock clock_;
  EngineOptions options_;
  EngineCounts counts_;
  std::unique_ptr<Flusher> flusher_;  // where the store flushes apart
  std::vector<PostCommitWork> unflushed_;
  std::unique_ptr<BatchRunner> runner_;
  std::deque<Request> queue_;
  bool run_planned_ = false;
  bool running_ = false;
  int life_ = 0;
};

}  // namespace finality::sim
