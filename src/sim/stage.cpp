#include "sim/stage.h"

#include <fmt/format.h>

#include <algorithm>

namespace finality::sim {

Stage::Stage(std::uint64_t seed, Time start, bool printed)
    : now_(start), random_(seed), trace_(printed), rates_(draw_rates(random_)) {}

void Stage::after(Duration delay, std::function<void()> task) {
  tasks_.push_back({now_ + delay, random_.next(), std::move(task)});
  std::ranges::push_heap(tasks_, later);
}

bool Stage::step(Time until) {
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

bool Stage::happens(Fault fault) {
  if (faults_stopped_ || !random_.chance(rate(fault))) return false;
  count(fault);
  note(name_of(fault));
  return true;
}

void Stage::note(std::string_view what, std::int64_t whom, std::int64_t how) {
  trace_.add(now_.ms);
  trace_.add(what);
  trace_.add(whom);
  trace_.add(how);
  if (trace_.printed()) fmt::print(stderr, "{}  {:<24} {} {}\n", to_rfc3339(now_), what, whom, how);
}

void Stage::note(std::string_view what, std::string_view whom, std::int64_t how) {
  trace_.add(now_.ms);
  trace_.add(what);
  trace_.add(whom);
  trace_.add(how);
  if (trace_.printed()) fmt::print(stderr, "{}  {:<24} {} {}\n", to_rfc3339(now_), what, whom, how);
}

}  // namespace finality::sim
