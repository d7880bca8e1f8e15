// The shared state of a simulated world: time, event queue, randomness and trace. Used by one thread.
#pragma once

#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time/time.h"
#include "sim/world/faults.h"
#include "sim/world/random.h"

namespace finality::sim {

/// What to do with the trace lines.
enum class TraceWish : std::uint8_t { hashed, printed, kept };

struct TraceLine {
  Time at;
  std::string what;
  std::string object;
  std::int64_t detail = 0;
};

/// Formats a line as "2026-09-21T…  pay  pay_… 3".
std::string to_text(const TraceLine& line);

/// Hash of all steps and, on request, a line per step.
class Trace {
 public:
  explicit Trace(TraceWish mode) : mode_(mode) {}

  void add(std::string_view text) {
    for (const char c : text) add_byte(static_cast<std::uint8_t>(c));
  }
  void add(std::int64_t number) {
    for (int i = 0; i < 64; i += 8) add_byte(static_cast<std::uint8_t>(number >> i));
  }
  bool collects_lines() const { return mode_ != TraceWish::hashed; }
  /// REQUIRES: wants_lines().
  void add(TraceLine line);
  /// Empty unless lines are kept.
  const std::vector<TraceLine>& lines() const { return lines_; }
  std::uint64_t hash() const { return hash_; }

 private:
  void add_byte(std::uint8_t byte) { hash_ = (hash_ ^ byte) * 0x100000001B3u; }

  TraceWish mode_;
  std::vector<TraceLine> lines_;
  std::uint64_t hash_ = 0xCBF29CE484222325u;
};

class SimScheduler {
 public:
  /// Faults in `without` never happen.
  SimScheduler(std::uint64_t seed, Time start, TraceWish trace, FaultMask without = 0);

  Time now() const { return now_; }
  Random& random() { return random_; }
  Trace& trace() { return trace_; }

  /// Schedules `task` after `delay`. Tasks of the same instant run in random order.
  void after(Duration delay, std::function<void()> task);
  /// Runs the next task. If no task is due before `until`, sets the time to `until` and returns false.
  bool step(Time until);
  /// Advances the time by `by` within a task, for example in a pause between two tries.
  void pass(Duration by) { now_ = now_ + by; }

  /// Draws whether the fault happens on this occasion, and counts it if so.
  bool happens(Fault fault);
  /// Counts a fault that happened without a call of happens().
  void count(Fault fault);
  const FaultCounts& counts() const { return counts_; }
  // The fault types that have happened so far, and those of the last minute.
  FaultMask faults_met() const { return met_; }
  FaultMask faults_lately() const;
  int rate(Fault fault) const { return rates_[static_cast<std::size_t>(fault)]; }
  // Faults happen only after start_faults() and before stop_faults().
  void start_faults() { faults_stopped_ = false; }
  void stop_faults() { faults_stopped_ = true; }
  bool faults_stopped() const { return faults_stopped_; }

  /// Adds a trace line: what happened, to which object, and a number with details.
  void note(std::string_view what, std::int64_t object = 0, std::int64_t detail = 0);
  void note(std::string_view what, std::string_view object, std::int64_t detail = 0);

 private:
  struct Task {
    Time at;
    std::uint64_t tie;
    std::function<void()> run;
  };
  static bool later(const Task& a, const Task& b) { return std::pair(a.at, a.tie) > std::pair(b.at, b.tie); }

  Time now_;
  Random random_;
  Trace trace_;
  FaultRates rates_;
  FaultCounts counts_{};
  PerFault<Time> last_{};
  FaultMask met_ = 0;
  mutable FaultMask lately_ = 0;
  mutable std::optional<Time> lately_at_;  // when `lately_` was computed; empty: a fault has happened since
  bool faults_stopped_ = true;
  std::vector<Task> tasks_;  // a heap with the next task first
};

}  // namespace finality::sim
