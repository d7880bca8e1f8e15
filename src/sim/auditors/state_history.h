// When each object was in which state, by the true time, and what it was told: what a client or the channel was told
// must have been so at some moment between the question and the answer.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/objects/event.h"

namespace finality::sim {

class StateHistory {
 public:
  void add(const Event& event, Time at) {
    const bool is_money_back = event.object_type == ObjectType::refund || event.object_type == ObjectType::reversal;
    if (is_money_back) heard_[event.object_id].push_back({event.event, event.detail});
    auto& life = states_[event.object_id];
    if (life.empty() || life.back().state != event.to_state) life.push_back({at, event.to_state});
  }
  /// Whether the object was in one of the states at some moment between the two, both inclusive. True for an object
  /// that nothing is known of.
  bool was_in(std::int64_t object, std::initializer_list<std::string_view> states, Time from, Time to) const {
    const auto at = states_.find(object);
    if (at == states_.end()) return true;
    const auto& life = at->second;
    for (std::size_t i = 0; i < life.size(); ++i) {
      const bool began = life[i].from <= to;
      const bool lasted = i + 1 == life.size() || life[i + 1].from >= from;
      if (began && lasted && std::ranges::find(states, life[i].state) != states.end()) return true;
    }
    return false;
  }

  /// Whether the history of a refund or reversal has one of the events, of the attempt with that number.
  bool has_heard(std::int64_t object, std::initializer_list<std::string_view> events, std::string_view number) const {
    const auto at = heard_.find(object);
    return at != heard_.end() && std::ranges::any_of(at->second, [&](const Heard& one) {
             return std::ranges::find(events, one.event) != events.end() && one.detail.contains(number);
           });
  }

 private:
  struct Part {
    Time from;
    std::string state;
  };
  struct Heard {
    std::string event;
    std::string detail;
  };
  std::unordered_map<std::int64_t, std::vector<Part>> states_;
  std::unordered_map<std::int64_t, std::vector<Heard>> heard_;
};

}  // namespace finality::sim
