#include "sim/world/sim_scheduler.h"

#include <fmt/format.h>

#include <algorithm>

namespace finality::sim {
namespace {

constexpr Duration kLately = std::chrono::minutes(1);

}  // namespace

std::string to_text(const TraceLine& line) {
  return fmt::format("{}  {:<24} {} {}", to_rfc3339(line.at), line.what, line.object, line.detail);
}

void Trace::add(TraceLine line) {
  if (mode_ == TraceWish::printed)
    fmt::print(stderr, "{}\n", to_text(line));
  else
    lines_.push_back(std::move(line));
}

SimScheduler::SimScheduler(std::uint64_t seed, Time start, TraceWish trace, FaultMask without)
    : now_(start), random_(seed), trace_(trace), rates_(draw_rates(random_)) {
  for (std::size_t i = 0; i < rates_.size(); ++i)
    if ((without & bit_of(static_cast<Fault>(i))) != 0) rates_[i] = 0;
}

void SimScheduler::count(Fault fault) {
  counts_[static_cast<std::size_t>(fault)] += 1;
  last_[static_cast<std::size_t>(fault)] = now_;
  met_ |= bit_of(fault);
  lately_at_.reset();
}

FaultMask SimScheduler::faults_lately() const {
  if (lately_at_ == now_) return lately_;
  lately_ = 0;
  for (std::size_t i = 0; i < last_.size(); ++i)
    if (now_ - last_[i] <= kLately) lately_ |= bit_of(static_cast<Fault>(i));
  lately_at_ = now_;
  return lately_;
}

void SimScheduler::after(Duration delay, std::function<void()> task) {
  tasks_.push_back({now_ + delay, random_.next(), std::move(task)});
  std::ranges::push_heap(tasks_, later);
}

bool SimScheduler::step(Time until) {
  if (tasks_.empty() || tasks_.front().at > until) {
    now_ = std::max(now_, until);
    return false;
  }
  std::ranges::pop_heap(tasks_, later);
  Task task = std::move(tasks_.back());
  tasks_.pop_back();
  now_ = std::max(now_, task.at);
  task.run();
  return true;
}

bool SimScheduler::happens(Fault fault) {
  if (faults_stopped_ || !random_.chance(rate(fault))) return false;
  count(fault);
  note(name_of(fault));
  return true;
}

void SimScheduler::note(std::string_view what, std::int64_t object, std::int64_t detail) {
  trace_.add(now_.ms);
  trace_.add(what);
  trace_.add(object);
  trace_.add(detail);
  if (trace_.collects_lines()) trace_.add({now_, std::string(what), object == 0 ? "" : fmt::to_string(object), detail});
}

void SimScheduler::note(std::string_view what, std::string_view object, std::int64_t detail) {
  trace_.add(now_.ms);
  trace_.add(what);
  trace_.add(object);
  trace_.add(detail);
  if (trace_.collects_lines()) trace_.add({now_, std::string(what), std::string(object), detail});
}

}  // namespace finality::sim
