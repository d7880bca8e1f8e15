// Shared state of a simulation run: time, event queue, random numbers, faults and trace. Used by one thread.
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

/// Use of the trace lines: only hashed, printed, or kept in memory.
enum class TraceWish : std::uint8_t { hashed, printed, kept };

struct TraceLine {
  Time at;
  std::string what;
  std::string object;
  std::int64_t detail = 0;
};

/// Formats a trace line as time, step, object and detail: "2026-09-21T…  pay  pay_… 3".
std::string to_text(const TraceLine& line);

/// Trace of a simulation run: the hash of all steps and, unless only hashed, a line for each step.
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
  /// Prints or keeps the line. REQUIRES: collects_lines().
  void add(TraceLine line);
  /// Returns the kept lines; empty unless the mode is TraceWish::kept.
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
  /// Draws the fault rates from `seed`. Fault types in `without` never happen.
  SimScheduler(std::uint64_t seed, Time start, TraceWish trace, FaultMask without = 0);

  Time now() const { return now_; }
  Random& random() { return random_; }
  Trace& trace() { return trace_; }

  /// Schedules `task` to run after `delay`. Tasks of the same instant run in random order.
  void after(Duration delay, std::function<void()> task);
  /// Runs the next task. If no task is due before `until`, sets the time to `until` and returns false.
  bool step(Time until);
  /// Advances the time by `by` within a task, as a pause between two tries does.
  void pass(Duration by) { now_ = now_ + by; }

  /// Draws at random, with the fault's rate, whether the fault happens now. Counts the fault if it happens.
  bool happens(Fault fault);
  /// Counts a fault that the caller has caused without happens().
  void count(Fault fault);
  const FaultCounts& counts() const { return counts_; }
  // faults_met() returns the fault types that have happened so far, faults_lately() those of the last minute.
  FaultMask faults_met() const { return met_; }
  FaultMask faults_lately() const;
  int rate(Fault fault) const { return rates_[static_cast<std::size_t>(fault)]; }
  // happens() returns true only after start_faults() and before stop_faults().
  void start_faults() { faults_stopped_ = false; }
  void stop_faults() { faults_stopped_ = true; }
  bool faults_stopped() const { return faults_stopped_; }

  /// Adds a step to the trace: its name, the object, and a number with details.
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
  mutable std::optional<Time> lately_at_;  // when `lately_` was computed; empty if it is outdated
  bool faults_stopped_ = true;
  std::vector<Task> tasks_;  // heap; the first element is the next task
};

}  // namespace finality::sim
