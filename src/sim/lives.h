// When each object was in which state, by the true time: what a client or the channel was told must have been so at
// some moment between the question and the answer.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/event.h"

namespace finality::sim {

class Lives {
 public:
  void add(const Event& event, Time at) {
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

 private:
  struct Part {
    Time from;
    std::string state;
  };
  std::unordered_map<std::int64_t, std::vector<Part>> lives_;
};

}  // namespace finality::sim
