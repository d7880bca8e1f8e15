// History of the states of all objects in simulated time, and of the channel results of refunds and reversals. Auditors
// compare replies and recorded results with the states between request and reply.
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
    if (is_money_back) results_[event.object_id].push_back({event.event, event.detail});
    auto& life = states_[event.object_id];
    if (life.empty() || life.back().state != event.to_state) life.push_back({at, event.to_state});
  }
  /// Returns true if the object was in one of the states at some instant from `from` to `to`, both inclusive. Returns
  /// true for an unknown object.
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

  /// Returns true if the refund or reversal received one of the events for the attempt with the out_refund_no `number`.
  bool has_recorded(std::int64_t object, std::initializer_list<std::string_view> events,
                    std::string_view number) const {
    const auto at = results_.find(object);
    return at != results_.end() && std::ranges::any_of(at->second, [&](const Result& result) {
             return std::ranges::find(events, result.event) != events.end() && result.detail.contains(number);
           });
  }

 private:
  struct Part {
    Time from;
    std::string state;
  };
  struct Result {
    std::string event;
    std::string detail;
  };
  std::unordered_map<std::int64_t, std::vector<Part>> states_;
  std::unordered_map<std::int64_t, std::vector<Result>> results_;
};

}  // namespace finality::sim
