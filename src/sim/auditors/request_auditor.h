// How often, under which number and how soon a channel is asked for the same thing again
// (decide/channel/channel_operation.h).
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "model/effect.h"
#include "model/objects/event.h"
#include "model/policy.h"
#include "sim/auditors/findings.h"

namespace finality::sim {

class RequestAuditor {
 public:
  RequestAuditor(Findings& findings, const Policy& policy) : findings_(findings), policy_(policy) {}

  /// A step that was committed.
  void look_at(const Event& event);
  /// A request that a commit has asked for.
  void look_at(const RefundCall& call);

 private:
  struct Sendings {
    std::int64_t in_vain = 0;     // since the channel has spoken, or operators
    Time sent_at;                 // the last one
    bool may_be_renewed = false;  // a refusal has ended the number
    std::string number;           // of the last one
  };

  Findings& findings_;
  const Policy& policy_;
  std::map<ObjectRef, Sendings> sendings_;
  std::map<std::pair<std::string, std::string>, std::set<Time>> deadlines_;  // by channel and its number of the trade
};

}  // namespace finality::sim
