// One engine of a simulation run: the production batch runner with a queue and a clock that can be wrong. The engine
// can crash at any commit, and then restarts.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/time/jump_filter.h"
#include "engine/batch_runner.h"
#include "sim/world/faulty_session.h"
#include "sim/world/sim_scheduler.h"

namespace finality::sim {

/// Clock of one engine: a wall clock, which is the simulated time plus an error, filtered as the clock of a server is
/// (base/time/jump_filter.h). The monotonic clock is the simulated time.
class SkewedClock final : public Clock {
 public:
  /// `follows_spikes`: an injected bug. The clock then believes each reading.
  SkewedClock(const SimScheduler& scheduler, bool follows_spikes)
      : scheduler_(scheduler), follows_spikes_(follows_spikes) {}

  Time now() const override;
  /// Sets the lasting error.
  void set_skew(Duration skew);
  /// Adds an error for a moment; zero ends it. Reads the clock, so that two spikes are never taken for one.
  void set_spike(Duration spike);
  /// Starts another process, which believes its first reading. Ends a spike, because it would be believed too.
  void restart();
  /// Whether a spike must not have any effect: the clock has agreed with the time that is believed for so long that
  /// this time is confirmed.
  bool is_settled() const;

 private:
  const SimScheduler& scheduler_;
  bool follows_spikes_;
  Duration skew_{0};
  Duration spike_{0};
  Time changed_at_;  // last change of the lasting error, or last restart
  mutable JumpFilter filter_;
};

struct EngineHooks {
  /// Opens a store session. Called when an engine starts or restarts.
  std::function<std::unique_ptr<Session>()> open_session;
  /// Receives the effects of a durable commit. `engine`: the number of the engine.
  std::function<void(int engine, std::vector<Effect>)> perform;
  /// Removes unflushed commits from the store. Empty if each commit is durable when Session::commit returns.
  std::function<void()> lose_power;
  /// Receives the request of each refusal that names an error of the store.
  std::function<void(const Request&)> refused_by_store;
  /// Whether the part of the store with the merchant's rows fails now.
  std::function<bool(MerchantId)> has_failed;
  fsm::CellWatch* cell_watch = nullptr;
  bool replies_before_flush = false;  // an injected bug
  bool follows_spikes = false;        // an injected bug
  bool accepts_failed_parts = false;  // an injected bug
};

class SimEngine {
 public:
  SimEngine(int number, SimScheduler& scheduler, const Policy& policy, EngineHooks hooks);

  int number() const { return number_; }
  bool is_running() const { return runner_ != nullptr; }
  /// Returns the number of crashes. A callback that was scheduled before a crash compares it, and then does nothing.
  int life() const { return life_; }
  Time now() const { return clock_.now(); }
  /// Returns the number of decisions that the engine rolled back because they violated an invariant, including
  /// decisions before crashes.
  std::uint64_t undone() const { return counts_.parked; }

  /// Queues the request. If the engine has crashed, the request is dropped without a reply.
  void submit(Request request);
  /// Runs one batch now, if a request is queued and no batch is running.
  void run();
  void crash(std::string_view where);
  /// Sets the lasting error of the engine's clock; zero makes the clock correct.
  void set_clock(Duration skew) { clock_.set_skew(skew); }

 private:
  void start();
  void disturb_clock();
  void run_soon();
  void look_at(PostCommitWork& work) const;
  void announce(PostCommitWork announcement);
  void flush();
  void flush_or_lose();

  int number_;
  SimScheduler& scheduler_;
  EngineHooks hooks_;
  SkewedClock clock_;
  EngineOptions options_;
  EngineCounts counts_;
  std::unique_ptr<Flusher> flusher_;  // null if commits are durable without a flush
  std::vector<PostCommitWork> unflushed_;
  std::unique_ptr<BatchRunner> runner_;
  std::deque<Request> queue_;
  bool run_planned_ = false;
  bool running_ = false;
  int life_ = 0;
};

}  // namespace finality::sim
