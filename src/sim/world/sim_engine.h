// One engine of a simulated world: a real batch runner, a queue, a clock that may be wrong, and a life cycle that may
// end at any commit and restart.
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

/// The time as read by one engine.
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
  /// Opens a session for an engine that starts or restarts.
  std::function<std::unique_ptr<Session>()> open_session;
  /// Receives the effects of a commit; `engine` is the number of the engine.
  std::function<void(int engine, std::vector<Effect>)> perform;
  /// Removes unflushed commits from the store. Empty if commits are durable when they return.
  std::function<void()> lose_power;
  fsm::CellWatch* cell_watch = nullptr;
  bool replies_before_flush = false;  // a planted bug
};

class SimEngine {
 public:
  SimEngine(int number, SimScheduler& scheduler, const Policy& policy, EngineHooks hooks);

  int number() const { return number_; }
  bool is_running() const { return runner_ != nullptr; }
  /// Number of crashes so far. A callback created before a crash sees another number when it runs and does nothing.
  int life() const { return life_; }
  Time now() const { return clock_.now(); }
  /// Number of decisions that the engine rolled back because of an invariant violation, including those before crashes.
  std::uint64_t undone() const { return counts_.parked; }

  /// Queues the request. A crashed engine drops it without a reply.
  void submit(Request request);
  /// Runs one batch now, if a request is queued and no batch is running.
  void run();
  void crash(std::string_view where);
  /// Sets the error of the engine's clock; zero makes the clock correct again.
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
  std::unique_ptr<Flusher> flusher_;  // if the store flushes separately
  std::vector<PostCommitWork> unflushed_;
  std::unique_ptr<BatchRunner> runner_;
  std::deque<Request> queue_;
  bool run_planned_ = false;
  bool running_ = false;
  int life_ = 0;
};

}  // namespace finality::sim
