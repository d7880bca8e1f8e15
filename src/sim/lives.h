// When each object was in which state, by the true time, and what it was told: what a client or the channel was told
// must have been so at some moment between the question and the answer.
#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/event.h"

namespace finality::sim {

class Lives {
 public:
  void add(const Event& event, Time at) {
    events_[event.object_id].insert(event.event);
    auto& life = lives_[event.object_id];
    if (life.empty() || life.back().state != event.to_state) life.push_back({at, event.to_state});
  }
  /// Whether the object was in one of the states at some moment between the two, both inclusive. True for an object
  /// that nothing is known of.
  bool was_in(std::int64_t object, std::initializer_list<std::string_view> states, Time from, Time to) const {
    const auto at = lives_.find(object);
    if (at == lives_.end()) return true;
    const auto& life = at->second;
    for (std::size_t i = 0; i < life.size(); ++i) {
      const bool began = life[i].from <= to;
      const bool lasted = i + 1 == life.size() || life[i + 1].from >= from;
      if (began && lasted && std::ranges::find(states, life[i].state) != states.end()) return true;
    }
    return false;
  }

  /// Whether the object's history has one of the events.
  bool has_heard(std::int64_t object, std::initializer_list<std::string_view> events) const {
    const auto at = events_.find(object);
    return at != events_.end() &&
           std::ranges::any_of(events, [&](std::string_view one) { return at->second.contains(one); });
  }

 private:
  struct Part {
    Time from;
    std::string state;
  };
  std::unordered_map<std::int64_t, std::vector<Part>> lives_;
  std::unordered_map<std::int64_t, std::set<std::string, std::less<>>> events_;
};

}  // namespace finality::sim
